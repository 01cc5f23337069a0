#include "tortilla/write/stored_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "format/tortilla_names.hpp"
#include "io/open_uninterrupted.hpp"
#include "net/storage.hpp"
#include "tacore/error.hpp"
#include "writer/copy_payload.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tree_sources.hpp"
#include "writer/write_options.hpp"

namespace tacore::v1 {
namespace {

constexpr std::ptrdiff_t kFreeSpace = 42;

Header parse(const std::vector<std::byte>& head, uint64_t size, const std::string& path) {
  try {
    return parse_header(head, size);
  } catch (const FormatError& error) {
    throw FormatError(error.message(), {.path = path, .offset = error.context().offset});
  }
}

class OpenDescriptor {
 public:
  explicit OpenDescriptor(const std::string& path)
      : file_{.descriptor = open_uninterrupted(path.c_str(), O_RDONLY | O_CLOEXEC), .name = path} {
    if (file_.descriptor < 0) throw IoError("cannot open", {.path = path}, errno);
  }
  ~OpenDescriptor() { ::close(file_.descriptor); }
  OpenDescriptor(const OpenDescriptor&) = delete;
  OpenDescriptor& operator=(const OpenDescriptor&) = delete;

  const OpenFile& file() const { return file_; }

 private:
  OpenFile file_;
};

}  // namespace

StoredFile::StoredFile(const std::string& path)
    : path_(path),
      source_(any_storage()->open(path)),
      head_(source_->read({0, std::min(source_->size(), kHeaderSize)})),
      header_(parse(head_, source_->size(), path)) {}

std::vector<std::byte> StoredFile::with_free_space(std::vector<std::byte> header) const {
  std::copy(head_.begin() + kFreeSpace, head_.end(), header.begin() + kFreeSpace);
  return header;
}

std::string StoredFile::collection() const {
  if (!header_.collection) return "";
  const Bytes bytes = source_->read(*header_.collection);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

StoredTable StoredFile::footer() const {
  const ErrorContext where{.path = path_, .offset = {}, .level = 0};
  StoredTable out = read_stored_table(slice(source_, header_.footer), where);
  const auto offsets = whole_numbers(*out.table, names::kOffset, where);
  const auto lengths = whole_numbers(*out.table, names::kLength, where);
  const auto end = static_cast<int64_t>(header_.footer.offset);
  for (std::size_t row = 0; row < offsets.size(); ++row) {
    const int64_t offset = offsets[row], length = lengths[row];
    if (offset >= static_cast<int64_t>(kHeaderSize) && length >= 0 && offset <= end && length <= end - offset) continue;
    throw FormatError("row " + std::to_string(row) + ": " + std::to_string(length) + " bytes at " +
                          std::to_string(offset) + " are outside of the data, bytes 200 to " + std::to_string(end),
                      where);
  }
  return out;
}

void StoredFile::give_permissions(const OutputFile& file) const { file.take_permissions(OpenDescriptor(path_).file()); }

void StoredFile::copy(const ByteRange& range, const OutputFile& file, uint64_t to,
                      const std::function<void(uint64_t num_bytes)>& tell) const {
  if (source_->is_local()) return file.copy(OpenDescriptor(path_).file(), range.offset, to, range.size, tell);
  const Payload bytes = part_of(remote_payload(source_, path_), range);
  const RemoteCopy copy{.payload = &bytes, .begin = to};
  std::mutex mutex;
  copy_remote({&copy, 1}, kDefaultConcurrentRequests,
              [&](std::size_t, uint64_t offset, std::span<const std::byte> piece) {
                file.write(offset, piece);
                const std::lock_guard lock(mutex);
                tell(piece.size());
              });
}

void check_generation(const StoredFile& file) {
  if (!file.header().file_format) return;
  throw ValidationError("is of the generation before 0.5.0, whose footer lacks tortilla:file_format",
                        {.path = file.path()});
}

}  // namespace tacore::v1
