#include "export/legal_ids.hpp"

#include <doctest/doctest.h>

#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "table/metadata_columns.hpp"
#include "table/read_table.hpp"

namespace tacore {
namespace {

Tree roots(const Strings& ids) {
  Tree out;
  out.levels.emplace_back();
  out.levels[0].ids = ids;
  out.levels[0].types.resize(ids.size());
  out.levels[0].payloads.resize(ids.size());
  return out;
}

TEST_CASE("ids that 2.0 does not allow are replaced, and restored on the way back") {
  const Strings ids = {"a", "b/c", "b_c", "x:y", "", ".", "..", "__z", "__TACOPAD__0", "b\\c", "n\n", "\u00fc/\u00e4"};
  const Tree legal = with_legal_ids(roots(ids));
  CHECK(legal.levels[0].ids == Strings{"a", "b_c_2", "b_c", "x_y", "v1_", "v1_.", "v1_..", "v1___z", "v1___TACOPAD__0",
                                       "b_c_3", "n_", "\u00fc_\u00e4"});
  const auto originals = text_column(*legal.levels[0].columns, "tortilla:id", "");
  CHECK_FALSE(originals[0]);
  CHECK(originals[1] == "b/c");
  CHECK_FALSE(originals[2]);
  CHECK(check_tree(legal).root_n == ids.size());
  const Tree back = with_original_ids(legal);
  CHECK(back.levels[0].ids == ids);
  CHECK(back.levels[0].columns == nullptr);
}

TEST_CASE("legal ids are kept, and no column is added for them") {
  const Tree tree = with_legal_ids(roots({"a", "b"}));
  CHECK(tree.levels[0].ids == Strings{"a", "b"});
  CHECK(tree.levels[0].columns == nullptr);
}

TEST_CASE("an id is replaced by the same id in all folders, and other columns are kept") {
  Tree tree = tree_of({"p/", "q/", "p/x:1", "p/x_2", "q/x:1", "q/x_2"});
  tree.levels[1].columns = with_columns(nullptr, 4, {{.key = "n", .values = {1, 2, 3, 4}}});
  const Tree legal = with_legal_ids(tree);
  CHECK(lines_of(legal) == Strings{"p/", "q/", "p/x_1", "p/x_2", "q/x_1", "q/x_2"});
  CHECK(column_names(*legal.levels[1].columns) == Strings{"n", "tortilla:id"});
  const Tree back = with_original_ids(legal);
  CHECK(lines_of(back) == lines_of(tree));
  CHECK(column_names(*back.levels[1].columns) == Strings{"n"});
}

}  // namespace
}  // namespace tacore
