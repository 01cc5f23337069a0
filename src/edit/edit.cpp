#include "tacore/ops/edit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/log.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "dataset/open_container.hpp"
#include "edit/plan.hpp"
#include "format/names.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "table/parquet_write.hpp"
#include "tacore/error.hpp"
#include "writer/staging.hpp"

namespace tacore {
namespace {

/// The file or folder behind a symbolic link: it is edited, and the link stays. `.` is resolved: it cannot be renamed.
std::string without_links(const std::string& path) {
  std::error_code error;
  const bool has_name = file_name(path) != "." && file_name(path) != "..";
  const bool is_link = std::filesystem::is_symlink(path, error);
  if (error) throw IoError("cannot open", {.path = path}, error.value());
  if (has_name && !is_link) return path;
  const auto out = std::filesystem::canonical(path, error);
  if (error) throw IoError("cannot open", {.path = path}, error.value());
  return out.string();
}

/// Replaces a COLLECTION.json that is a file of its own.
void edit_file(const EditPlan& plan, const std::string& path, const Unchanged& unchanged, const WriteOptions& options) {
  const struct Open {
    int descriptor;
    ~Open() {
      if (descriptor >= 0) ::close(descriptor);
    }
  } open{open_uninterrupted(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (open.descriptor < 0) throw IoError("cannot open", {.path = path}, errno);
  OutputFile file(path, true, options.temp_dir);
  file.take_permissions({.descriptor = open.descriptor, .name = path});
  file.write(0, std::as_bytes(std::span(plan.collection)));
  file.sync();
  if (options.progress) options.progress(0);
  unchanged.check();
  file.commit();
}

/// Warns of indexes that contain the dataset: after an edit they still have its old values.
void warn_of_indexes(const Storage& storage, const std::string& part) {
  for (const auto name : {names::kTacocatFolder, names::kTacocatFile}) {
    const std::string index = path_join(parent_folder(part), name);
    if (!storage.exists(index, name == names::kTacocatFolder)) continue;
    try {
      const auto sources = read_collection(storage, detect(storage, index), index).sources;
      if (std::ranges::find(sources, file_name(part), &Source::file) == sources.end()) continue;
      log::warning(index + ": has the values of " + tacore::in_quotes(file_name(part)) +
                   " from before this edit; `taco index` makes a new one");
    } catch (const Error&) {  // reported when the index is opened
    }
  }
}

/// The total of the progress callback: the bytes of a ZIP. The files of a FOLDER are linked, not copied, if possible.
uint64_t num_bytes_of(const Detected& at) { return at.format == Format::Zip ? at.source->size() : 0; }

}  // namespace

namespace {

using MakePlan = std::function<EditPlan(const Detected& at, const std::shared_ptr<const Container>& container,
                                        const std::string& path)>;

/// Plans and makes an edit of version 2.0; `edit_old` makes one of a file before that.
void run_edit(const std::string& given, const EditOptions& options, const MakePlan& make_plan,
              const std::function<void(const std::string& path)>& edit_old, bool warns = true) {
  check_parquet_options(options.parquet);
  require_local(given, "changed in place");
  const auto storage = local_storage();
  const std::string path = without_links(detect(*storage, given).path);
  const bool is_folder = storage->exists(path, true);
  const std::string file = is_folder ? without_links(path_join(path, names::kCollection)) : path;
  const std::vector<Unchanged> unchanged{Unchanged(path), Unchanged(file)};
  const Detected at = detect(*storage, path);
  if (is_v1(at.format)) return edit_old(path);
  const bool has_columns = at.format == Format::Zip || at.format == Format::Folder;
  const auto container = has_columns ? open_container(storage, at, path, "") : nullptr;
  const EditPlan plan = make_plan(at, container, path);
  check_temp_dir(plan.last_level() < 0 ? file : path, options.temp_dir);
  WriteOptions write{.overwrite = true,
                     .jobs = num_threads(options.task.jobs),
                     .temp_dir = options.temp_dir,
                     .parquet = container ? with_indexes_of(*container, options.parquet) : options.parquet};
  if (options.task.progress) {
    write.progress = [&, num_bytes = num_bytes_of(at)](uint64_t num_done) {
      report(options.task, num_done, num_bytes, given);
    };
    write.progress(0);
  }
  if (at.format == Format::Zip) {
    edit_zip(plan, *container, path, unchanged[0], write);
  } else if (plan.last_level() < 0) {
    edit_file(plan, file, unchanged[1], write);
  } else {
    edit_folder(plan, *container, path, unchanged, write);
  }
  if (warns && plan.last_level() >= 0) warn_of_indexes(*storage, path);
  const uint64_t num_bytes = num_bytes_of(at);
  if (options.task.progress)
    options.task.progress(num_bytes, num_bytes, options.task.user);  // the edit is done, so the result is ignored
}

}  // namespace

void edit(const std::string& given, const Edit& edit, const EditOptions& options) {
  run_edit(
      given, options,
      [&](const Detected& at, const std::shared_ptr<const Container>& container, const std::string& path) {
        if (at.format == Format::Tacocat && at.source) {
          throw ValidationError(
              "is an index in one file, which cannot be edited: make a new one from its ZIPs, or edit a .tacocat/ "
              "folder",
              {.path = given});
        }
        return plan_edit(edit, container ? container->collection() : read_collection(*local_storage(), at, path),
                         container.get(), given);
      },
      [&](const std::string& path) {
        check_temp_dir(path, options.temp_dir);
        check_v1_parquet_options(options.parquet);
        edit_v1(edit, path, options);
      });
}

void edit_values(const std::string& given, const EditOptions& options,
                 const std::function<ValueEdit(const std::shared_ptr<const Container>&)>& make, bool warns) {
  run_edit(
      given, options,
      [&](const Detected&, const std::shared_ptr<const Container>& container, const std::string&) {
        if (!container) {
          throw ValidationError("the columns of an index are those of its ZIPs: change them, and index them again",
                                {.path = given});
        }
        return plan_values(make(container), *container, given);
      },
      [&](const std::string&) {
        throw ValidationError("is of a version before 2.0: convert it first, then change its values", {.path = given});
      },
      warns);
}

}  // namespace tacore
