#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tacore {

/// An open file, and its name for messages.
struct OpenFile {
  int descriptor = -1;
  const std::string& name;
};

/// Copies `size` bytes from one file to another. Whole blocks are shared (reflink) where the file system supports that,
/// else the kernel copies them, else they are read and written. `tell` is called with the size of each piece; it may
/// throw, which stops the copy. Throws IoError, also when `from` is too short.
void copy_range(const OpenFile& from, uint64_t from_offset, const OpenFile& to, uint64_t to_offset, uint64_t size,
                const std::function<void(uint64_t num_bytes)>& tell);

}  // namespace tacore
