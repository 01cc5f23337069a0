#include "table/id_index.hpp"

#include <arrow/array.h>
#include <parquet/types.h>
#include <parquet/xxhasher.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/crc32.hpp"
#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "table/cells.hpp"

namespace tacore {
namespace {

// The first bits of a hash are a slot; there are 32 to 64 slots for each id, so that another id rarely has the same. A
// bucket has the slots with the same first bits: the gaps between those that are taken, in a Rice code, each with the
// number of a block.
constexpr int kHashBits = 40, kBlockBits = 24;  // of an entry in memory
constexpr int kBitsOfGap = 5;                   // in binary; the others are in unary
constexpr uint64_t kBucketSize = 64 * 1024;     // about; one request of a remote file
constexpr std::size_t kHead = 2 * sizeof(uint32_t);

int slot_bits(int64_t num_rows) {
  return std::min(static_cast<int>(std::bit_width(static_cast<uint64_t>(num_rows))) + kBitsOfGap, kHashBits);
}

int bits_of_block(int64_t num_rows) {
  const int64_t last = std::max<int64_t>(num_rows - 1, 0) / kRowsOfBlock;
  return static_cast<int>(std::bit_width(static_cast<uint64_t>(last)));
}

/// Writes numbers of some bits, the lowest bit first.
class BitWriter {
 public:
  void put(uint64_t value, int num_bits) {
    for (int i = 0; i < num_bits; ++i, ++size_) {
      if (size_ % 8 == 0) bytes_.push_back(std::byte{0});
      if (value >> i & 1) bytes_.back() |= std::byte{1} << (size_ % 8);
    }
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_ = {};
  uint64_t size_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  /// At most 32 bits.
  uint64_t get(int num_bits) {
    const uint64_t out = peek() & ((uint64_t{1} << num_bits) - 1);
    skip(num_bits);
    return out;
  }
  /// The number of bits 1 before the next 0, which is read, too.
  uint64_t unary() {
    uint64_t out = 0;
    for (;;) {
      const int ones = std::min(std::countr_one(peek()), 32);
      out += static_cast<uint64_t>(ones);
      skip(ones < 32 ? ones + 1 : ones);
      if (ones < 32) return out;
    }
  }

 private:
  /// 57 bits at least, as far as there are any; zeros behind them.
  uint64_t peek() const {
    uint64_t out = 0;
    const auto rest = bytes_.subspan(std::min<std::size_t>(at_ / 8, bytes_.size()));
    std::memcpy(&out, rest.data(), std::min(rest.size(), sizeof out));
    if constexpr (std::endian::native == std::endian::big) out = __builtin_bswap64(out);
    return out >> (at_ % 8);
  }
  void skip(int num_bits) {
    at_ += static_cast<uint64_t>(num_bits);
    if (at_ > bytes_.size() * 8) throw FormatError("id index ends early");
  }

  std::span<const std::byte> bytes_;
  uint64_t at_ = 0;
};

uint32_t crc_of(uint32_t salt, uint64_t bucket, std::span<const std::byte> bytes) {
  FieldWriter number;
  number.u64(bucket);
  const auto head = number.take();
  return crc32(bytes, crc32(head, salt));
}

}  // namespace

uint64_t hash_of_id(std::string_view id) {
  static const parquet::XxHasher hasher;
  const parquet::ByteArray text(static_cast<uint32_t>(id.size()), reinterpret_cast<const uint8_t*>(id.data()));
  return hasher.Hash(&text);
}

std::string IdIndex::encode() const {
  return "1 " + std::to_string(offset) + " " + std::to_string(bucket_size) + " " + std::to_string(bucket_bits) + " " +
         std::to_string(num_rows) + " " + std::to_string(salt);
}

IdIndex IdIndex::parse(std::string_view text) {
  std::array<uint64_t, 6> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto fail = [&]() -> void {
    throw FormatError(in_quotes(std::string(kIdsKey)) + " is " + in_quotes(std::string(text)) +
                      "; version 1 and five numbers expected");
  };
  for (uint64_t& number : numbers) {
    const bool is_first = &number == numbers.data();
    if (!is_first && (at == end || *at++ != ' ')) fail();
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) fail();
    at = next;
  }
  const auto [version, offset, bucket_size, bucket_bits, num_rows, salt] = numbers;
  if (at != end || version != 1 || num_rows > static_cast<uint64_t>(kRowsOfBlock) << kBlockBits || salt > UINT32_MAX ||
      bucket_size < kHead || bucket_bits > static_cast<uint64_t>(slot_bits(static_cast<int64_t>(num_rows))))
    fail();
  return {offset, bucket_size, static_cast<int>(bucket_bits), static_cast<int64_t>(num_rows),
          static_cast<uint32_t>(salt)};
}

ByteRange IdIndex::bucket_of(uint64_t hash) const {
  const uint64_t bucket = bucket_bits == 0 ? 0 : hash >> (64 - bucket_bits);
  return {offset + bucket * bucket_size, bucket_size};
}

std::vector<int64_t> IdIndex::blocks_of(uint64_t hash, std::span<const std::byte> bucket) const {
  const uint64_t number = bucket_bits == 0 ? 0 : hash >> (64 - bucket_bits);
  Cursor head(bucket, "id index");
  if (head.u32() != crc_of(salt, number, bucket.subspan(sizeof(uint32_t))))
    throw FormatError("bucket " + std::to_string(number) + " of its id index is damaged, or of another index");
  const uint32_t num_entries = head.u32();
  BitReader bits(bucket.subspan(kHead));
  const int num_bits = slot_bits(num_rows), block_bits = bits_of_block(num_rows);
  const uint64_t wanted = hash >> (64 - num_bits);
  std::vector<int64_t> out;
  uint64_t slot = number << (num_bits - bucket_bits);
  for (uint32_t i = 0; i < num_entries && slot <= wanted; ++i) {
    const uint64_t more = bits.unary();
    slot += more << kBitsOfGap | bits.get(kBitsOfGap);
    const auto block = static_cast<int64_t>(bits.get(block_bits));
    if (slot == wanted) out.push_back(block);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void IdIndexBuilder::add(const arrow::Array& ids) {
  for (int64_t row = 0; row < ids.length(); ++row) {
    if (const auto id = text_cell(ids, row)) {
      add(*id);
    } else {
      ++num_rows_;
    }
  }
}

uint64_t IdIndexBuilder::entry(uint64_t hash, int64_t block) {
  return hash >> (64 - kHashBits) << kBlockBits | static_cast<uint64_t>(block);
}

std::optional<std::pair<IdIndex, std::vector<std::byte>>> IdIndexBuilder::finish(uint64_t offset) {
  if (num_rows_ / kRowsOfBlock >= int64_t{1} << kBlockBits) return std::nullopt;
  const int num_bits = slot_bits(num_rows_), block_bits = bits_of_block(num_rows_);
  std::ranges::sort(entries_);
  entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  // Two bits of a gap are in unary, on average.
  const uint64_t num_bytes = entries_.size() * static_cast<uint64_t>(kBitsOfGap + 2 + block_bits) / 8;
  IdIndex out{.offset = offset, .num_rows = num_rows_};
  while (num_bytes >> out.bucket_bits > kBucketSize && out.bucket_bits < num_bits) ++out.bucket_bits;
  out.salt = crc32(std::as_bytes(std::span(entries_)));

  const auto slot_of = [&](uint64_t entry) { return entry >> (64 - num_bits); };
  std::vector<std::vector<std::byte>> buckets;
  auto at = entries_.begin();
  for (uint64_t bucket = 0; bucket < uint64_t{1} << out.bucket_bits; ++bucket) {
    BitWriter bits;
    uint64_t slot = bucket << (num_bits - out.bucket_bits);
    uint32_t num_entries = 0;
    for (; at != entries_.end() && slot_of(*at) >> (num_bits - out.bucket_bits) == bucket; ++at, ++num_entries) {
      const uint64_t gap = slot_of(*at) - slot;
      for (uint64_t one = gap >> kBitsOfGap; one > 0; --one) bits.put(1, 1);
      bits.put(0, 1);
      bits.put(gap & ((1 << kBitsOfGap) - 1), kBitsOfGap);
      bits.put(*at & ((uint64_t{1} << kBlockBits) - 1), block_bits);
      slot += gap;
    }
    FieldWriter fields;
    fields.u32(num_entries);
    fields.bytes(bits.take());
    buckets.push_back(fields.take());
    out.bucket_size = std::max<uint64_t>(out.bucket_size, sizeof(uint32_t) + buckets.back().size());
  }
  entries_ = {};
  if (out.bucket_size > 2 * kBucketSize) return std::nullopt;
  FieldWriter all;
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    buckets[bucket].resize(out.bucket_size - sizeof(uint32_t));
    all.u32(crc_of(out.salt, bucket, buckets[bucket]));
    all.bytes(buckets[bucket]);
  }
  return std::pair{out, all.take()};
}

}  // namespace tacore
