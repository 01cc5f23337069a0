#include "io/proved_here.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/sha256.hpp"
#include "io/vsi_path.hpp"

namespace tacore {
namespace {

/// The file that stands for a fact; "" where there is no cache.
std::string file_of(const std::string& fact) {
  const std::string folder = user_cache();
  return folder.empty() ? "" : path_join(folder, "proved/" + hex(sha256(std::as_bytes(std::span(fact)))));
}

std::string text(const timespec& time) { return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec); }

}  // namespace

std::string user_cache() {
  const auto environment = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const auto given = environment("XDG_CACHE_HOME"); given.starts_with('/')) return path_join(given, "tacore");
  if (const auto home = environment("HOME"); home.starts_with('/')) return path_join(home, ".cache/tacore");
  return "";
}

std::string stamp_of(const struct stat& file) {
  std::string out;
  for (const auto number :
       {static_cast<uint64_t>(file.st_dev), static_cast<uint64_t>(file.st_ino), static_cast<uint64_t>(file.st_size)}) {
    out += std::to_string(number) + " ";
  }
  return out + text(file.st_mtim) + " " + text(file.st_ctim) + "\n";
}

std::optional<std::string> stamp_of(std::span<const std::string> files) {
  std::string out;
  for (const std::string& file : files) {
    struct stat found = {};
    if (is_remote(file) || ::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
    out += stamp_of(found);
  }
  return out;
}

bool remember_proved(const std::string& fact) {
  const std::string file = file_of(fact);
  if (file.empty()) return false;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (made < 0) return errno == EEXIST && is_proved_here(fact);
  ::close(made);
  return true;
}

bool is_proved_here(const std::string& fact) {
  const std::string file = file_of(fact);
  struct stat found = {};
  return !file.empty() && ::lstat(file.c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid();
}

}  // namespace tacore
