#include <cerrno>
#include <map>
#include <set>

#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "net/storage.hpp"
#include "tacore/dataset.hpp"

namespace tacore {
namespace {

/// The partitions of one dataset, in order, must all state the same number of partitions.
void check_partitions(const Detected& first, const Detected& at) {
  if (at.num_partitions == first.num_partitions) return;
  throw FormatError("one of " + std::to_string(at.num_partitions) + " partitions, but " + first.path + " is one of " +
                        std::to_string(first.num_partitions),
                    {.path = at.path});
}

/// The path in a `file://` URL (RFC 8089); any other path unchanged.
std::string without_file_scheme(std::string_view given) {
  constexpr std::string_view kFile = "file://", kLocalhost = "localhost";
  if (!given.starts_with(kFile)) return std::string(given);
  std::string_view path = given.substr(kFile.size());
  if (path.starts_with(kLocalhost)) path.remove_prefix(kLocalhost.size());
  if (!path.starts_with('/'))
    throw IoError("names a file of another machine; file:///PATH expected", {.path = std::string(given)}, ENOENT);
  return percent_decoded(path);
}

std::shared_ptr<const Storage> storage_for(const LoadOptions& options) {
  return options.remote ? any_storage(*options.remote) : any_storage();
}

/// All partitions of the dataset that `at` is one of. A part may lack a column that is null in all of its rows.
Dataset open_partitions(const std::string& path, const Detected& at, const LoadOptions& options,
                        const OpenedOnce& files, const std::shared_ptr<const Storage>& storage) {
  std::vector<Dataset> parts;
  for (const auto& part : partition_paths(files, at, options.allow_partial)) {
    const Detected found = detect(files, part);
    check_partitions(at, found);
    parts.push_back(open_dataset(part, found, options, storage));
    const Collection &first = parts[0].collection(), &here = parts.back().collection();
    const bool is_same = here.id == first.id && here.dataset_version == first.dataset_version;
    if (is_same || found.format != Format::Taco) continue;
    throw FormatError("a partition of " + in_quotes(here.id) + ", version " + in_quotes(here.dataset_version) + "; " +
                          parts[0].path() + " is one of " + in_quotes(first.id) + ", version " +
                          in_quotes(first.dataset_version),
                      {.path = part});
  }
  if (parts.size() == 1) return parts[0];
  auto impl = copy(*impl_of(concat(parts, ColumnMode::FillMissing)));
  impl->path = path;
  return Dataset(std::move(impl));
}

}  // namespace

Dataset open_dataset(const std::string& path, const Detected& at, const LoadOptions& options,
                     std::shared_ptr<const Storage> storage) {
  auto impl = std::make_shared<Dataset::Impl>();
  impl->path = path;
  impl->format = at.format;
  if (at.format == Format::Tacollection) {
    impl->collection = std::make_shared<const Collection>(read_collection(*storage, at, path));
    if (impl->collection->sources.empty())
      throw FormatError("no taco:sources: the partitions are unknown", {.path = path});
    std::set<std::string> files;
    for (const auto& source : impl->collection->sources) {
      if (files.insert(source.file).second) continue;
      throw FormatError("taco:sources: " + in_quotes(source.file) + " is listed twice", {.path = path});
    }
    impl->partitions = std::make_shared<const Partitions>(std::move(storage), impl->collection,
                                                          options.base_path.empty() ? at.folder : options.base_path,
                                                          options.verify, options.trust_bounds, options.trust_sidecar);
    return Dataset(std::move(impl));
  }
  auto container =
      open_container(std::move(storage), at, path, options.base_path, options.verify, options.trust_sidecar);
  impl->collection = std::shared_ptr<const Collection>(container, &container->collection());
  impl->base.base = std::move(container);
  return Dataset(std::move(impl));
}

Dataset load(std::string_view given, const LoadOptions& options, std::shared_ptr<const Storage> storage) {
  const std::string path = without_file_scheme(given);
  const OpenedOnce files(*storage);
  const Detected at = detect(files, path);
  return at.num_partitions > 1 ? open_partitions(path, at, options, files, storage)
                               : open_dataset(path, at, options, std::move(storage));
}

Dataset load(std::string_view path, const LoadOptions& options) { return load(path, options, storage_for(options)); }

Dataset load(std::span<const std::string> paths, const LoadOptions& options) {
  if (paths.empty()) throw QueryError("empty list of paths; at least one expected");
  // The path of one partition stands for the whole dataset; with allow_partial it is only that partition.
  if (paths.size() == 1 && !options.allow_partial) return load(paths[0], options);
  const auto storage = storage_for(options);
  std::vector<Dataset> datasets;
  std::map<std::string, std::vector<Detected>> groups;
  for (const auto& given : paths) {
    const std::string path = without_file_scheme(given);
    Detected at = detect(*storage, path);
    datasets.push_back(open_dataset(path, at, options, storage));
    if (at.num_partitions == 1) continue;
    auto& group = groups[partition_group(path)];
    if (!group.empty()) check_partitions(group[0], at);
    group.push_back(std::move(at));
  }
  for (const auto& [name, group] : groups) {
    if (group.size() == group[0].num_partitions || options.allow_partial) continue;
    throw QueryError(std::to_string(group.size()) + " of " + std::to_string(group[0].num_partitions) +
                         " partitions are given; all expected",
                     {.path = group[0].path});
  }
  if (datasets.size() == 1) return datasets[0];
  const bool is_one_set = groups.size() == 1 && groups.begin()->second.size() == datasets.size();
  return concat(datasets, is_one_set ? ColumnMode::FillMissing : ColumnMode::Intersection);
}

Collection read_collection(std::string_view given, const LoadOptions& options) {
  const auto storage = storage_for(options);
  const std::string path = without_file_scheme(given);
  return read_collection(*storage, detect(*storage, path), path);
}

}  // namespace tacore
