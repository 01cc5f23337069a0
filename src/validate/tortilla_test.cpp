#include <algorithm>
#include <functional>
#include <limits>

#include "base/text.hpp"
#include "support/support.hpp"
#include "support/v1_files.hpp"
#include "tacore/dataset.hpp"
#include "tacore/ops/validate.hpp"

namespace tacore::validator {
namespace {

using v1::create_taco;
using v1::create_tortilla;
using v1::demo;
using v1::demo_collection;
using v1::plain;

/// "RULE message" of each issue.
std::vector<std::string> found(const std::string& path, const ValidateOptions& options = {}) {
  std::vector<std::string> out;
  for (const auto& issue : validate(path, options)) out.push_back(issue.rule + " " + issue.message);
  return out;
}

void finds(const std::string& path, const std::string& rule, const std::string& what,
           const ValidateOptions& options = {}) {
  const auto issues = found(path, options);
  CAPTURE(rule);
  CAPTURE(what);
  CAPTURE(join(issues, "\n"));
  CHECK(std::any_of(issues.begin(), issues.end(), [&](const std::string& issue) {
    return issue.starts_with(rule + " ") && issue.find(what) != std::string::npos;
  }));
}

std::string with_number(std::string bytes, std::size_t at, uint64_t number) {
  for (int i = 0; i < 8; ++i) bytes.at(at + static_cast<std::size_t>(i)) = static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

Tortilla rows(const std::vector<MetadataColumn>& columns, int64_t count = 2) {
  std::vector<Sample> samples;
  for (int64_t row = 0; row < count; ++row) {
    std::vector<MetadataField> fields;
    for (const auto& column : columns) fields.push_back({column.key, column.values[static_cast<std::size_t>(row)]});
    samples.emplace_back("s" + std::to_string(row), to_bytes("data"), fields);
  }
  return Tortilla(samples);
}

TEST_CASE("files of other writers break no rule of severity error") {
  for (const char* name :
       {"flat.tortilla", "nested.tortilla", "types.tortilla", "gaps.tortilla", "mixed.tortilla", "uneven.tortilla",
        "rai.tortilla", "parts/set.0001.part.tortilla", "flat.taco", "nested.taco", "spec.taco"}) {
    CAPTURE(name);
    for (const auto& issue : validate(golden(std::string("v1/") + name))) {
      CAPTURE(issue.rule);
      CAPTURE(issue.message);
      CHECK(issue.severity == Severity::Warning);
    }
  }
  CHECK(found(golden("v1/flat.tortilla")).empty());
  CHECK(found(golden("v1/nested.tortilla")).empty());
}

TEST_CASE("invalid headers break V1-1") {
  const TemporaryFolder folder;
  create_tortilla(demo(), folder.path("x.tortilla"), plain());
  const std::string bytes = file_text(folder.path("x.tortilla"));
  finds(folder.write("cut.tortilla", bytes.substr(0, 1000)), "V1-1", "leaves the container of 1000 bytes");
  finds(folder.write("far.tortilla", with_number(bytes, 2, ~uint64_t{0})), "V1-1", "leaves the container");
  finds(folder.write("zero.tortilla", with_number(bytes, 18, 0)), "V1-1", "0 partitions");
}

TEST_CASE("files of an earlier version break V1-2") {
  finds(golden("v1/first.tortilla"), "V1-2", "the version before 0.5.0");
  const TemporaryFolder folder;
  create_taco({demo(), demo_collection()}, folder.path("x.taco"), plain());
  std::string bytes = file_text(folder.path("x.taco"));
  bytes.replace(0, 2, "#y");
  finds(folder.write("y.taco", bytes), "V1-2", "\"WX\" expected");
}

TEST_CASE("unreadable footers and missing columns break V1-3") {
  const TemporaryFolder folder;
  create_tortilla(demo(), folder.path("x.tortilla"), plain());
  std::string bytes = file_text(folder.path("x.tortilla"));
  bytes.back() = 'x';
  finds(folder.write("end.tortilla", bytes), "V1-3", "");
}

TEST_CASE("metadata rules are checked for rows of any writer") {
  const TemporaryFolder folder;
  create_tortilla(rows({{.key = "stac:time_start", .values = {5, 7}}, {.key = "stac:time_end", .values = {6, 6}}}),
                  folder.path("times.tortilla"), plain());
  finds(folder.path("times.tortilla"), "V1-14", "row 1: stac:time_end is before stac:time_start");
  create_tortilla(rows({{.key = "stac:time_start", .values = {int64_t{1'600'000'000'000}, 7}}}),
                  folder.path("ms.tortilla"), plain());
  finds(folder.path("ms.tortilla"), "V1-14", "row 0: stac:time_start is more than 100000000000 seconds");
  create_tortilla(rows({{.key = "stac:centroid", .values = {"POINT (200 10)", "POINT (20 10)"}}}),
                  folder.path("far.tortilla"), plain());
  finds(folder.path("far.tortilla"), "V1-14", "row 0: stac:centroid is at 200");
  create_tortilla(rows({{.key = "stac:geotransform", .values = {Value::List{1.0, 2.0}, Value::List{1.0}}}}),
                  folder.path("grid.tortilla"), plain());
  finds(folder.path("grid.tortilla"), "V1-14", "geotransform is not a list of six numbers");
}

TEST_CASE("footer values are verified against types, formats and each other") {
  const TemporaryFolder folder;
  int number = 0;
  const auto made = [&](const std::vector<MetadataColumn>& columns) {
    const std::string path = folder.path(std::to_string(number++) + ".tortilla");
    create_tortilla(rows(columns), path, plain());
    return path;
  };
  using Values = std::vector<Value>;
  const auto twice = [](const Value& value) { return Values{value, value}; };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  finds(made({{.key = "stac:raster_shape", .values = twice("64, 64")}}), "V1-14", "has the type string");
  finds(made({{.key = "stac:raster_shape", .values = twice(Value::List{64})}}), "V1-14",
        "has 1 dimension, at least 2 expected");
  finds(made({{.key = "stac:time_start", .values = twice("2020")}}), "V1-14", "int64, seconds expected");
  finds(made({{.key = "stac:centroid", .values = twice(7)}}), "V1-14", "string, WKT expected");
  finds(made({{.key = "stac:crs", .values = twice(4326)}}), "V1-14", "string expected");
  finds(made({{.key = "stac:geotransform", .values = twice(Value::List{0.0, nan, 0.0, 0.0, 0.0, 1.0})}}), "V1-14",
        "has NaN or infinity");
  finds(made({{.key = "rai:pop", .values = twice("many")}}), "V1-14", "double expected");
  const auto of_format = [&](const std::string& format, const std::string& bytes) {
    const std::string path = folder.path(std::to_string(number++) + ".tortilla");
    create_tortilla(Tortilla({Sample("s", to_bytes(bytes), {{"tortilla:file_format", format}})}), path, plain());
    return path;
  };
  create_tortilla(demo(), folder.path("inner.tortilla"), plain());
  finds(of_format("GTiff", "text"), "V1-24",
        "file_format is 'GTiff', but the first bytes of the sample are those of BYTES", {.deep = true});
  finds(of_format("BYTES", file_text(folder.path("inner.tortilla"))), "V1-24",
        "but the first bytes of the sample are those of TORTILLA", {.deep = true});
  finds(of_format("GTif", "II*"), "V1-7",
        "file_format is 'GTif', the name of a GDAL driver, BYTES or TORTILLA expected");
  const auto one = rows({}, 1);
  create_tortilla(Tortilla({Sample("p", one), Sample("q", Tortilla({Sample("r", one)}))}),
                  folder.path("uneven.tortilla"), plain());
  finds(folder.path("uneven.tortilla"), "V1-21", "'p' has FILE 's0'; 'q' has FOLDER 'r'");
  create_taco({demo(), demo_collection()}, folder.path("x.taco"), plain());
  finds(folder.write("tail.taco", file_text(folder.path("x.taco")) + "tail"), "V1-22", "4 bytes after");
  std::string seven = file_text(folder.path("x.taco"));
  const auto nested = seven.find("#y", 200);
  REQUIRE(nested != seven.npos);
  finds(folder.write("seven.taco", with_number(seven, nested + 18, 7)), "V1-23", "one of 7 partitions");
}

TEST_CASE("partitions of two datasets, and a surplus partition, break V1-12 and fail to load") {
  const TemporaryFolder folder;
  const auto parts_of = [&](const std::string& id) {
    Collection about = demo_collection();
    about.id = id;
    return create_taco({rows({}, 3), about}, folder.path(id + ".taco"), plain({.split_size = 4}));
  };
  const auto parts = parts_of("one"), others = parts_of("two");
  REQUIRE(parts.size() == 3);
  std::filesystem::copy_file(parts[2], folder.path("one.0003.part.taco"));
  finds(parts[0], "V1-12", "'one.0003.part.taco' is an additional file beside the 3 partitions");
  std::filesystem::remove(folder.path("one.0003.part.taco"));
  std::filesystem::copy_file(others[1], parts[1], std::filesystem::copy_options::overwrite_existing);
  finds(parts[0], "V1-12", "is a partition of 'two', version '1.0.0', other partitions are of 'one'");
  says(error_of([&] { load(parts[0]); }), "a partition of 'two', version '1.0.0'");
}

TEST_CASE("an invalid nested container breaks V1-9, and one with other columns V1-10") {
  const TemporaryFolder folder;
  create_tortilla(demo(), folder.path("x.tortilla"), plain());
  std::string bytes = file_text(folder.path("x.tortilla"));
  bytes.replace(200, 2, "II");
  finds(folder.write("y.tortilla", bytes), "V1-9", "not a Tortilla or TACO file");
  const auto one = rows({{.key = "a", .values = {1}}}, 1), other = rows({{.key = "b", .values = {1}}}, 1);
  create_tortilla(Tortilla({Sample("p", one), Sample("q", other)}, false), folder.path("z.tortilla"), plain());
  CHECK(found(folder.path("z.tortilla")).empty());  // a level is written with all columns
}

TEST_CASE("invalid collections break V1-11") {
  const TemporaryFolder folder;
  std::string reference = file_text(golden("v1/flat.taco"));
  reference.replace(reference.find("super-resolution"), 5, "cooks");
  finds(folder.write("task.taco", reference), "V1-11", "COLLECTION: task");
  create_taco({demo(), demo_collection()}, folder.path("x.taco"), plain());
  std::string bytes = file_text(folder.path("x.taco"));
  bytes[bytes.rfind('}')] = ' ';
  finds(folder.write("y.taco", bytes), "V1-11", "COLLECTION: ");
}

TEST_CASE("missing and contradictory partitions break V1-12, and duplicate ids over them V1-4") {
  const TemporaryFolder folder;
  const auto parts = create_tortilla(rows({}, 3), folder.path("x.tortilla"), plain({.split_size = 4}));
  REQUIRE(parts.size() == 3);
  CHECK(found(parts[1]).empty());
  const std::string first = file_text(parts[0]), second = file_text(parts[1]);
  folder.write("x.0001.part.tortilla", with_number(second, 18, 4));
  finds(parts[0], "V1-12", "states 4 partitions");
  folder.write("x.0001.part.tortilla", first);
  finds(parts[0], "V1-4", "id 's0' occurs twice");
  std::filesystem::remove(parts[1]);
  finds(parts[0], "V1-12", "x.0001.part.tortilla is missing");
  finds(folder.write("alone.tortilla", first), "V1-15", "is not named as a partition");
  finds(folder.write("y.0000.part.tortilla", with_number(first, 18, 1)), "V1-15", "is the only one");
}

TEST_CASE("missing profile fields break V1-16, and an unknown profile is refused") {
  finds(golden("v1/flat.tortilla"), "V1-16", "lacks the column rai:gdp of the profile rai-tortilla",
        {.profiles = {"rai-tortilla"}});
  CHECK(found(golden("v1/rai.tortilla"), {.profiles = {"rai-tortilla", "stac-tortilla"}}).empty());
  CHECK_THROWS_WITH_AS(validate(golden("v1/flat.tortilla"), {.profiles = {"stac"}}),
                       doctest::Contains("stac-tortilla or rai-tortilla expected"), QueryError);
  CHECK_THROWS_WITH_AS(
      validate(std::string(TACORE_SOURCE_DIR) + "/tests/golden/flat.tacozip", {.profiles = {"stac-tortilla"}}),
      doctest::Contains("before 2.0"), QueryError);
}

}  // namespace
}  // namespace tacore::validator
