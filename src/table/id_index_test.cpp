#include "table/id_index.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "support/counting.hpp"
#include "support/table_files.hpp"
#include "table/parquet_write.hpp"

namespace tacore {
namespace {

std::string numbered_id(int64_t number) { return "sample_" + std::to_string(number * 7919 % 1000003); }

struct MadeIndex {
  IdIndex index;
  std::vector<std::byte> bytes;

  std::span<const std::byte> bucket(uint64_t hash) const {
    const ByteRange range = index.bucket_of(hash);
    return std::span(bytes).subspan(range.offset - index.offset, range.size);
  }
  std::vector<int64_t> blocks_of(const std::string& id) const {
    return index.blocks_of(hash_of_id(id), bucket(hash_of_id(id)));
  }
};

template <class Name>
MadeIndex made_index(int64_t num_rows, const Name& name) {
  IdIndexBuilder builder;
  for (int64_t row = 0; row < num_rows; ++row) builder.add(name(row));
  auto made = builder.finish(1000);
  REQUIRE(made);
  return {made->first, std::move(made->second)};
}

bool has_block(const std::vector<int64_t>& blocks, int64_t block) { return std::ranges::binary_search(blocks, block); }

}  // namespace

TEST_CASE("an id index leads to the block of each id, and rarely to another") {
  for (const int64_t num_rows : {int64_t{1}, int64_t{2}, kRowsOfBlock, kRowsOfBlock + 1, int64_t{300'000}}) {
    CAPTURE(num_rows);
    const MadeIndex made = made_index(num_rows, numbered_id);
    CHECK(IdIndex::parse(made.index.encode()).encode() == made.index.encode());
    // Each asks for a whole bucket to be decoded, so of many ids some are asked for, of all blocks and buckets.
    const int64_t step = num_rows < 100 ? 1 : num_rows < 100'000 ? 7 : 97;
    int64_t num_missed = 0, num_others = 0, num_asked = 0;
    for (int64_t row = 0; row < num_rows; row += step) {
      const auto blocks = made.blocks_of(numbered_id(row));
      num_missed += has_block(blocks, row / kRowsOfBlock) ? 0 : 1;
      num_others += static_cast<int64_t>(blocks.size()) - 1;
      ++num_asked;
    }
    CHECK(num_missed == 0);
    CHECK(num_others * 16 <= num_asked);
    int num_found = 0;
    for (int i = 0; i < 1000; ++i) num_found += made.blocks_of("other_" + std::to_string(i)).empty() ? 0 : 1;
    CHECK(num_found < 1000 / 16);
  }
  CHECK(made_index(300'000, numbered_id).bytes.size() < 300'000 * 2.5);
}

TEST_CASE("an id of several rows leads to the block of each") {
  const MadeIndex made =
      made_index(5 * kRowsOfBlock, [](int64_t row) { return row % 3 == 0 ? "same" : numbered_id(row); });
  CHECK(made.blocks_of("same") == std::vector<int64_t>{0, 1, 2, 3, 4});
  CHECK(made_index(5 * kRowsOfBlock, [](int64_t) { return "same"; }).blocks_of("same").size() == 5);
}

TEST_CASE("a bucket that is damaged, of another place or of another index is refused") {
  const MadeIndex made = made_index(300'000, numbered_id),
                  other = made_index(300'000, [](int64_t row) { return numbered_id(row + 1); });
  REQUIRE(made.index.bucket_bits > 0);
  const uint64_t hash = hash_of_id(numbered_id(5));
  CHECK_THROWS_AS((void)made.index.blocks_of(hash, other.bucket(hash)), FormatError);
  CHECK_THROWS_AS((void)made.index.blocks_of(hash, made.bucket(~hash)), FormatError);
  CHECK_THROWS_AS((void)made.index.blocks_of(hash, {}), FormatError);
  CHECK_THROWS_AS((void)made.index.blocks_of(hash, made.bucket(hash).first(made.index.bucket_size - 1)), FormatError);
  std::vector<std::byte> bad(made.bucket(hash).begin(), made.bucket(hash).end());
  for (std::size_t at = 0; at < bad.size(); at += 97) {
    bad[at] ^= std::byte{0x20};
    CHECK_THROWS_AS((void)made.index.blocks_of(hash, bad), FormatError);
    bad[at] ^= std::byte{0x20};
  }
}

TEST_CASE("the key of an id index has no other form") {
  const std::string good = IdIndex{.offset = 4, .bucket_size = 60, .bucket_bits = 1, .num_rows = 9, .salt = 7}.encode();
  CHECK(good == "1 4 60 1 9 7");
  for (const char* bad : {"", "1", "2 4 60 1 9 7", "1 4 60 1 9", "1 4 60 1 9 7 ", "1 4 60 1 9 7 8", "1  4 60 1 9 7",
                          "1 4 60 1 9 -7", "1 4 60 1 9 x", "1 4 7 1 9 7", "1 4 60 40 9 7", "1 4 60 1 9 4294967296",
                          "1 4 60 1 99999999999999 7", "1 4 60 1 99999999999999999999999 7"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(IdIndex::parse(bad), FormatError);
  }
}

TEST_CASE("a row of a server is found by its id in three questions, which also bring what locates its data") {
  constexpr int64_t kNumRows = 100'000;
  std::vector<std::optional<std::string>> names, types(kNumRows, "FILE"), notes;
  std::vector<std::optional<int64_t>> offsets, sizes;
  for (int64_t row = 0; row < kNumRows; ++row) {
    names.emplace_back(row == 70'000 ? "sample_0" : numbered_id(row));  // of two samples
    notes.emplace_back("note " + std::to_string(row * 7919 % 99991));
    offsets.emplace_back(row * 1000);
    sizes.emplace_back(row % 1000);
  }
  const auto table = table_of({{"id", texts(names)},
                               {"type", texts(types)},
                               {"note", texts(notes)},
                               {"internal:offset", integers(offsets)},
                               {"internal:size", integers(sizes)}});
  const auto source =
      std::make_shared<CountingSource>(encode_parquet(*table, {.row_group_size = 30'000, .id_index = true}));
  const auto level = LevelTable::open(source, {.path = "level"});
  CHECK(level->find_id("sample_0") == std::vector<int64_t>{0, 70'000});
  const auto column = [&](const char* name) { return level->find(name); };
  for (const int64_t row : {int64_t{8191}, int64_t{8192}, int64_t{45'678}, kNumRows - 1}) {
    CAPTURE(row);
    source->num_questions = 0;
    source->num_bytes = 0;
    CHECK(level->find_id(numbered_id(row)) == std::vector{row});
    CHECK(level->text(column("type"), row) == "FILE");
    CHECK(level->integer(column("internal:offset"), row) == row * 1000);
    CHECK(level->integer(column("internal:size"), row) == row % 1000);
    CHECK(source->num_questions <= 3);
    CHECK(source->num_bytes * 4 < source->size());
    CHECK(level->text(column("note"), row) == notes[static_cast<std::size_t>(row)]);
  }
  source->num_questions = 0;
  CHECK(level->find_id("nothing").value().empty());
  CHECK(source->num_questions <= 1);
  // More lookups than the table keeps pages of.
  for (int64_t row = 3001; row < kNumRows; row += 3001) CHECK(level->find_id(numbered_id(row)).value().back() == row);
  for (int64_t row = 3001; row < kNumRows; row += 3001)
    CHECK(level->integer(column("internal:offset"), row) == row * 1000);
}

}  // namespace tacore
