#include <algorithm>
#include <tuple>
#include <vector>

#include "base/log.hpp"
#include "base/report.hpp"
#include "base/threads.hpp"
#include "container/tiff_index_file.hpp"
#include "container/zip_samples.hpp"
#include "dataset/open_container.hpp"
#include "format/names.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "net/storage.hpp"
#include "raster/tacotiff_header.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_structure.hpp"
#include "table/metadata_columns.hpp"
#include "table/parquet_write.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tacore/raster/tiff_index.hpp"

namespace tacore {
namespace {

constexpr std::size_t kFilesUnderWay = 4096;

struct Place {
  int level;
  int64_t row;
};

struct Entry {
  std::string source_file = {}, path = {};
  uint64_t size = 0;
  uint32_t crc32 = 0;
  std::string header = {};
  bool is_broken = false;
};

/// The FILEs of all levels, without padding.
std::vector<Place> places_of(const Container& container) {
  std::vector<Place> out;
  for (int level = 0; level < container.num_levels(); ++level) {
    const LevelTable& table = *container.stored_level(level);
    const int id = table.find(names::kId);
    for (int64_t row = 0; row < table.num_rows(); ++row) {
      if (sample_type(table, row) != SampleType::File || is_padding_id(table.text(id, row).value_or(""))) continue;
      out.push_back({level, row});
    }
  }
  return out;
}

/// The shortest encoding that is complete; "" for what is no TIFF, or one that only GDAL decodes.
std::string header_of(const ByteSource& source) {
  const auto directory = find_tiff_directory(source);
  if (!directory || !directory->unsupported.empty()) return {};
  const TiffLayout& layout = directory->layout;
  // What a TacoTIFF header leaves out would have to be read from the file.
  const bool is_short = !layout.nodata && layout.is_planar && layout.is_tile_interleaved;
  if (is_short && why_no_tacotiff_header(layout).empty()) return encode_tacotiff_header(layout);
  return encode_tiff_structure(layout);
}

Entry entry_of(const Container& container, const Place& place) {
  const RowAddress address = container.address(place.level, place.row);
  return again_if_moved([&] {
    const auto source = container.open_data(address);
    Entry out{.source_file = address.source_file, .path = address.relative_path, .size = source->size()};
    try {
      out.header = header_of(*source);
      out.crc32 = stated_crc32(*source).value_or(0);
    } catch (const SampleMoved&) {
      throw;
    } catch (const FormatError& error) {
      log::warning(address.relative_path + ": " + error.what());
      out.is_broken = true;
    }
    return out;
  });
}

std::vector<Entry> entries_of(const Container& container, const TiffIndexFileOptions& options,
                              TiffIndexFileResult& result) {
  const auto files = places_of(container);
  OrderedWork<Entry> work(std::vector<uint64_t>(files.size(), 1), kFilesUnderWay, num_threads(options.task.jobs),
                          [&](std::size_t i) { return entry_of(container, files[i]); });
  std::vector<Entry> out;
  for (uint64_t done = 1; auto entry = work.next(); ++done) {
    ++(entry->is_broken ? result.num_broken : entry->header.empty() ? result.num_others : result.num_headers);
    if (!entry->header.empty()) out.push_back(std::move(*entry));
    report(options.task, done, files.size());
  }
  std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.source_file, a.path) < std::tie(b.source_file, b.path);
  });
  return out;
}

Bytes encode(const std::vector<Entry>& entries, const std::string& dataset) {
  std::vector<MetadataColumn> columns{
      {std::string(names::kId), {}, "string"},         {std::string(names::kRelativePath), {}, "string"},
      {std::string(names::kType), {}, "string"},       {std::string(kDatasetColumn), {}, "string"},
      {std::string(names::kSourceFile), {}, "string"}, {std::string(names::kSize), {}, "int64"},
      {std::string(kCrc32Column), {}, "int64"},        {std::string(kHeaderColumns[0]), {}, "binary"}};
  for (const Entry& entry : entries) {
    columns[0].values.emplace_back(file_name(entry.path));
    columns[1].values.emplace_back(entry.path);
    columns[2].values.emplace_back(std::string("FILE"));
    columns[3].values.emplace_back(dataset);
    columns[4].values.emplace_back(entry.source_file);
    columns[5].values.emplace_back(static_cast<int64_t>(entry.size));
    columns[6].values.emplace_back(static_cast<int64_t>(entry.crc32));
    columns[7].values.emplace_back(Binary{entry.header});
  }
  return encode_parquet(*with_columns(nullptr, static_cast<int64_t>(entries.size()), columns));
}

}  // namespace

TiffIndexFileResult write_tiff_index(const std::string& path, const TiffIndexFileOptions& options) {
  const auto storage = any_storage();
  const Detected at = detect(*storage, path);
  if (at.format == Format::Tacollection) {
    throw ValidationError("an index of datasets: each dataset has its own TIFF index", {.path = path});
  }
  if (at.format != Format::Zip && at.format != Format::Tacocat) {
    throw ValidationError(
        "a TIFF index is only made for ZIPs and their indexes, whose checksums verify it; other TIFFs need none",
        {.path = path});
  }
  const auto container = open_container(storage, at, path, options.base_path);
  TiffIndexFileResult out{.path = options.output.empty() ? at.path + std::string(kHeaderFileSuffix) : options.output};
  require_local(out.path, "written");
  require_apart(out.path, files_of(*container));
  OutputFile file(out.path, options.overwrite);
  const auto entries = entries_of(*container, options, out);
  if (entries.empty()) throw ValidationError("has no TIFF that can be indexed", {.path = path});
  file.write(0, encode(entries, fingerprint_of(*container)));
  file.sync();
  const auto num_files = static_cast<uint64_t>(out.num_headers + out.num_others + out.num_broken);
  report(options.task, num_files, num_files);  // the last chance to stop: syncing takes time
  file.commit();
  return out;
}

}  // namespace tacore
