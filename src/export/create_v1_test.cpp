#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <numeric>

#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "support/v1_files.hpp"
#include "tacore/dataset.hpp"
#include "tacore/v1/convert.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore::v1 {
namespace {

using Integers = std::vector<int64_t>;

Sample sized(const std::string& id, std::size_t size, std::vector<MetadataField> metadata = {}) {
  return {id, to_bytes(std::string(size, id[0])), std::move(metadata)};
}

/// Every FILE holds its path.
Tortilla tortilla_of(const Strings& lines) {
  Tree tree = tree_of(lines);
  for (std::size_t level = 0; level < tree.levels.size(); ++level) {
    auto& here = tree.levels[level];
    for (std::size_t row = 0; row < here.ids.size(); ++row) {
      if (here.types[row] == SampleType::Folder) continue;
      auto held = to_bytes(tree.path(static_cast<int>(level), static_cast<int64_t>(row)));
      here.payloads[row] = {.held = std::make_shared<const SpillBuffer>(held, ""), .size = held.size()};
    }
  }
  return tortilla_of(std::move(tree));
}

std::string data_of(const std::string& bytes) { return bytes.substr(200, fields_of(bytes).footer - 200); }

TEST_CASE("a nested Tortilla is a complete Tortilla, with its samples at the offsets of published writers") {
  const TemporaryFolder folder;
  const auto path = folder.path("demo.tortilla");
  CHECK(create_tortilla(demo(), path, plain()) == Strings{path});
  const std::string bytes = file_text(path);

  const Fields outer = fields_of(bytes);
  const auto rows = footer_of(bytes);
  CHECK(outer.magic == "#y");
  CHECK(texts(*rows, "tortilla:id") == Strings{"img1", "note"});
  CHECK(texts(*rows, "tortilla:file_format") == Strings{"TORTILLA", "BYTES"});
  const auto offsets = integers(*rows, "tortilla:offset"), lengths = integers(*rows, "tortilla:length");
  CHECK(offsets == Integers{200, 200 + lengths[0]});
  CHECK(lengths[1] == 11);
  CHECK(outer.footer == static_cast<uint64_t>(offsets[1] + lengths[1]));
  CHECK(outer.footer + outer.footer_size == bytes.size());
  CHECK(outer.parts == 1);
  CHECK(outer.collection == 0);
  CHECK(outer.collection_size == 0);
  CHECK(outer.rest_is_zero);
  CHECK(bytes.substr(static_cast<std::size_t>(offsets[1]), 11) == "hello bytes");

  const Fields inner = fields_of(bytes, 200);
  CHECK(inner.magic == "#y");
  CHECK(inner.footer == 230);
  CHECK(static_cast<int64_t>(inner.footer + inner.footer_size) == lengths[0]);
  CHECK(inner.parts == 1);
  CHECK(inner.rest_is_zero);
  const auto children = footer_of(bytes, 200);
  CHECK(texts(*children, "tortilla:id") == Strings{"lrf", "hrf"});
  CHECK(integers(*children, "tortilla:offset") == Integers{200, 210});  // in the file: 400 and 410
  CHECK(integers(*children, "tortilla:length") == Integers{10, 20});
  CHECK(bytes.substr(400, 30) == std::string(10, 'A') + std::string(20, 'B'));
}

TEST_CASE("a TACO ends with its collection, and its header says where") {
  const TemporaryFolder folder;
  create_tortilla(demo(), folder.path("demo.tortilla"), plain());
  const auto path = folder.path("demo.taco");
  create_taco({demo(), demo_collection()}, path, plain());
  const std::string bytes = file_text(path), tortilla = file_text(folder.path("demo.tortilla"));
  const Fields header = fields_of(bytes);
  CHECK(header.magic == "WX");
  CHECK(header.collection == header.footer + header.footer_size);
  CHECK(header.collection + header.collection_size == bytes.size());
  CHECK(header.rest_is_zero);
  says(bytes.substr(header.collection), "\"id\":\"demo\"");
  CHECK(bytes.substr(200, header.collection - 200) == tortilla.substr(200));
}

TEST_CASE("columns are in the order of published writers, without computed ones") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla");
  const auto row = [](const std::string& id, const Value& split) {
    return Sample(id, to_bytes("x"),
                  {{"cloud", 0.5},
                   {"stats:mean", Value::List{1.0}},
                   {"rai:pop", 3.0},
                   {"tortilla:data_split", split, "string"},
                   {"stac:crs", "EPSG:4326"},
                   {"tortilla:offset", int64_t{7}},
                   {"tortilla:file_format", "gtiff"},
                   {"__index_level_0__", int64_t{9}}});
  };
  create_tortilla(Tortilla({row("a", "train"), row("b", {})}), path, plain());
  const auto rows = footer_of(file_text(path));
  CHECK(column_names(*rows) == Strings{"tortilla:id", "tortilla:file_format", "tortilla:data_split", "tortilla:offset",
                                       "tortilla:length", "stac:crs", "rai:pop", "stats:mean", "cloud"});
  CHECK(texts(*rows, "tortilla:file_format") == Strings{"GTiff", "GTiff"});
  CHECK(texts(*rows, "tortilla:data_split") == Strings{"train", "null"});
  CHECK(integers(*rows, "tortilla:offset") == Integers{200, 201});
}

TEST_CASE("a split that is null in all rows is not written as a column") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla");
  create_tortilla(Tortilla({Sample("a", to_bytes("x"), {{"tortilla:data_split", {}, "string"}})}), path, plain());
  CHECK(column_names(*footer_of(file_text(path))) ==
        Strings{"tortilla:id", "tortilla:file_format", "tortilla:offset", "tortilla:length"});
}

TEST_CASE("the format of a sample comes from its leading bytes, then from its file name") {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  create_tortilla(Tortilla({sized("a", 1)}), folder.path("inner.tortilla"), plain());
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"II*\0..."s, "GTiff"},
      {"MM\0+"s, "GTiff"},
      {"\x89PNG\r\n\x1a\n"s, "PNG"},
      {"\xff\xd8\xff\xe0"s, "JPEG"},
      {"CDF\x01"s, "netCDF"},
      {"\x89HDF\r\n\x1a\n"s, "HDF5"},
      {"GRIB\0"s, "GRIB"},
      {"RIFF\0\0\0\0WEBPVP8"s, "WEBP"},
      {"\x89HDF\r\n\x1a\n .. _NCProperties"s, "netCDF"},
      {"\0\0\0\x1c"
       "ftypavif"s,
       "AVIF"},
      {"\xff\x0a.."s, "JPEGXL"},
      {"fgb\x03"
       "fgb\0"s,
       "FlatGeobuf"},
      {"PAR1...PAR1"s, "Parquet"},
      {R"( {"type": "FeatureCollection"})"s, "GeoJSON"},
      {R"({"type": "Other"})"s, "BYTES"},
      {"<?xml?><kml></kml>"s, "KML"},
      {"II*"s, "BYTES"},
      {"#y is text"s, "BYTES"},
      {""s, "BYTES"},
      {file_text(folder.path("inner.tortilla")), "TORTILLA"}};
  std::vector<Sample> samples;
  Strings expected;
  for (const auto& [bytes, format] : kinds) {
    samples.emplace_back("s" + std::to_string(samples.size()), to_bytes(bytes));
    expected.push_back(format);
  }
  for (const auto& [name, format] : {std::pair("x.nc", "netCDF"), {"x.asc", "AAIGrid"}, {"x.txt", "BYTES"}}) {
    samples.emplace_back("s" + std::to_string(samples.size()),
                         folder.write(name, std::string(name) == "x.nc" ? "\x89HDF\r\n\x1a\n" : "1 2"));
    expected.push_back(format);
  }
  const auto path = folder.path("x.tortilla");
  create_tortilla(Tortilla(samples), path, plain());
  CHECK(texts(*footer_of(file_text(path)), "tortilla:file_format") == expected);
}

TEST_CASE("given formats are spelled as the specification does, and unknown ones are kept") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla");
  const Strings given = {"Gtiff", "JP2openjpeg", "bytes", "FlatGeobuf"};
  std::vector<Sample> samples;
  for (const auto& format : given)
    samples.push_back(sized("s" + std::to_string(samples.size()), 1, {{"tortilla:file_format", format}}));
  create_tortilla(Tortilla(samples), path, plain());
  CHECK(texts(*footer_of(file_text(path)), "tortilla:file_format") ==
        Strings{"GTiff", "JP2OpenJPEG", "BYTES", "FlatGeobuf"});
}

TEST_CASE("trees of any shape are written: roots of both types, folders that differ, four levels") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla");
  create_tortilla(tortilla_of({"a", "b/", "c/", "b/x", "b/y/", "c/z", "b/y/1/", "b/y/2", "b/y/1/deep"}), path, plain());
  const std::string bytes = file_text(path);
  const auto find = [&](std::size_t base, const std::string& id) {
    const auto rows = footer_of(bytes, base);
    const auto ids = texts(*rows, "tortilla:id");
    const auto row = static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
    return std::pair(base + static_cast<std::size_t>(integers(*rows, "tortilla:offset").at(row)),
                     static_cast<std::size_t>(integers(*rows, "tortilla:length").at(row)));
  };
  const auto at = [&](std::pair<std::size_t, std::size_t> place) { return bytes.substr(place.first, place.second); };
  CHECK(at(find(0, "a")) == "a");
  CHECK(at(find(find(0, "c").first, "z")) == "c/z");
  const auto y = find(find(0, "b").first, "y").first;
  CHECK(at(find(y, "2")) == "b/y/2");
  CHECK(at(find(find(y, "1").first, "deep")) == "b/y/1/deep");
}

TEST_CASE("an empty sample has a row, and padding has none") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla");
  create_tortilla(
      tortilla_of({"a/", "b/", "__TACOPAD__2/", "a/x", "a/__TACOPAD__1", "b/x", "b/y", "__TACOPAD__2/__TACOPAD__0"}),
      path, plain());
  const std::string bytes = file_text(path);
  CHECK(texts(*footer_of(bytes), "tortilla:id") == Strings{"a", "b"});
  CHECK(texts(*footer_of(bytes, 200), "tortilla:id") == Strings{"x"});
  create_tortilla(Tortilla({sized("a", 3), Sample("none", Bytes()), sized("c", 2)}), folder.path("y.tortilla"),
                  plain());
  const auto rows = footer_of(file_text(folder.path("y.tortilla")));
  CHECK(integers(*rows, "tortilla:offset") == Integers{200, 203, 203});
  CHECK(integers(*rows, "tortilla:length") == Integers{3, 0, 2});
}

TEST_CASE("parts are filled in order, an oversized sample has its own part, and each part is a complete file") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.taco");
  // The published writer crashes when the first is larger than a part.
  const Tortilla samples({sized("a", 900), sized("b", 300), sized("c", 200), sized("d", 1), sized("e", 500)});
  const auto parts = create_taco({samples, demo_collection()}, path, plain({.split_size = 500}));
  CHECK(parts == Strings{folder.path("x.0000.part.taco"), folder.path("x.0001.part.taco"),
                         folder.path("x.0002.part.taco"), folder.path("x.0003.part.taco")});
  const std::vector<Strings> ids = {{"a"}, {"b", "c"}, {"d"}, {"e"}};
  create_taco({samples, demo_collection()}, path, plain());
  const std::string whole = file_text(path);
  std::string data;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string bytes = file_text(parts[i]);
    const Fields header = fields_of(bytes);
    CHECK(header.parts == 4);
    CHECK(texts(*footer_of(bytes), "tortilla:id") == ids[i]);
    CHECK(integers(*footer_of(bytes), "tortilla:offset")[0] == 200);
    CHECK(bytes.substr(header.collection) == whole.substr(fields_of(whole).collection));
    data += data_of(bytes);
  }
  CHECK(data == data_of(whole));
  CHECK(fields_of(whole).parts == 1);
}

TEST_CASE("footers of nested Tortillas count towards the part size and have the same bytes in every part") {
  const TemporaryFolder folder;
  const Tortilla inner({sized("x", 10), sized("y", 10)});
  const Tortilla samples({Sample("a", inner), Sample("b", inner)});
  create_tortilla(samples, folder.path("x.tortilla"), plain());
  const auto parts = create_tortilla(samples, folder.path("x.tortilla"),
                                     plain({.output = {.overwrite = true}, .split_size = 300, .first_part = 1}));
  REQUIRE(parts == Strings{folder.path("x.0001.part.tortilla"), folder.path("x.0002.part.tortilla")});
  CHECK(data_of(file_text(parts[0])) + data_of(file_text(parts[1])) == data_of(file_text(folder.path("x.tortilla"))));
}

TEST_CASE("a set that fits into one part has the plain name") {
  const TemporaryFolder folder;
  CHECK(create_tortilla(Tortilla({sized("a", 9)}), folder.path("x.tortilla"), plain({.split_size = 9})) ==
        Strings{folder.path("x.tortilla")});
}

/// The files at `paths` as the parts of one set, which they are not.
Strings as_parts(const TemporaryFolder& folder, const Strings& paths) {
  Strings out;
  for (const auto& path : paths) {
    std::string bytes = file_text(path);
    bytes[18] = static_cast<char>(paths.size());
    out.push_back(folder.write("set.000" + std::to_string(out.size()) + ".part.tortilla", bytes));
  }
  return out;
}

TEST_CASE("a column that a part of a set lacks is null there, at any level") {
  const TemporaryFolder folder;
  const auto inner = [](const char* key, const Value& value) {
    return Tortilla({Sample("x", to_bytes("x"), {{key, value}})});
  };
  create_tortilla(Tortilla({Sample("a", inner("deep", 1.5), {{"cloud", 0.5}, {"empty", {}}})}),
                  folder.path("0.tortilla"), plain());
  create_tortilla(Tortilla({Sample("b", inner("low", int64_t{3}), {{"note", "here"}, {"empty", "no"}})}),
                  folder.path("1.tortilla"), plain());
  const auto parts = as_parts(folder, {folder.path("0.tortilla"), folder.path("1.tortilla")});
  for (const Dataset& dataset : {load(parts[0]), load(parts)}) {
    const DataFrame rows = dataset.data();
    REQUIRE(rows.num_rows() == 2);
    CHECK(rows.text(0, "cloud") == "0.5");
    CHECK(!rows.text(1, "cloud"));
    CHECK(!rows.text(0, "note"));
    CHECK(rows.text(1, "note") == "here");
    CHECK(!rows.text(0, "empty"));
    CHECK(rows.text(1, "empty") == "no");
    CHECK(dataset.sql("SELECT * FROM data WHERE note = 'here'").data().num_rows() == 1);
    CHECK(dataset.sql("SELECT id, deep, low FROM level1 WHERE deep = 1.5 OR low = 3").data().num_rows() == 2);
    CHECK(rows.read_bytes("b/x").size() == 1);
    compile(dataset, folder.path("x.tortilla"), plain({.output = {.overwrite = true}}));
    CHECK(load(folder.path("x.tortilla")).data().text(1, "note") == "here");
  }
  const std::string other = folder.write("other.tortilla", file_text(folder.path("0.tortilla")));
  const Strings mixed{parts[0], parts[1], other};
  const auto shared = load(mixed).data().columns();
  CHECK(std::none_of(shared.begin(), shared.end(), [](const Column& column) { return column.name == "note"; }));
}

TEST_CASE("a level is assembled from more footers than are kept in memory, with any columns") {
  const TemporaryFolder folder;
  constexpr int64_t kCount = 4100;  // more than kFootersAtOnce
  std::vector<Sample> samples;
  for (int64_t i = 0; i < kCount; ++i) {
    const MetadataField field = i + 1 < kCount ? MetadataField{"n", i} : MetadataField{"last", "here"};
    samples.emplace_back("s" + std::to_string(i), Tortilla({Sample("x", to_bytes("x"), {field})}));
  }
  const auto path = folder.path("x.tortilla");
  create_tortilla(Tortilla(samples, false), path, plain({.output = {.parquet = {.compression = "none"}}}));
  const DataFrame rows = load(path).sql("SELECT count(*) AS rows, sum(n) AS n, max(last) AS last FROM level1").data();
  CHECK(rows.text(0, "rows") == std::to_string(kCount));
  CHECK(rows.text(0, "n") == std::to_string((kCount - 1) * (kCount - 2) / 2));
  CHECK(rows.text(0, "last") == "here");
}

TEST_CASE("a damaged column of a nested footer is an error that names it, and other columns are read") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla");
  create_tortilla(Tortilla({Sample("a", Tortilla({Sample("x", to_bytes("x"), {{"note", "the text of it"}})}))}), path,
                  plain({.output = {.parquet = {.compression = "none"}}}));
  std::string bytes = file_text(path);
  const auto at = bytes.find("the text of it");
  REQUIRE(at != bytes.npos);
  bytes.replace(at - 16, 10, 10, '\xff');
  folder.write("x.tortilla", bytes);
  const DataFrame children = std::get<DataFrame>(load(path).data().read("a"));
  CHECK(children.text(0, "id") == "x");
  CHECK(children.read_bytes("x").size() == 1);
  says(error_of([&] { children.text(0, "note"); }), "FormatError");
}

TEST_CASE("samples of different parts may differ in children as those of one file may") {
  const TemporaryFolder folder;
  const auto inner = [](const Strings& ids) {
    std::vector<Sample> out;
    for (const auto& id : ids) out.emplace_back(id, to_bytes(id));
    return Tortilla(out);
  };
  create_tortilla(Tortilla({Sample("a", inner({"x"}))}), folder.path("0.tortilla"), plain());
  create_tortilla(Tortilla({Sample("b", inner({"y", "zz"})), Sample("c", to_bytes("file"))}), folder.path("1.tortilla"),
                  plain());
  const auto parts = as_parts(folder, {folder.path("0.tortilla"), folder.path("1.tortilla")});
  const Dataset dataset = load(parts[0]);
  CHECK(dataset.data().num_rows() == 3);
  CHECK(dataset.num_rows() == 3);
  CHECK(dataset.data().read_bytes("b/zz").size() == 2);
  CHECK(dataset.data().read_bytes("a/x").size() == 1);
  CHECK(dataset.sql("SELECT id FROM level1").data().num_rows() == 3);
  compile(dataset, folder.path("x.tortilla"), plain());
  CHECK(load(folder.path("x.tortilla")).data().read_bytes("b/y").size() == 1);
}

TEST_CASE("all parts of a set are published together or not at all") {
  const TemporaryFolder folder;
  folder.write("x.0001.part.tortilla", "mine");
  const Tortilla samples({sized("a", 9), sized("b", 9)});
  const auto path = folder.path("x.tortilla");
  says(error_of([&] { create_tortilla(samples, path, plain({.split_size = 9})); }), "exists already");
  CHECK(file_text(folder.path("x.0001.part.tortilla")) == "mine");
  CHECK(::access(folder.path("x.0000.part.tortilla").c_str(), F_OK) != 0);
  create_tortilla(samples, path, plain({.output = {.overwrite = true}, .split_size = 9}));
  CHECK(fields_of(file_text(folder.path("x.0001.part.tortilla"))).magic == "#y");
}

TEST_CASE("the bytes do not depend on the number of threads, nor on the day") {
  const TemporaryFolder folder;
  std::vector<Sample> samples;
  for (int i = 0; i < 300; ++i) {
    const std::string id = "s" + std::to_string(i);
    samples.emplace_back(id, Tortilla({sized("x", static_cast<std::size_t>(i) * 37), sized("y", 5000)}),
                         std::vector<MetadataField>{{"cloud", 0.25 * i}});
  }
  samples.emplace_back("large", Tortilla({sized("x", 5 << 20), sized("y", 1)}),
                       std::vector<MetadataField>{{"cloud", 1.0}});
  create_tortilla(Tortilla(samples), folder.path("one.tortilla"), plain({.task = {.jobs = 1}}));
  create_tortilla(Tortilla(samples), folder.path("many.tortilla"), plain({.task = {.jobs = 8}}));
  CHECK(file_text(folder.path("one.tortilla")) == file_text(folder.path("many.tortilla")));
}

TEST_CASE("a sample of more than 100 MB is copied whole, and what is no data stays none") {
  const TemporaryFolder folder;
  const auto sample = folder.write("sample.bin", "begin");
  const uint64_t size = (uint64_t{5} << 30) + 3;
  REQUIRE(::truncate(sample.c_str(), static_cast<off_t>(size - 3)) == 0);
  std::ofstream(sample, std::ios::binary | std::ios::app) << "end";
  const auto path = folder.path("x.tortilla");
  create_tortilla(Tortilla({Sample("a", sample), sized("b", 4)}), path, plain());
  std::ifstream in(path, std::ios::binary);
  std::string header(200, '\0'), last(7, '\0');
  in.read(header.data(), 200);
  CHECK(fields_of(header).footer == 200 + size + 4);
  in.seekg(static_cast<std::streamoff>(200 + size - 3));
  in.read(last.data(), 7);
  CHECK(last == "endbbbb");
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK(status.st_blocks * 512 < 64 << 20);
}

TEST_CASE("values that v1 cannot represent are refused before anything is written") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla");
  const auto why = [&](const Tortilla& samples, const CreateTacoOptions& options = plain()) {
    return error_of([&] { create_tortilla(samples, path, options); });
  };
  says(why(tortilla_of(Tree{{TreeLevel{}}})), "ValidationError: no samples");
  says(why(tortilla_of({"a", "b/"})), "'b' is a FOLDER without samples");
  says(why(tortilla_of({"a/", "a/__TACOPAD__0"})), "'a' is a FOLDER without samples");
  says(why(tortilla_of({"a", "a"})), "'a' occurs twice");
  says(why(tortilla_of({""})), "has no id");
  says(why(tortilla_of({"\xff"})), "not UTF-8");
  says(why(Tortilla({sized("a", 1, {{"tortilla:data_split", "dev"}})})),
       "'a' has the split 'dev'; train, validation or test expected");
  says(why(Tortilla({sized("a", 1, {{"tortilla:file_format", "TORTILLA"}})})),
       "'a' has the format TORTILLA, but is not one: ");
  says(why(demo(), plain({.first_part = 2})), "first_part is 2; 0 or 1 expected");
  says(why(demo(), plain({.output = {.parquet = {.compression = "lzma"}}})), "lzma");
  says(why(demo(), plain({.output = {.parquet = {.covering = true}}})), "covering does not exist");
  says(why(demo(), plain({.output = {.parquet = {.id_index = true}}})), "id_index does not exist");
  says(error_of([&] { create_tortilla(demo(), folder.path("x.taco"), plain()); }), "must end in .tortilla");
  says(error_of([&] { create_taco({demo(), demo_collection()}, path, plain()); }), "must end in .taco");
  says(error_of([&] { create_taco({demo(), {}}, folder.path("x.taco"), plain()); }), "the collection breaks");
  says(error_of([&] { create_tortilla(demo(), folder.path(".tortilla"), plain()); }), "must end in .tortilla");
  CHECK(std::filesystem::is_empty(folder.path()));
  create_tortilla(demo(), path, plain());
  says(why(demo()), "exists already");
}

TEST_CASE("other spellings of the three splits are written as the specification spells them") {
  const TemporaryFolder folder;
  std::vector<Sample> samples;
  for (const char* split : {"val", "valid", "training", "testing", "test"})
    samples.push_back(sized(split, 1, {{"tortilla:data_split", split}}));
  create_tortilla(Tortilla(samples), folder.path("x.tortilla"), plain());
  CHECK(texts(*footer_of(file_text(folder.path("x.tortilla"))), "tortilla:data_split") ==
        Strings{"validation", "validation", "train", "test", "test"});
}

TEST_CASE("a sample that shrinks during the copy is an error, and no file is left") {
  const TemporaryFolder folder;
  const Tortilla samples({Sample("a", folder.write("a.bin", "12345"))});
  folder.write("a.bin", "123");
  says(error_of([&] { create_tortilla(samples, folder.path("x.tortilla"), plain()); }), "shrank");
  CHECK(::access(folder.path("x.tortilla").c_str(), F_OK) != 0);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("progress counts the bytes of samples over all parts, and can cancel the work") {
  struct Seen {
    uint64_t last = 0, all = 0;
    bool go_on = true;
  } seen;
  const TemporaryFolder folder;
  auto options = plain({.task = {.user = &seen}, .split_size = 500});
  options.task.progress = [](uint64_t done, uint64_t all, void* user) {
    auto& to = *static_cast<Seen*>(user);
    CHECK(done >= to.last);
    to.last = done;
    to.all = all;
    return to.go_on;
  };
  const Tortilla samples({sized("a", 400), sized("b", 300)});
  create_tortilla(samples, folder.path("x.tortilla"), options);
  CHECK(seen.last == 700);
  CHECK(seen.all == 700);
  seen = {.go_on = false};
  says(error_of([&] { create_tortilla(samples, folder.path("y.tortilla"), options); }), "stopped");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

/// A sample of `rows` by 2 pixels in two bands.
Sample with_moments(const char* id, int rows, const std::vector<double>& mean, const std::vector<double>& std) {
  const auto list = [](const std::vector<double>& numbers) {
    return Value(Value::List(numbers.begin(), numbers.end()));
  };
  return Sample(id, to_bytes("x"),
                {{"stats:min", list({mean[0] - 2, mean[1] - 3})},
                 {"stats:max", list({mean[0] + 2, mean[1] + 3})},
                 {"stats:mean", list(mean)},
                 {"stats:std", list(std)},
                 {"stac:tensor_shape", Value(Value::List{Value(2), Value(rows), Value(2)})}});
}

TEST_CASE("stats:* of samples pool to those of all their pixels, weighed by their number") {
  const TemporaryFolder folder;
  const Tortilla samples({with_moments("a", 2, {1, 10}, {0.5, 2}), with_moments("b", 4, {4, 40}, {1.5, 0})});
  create_tortilla(samples, folder.path("set.tortilla"), plain());
  const Dataset dataset = load(folder.path("set.tortilla"));
  // 4 pixels of mean 1 and 8 of mean 4.
  CHECK(dataset.stats(Statistic::Mean) == std::vector<double>{3, 30});
  CHECK(dataset.stats(Statistic::Min) == std::vector<double>{-1, 7});
  CHECK(dataset.stats(Statistic::Max) == std::vector<double>{6, 43});
  // sum n (s^2 + m^2) / sum n - mean^2
  const auto deviation = dataset.stats(Statistic::Std);
  CHECK(deviation[0] == doctest::Approx(std::sqrt((4 * (0.25 + 1) + 8 * (2.25 + 16)) / 12 - 9)));
  CHECK(deviation[1] == doctest::Approx(std::sqrt((4 * (4 + 100) + 8 * 1600) / 12.0 - 900)));
  CHECK(dataset.data().stats(Statistic::Mean, {.bands = {2}}) == std::vector<double>{30});
  CHECK(std::isnan(dataset.stats(Statistic::P50).at(0)));
  CHECK_THROWS_WITH_AS(dataset.stats_categorical(), doctest::Contains("are continuous"), QueryError);
}

}  // namespace
}  // namespace tacore::v1
