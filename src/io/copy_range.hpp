#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tacore {

/// A file that is open, and its name for messages.
struct OpenFile {
  int descriptor = -1;
  const std::string& name;
};

/// Makes `size` bytes of `from` those of `to`. Whole blocks become shared where the file system can do that, else the
/// kernel copies, else they are read and written: each where the one before is refused. `tell` hears of each piece how
/// large it was, and may throw, which stops the work. Throws IoError, also when `from` ends before.
void copy_range(const OpenFile& from, uint64_t from_offset, const OpenFile& to, uint64_t to_offset, uint64_t size,
                const std::function<void(uint64_t num_bytes)>& tell);

}  // namespace tacore
