#include "table/parquet_write.hpp"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <doctest/doctest.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <stdexcept>

#include "support/support.hpp"
#include "support/table_files.hpp"
#include "table/arrow_stream.hpp"

namespace {

using namespace tacore;

std::vector<std::optional<int64_t>> counted(int64_t n) {
  std::vector<std::optional<int64_t>> out;
  for (int64_t i = 0; i < n; ++i) out.emplace_back(i);
  return out;
}

TEST_CASE("batches of any length are written as row groups of 65,536 rows") {
  const auto n = counted(150000);
  const std::vector<std::optional<std::string>> text(n.size(), "FILE");
  const auto table = table_of({{"id", texts(text)}, {"type", texts(text)}, {"n", integers(n)}});
  for (const int64_t chunk : {1000, 65536, 150000}) {
    CAPTURE(chunk);
    arrow::TableBatchReader batches(*table);
    batches.set_chunksize(chunk);
    Bytes bytes;
    write_parquet(batches,
                  [&](std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); }, {});
    const auto level = level_of(std::move(bytes));
    REQUIRE(level->num_row_groups() == 3);
    CHECK(level->group_begin(1) == 65536);
    CHECK(level->group_begin(2) == 131072);
    CHECK(level->num_rows() == 150000);
    CHECK(level->integer(2, 149999) == 149999);
  }
}

TEST_CASE("the same batches give the same bytes, and the file begins and ends with its magic bytes") {
  const auto table = table_of({{"id", texts({"a"})}, {"type", texts({"FILE"})}});
  const Bytes one = parquet_of(table), two = parquet_of(table);
  CHECK(one == two);
  const std::string text(reinterpret_cast<const char*>(one.data()), one.size());
  CHECK(text.starts_with("PAR1"));
  CHECK(text.ends_with("PAR1"));
}

TEST_CASE("a table and its batches are written with the same rows and row groups") {
  const auto n = counted(70000);
  const std::vector<std::optional<std::string>> text(n.size(), "FILE");
  const auto table = table_of({{"id", texts(text)}, {"type", texts(text)}, {"n", integers(n)}});
  const auto level = level_of(encode_parquet(*table, {.row_group_size = 30000}));
  REQUIRE(level->num_row_groups() == 3);
  CHECK(level->group_begin(1) == 30000);
  CHECK(level->integer(2, 69999) == 69999);
}

TEST_CASE("compression, chunking, page size and statistics follow the options") {
  const auto n = counted(65536);
  const std::vector<std::optional<std::string>> text(n.size(), "FILE");
  const auto table = table_of({{"id", texts(text)}, {"type", texts(text)}, {"n", integers(n)}});
  const Bytes usual = encode_parquet(*table);
  CHECK(usual == encode_parquet(*table, {.compression_level = 3}));
  CHECK(usual == encode_parquet(*table));
  for (const std::string name : {"none", "snappy", "gzip", "brotli", "lz4"}) {
    CAPTURE(name);
    const Bytes other = encode_parquet(*table, {.compression = name});
    CHECK(other != usual);
    CHECK(level_of(other)->integer(2, 65535) == 65535);
  }
  CHECK(encode_parquet(*table, {.compression_level = 19}) != usual);
  CHECK(encode_parquet(*table, {.min_chunk_size = 1024, .max_chunk_size = 4096}).size() > usual.size());
  const ParquetOptions plain = {.use_content_defined_chunking = false};
  const ParquetOptions small = {.use_content_defined_chunking = false, .data_page_size = 1000};
  CHECK(encode_parquet(*table, small) != encode_parquet(*table, plain));
  CHECK(encode_parquet(*table, plain) != usual);
  CHECK(encode_parquet(*table, {.write_statistics = false}).size() < usual.size());
}

TEST_CASE("only repeated text is dictionary-encoded, and only in tables with many rows") {
  const auto has_dictionary = [](int64_t num_rows, int column, const ParquetOptions& options = {}) {
    const auto n = counted(num_rows);
    const std::vector<std::optional<std::string>> text(n.size(), "FILE");
    const auto table = table_of({{"id", texts(text)}, {"type", texts(text)}, {"n", integers(n)}});
    const Bytes bytes = encode_parquet(*table, options);
    const auto buffer = std::make_shared<arrow::Buffer>(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                        static_cast<int64_t>(bytes.size()));
    const auto reader = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(buffer));
    return reader->metadata()->RowGroup(0)->ColumnChunk(column)->has_dictionary_page();
  };
  CHECK_FALSE(has_dictionary(1001, 0));
  CHECK(has_dictionary(1001, 1));
  CHECK_FALSE(has_dictionary(1001, 2));
  CHECK_FALSE(has_dictionary(1000, 1));
  for (const int column : {0, 1, 2}) {
    CHECK(has_dictionary(1, column, {.use_dictionary = true}));
    CHECK_FALSE(has_dictionary(1001, column, {.use_dictionary = false}));
  }
}

TEST_CASE("invalid Parquet options are reported") {
  const auto error = [](const ParquetOptions& options) -> std::string {
    try {
      check_parquet_options(options);
    } catch (const ValidationError& found) {
      return found.what();
    }
    return "";
  };
  CHECK(error({}) == "");
  CHECK(error({.compression = "none"}) == "");
  CHECK(error({.compression = "lzma"}) ==
        "Parquet compression 'lzma'; zstd, snappy, gzip, brotli, lz4 or none expected");
  CHECK(has_text(error({.compression = "bz2"}), "'bz2'"));
  CHECK(error({.compression_level = 23}) == "Parquet compression level 23; -131072 to 22 expected of zstd");
  CHECK(error({.compression = "snappy", .compression_level = 3}) ==
        "Parquet compression level 3; snappy has no levels");
  CHECK(error({.row_group_size = 0}) == "Parquet row groups of 0 rows; at least 1 expected");
  CHECK(error({.data_page_size = -1}) == "Parquet pages of -1 bytes; at least 1 expected");
  CHECK(error({.min_chunk_size = 0}) == "Parquet chunks of 0 bytes; at least 1 expected");
  CHECK(error({.min_chunk_size = 10, .max_chunk_size = 10}) ==
        "Parquet chunks of 10 to 10 bytes; the most greater than the least expected");
}

TEST_CASE("no batches make a file without rows") {
  const auto level = level_of(parquet_of(table_of({{"id", texts({})}, {"type", texts({})}})));
  CHECK(level->num_rows() == 0);
  CHECK(level->columns().size() == 2);
}

TEST_CASE("a consumer that throws at any write stops the writer, and its exception is rethrown") {
  const auto table = table_of({{"id", texts({"a"})}, {"type", texts({"FILE"})}});
  int writes = 0;
  {
    arrow::TableBatchReader batches(*table);
    write_parquet(batches, [&](std::span<const std::byte>) { ++writes; }, {});
  }
  for (int n = 0; n < writes; ++n) {
    CAPTURE(n);
    arrow::TableBatchReader batches(*table);
    int at = 0;
    CHECK_THROWS_WITH_AS(write_parquet(batches,
                                       [&](std::span<const std::byte>) {
                                         if (at++ == n) throw std::length_error("full");
                                       },
                                       {}),
                         "full", std::length_error);
  }
}

TEST_CASE("a source of batches that throws stops the file, and its exception arrives") {
  const auto rows = table_rows(table_of({{"id", texts({"a"})}}));
  const auto batches = batch_reader(
      rows, {{"x", -1, [](int64_t) -> std::optional<std::string> { throw IoError("no line", {.path = "p"}); }}});
  CHECK_THROWS_WITH_AS(write_parquet(*batches, [](std::span<const std::byte>) {}, {}), "p: no line", IoError);
}

}  // namespace
