#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dataset/dataset_impl.hpp"
#include "io/memory_source.hpp"
#include "support/counting.hpp"
#include "support/support.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "tortilla/container.hpp"

namespace tacore::v1 {
namespace {

struct Stated {
  std::string id = {};
  std::string format = "BYTES";
  std::string data = {};
  int64_t shift = 0;  ///< the error of its offset
};

/// A whole file, its table made of CSV.
std::string file_of(const std::vector<Stated>& samples, uint64_t partitions = 1) {
  static int number = 0;
  const TemporaryFolder folder;
  std::string rows = "tortilla:id,tortilla:file_format,tortilla:offset,tortilla:length\n", data;
  for (const auto& sample : samples) {
    const auto offset = static_cast<int64_t>(kHeaderSize + data.size()) + sample.shift;
    rows += "\"" + sample.id + "\"," + sample.format + "," + std::to_string(offset) + "," +
            std::to_string(sample.data.size()) + "\n";
    data += sample.data;
  }
  const std::string csv = folder.write("rows" + std::to_string(number++) + ".csv", rows);
  const std::string footer = to_text(encode_parquet(*read_table(csv)));
  const Header header{.footer = {kHeaderSize + data.size(), footer.size()}, .num_partitions = partitions};
  return to_text(encode_header(header)) + data + footer;
}

Stated nested(const std::string& id, const std::vector<Stated>& samples) { return {id, "TORTILLA", file_of(samples)}; }

TEST_CASE("read gives a table, a path or bytes, and offsets of nested samples are those of the file") {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "demo.tortilla",
      file_of({nested("img1", {{"lrf", "GTiff", std::string(10, 'A')}, {"hrf", "Gtiff", std::string(20, 'B')}}),
               {"note", "BYTES", "hello bytes"}}));
  const Dataset dataset = load(path);
  CHECK(dataset.format() == Format::Tortilla);
  CHECK(dataset.id() == "demo");
  const DataFrame rows = dataset.data();
  const DataFrame children = std::get<DataFrame>(rows.read("img1"));
  CHECK(children.text(0, "tortilla:offset") == "400");
  CHECK(children.text(1, "tortilla:offset") == "410");
  CHECK(std::get<VsiPath>(children.read("lrf")).value == "/vsisubfile/400_10," + path);
  CHECK(std::get<VsiPath>(rows.read("img1/hrf")).value == "/vsisubfile/410_20," + path);
  CHECK(children.text(1, "internal:subfile") == "/vsisubfile/410_20," + path);
  CHECK(children.text(1, "internal:gdal_vsi") == "/vsisubfile/410_20," + path);
  CHECK(to_text(std::get<Bytes>(rows.read("note"))) == "hello bytes");
  CHECK(to_text(rows.read_bytes("img1/lrf")) == std::string(10, 'A'));
}

TEST_CASE("a Tortilla of a signed URL has the name of its file") {
  const std::string file = file_of({{"a", "BYTES", "a"}});
  const auto* begin = reinterpret_cast<const std::byte*>(file.data());
  const auto id = [&](const char* path) {
    return read_tortilla_collection(*memory_source(path, {begin, begin + file.size()}), path).id;
  };
  CHECK(id("https://h/a/x.tortilla?sig=a/b.c") == "x");
  CHECK(id("https://h/a/x.0001.part.tortilla") == "x");
  CHECK(id("/a/x?.tortilla") == "x?");
}

TEST_CASE("an id may be any text, and one that looks like a path is no path") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("odd.tortilla", file_of({{"../../etc/passwd", "BYTES", "a"}, {"a, b", "BYTES", "bc"}}));
  const DataFrame rows = load(path).data();
  CHECK(to_text(rows.read_bytes(0)) == "a");
  CHECK(to_text(rows.read_bytes(1)) == "bc");
  CHECK(to_text(rows.read_bytes("../../etc/passwd")) == "a");
}

TEST_CASE("a file without nested samples is opened without reading a column") {
  const auto storage = std::make_shared<CountingStorage>();
  const TemporaryFolder folder;
  std::vector<Stated> samples;
  for (int i = 0; i < 20000; ++i) samples.push_back({"s" + std::to_string(i), "GTiff", "x"});
  const std::string path = folder.write("flat.tortilla", file_of(samples));
  const Dataset dataset = load(path, {}, storage);
  CHECK(dataset.num_rows() == 20000);
  // Is it a folder? Then the file, its header, and the end of its table.
  CHECK(storage->requests().size() == 4);
}

TEST_CASE("deeper levels are assembled when they are first needed") {
  const auto storage = std::make_shared<CountingStorage>();
  const TemporaryFolder folder;
  std::vector<Stated> samples;
  for (int i = 0; i < 50; ++i)
    samples.push_back(nested("n" + std::to_string(i), {{"a", "BYTES", "1"}, {"b", "BYTES", "22"}}));
  const std::string path = folder.write("nested.tortilla", file_of(samples));
  const Dataset dataset = load(path, {}, storage);
  std::size_t seen = 0;
  const auto more = [&] {
    const std::size_t before = std::exchange(seen, storage->requests().size());
    return seen - before;
  };
  CHECK(more() == 4);  // as of a file without nested samples
  CHECK(dataset.data().num_rows() == 50);
  CHECK(dataset.sql("SELECT id FROM data WHERE id = 'n7'").data().num_rows() == 1);
  more();
  // Children are in the footer of their own sample: header, end and pages.
  CHECK(std::get<DataFrame>(dataset.data().read("n7")).num_rows() == 2);
  CHECK(more() <= 3);
  // Only the footers of all samples prove how deep they are.
  CHECK(dataset.pit_schema().max_depth() == 1);
  CHECK(more() >= 50);
  CHECK(dataset.pit_schema().hierarchy.at(1).at(0).id == std::vector<std::string>{"a", "b"});
  CHECK(more() == 0);
  CHECK(dataset.sql("SELECT count(*) AS n FROM level1").data().text(0, "n") == "100");
  CHECK(more() == 0);
}

TEST_CASE("a sample that is deeper than the first is found in any order of rows") {
  const TemporaryFolder folder;
  const Stated shallow = nested("a", {{"f", "BYTES", "1"}}),
               deep = nested("b", {{"x", "BYTES", "2"}, nested("g", {{"h", "BYTES", "3"}})});
  for (const bool turned : {false, true}) {
    CAPTURE(turned);
    const Dataset dataset = load(folder.write(
        "uneven.tortilla", turned ? file_of({deep, shallow}) : file_of({shallow, {"n", "BYTES", "note"}, deep})));
    CHECK(dataset.pit_schema().max_depth() == 2);
    CHECK(dataset.pit_schema().hierarchy.at(1).at(0).id == std::vector<std::string>{"x", "g"});
    CHECK(dataset.level_rows(2) == 1);
    CHECK(dataset.sql("SELECT id FROM level2").data().text(0, "id") == "h");
  }
  // More FOLDERs than are looked at in one sample, the last of which is deep.
  std::vector<Stated> many;
  for (int i = 0; i < 100; ++i) many.push_back(nested("c" + std::to_string(i), {{"f", "BYTES", "1"}}));
  many.push_back(deep);
  const Dataset wide = load(folder.write("wide.tortilla", file_of({nested("top", many)})));
  CHECK(wide.pit_schema().max_depth() == 3);
  CHECK(wide.level_rows(3) == 1);
}

TEST_CASE("a damaged nested sample is an error of each call that needs it, and its row stays readable") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("damaged.tortilla", file_of({{"n", "TORTILLA", std::string(300, 'x')}, {"b", "BYTES", "bytes"}}));
  const Dataset dataset = load(path);
  CHECK(to_text(dataset.data().read_bytes("b")) == "bytes");
  const std::vector<std::function<void()>> asking{
      [&] { dataset.pit_schema(); }, [&] { dataset.level_columns(1); }, [&] { dataset.verify_rsut(); },
      [&] { dataset.filter_bbox({0, 0, 1, 1}, {.level = 1}); }, [&] { dataset.sql("SELECT * FROM level1").data(); }};
  for (int time = 0; time < 2; ++time) {
    for (std::size_t i = 0; i < asking.size(); ++i) {
      CAPTURE(i);
      CHECK_THROWS_AS(asking[i](), FormatError);
      const std::string error = text_of<Error>(asking[i]);
      CHECK_MESSAGE(has_text(error, "not a Tortilla or TACO file: starts with 'xx'"), error);
      CHECK_MESSAGE(has_text(error, "damaged.tortilla"), error);
    }
  }
}

TEST_CASE("offsets and sizes outside the data are errors that name the sample") {
  const TemporaryFolder folder;
  const auto reading = [&](const char* name, const std::vector<Stated>& samples, const char* id) {
    const std::string path = folder.write(name, file_of(samples));
    return text_of<Error>([&] { load(path).data().read_bytes(id); });
  };
  const std::string inside = reading("inside.tortilla", {{"a", "BYTES", "abc", -1}}, "a");
  CHECK(has_text(inside, "sample 'a': 3 bytes at 199 are outside of the data, bytes 200 to 203"));
  CHECK(has_text(reading("behind.tortilla", {{"a", "BYTES", "abc", 1}}, "a"), "are outside of the data"));
  const std::string child = reading(
      "nested.tortilla", {nested("n", {{"a", "BYTES", "abc", 10000}}), {"b", "BYTES", std::string(20000, 'x')}}, "n/a");
  CHECK(has_text(child, "are outside of the nested Tortilla's data"));
  const std::string no_header = reading("none.tortilla", {{"n", "TORTILLA", std::string(300, 'x')}}, "n/a");
  CHECK(has_text(no_header, "not a Tortilla or TACO file: starts with 'xx'"));
}

TEST_CASE("a file truncated anywhere is an error or the right data, never less data") {
  const std::string whole = file_of({nested("n", {{"a", "BYTES", "abc"}}), {"b", "BYTES", "de"}});
  const TemporaryFolder folder;
  for (std::size_t size = 0; size < whole.size(); size += 37) {
    const std::string path = folder.write("cut.tortilla", whole.substr(0, size));
    CAPTURE(size);
    CHECK_FALSE(text_of<Error>([&] { load(path).data().read_bytes("n/a"); }).empty());
  }
}

TEST_CASE("partitions are found by any of them, and one that is missing is an error that names it") {
  const TemporaryFolder folder;
  const auto part = [&](const char* name, const char* id, uint64_t count) {
    return folder.write(name, file_of({{id, "BYTES", id}}, count));
  };
  const std::string first = part("x.0000.part.tortilla", "a", 3), second = part("x.0001.part.tortilla", "b", 3);
  const std::string error = text_of<Error>([&] { load(second); });
  CHECK(has_text(error, "has 3 partitions, of which x.0002.part.tortilla is missing"));
  CHECK(load(second, {.allow_partial = true}).num_rows() == 2);
  const std::string third = part("x.0002.part.tortilla", "c", 3);
  CHECK(load(third).num_rows() == 3);
  CHECK(to_text(load(third).data().read_bytes("a")) == "a");
  CHECK(load(std::vector<std::string>{first, second, third}).num_rows() == 3);
  CHECK(has_text(text_of<Error>([&] { load(std::vector<std::string>{first, third}); }), "2 of 3 partitions are given"));
  part("x.0001.part.tortilla", "b", 4);
  CHECK(has_text(text_of<Error>([&] { load(first); }), "one of 4 partitions, but"));
  const std::string renamed = part("renamed.tortilla", "b", 4);
  CHECK(has_text(text_of<Error>([&] { load(renamed); }),
                 "is one of 4 partitions, but has no partition number in its name"));
}

}  // namespace
}  // namespace tacore::v1
