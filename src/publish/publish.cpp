#include "tacore/ops/publish.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <utility>

#include "base/report.hpp"
#include "base/text.hpp"
#include "io/entry_at.hpp"
#include "io/vsi_path.hpp"
#include "publish/prepare.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tacore/remote.hpp"
#include "writer/staging.hpp"

namespace tacore {
namespace {

RemoteOptions options_with_token(const std::string& token_file) {
  RemoteOptions out = remote_options();
  if (token_file.empty()) return out;
  std::ifstream stream(token_file);
  std::string line;
  if (!std::getline(stream, line)) throw IoError("the token cannot be read", {.path = token_file}, errno);
  out.token = trimmed(line);
  return out;
}

/// Uploads the files that the store does not have, group by group.
void send_files(upload::ObjectStore& store, const std::vector<upload::Upload>& files, const std::string& title,
                const PublishOptions& options, Published& out) {
  const std::vector<bool> found = store.find(files);
  uint64_t num_bytes = 0, num_done = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    out.files[i].state = found[i] ? Publication::Stored : options.dry_run ? Publication::Missing : Publication::Sent;
    if (!found[i]) num_bytes += files[i].size;
  }
  if (options.dry_run) return;
  // The order of the files is kept: those of a later group are visible only when those of the earlier ones are.
  for (std::size_t i = 0; i < files.size();) {
    std::vector<upload::Upload> group;
    const int rank = publishing::upload_rank(files[i].key);
    for (; i < files.size() && publishing::upload_rank(files[i].key) == rank; ++i) {
      if (!found[i]) group.push_back(files[i]);
    }
    store.put(group, [&](uint64_t count, bool was_sent) {
      if (was_sent) out.num_bytes_sent += count;
      num_done = std::min(num_done + count, num_bytes);
      report(options.task, num_done, num_bytes, options.to);
    });
  }
  store.finish(title);
}

}  // namespace

Published publish_dataset(const std::string& dataset_path, const std::string& given, Platform platform,
                          const PublishOptions& options) {
  const std::string folder = without_slashes(given);
  if (folder.empty()) throw ValidationError("the output is ''; the name of a folder expected");
  require_local(folder, "written");
  const Dataset dataset = load(dataset_path);
  const auto data = publishing::data_files(dataset, dataset_path);
  publishing::require_publishable(dataset, dataset_path, data, platform, options);
  require_apart(folder, described_files(files_of(dataset)));
  std::unique_ptr<upload::ObjectStore> store;
  if (!options.to.empty()) {
    store = upload::open_store(options.to, options_with_token(options.token_file),
                               {.create = options.create, .discard_unfinished = options.discard_unfinished});
    store->find({});  // a wrong token is told before the work is done
  }
  const bool exists = entry_at(folder).has_value();
  if (exists && options.overwrite && !entry_at(path_join(folder, "CHECKSUMS"))) {
    throw ValidationError("is no folder that was prepared for publication; nothing else is replaced", {.path = folder});
  }
  if (exists && !options.overwrite && !store) throw ValidationError("exists already", {.path = folder});

  std::vector<upload::Upload> files;
  std::optional<StagingDir> staging;  // is removed at the end
  if (exists && !options.overwrite) {
    files = publishing::prepared_before(data, folder, options.task);
  } else {
    const std::string name = file_name(folder);
    staging.emplace(folder, "");
    try {
      files = publishing::prepare(data, dataset, *staging, name, platform, options);
    } catch (const IoError& error) {  // name the file as it would have been
      const std::string& path = error.context().path;
      if (!path.starts_with(staging->path())) throw;
      throw IoError(error.message(), {.path = staging->target(path.substr(staging->path().size() + 1))});
    }
    staging->sync();
    report(options.task, 1, 1, folder);  // the last chance to cancel
    if (!options.dry_run) {
      publish(staging->path(), parent_folder(folder), {name}, options.overwrite);
      for (auto& file : files) file.path = path_join(folder, file.key);
    }
  }
  Published out;
  for (const auto& file : files) {
    out.files.push_back({.name = file.key, .size = file.size, .sha256 = hex(file.sha256)});
  }
  if (store) send_files(*store, files, "Publish " + dataset.id() + " " + dataset.version(), options, out);
  return out;
}

}  // namespace tacore
