#include <doctest/doctest.h>

#include <algorithm>
#include <bit>

#include "support/load_files.hpp"
#include "support/support.hpp"
#include "support/table_files.hpp"

// What other writers do and a reader has to tolerate.
namespace {

using namespace tacore;

/// A FOLDER dataset like golden/nested, whose tables a test may change.
struct Nested {
  TemporaryFolder folder;
  std::string path = folder.copy(golden("nested"), "plain");

  NamedArrays table(const std::string& name) const {
    return arrays_of(*LevelTable::open(local_storage()->open(path + "/" + name), {}));
  }
  void write(const std::string& name, const std::string& bytes) const { folder.write("plain/" + name, bytes); }
  void write(const std::string& name, const NamedArrays& columns) const { write(name, parquet_text(columns)); }

  /// The same change to level 0, level 1 and every `__meta__`.
  template <class Change>
  void change(const Change& edit) const {
    for (const char* name : {"METADATA/level0.parquet", "METADATA/level1.parquet", "DATA/africa/__meta__",
                             "DATA/asia/__meta__", "DATA/europe/__meta__"}) {
      auto columns = table(name);
      edit(columns);
      write(name, columns);
    }
  }
};

void drop(NamedArrays& columns, const std::string& name) {
  std::erase_if(columns, [&](const auto& column) { return column.first == name; });
}

/// Checks that all of nested can be read, in every way of reading.
void check_nested(const std::string& path) {
  const Dataset dataset = load(path);
  CHECK(dataset.num_rows() == 3);
  CHECK(dataset.level_rows(1) == 9);
  const DataFrame rows = dataset.data();
  CHECK(ids(rows) == Strings{"africa", "asia", "europe"});
  for (const std::string region : {"africa", "asia", "europe"}) {
    CHECK(ids(children(rows, region)) == Strings{"item_0", "item_1", "item_2"});
    CHECK(to_text(rows.read_bytes(region + "/item_1")) == region + "/item_1");
  }
  CHECK(ids(dataset.filter_datetime("2023-02-01/2023-02-28", {.level = 1}).data()) == Strings{"asia"});
  const auto total = dataset.sql(
      "SELECT count(*) AS n FROM data JOIN level1 ON level1.\"internal:parent_id\" = data.\"internal:current_id\"");
  CHECK(values(total.data(), "n") == Strings{"9"});
  CHECK(dataset.verify_rsut());
}

TEST_CASE("tolerate: the dataset that the tests below modify is valid") { check_nested(Nested().path); }

TEST_CASE("tolerate: any column order") {
  const Nested nested;
  nested.change([](NamedArrays& columns) { std::reverse(columns.begin(), columns.end()); });
  check_nested(nested.path);
  CHECK(column_names(load(nested.path).data())[0] == "region");
}

TEST_CASE("tolerate: missing extension columns in a __meta__") {
  const Nested nested;
  auto meta = nested.table("DATA/asia/__meta__");
  drop(meta, "cloud_cover");
  drop(meta, "istac:centroid");
  nested.write("DATA/asia/__meta__", meta);
  check_nested(nested.path);
}

TEST_CASE("tolerate: missing extension columns in a __meta__ that has to be read") {
  // Without internal:parent_id in level 1 nothing proves computed rows: the folder's own table leads on.
  const Nested nested;
  auto level1 = nested.table("METADATA/level1.parquet");
  drop(level1, "internal:parent_id");
  nested.write("METADATA/level1.parquet", level1);
  auto meta = nested.table("DATA/asia/__meta__");
  drop(meta, "cloud_cover");
  nested.write("DATA/asia/__meta__", meta);
  const DataFrame rows = load(nested.path).data();
  CHECK(ids(children(rows, "asia")) == Strings{"item_0", "item_1", "item_2"});
  CHECK(column_names(children(rows, "asia")) ==
        Strings{"id", "type", "istac:centroid", "istac:time_start", "internal:gdal_vsi"});
  CHECK(column_names(children(rows, "africa")) ==
        Strings{"id", "type", "istac:centroid", "istac:time_start", "cloud_cover", "internal:gdal_vsi"});
  CHECK(to_text(rows.read_bytes("asia/item_2")) == "asia/item_2");
}

TEST_CASE("tolerate: missing current_id") {
  const Nested nested;
  nested.change([](NamedArrays& columns) { drop(columns, "internal:current_id"); });
  check_nested(nested.path);
  CHECK(values(load(nested.path).sql("SELECT \"internal:current_id\" AS c FROM level1").data(), "c") ==
        Strings{"0", "1", "2", "3", "4", "5", "6", "7", "8"});
}

TEST_CASE("tolerate: missing relative_path") {
  const Nested nested;
  nested.change([](NamedArrays& columns) { drop(columns, "internal:relative_path"); });
  check_nested(nested.path);
}

TEST_CASE("tolerate: missing current_id and relative_path in a ZIP") { check_nested(golden("no_current_id.tacozip")); }

TEST_CASE("tolerate: current_id with gaps") {
  const Nested nested;
  auto level0 = nested.table("METADATA/level0.parquet"), level1 = nested.table("METADATA/level1.parquet");
  replace_column(level0, "internal:current_id", integers({10, 20, 30}));
  replace_column(level0, "internal:parent_id", integers({10, 20, 30}));
  replace_column(level1, "internal:parent_id", integers({10, 10, 10, 20, 20, 20, 30, 30, 30}));
  nested.write("METADATA/level0.parquet", level0);
  nested.write("METADATA/level1.parquet", level1);
  check_nested(nested.path);
}

TEST_CASE("tolerate: missing field_schema") {
  const Nested nested;
  REQUIRE(edit_file(nested.path + "/COLLECTION.json", "taco:field_schema", "something:else"));
  check_nested(nested.path);
  CHECK(load(nested.path).field_schema().empty());
}

TEST_CASE("tolerate: extra internal columns") {
  const Nested nested;
  nested.change([](NamedArrays& columns) { columns.emplace_back("internal:whatever", columns[0].second); });
  check_nested(nested.path);
  CHECK(column_names(load(nested.path).data()) == Strings{"id", "type", "region", "internal:gdal_vsi"});
  CHECK(values(load(nested.path).data_raw(), "internal:whatever") == Strings{"africa", "asia", "europe"});
}

TEST_CASE("tolerate: a stored internal:gdal_vsi, which is dropped, and a column 'path', which is kept") {
  const DataFrame rows = load(golden("stale_gdal_vsi.tacozip")).data();
  for (const auto& path : values(rows, "internal:gdal_vsi"))
    CHECK(path.ends_with("," + golden("stale_gdal_vsi.tacozip")));
  CHECK(values(rows, "path")[0] == "elsewhere/valencia.tif");
}

TEST_CASE("tolerate: nullable ids, while a null is refused") {
  const Nested nested;
  auto level0 = nested.table("METADATA/level0.parquet");  // OPTIONAL, as Arrow writes it
  replace_column(level0, "id", texts({"africa", std::nullopt, "europe"}));
  nested.write("METADATA/level0.parquet", level0);
  const std::string error = error_of([&] { dump(load(nested.path).data()); });
  CHECK(has_text(error, "FormatError: " + nested.path + "/METADATA/level0.parquet: level 0: row 1: id is null"));
}

TEST_CASE("tolerate: codecs other than ZSTD, data page V2 and several row groups") {
  for (const std::string codec : {"uncompressed", "snappy", "gzip", "brotli", "lz4_raw", "zstd"}) {
    for (const bool second_version : {false, true}) {
      CAPTURE(codec);
      const Nested nested;
      for (const char* name : {"METADATA/level0.parquet", "METADATA/level1.parquet"}) {
        nested.write(name, parquet_with(nested.table(name), codec, second_version, 2));
      }
      REQUIRE(LevelTable::open(local_storage()->open(nested.path + "/METADATA/level1.parquet"), {})->num_row_groups() ==
              5);
      check_nested(nested.path);
    }
  }
}

TEST_CASE("tolerate: Snappy, V2 pages and row groups of two rows in a ZIP") {
  check_nested(golden("snappy_v2pages.tacozip"));
}

TEST_CASE("tolerate: unknown members of COLLECTION.json, which are kept in its text") {
  const Nested nested;
  REQUIRE(edit_file(nested.path + "/COLLECTION.json", "\"dataset_version\"",
                    "\"labels:classes\": [{\"a\": null}], \"x\": 1, \"dataset_version\""));
  check_nested(nested.path);
  CHECK(has_text(load(nested.path).collection().json, "labels:classes"));
}

TEST_CASE("tolerate: any taco_version") {
  for (const char* version : {"\"0.5.0\"", "\"99.1\"", "\"\"", "null"}) {
    CAPTURE(std::string(version));
    const Nested nested;
    REQUIRE(edit_file(nested.path + "/COLLECTION.json", "\"taco_version\": \"2.0.0\"",
                      std::string("\"taco_version\": ") + version));
    check_nested(nested.path);
  }
}

TEST_CASE("tolerate: a wrong n in the tree, as rows are counted") {
  const Nested nested;
  REQUIRE(edit_file(nested.path + "/COLLECTION.json", "\"n\": 3", "\"n\": 700"));
  REQUIRE(edit_file(nested.path + "/COLLECTION.json", "\"n\": 9", "\"n\": 1"));
  check_nested(nested.path);
}

TEST_CASE("tolerate: a wrong CRC of the header, with a warning") {
  const Report messages;
  CHECK(load(golden("header_bad_crc.tacozip")).num_rows() == 5);
  CHECK(messages.has(LogLevel::Warning, "TACO_HEADER does not match its CRC-32"));
}

TEST_CASE("tolerate: a missing header, by reading the central directory") {
  check_nested(golden("header_absent.tacozip"));
}

TEST_CASE("tolerate: a stale header with a usable central directory, with a warning") {
  const Report messages;
  const Dataset dataset = load(golden("header_stale.tacozip"));
  CHECK(messages.has(LogLevel::Warning, "TACO_HEADER is stale"));
  CHECK(ids(dataset.data()) == ids(load(golden("flat.tacozip")).data()));
  CHECK(to_text(dataset.data().read_bytes("tokyo")) == "data of tokyo");
  CHECK(read_collection(golden("header_stale.tacozip")).id == "header_stale");
}

TEST_CASE("tolerate: extra ZIP entries, an archive comment and the name .zip") {
  const Dataset dataset = load(golden("extra_entries.zip"));
  CHECK(ids(dataset.data()) == ids(load(golden("flat.tacozip")).data()));
  CHECK(to_text(dataset.data().read_bytes("suva")) == "data of suva");
}

TEST_CASE("tolerate: ZIP64 records") { check_nested(golden("zip64_records.tacozip")); }

TEST_CASE("tolerate: internal:parent_id as the parent's id") {
  const Dataset dataset = load(golden("string_parent_id.tacozip"));
  CHECK(ids(children(dataset.data(), "asia")) == Strings{"item_0", "item_1", "item_2"});
  CHECK(to_text(dataset.data().read_bytes("europe/item_0")) == "europe/item_0");
  CHECK(ids(dataset.filter_datetime("2023-02-01/2023-02-28", {.level = 1}).data()) == Strings{"asia"});
}

TEST_CASE("tolerate: relative paths of folders without their slash, and at level 0") {
  const TemporaryFolder folder;
  const Dataset dataset = load(golden("six_levels.tacozip"));
  CHECK(to_text(dataset.data().read_bytes("level_0/level_1/level_2/level_3/level_4/leaf")) == "data of leaf");
  const Nested nested;
  auto level0 = nested.table("METADATA/level0.parquet");
  level0.emplace_back("internal:relative_path", texts({"africa", "asia", "europe"}));
  nested.write("METADATA/level0.parquet", level0);
  check_nested(nested.path);
}

TEST_CASE("tolerate: permuted offsets of level 1, corrected before any is used") {
  const Report messages;
  const Dataset dataset = load(golden("permuted_offsets.tacozip"));
  const DataFrame rows = dataset.data();
  for (const std::string region : {"asia", "europe", "africa"}) {
    for (const std::string item : {"item_0", "item_1", "item_2"}) {
      CHECK(to_text(rows.read_bytes(region + "/" + item)) == region + "/" + item);
    }
  }
  const DataFrame all =
      dataset.sql("SELECT *, \"internal:gdal_vsi\" AS p, \"internal:offset\" AS o FROM level1").data();
  const auto offsets = values(all, "o"), paths = values(all, "p");
  const DataFrame asia = children(rows, "asia");
  CHECK(values(asia, "internal:gdal_vsi")[0] == paths[0]);
  CHECK(has_text(paths[0], "/vsisubfile/" + offsets[0] + "_"));
  CHECK(messages.has(LogLevel::Warning, "permuted"));
}

// SQL has no type for these two.
TEST_CASE("a query over a type that DuckDB lacks warns of the converted type, and rows without a query keep the type") {
  const Nested nested;
  auto columns = nested.table("METADATA/level0.parquet");
  const auto numbers = integers({1'673'740'800'000'000'001, 2, std::nullopt});
  columns.emplace_back("t", check(numbers->View(arrow::timestamp(arrow::TimeUnit::NANO, "UTC"))));
  columns.emplace_back("d", check(numbers->View(arrow::duration(arrow::TimeUnit::MICRO))));
  nested.write("METADATA/level0.parquet", columns);
  const Dataset dataset = load(nested.path);
  const auto text = [](const Dataset& rows) { return rows.data().text(0, "t").value_or(""); };
  {
    const Report report;
    CHECK(text(dataset) == "2023-01-15T00:00:00.000000001Z");
    CHECK_FALSE(report.has(LogLevel::Warning, "column 't'"));
  }
  const Report report;
  CHECK(text(dataset.sql("SELECT * FROM data")) == "2023-01-15T00:00:00Z");
  CHECK(report.has(LogLevel::Warning,
                   "column 't' is timestamp[ns, tz=UTC]; a query gives it as timestamp[us, tz=UTC], "
                   "without its nanoseconds"));
  CHECK(report.has(LogLevel::Warning, "column 'd' is duration[us]; a query gives it as int64"));
}

TEST_CASE(
    "a query over a type that DuckDB lacks warns for a deeper level, under an alias and in an expression as well") {
  const Nested nested, plain;
  const auto numbers = integers({1'673'740'800'000'000'001, 2, std::nullopt});
  const auto exact = check(numbers->View(arrow::timestamp(arrow::TimeUnit::NANO, "UTC")));
  auto columns = nested.table("METADATA/level0.parquet"), same = plain.table("METADATA/level0.parquet");
  columns.emplace_back("t", exact);
  same.emplace_back("t", check(numbers->View(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"))));
  nested.write("METADATA/level0.parquet", columns);
  plain.write("METADATA/level0.parquet", same);
  auto below = nested.table("METADATA/level1.parquet");
  const auto ones = std::vector<std::optional<int64_t>>(static_cast<std::size_t>(below[0].second->length()), 1);
  below.emplace_back("d", check(integers(ones)->View(arrow::duration(arrow::TimeUnit::MICRO))));
  nested.write("METADATA/level1.parquet", below);
  const Dataset dataset = load(nested.path);
  const auto warned = [](const Dataset& rows, const std::string& column) {
    const Report report;
    rows.data();
    return report.has(LogLevel::Warning, "column '" + column + "' is ");
  };
  CHECK(warned(dataset.sql("SELECT * FROM level1"), "d"));
  CHECK(warned(dataset.sql("SELECT \"d\" AS \"other\" FROM level1"), "d"));
  CHECK(warned(dataset.sql("SELECT id, T + INTERVAL 1 DAY AS next FROM data"), "t"));
  CHECK_FALSE(warned(dataset.sql("SELECT id, type FROM data"), "t"));
  CHECK_FALSE(warned(dataset.sql("SELECT * FROM data"), "d"));
  CHECK(warned(concat(std::vector{load(plain.path), dataset}), "t"));
}

TEST_CASE("column names that differ only in case match across files with another column order") {
  const Nested a, b;
  for (const Nested* each : {&a, &b}) {
    each->change([&](NamedArrays& columns) {
      const auto rows = columns[0].second->length();
      const auto values = [&](int64_t value) {
        return integers(std::vector<std::optional<int64_t>>(static_cast<std::size_t>(rows), value));
      };
      columns.emplace_back(each == &a ? "cloud" : "Cloud", values(each == &a ? 1 : 2));
      columns.emplace_back(each == &a ? "Cloud" : "cloud", values(each == &a ? 2 : 1));
    });
  }
  const Report report;
  const DataFrame rows = concat(std::vector{load(a.path), load(b.path)}).data();
  CHECK(values(rows, "cloud") == Strings(6, "1"));
  CHECK(values(rows, "Cloud_1") == Strings(6, "2"));
  CHECK_FALSE(report.has(LogLevel::Warning, "dropped"));
}

#if ARROW_VERSION_MAJOR >= 26  // which can write Bloom filters
// A Bloom filter of floats stores bits, which may differ for equal floats (0.0 and -0.0, NaNs).
TEST_CASE("equal floats with different bits are found in a column with a Bloom filter") {
  const Nested nested;
  auto columns = nested.table("METADATA/level0.parquet");
  const double other_nan = std::bit_cast<double>(uint64_t{0xfff8'0000'0000'0001});
  columns.emplace_back("x", reals({-0.0, other_nan, 3}));
  parquet::WriterProperties::Builder how;
  how.enable_bloom_filter("x", {.ndv = 100});
  const auto out = check(arrow::io::BufferOutputStream::Create());
  check(parquet::arrow::WriteTable(*table_of(columns), arrow::default_memory_pool(), out, 3, how.build()));
  nested.write("METADATA/level0.parquet", check(out->Finish())->ToString());
  const Dataset dataset = load(nested.path);
  const auto num_rows = [&](const std::string& test) {
    return dataset.sql("SELECT id FROM data WHERE " + test).num_rows();
  };
  CHECK(num_rows("x = 0") == 1);
  CHECK(num_rows("x = -0.0") == 1);
  CHECK(num_rows("x = 'nan'") == 1);
  CHECK(num_rows("x = 3") == 1);
  CHECK(num_rows("x IN (0, 4)") == 1);
  CHECK(num_rows("x = 7") == 0);
}
#endif

}  // namespace
