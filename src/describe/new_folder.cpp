#include "describe/new_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/interrupt.hpp"
#include "io/entry_at.hpp"
#include "io/linux.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore::descriptions {
namespace {

constexpr std::size_t kEnough = 1 << 16;  // bytes of one write

[[noreturn]] void fail_at(const std::string& what, const std::string& path) {
  throw IoError(what, {.path = path}, errno);
}

}  // namespace

PlainFile::PlainFile(const std::string& path, std::string target) : target_(std::move(target)) {
  descriptor_ = open_uninterrupted(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_at("cannot be created", target_);
}

PlainFile::~PlainFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PlainFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() > kEnough) flush();
}

void PlainFile::close() {
  flush();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_at("cannot be written", target_);
}

void PlainFile::flush() {
  for (std::string_view rest = buffer_; !rest.empty();) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_at("cannot be written", target_);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

NewFolder::NewFolder(std::string target, bool overwrite, const char* ours,
                     const std::function<bool(const std::string&)>& is_ours)
    : target_(without_slashes(std::move(target))) {
  const auto found = entry_at(target_);
  exists_ = found.has_value();
  if (exists_ && !overwrite) throw IoError("exists already", {.path = target_});
  if (exists_ && (!S_ISDIR(found->st_mode) || !is_ours(target_))) {
    throw IoError(std::string("is not ") + ours + "; nothing else is replaced", {.path = target_});
  }
  draft_ = make_temporary(target_, {}, true);
}

NewFolder::~NewFolder() {
  std::error_code ignored;  // nothing can be done about what cannot be removed
  std::filesystem::remove_all(draft_.path, ignored);
  ::close(draft_.descriptor);
}

void NewFolder::make_folder(const std::string& name) const {
  if (::mkdir(path_join(draft_.path, name).c_str(), 0777) != 0) fail_at("cannot be created", target_);
}

PlainFile NewFolder::file(const std::string& name) const {
  return {path_join(draft_.path, name), path_join(target_, name)};
}

void NewFolder::remove(const std::string& name) const {
  std::error_code error;
  std::filesystem::remove_all(path_join(draft_.path, name), error);
  if (error) throw IoError("cannot be removed", {.path = path_join(target_, name)}, error.value());
}

void NewFolder::publish() const {
  sync_file_system(draft_.descriptor, target_);
  throw_if_interrupted();
  if (exists_) {
    exchange_names(draft_.path, target_);  // the old folder is removed with the draft
  } else {
    rename_to(draft_.path, target_, false);
  }
  sync_folder_of(target_);
}

}  // namespace tacore::descriptions
