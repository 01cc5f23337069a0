#include "tortilla/chain.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>

#include "dataset/dataset_impl.hpp"
#include "support/counting.hpp"
#include "support/support.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "tortilla/container.hpp"
#include "tortilla/pointer.hpp"
#include "tortilla/streaming/faults.hpp"

namespace tacore::v1 {
namespace {

using Metadata = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

/// A Parquet table of rows of JSON.
std::string table_of(const Texts& rows, const Metadata& metadata) {
  const TemporaryFolder folder;
  std::string lines;
  for (const auto& row : rows) lines += row + "\n";
  return to_text(encode_parquet(*read_table(folder.write("rows.jsonl", lines)), {}, metadata));
}

std::string sample(const std::string& root, const std::string& parent, const std::string& id, int64_t offset,
                   int64_t length, const std::string& format = "GTiff") {
  return "{" + (root.empty() ? "" : "\"tortilla:root\": " + root + ", ") +
         (parent.empty() ? "" : "\"tortilla:parent\": " + parent + ", ") + "\"tortilla:id\": \"" + id +
         "\", \"tortilla:file_format\": \"" + format + "\", \"tortilla:offset\": " + std::to_string(offset) +
         ", \"tortilla:length\": " + std::to_string(length) + "}";
}

const Texts kLevel0 = {sample("\"img1\"", "", "img1", 200, 30, "TORTILLA"),
                       sample("\"img2\"", "", "img2", 230, 30, "TORTILLA")};
const Texts kLevel1 = {sample("\"img1\"", "0", "lrf", 200, 10), sample("\"img1\"", "0", "hrf", 210, 20),
                       sample("\"img2\"", "1", "lrf", 230, 10), sample("\"img2\"", "1", "hrf", 240, 20)};
const Texts kChunks = {
    "{\"tortilla:root\": \"img1\", \"tortilla:parent\": 0, \"tortilla:id\": \"lrf::0\", \"tortilla:offset\": 202, "
    "\"tortilla:length\": 4, \"chunk:band_offsets\": [0, 3], \"chunk:band_lengths\": [2, 1], \"chunk:level\": 1, "
    "\"chunk:shape\": [2, 16, 16], \"chunk:valid\": [16, 7], \"chunk:dtype\": \"uint8\", \"chunk:compression\": 50000, "
    "\"chunk:predictor\": 2, \"chunk:interleave\": \"tile\", \"chunk:nodata\": 7.5}",
    "{\"tortilla:root\": \"img2\", \"tortilla:parent\": 2, \"tortilla:id\": \"lrf::0\", \"tortilla:offset\": 231, "
    "\"tortilla:length\": 4, \"chunk:band_offsets\": [0, 3], \"chunk:band_lengths\": [2, 1], \"chunk:level\": 1, "
    "\"chunk:shape\": [2, 16, 16], \"chunk:valid\": [16, 7], \"chunk:dtype\": \"uint8\", \"chunk:compression\": 50000, "
    "\"chunk:predictor\": 2, \"chunk:interleave\": \"tile\", \"chunk:nodata\": null}"};

/// 60 bytes of two samples, then tables as they are added; the last one is level 0.
class Stream {
 public:
  ByteRange add(const Texts& rows, const std::string& pointer, Metadata metadata = {}) {
    metadata[kPointer] = pointer;
    return append(table_of(rows, metadata));
  }
  ByteRange append(const std::string& bytes) {
    const ByteRange out{bytes_.size(), bytes.size()};
    bytes_ += bytes;
    return out;
  }
  /// The whole file, whose level 0 lies in `footer`.
  std::string file(ByteRange footer) const {
    const std::string collection = "{\"id\":\"demo\"}";
    const Header header{
        .kind = Kind::Taco, .footer = footer, .collection = ByteRange{bytes_.size(), collection.size()}};
    return to_text(encode_header(header)) + bytes_.substr(kHeaderSize) + collection;
  }
  uint64_t size() const { return bytes_.size(); }

 private:
  std::string bytes_ = std::string(kHeaderSize, '\0') + "aaaaaaaaaabbbbbbbbbbbbbbbbbbbbccccccccccdddddddddddddddddddd";
};

/// A streaming file as published writers make it, with these rows.
std::string stream_of(const Texts& level0, const Texts& level1, const Texts& chunks = kChunks) {
  Stream stream;
  const uint64_t begin = stream.size();
  const auto bottom = stream.add(chunks, "\"NULL\"", {{kLevelKey, "chunk"}});
  const auto middle = stream.add(level1, encode_pointer(bottom), {{kLevelKey, "1"}});
  const Metadata metadata = {{kPointer, encode_pointer(middle)}, {kFooterKey, encode_footer_hint({begin, 0})}};
  const uint64_t size = stream.size() - begin + table_of(level0, metadata).size();
  return stream.file(
      stream.add(level0, encode_pointer(middle), {{kFooterKey, encode_footer_hint({begin, size})}, {kLevelKey, "0"}}));
}

/// The nested samples and what they hold.
Texts listed(const Dataset& dataset) {
  Texts out;
  for (const std::string id : {"img1", "img2"}) {
    const auto children = std::get<DataFrame>(dataset.data().read(id));
    for (int64_t i = 0; i < children.num_rows(); ++i)
      out.push_back(id + "/" + *children.text(i, "id") + " " + to_text(children.read_bytes(i)));
  }
  return out;
}

const Texts kListed = {"img1/lrf aaaaaaaaaa", "img1/hrf bbbbbbbbbbbbbbbbbbbb", "img2/lrf cccccccccc",
                       "img2/hrf dddddddddddddddddddd"};

Texts read(const std::string& bytes) {
  const TemporaryFolder folder;
  return listed(load(folder.write("a.taco", bytes)));
}

std::string chain_error(const std::string& bytes) {
  const TemporaryFolder folder;
  try {
    listed(load(folder.write("a.taco", bytes)));
  } catch (const FormatError& error) {
    return error.message();
  } catch (const SchemaError& error) {
    return error.message();
  }
  return "read";
}

TEST_CASE("all levels of a streaming file are known at once, without nested footers") {
  const TemporaryFolder folder;
  const auto storage = std::make_shared<CountingStorage>();
  const Dataset dataset = load(folder.write("a.taco", stream_of(kLevel0, kLevel1)), {}, storage);
  CHECK(dataset.format() == Format::Taco);
  CHECK(dataset.level_rows(1) == 4);
  CHECK(dataset.pit_schema().max_depth() == 1);
  CHECK(listed(dataset) == kListed);
  CHECK(dataset.sql("SELECT count(*) AS n FROM level1").data().text(0, "n") == "4");
  CHECK(std::get<VsiPath>(dataset.data().read("img2/lrf")).value == "/vsisubfile/230_10," + folder.path("a.taco"));
}

TEST_CASE("a streaming file takes three reads: header, level 0 and the rest") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.taco", stream_of(kLevel0, kLevel1));
  const auto storage = std::make_shared<CountingStorage>();
  const Dataset dataset = load(path, {}, storage);
  const int num_reads = storage->num_reads();
  CHECK(num_reads == 3);
  dataset.sql("SELECT * FROM level1").data();
  dataset.data().read("img1");
  CHECK(storage->num_reads() == num_reads);
}

TEST_CASE("parents are found without tortilla:parent, by root or by byte range") {
  const Texts orders[] = {{sample("\"img1\"", "", "lrf", 200, 10), sample("\"img1\"", "", "hrf", 210, 20),
                           sample("\"img2\"", "", "lrf", 230, 10), sample("\"img2\"", "", "hrf", 240, 20)},
                          {sample("0", "", "lrf", 200, 10), sample("0", "", "hrf", 210, 20),
                           sample("1", "", "lrf", 230, 10), sample("1", "", "hrf", 240, 20)},
                          {sample("", "", "lrf", 200, 10), sample("", "", "hrf", 210, 20),
                           sample("", "", "lrf", 230, 10), sample("", "", "hrf", 240, 20)},
                          {sample("", "1", "lrf", 230, 10), sample("", "0", "lrf", 200, 10),
                           sample("", "1", "hrf", 240, 20), sample("", "0", "hrf", 210, 20)},
                          // Counted from the parent.
                          {sample("", "0", "lrf", 0, 10), sample("", "0", "hrf", 10, 20), sample("", "1", "lrf", 0, 10),
                           sample("", "1", "hrf", 10, 20)}};
  for (const auto& level1 : orders) {
    CAPTURE(level1[0]);
    CHECK(read(stream_of(kLevel0, level1)) == kListed);
  }
}

TEST_CASE("parent numbers count stored rows, for a sorted level as well") {
  Stream stream;
  const Texts level1 = {sample("\"img2\"", "1", "b", 230, 30, "TORTILLA"),
                        sample("\"img1\"", "0", "a", 200, 30, "TORTILLA")};
  const Texts level2 = {sample("\"img2/b\"", "0", "x", 230, 30), sample("\"img1/a\"", "1", "x", 200, 30)};
  const auto chunks = stream.add(kChunks, "NULL");
  const auto bottom = stream.add(level2, encode_pointer(chunks));
  const auto middle = stream.add(level1, encode_pointer(bottom));
  const TemporaryFolder folder;
  const auto dataset = load(folder.write("a.taco", stream.file(stream.add(kLevel0, encode_pointer(middle)))));
  CHECK(to_text(dataset.data().read_bytes("img1/a/x")) == "aaaaaaaaaabbbbbbbbbbbbbbbbbbbb");
  CHECK(to_text(dataset.data().read_bytes("img2/b/x")) == "ccccccccccdddddddddddddddddddd");
}

TEST_CASE("tables may be stored in any order") {
  Stream stream;
  // Level 0 first: its pointer is as long as the one it gets.
  const auto pointer = [](uint64_t offset, uint64_t size) {
    std::string text = "OFFSETLENGTH(" + std::to_string(offset) + ", " + std::to_string(size) + ")";
    return text + std::string(40 - text.size(), ' ');
  };
  const uint64_t begin = stream.size(), size0 = table_of(kLevel0, {{kPointer, pointer(0, 0)}}).size();
  const uint64_t size1 = table_of(kLevel1, {{kPointer, pointer(0, 0)}}).size();
  const uint64_t size2 = table_of(kChunks, {{kPointer, "NULL"}}).size();
  const auto top = stream.add(kLevel0, pointer(begin + size0, size1));
  stream.add(kLevel1, pointer(begin + size0 + size1, size2));
  stream.add(kChunks, "NULL");
  CHECK(read(stream.file(top)) == kListed);
}

TEST_CASE("a chunk is found by the id of its raster and its number") {
  const TemporaryFolder folder;
  const auto container =
      open_tortilla(local_storage()->open(folder.write("a.taco", stream_of(kLevel0, kLevel1))), "a.taco");
  CHECK(chunk_table(*container));
  const auto first = find_chunk(*container, "lrf::0", {200, 10}, 1, 0);
  REQUIRE(first);
  CHECK(first->offset == 2);
  CHECK(first->band_offsets == std::vector<int64_t>{0, 3});
  CHECK(first->band_lengths == std::vector<int64_t>{2, 1});
  CHECK(first->shape == std::vector<int64_t>{2, 16, 16});
  CHECK(first->valid == std::vector<int64_t>{16, 7});
  CHECK(first->dtype == "uint8");
  CHECK(first->compression == 50000);
  CHECK(first->predictor == 2);
  CHECK(first->interleave == "tile");
  CHECK(first->nodata == 7.5);
  CHECK(find_chunk(*container, "lrf::0", {230, 10}, 1, 2)->offset == 1);
  CHECK(find_chunk(*container, "lrf::0", {230, 10}, 1, 2)->nodata == std::nullopt);
  CHECK(!find_chunk(*container, "lrf::1", {200, 10}, 1, 0));
  CHECK(!find_chunk(*container, "hrf::0", {210, 20}, 1, 1));
}

TEST_CASE("a chunk id ends with two colons and digits") {
  using Split = std::optional<std::pair<std::string, uint64_t>>;
  CHECK(split_chunk_id("lrf::2") == Split({"lrf", 2}));
  CHECK(split_chunk_id("a::b::10") == Split({"a::b", 10}));
  CHECK(split_chunk_id("img1/lrf::0") == Split({"img1/lrf", 0}));
  for (const char* id : {"lrf", "lrf:2", "lrf::", "lrf::x", "lrf::-1", "lrf::2x", "lrf::99999999999999999999"})
    CHECK(split_chunk_id(id) == std::nullopt);
}

TEST_CASE("a chain of tables whose pointer is wrong is an error that names the byte") {
  const auto with_pointer = [](const std::string& pointer) {
    Stream stream;
    stream.add(kChunks, "NULL");
    return chain_error(stream.file(stream.add(kLevel0, pointer)));
  };
  CHECK(with_pointer("OFFSETLENGTH(199, 50)") ==
        "the chain of tables goes beyond the end of the file: 50 bytes at 199");
  CHECK(with_pointer("OFFSETLENGTH(300, 99999999)") ==
        "the chain of tables goes beyond the end of the file: 99999999 bytes at 300");
  CHECK(has_text(with_pointer("OFFSETLENGTH(18446744073709551615, 18446744073709551615)"),
                 "goes beyond the end of the file"));
  CHECK(with_pointer("OFFSETLENGTH(201, 40)") == "is not a Parquet table: it does not start with PAR1");
  CHECK(with_pointer("OFFSETLENGTH(201, 0)") == "is not a Parquet table: it does not start with PAR1");
  CHECK(has_text(with_pointer("somewhere"), "OFFSETLENGTH(offset, length) or NULL expected"));
  CHECK(with_pointer("NULL") == "the chain of tables ends at level 0: a table of chunks expected");

  Stream loop;
  const uint64_t size = table_of(kLevel1, {{kPointer, "OFFSETLENGTH(260, 0000)"}}).size();
  REQUIRE(size < 10000);
  std::string digits = std::to_string(size);
  digits.insert(0, 4 - digits.size(), '0');
  const auto back = loop.add(kLevel1, "OFFSETLENGTH(260, " + digits + ")");
  REQUIRE(back.offset == 260);
  CHECK(chain_error(loop.file(loop.add(kLevel0, encode_pointer(back)))) == "the chain of tables points back to byte 260");

  Stream open_end;
  const auto level1 = open_end.add(kLevel1, "NULL");
  CHECK(
      has_text(chain_error(open_end.file(open_end.add(kLevel0, encode_pointer(level1)))), "the chunk table lacks chunk:"));
  Stream deep;
  ByteRange next = deep.add(kChunks, "NULL");
  for (int i = 0; i < 64; ++i) next = deep.add(kLevel1, encode_pointer(next));
  CHECK(chain_error(deep.file(deep.add(kLevel0, encode_pointer(next)))) == "the chain of tables has more than 65 tables");
}

TEST_CASE("rows without a parent that holds them are errors that name the row") {
  const auto with_row = [](const std::string& row) {
    Texts level1 = kLevel1;
    level1[1] = row;
    return chain_error(stream_of(kLevel0, level1));
  };
  CHECK(with_row(sample("\"img1\"", "2", "hrf", 210, 20)) == "row 1 has the parent 2, a row from 0 to 1 expected");
  CHECK(with_row(sample("\"img1\"", "-1", "hrf", 210, 20)) == "row 1 has the parent -1, a row from 0 to 1 expected");
  CHECK(with_row(sample("\"img1\"", "null", "hrf", 210, 20)) == "row 1: internal:parent_id is null or not an integer");
  CHECK(with_row(sample("\"img1\"", "0", "hrf", 230, 20)) ==
        "row 1 (20 bytes at 230) lies outside of its parent, 30 bytes at 200");
  CHECK(with_row(sample("\"img1\"", "0", "hrf", 210, 21)) ==
        "row 1 (21 bytes at 210) lies outside of its parent, 30 bytes at 200");
  CHECK(has_text(with_row(sample("\"img1\"", "0", "hrf", 9223372036854775807, 20)), "lies outside of its parent"));
  CHECK(with_row(sample("\"img1\"", "0", "hrf", 210, -1)) == "row 1 has a negative offset or length");
  Texts no_parents = kLevel1;
  for (auto& row : no_parents) row.replace(row.find("\"tortilla:parent\""), 17, "\"other\"");
  no_parents[1].replace(no_parents[1].find("img1"), 4, "img3");
  CHECK(chain_error(stream_of(kLevel0, no_parents)) ==
        "row 1 has the root 'img3', which is not a sample of the level above");
}

TEST_CASE("an invalid chunk table is an error") {
  const auto with = [](const std::string& from, const std::string& to) {
    Texts chunks = kChunks;
    const auto at = chunks[0].find(from);
    REQUIRE(at != std::string::npos);
    chunks[0].replace(at, from.size(), to);
    const TemporaryFolder folder;
    const std::string path = folder.write("a.taco", stream_of(kLevel0, kLevel1, chunks));
    try {
      const auto container = open_tortilla(local_storage()->open(path), path);
      const auto found = find_chunk(*container, "lrf::0", {200, 10}, 1, 0);
      return std::string(found ? "found at " + std::to_string(found->offset) : "none");
    } catch (const Error& error) {
      return error.message();
    }
  };
  CHECK(with("202", "202") == "found at 2");
  CHECK(with("\"tortilla:offset\": 202", "\"tortilla:offset\": 2") == "found at 2");  // from the raster's first byte
  CHECK(with("\"tortilla:offset\": 202", "\"tortilla:offset\": 12") ==
        "chunk table: row 0: 'lrf::0' lies at byte 12, outside of its raster (10 bytes at 200)");
  CHECK(has_text(with("\"tortilla:offset\": 202", "\"tortilla:offset\": -5"), "outside of its raster"));
  CHECK(with("[0, 3]", "null") == "chunk table: row 0: chunk:band_offsets is null or of another type");
  CHECK(with("[2, 16, 16]", "[2, null, 16]") == "chunk table: row 0: chunk:shape is null or of another type");
  CHECK(with("\"uint8\"", "null") == "chunk table: row 0: chunk:dtype is null or of another type");
}

TEST_CASE("validation reports faults that readers tolerate") {
  const auto faults = [](const Texts& level0, const Texts& level1, const Texts& chunks) {
    const TemporaryFolder folder;
    auto out =
        streaming_faults(local_storage()->open(folder.write("a.taco", stream_of(level0, level1, chunks))), "a.taco");
    REQUIRE(!out.empty());
    CHECK(out.back().starts_with("chunk table: the row differs from the TIFF: "));  // the samples are none
    out.pop_back();
    return out;
  };
  const auto with = [](Texts rows, std::size_t row, const std::string& from, const std::string& to) {
    const auto at = rows[row].find(from);
    REQUIRE(at != std::string::npos);
    rows[row].replace(at, from.size(), to);
    return rows;
  };
  CHECK(faults(kLevel0, kLevel1, kChunks).empty());
  CHECK(faults(with(kLevel0, 0, "\"img1\"", "\"img\""), kLevel1, kChunks) ==
        Texts{"level 0: tortilla:root is not the sample's own id: 1 row, 0"});
  CHECK(faults(kLevel0, with(kLevel1, 2, "img2", "img1"), kChunks) ==
        Texts{"level 1: a duplicate of tortilla:root and tortilla:id: 1 row, 2",
              "level 1: tortilla:root is not the path of the parent: 1 row, 2",
              "chunk table: tortilla:root is not that of the raster: 1 row, 1"});
  CHECK(faults(kLevel0, with(kLevel1, 1, "\"tortilla:parent\": 0", "\"tortilla:parent\": 2"), kChunks) ==
        Texts{"level 1: tortilla:parent is not a row of the level above: 1 row, 1"});
  CHECK(faults(kLevel0, with(kLevel1, 3, "240", "10"), kChunks) ==
        Texts{"level 1: bytes outside of the parent: 1 row, 3"});
  CHECK(faults(with(kLevel0, 1, "TORTILLA", "BYTES"), kLevel1, kChunks) ==
        Texts{"level 1: the parent is not a TORTILLA: 2 rows, 2, 3"});
  CHECK(faults(kLevel0, {kLevel1[0], kLevel1[1]}, {kChunks[0]}) ==
        Texts{"level 0: a TORTILLA without rows in the level below: 1 row, 1"});
  CHECK(faults(kLevel0, kLevel1, with(kChunks, 0, "\"chunk:level\": 1", "\"chunk:level\": 2")) ==
        Texts{"chunk table: tortilla:parent and chunk:level refer to no sample: 1 row, 0"});
  CHECK(faults(kLevel0, kLevel1, with(kChunks, 0, "lrf::0", "hrf::0")) ==
        Texts{"chunk table: the id is not the id of the raster, :: and a number: 1 row, 0"});
  CHECK(faults(kLevel0, kLevel1, with(kChunks, 0, "202", "208")) ==
        Texts{"chunk table: bytes outside of the raster: 1 row, 0"});
}

}  // namespace
}  // namespace tacore::v1
