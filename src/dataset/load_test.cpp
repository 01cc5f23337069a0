#include <doctest/doctest.h>

#include <algorithm>

#include "dataset/dataset_impl.hpp"
#include "io/vsi_path.hpp"
#include "support/counting.hpp"
#include "support/load_files.hpp"
#include "support/support.hpp"

// Loading; how a format is detected has its own file.
namespace {

using namespace tacore;

const std::string kParts = "cascade_tacocat/";

/// One copy of a dataset in each container: the file that holds its COLLECTION.json, and the path to load.
struct Copies {
  TemporaryFolder folder;
  struct Copy {
    std::string format, document, path;
  };
  std::vector<Copy> all;

  Copies() {
    const std::string zip = folder.copy(golden("nested.tacozip"), "a.tacozip");
    all.push_back({"zip", zip, zip});
    const std::string plain = folder.copy(golden("nested"), "plain");
    all.push_back({"folder", plain + "/COLLECTION.json", plain});
    const std::string cat = folder.copy(golden("cascade_tacocat"), "cat");
    all.push_back({"tacocat folder", cat + "/.tacocat/COLLECTION.json", cat + "/.tacocat"});
    all.push_back({"tacocat file", cat + "/__TACOCAT__", cat + "/__TACOCAT__"});
    all.push_back({"tacollection", cat + "/TACOLLECTION.json", cat + "/TACOLLECTION.json"});
  }
};

TEST_CASE("load accepts one path and a list of them") {
  CHECK(load(golden("flat.tacozip")).num_rows() == 5);
  const std::string text = golden("flat.tacozip");
  const char* const plain = text.c_str();
  CHECK(load(plain).num_rows() == 5);
  CHECK(load(Strings{golden("flat.tacozip"), golden("flat_plain.tacozip")}).num_rows() == 10);
}

TEST_CASE("a query joins a thousand datasets, and refuses more than DuckDB can plan") {
  CHECK(load(Strings(1000, golden("flat.tacozip"))).num_rows() == 5000);
  CHECK(has_text(error_of([] { load(Strings(1001, golden("flat.tacozip"))).data(); }),
                 "QueryError: the query reads 1001 datasets at once, more than 1000; `taco index`"));
}

TEST_CASE("an empty list of paths is a QueryError that says so") {
  CHECK(has_text(error_of([] { load(Strings{}); }), "QueryError: empty list"));
}

TEST_CASE("a list of one path loads the dataset of that path") {
  const Dataset one = load(golden("nested.tacozip")), list = load(Strings{golden("nested.tacozip")});
  CHECK(list.format() == one.format());
  CHECK(list.pit_schema() == one.pit_schema());
  CHECK(list.path() == one.path());
  CHECK(dump(list.data()) == dump(one.data()));
}

TEST_CASE("two paths give the sum of their rows and the columns that both have") {
  const Dataset both = load(Strings{golden("flat.tacozip"), golden("polygons.tacozip")});
  const int64_t sum = load(golden("flat.tacozip")).num_rows() + load(golden("polygons.tacozip")).num_rows();
  CHECK(both.num_rows() == sum);
  CHECK(both.data().num_rows() == sum);
  const auto flat = column_names(load(golden("flat.tacozip")).data());
  const auto other = column_names(load(golden("polygons.tacozip")).data());
  for (const auto& name : column_names(both.data())) {
    CAPTURE(name);
    CHECK(std::count(flat.begin(), flat.end(), name) == 1);
    CHECK(std::count(other.begin(), other.end(), name) == 1);
  }
}

TEST_CASE("files before 2.0 are opened by their content, and a name of the online catalogue is not a path") {
  for (const char* path : {"a.taco", "a.TORTILLA", "/no/such/folder/a.tortilla"}) {
    CAPTURE(std::string(path));
    CHECK(has_text(error_of([&] { load(path); }), "IoError: " + std::string(path)));
  }
  const auto storage = std::make_shared<CountingStorage>();
  const std::string error = error_of([&] { load("tacofoundation:cloudsen12", {}, storage); });
  CHECK(has_text(error, "IoError: tacofoundation:cloudsen12"));
  CHECK(has_text(error, "online catalogue"));
  CHECK(storage->requests().empty());
}

TEST_CASE("a missing local ZIP is an IoError that names the path") {
  for (const std::string path : {"/no/such/folder/a.tacozip", "missing.zip"}) {
    CAPTURE(path);
    try {
      load(path);
      FAIL("loaded");
    } catch (const IoError& error) {
      CHECK(error.not_found());
      CHECK(error.context().path == path);
      CHECK(has_text(error.what(), path));
      CHECK_FALSE(has_text(error.what(), "://"));
    }
  }
}

TEST_CASE("a header that is wrong is a FormatError with the path") {
  const TemporaryFolder folder;
  const std::string zip = folder.copy(golden("flat.tacozip"), "a.tacozip");
  std::string bytes = file_text(zip);
  bytes[41] = 9;
  folder.write("a.tacozip", bytes);
  const std::string error = error_of([&] { load(zip); });
  CHECK(has_text(error, "FormatError: " + zip));
  CHECK(has_text(error, "9"));

  const std::string tacocat = folder.copy(golden(kParts + "__TACOCAT__"), "__TACOCAT__");
  bytes = file_text(tacocat);
  bytes[8] = 2;
  folder.write("__TACOCAT__", bytes);
  CHECK(has_text(error_of([&] { load(tacocat); }), "FormatError: " + tacocat));
}

TEST_CASE("a file truncated anywhere is a typed error with the path, in every format") {
  const Copies copies;
  for (const auto& copy : copies.all) {
    const std::string whole = file_text(copy.document);
    for (const double part : {0.0, 0.1, 0.5, 0.9, 0.99}) {
      CAPTURE(copy.format);
      CAPTURE(part);
      fs::resize_file(copy.document, static_cast<std::uintmax_t>(part * static_cast<double>(whole.size())));
      const std::string error = error_of([&] { load(copy.path); });
      // A folder is named; inside it, the file may be.
      CHECK(has_text(error, copy.path));
      CHECK(has_text(error, "FormatError: "));
    }
    copies.folder.write(fs::relative(copy.document, copies.folder.path()).string(), whole);
    CHECK(error_of([&] { load(copy.path); }) == "");
  }
}

TEST_CASE("a malformed COLLECTION.json is a FormatError with the path, in every format") {
  const Copies copies;
  for (const auto& copy : copies.all) {
    CAPTURE(copy.format);
    REQUIRE(edit_file(copy.document, "\"dataset_version\"", "\"dataset_version:"));
    const std::string error = error_of([&] { load(copy.path); });
    CHECK(has_text(error, "FormatError: " + copy.path));
    CHECK(has_text(error, "JSON"));
  }
}

TEST_CASE("a missing id is a FormatError that names the key and the path, in every format") {
  const Copies copies;
  for (const auto& copy : copies.all) {
    CAPTURE(copy.format);
    REQUIRE(edit_file(copy.document, "\"id\": \"", "\"ix\": \""));
    const std::string error = error_of([&] { load(copy.path); });
    CHECK(has_text(error, "FormatError: " + copy.path));
    CHECK(has_text(error, "id is missing"));
  }
}

TEST_CASE("a missing taco:pit_schema is a FormatError that names the key and the path, in every format") {
  const Copies copies;
  for (const auto& copy : copies.all) {
    CAPTURE(copy.format);
    REQUIRE(edit_file(copy.document, "taco:pit_schema", "taco:pit_schemX"));
    const std::string error = error_of([&] { load(copy.path); });
    CHECK(has_text(error, "FormatError: " + copy.path));
    CHECK(has_text(error, "taco:pit_schema"));
  }
}

TEST_CASE("base_path moves every path of a TACOCAT, at all levels") {
  for (const std::string index : {".tacocat", "__TACOCAT__"}) {
    CAPTURE(index);
    const Dataset dataset = load(golden(kParts + index), {.base_path = "/elsewhere"});
    const DataFrame rows = dataset.data();
    for (const auto& path : values(rows, "internal:gdal_vsi")) CHECK(has_text(path, ",/elsewhere/cascade_part000"));
    // The tables of levels 1 and 2 are in the index, so nothing has to be opened at the other place.
    const DataFrame below = children(rows, "asia");
    for (const auto& path : values(below, "internal:gdal_vsi"))
      CHECK(has_text(path, ",/elsewhere/cascade_part0002.tacozip"));
    const auto asked = dataset.sql("SELECT *, \"internal:gdal_vsi\" AS p FROM level2").data();
    REQUIRE(asked.num_rows() > 0);
    for (const auto& path : values(asked, "p")) CHECK(has_text(path, ",/elsewhere/cascade_part000"));
  }
}

TEST_CASE("base_path is the folder of the partitions of a TACOLLECTION.json") {
  const TemporaryFolder folder;
  const std::string index = folder.copy(golden(kParts + "TACOLLECTION.json"), "TACOLLECTION.json");
  CHECK(has_text(error_of([&] { load(index).data(); }), "IoError"));
  const Dataset dataset = load(index, {.base_path = golden("cascade_tacocat")});
  CHECK(dataset.data().num_rows() == 4);
  CHECK(has_text(vsi(children(children(dataset.data(), "asia"), ids(children(dataset.data(), "asia"))[0]),
                     ids(children(children(dataset.data(), "asia"), ids(children(dataset.data(), "asia"))[0]))[0]),
                 golden(kParts + "cascade_part0002.tacozip")));
}

TEST_CASE("base_path may lack its slash, be relative or a URL, and has no effect on ZIP and FOLDER") {
  const auto first = [](const std::string& base) {
    return values(load(golden(kParts + ".tacocat"), {.base_path = base}).data(), "internal:gdal_vsi")[0];
  };
  CHECK(has_text(first("/base"), ",/base/cascade_part0001.tacozip"));
  CHECK(first("/base/") == first("/base"));
  CHECK(has_text(first("s3://bucket/key"), ",/vsis3/bucket/key/cascade_part0001.tacozip"));
  CHECK(has_text(first("https://host/a"), ",/vsicurl/https://host/a/cascade_part0001.tacozip"));
  CHECK(has_text(first("here"), "," + fs::current_path().string() + "/here/cascade_part0001.tacozip"));
  for (const std::string name : {"nested.tacozip", "nested"}) {
    CHECK(dump(load(golden(name), {.base_path = "/elsewhere"}).data()) == dump(load(golden(name)).data()));
  }
}

TEST_CASE("the ZIPs of a TACOCAT lie beside its index by default") {
  const std::string beside = "," + golden(kParts) + "cascade_part0001.tacozip";
  for (const std::string index : {".tacocat", ".tacocat/", "", "__TACOCAT__"}) {
    CAPTURE(index);
    CHECK(values(load(golden(kParts + index)).data(), "internal:gdal_vsi")[0].ends_with(beside));
  }
}

TEST_CASE("a relative path gives absolute VSI paths") {
  const fs::path before = fs::current_path();
  fs::current_path(golden(""));
  const std::string zip = vsi(load("flat.tacozip").data(), "madrid");
  const std::string folder = vsi(children(load("./nested/").data(), "asia"), "item_0");
  const std::string index = values(load("cascade_tacocat/.tacocat").data(), "internal:gdal_vsi")[0];
  fs::current_path(golden("cascade_tacocat"));
  const std::string bare = values(load(".tacocat").data(), "internal:gdal_vsi")[0];
  fs::current_path(before);
  CHECK(has_text(zip, "," + golden("flat.tacozip")));
  CHECK(folder == golden("nested/DATA/asia/item_0"));
  CHECK(has_text(index, "," + golden("cascade_tacocat/cascade_part0001.tacozip")));
  CHECK(bare == index);
}

TEST_CASE("paths in object stores get GDAL's VSI prefixes") {
  const std::pair<const char*, const char*> cases[] = {{"s3://b/k", "/vsis3/b/k"},
                                                       {"gs://b/k", "/vsigs/b/k"},
                                                       {"az://b/k", "/vsiaz/b/k"},
                                                       {"azure://b/k", "/vsiaz/b/k"},
                                                       {"oss://b/k", "/vsioss/b/k"},
                                                       {"swift://b/k", "/vsiswift/b/k"},
                                                       {"http://h/k", "/vsicurl/http://h/k"},
                                                       {"https://h/k", "/vsicurl/https://h/k"}};
  for (const auto& [url, name] : cases) CHECK(to_vsi(url) == name);
}

TEST_CASE("paths with quotes, spaces, commas, brackets and stars load and answer in every format") {
  for (const std::string odd :
       {"it's", "a b", "x,y", "[z]", "*", "q\"q", "100%", "a?b", "ünï", "{level:0}", "$1", "a;b", "tab\tx"}) {
    CAPTURE(odd);
    const TemporaryFolder folder;
    const std::string zip = folder.copy(golden("nested.tacozip"), odd + "/" + odd + ".tacozip");
    const std::string plain = folder.copy(golden("nested"), odd + "/" + odd);
    const std::string cat = folder.copy(golden("cascade_tacocat"), odd + "/cat " + odd);
    for (const std::string& path : {zip, plain}) {
      CAPTURE(path);
      const Dataset dataset = load(path);
      CHECK(ids(dataset.sql("SELECT * FROM data WHERE id = 'asia'").data()) == Strings{"asia"});
      CHECK(dataset.filter_datetime("2023-01-01/2023-01-31", {.level = 1}).num_rows() == 1);
      CHECK(to_text(dataset.data().read_bytes("asia/item_1")) == "asia/item_1");
      CHECK(has_text(values(dataset.sql("SELECT *, \"internal:gdal_vsi\" AS p FROM data").data(), "p")[0],
                     odd == "q\"q" ? "q" : odd));
    }
    for (const char* const index : {"/.tacocat", "/__TACOCAT__", "/TACOLLECTION.json"}) {
      CAPTURE(std::string(index));
      const Dataset dataset = load(cat + index);
      CHECK(dataset.sql("SELECT * FROM data WHERE id = 'asia'").num_rows() == 1);
      const DataFrame region = children(dataset.data(), "asia");
      const DataFrame country = children(region, ids(region)[0]);
      CHECK(country.read_bytes(0).size() > 0);
    }
  }
}

/// Moves level 0 behind everything else: the header's offsets no longer ascend.
std::string with_level0_last(std::string bytes) {
  const std::string level0 = [&] {
    uint64_t offset = 0, size = 0;
    for (int i = 7; i >= 0; --i) {
      offset = offset << 8 | static_cast<uint8_t>(bytes[45 + static_cast<std::size_t>(i)]);
      size = size << 8 | static_cast<uint8_t>(bytes[53 + static_cast<std::size_t>(i)]);
    }
    return bytes.substr(offset, size);
  }();
  for (std::size_t i = 0; i < 8; ++i) bytes[45 + i] = static_cast<char>(bytes.size() >> (8 * i));
  return bytes + level0;
}

TEST_CASE("header entries in descending order load") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.tacozip", with_level0_last(file_text(golden("nested.tacozip"))));
  const auto storage = std::make_shared<CountingStorage>();
  const Dataset dataset = load(path, {}, storage);
  CHECK(ids(dataset.data()) == ids(load(golden("nested.tacozip")).data()));
  CHECK(to_text(dataset.data().read_bytes("europe/item_2")) == "europe/item_2");
}

TEST_CASE("a level file that cannot be read is an IoError, never a shallower dataset") {
  const TemporaryFolder folder;
  const std::string plain = folder.copy(golden("nested"), "plain"), cat = folder.copy(golden("cascade_tacocat"), "cat");
  for (const std::string& level : {plain + "/METADATA/level1.parquet", cat + "/.tacocat/level2.parquet"}) {
    CAPTURE(level);
    fs::remove(level);
    fs::create_directory(level);
    const std::string error = error_of([&] { load(level.starts_with(plain) ? plain : cat); });
    CHECK(has_text(error, "IoError: " + level));
  }
}

TEST_CASE("a level that the pit schema has and the dataset has not is an error that names it") {
  const TemporaryFolder folder;
  const std::string plain = folder.copy(golden("nested"), "plain"), cat = folder.copy(golden("cascade_tacocat"), "cat");
  fs::remove(plain + "/METADATA/level1.parquet");
  fs::remove(cat + "/.tacocat/level2.parquet");
  CHECK(has_text(error_of([&] { load(plain); }), "level1.parquet"));
  CHECK(has_text(error_of([&] { load(cat); }), "level2.parquet"));
}

TEST_CASE("a replaced file is read anew by the next load, and an open dataset keeps the old file") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("flat.tacozip"), "a.tacozip");
  const Dataset before = load(path);
  CHECK(before.num_rows() == 5);
  fs::rename(folder.copy(golden("nested.tacozip"), "b.tacozip"), path);
  CHECK(ids(load(path).data()) == ids(load(golden("nested.tacozip")).data()));
  CHECK(ids(before.data()) == ids(load(golden("flat.tacozip")).data()));
  CHECK(before.sql("SELECT * FROM data").num_rows() == 5);
}

TEST_CASE("the next load of a FOLDER reads a changed COLLECTION.json") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("nested"), "plain");
  CHECK(load(path).version() == "1.0.0");
  REQUIRE(edit_file(path + "/COLLECTION.json", "\"1.0.0\"", "\"2.7.1\""));
  CHECK(load(path).version() == "2.7.1");
}

TEST_CASE("load asks for nothing outside the dataset") {
  for (const std::string name : {"flat.tacozip", "nested", "cascade_tacocat", "cascade_tacocat/__TACOCAT__",
                                 "cascade_tacocat/TACOLLECTION.json"}) {
    CAPTURE(name);
    const auto storage = std::make_shared<CountingStorage>();
    const Dataset dataset = load(golden(name), {}, storage);
    dataset.filter_bbox(-180, -90, 180, 90, {.level = name == "flat.tacozip" ? 0 : 1}).data();
    const std::string inside = name.starts_with("cascade") ? golden("cascade_tacocat") : golden(name);
    for (const Request& request : storage->requests()) CHECK(request.path.starts_with(inside));
  }
}

TEST_CASE("a published dataset loads in every container" * doctest::test_suite("external")) {
  if (missing(published("zip"))) return;
  CHECK(load(published("zip/flat.tacozip")).num_rows() == 5);
  CHECK(load(published("zip/nested.tacozip")).num_rows() == 3);
  CHECK(load(published("folder/deep")).num_rows() == 20);
  CHECK(load(published("tacocat/deep")).num_rows() == 20);
  // The reference writes permuted offsets here; the right bytes come back all the same.
  const DataFrame nested = load(published("zip/nested.tacozip")).data();
  CHECK(to_text(nested.read_bytes("europe/item_0")) == "data_europe_0");
  CHECK(to_text(nested.read_bytes("americas/item_0")) == "data_americas_0");
}

}  // namespace
