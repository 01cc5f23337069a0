#pragma once

#include <arrow/type_fwd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/error.hpp"

/// The id index of a level: in which rows an id may be, without the ids. It lies in the Parquet file of the level,
/// before its last row group, and a key of the footer says where (docs/format.md).
namespace tacore {

inline constexpr const char* kIdsKey = "tacore:ids";

/// The number of rows that one entry leads to: those of a page (parquet_write.cpp).
inline constexpr int64_t kRowsOfBlock = 8192;

/// The hash of an id: XXH64, as in the Bloom filters of Parquet.
uint64_t hash_of_id(std::string_view id);

/// The description of an id index in the footer. The index consists of buckets of equal size; the first bits of the
/// hash of an id are the number of its bucket.
struct IdIndex {
  uint64_t offset = 0;       ///< in the file
  uint64_t bucket_size = 0;  ///< in bytes
  int bucket_bits = 0;       ///< as many bits of the hash number the bucket
  int64_t num_rows = 0;      ///< of the level
  uint32_t salt = 0;         ///< differs between the indexes of different ids: the buckets of another do not fit

  std::string encode() const;
  /// Throws FormatError for a text that encode() does not make.
  static IdIndex parse(std::string_view text);

  /// The bytes of the bucket that has the ids of this hash.
  ByteRange bucket_of(uint64_t hash) const;
  /// The numbers of the blocks of kRowsOfBlock rows that may have an id of this hash, ascending, by the bytes of its
  /// bucket: a block that has none is among them about once in 32 times. Throws FormatError for bytes of another index
  /// or bucket.
  std::vector<int64_t> blocks_of(uint64_t hash, std::span<const std::byte> bucket) const;
};

/// Makes an id index of the ids of a level, in their order. Takes 8 bytes of memory for each id, and finish() about 5
/// more.
class IdIndexBuilder {
 public:
  void add(std::string_view id) { entries_.push_back(entry(hash_of_id(id), num_rows_++ / kRowsOfBlock)); }
  /// The ids of a column of text. A row without id has none in the index.
  void add(const arrow::Array& ids);
  /// The index at `offset` of a file, and its bytes, once. nullopt where buckets would take much more than their ids,
  /// because many hashes are equal.
  std::optional<std::pair<IdIndex, std::vector<std::byte>>> finish(uint64_t offset);

 private:
  static uint64_t entry(uint64_t hash, int64_t block);

  std::vector<uint64_t> entries_ = {};
  int64_t num_rows_ = 0;
};

}  // namespace tacore
