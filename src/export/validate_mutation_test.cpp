#include <doctest/doctest.h>

#include <functional>

#include "format/names.hpp"
#include "support/create_files.hpp"
#include "support/support.hpp"
#include "support/validate_files.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/write/create.hpp"
#include "validate/containers.hpp"
#include "validate/pit.hpp"
#include "validate/rows.hpp"

namespace tacore::validator {
namespace {

void check_broken(const std::string& path, const std::string& rule, const std::string& words) {
  const auto issues = validate(path);
  std::string all;
  for (const auto& issue : issues) all += issue.rule + " " + issue.message + "\n";
  CAPTURE(rule);
  CHECK_MESSAGE(find(issues, rule, words), all);
}

/// The bytes of flat_plain.tacozip and where its records are: DATA/madrid is the third of 8 entries.
struct FlatZip {
  std::string bytes = file_text(golden("flat_plain.tacozip"));
  std::size_t directory = bytes.find("PK\1\2");
  std::size_t central = bytes.find("DATA/madrid", directory) - 46;
  std::size_t local = bytes.find("DATA/madrid") - 30;
  std::size_t end = bytes.rfind("PK\5\6");
};

struct ZipCase {
  const char* rule;
  const char* words;
  std::function<void(FlatZip&)> patch;
};

void put32(std::string& bytes, std::size_t at, uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(value >> 8 * i);
}

void rename_entry(FlatZip& zip, const std::string& name) {
  zip.bytes.replace(zip.local + 30, name.size(), name);
  zip.bytes.replace(zip.central + 46, name.size(), name);
}

void add_central_extra(FlatZip& zip, const std::string& extra) {
  zip.bytes.insert(zip.central + 46 + 11, extra);
  zip.bytes[zip.central + 30] = static_cast<char>(extra.size());
  put32(zip.bytes, zip.end + extra.size() + 12, static_cast<uint32_t>(zip.end - zip.directory + extra.size()));
}

/// Over the first bytes of the payload, so that nothing moves.
void add_local_extra(FlatZip& zip, const std::string& extra) {
  zip.bytes.replace(zip.local + 30 + 11, extra.size(), extra);
  zip.bytes[zip.local + 28] = static_cast<char>(extra.size());
}

void add_comment(FlatZip& zip, const std::string& comment) {
  zip.bytes += comment;
  zip.bytes[zip.end + 20] = static_cast<char>(comment.size());
}

/// Another level of a FOLDER dataset: some integers replaced.
void replace_integers(const std::string& file, int level, std::string_view column,
                      std::vector<std::optional<int64_t>> values) {
  const auto table = LevelTable::open(local_storage()->open(file), {.path = file, .offset = {}, .level = level});
  const auto changed = with_integers(*table, {{std::string(column), std::move(values)}});
  const Bytes bytes = changed->source()->read_all();
  std::ofstream(file, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST_CASE("Damaged ZIP records and TACO_HEADER fields are found, one at a time") {
  const ZipCase cases[] = {
      {"ZIP-2", "local header has CRC-32 00000001", [](FlatZip& z) { put32(z.bytes, z.local + 14, 1); }},
      {"ZIP-2", "local header has method 8", [](FlatZip& z) { z.bytes[z.local + 8] = 8; }},
      {"ZIP-2", "local header has version needed 99", [](FlatZip& z) { z.bytes[z.local + 4] = 99; }},
      {"ZIP-2", "local header has time", [](FlatZip& z) { z.bytes[z.local + 10] ^= 1; }},
      {"ZIP-2", "local header has date", [](FlatZip& z) { z.bytes[z.local + 12] ^= 1; }},
      {"ZIP-2", "signature", [](FlatZip& z) { z.bytes[z.local] = 'X'; }},
      {"ZIP-4", "data descriptor", [](FlatZip& z) { z.bytes[z.central + 8] = 8; }},
      {"ZIP-5", "'DATA/new_york' occurs twice",
       [](FlatZip& z) {
         const auto other = z.bytes.find("DATA/valencia", z.directory);
         z.bytes.replace(other, 13, "DATA/new_york");
       }},
      {"ZIP-7", "5 bytes between the central directory", [](FlatZip& z) { z.bytes.insert(z.end, "     "); }},
      {"ZIP-7", "5 unused bytes before the central directory",
       [](FlatZip& z) {
         z.bytes.insert(z.directory, "     ");
         put32(z.bytes, z.end + 5 + 16, static_cast<uint32_t>(z.directory + 5));
       }},
      {"ZIP-9", "'DATA/../rid' has a part that is reserved by file systems",
       [](FlatZip& z) { rename_entry(z, "DATA/../rid"); }},
      {"ZIP-9", "'/ATA/madrid'", [](FlatZip& z) { rename_entry(z, "/ATA/madrid"); }},
      {"ZIP-10", "'DATB/madrid' is not part", [](FlatZip& z) { rename_entry(z, "DATB/madrid"); }},
      {"OFF-3", "'DATA/madrid'", [](FlatZip& z) { rename_entry(z, "DATB/madrid"); }},
      {"ZIP-11", "symbolic link", [](FlatZip& z) { put32(z.bytes, z.central + 38, 0120777u << 16); }},
      {"ZIP-12", "'DATA/madrid' has an extra field",
       [](FlatZip& z) { add_central_extra(z, std::string("UT\1\0\3", 5)); }},
      {"ZIP-10", "'METADATA/level7.parquet' is not part",
       [](FlatZip& z) { z.bytes[z.bytes.find("METADATA/level0", z.directory) + 14] = '7'; }},
      {"ZIP-2", "local header has flags 1, the central directory 0", [](FlatZip& z) { z.bytes[z.local + 6] = 1; }},
      {"ZIP-2", "local header has compressed size",
       [](FlatZip& z) { z.bytes[z.local + 18]++, z.bytes[z.local + 22]++; }},
      {"ZIP-2", "local header has the name 'DATA/nadrid', 'DATA/madrid' expected",
       [](FlatZip& z) { z.bytes[z.local + 35] = 'n'; }},
      {"ZIP-2", "an extra field of 4 bytes", [](FlatZip& z) { add_local_extra(z, std::string("UT\0\0", 4)); }},
      {"ZIP-2", "an extra field of 20 bytes",  // as long as that of ZIP64
       [](FlatZip& z) { add_local_extra(z, std::string("UT\20\0", 4) + std::string(16, 'x')); }},
      {"ZIP-4", "is encrypted", [](FlatZip& z) { z.bytes[z.local + 6] = z.bytes[z.central + 8] = 1; }},
      {"ZIP-4", "is encrypted", [](FlatZip& z) { z.bytes[z.local + 6] = z.bytes[z.central + 8] = 0x40; }},
      {"ZIP-4", "has the flags 8192, 0 or 2048 expected",  // masked local headers
       [](FlatZip& z) { z.bytes[z.local + 7] = z.bytes[z.central + 9] = 0x20; }},
      {"ZIP-1", "several files", [](FlatZip& z) { z.bytes[z.end + 4] = 1; }},
      {"ZIP-1", "no end of central directory", [](FlatZip& z) { z.bytes += "x"; }},
      {"ZIP-8", "an archive comment of 5 bytes", [](FlatZip& z) { add_comment(z, "hello"); }},
      {"ZIP-13", "that some readers take for the end of central directory record",
       [](FlatZip& z) { add_comment(z, "PK\5\6 not all of it"); }},
      {"ZIP-13",
       "that some readers take for the end of central directory record",  // one that is whole, and would be taken
       [](FlatZip& z) { add_comment(z, z.bytes.substr(z.end, 22)); }},
      {"ZIP-14", "the ZIP64 field of its local header",
       [](FlatZip& z) { add_local_extra(z, std::string("\1\0\20\0", 4) + std::string(16, '\1')); }},
      {"ZIP-14", "its ZIP64 field does not match its sizes and offset",
       [](FlatZip& z) { add_central_extra(z, std::string("\1\0\10\0", 4) + std::string(8, '\1')); }},
      {"ZIP-15", "'DATA/madrid' is on disk 2", [](FlatZip& z) { z.bytes[z.central + 34] = 2; }},
      {"ZIP-16", "'DATA/madrid' has a comment of 5 bytes",
       [](FlatZip& z) {
         z.bytes.insert(z.central + 46 + 11, "hello");
         z.bytes[z.central + 32] = 5;
         put32(z.bytes, z.end + 5 + 12, static_cast<uint32_t>(z.end - z.directory + 5));
       }},
      {"HDR-2", "extra field", [](FlatZip& z) { z.bytes[28] = 4; }},
      {"HDR-3", "METADATA/level0.parquet", [](FlatZip& z) { z.bytes[45]++; }},
      {"HDR-4", "CRC-32", [](FlatZip& z) { z.bytes[14]++; }},
      {"HDR-5", "reserved", [](FlatZip& z) { z.bytes[43] = 1; }},
      {"HDR-5", "ranges after the first 2", [](FlatZip& z) { z.bytes[156] = 1; }},
      {"ID-2", "'new_york' occurs twice",
       [](FlatZip& z) { z.bytes.replace(z.bytes.find(std::string("\x08\0\0\0valencia", 12)) + 4, 8, "new_york"); }},
  };
  const TemporaryFolder folder;
  for (const auto& c : cases) {
    FlatZip zip;
    c.patch(zip);
    check_broken(folder.write("patched.tacozip", zip.bytes), c.rule, c.words);
  }
}

TEST_CASE("A ZIP64 end record with more than its numbers") {
  const TemporaryFolder folder;
  std::string bytes = file_text(golden("zip64_records.tacozip"));
  const auto end64 = bytes.rfind("PK\6\6"), locator = bytes.rfind("PK\6\7");
  REQUIRE(locator == end64 + 56);
  std::string wider = bytes;
  wider.insert(locator, "hidden");
  wider[end64 + 4] = static_cast<char>(44 + 6);
  check_broken(folder.write("wider.tacozip", wider), "ZIP-7", "ZIP64 end records of 82 bytes, 76 expected");
  wider[end64 + 4] = 44;
  check_broken(folder.write("gap.tacozip", wider), "ZIP-7", "ZIP64 end records of 82 bytes, 76 expected");
}

TEST_CASE("A ZIP that tools interpret differently is not extracted") {
  const TemporaryFolder folder;
  const auto said = [&](const std::function<void(FlatZip&)>& patch) -> std::string {
    FlatZip zip;
    patch(zip);
    const auto path = folder.write("patched.tacozip", zip.bytes);
    REQUIRE_NOTHROW(load(path).data());  // what is not extracted may be read
    for (const std::string name : {"out", "out.tortilla"}) {
      try {
        convert(path, folder.path(name));
        return "extracted";
      } catch (const FormatError& error) {
        CHECK(error.context().path == path);
        CHECK_FALSE(fs::exists(folder.path(name)));
        if (name != "out") return error.message();
      }
    }
    return "";
  };
  const auto has = [](const std::string& text, const char* words) {
    CHECK_MESSAGE(text.find(words) != std::string::npos, text);
  };
  has(said([](FlatZip& z) { z.bytes[z.local + 10] ^= 1; }), "rule ZIP-2");
  has(said([](FlatZip& z) { z.bytes[z.central + 8] = 8; }), "rule ZIP-4");
  has(said([](FlatZip& z) { z.bytes[z.local + 6] = z.bytes[z.central + 8] = 1; }), "rule ZIP-4");
  has(said([](FlatZip& z) { z.bytes.replace(z.bytes.find("DATA/valencia", z.directory), 13, "DATA/new_york"); }),
      "rule ZIP-");
  has(said([](FlatZip& z) { put32(z.bytes, z.central + 42, 157); }), "rule ZIP-");
  has(said([](FlatZip& z) { z.bytes.insert(z.end, "     "); }), "rule ZIP-7");
  has(said([](FlatZip& z) { add_comment(z, z.bytes.substr(z.end, 22)); }), "rule ZIP-13");
  has(said([](FlatZip& z) { z.bytes.pop_back(); }), "rule ZIP-1)");
  has(said([](FlatZip& z) { z.bytes[z.central + 34] = 2; }), "rule ZIP-15");

  // Warnings are no reason.
  FlatZip zip;
  add_comment(zip, "hello");
  convert(folder.write("comment.tacozip", zip.bytes), folder.path("comment"));
  CHECK(load(folder.path("comment")).data().num_rows() == load(golden("flat_plain.tacozip")).data().num_rows());
}

TEST_CASE("Wrong members of COLLECTION.json are found, one at a time") {
  struct Case {
    const char* rule;
    const char* words;
    const char* old;
    const char* now;
  };
  const Case cases[] = {
      {"COL-2", "'Nested'", R"("id": "nested")", R"("id": "Nested")"},
      {"COL-3", "description is number", R"("description": "Golden dataset of the tacore tests")",
       R"("description": 7)"},
      {"COL-4", "'0.5.0'", R"("taco_version": "2.0.0")", R"("taco_version": "0.5.0")"},
      {"COL-5", "missing", R"("dataset_version": "1.0.0",)", ""},
      {"COL-6", "missing", R"("description": "Golden dataset of the tacore tests",)", ""},
      {"COL-7", "empty", R"("MIT")", ""},
      {"COL-8", "'MYT'", R"("MIT")", R"("MYT")"},
      {"COL-9", "neither name nor organization", R"("name": "tacore",)", R"("name": null,)"},
      {"COL-10", "empty", R"("other")", ""},
      {"COL-11", "'others'", R"("other")", R"("others")"},
      {"COL-12", "251 characters", R"("title": null)", nullptr},
      {"COL-13", "-190", "-180.0", "-190.0"},
      {"COL-13", "-95", "90.0", "95.0"},
      {"COL-13", "south beyond its north", "-90.0", "91.0"},
      {"COL-14", "'id' twice", R"("licenses")", R"("id": "nested", "licenses")"},
      {"COL-14", "'spatial' twice", R"("spatial")", R"("spatial": null, "spatial")"},
      {"PIT-3", "FILE expected", R"("type": "FOLDER")", R"("type": "FILE")"},
      {"PIT-4", "FILE 'item_9' as child 0 of 'africa'", R"("item_0")", R"("item_9")"},
      {"PIT-5", "n is 4, the level has 3", R"("n": 3)", R"("n": 4)"},
      {"SCH-5", "'regions', but there is no such column", R"("region")", R"("regions")"},
      {"SCH-5", "the type bool", R"("double")", R"("bool")"},
  };
  const std::string title = "\"title\": \"" + std::string(251, 't') + "\"";
  for (const auto& c : cases) {
    CAPTURE(c.words);
    const TemporaryFolder folder;
    const auto path = folder.copy(golden("nested"));
    REQUIRE(edit_file(path + "/COLLECTION.json", c.old, c.now ? c.now : title));
    check_broken(path, c.rule, c.words);
  }
}

TEST_CASE("Wrong links between levels are found, one at a time") {
  struct Case {
    const char* rule;
    const char* words;
    int level;
    std::string_view column;
    std::vector<std::optional<int64_t>> values;
  };
  const Case cases[] = {
      {"LVL-2", "internal:current_id is 1, more than 1 expected", 0, names::kCurrentId, {0, 1, 1}},
      {"LVL-2", "internal:current_id is null", 0, names::kCurrentId, {0, std::nullopt, 2}},
      {"LVL-3", "internal:current_id is 7, 2 expected", 0, names::kCurrentId, {0, 1, 7}},
      {"LVL-4", "internal:parent_id 2 refers to no row of level 0", 0, names::kCurrentId, {0, 1, 7}},
      {"LVL-4", "internal:parent_id 3 refers to no row of level 0", 1, names::kParentId, {0, 0, 0, 1, 1, 1, 2, 2, 3}},
      {"LVL-4", "internal:parent_id -1 refers to no row", 1, names::kParentId, {-1, 0, 0, 1, 1, 1, 2, 2, 2}},
      {"LVL-5",
       "its parent is row 0 of level 0, after rows whose parent is row 1",
       1,
       names::kParentId,
       {1, 1, 1, 0, 0, 0, 2, 2, 2}},
      {"LVL-7", "expected", 1, names::kParentId, {1, 1, 1, 0, 0, 0, 2, 2, 2}},
      {"LVL-5", "its parent is row 0", 1, names::kParentId, {0, 0, 1, 0, 1, 1, 2, 2, 2}},
      {"PIT-1", "has 2 children, 3 expected", 1, names::kParentId, {0, 0, 0, 1, 1, 2, 2, 2, 2}},
      {"PIT-1", "has 0 children, 3 expected", 1, names::kParentId, {0, 0, 0, 1, 1, 1, 1, 1, 1}},
      {"MET-2", "has 3 rows, 2 expected", 1, names::kParentId, {0, 0, 0, 1, 1, 2, 2, 2, 2}},
      {"LVL-6", "internal:parent_id is 9, 0 expected", 0, names::kParentId, {9, 1, 2}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.words);
    const TemporaryFolder folder;
    const auto path = folder.copy(golden("nested"));
    replace_integers(path + "/METADATA/" + std::string(names::kLevelFiles[c.level]), c.level, c.column, c.values);
    check_broken(path, c.rule, c.words);
  }
}

TEST_CASE("Gaps in internal:current_id that internal:parent_id follows are a warning, not an error") {
  const TemporaryFolder folder;
  const auto path = folder.copy(golden("nested"));
  replace_integers(path + "/METADATA/level0.parquet", 0, names::kCurrentId, {0, 1, 7});
  replace_integers(path + "/METADATA/level0.parquet", 0, names::kParentId, {0, 1, 7});
  replace_integers(path + "/METADATA/level1.parquet", 1, names::kParentId, {0, 0, 0, 1, 1, 1, 7, 7, 7});
  CHECK(rules_of(validate(path)) == std::set<std::string>{"LVL-3"});
}

TEST_CASE("Missing, extra and changed files of a FOLDER are found") {
  const TemporaryFolder folder;
  const auto padded = folder.copy(golden("nested_padded"));
  fs::copy_file(padded + "/DATA/one/__meta__", padded + "/DATA/two/__meta__", fs::copy_options::overwrite_existing);
  check_broken(padded, "MET-2", "row 1 is FILE 'b', FILE '__TACOPAD__0' expected");

  const auto nested = folder.copy(golden("nested"));
  fs::copy_file(padded + "/DATA/one/__meta__", nested + "/DATA/asia/__meta__", fs::copy_options::overwrite_existing);
  check_broken(nested, "PIT-2", "has a column 'score', but its level table has none");
  check_broken(nested, "MET-4", "has no column 'cloud_cover'");

  for (const char* name : {"level3.parquet", "level7.parquet", "notes.txt"}) {
    CAPTURE(std::string(name));
    folder.write("nested/METADATA/" + std::string(name), "bytes");
    check_broken(nested, "DIR-5", "'" + std::string(name) + "'");
    fs::remove(nested + "/METADATA/" + name);
  }
  CHECK_FALSE(rules_of(validate(nested)).contains("DIR-5"));

  folder.write("nested/DATA/more", "bytes");
  check_broken(nested, "DIR-3", "'DATA/more' belongs to no row");
  fs::remove(nested + "/DATA/asia/item_0");
  fs::create_symlink("../europe/item_0", nested + "/DATA/asia/item_0");
  CHECK(!rules_of(validate(nested)).contains("DIR-2"));
  fs::remove(nested + "/DATA/asia/item_0");
  fs::create_symlink("/etc/hostname", nested + "/DATA/asia/item_0");
  check_broken(nested, "DIR-2", "not below DATA/");
  fs::create_directory_symlink(".", nested + "/DATA/loop");
  check_broken(nested, "DIR-2", "is a symbolic link to a folder");
  fs::create_symlink("nowhere", nested + "/DATA/dangling");
  check_broken(nested, "DIR-4", "");
  fs::remove_all(nested + "/DATA");
  check_broken(nested, "DIR-1", "the file 'DATA/asia/item_0' is missing");
}

TEST_CASE("Wrong offsets and sizes of FOLDER rows, __meta__ rows and padding are found") {
  const std::string path = golden("nested_padded.tacozip");
  const auto archive = local_storage()->open(path);
  Report report;
  Checked checked = check_zip_dataset(report, archive, path, {});
  REQUIRE(!report.has_errors());
  const auto root = with_integers(*checked.levels[0], {{std::string(names::kOffset), {1, 2}}});
  const auto below = with_integers(*checked.levels[1], {{std::string(names::kSize), {2, 2, 2, 2, 5, 2}}});
  Section section{.path = path, .levels = {{root, 0, 2}, {below, 0, 6}}, .entries = &*checked.entries};
  section.open_entry = [&](std::size_t entry) {
    const ByteRange range{checked.entries->offset(entry), checked.entries->size_of(entry)};
    const auto meta = LevelTable::open(slice(archive, range), {.path = path});
    return with_integers(*meta, {{std::string(names::kOffset), {1, 2, 3}}})->source();
  };
  PitShape shape;
  CHECK(check_rows(report, section, shape));
  const auto issues = report.finish();
  CHECK(rules_of(issues) == std::set<std::string>{"OFF-1", "OFF-2", "MET-3", "ID-3"});
  CHECK(find(issues, "OFF-2", "internal:offset is 2"));
  CHECK(find(issues, "MET-3", "'DATA/two/__meta__' row 2: internal:offset is 3"));
  CHECK(find(issues, "ID-3", "'__TACOPAD__0' has the type FILE and the size 5"));
}

TEST_CASE("Wrong column statistics of a footer are found by deep checks only") {
  // The bounds of a text stand in the footer as they are, twice (min_value, max_value and their older namesakes).
  const auto lie = [](const std::string& path, const std::string& old, const std::string& now) {
    const std::string file = path + "/METADATA/level0.parquet";
    std::string bytes = file_text(file);
    // After the last page, of which level0 of the dataset has some.
    const auto footer = bytes.size() - 8 - static_cast<unsigned char>(bytes[bytes.size() - 8]) -
                        256 * static_cast<unsigned char>(bytes[bytes.size() - 7]);
    int count = 0;
    for (auto at = bytes.find(old, footer); at != std::string::npos; at = bytes.find(old, at + 1), ++count)
      bytes.replace(at, old.size(), now);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    return count;
  };
  const TemporaryFolder folder;
  const auto path = folder.copy(golden("nested"));
  CHECK_FALSE(rules_of(validate(path, {.deep = true})).contains("SCH-8"));
  REQUIRE(lie(path, "africa", "afrika") > 0);  // the least of the ids: africa, asia, europe
  CHECK_FALSE(rules_of(validate(path)).contains("SCH-8"));
  CHECK(find(validate(path, {.deep = true}), "SCH-8",
             "column 'id' in row group 0: min is 'afrika', the values have 'africa'"));
}

TEST_CASE("Faults of an index over several datasets are found") {
  const auto change = [](const char* rule, const char* words, const std::function<void(const std::string&)>& patch) {
    const TemporaryFolder folder;
    const auto path = folder.copy(golden("cascade_tacocat"));
    patch(path);
    check_broken(path, rule, words);
  };
  const std::string collection = "/.tacocat/COLLECTION.json";
  change("CAT-2", "count",
         [&](const auto& path) { REQUIRE(edit_file(path + collection, R"("count": 4)", R"("count": 5)")); });
  change("CAT-4", "'cascade_part0002.tacozip' is not in taco:sources", [&](const auto& path) {
    REQUIRE(edit_file(path + collection, R"("cascade_part0002.tacozip")", R"("cascade_part0009.tacozip")"));
    REQUIRE(edit_file(path + collection, R"("cascade_part0002.tacozip")", R"("cascade_part0009.tacozip")"));
  });
  change("CAT-5", "is FOLDER 'europe', source 'cascade_part0001.tacozip' has FOLDER 'asia'", [](const auto& path) {
    fs::copy_file(path + "/cascade_part0002.tacozip", path + "/cascade_part0001.tacozip",
                  fs::copy_options::overwrite_existing);
  });
  change("OFF-3", "DATA/europe", [](const auto& path) {
    fs::copy_file(path + "/cascade_part0002.tacozip", path + "/cascade_part0001.tacozip",
                  fs::copy_options::overwrite_existing);
  });
  change("CAT-7", "a different taco:pit_schema", [](const auto& path) {
    fs::copy_file(golden("nested.tacozip"), path + "/cascade_part0001.tacozip", fs::copy_options::overwrite_existing);
  });
  change("CAT-3", "is an index", [](const auto& path) {
    fs::copy_file(path + "/__TACOCAT__", path + "/cascade_part0001.tacozip", fs::copy_options::overwrite_existing);
  });
  change("CAT-6", "is outside of the extent of source 'cascade_part0001.tacozip'", [&](const auto& path) {
    // The western edge of its extent: Spain lies at 4 degrees west.
    REQUIRE(edit_file(path + collection, "-4,", "-3,"));
    REQUIRE(edit_file(path + collection, "-4,", "-3,") == false);
  });
}

TEST_CASE("Faults of a TACOLLECTION.json are found") {
  const TemporaryFolder folder;
  const auto path = folder.copy(golden("cascade_tacocat")) + "/TACOLLECTION.json";
  REQUIRE(edit_file(path, R"("n": 4)", R"("n": 5)"));
  check_broken(path, "CAT-8", "n of the root is 5, the sources have 4 in total");
  REQUIRE(edit_file(path, R"("country_0")", R"("country_9")"));
  check_broken(path, "CAT-7", "'cascade_part0001.tacozip' has a different taco:pit_schema than the index");
  fs::remove(fs::path(path).parent_path() / "cascade_part0004.tacozip");
  check_broken(path, "CAT-3", "'cascade_part0004.tacozip'");
  REQUIRE(edit_file(path, "cascade_part0004.tacozip", "TACOLLECTION.json"));
  check_broken(path, "CAT-2", "is of 'cascade_part0004.tacozip', which is none of the files");
  REQUIRE(edit_file(path, "cascade_part0004.tacozip", "TACOLLECTION.json"));  // in its extent too
  check_broken(path, "CAT-3", "'TACOLLECTION.json' is an index");
}

TEST_SUITE("threads") {
  TEST_CASE("several threads check `__meta__`, and find what one finds in its order") {
    const Workshop shop;
    constexpr int kFolders = 300;
    std::vector<Sample> samples;
    for (int i = 0; i < kFolders; ++i) {
      std::vector<Sample> children;
      children.emplace_back("a", to_bytes("bytes"), std::vector<MetadataField>{{"number", int64_t{i}}});
      samples.emplace_back("f" + std::to_string(i), Tortilla(std::move(children)));
    }
    const auto path = create({Tortilla(std::move(samples)), collection()}, shop.out("made"))[0];
    const auto meta = [&](int number) { return path + "/DATA/f" + std::to_string(number) + "/__meta__"; };
    const std::vector<int> wrong{1, 63, 64, 65, 128, 299};
    for (const int number : wrong) fs::copy_file(meta(0), meta(number), fs::copy_options::overwrite_existing);
    Strings expected;
    for (const int number : wrong) {
      expected.push_back("MET-2 'DATA/f" + std::to_string(number) +
                         "/__meta__' row 0: number is 0, the level table has " + std::to_string(number));
    }
    for (const int jobs : {1, 2, 4}) {
      CAPTURE(jobs);
      Strings found;
      for (const Issue& issue : validate(path, {.deep = true, .task = {.jobs = jobs}}))
        found.push_back(issue.rule + " " + issue.message);
      CHECK(found == expected);
    }
  }
}

}  // namespace tacore::validator
