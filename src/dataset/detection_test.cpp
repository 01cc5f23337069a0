#include <doctest/doctest.h>

#include <algorithm>

#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "support/counting.hpp"
#include "support/load_files.hpp"
#include "support/support.hpp"

// How the format of a path is found: by its name, then by its content.
namespace {

using namespace tacore;

TEST_CASE("a path ending in .tacozip or .zip is opened once, without probing") {
  for (const std::string name : {"flat.tacozip", "extra_entries.zip"}) {
    CAPTURE(name);
    const auto storage = std::make_shared<CountingStorage>();
    CHECK(load(golden(name), {}, storage).format() == Format::Zip);
    CHECK(storage->num_probes() == 0);
    CHECK(storage->num_opens() == 1);
  }
}

TEST_CASE("a path whose last part is .tacocat is a TACOCAT, with and without a slash at its end") {
  for (const std::string end : {"", "/", "//"}) {
    const Dataset dataset = load(golden("cascade_tacocat/.tacocat") + end);
    CHECK(dataset.format() == Format::Tacocat);
    CHECK(dataset.num_rows() == 4);
  }
}

TEST_CASE("a folder named foo.tacocat has its parent folder as the base path of its ZIPs") {
  const TemporaryFolder folder;
  folder.copy(golden("cascade_tacocat"), "set");
  fs::rename(folder.path("set/.tacocat"), folder.path("set/foo.tacocat"));
  for (const std::string end : {"", "/"}) {
    const Dataset dataset = load(folder.path("set/foo.tacocat") + end);
    CHECK(dataset.format() == Format::Tacocat);
    CHECK(values(dataset.data(), "internal:gdal_vsi")[0].ends_with("," + folder.path("set/cascade_part0001.tacozip")));
    const DataFrame region = children(dataset.data(), "asia");
    CHECK(children(region, ids(region)[0]).read_bytes(0).size() > 0);
  }
}

TEST_CASE("an index folder under any name, by any way to it, is a TACOCAT with its ZIPs beside it") {
  const TemporaryFolder folder;
  folder.copy(golden("cascade_tacocat"), "set");
  fs::rename(folder.path("set/.tacocat"), folder.path("set/index"));
  fs::create_directory_symlink(folder.path("set/index"), folder.path("link"));
  fs::copy(golden("cascade_tacocat/.tacocat"), folder.path("set/.tacocat"), fs::copy_options::recursive);
  for (const std::string way : {"set/index", "set/index/.", "link", "link/", "set/index/COLLECTION.json",
                                "set/.tacocat/.", "set/.tacocat/COLLECTION.json"}) {
    CAPTURE(way);
    const Dataset dataset = load(folder.path(way));
    CHECK(dataset.format() == Format::Tacocat);
    CHECK(to_text(dataset.data().read_bytes("asia/country_0/city_1")) == "asia/country_0/city_1");
  }
}

TEST_CASE("the path of the COLLECTION.json of a FOLDER opens the FOLDER") {
  const Dataset dataset = load(golden("nested/COLLECTION.json"));
  CHECK(dataset.format() == Format::Folder);
  CHECK(to_text(dataset.data().read_bytes("asia/item_0")) == "asia/item_0");
}

TEST_CASE("a __TACOCAT__ file lists its partitions, without their extents") {
  const auto sources = load(golden("cascade_tacocat/__TACOCAT__")).collection().sources;
  REQUIRE(sources.size() == 4);
  CHECK(sources[1].file == "cascade_part0002.tacozip");
  CHECK_FALSE(sources[1].extent.spatial);
}

TEST_CASE("a folder with .tacocat/COLLECTION.json is a TACOCAT even where it has a COLLECTION.json of its own") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("nested"), "both");
  folder.copy(golden("cascade_tacocat/.tacocat"), "both/.tacocat");
  CHECK(load(path).format() == Format::Tacocat);
  CHECK(load(path).num_rows() == 4);
}

TEST_CASE("a folder with nothing but COLLECTION.json is a FOLDER") {
  for (const std::string end : {"", "/", "///"}) {
    const Dataset dataset = load(golden("nested") + end);
    CHECK(dataset.format() == Format::Folder);
    CHECK(to_text(dataset.data().read_bytes("asia/item_0")) == "asia/item_0");
  }
}

TEST_CASE("a folder without COLLECTION.json and .tacocat is a FormatError that names them") {
  const TemporaryFolder folder;
  folder.write("empty/readme.txt", "nothing");
  const std::string error = error_of([&] { load(folder.path("empty")); });
  CHECK(has_text(error, "FormatError: " + folder.path("empty")));
  CHECK(has_text(error, "COLLECTION.json not found"));
}

TEST_CASE("a FOLDER without METADATA and one without level0 are FormatErrors with the words of the reference") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("nested"), "plain");
  fs::remove(path + "/METADATA/level0.parquet");
  CHECK(has_text(error_of([&] { load(path); }), "FormatError: " + path + ": No metadata files found"));
  fs::remove_all(path + "/METADATA");
  CHECK(has_text(error_of([&] { load(path); }), "FormatError: " + path + ": METADATA directory not found"));
}

TEST_CASE("file name suffixes are read without regard to case") {
  const TemporaryFolder folder;
  for (const std::string name : {"A.ZIP", "a.TacoZip", "b.Zip"}) {
    CAPTURE(name);
    const auto storage = std::make_shared<CountingStorage>();
    CHECK(load(folder.copy(golden("flat.tacozip"), name), {}, storage).format() == Format::Zip);
    CHECK(storage->num_probes() == 0);
  }
  folder.copy(golden("cascade_tacocat"), "set");
  fs::rename(folder.path("set/.tacocat"), folder.path("set/.TACOCAT"));
  CHECK(load(folder.path("set/.TACOCAT")).format() == Format::Tacocat);
}

TEST_CASE("the content of a file determines its format where its name does not") {
  const TemporaryFolder folder;
  const struct {
    const char *from, *as;
    Format format;
  } cases[] = {{"flat.tacozip", "dataset", Format::Zip},
               {"flat.tacozip", "dataset.bin", Format::Zip},
               {"flat.tacozip", "x.parquet", Format::Zip},
               {"flat.tacozip", "__TACOCAT__", Format::Zip},
               {"header_absent.tacozip", "plain", Format::Zip},
               {"cascade_tacocat/__TACOCAT__", "index", Format::Tacocat},
               {"cascade_tacocat/__TACOCAT__", "old.tacocat", Format::Tacocat},
               {"cascade_tacocat/__TACOCAT__", "wrong.zip", Format::Tacocat},
               {"cascade_tacocat/TACOLLECTION.json", "list", Format::Tacollection},
               {"cascade_tacocat/TACOLLECTION.json", "list.tacozip", Format::Tacollection}};
  for (const auto& c : cases) {
    CAPTURE(std::string(c.from));
    CAPTURE(std::string(c.as));
    CHECK(load(folder.copy(golden(c.from), c.as)).format() == c.format);
    fs::remove(folder.path(c.as));
  }
}

TEST_CASE("an index may start with a byte order mark or blanks") {
  const TemporaryFolder folder;
  const std::string text = file_text(golden("cascade_tacocat/TACOLLECTION.json"));
  CHECK(load(folder.write("a.json", "\n  " + text)).format() == Format::Tacollection);
}

TEST_CASE("a file that is not a dataset is a FormatError that states what was found") {
  const TemporaryFolder folder;
  const struct {
    const char *name, *bytes, *words;
  } cases[] = {{"a.tacozip", "GIF89a", "'GIF8'"},
               {"a.txt", "hello", "'hell'"},
               {"a.parquet", "PAR1....PAR1", "Parquet"},
               {"level0", "PAR1", "Parquet"},
               {"empty.zip", "", "''"},
               {"empty", "", "''"},
               {"a.zip", "P", "'P'"},
               {"b.zip", "PK", "PK"},
               {"c.zip", "PK\3\4", "directory"},
               {"a.json", "[1]", "'[1]'"}};
  for (const auto& c : cases) {
    CAPTURE(std::string(c.name));
    const std::string path = folder.write(c.name, c.bytes), error = error_of([&] { load(path); });
    CAPTURE(error);
    CHECK(has_text(error, "FormatError: " + path));
    CHECK(has_text(error, c.words));
  }
}

TEST_CASE("an ordinary ZIP and a JSON file without sources are FormatErrors") {
  const TemporaryFolder folder;
  std::string end(22, '\0');
  end.replace(0, 4, "PK\5\6", 4);
  CHECK(has_text(error_of([&] { load(folder.write("a.zip", end)); }), "COLLECTION.json"));
  const std::string lone = folder.copy(golden("nested/COLLECTION.json"), "COLLECTION.json");
  fs::rename(lone, folder.path("x.json"));
  CHECK(has_text(error_of([&] { load(folder.path("x.json")); }),
                 "FormatError: " + folder.path("x.json") + ": no taco:sources"));
}

TEST_CASE("a missing file and an empty path are IoErrors") {
  for (const std::string path : {"/no/such/dataset", "no_such_dataset", "/no/such.tacocat", "/no/such/"}) {
    CAPTURE(path);
    const std::string error = error_of([&] { load(path); });
    CHECK(has_text(error, "IoError: /no/such") + has_text(error, "IoError: no_such") > 0);
  }
  CHECK(has_text(error_of([] { load(""); }), "IoError: the path is empty"));
}

TEST_CASE("an index in a folder is found by its fixed file names") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("cascade_tacocat"), "set");
  CHECK(load(path).format() == Format::Tacocat);
  fs::remove_all(path + "/.tacocat");
  CHECK(load(path).format() == Format::Tacocat);  // __TACOCAT__
  fs::remove(path + "/__TACOCAT__");
  CHECK(load(path).format() == Format::Tacollection);
  CHECK(load(path).data().num_rows() == 4);
}

TEST_CASE("a .tacocat folder without COLLECTION.json does not count") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("nested"), "plain");
  fs::create_directory(path + "/.tacocat");
  CHECK(load(path).format() == Format::Folder);
  CHECK(has_text(error_of([&] { load(path + "/.tacocat"); }), "COLLECTION.json not found"));
}

TEST_CASE("a TACOCAT that is moved or renamed together with its parts opens and gives their bytes") {
  for (const std::string index : {"", "/.tacocat", "/__TACOCAT__", "/TACOLLECTION.json"}) {
    CAPTURE(index);
    const TemporaryFolder folder;
    folder.copy(golden("cascade_tacocat"), "before");
    const Dataset before = load(folder.path("before") + index);
    const DataFrame region = children(before.data(), "africa");
    const Bytes bytes = children(region, ids(region)[1]).read_bytes(1);
    fs::create_directories(folder.path("other place"));
    fs::rename(folder.path("before"), folder.path("other place/after"));
    const Dataset after = load(folder.path("other place/after") + index);
    const DataFrame moved = children(after.data(), "africa");
    CHECK(children(moved, ids(moved)[1]).read_bytes(1) == bytes);
    CHECK(values(after.data(), "internal:gdal_vsi")[0].ends_with(
        "," + folder.path("other place/after/cascade_part0001.tacozip")));
  }
}

// read_collection.

TEST_CASE("read_collection reads only the collection, neither levels nor footers") {
  const struct {
    const char* name;
    int reads;
  } cases[] = {{"nested.tacozip", 2},  // the header, the document
               {"nested", 1},
               {"cascade_tacocat", 1},
               {"cascade_tacocat/.tacocat", 1},
               {"cascade_tacocat/__TACOCAT__", 2},
               {"cascade_tacocat/TACOLLECTION.json", 2}};
  for (const auto& c : cases) {
    CAPTURE(std::string(c.name));
    const CountingStorage storage;
    const std::string path = golden(c.name);
    const Collection collection = read_collection(storage, detect(storage, path), path);
    CHECK(storage.num_reads() <= c.reads);
    CHECK(storage.num_reads(".parquet") == 0);
    CHECK(storage.num_bytes() <= collection.json.size() + 157);
    CHECK(storage.num_opens() == 1);
    CHECK(collection.json == load(path).collection().json);
  }
}

TEST_CASE("read_collection succeeds for a dataset whose levels are damaged") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("nested"), "plain");
  folder.write("plain/METADATA/level0.parquet", "damaged");
  fs::remove(path + "/METADATA/level1.parquet");
  CHECK(read_collection(path).id == "nested");
  CHECK(has_text(error_of([&] { load(path); }), "FormatError"));
}

TEST_CASE("read_collection throws the errors that load throws") {
  CHECK(has_text(error_of([] { read_collection("/no/such.tacozip"); }), "IoError: /no/such.tacozip"));
  CHECK(has_text(error_of([] { read_collection("no_such.taco"); }), "IoError: no_such.taco"));
  const TemporaryFolder folder;
  CHECK(has_text(error_of([&] { read_collection(folder.path("")); }), "COLLECTION.json not found"));
}

// §6.6 selects the partitions of a query by their extents. Nothing verifies these, so all partitions are read.

struct Routed {
  std::shared_ptr<CountingStorage> storage = std::make_shared<CountingStorage>();
  Dataset dataset;

  explicit Routed(const std::string& index = "cascade_tacocat/TACOLLECTION.json")
      : dataset(load(golden(index), {}, storage)) {}
  int opened() const { return impl_of(dataset)->partitions->num_opened(); }
};

TEST_CASE("the collection of a TACOLLECTION.json is read without opening a partition") {
  const Routed index;
  CHECK(index.dataset.collection().sources.size() == 4);
  CHECK(index.opened() == 0);
  CHECK(index.storage->num_opens() == 1);
}

TEST_CASE("num_rows of a TACOLLECTION.json comes from the footers of its partitions, not from its tree") {
  const Routed index;
  CHECK(index.dataset.num_rows() == 4);
  CHECK(index.dataset.level_rows(2) == 16);
  CHECK(index.opened() == 4);
  CHECK(index.storage->num_opens() == 5);
  CHECK(has_text(error_of([&] { (void)index.dataset.level_rows(3); }), "Level 3 does not exist: the deepest is 2"));

  const TemporaryFolder folder;
  folder.copy(golden("flat_padded.tacozip"), "part.tacozip");
  const std::string text = R"({"id": "padded", "taco:pit_schema": {"root": {"n": 77, "type": "FILE"}, "hierarchy": {}},
    "taco:sources": {"count": 1, "files": ["part.tacozip"]}})";
  const Dataset padded = load(folder.write("TACOLLECTION.json", text));
  CHECK(padded.num_rows() == load(golden("flat_padded.tacozip")).num_rows());
  CHECK(padded.level_rows(0) == padded.num_rows());
  CHECK(padded.pit_schema().root_n == static_cast<uint64_t>(padded.num_rows()));
}

TEST_CASE("a TACOLLECTION.json has the columns that all its partitions have") {
  const Routed index;
  CHECK_FALSE(index.dataset.level_columns(2).empty());
  CHECK(index.opened() == 4);
}

TEST_CASE("a filter of a TACOLLECTION.json opens each partition once, when rows are read") {
  const Routed index;
  const auto& source = index.dataset.collection().sources[1];
  REQUIRE(source.extent.spatial);
  const Dataset found = index.dataset.filter_bbox(*source.extent.spatial, {.level = 2});
  CHECK(index.opened() == 0);
  CHECK(ids(found.data()) == Strings{"asia"});
  CHECK(index.opened() == 4);
  CHECK(index.storage->num_opens(".tacozip") == 4);
  const Dataset none = index.dataset.filter_bbox(-179, -89, -178, -88, {.level = 2});
  CHECK(none.data().num_rows() == 0);
  CHECK(none.data().columns() == index.dataset.filter_bbox(-180, -90, 180, 90, {.level = 2}).data().columns());
  CHECK(index.storage->num_opens(".tacozip") == 4);
}

// Published extents are those of centroids and middle times, and may be of another level.
TEST_CASE("wrong extents hide no rows of an index or a TACOLLECTION.json") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("cascade_tacocat"), "set");
  const std::vector<Source> sources = load(golden("cascade_tacocat/TACOLLECTION.json")).collection().sources;
  std::vector<std::string> parts;
  for (const auto& source : sources) parts.push_back(path + "/" + source.file);
  const Dataset all = load(parts);
  for (const char* index : {"TACOLLECTION.json", ".tacocat/COLLECTION.json"}) {
    std::string lie = file_text(path + "/" + index);
    const auto begin = lie.find("taco:sources");
    for (const auto& [member, value] : {std::pair<std::string, std::string>{"\"spatial\"", "[0, 0, 0.5, 0.5]"},
                                        {"\"temporal\"", R"(["1999-01-01T00:00:00Z", "1999-01-02T00:00:00Z"])"}}) {
      for (auto at = lie.find(member, begin); at != lie.npos; at = lie.find(member, at + member.size())) {
        const auto first = lie.find('[', at), last = lie.find(']', at);
        lie.replace(first, last + 1 - first, value);
      }
    }
    REQUIRE(lie.find("1999-01-01", begin) != lie.npos);
    folder.write(std::string("set/") + index, lie);
    const Dataset dataset = load(path + (index[0] == '.' ? "/.tacocat" : "/TACOLLECTION.json"));
    for (const auto& source : sources) {
      CAPTURE(source.file);
      for (const int level : {1, 2}) {
        CHECK(ids(dataset.filter_bbox(*source.extent.spatial, {.level = level}).data()) ==
              ids(all.filter_bbox(*source.extent.spatial, {.level = level}).data()));
        CHECK(ids(dataset.filter_datetime(*source.extent.temporal, {.level = level}).data()) ==
              ids(all.filter_datetime(*source.extent.temporal, {.level = level}).data()));
      }
    }
  }
}

TEST_CASE("a filter of a TACOLLECTION.json gives the rows that the .tacocat index gives") {
  const Dataset all = load(golden("cascade_tacocat/.tacocat"));
  const Routed index;
  for (const auto& source : index.dataset.collection().sources) {
    CAPTURE(source.file);
    const BBox box = *source.extent.spatial;
    CHECK(ids(index.dataset.filter_bbox(box, {.level = 2}).data()) == ids(all.filter_bbox(box, {.level = 2}).data()));
    CHECK(ids(index.dataset.filter_datetime(*source.extent.temporal, {.level = 2}).data()) ==
          ids(all.filter_datetime(*source.extent.temporal, {.level = 2}).data()));
  }
}

TEST_CASE("a missing partition is an error for every call that needs rows") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("cascade_tacocat"), "set");
  fs::remove(path + "/cascade_part0003.tacozip");
  const Dataset dataset = load(path + "/TACOLLECTION.json");
  const Dataset filtered = dataset.filter_bbox(*dataset.collection().sources[1].extent.spatial, {.level = 2});
  for (const Dataset& rows : {dataset, filtered}) {
    CHECK(has_text(error_of([&] { rows.data(); }), "IoError: " + path + "/cascade_part0003.tacozip"));
    CHECK(impl_of(dataset)->partitions->num_opened() <= 3);  // a failure is not an opening
  }
}

TEST_CASE("a level that an index does not have is a QueryError, before and after partitions are opened") {
  const Routed index;
  CHECK(has_text(error_of([&] { index.dataset.level_rows(3); }), "QueryError"));
  CHECK(has_text(error_of([&] { index.dataset.level_rows(-1); }), "QueryError"));
  CHECK(has_text(error_of([&] { index.dataset.level_columns(3); }), "QueryError"));
  const Dataset opened = index.dataset.sql("SELECT * FROM data");
  CHECK(has_text(error_of([&] { opened.level_rows(3); }), "QueryError"));
  CHECK(has_text(error_of([&] { opened.level_columns(3); }), "QueryError"));
}

TEST_CASE("a filter of a TACOCAT opens no ZIP") {
  const auto storage = std::make_shared<CountingStorage>();
  const Dataset dataset = load(golden("cascade_tacocat"), {}, storage);
  CHECK(ids(dataset.filter_bbox(*dataset.collection().sources[1].extent.spatial, {.level = 2}).data()) ==
        Strings{"asia"});
  CHECK(storage->num_opens(".tacozip") == 0);
}

TEST_CASE("SQL over a deeper level of a TACOLLECTION.json gives the same rows after any filter") {
  const Dataset all = load(golden("cascade_tacocat/TACOLLECTION.json"));
  const Dataset none = all.filter_bbox(-179, -89, -178, -88, {.level = 2});
  for (int level = 0; level < 3; ++level) CHECK(none.level_rows(level) == all.level_rows(level));
}

TEST_CASE("partitions that are listed twice, or are indexes themselves, are refused") {
  const TemporaryFolder folder;
  folder.copy(golden("cascade_tacocat"), "set");
  const std::string text = file_text(golden("cascade_tacocat/TACOLLECTION.json"));
  const auto with = [&](const std::string& other) {
    std::string out = text;
    for (auto at = out.find("cascade_part0002.tacozip"); at != out.npos; at = out.find("cascade_part0002.tacozip")) {
      out.replace(at, 24, other);
    }
    return folder.write("set/TACOLLECTION.json", out);
  };
  const auto twice = with("cascade_part0001.tacozip");
  CHECK(has_text(error_of([&] { load(twice); }), "'cascade_part0001.tacozip' is listed twice"));
  const auto index = with(".tacocat");
  CHECK(has_text(error_of([&] { (void)load(index).num_rows(); }), ".tacocat: an index of datasets, not a dataset"));
}

}  // namespace
