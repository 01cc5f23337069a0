#include "table/parquet_pages.hpp"

#include <arrow/io/memory.h>
#include <arrow/json/from_string.h>
#include <doctest/doctest.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/support.hpp"
#include "support/table_files.hpp"

// The oracle is Arrow's own reader, which decompresses pages itself.

namespace {

using namespace tacore;

struct Writing {
  std::string codec = "zstd";
  bool second_version = false;  ///< of data pages
  bool dictionary = true;
  int64_t page_size = 512;
};

std::string written(const arrow::Table& table, const Writing& how) {
  parquet::WriterProperties::Builder properties;
  properties.compression(check(arrow::util::Codec::GetCompressionType(how.codec)));
  properties.data_page_version(how.second_version ? parquet::ParquetDataPageVersion::V2
                                                  : parquet::ParquetDataPageVersion::V1);
  properties.data_pagesize(how.page_size);
  if (!how.dictionary) properties.disable_dictionary();
  const auto out = check(arrow::io::BufferOutputStream::Create());
  check(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), out, 700, properties.build()));
  return check(out->Finish())->ToString();
}

/// The table in `file`; nullptr and `why` when the reader refuses it.
std::shared_ptr<arrow::Table> table_in(const std::string& file, bool by_arrow, std::string* why = nullptr) {
  auto* const pool = arrow::default_memory_pool();
  try {
    const auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file));
    auto opened = parquet::ParquetFileReader::Open(input);
    const auto footer = opened->metadata();
    const auto reader = by_arrow ? check(parquet::arrow::FileReader::Make(pool, std::move(opened)))
                                 : open_arrow_reader(input, pool, footer, {});
    std::vector<std::shared_ptr<arrow::Table>> groups;
    for (int group = 0; group < reader->num_row_groups(); ++group) groups.push_back(check(reader->ReadRowGroup(group)));
    const auto out = check(arrow::ConcatenateTables(groups));
    check(out->ValidateFull());
    return out;
  } catch (const std::exception& error) {
    if (why) *why = error.what();
    return nullptr;
  }
}

/// A column of every kind, with nulls and without.
std::shared_ptr<arrow::Table> every_kind(int rows) {
  std::mt19937_64 random(11);
  std::vector<std::optional<std::string>> ids, words, many_words;
  std::vector<std::optional<int64_t>> numbers, none;
  std::vector<std::optional<double>> fractions;
  std::string lists = "[", structs = "[";
  for (int i = 0; i < rows; ++i) {
    const bool is_null = random() % 5 == 0;
    ids.push_back("sample_" + std::to_string(i));
    words.push_back(is_null ? std::nullopt : std::optional(std::string(random() % 3 * 20, 'w')));
    many_words.push_back(std::to_string(random()));
    numbers.push_back(is_null ? std::nullopt : std::optional(static_cast<int64_t>(random())));
    none.emplace_back(std::nullopt);
    fractions.push_back(static_cast<double>(random() % 1000) / 8);
    const auto n = std::to_string(random() % 100);
    lists += std::string(i ? "," : "") + (is_null ? "null" : i % 3 ? "[" + n + ", null, 7]" : "[]");
    structs += std::string(i ? "," : "") + (is_null ? "null" : "{\"a\": " + n + ", \"b\": [\"x" + n + "\"]}");
  }
  const auto of = [](const std::shared_ptr<arrow::DataType>& type, const std::string& json) {
    return check(arrow::json::ArrayFromJSONString(type, json + "]"));
  };
  return table_of({{"id", texts(ids)},
                   {"words", texts(words)},
                   {"many_words", texts(many_words)},
                   {"numbers", integers(numbers)},
                   {"none", integers(none)},
                   {"fractions", reals(fractions)},
                   {"lists", of(arrow::list(arrow::int32()), lists)},
                   {"structs", of(arrow::struct_({arrow::field("a", arrow::float32()),
                                                  arrow::field("b", arrow::list(arrow::utf8()))}),
                                  structs)}});
}

}  // namespace

TEST_CASE("a file reads as by Arrow's own reader, in every codec, version of pages and encoding") {
  const auto table = every_kind(2000);
  for (const std::string codec : {"uncompressed", "snappy", "gzip", "zstd", "lz4_raw"}) {
    for (const bool second_version : {false, true}) {
      for (const bool dictionary : {false, true}) {
        CAPTURE(codec);
        CAPTURE(second_version);
        CAPTURE(dictionary);
        const std::string file =
            written(*table, {.codec = codec, .second_version = second_version, .dictionary = dictionary});
        const auto found = table_in(file, false), expected = table_in(file, true);
        REQUIRE(expected);
        REQUIRE(found);
        CHECK(found->Equals(*expected));
        CHECK(check(found->CombineChunks())->Equals(*table));
      }
    }
  }
}

TEST_CASE("a damaged file reads as by Arrow's own reader, or is refused by both") {
  const auto table = every_kind(24);
  int refused = 0, refused_by_arrow_alone = 0, differing = 0;
  for (const bool second_version : {false, true}) {
    const std::string file = written(*table, {.second_version = second_version, .page_size = 64});
    const std::size_t end = file.size() - 8;
    std::mt19937 random(3);
    for (std::size_t at = 4; at < end; ++at) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 + random() % 255));
      const auto found = table_in(damaged, false), expected = table_in(damaged, true);
      CAPTURE(second_version);
      CAPTURE(at);
      refused += !found;
      refused_by_arrow_alone += found && !expected;
      if (!expected) continue;
      REQUIRE(found);
      CHECK(found->Equals(*expected, false, arrow::EqualOptions::Defaults().nans_equal(true)));
      differing += !found->Equals(*table);
    }
  }
  CHECK(refused > 500);
  CHECK(refused_by_arrow_alone < 10);  // the ZSTD in its package may be newer, and look at more of a damaged frame
  CHECK(differing > 50);
}

TEST_CASE("a dictionary whose frame states no size is read, and one that states a false size is refused") {
  // Some writers stream, and do not know the size when a frame begins.
  const auto table = table_of({{"word", texts({"a long word", "another long word", "a long word", std::nullopt})}});
  const std::string file = written(*table, {});
  const std::string one_byte_of_size("\x28\xb5\x2f\xfd\x20", 5);
  const auto frame = file.find(one_byte_of_size);
  REQUIRE(frame != std::string::npos);
  std::string unknown = file, larger = file, smaller = file;
  unknown.replace(frame + 4, 2, std::string(2, '\0'));  // instead of the size: a window of 1 kB
  ++larger[frame + 5];
  --smaller[frame + 5];
  const auto found = table_in(unknown, false);
  REQUIRE(found);
  CHECK(found->Equals(*table));
  for (const auto& lying : {larger, smaller}) {
    std::string why;
    CHECK_FALSE(table_in(lying, false, &why));
    CHECK(has_text(why, "ZSTD"));
  }
}
