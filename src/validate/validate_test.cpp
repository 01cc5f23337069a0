#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "support/support.hpp"
#include "support/validate_files.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/sign.hpp"
#include "validate/report.hpp"

namespace tacore::validator {
namespace {

std::string all_of(const std::vector<Issue>& issues) {
  std::string out;
  for (const auto& issue : issues) out += issue.rule + " " + issue.message + "\n";
  return out;
}

std::set<std::string> error_rules(const std::vector<Issue>& issues) {
  std::set<std::string> out;
  for (const auto& issue : issues) {
    if (issue.severity == Severity::Error) out.insert(issue.rule);
  }
  return out;
}

std::set<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

TEST_CASE("docs/rules.md and the table of rules are equal") {
  std::ifstream file(fs::path(TACORE_SOURCE_DIR) / "docs/rules.md");
  REQUIRE(file);
  std::vector<std::string> listed;
  for (std::string line; std::getline(file, line);) {
    // Rows of a rule: an id with a number.
    if (line.starts_with("| ") && line.find('-') < line.find(" |")) listed.push_back(line);
  }
  listed.erase(std::remove_if(listed.begin(), listed.end(), [](const auto& line) { return line.starts_with("| --"); }),
               listed.end());
  REQUIRE(listed.size() == rules().size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const Rule& rule = rules()[i];
    const std::string expected = "| " + std::string(rule.id) + " | " + std::string(rule.section) + " | " +
                                 (rule.severity == Severity::Error ? "error" : "warning") + " | " +
                                 std::string(rule.sentence) + " | ";
    CAPTURE(listed[i]);
    CHECK(listed[i].substr(0, expected.size()) == expected);
  }
}

TEST_CASE("A rule is reported at most 20 times, then counted") {
  Report report;
  for (int i = 0; i < 1000; ++i) report.add("OFF-1", "row " + std::to_string(i), {.path = "a.tacozip"});
  report.add("COL-4", "once", {.path = "a.tacozip"});
  const auto issues = report.finish();
  REQUIRE(issues.size() == 22);
  CHECK(issues[19].message == "row 19");
  CHECK(issues.back().rule == "OFF-1");
  CHECK(issues.back().message == "and 980 more issues of this rule");
  CHECK(issues.back().where.path == "a.tacozip");
}

TEST_CASE("Published datasets have no errors, but for the permuted one" * doctest::test_suite("external")) {
  if (missing(published("zip/nested.tacozip"))) return;
  for (const char* name :
       {"zip/flat.tacozip", "zip/simple.tacozip", "folder/flat", "folder/simple", "folder/nested", "folder/deep",
        "tacocat/deep", "tacocat/deep/.tacocat", "tacocat/deep/deep_part0002.tacozip"}) {
    CAPTURE(name);
    const auto issues = validate(published(name), {.deep = true});
    CHECK_MESSAGE(error_rules(issues).empty(), all_of(issues));
    // The version that published writers state, and extents of centroids where rows have polygons.
    CHECK(std::all_of(issues.begin(), issues.end(), [](const Issue& issue) {
      return issue.rule == "COL-4" || issue.rule == "COL-16" || issue.rule == "CAT-6";
    }));
  }
}

TEST_CASE("The nine permuted rows of the published nested.tacozip are reported with found and expected offsets" *
          doctest::test_suite("external")) {
  if (missing(published("zip/nested.tacozip"))) return;
  const auto issues = validate(published("zip/nested.tacozip"), {.deep = true});
  std::vector<std::string> errors;
  for (const auto& issue : issues) {
    if (issue.severity == Severity::Error) errors.push_back(issue.rule + " " + issue.message);
  }
  REQUIRE_MESSAGE(errors.size() == 9, all_of(issues));
  CHECK(errors[0] ==
        "OFF-1 row 0 ('europe/item_0'): internal:offset is 390, internal:size 15; 'DATA/europe/item_0' is 13 bytes at "
        "205");
  CHECK(errors[8] ==
        "OFF-1 row 8 ('asia/item_2'): internal:offset is 327, internal:size 13; 'DATA/asia/item_2' is 11 bytes at 695");
}

TEST_CASE("Golden datasets break the rules that they were made to break, and no other") {
  const std::map<std::string, std::string> broken = {
      {"header_absent.tacozip", "HDR-1"},         {"header_stale.tacozip", "HDR-3"},
      {"header_bad_crc.tacozip", "CRC-1 HDR-4"},  {"permuted_offsets.tacozip", "OFF-1"},
      {"uneven_children.tacozip", "PIT-1 PIT-4"},
  };
  int num_checked = 0;
  const auto check = [&](const std::string& name) {
    CAPTURE(name);
    const auto expected = broken.find(name);
    const auto issues = validate(golden(name), {.deep = true});
    CHECK_MESSAGE(error_rules(issues) == words_of(expected == broken.end() ? "" : expected->second), all_of(issues));
    ++num_checked;
  };
  for (const auto& file : fs::directory_iterator(golden(""))) {
    const auto extension = file.path().extension();
    if (extension == ".tacozip" || extension == ".zip") check(file.path().filename());
  }
  for (const char* name : {"nested", "nested_padded", "cascade_tacocat", "cascade_tacocat/.tacocat",
                           "cascade_tacocat/__TACOCAT__", "cascade_tacocat/TACOLLECTION.json"}) {
    check(name);
  }
  CHECK(num_checked > 30);
}

TEST_CASE("Faults that readers tolerate are warnings") {
  const std::map<std::string, std::string> expected = {
      {"extra_entries.zip", "OFF-4 ZIP-10 ZIP-8"},
      {"no_current_id.tacozip", "LVL-8"},
      {"string_parent_id.tacozip", "LVL-8"},
      {"stale_gdal_vsi.tacozip", "SCH-6"},
      {"odd_names.tacozip", "SCH-7"},
      {"six_levels.tacozip", ""},
      {"zip64_records.tacozip", ""},
      {"nested_padded.tacozip", ""},
  };
  for (const auto& [name, rules_expected] : expected) {
    CAPTURE(name);
    CHECK(rules_of(validate(golden(name))) == words_of(rules_expected));
  }
}

namespace {

/// What make_errors.py makes, and the rule and words that tell.
struct BadCase {
  const char* name;
  const char* rule;
  const char* words;
};
constexpr BadCase kBad[] = {
    {"count_9.tacozip", "HDR-2", "count is 9"},
    {"count_1.tacozip", "HDR-2", "count is 1"},
    {"range_outside.tacozip", "HDR-2", "goes beyond the end of the file"},
    {"range_overflow.tacozip", "HDR-2", "goes beyond the end of the file"},
    {"range_empty.tacozip", "HDR-2", "is empty"},
    {"missing_level.tacozip", "LVL-1", "level1.parquet"},
    {"wrong_magic.tacozip", "HDR-1", "TACO_HEADER"},
    {"truncated_end.tacozip", "ZIP-1", "end of central directory"},
    {"truncated_half.tacozip", "ZIP-1", "end of central directory"},
    {"truncated_header.tacozip", "HDR-2", "truncated"},
    {"empty_file.tacozip", "FMT-1", "not a TACO dataset"},
    {"overlapping_entries.tacozip", "ZIP-6", "overlaps entry 'DATA/valencia'"},
    {"same_local_header.tacozip", "ZIP-2", "'DATA/madrid' expected"},
    {"directory_outside.tacozip", "ZIP-1", "central directory"},
    {"directory_cut.tacozip", "ZIP-1", "central directory"},
    {"deflated_level.tacozip", "ZIP-3", "method 8"},
    {"encrypted_entry.tacozip", "ZIP-4", "encrypted"},
    {"data_bad_crc.tacozip", "CRC-1", "DATA/madrid"},
    {"id_parent.tacozip", "ID-1", "'../rid' contains a slash"},
    {"id_climbs.tacozip", "ID-1", "slash"},
    {"id_absolute.tacozip", "ID-1", "slash"},
    {"id_backslash.tacozip", "ID-1", "slash"},
    {"id_nul.tacozip", "ID-1", "NUL"},
    {"id_not_utf8.tacozip", "ID-1", "UTF-8"},
    {"id_null.tacozip", "SCH-3", "null"},
    {"no_id_column.tacozip", "SCH-2", "no column 'id'"},
    {"type_other.tacozip", "SCH-4", "'LINK'"},
    {"row_outside.tacozip", "OFF-1", "1000000000"},
    {"row_negative.tacozip", "OFF-1", "internal:offset is -1"},
    {"encrypted_parquet.tacozip", "SCH-1", "encrypted"},
    {"not_parquet.tacozip", "SCH-1", "not Parquet"},
    {"footer_length.tacozip", "SCH-1", "footer"},
    {"meta_not_parquet.tacozip", "MET-1", "DATA/asia/__meta__"},
    {"not_json.tacozip", "COL-1", "not JSON"},
    {"json_array.tacozip", "COL-1", "array"},
    {"json_deep.tacozip", "COL-1", "nested deeper"},
    {"json_not_utf8.tacozip", "COL-1", "UTF-8"},
    {"no_id.tacozip", "COL-2", "id is missing"},
    {"id_number.tacozip", "COL-2", "number"},
    {"pit_absent.tacozip", "PIT-6", "missing"},
    {"pit_no_root.tacozip", "PIT-6", "root"},
    {"pit_root_type.tacozip", "PIT-6", "OTHER"},
    {"pit_negative_n.tacozip", "PIT-6", "-3"},
    {"pit_text_n.tacozip", "PIT-6", "whole number"},
    {"pit_no_hierarchy.tacozip", "PIT-6", "hierarchy"},
    {"pit_depth_word.tacozip", "PIT-6", "numeric"},
    {"pit_depth_gap.tacozip", "PIT-6", "level 2"},
    {"pit_depth_6.tacozip", "PIT-6", "1 to 5"},
    {"pit_empty_pattern.tacozip", "PIT-6", "empty"},
    {"pit_lengths_differ.tacozip", "PIT-6", "length"},
    {"pit_child_type.tacozip", "PIT-6", "DIR"},
    {"pit_not_a_list.tacozip", "PIT-6", "array"},
    {"tacocat_magic", "FMT-1", "not a TACO dataset"},
    {"tacocat_version_2", "CAT-1", "version is 2"},
    {"tacocat_depth_6", "CAT-1", "max_depth is 6"},
    {"tacocat_level_absent", "CAT-1", "level 1"},
    {"tacocat_level_outside", "CAT-1", "goes beyond the end of the file"},
    {"tacocat_level_in_header", "CAT-1", "inside the header"},
    {"tacocat_no_collection", "CAT-1", "collection"},
    {"tacocat_truncated", "CAT-1", "truncated"},
    {"folder_missing_level", "LVL-1", "level1.parquet"},
    {"folder_missing_meta", "MET-1", "DATA/asia/__meta__"},
    {"folder_missing_file", "DIR-1", "DATA/asia/item_1"},
    {"folder_no_collection", "FMT-1", "COLLECTION.json"},
    {"tacocat_missing_part", "CAT-3", "cascade_part0003.tacozip"},
};

}  // namespace

TEST_CASE("Every bad dataset of golden-errors breaks its rule") {
  const TemporaryFolder folder;
  const std::string script = std::string(TACORE_SOURCE_DIR) + "/tests/golden-errors/make_errors.py";
  const std::string command = "python3 '" + script + "' '" + golden("") + "' '" + folder.path("") + "' > /dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  std::set<std::string> known;
  for (const auto& bad : kBad) {
    CAPTURE(bad.name);
    known.insert(bad.name);
    const auto issues = validate(folder.path(bad.name), {.deep = true});
    CHECK_MESSAGE(find(issues, bad.rule, bad.words), all_of(issues));
    CHECK(error_rules(issues).contains(bad.rule));
  }
  for (const auto& file : fs::directory_iterator(folder.path(""))) {
    const std::string name = file.path().filename();
    CAPTURE(name);
    CHECK_MESSAGE(known.contains(name), "not in the table of this test");
  }
}

TEST_CASE("A flipped bit of a payload is found by a deep check only, and only its entry is named") {
  const TemporaryFolder folder;
  for (const auto& [entry, offset] : std::map<std::string, std::size_t>{{"DATA/valencia", 200}, {"DATA/suva", 422}}) {
    std::string bytes = file_text(golden("flat_plain.tacozip"));
    bytes[offset] ^= 1;
    const auto path = folder.write("flipped.tacozip", bytes);
    CHECK(error_rules(validate(path)).empty());
    const auto issues = validate(path, {.deep = true});
    CHECK(error_rules(issues) == std::set<std::string>{"CRC-1"});
    CHECK(issues.size() == 1);
    CHECK(find(issues, "CRC-1", "'" + entry + "'"));
  }
}

TEST_CASE("A path that cannot be opened, or is no dataset, is an issue") {
  const TemporaryFolder folder;
  CHECK(find(validate(folder.path("absent.tacozip")), "FMT-2", "No such file"));
  CHECK(find(validate(folder.write("text.txt", "hello")), "FMT-1", "not a TACO dataset"));
  CHECK(find(validate(folder.path("")), "FMT-1", "COLLECTION.json not found"));
  CHECK(find(validate(folder.write("old.tortilla", "#y")), "V1-1", ""));
}

TEST_CASE("validate looks up the sources of a TACOCAT in base_path") {
  const TemporaryFolder folder;
  fs::copy(golden("cascade_tacocat/.tacocat"), folder.path(".tacocat"), fs::copy_options::recursive);
  CHECK(error_rules(validate(folder.path(""))) == std::set<std::string>{"CAT-3"});
  CHECK(error_rules(validate(folder.path(""), {.base_path = golden("cascade_tacocat")})).empty());
}

TEST_CASE("deep checks verify the Merkle root, the hashes of samples and the signature") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("nested.tacozip"), "a.tacozip");
  const std::string ours = create_key(folder.path("ours")), others = create_key(folder.path("others"));
  const auto breaks = [&](const ValidateOptions& options) { return error_rules(validate(path, options)); };
  CHECK(breaks({.deep = true}).empty());
  CHECK(breaks({.key = ours}) == std::set<std::string>{"PRF-1"});  // not signed
  sign_dataset(path, {.key = folder.path("ours")});
  CHECK(breaks({.deep = true}).empty());
  CHECK(breaks({.pixels = true, .key = ours}).empty());
  CHECK(breaks({.key = others}) == std::set<std::string>{"PRF-1"});
  CHECK(breaks({.key = folder.path("missing")}) == std::set<std::string>{"FMT-2"});
  edit(path, {.set = {{"title", R"("Another")"}}});
  CHECK(breaks({}).empty());
  for (const ValidateOptions& options : {ValidateOptions{.deep = true}, {.pixels = true}, {.key = ours}}) {
    const auto issues = validate(path, options);
    CHECK(error_rules(issues) == std::set<std::string>{"PRF-1"});
    CHECK(all_of(issues).find("its Merkle root is") != std::string::npos);
  }
}

}  // namespace tacore::validator
