#include "writer/tree.hpp"

#include <doctest/doctest.h>

#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

std::string tree_error(const std::vector<std::string>& lines) {
  return text_of<SchemaError>([&] { check_tree(tree_of(lines)); });
}

TEST_CASE("the pattern of a flat tree is its number of rows") {
  const PitSchema pit = check_tree(tree_of({"b", "a", "c"}));
  CHECK(pit.root_n == 3);
  CHECK(pit.root_type == SampleType::File);
  CHECK(pit.hierarchy.empty());
}

TEST_CASE("patterns have the children of each position, and their total count") {
  const PitSchema pit = check_tree(tree_of({"t/", "u/", "t/a/", "t/b", "t/c/", "u/a/", "u/b", "u/c/", "t/a/x", "t/a/y",
                                            "t/c/z", "u/a/x", "u/a/y", "u/c/z"}));
  REQUIRE(pit.max_depth() == 2);
  CHECK(pit.hierarchy.at(1) ==
        std::vector<PitPattern>{{6, {SampleType::Folder, SampleType::File, SampleType::Folder}, {"a", "b", "c"}}});
  CHECK(pit.hierarchy.at(2) ==
        std::vector<PitPattern>{{4, {SampleType::File, SampleType::File}, {"x", "y"}}, {2, {SampleType::File}, {"z"}}});
}

TEST_CASE("padding matches any position, whose first real child defines the pattern") {
  const PitSchema pit = check_tree(tree_of({"t/", "u/", "t/__TACOPAD__0", "t/b", "u/a/", "u/__TACOPAD__0", "u/a/x"}));
  CHECK(pit.hierarchy.at(1)[0].id == std::vector<std::string>{"a", "b"});
  CHECK(pit.hierarchy.at(1)[0].type == std::vector<SampleType>{SampleType::Folder, SampleType::File});
  CHECK(pit.hierarchy.at(1)[0].n == 4);
  CHECK(pit.hierarchy.at(2)[0].id == std::vector<std::string>{"x"});
}

TEST_CASE("folders with different children at one position are refused at any level, with their path") {
  const struct {
    const char* name;
    std::vector<std::string> lines;
    const char* words;
  } cases[] = {
      {"roots", {"a", "b/", "b/x"}, "PIT violation: 'b' is a FOLDER, 'a' a FILE"},
      {"number", {"t/", "u/", "t/a", "u/a", "u/b"}, "PIT violation: 'u' has 2 children, 1 in 't'"},
      {"id", {"t/", "u/", "t/a", "u/b"}, "'u' has child 'b' at position 0, 'a' in 't'"},
      {"order", {"t/", "u/", "t/a", "t/b", "u/b", "u/a"}, "'u' has child 'b' at position 0, 'a' in 't'"},
      {"type", {"t/", "u/", "t/a", "u/a/", "u/a/x"}, "'u' has a FOLDER 'a', a FILE in 't'"},
      {"level 2", {"t/", "u/", "t/a/", "u/a/", "t/a/x", "u/a/y"}, "'u/a' has child 'y' at position 0, 'x' in 't/a'"},
      {"level 3",
       {"t/", "u/", "t/a/", "u/a/", "t/a/b/", "u/a/b/", "t/a/b/x", "t/a/b/y", "u/a/b/x"},
       "'u/a/b' has 1 children, 2 in 't/a/b'"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(has_text(tree_error(c.lines), c.words));
  }
}

TEST_CASE("a padding folder takes the place of a folder, and patterns keep the order of the tree") {
  const PitSchema pit = check_tree(tree_of({"t/", "u/", "t/__TACOPAD__0/", "t/b/", "u/a/", "u/b/",
                                            "t/__TACOPAD__0/__TACOPAD__0", "t/b/y", "u/a/x", "u/b/y"}));
  CHECK(pit.hierarchy.at(2) == std::vector<PitPattern>{{2, {SampleType::File}, {"x"}}, {2, {SampleType::File}, {"y"}}});
  const PitSchema late =
      check_tree(tree_of({"t/", "u/", "t/__TACOPAD__0", "t/b/", "u/a/", "u/b/", "t/b/y", "u/a/x", "u/b/y"}));
  CHECK(late.hierarchy.at(2) ==
        std::vector<PitPattern>{{1, {SampleType::File}, {"x"}}, {2, {SampleType::File}, {"y"}}});
  CHECK(has_text(tree_error({"t/", "u/", "t/a", "u/__TACOPAD__0/", "u/__TACOPAD__0/__TACOPAD__0"}),
                 "'u' has a FOLDER '__TACOPAD__0', a FILE in 't'"));
}

TEST_CASE("samples that readers would hide as padding are refused") {
  CHECK(has_text(tree_error({"t/", "t/__TACOPAD__0/", "t/__TACOPAD__0/x"}), "'t/__TACOPAD__0/x' is inside of padding"));
  Tree tree = tree_of({"a", "__TACOPAD__0"});
  tree.levels[0].payloads[1].size = 1;
  CHECK_THROWS_AS(check_tree(tree), SchemaError);
}

TEST_CASE("all differences are counted, and the first five reported") {
  std::vector<std::string> lines{"t0/"}, below{"t0/a", "t0/b"};
  for (int i = 1; i < 9; ++i) {
    lines.push_back("t" + std::to_string(i) + "/");
    below.push_back("t" + std::to_string(i) + "/b");
    if (i % 2 == 1) below.push_back("t" + std::to_string(i) + "/c");
  }
  lines.insert(lines.end(), below.begin(), below.end());
  const std::string error = tree_error(lines);
  CHECK(has_text(error, "'t1' has child 'b' at position 0, 'a' in 't0'; 't2' has 1 children, 2 in 't0' (not 'a'); "));
  CHECK(has_text(error, "'t5'"));
  CHECK_FALSE(has_text(error, "'t6'"));
  CHECK(has_text(error, "; and 3 more"));
}

TEST_CASE("folders at different positions may differ") {
  CHECK(tree_error({"t/", "t/a/", "t/b/", "t/a/x", "t/b/y", "t/b/z"}).empty());
}

TEST_CASE("invalid ids, duplicate ids, folders without children and too many levels are refused") {
  const struct {
    std::vector<std::string> lines;
    const char* words;
  } cases[] = {
      {{}, "no samples"},
      {{"a", "b", "a"}, "sample 'a' occurs twice"},
      {{"t/", "t/a", "t/b", "t/a"}, "sample 't/a' occurs twice"},
      {{"a:b"}, "its id contains a colon"},
      {{".."}, "its id is reserved by file systems"},
      {{"__meta__"}, "its id starts with __"},
      {{"t/", "t/x\ny"}, "its id contains a control character"},
      {{"t/", "u/", "t/a"}, "folder 'u' has no children"},
      {{"a/", "a/a/", "a/a/a/", "a/a/a/a/", "a/a/a/a/a/", "a/a/a/a/a/a/", "a/a/a/a/a/a/a"},
       "a tree of 7 levels; at most 6 expected in TACO 2.0, and 'a/a/a/a/a/a/a' is deeper"},
  };
  for (const auto& c : cases) {
    CAPTURE(std::string(c.words));
    CHECK(has_text(tree_error(c.lines), c.words));
  }
  CHECK(tree_error({"a/", "a/a/", "a/a/a/", "a/a/a/a/", "a/a/a/a/a/", "a/a/a/a/a/a"}).empty());
}

}  // namespace
