#include "tacore/plumbing/apart.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

namespace fs = std::filesystem;

/// The identity of a file or folder, which may have several names.
using Identity = std::pair<dev_t, ino_t>;

/// nullopt for an absent file. `about`: the output or input, for messages. Throws IoError.
std::optional<Identity> identity(const std::string& path, const std::string& about) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) return Identity{status.st_dev, status.st_ino};
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw IoError("cannot stat" + (path == about ? "" : " " + tacore::quoted(path)), {.path = about}, errno);
}

/// The folders above the path, from the nearest one that exists.
std::vector<Identity> folders_around(const std::string& path) {
  fs::path at = fs::absolute(path.empty() ? "." : path);
  std::vector<Identity> out;
  const auto real = [&] {
    return std::unique_ptr<char, decltype(&std::free)>(::realpath(at.c_str(), nullptr), std::free);
  };
  auto found = real();
  for (; !found; found = real()) {
    if (errno != ENOENT && errno != ENOTDIR) throw IoError("cannot resolve its symbolic links", {.path = path}, errno);
    if (at == at.root_path()) return out;
    at = at.parent_path();
    if (const auto here = identity(at.string(), path)) out.push_back(*here);
  }
  for (at = found.get(); at != at.root_path();) {
    at = at.parent_path();
    if (const auto here = identity(at.string(), path)) out.push_back(*here);
  }
  return out;
}

bool holds(const std::vector<Identity>& folders, const std::optional<Identity>& folder) {
  return folder && std::find(folders.begin(), folders.end(), *folder) != folders.end();
}

std::string local_file(const std::string& path) {
  return path.starts_with("/vsisubfile/") ? parse_vsi_subfile(path).root : path;
}

}  // namespace

void require_apart(const std::string& output, const std::vector<std::string>& inputs) {
  const auto out = identity(output, output);
  const auto around = folders_around(output);
  std::map<std::string, bool> contained;  // for each folder of an input
  for (const std::string& input : inputs) {
    const std::string path = local_file(input);
    const auto in = is_remote(path) ? std::nullopt : identity(path, path);
    if (!in) continue;
    const auto refuse = [&](const char* how) {
      throw ValidationError(
          "the output " + std::string(how) + " " + tacore::quoted(path) + ", which is an input; choose another path",
          {.path = output});
    };
    if (out == in) refuse("is");
    if (holds(around, in)) refuse("lies inside");
    if (!out) continue;
    const auto [found, is_new] = contained.emplace(parent_folder(path), false);
    if (is_new) found->second = holds(folders_around(path), out);
    if (found->second) refuse("contains");
  }
}

}  // namespace tacore
