#include <filesystem>
#include <system_error>

#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"

namespace tacore {
namespace {

void add_sources(const std::vector<Source>& sources, const std::string& folder, std::vector<std::string>& out) {
  for (const auto& source : sources) out.push_back(path_join(folder, source.file));
}

void add_files(const View& view, std::vector<std::string>& out) {
  if (const Container* container = view.container()) {
    const auto files = files_of(*container);
    out.insert(out.end(), files.begin(), files.end());
    return;
  }
  for (const auto& part : std::get<Union>(view.base).parts) add_files(*part.view, out);
}

}  // namespace

std::vector<std::string> files_of(const Container& container) {
  std::vector<std::string> out{container.path()};
  const auto& sources = container.collection().sources;
  if (container.format() != Format::Tacocat) {
    add_sources(sources, parent_folder(container.path()), out);
    return out;
  }
  // The folder in which the index itself finds them; a base path may have set it.
  for (const auto& source : sources)
    out.push_back(container.vsi_path({.offset = 0, .size = 1, .source_file = source.file}));
  return out;
}

std::vector<std::string> files_of(const Dataset& dataset) {
  const Dataset::Impl& impl = *impl_of(dataset);
  std::vector<std::string> out;
  if (!impl.partitions) {
    add_files(impl.base, out);
    return out;
  }
  // A TACOLLECTION.json, or the folder that it is in; its partitions are not opened for this.
  if (impl.path.ends_with(".json")) out.push_back(impl.path);
  add_sources(impl.partitions->sources(), impl.partitions->folder(), out);
  return out;
}

std::vector<std::string> described_files(const std::vector<std::string>& files) {
  std::vector<std::string> out;
  for (const std::string& path : files) {
    std::filesystem::path folder(path);
    if (folder.filename() == names::kCollection) folder = folder.parent_path();
    const bool is_index = (folder.has_filename() ? folder : folder.parent_path()).filename() == names::kTacocatFolder;
    std::error_code why;
    const auto status = std::filesystem::status(folder.empty() ? "." : folder, why);
    if (status.type() == std::filesystem::file_type::none) throw IoError("cannot stat", {.path = path}, why.value());
    if (is_index || !std::filesystem::is_directory(status)) {
      out.push_back(is_index ? folder.string() : path);
      continue;
    }
    for (const auto name : {names::kCollection, names::kMetadata, names::kData, names::kTacocatFolder})
      out.push_back(without_slashes((folder / name).string()));
  }
  return out;
}

}  // namespace tacore
