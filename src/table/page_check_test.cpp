#include "table/page_check.hpp"

#include <doctest/doctest.h>

#include <string>

#include "io/memory_source.hpp"
#include "support/support.hpp"

namespace tacore {
namespace {

constexpr uint64_t kFileSize = 1000;
constexpr uint64_t kChunk = 100;

/// A PageHeader in Thrift's compact protocol, with the numbers that are checked.
struct Header {
  int64_t uncompressed = 40;
  int64_t compressed = 20;
  int64_t dictionary_values = -1;  ///< negative: a data page
  int64_t values = 10;

  Bytes bytes() const {
    Bytes out;
    field(out, 0x15, 0);  // page type: data
    field(out, 0x15, uncompressed);
    field(out, 0x15, compressed);
    if (dictionary_values >= 0) {
      out.push_back(std::byte{0x4c});  // field 7, a structure
      field(out, 0x15, dictionary_values);
      out.push_back(std::byte{0});
    } else {
      out.push_back(std::byte{0x2c});  // field 5, a structure
      field(out, 0x15, values);
      out.push_back(std::byte{0});
    }
    out.push_back(std::byte{0});
    return out;
  }

 private:
  static void field(Bytes& out, int head, int64_t value) {
    out.push_back(static_cast<std::byte>(head));
    uint64_t zigzag = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
    for (; zigzag >= 0x80; zigzag >>= 7) out.push_back(static_cast<std::byte>(zigzag | 0x80));
    out.push_back(static_cast<std::byte>(zigzag));
  }
};

/// A file with one column, of a page with this header.
struct File {
  Bytes bytes;
  ColumnChunk chunk{kChunk, 0, 40, 4, 10};

  explicit File(const Header& header) : bytes(kFileSize) {
    const Bytes head = header.bytes();
    std::copy(head.begin(), head.end(), bytes.begin() + kChunk);
    chunk.size = head.size() + 20;
  }
  /// Hands on `size` bytes from `offset`, as a reader would.
  std::string read(uint64_t offset, uint64_t size) const {
    PageCheck check({chunk}, memory_source("f.parquet", bytes), {.path = "f.parquet"});
    try {
      check.check(offset, std::span(bytes).subspan(offset, size));
    } catch (const FormatError& error) {
      return error.what();
    }
    return "";
  }
};

}  // namespace

TEST_CASE("a page header is parsed up to its end") {
  const Bytes bytes = Header{.uncompressed = 300, .compressed = 7, .dictionary_values = 5}.bytes();
  const auto page = parse_page_header(bytes);
  REQUIRE(page);
  CHECK(page->header == static_cast<int64_t>(bytes.size()));
  CHECK(page->uncompressed == 300);
  CHECK(page->compressed == 7);
  CHECK(page->dictionary_values == 5);
}

TEST_CASE("an incomplete page header gives nothing") {
  const Bytes bytes = Header{.dictionary_values = 5}.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK_FALSE(parse_page_header(std::span(bytes).first(size)));
}

TEST_CASE("bytes of a valid page are returned, in any pieces") {
  const File file{Header{}};
  CHECK(file.read(0, kFileSize) == "");
  CHECK(file.read(kChunk, 1) == "");
  CHECK(file.read(kChunk + 1, 5) == "");
}

TEST_CASE("an invalid page is refused before the first byte of its header is returned") {
  struct Case {
    Header header;
    const char* words;
  };
  const Case cases[] = {
      {{.uncompressed = 1 << 30},
       "f.parquet: Parquet page at byte 100 of the table states 1073741824 bytes when unpacked, of 20 in the file"},
      {{.compressed = 1 << 30}, "states 1073741824 bytes, 885 are left"},
      {{.compressed = 500}, "states 500 bytes, in a column of 32"},
      {{.uncompressed = -1}, "states a negative size"},
      {{.compressed = -1}, "states a negative size"},
      {{.values = 9}, "at byte 100 of the table ends a column of 9 values, 10 are in the footer"},
      {{.values = 11}, "ends a column of 11 values"},
      {{.values = -1}, "states a negative size"},
      {{.dictionary_values = 11}, "states 11 values in a dictionary of 40 bytes"},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.words));
    const File file(c.header);
    CHECK(has_text(file.read(kChunk, 1), c.words));
    CHECK(has_text(file.read(0, kFileSize), c.words));
    CHECK(file.read(0, kChunk) == "");
  }
}

TEST_CASE("a page that was refused is refused again") {
  const File file(Header{.values = 5});
  PageCheck check({file.chunk}, memory_source("f.parquet", file.bytes), {.path = "f.parquet"});
  for (int i = 0; i < 3; ++i)
    CHECK_THROWS_AS(check.check(kChunk, std::span(file.bytes).subspan(kChunk, 1)), FormatError);
}

TEST_CASE("a large page that the footer announces is accepted") {
  File file{Header{.uncompressed = 8 << 20}};
  CHECK(has_text(file.read(kChunk, 1), "states 8388608 bytes"));
  file.chunk.uncompressed_size = 8 << 20;
  CHECK(file.read(kChunk, 1) == "");
}

TEST_CASE("bytes that are not a page header are refused") {
  File file{Header{}};
  file.bytes[kChunk] = std::byte{0x1f};
  CHECK(has_text(file.read(kChunk, 1), "has a header with an unknown type 15"));
}

TEST_CASE("a page header with endless nesting, or as long as the file, is refused") {
  for (const int nested : {0x19, 0x1a, 0x1c}) {  // a list of one list, a set of one, a structure in field 1
    CAPTURE(nested);
    CHECK_THROWS_WITH_AS(parse_page_header(Bytes(1 << 20, static_cast<std::byte>(nested))),
                         doctest::Contains("nested too deep"), FormatError);
  }

  /// A text that goes on to the end of a file of a terabyte, which nobody may read whole.
  class Endless final : public ByteSource {
   public:
    const std::string& name() const noexcept override { return name_; }
    uint64_t size() const override { return uint64_t{1} << 40; }
    bool is_local() const noexcept override { return true; }
    void read(uint64_t offset, std::span<std::byte> out) const override {
      if (out.size() > 16 << 20) FAIL("asks for " << out.size() << " bytes");
      constexpr int kStart[] = {0x18, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10};
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::byte>(offset + i < std::size(kStart) ? kStart[offset + i] : 'x');
    }

   private:
    std::string name_ = "f.parquet";
  };
  const std::shared_ptr<const ByteSource> endless = std::make_shared<const Endless>();
  PageCheck check({{0, 1000, 40, 4, 10}}, endless, {.path = "f.parquet"});
  CHECK_THROWS_WITH_AS(
      check.check(0, endless->read({0, 10})),
      "f.parquet: Parquet page at byte 0 of the table has a header that is cut, or longer than 16777216 bytes",
      FormatError);
}

TEST_CASE("overlapping columns are refused") {
  const auto make = [](std::vector<ColumnChunk> chunks) {
    PageCheck check(std::move(chunks), memory_source("f.parquet", Bytes(kFileSize)), {.path = "f.parquet"});
  };
  CHECK_NOTHROW(make({{500, 100}, {100, 400}}));
  CHECK_THROWS_WITH_AS(
      make({{500, 100}, {100, 401}}),
      "f.parquet: Parquet footer: 401 bytes of a column at 100 pass the next column, or the end, at 500", FormatError);
  CHECK_THROWS_AS(make({{500, UINT64_MAX}}), FormatError);
  CHECK_THROWS_AS(make({{2000, 0}}), FormatError);
}

}  // namespace tacore
