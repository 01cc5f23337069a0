#include "io/vsi_path.hpp"
#include "reader/dataset_impl.hpp"
#include "tacore/apart.hpp"

namespace tacore {
namespace {

void add_sources(const std::vector<Source>& sources, const std::string& folder, std::vector<std::string>& out) {
  for (const auto& source : sources) out.push_back(path_join(folder, source.file));
}

void add_files(const View& view, std::vector<std::string>& out) {
  if (const Container* container = view.container()) {
    out.push_back(container->path());
    return add_sources(container->collection().sources, parent_folder(container->path()), out);
  }
  for (const auto& part : std::get<Union>(view.base).parts) add_files(*part.view, out);
}

}  // namespace

std::vector<std::string> files_of(const Dataset& dataset) {
  const Dataset::Impl& impl = *dataset.impl();
  std::vector<std::string> out;
  if (!impl.partitions) {
    add_files(impl.base, out);
    return out;
  }
  // A TACOLLECTION.json, whose partitions are not opened for this.
  const bool is_named = impl.path.ends_with(".json");
  if (is_named) out.push_back(impl.path);
  add_sources(impl.partitions->sources(), is_named ? parent_folder(impl.path) : impl.path, out);
  return out;
}

}  // namespace tacore
