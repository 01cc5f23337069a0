#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "io/byte_source.hpp"

namespace tacore {

class SpillFile;

/// The bytes of a sample that has no file. They stay in memory while the process holds few of them, else they are in an
/// anonymous (unlinked) temporary file, which the system removes when the process ends. Safe from several threads.
class SpillBuffer {
 public:
  /// The limit of bytes in memory, for all samples together.
  static constexpr uint64_t kMaxInMemory = 256 << 20;

  /// `temp_dir` ("": TMPDIR or /tmp) is created if it is missing. Throws IoError.
  SpillBuffer(Bytes bytes, const std::string& temp_dir);
  ~SpillBuffer();
  SpillBuffer(const SpillBuffer&) = delete;
  SpillBuffer& operator=(const SpillBuffer&) = delete;

  uint64_t size() const noexcept { return size_; }
  bool in_memory() const noexcept { return !file_; }
  /// Fills `out` from `offset` on. Throws IoError.
  void read(uint64_t offset, std::span<std::byte> out) const;

 private:
  Bytes bytes_;
  uint64_t size_;
  std::shared_ptr<SpillFile> file_;
  uint64_t offset_ = 0;
};

/// The bytes that `write` passes on in order, as a file: in memory or in an anonymous temporary file in TMPDIR, as
/// above. `name`: for messages. Throws IoError, and what `write` throws.
std::shared_ptr<const ByteSource> spilled(
    std::string name, const std::function<void(const std::function<void(std::span<const std::byte>)>& out)>& write);

}  // namespace tacore
