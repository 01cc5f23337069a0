#include "writer/draft.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore {

Draft::Draft(const std::string& target, const std::string& temp_dir)
    : target_(target), path_(temporary_for(target, temp_dir)) {
  if (::mkdir(path_.c_str(), 0777) != 0) throw IoError("cannot be created", {.path = target}, errno);
}

Draft::~Draft() {
  std::error_code ignored;  // nothing can be done about what cannot be removed
  std::filesystem::remove_all(path_, ignored);
}

std::string Draft::path(const std::string& name) const { return path_join(path_, name); }

std::string Draft::target(const std::string& name) const { return path_join(target_, name); }

void Draft::make_folder(const std::string& name) const {
  if (::mkdir(path(name).c_str(), 0777) != 0) throw IoError("cannot be created", {.path = target(name)}, errno);
}

void make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) != 0) throw IoError("cannot be created", {.path = path}, errno);
}

void exchange_names(const std::string& a, const std::string& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) != 0) {
    throw IoError("cannot be replaced", {.path = b}, errno);
  }
}

void publish(const std::string& draft, const std::string& folder, const std::vector<std::string>& names,
             bool overwrite) {
  struct Move {
    std::string from, to;
    bool exchanged;
  };
  std::vector<Move> done;
  try {
    for (const auto& name : names) {
      Move move{.from = path_join(draft, name), .to = path_join(folder, name), .exchanged = false};
      struct stat made = {}, old = {};
      if (::lstat(move.from.c_str(), &made) != 0) throw IoError("cannot be found again", {.path = move.from}, errno);
      move.exchanged = overwrite && ::lstat(move.to.c_str(), &old) == 0;
      if (move.exchanged && S_ISDIR(made.st_mode) != S_ISDIR(old.st_mode)) {
        throw IoError(
            S_ISDIR(old.st_mode) ? "is a folder, the name of a file expected" : "is a file, a folder expected",
            {.path = move.to});
      }
      if (move.exchanged) {
        exchange_names(move.from, move.to);
      } else {
        rename_to(move.from, move.to, false);
      }
      done.push_back(std::move(move));
    }
  } catch (const IoError&) {
    for (auto move = done.rbegin(); move != done.rend(); ++move) {
      try {
        if (move->exchanged) {
          exchange_names(move->from, move->to);
        } else {
          rename_to(move->to, move->from, false);
        }
      } catch (const IoError&) {  // what cannot be taken back stays; the first error is the one to tell
      }
    }
    throw;
  }
  sync_folder_of(path_join(folder, names.at(0)));
}

}  // namespace tacore
