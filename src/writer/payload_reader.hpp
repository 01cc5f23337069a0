#pragma once

#include <span>

#include "writer/tree.hpp"

namespace tacore {

/// Reads the bytes of a FILE from its start, in pieces. Throws IoError where they cannot be read, and where the file is
/// no longer as long as the plan has it: offsets stand on that.
class PayloadReader {
 public:
  explicit PayloadReader(const Payload& payload);
  ~PayloadReader();
  PayloadReader(const PayloadReader&) = delete;
  PayloadReader& operator=(const PayloadReader&) = delete;

  /// Fills `out` with the next bytes; of a remote file in one request.
  void read(std::span<std::byte> out);
  /// Skips zero bytes that the file system does not store, `most` of them at most, and returns how many.
  uint64_t skip_hole(uint64_t most);
  /// To be called when everything was read: there must be no more. Throws IoError.
  void finish();

 private:
  const Payload& payload_;
  uint64_t position_ = 0;
  int descriptor_ = -1;
  std::shared_ptr<const ByteSource> source_ = {};  ///< a remote file
};

}  // namespace tacore
