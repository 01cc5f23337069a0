#include "writer/tacocat_writer.hpp"

#include "format/names.hpp"
#include "format/taco_header.hpp"
#include "io/byte_source.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "model/collection_merge.hpp"
#include "table/merge_levels.hpp"
#include "writer/draft.hpp"

namespace tacore {
namespace {

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  OutputFile file(path, false);
  file.write(0, bytes);
  file.commit();
}

}  // namespace

void write_tacocat(const std::vector<std::string>& zips, const ParquetOptions& options) {
  const auto storage = local_storage();
  std::vector<taco_header::Header> headers;
  std::vector<PartCollection> parts;
  std::vector<std::string> files;
  for (const auto& zip : zips) {
    const auto source = storage->open(zip);
    headers.push_back(taco_header::parse(source->read({0, taco_header::kSize}), source->size()));
    const Bytes text = source->read(headers.back().collection);
    files.push_back(file_name(zip));
    parts.push_back({.file = files.back(),
                     .collection = parse_collection({reinterpret_cast<const char*>(text.data()), text.size()}, zip)});
  }
  const std::string collection = encode_collection(merge_collections(parts));
  const std::string folder = path_join(parent_folder(zips.at(0)), names::kTacocatFolder);
  make_folder(folder);
  for (std::size_t k = 0; k < headers[0].levels.size(); ++k) {
    OutputFile file(path_join(folder, names::kLevelFiles[k]), false);
    uint64_t size = 0;
    merge_levels(
        files, static_cast<int>(k),
        [&](std::size_t part) { return slice(storage->open(zips[part]), headers[part].levels.at(k)); },
        [&](std::span<const std::byte> bytes) {
          file.write(size, bytes);
          size += bytes.size();
        },
        options);
    file.commit();
  }
  write_file(path_join(folder, names::kCollection), std::as_bytes(std::span(collection)));
}

}  // namespace tacore
