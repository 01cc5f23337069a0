#include "writer/pad.hpp"

#include <doctest/doctest.h>

#include <random>

#include "format/names.hpp"
#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;
using Lines = std::vector<std::string>;

Lines padded(const Lines& lines) { return lines_of(pad(tree_of(lines))); }

std::string pad_error(const Lines& lines) {
  return text_of<SchemaError>([&] { pad(tree_of(lines)); });
}

/// The lines without padding, which readers hide.
Lines visible(Lines lines) {
  std::erase_if(lines, [](const std::string& line) { return line.find(names::kPadding) != line.npos; });
  return lines;
}

TEST_CASE("a missing child becomes padding at its position, whichever folder lacks it") {
  CHECK(padded({"t/", "u/", "t/x", "t/y", "t/z", "u/x", "u/z"}) ==
        Lines{"t/", "u/", "t/x", "t/y", "t/z", "u/x", "u/__TACOPAD__1", "u/z"});
  CHECK(padded({"t/", "u/", "t/x", "t/z", "u/x", "u/y", "u/z"}) ==
        Lines{"t/", "u/", "t/x", "t/__TACOPAD__1", "t/z", "u/x", "u/y", "u/z"});
  CHECK(padded({"t/", "u/", "t/z", "u/a"}) == Lines{"t/", "u/", "t/__TACOPAD__0", "t/z", "u/a", "u/__TACOPAD__1"});
}

TEST_CASE("an empty folder is padded with the children of the others") {
  CHECK(padded({"t/", "u/", "t/x"}) == Lines{"t/", "u/", "t/x", "u/__TACOPAD__0"});
}

TEST_CASE("a missing folder becomes a padding folder with padding in it, down to the last level") {
  CHECK(padded({"t/", "u/", "t/a/", "t/b", "u/b", "t/a/m/", "t/a/n", "t/a/m/x"}) ==
        Lines{"t/", "u/", "t/a/", "t/b", "u/__TACOPAD__0/", "u/b", "t/a/m/", "t/a/n", "u/__TACOPAD__0/__TACOPAD__0/",
              "u/__TACOPAD__0/__TACOPAD__1", "t/a/m/x", "u/__TACOPAD__0/__TACOPAD__0/__TACOPAD__0"});
}

TEST_CASE("padding is an empty file, and a complete tree is unchanged") {
  const Tree tree = pad(tree_of({"t/", "u/", "t/x", "t/y", "u/x"}));
  REQUIRE(tree.levels[1].payloads.size() == 4);
  CHECK(tree.levels[1].payloads[3].held->size() == 0);
  CHECK(tree.levels[1].parents == std::vector<int64_t>{0, 0, 1, 1});
  const Lines regular{"t/", "u/", "t/z", "t/a/", "u/z", "u/a/", "t/a/x", "u/a/x"};
  CHECK(padded(regular) == regular);
  CHECK(padded({"b", "a"}) == Lines{"b", "a"});
}

TEST_CASE("folders that padding cannot complete are refused with a list") {
  CHECK(pad_error({"t/", "u/", "v/", "t/a", "t/b", "u/a/", "u/b", "v/a", "v/b/", "u/a/x", "v/b/x"}) ==
        "PIT violation: 'u/a' is a FOLDER, 't/a' a FILE; 'v/b' is a FOLDER, 't/b' a FILE");
  CHECK(pad_error({"t/", "u/", "t/a", "t/b", "u/b", "u/a"}) ==
        "PIT violation: the children 'a' and 'b' are in different orders in 't' and in other folders at its position");
  CHECK(pad_error({"t/", "u/", "t/a/", "u/a/"}) ==
        "PIT violation: 'u/a' has no children, nor has any folder at its position");
  CHECK(pad_error({"a", "b/", "b/x"}) == "PIT violation: 'b' is a FOLDER, 'a' a FILE; roots of one type expected");
  CHECK(has_text(pad_error({"t/", "t/a", "t/a"}), "'t/a' occurs twice"));
  CHECK(has_text(pad_error({"t/", "t/__TACOPAD__0/", "t/__TACOPAD__0/x"}), "is inside of padding"));
  CHECK_THROWS_AS(pad(Tree()), SchemaError);
}

TEST_CASE("roots are padded at the end to a multiple, and a multiple of one adds nothing") {
  CHECK(lines_of(pad_to(tree_of({"b", "a", "c"}), 4)) == Lines{"b", "a", "c", "__TACOPAD__0"});
  CHECK(lines_of(pad_to(tree_of({"b", "a"}), 5)) == Lines{"b", "a", "__TACOPAD__0", "__TACOPAD__1", "__TACOPAD__2"});
  CHECK(lines_of(pad_to(tree_of({"b", "a"}), 2)) == Lines{"b", "a"});
  CHECK(lines_of(pad_to(tree_of({"b", "a"}), 1)) == Lines{"b", "a"});
  CHECK(lines_of(pad_to(tree_of({"b", "__TACOPAD__0"}), 3)) == Lines{"b", "__TACOPAD__0", "__TACOPAD__1"});
}

TEST_CASE("roots are padded with folders where the roots are folders, and a multiple below 1 is refused") {
  const Tree tree = pad_to(tree_of({"t/", "t/a/", "t/b", "t/a/x"}), 2);
  CHECK(lines_of(tree) == Lines{"t/", "__TACOPAD__0/", "t/a/", "t/b", "__TACOPAD__0/__TACOPAD__0/",
                                "__TACOPAD__0/__TACOPAD__1", "t/a/x", "__TACOPAD__0/__TACOPAD__0/__TACOPAD__0"});
  CHECK(check_tree(tree).root_n == 2);
  for (const int64_t n : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX})
    CHECK_THROWS_AS(pad_to(tree, n), ValidationError);
  CHECK_THROWS_AS(pad_to(tree_of({"t/", "u/", "t/a", "t/b", "u/a"}), 3), SchemaError);
}

/// A random tree whose children are some of those of one pattern, in its order.
class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : random_(seed) {}

  Lines make() {
    Lines paths;
    const int num_roots = 1 + pick(5);
    for (int i = 0; i < num_roots; ++i) paths.push_back("r" + std::to_string(i) + "/");
    Lines out = paths;
    for (int level = 1; level < 6 && !paths.empty(); ++level) {
      Lines below;
      for (const auto& path : paths) {
        if (!path.ends_with('/')) continue;
        // Even letters are folders; the last level has none.
        const int begin = level == 5 ? 1 : 0;
        for (int c = begin; c < 4; ++c) {
          if (pick(3) == 0) continue;
          below.push_back(path + static_cast<char>('a' + (c * 7) % 5) + std::to_string(level));
          if (c == 0) below.back() += '/';
        }
        if (below.empty() || !below.back().starts_with(path)) below.push_back(path + "z" + std::to_string(level));
      }
      out.insert(out.end(), below.begin(), below.end());
      paths = std::move(below);
    }
    return out;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::mt19937 random_;
};

TEST_CASE("padded random trees are valid and keep their samples in order, and padding again adds nothing") {
  int num_irregular = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const Lines lines = RandomTree(seed).make();
    const Tree tree = pad(tree_of(lines));
    const PitSchema pit = check_tree(tree);
    CHECK(visible(lines_of(tree)) == lines);
    CHECK(lines_of(pad(tree)) == lines_of(tree));
    for (const auto& [level, patterns] : pit.hierarchy) {
      std::size_t sum = 0;
      for (const auto& pattern : patterns) {
        sum += pattern.n;
        CHECK(visible(pattern.id) == pattern.id);
      }
      CHECK(sum == tree.levels[static_cast<std::size_t>(level)].ids.size());
    }
    if (lines_of(tree) != lines) ++num_irregular;
  }
  CHECK(num_irregular > 100);
}

}  // namespace
