#pragma once

#include <cstdint>
#include <vector>

#include "tacore/dataframe.hpp"

namespace tacore::mutate {

/// A number inside a structure of Thrift's compact protocol, which Parquet footers and page headers are written in.
struct ThriftNumber {
  enum class Sort { Integer, Length, List } sort = Sort::Integer;
  uint64_t at = 0;    ///< where it is stored
  uint64_t size = 0;  ///< in so many bytes
  int depth = 0;      ///< of structures around it
  int field = 0;      ///< in the innermost structure
  int64_t value = 0;
  std::byte header = {};  ///< of a list: its element type
};

struct ThriftStruct {
  std::vector<ThriftNumber> numbers = {};
  uint64_t size = 0;
};

/// Walks the structure at `at`. Throws std::out_of_range where it is cut.
ThriftStruct walk_thrift(const Bytes& bytes, uint64_t at);

/// The bytes of a number with another value.
Bytes encode(const ThriftNumber& number, int64_t value);

}  // namespace tacore::mutate
