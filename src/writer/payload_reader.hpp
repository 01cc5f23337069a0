#pragma once

#include <span>

#include "writer/tree.hpp"

namespace tacore {

/// Reads the bytes of a FILE from its start, in pieces. Throws IoError where they cannot be read, and when the file
/// changed its size since the layout was planned, which makes offsets wrong.
class PayloadReader {
 public:
  explicit PayloadReader(const Payload& payload);
  ~PayloadReader();
  PayloadReader(const PayloadReader&) = delete;
  PayloadReader& operator=(const PayloadReader&) = delete;

  /// Fills `out` with the next bytes; a remote file takes one request.
  void read(std::span<std::byte> out);
  /// Skips at most `most` bytes of a hole of a sparse file, and returns how many.
  uint64_t skip_hole(uint64_t most);
  /// Call it when all bytes were read. Throws IoError when the file has more.
  void finish();

 private:
  const Payload& payload_;
  uint64_t position_ = 0;
  int descriptor_ = -1;
  std::shared_ptr<const ByteSource> source_ = {};  ///< a remote file
};

}  // namespace tacore
