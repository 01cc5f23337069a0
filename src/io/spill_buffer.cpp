#include "io/spill_buffer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "io/linux.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

std::atomic<uint64_t> num_in_memory = 0;

/// The bytes of spilled() that are in one buffer.
constexpr std::size_t kBytesOfPiece = 4 << 20;

std::string folder_of(const std::string& temp_dir) {
  if (!temp_dir.empty()) return temp_dir;
  const char* system = std::getenv("TMPDIR");
  return system != nullptr && *system != '\0' ? system : "/tmp";
}

}  // namespace

/// The bytes of many samples in sequence, in an anonymous (unlinked) file. The space of a sample is given back to the
/// disk when the sample is destroyed.
class SpillFile {
 public:
  /// The file in `folder`; all samples share it while any of them exists.
  static std::shared_ptr<SpillFile> in(const std::string& folder) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<SpillFile>> files;
    const std::lock_guard lock(mutex);
    auto out = files[folder].lock();
    if (!out || out->owner_ != ::getpid()) files[folder] = out = std::make_shared<SpillFile>(folder);
    return out;
  }

  explicit SpillFile(const std::string& folder) : folder_(folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw IoError("cannot be created", {.path = folder}, failed.value());
    std::string name = folder + "/tacore-XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) throw IoError("no temporary file can be created in this folder", {.path = folder}, errno);
    ::unlink(name.c_str());
  }
  ~SpillFile() { ::close(descriptor_); }
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  uint64_t append(std::span<const std::byte> bytes) {
    uint64_t begin = 0;
    {
      const std::lock_guard lock(mutex_);
      begin = end_;
      end_ += bytes.size();
    }
    for (uint64_t at = begin; !bytes.empty();) {
      const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw IoError("temporary file cannot be written", {.path = folder_}, errno);
      at += static_cast<uint64_t>(count);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return begin;
  }

  void read(uint64_t at, std::span<std::byte> out) const {
    while (!out.empty()) {
      const ssize_t count = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(at));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw IoError("temporary file cannot be read", {.path = folder_}, count < 0 ? errno : EIO);
      at += static_cast<uint64_t>(count);
      out = out.subspan(static_cast<std::size_t>(count));
    }
  }

  void release(uint64_t begin, uint64_t size) noexcept {
    if (size == 0 || owner_ != ::getpid()) return;  // a forked child shares the file with its parent
    free_disk_space(descriptor_, begin, size);
  }

 private:
  std::string folder_;
  const pid_t owner_ = ::getpid();
  int descriptor_ = -1;
  std::mutex mutex_;
  uint64_t end_ = 0;
};

SpillBuffer::SpillBuffer(Bytes bytes, const std::string& temp_dir) : size_(bytes.size()) {
  if (num_in_memory.fetch_add(size_) + size_ <= kMaxInMemory) {
    bytes_ = std::move(bytes);
    bytes_.shrink_to_fit();
    return;
  }
  num_in_memory -= size_;
  file_ = SpillFile::in(folder_of(temp_dir));
  offset_ = file_->append(bytes);
}

SpillBuffer::~SpillBuffer() {
  if (file_) {
    file_->release(offset_, size_);
  } else {
    num_in_memory -= size_;
  }
}

void SpillBuffer::read(uint64_t offset, std::span<std::byte> out) const {
  if (file_) return file_->read(offset_ + offset, out);
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
}

namespace {

class SpilledBytes final : public ByteSource {
 public:
  explicit SpilledBytes(std::string name) : name_(std::move(name)) {}

  void append(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), kBytesOfPiece - last_.size()));
      last_.insert(last_.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (last_.size() == kBytesOfPiece)
        pieces_.push_back(std::make_unique<const SpillBuffer>(std::exchange(last_, {}), ""));
    }
  }

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return size_; }
  bool is_local() const noexcept override { return true; }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    while (!out.empty()) {
      const std::size_t piece = offset / kBytesOfPiece, skip = offset % kBytesOfPiece;
      const auto part = out.first(std::min(out.size(), kBytesOfPiece - skip));
      if (piece < pieces_.size()) {
        pieces_[piece]->read(skip, part);
      } else {
        std::ranges::copy(std::span(last_).subspan(skip, part.size()), part.begin());
      }
      offset += part.size();
      out = out.subspan(part.size());
    }
  }

 private:
  std::string name_;
  uint64_t size_ = 0;
  std::vector<std::unique_ptr<const SpillBuffer>> pieces_ = {};  ///< of kBytesOfPiece bytes each
  Bytes last_ = {};
};

}  // namespace

std::shared_ptr<const ByteSource> spilled(
    std::string name, const std::function<void(const std::function<void(std::span<const std::byte>)>& out)>& write) {
  auto out = std::make_shared<SpilledBytes>(std::move(name));
  write([&](std::span<const std::byte> bytes) { out->append(bytes); });
  return out;
}

}  // namespace tacore
