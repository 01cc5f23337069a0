#include "tacore/ops/sidecar.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>

#include "base/log.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/sidecar_file.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "format/names.hpp"
#include "io/entry_at.hpp"
#include "io/proved_here.hpp"
#include "io/vsi_path.hpp"
#include "net/storage.hpp"
#include "table/sidecar_table.hpp"
#include "tacore/error.hpp"
#include "writer/staging.hpp"

namespace tacore {
namespace {

std::shared_ptr<const Container> open_dataset_of(const std::string& path) {
  const auto storage = any_storage();
  const Detected at = detect(*storage, path);
  if (at.format == Format::Tacollection)
    throw ValidationError("an index of datasets: each dataset has its own side-cars", {.path = path});
  if (is_v1(at.format)) {
    throw ValidationError("is a dataset before 2.0, which has no side-cars; taco convert makes one that can have them",
                          {.path = path});
  }
  return open_container(storage, at, at.path, "");
}

/// Throws ValidationError where a query would give a column of the side-car with another type than that of the level.
void check_types(const std::shared_ptr<const LevelTable>& level, const std::shared_ptr<const LevelTable>& sidecar) {
  const auto stored = sql_types_of(level), copied = sql_types_of(sidecar);
  for (std::size_t c = 0; c < stored.size(); ++c) {
    const int there = sidecar->find(level->file_columns()[c]);
    const std::string type = there < 0 ? "missing" : copied[static_cast<std::size_t>(there)];
    if (type == stored[c]) continue;
    throw ValidationError("column " + in_quotes(level->file_columns()[c]) + " is " + stored[c] +
                              " in queries, and would be " + type + " in a side-car",
                          level->where());
  }
}

/// Throws ValidationError unless there is nothing, or a folder of side-cars, which may be replaced.
void check_replaceable(const std::string& folder) {
  const auto found = entry_at(folder);
  if (!found) return;
  if (!S_ISDIR(found->st_mode)) throw ValidationError("is a file, a folder of side-cars expected", {.path = folder});
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!names::is_level_file(entry.path().filename().string()))
      throw ValidationError("is a folder of other files, side-cars to be replaced expected", {.path = folder});
  }
  if (error) throw IoError("cannot be read", {.path = folder}, error.value());
}

/// The levels of a dataset that can have a side-car, of which there is at least one.
std::vector<int> levels_of(const Container& container) {
  std::vector<int> out;
  std::string why;
  for (int level = 0; level < container.num_levels(); ++level) {
    const std::string reason = why_no_sidecar(*container.stored_level(level), level);
    if (reason.empty()) {
      out.push_back(level);
    } else {
      why += (why.empty() ? "" : "; ") + std::string("level ") + std::to_string(level) + ": " + reason;
    }
  }
  if (out.empty()) throw ValidationError("can have no side-car: " + why, {.path = container.path()});
  return out;
}

/// Throws IoError where nothing tells a later state of a file from this one, and where it changed since it was opened.
void check_version(const LevelTable& table) {
  if (!table.version().empty()) return;
  throw IoError(table.is_local() ? "changed while it was read"
                                 : "its server states neither ETag nor Last-Modified, by which a later state could be "
                                   "told apart; trust_sidecar uses a side-car without a proof",
                {.path = table.source()->name()}, 0);
}

/// Remembers a proof by two files, of which nothing was read before they were opened. False where the user's cache
/// cannot be written. Throws IoError as above.
bool remember(const LevelTable& level, const LevelTable& sidecar) {
  for (const LevelTable* table : {&level, &sidecar}) check_version(*table);
  const auto fact = fact_of_sidecar(level, sidecar);
  return fact && remember_proved(*fact);
}

/// The version of a local file but for the last time, which renaming sets: that of its last change.
std::string before_renaming(const std::string& version) { return version.substr(0, version.rfind(' ')); }

/// Progress over several levels.
struct Steps {
  const Task& task;
  uint64_t num_rows = 0, num_before = 0;

  Steps(const Task& given, const Container& container, const std::vector<int>& levels) : task(given) {
    for (const int level : levels) num_rows += static_cast<uint64_t>(container.stored_level(level)->num_rows());
  }
  void tell(int64_t num_done) const { report(task, num_before + static_cast<uint64_t>(num_done), num_rows); }
};

}  // namespace

std::vector<std::string> create_sidecar(const std::string& path, const SidecarOptions& options) {
  const auto container = open_dataset_of(path);
  const auto levels = levels_of(*container);
  const std::string& dataset = container->path();
  if (options.beside) require_local(dataset, "written");
  const std::string folder = options.beside ? dataset + std::string(kSidecarSuffix) : cached_sidecar_folder(dataset);
  if (folder.empty()) throw IoError("no folder for the user's cache: XDG_CACHE_HOME or HOME expected", {}, 0);
  if (!options.beside) {
    std::error_code error;
    std::filesystem::create_directories(parent_folder(folder), error);
    if (error) throw IoError("cannot be created", {.path = parent_folder(folder)}, error.value());
  }
  check_replaceable(folder);
  const std::string name = file_name(folder);
  const StagingDir staging(folder, "");
  staging.make_folder(name);
  Steps steps(options.task, *container, levels);
  for (const int level : levels) check_version(*container->stored_level(level));
  const auto storage = local_storage();
  std::vector<std::string> staged, made;
  for (const int level : levels) {
    const auto& table = container->stored_level(level);
    const std::string file = path_join(name, names::kLevelFiles[level]);
    StagedFile out(staging, file);
    write_sidecar(
        *table, level, num_threads(options.task.jobs), [&](std::span<const std::byte> bytes) { out.write(bytes); },
        [&](int64_t num_rows) { steps.tell(num_rows); });
    out.close();
    const auto copy = open_sidecar(*storage, staging.path(file), level, *table);
    check_types(table, copy);
    staged.push_back(before_renaming(copy->version()));
    steps.num_before += static_cast<uint64_t>(table->num_rows());
  }
  staging.sync();
  steps.tell(0);  // the last chance to stop
  publish(staging.path(), parent_folder(folder), {name}, true);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& table = container->stored_level(levels[i]);
    made.push_back(path_join(folder, names::kLevelFiles[levels[i]]));
    const auto copy = open_sidecar(*storage, made.back(), levels[i], *table);
    // Others may write where the dataset is: the file must still be the one that was written.
    if (!copy || before_renaming(copy->version()) != staged[i])
      throw IoError("was replaced while it was made", {.path = made.back()}, 0);
    if (!remember(*table, *copy)) {
      log::warning(made.back() + ": that it is right cannot be remembered, because the user's cache cannot be written");
    }
  }
  return made;
}

std::vector<std::string> check_sidecar(const std::string& path, const Task& task) {
  const auto container = open_dataset_of(path);
  std::vector<int> levels;
  std::vector<std::shared_ptr<const LevelTable>> copies;
  const std::string& dataset = container->path();
  for (int level = 0; level < container->num_levels(); ++level) {
    const std::string file = sidecar_path(dataset, level);
    auto copy =
        file.empty() ? nullptr : open_sidecar(*container->storage(), file, level, *container->stored_level(level));
    if (!copy) continue;
    levels.push_back(level);
    copies.push_back(std::move(copy));
  }
  if (levels.empty()) throw ValidationError("no side-car beside the dataset", {.path = dataset});
  Steps steps(task, *container, levels);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& table = container->stored_level(levels[i]);
    const std::string why = why_wrong_sidecar(*table, *copies[i], [&](int64_t num_rows) { steps.tell(num_rows); });
    if (!why.empty()) throw ValidationError("is no true side-car: " + why, copies[i]->where());
    check_types(table, copies[i]);
    if (!remember(*table, *copies[i]))
      throw IoError("cannot be written: the user's cache, which remembers what was proved", {.path = user_cache()}, 0);
    out.push_back(copies[i]->where().path);
    steps.num_before += static_cast<uint64_t>(table->num_rows());
  }
  if (is_remote(dataset)) remember_proved(fact_of_sidecars_beside(dataset));
  return out;
}

}  // namespace tacore
