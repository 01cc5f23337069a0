#include "writer/parts.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <random>

#include "support/sample_data.hpp"
#include "table/level_write.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "tacore/write/create.hpp"
#include "writer/tables.hpp"

namespace {

using namespace tacore;
using Lines = std::vector<std::string>;

/// `name: roots` of each part.
Lines shown(const std::vector<Part>& parts) {
  Lines out;
  for (const auto& part : parts) {
    out.push_back(part.name + ":");
    for (const int64_t root : part.roots) out.back() += " " + std::to_string(root);
  }
  return out;
}

/// FILEs of these sizes.
Tree sized(const std::vector<uint64_t>& sizes) {
  Tree out;
  out.levels.resize(1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out.levels[0].ids.push_back("s" + std::to_string(i));
    out.levels[0].types.push_back(SampleType::File);
    out.levels[0].payloads.push_back({.size = sizes[i]});
  }
  return out;
}

std::vector<int64_t> rows_from_0(std::size_t count) {
  std::vector<int64_t> out(count);
  std::iota(out.begin(), out.end(), int64_t{0});
  return out;
}

/// FILEs of 10 bytes with a column of text.
Tree labelled(const Lines& labels) {
  Tree out = sized(std::vector<uint64_t>(labels.size(), 10));
  out.levels[0].columns =
      add_column(take_rows(*samples_table(out, 0), rows_from_0(labels.size()), {}), "label", labels);
  return out;
}

TEST_CASE("parts are filled in order, an oversized sample has its own part, and a single part has the plain name") {
  const Tree tree = sized({40, 40, 30, 500, 10, 90, 1});
  CHECK(shown(plan_parts(tree, "x.tacozip", 100, {})) == Lines{"x_part0001.tacozip: 0 1", "x_part0002.tacozip: 2",
                                                               "x_part0003.tacozip: 3", "x_part0004.tacozip: 4 5",
                                                               "x_part0005.tacozip: 6"});
  CHECK(shown(plan_parts(tree, "x.tacozip", 711, {})) == Lines{"x.tacozip: 0 1 2 3 4 5 6"});
  CHECK(shown(plan_parts(tree, "x.ZIP", 710, {})) == Lines{"x_part0001.ZIP: 0 1 2 3 4 5", "x_part0002.ZIP: 6"});
  CHECK(shown(plan_parts(tree, "a.b.zip", 0, {})) == Lines{"a.b.zip: 0 1 2 3 4 5 6"});
  CHECK(plan_parts(sized({UINT64_MAX, UINT64_MAX}), "x.zip", UINT64_MAX, {}).size() == 2);
  CHECK(plan_parts(sized({0, 0, 0}), "x.zip", 1, {}).size() == 1);
}

TEST_CASE("the size of a folder is that of all samples below it") {
  Tree tree = tree_of({"t/", "u/", "t/a/", "t/b", "u/a/", "u/b", "t/a/x", "u/a/x"});
  for (auto& level : tree.levels) {
    for (std::size_t row = 0; row < level.ids.size(); ++row)
      if (level.types[row] == SampleType::File) level.payloads[row].size = 30;
  }
  CHECK(plan_parts(tree, "x.zip", 119, {}).size() == 2);
  CHECK(plan_parts(tree, "x.zip", 120, {}).size() == 1);
}

TEST_CASE("parts hold the whole tree, each sample once") {
  const Tree tree = tree_of({"t/", "u/", "v/", "t/a/", "t/b", "u/a/", "u/b", "v/a/", "v/b", "t/a/x", "u/a/x", "v/a/x"});
  CHECK(lines_of(take_roots(tree, {0, 2})) == Lines{"t/", "v/", "t/a/", "t/b", "v/a/", "v/b", "t/a/x", "v/a/x"});
  CHECK(take_roots(tree, {1}).levels[2].parents == std::vector<int64_t>{0});
  CHECK(lines_of(take_roots(tree, {0, 1, 2})) == lines_of(tree));
}

TEST_CASE("random parts keep order and size limit") {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    std::vector<uint64_t> sizes(1 + random() % 50);
    for (auto& size : sizes) size = random() % 100;
    const uint64_t limit = 1 + random() % 200;
    const auto parts = plan_parts(sized(sizes), "x.zip", limit, {});
    int64_t next = 0;
    for (const auto& part : parts) {
      uint64_t sum = 0;
      CHECK_FALSE(part.roots.empty());
      for (const int64_t root : part.roots) {
        CHECK(root == next++);
        sum += sizes[static_cast<std::size_t>(root)];
      }
      CHECK((sum <= limit || part.roots.size() == 1));
      if (static_cast<std::size_t>(next) < sizes.size()) CHECK(sum + sizes[static_cast<std::size_t>(next)] > limit);
    }
    CHECK(next == static_cast<int64_t>(sizes.size()));
  }
}

TEST_CASE("each value has a part, in order of first appearance, with a portable file name") {
  const Tree tree = labelled({"b", "a", "b", "c/d : *e", "__é  \t'x'__"});
  CHECK(shown(plan_parts(tree, "x.tacozip", 0, {"label"})) ==
        Lines{"x_b.tacozip: 0 2", "x_a.tacozip: 1", "x_c_d_e.tacozip: 3", "x_é_x.tacozip: 4"});
  CHECK(shown(plan_parts(labelled({"a", "a"}), "x.tacozip", 0, {"label"})) == Lines{"x_a.tacozip: 0 1"});
  CHECK(shown(plan_parts(labelled({"a", "a"}), "x.tacozip", 0, {"type", "label"})) == Lines{"x_FILE_a.tacozip: 0 1"});
}

TEST_CASE("an unknown column is refused with a list of the known ones") {
  try {
    plan_parts(labelled({"a"}), "x.tacozip", 0, {"zz"});
    FAIL("no error");
  } catch (const SchemaError& error) {
    CHECK(std::string(error.what()) == "no column 'zz': id, type, label");
  }
}

TEST_CASE("values whose parts would have one file name are refused with their samples") {
  try {
    plan_parts(labelled({"a/b", "c", "a:b"}), "x.tacozip", 0, {"label"});
    FAIL("no error");
  } catch (const ValidationError& error) {
    CHECK(std::string(error.what()) ==
          "samples 's0' and 's2' differ in label, but the name of both parts is 'x_a_b.tacozip'");
  }
}

TEST_CASE("groups above the size limit are split further") {
  CHECK(shown(plan_parts(labelled({"a", "b", "a", "a"}), "x.zip", 20, {"label"})) ==
        Lines{"x_a_part0001.zip: 0 2", "x_a_part0002.zip: 3", "x_b.zip: 1"});
}

TEST_CASE("padding is in the part of the sample before it") {
  Tree tree = labelled({"a", "b", "", "a"});
  tree.levels[0].ids[2] = "__TACOPAD__0";
  CHECK(shown(plan_parts(tree, "x.zip", 0, {"label"})) == Lines{"x_a.zip: 0 3", "x_b.zip: 1 2"});
}

}  // namespace
