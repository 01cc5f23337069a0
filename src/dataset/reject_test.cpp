#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "support/load_files.hpp"
#include "support/table_files.hpp"

// What a reader has to reject, and every dataset that tests/golden-errors/make_errors.py makes: each one a typed error
// with words that help.
namespace {

using namespace tacore;

/// All bad datasets, made once by the script.
const std::string& bad_datasets() {
  static const TemporaryFolder folder;
  static const std::string path = [] {
    const std::string script = std::string(TACORE_SOURCE_DIR) + "/tests/golden-errors/make_errors.py";
    const std::string command = "python3 -B '" + script + "' '" + golden("") + "' '" + folder.path() + "' > /dev/null";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("make_errors.py failed");
    return folder.path();
  }();
  return path;
}

/// Everything a user may ask of a dataset; the first error stops.
std::string use(const std::string& path) {
  return error_of([&] {
    const Dataset dataset = load(path);
    const DataFrame rows = dataset.data();
    dump(rows);
    dump(dataset.sql("SELECT *, \"internal:gdal_vsi\" AS p FROM data").data());
    const std::function<void(const DataFrame&)> walk = [&](const DataFrame& frame) {
      for (int64_t i = 0; i < frame.num_rows(); ++i) {
        const Node node = frame.read(i);
        if (const auto* below = std::get_if<DataFrame>(&node)) {
          walk(*below);
        } else {
          frame.read_bytes(i);
        }
      }
    };
    walk(rows);
  });
}

/// The fault of each file: where it shows, and what the error must say besides the path.
struct Expected {
  const char* type;  // "" for a dataset that works: its fault is one for validate()
  const char* words;
};

const std::map<std::string, Expected>& expectations() {
  static const std::map<std::string, Expected> all{
      {"count_9.tacozip", {"FormatError", "9"}},
      {"count_1.tacozip", {"FormatError", "1"}},
      {"range_outside.tacozip",
       {"FormatError", "range 0 (4081 bytes at 487) goes beyond the end of the file of 4081 bytes"}},
      {"range_overflow.tacozip",
       {"FormatError", "range 0 (4096 bytes at 18446744073709551600) goes beyond the end of the file"}},
      {"range_empty.tacozip", {"FormatError", "range 0"}},
      {"missing_level.tacozip", {"FormatError", "level"}},
      {"wrong_magic.tacozip", {"FormatError", "directory"}},
      // TACO_HEADER leads to everything: what is lost behind it costs nothing.
      {"truncated_end.tacozip", {"", ""}},
      {"truncated_half.tacozip", {"FormatError", "goes beyond the end of the file of 2040 bytes"}},
      {"truncated_header.tacozip", {"FormatError", "100"}},
      {"empty_file.tacozip", {"FormatError", "''"}},
      {"overlapping_entries.tacozip", {"FormatError", "overlaps the next entry"}},
      {"same_local_header.tacozip", {"", ""}},
      {"directory_outside.tacozip", {"FormatError", "directory"}},
      {"directory_cut.tacozip", {"FormatError", "directory"}},
      {"deflated_level.tacozip", {"FormatError", "compressed (method 8), stored expected"}},
      {"encrypted_entry.tacozip", {"FormatError", "encrypted"}},
      {"data_bad_crc.tacozip", {"FormatError", "the CRC-32 of its bytes is "}},
      {"id_parent.tacozip", {"FormatError", "../rid"}},
      {"id_climbs.tacozip", {"FormatError", "./.."}},
      {"id_absolute.tacozip", {"FormatError", "/tmp/x"}},
      {"id_backslash.tacozip", {"FormatError", "backslash"}},
      {"id_nul.tacozip", {"FormatError", "NUL"}},
      {"id_not_utf8.tacozip", {"FormatError", "UTF"}},
      {"id_null.tacozip", {"FormatError", "id is null"}},
      {"no_id_column.tacozip", {"SchemaError", "no column 'id'"}},
      {"type_other.tacozip", {"FormatError", "type is 'LINK', 'FILE' or 'FOLDER' expected"}},
      {"row_outside.tacozip", {"", ""}},
      {"row_negative.tacozip", {"", ""}},
      {"encrypted_parquet.tacozip", {"FormatError", "encrypted"}},
      {"not_parquet.tacozip", {"FormatError", "not Parquet"}},
      {"footer_length.tacozip", {"FormatError", "footer states 2147483647 bytes"}},
      // The rows of `asia` are computed from level 1: its own table is not needed.
      {"meta_not_parquet.tacozip", {"", ""}},
      {"not_json.tacozip", {"FormatError", "JSON"}},
      {"json_array.tacozip", {"FormatError", "array"}},
      {"json_deep.tacozip", {"FormatError", "deep"}},
      {"json_not_utf8.tacozip", {"FormatError", "UTF-8"}},
      {"no_id.tacozip", {"FormatError", "id is missing"}},
      {"id_number.tacozip", {"FormatError", "id"}},
      {"pit_absent.tacozip", {"FormatError", "taco:pit_schema is missing"}},
      {"pit_no_root.tacozip", {"SchemaError", "root"}},
      {"pit_root_type.tacozip", {"SchemaError", "Invalid root type"}},
      {"pit_negative_n.tacozip", {"SchemaError", "-3"}},
      {"pit_text_n.tacozip", {"SchemaError", "n"}},
      {"pit_no_hierarchy.tacozip", {"SchemaError", "hierarchy"}},
      {"pit_depth_word.tacozip", {"SchemaError", "must be numeric"}},
      {"pit_depth_gap.tacozip", {"SchemaError", "1"}},
      {"pit_depth_6.tacozip", {"SchemaError", "6"}},
      {"pit_empty_pattern.tacozip", {"SchemaError", "empty"}},
      {"pit_lengths_differ.tacozip", {"SchemaError", "differ"}},
      {"pit_child_type.tacozip", {"SchemaError", "'DIR'"}},
      {"pit_not_a_list.tacozip", {"SchemaError", "1"}},
      {"tacocat_magic", {"FormatError", "'TACO'"}},
      {"tacocat_version_2", {"FormatError", "version is 2, expected 1"}},
      {"tacocat_depth_6", {"FormatError", "6"}},
      {"tacocat_level_absent", {"FormatError", "level 1"}},
      {"tacocat_level_outside", {"FormatError", "level 0"}},
      {"tacocat_level_in_header", {"FormatError", "level 0"}},
      {"tacocat_no_collection", {"FormatError", "collection (0 bytes at 0) is absent"}},
      {"tacocat_truncated", {"FormatError", "100"}},
      {"folder_missing_level", {"IoError", "METADATA/level1.parquet"}},
      {"folder_missing_meta", {"", ""}},
      {"folder_missing_file", {"IoError", "DATA/asia/item_1"}},
      {"folder_no_collection", {"FormatError", "COLLECTION.json not found"}},
      {"tacocat_missing_part", {"IoError", "cascade_part0003.tacozip"}},
  };
  return all;
}

TEST_CASE("the bad datasets of the script and the expectations have the same names") {
  std::set<std::string> made, expected;
  for (const auto& entry : fs::directory_iterator(bad_datasets())) made.insert(entry.path().filename().string());
  for (const auto& [name, unused] : expectations()) expected.insert(name);
  CHECK(made.size() >= 60);
  for (const auto& name : made) {
    CAPTURE(name);
    CHECK(expected.contains(name));
  }
  for (const auto& name : expected) {
    CAPTURE(name);
    CHECK(made.contains(name));
  }
}

TEST_CASE("every bad dataset is a typed error with its path and fault, or reads where the fault is not needed") {
  for (const auto& [name, expected] : expectations()) {
    CAPTURE(name);
    const std::string path = bad_datasets() + "/" + name, error = use(path);
    CAPTURE(error);
    if (std::string(expected.type).empty()) {
      CHECK(error == "");
      continue;
    }
    CHECK(error.starts_with(std::string(expected.type) + ": "));
    CHECK(has_text(error, path));
    CHECK(has_text(error, expected.words));
  }
}

TEST_CASE("bad datasets whose fault is not needed have the rows of the intact dataset") {
  for (const auto& [name, expected] : expectations()) {
    if (!std::string(expected.type).empty()) continue;
    CAPTURE(name);
    const bool flat = name.ends_with(".tacozip") && name != "meta_not_parquet.tacozip";
    CHECK(ids(load(bad_datasets() + "/" + name).data()) ==
          ids(load(golden(flat ? "flat_plain.tacozip" : "nested.tacozip")).data()));
  }
}

TEST_CASE("a row with a wrong offset is read by the central directory") {
  for (const std::string name : {"row_outside.tacozip", "row_negative.tacozip"}) {
    CAPTURE(name);
    const DataFrame rows = load(bad_datasets() + "/" + name).data();
    CHECK(to_text(rows.read_bytes("valencia")) == "data of valencia");
    CHECK(has_text(vsi(rows, "valencia"), "_16,"));
    CHECK(to_text(rows.read_bytes("madrid")) == "data of madrid");
  }
}

// The items of the list, each by its name.

TEST_CASE("reject: count > 7") {
  for (const int count : {8, 9, 127, 255}) {
    CAPTURE(count);
    const TemporaryFolder folder;
    std::string bytes = file_text(golden("flat.tacozip"));
    bytes[41] = static_cast<char>(count);
    const std::string path = folder.write("a.tacozip", bytes), error = error_of([&] { load(path); });
    CHECK(has_text(error, "FormatError: " + path));
    CHECK(has_text(error, std::to_string(count)));
    CHECK(has_text(error, "7"));
  }
}

std::string with_u64(std::string bytes, std::size_t at, uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

TEST_CASE("reject: ranges outside the file, in every pair of TACO_HEADER") {
  const std::string good = file_text(golden("nested.tacozip"));
  for (std::size_t pair = 0; pair < 3; ++pair) {
    for (const uint64_t value : {uint64_t{good.size()} + 1, uint64_t{1} << 40, uint64_t{1} << 63, ~uint64_t{0}}) {
      for (const std::size_t field : {0U, 8U}) {
        CAPTURE(pair);
        CAPTURE(value);
        CAPTURE(field);
        const TemporaryFolder folder;
        const std::string path = folder.write("a.tacozip", with_u64(good, 45 + 16 * pair + field, value));
        const std::string error = error_of([&] { load(path); });
        CHECK(has_text(error, "FormatError: " + path));
        CHECK(has_text(error, "range " + std::to_string(pair)));
        CHECK(has_text(error, "goes beyond the end of the file of " + std::to_string(good.size()) + " bytes"));
      }
    }
  }
}

TEST_CASE("reject: ranges outside the file, in every pair of __TACOCAT__") {
  const std::string good = file_text(golden("cascade_tacocat/__TACOCAT__"));
  for (const std::size_t pair : {0U, 1U, 2U, 6U}) {
    for (const uint64_t value : {uint64_t{good.size()} + 1, uint64_t{1} << 63, ~uint64_t{0}}) {
      for (const std::size_t field : {0U, 8U}) {
        CAPTURE(pair);
        CAPTURE(value);
        CAPTURE(field);
        const TemporaryFolder folder;
        const std::string path = folder.write("__TACOCAT__", with_u64(good, 16 + 16 * pair + field, value));
        CHECK(has_text(error_of([&] { load(path); }), "FormatError: " + path));
      }
    }
  }
}

TEST_CASE("reject: symbolic links in a ZIP that is read by its central directory") {
  const TemporaryFolder folder;
  // The external attributes stand 8 bytes before the name of a central entry (APPNOTE 4.3.12).
  const auto linked = [&](const std::string& name, const std::string& entry) {
    std::string bytes = file_text(golden(name));
    bytes.replace(bytes.rfind(entry) - 8, 4, std::string("\0\0\xff\xa1", 4));
    return folder.write(name, bytes);
  };
  CHECK(has_text(use(linked("header_absent.tacozip", "COLLECTION.json")),
                 "FormatError: " + folder.path("header_absent.tacozip")));
  CHECK(has_text(use(linked("header_absent.tacozip", "COLLECTION.json")),
                 "'COLLECTION.json' is a symbolic link, data expected"));
  CHECK(has_text(use(linked("permuted_offsets.tacozip", "DATA/europe/item_0")),
                 "'DATA/europe/item_0' is a symbolic link, data expected"));
}

TEST_CASE(
    "reject: ids with a slash, a backslash, '..', NUL or an absolute path, before any of their rows is returned") {
  for (const std::string name :
       {"id_parent", "id_climbs", "id_absolute", "id_backslash", "id_nul", "id_not_utf8", "id_null"}) {
    CAPTURE(name);
    const std::string path = bad_datasets() + "/" + name + ".tacozip";
    const Dataset dataset = load(path);
    CHECK(has_text(error_of([&] { dump(dataset.data()); }), "FormatError: " + path));
    CHECK(has_text(error_of([&] { dataset.data().read(1); }), "FormatError: " + path));
    CHECK(has_text(error_of([&] { dataset.data().read_bytes(1); }), "FormatError: " + path));
    CHECK(has_text(error_of([&] { dataset.data().read("madrid"); }), "FormatError: " + path));
  }
}

TEST_CASE("reject: path traversal out of a FOLDER by an id, a relative path or a requested path") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("nested"), "plain"), level1 = path + "/METADATA/level1.parquet";
  folder.write("secret", "not for you");
  const auto stored = arrays_of(*LevelTable::open(local_storage()->open(level1), {}));
  for (const char* const relative :
       {"asia/../../../secret", "../secret", "/etc/passwd", "asia//item_0", "asia/./item_0", "..", "asia\\x"}) {
    CAPTURE(std::string(relative));
    auto columns = stored;
    replace_column(columns, "internal:relative_path", texts(std::vector<std::optional<std::string>>(9, relative)));
    folder.write("plain/METADATA/level1.parquet", parquet_text(columns));
    const Dataset dataset = load(path);
    CHECK(has_text(error_of([&] { dataset.data().read_bytes("asia/item_0"); }), "FormatError: "));
    CHECK(has_text(error_of([&] { dataset.data().read("asia/item_0"); }), "FormatError: "));
    CHECK(has_text(error_of([&] { dataset.sql("SELECT \"internal:gdal_vsi\" AS p FROM level1").data(); }),
                   "FormatError: "));
  }
  const DataFrame rows = load(golden("nested")).data();
  for (const char* const asked :
       {"../secret", "/etc/passwd", "..", ".", "", "asia/../asia", "asia//item_0", "asia/item_0/x"}) {
    CAPTURE(std::string(asked));
    CHECK(has_text(error_of([&] { rows.read_bytes(asked); }), "NavigationError: "));
  }
}

TEST_CASE("reject: path traversal out of the folder of a TACOCAT") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("cascade_tacocat"), "set"), level0 = path + "/.tacocat/level0.parquet";
  const auto stored = arrays_of(*LevelTable::open(local_storage()->open(level0), {}));
  for (const char* const file : {"../x.tacozip", "/etc/passwd", "..", "", "a/b.tacozip"}) {
    CAPTURE(std::string(file));
    auto columns = stored;
    replace_column(columns, "internal:source_file", texts(std::vector<std::optional<std::string>>(4, file)));
    folder.write("set/.tacocat/level0.parquet", parquet_text(columns));
    const Dataset dataset = load(path);
    const std::string error = error_of([&] { dump(dataset.data()); });
    CHECK(has_text(error, "FormatError: " + path));
    CHECK(has_text(error, "internal:source_file"));
    // A path that SQL builds has the same guard; one that only goes down is harmless there.
    if (std::string(file).starts_with("a/")) continue;
    CHECK(has_text(error_of([&] { dataset.sql("SELECT *, \"internal:gdal_vsi\" AS p FROM data").data(); }),
                   "FormatError: "));
  }
}

}  // namespace
