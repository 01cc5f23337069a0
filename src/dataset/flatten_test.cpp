#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "support/query_data.hpp"
#include "support/support.hpp"

/// flatten(), the tables l0, l1, ... of SQL, and sort(), limit() and with_column() of datasets, against read().
using namespace tacore;

namespace {

Dataset flat() { return load(golden("flat.tacozip")); }
Dataset nested() { return load(golden("nested.tacozip")); }
Dataset parts() { return concat({part(1), part(2), part(3), part(4)}); }

/// `ids of the path, path for GDAL` of each FILE of `level` that read() leads to, in order.
Strings walk(const DataFrame& frame, int level, const std::string& above = "") {
  Strings out;
  for (int64_t row = 0; row < frame.num_rows(); ++row) {
    const std::string path = above + ids(frame)[static_cast<std::size_t>(row)];
    const Node node = frame.read(row);
    if (const auto* file = std::get_if<VsiPath>(&node)) {
      if (level == 0) out.push_back(path + " " + file->value);
    } else if (level > 0) {
      for (const auto& below : walk(std::get<DataFrame>(node), level - 1, path + "/")) out.push_back(below);
    }
  }
  return out;
}

/// The same of the rows of flatten().
Strings rows_of(const DataFrame& files, int level) {
  Strings out;
  for (int64_t row = 0; row < files.num_rows(); ++row) {
    std::string path;
    for (int at = 0; at <= level; ++at)
      path += (at > 0 ? "/" : "") + *files.text(row, "l" + std::to_string(at) + ":id");
    out.push_back(path + " " + files.text(row, "gdal_vsi").value_or("null"));
  }
  return out;
}

/// `limit`: what limit() was called with; it limits the rows of flatten() as well.
void check_flat(const Dataset& dataset, std::size_t limit = SIZE_MAX) {
  const int depth = dataset.pit_schema().max_depth();
  for (int level = 0; level <= depth; ++level) {
    CAPTURE(level);
    Strings expected = walk(dataset.data(), level);
    expected.resize(std::min(expected.size(), limit));
    CHECK(rows_of(dataset.flatten(level), level) == expected);
  }
  CHECK(dataset.flatten().num_rows() == dataset.flatten(depth).num_rows());
}

}  // namespace

TEST_CASE("flatten has the FILEs that read() leads to, with their paths, in its order") {
  for (const Dataset& dataset :
       {flat(), nested(), load(golden("cascade_tacocat")), load(golden("cascade_tacocat/TACOLLECTION.json")), parts(),
        load(golden("six_levels.tacozip")), load(golden("nested_padded.tacozip")),
        load(golden("uneven_children.tacozip")), load(golden("mixed_level1.tacozip")), load(golden("nested"))}) {
    CAPTURE(dataset.path());
    check_flat(dataset);
    check_flat(dataset.sql("SELECT * FROM data ORDER BY id DESC"));
    check_flat(dataset.sql("SELECT id, * EXCLUDE (id), 'x' AS added FROM data ORDER BY id"));
    check_flat(dataset.sort("id", true).limit(2), 2);
    check_flat(concat({dataset.limit(2), dataset.sort("id", true)}));
  }
}

TEST_CASE("flatten keeps what filters leave, on each level") {
  for (const Dataset& dataset : {load(golden("cascade_tacocat")), parts()}) {
    CAPTURE(dataset.path());
    for (const int level : {1, 2}) {
      const Dataset some = dataset.filter_bbox(-10, 35, 10, 60, {.level = level});
      REQUIRE(some.flatten().num_rows() > 0);
      CHECK(some.flatten().num_rows() < dataset.flatten().num_rows());
      check_flat(some);
      check_flat(some.sort("id", true));
    }
  }
}

TEST_CASE("rows of flatten are read by position, and filtered as those of any frame") {
  const DataFrame files = nested().flatten();
  CHECK(to_text(files.read_bytes(0)) ==
        to_text(nested().data().read_bytes(files.text(0, "l0:id").value() + "/" + files.text(0, "l1:id").value())));
  const std::string id = *files.text(1, "l1:id");
  const DataFrame some = files.filter("\"l1:id\" = '" + id + "'");
  CHECK(some.num_rows() > 0);
  CHECK(some.text(0, "gdal_vsi") == files.text(1, "gdal_vsi"));
  CHECK(files.columns().back().name == "gdal_vsi");
  for (const auto& column : files.columns()) CHECK(column.name.find("internal:") == std::string::npos);
}

TEST_CASE("the tables l0, l1, ... have the rows of their level with those of their ancestors") {
  const Dataset dataset = parts();
  CHECK(ids(dataset.sql("SELECT \"l0:id\" AS id FROM l0").data()) == ids(dataset.data()));
  const DataFrame rows = dataset.sql("SELECT \"l2:id\", \"l1:id\", \"l0:id\", \"l2:internal:gdal_vsi\" FROM l2").data();
  const DataFrame files = dataset.flatten();
  REQUIRE(rows.num_rows() == files.num_rows());
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    CHECK(rows.text(row, "l0:id") == files.text(row, "l0:id"));
    CHECK(rows.text(row, "l2:internal:gdal_vsi") == files.text(row, "gdal_vsi"));
  }
  const Dataset europe = dataset.sql("SELECT * FROM data WHERE id = 'europe'");
  CHECK(europe.sql("SELECT DISTINCT \"l0:id\" AS id FROM l2").data().num_rows() == 1);
  CHECK(dataset.filter_bbox(-4, 40, -3, 41, {.level = 2}).sql("SELECT * FROM L2").data().num_rows() == 1);
  const DataFrame all = dataset.sql("SELECT * FROM l1").data();
  CHECK(column_names(all).front() == "l1:id");
  CHECK(all.level() == 1);
  for (const std::string& name : column_names(all)) {
    CHECK_FALSE(name.ends_with("internal:parent_id"));
    CHECK_FALSE(name.ends_with("internal:current_id"));
  }
  CHECK_FALSE(dataset.sql("SELECT * FROM l1").is_rsut());
  CHECK(has_text(error_of([&] { dataset.sql("SELECT * FROM l7").data(); }), "The tables are data, level0, level1"));
}

TEST_CASE("a query may have tables of its own with these names") {
  CHECK(ids(nested().sql("WITH l1 AS (SELECT 'x' AS id) SELECT id FROM l1").data()) == Strings{"x"});
}

TEST_CASE("paths of a concatenation are there, whichever queries chose its rows") {
  const Dataset some = flat().sql("SELECT * FROM data WHERE id <> 'valencia'");
  for (const Dataset& first : {some, some.sort("id"), some.limit(3)}) {
    const DataFrame rows = concat({first, flat()}).sql("SELECT id, \"internal:gdal_vsi\" FROM data").data();
    for (int64_t row = 0; row < rows.num_rows(); ++row) CHECK(rows.text(row, "internal:gdal_vsi").has_value());
  }
}

TEST_CASE("sort is stable, puts nulls last, and sorts by columns of any level") {
  const Dataset dataset = flat().with_column("parity", "length(id) % 2").with_column("none", "nullif(id, 'valencia')");
  Strings expected = ids(dataset.data());
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.size() % 2 > b.size() % 2; });
  CHECK(ids(dataset.sort("parity", true).data()) == expected);
  for (const bool descending : {false, true}) CHECK(ids(dataset.sort("none", descending).data()).back() == "valencia");
  CHECK(ids(flat().sort("l0:id").data()) == ids(flat().sort("id").data()));
  CHECK(ids(parts().sort("l2:id").sort("id").data()) == ids(parts().sort("id").data()));
  const auto sorted = rows_of(parts().sort("l2:id", true).flatten(), 2);
  CHECK(sorted.size() == rows_of(parts().flatten(), 2).size());
  CHECK(sorted[0].find("/city_1 ") != std::string::npos);
  CHECK(sorted.back().find("/city_0 ") != std::string::npos);
}

TEST_CASE("sort, limit and with_column act on rows, counts, queries, children and paths") {
  const Dataset dataset = nested().with_column("upper", "upper(id)").sort("id", true).limit(2);
  Strings expected = ids(nested().data());
  std::sort(expected.rbegin(), expected.rend());
  expected.resize(2);
  CHECK(ids(dataset.data()) == expected);
  CHECK(dataset.num_rows() == 2);
  CHECK(dataset.pit_schema().root_n == 2);
  CHECK(ids(dataset.sql("SELECT * FROM data WHERE upper = upper(id)").data()) == expected);
  CHECK(dataset.is_rsut());
  const std::set<std::string> wanted(expected.begin(), expected.end());
  const DataFrame files = dataset.flatten();
  for (int64_t row = 0; row < std::min<int64_t>(files.num_rows(), 2); ++row) {
    CHECK(wanted.contains(*files.text(row, "l0:id")));
    CHECK(files.text(row, "l0:upper") == dataset.data().text(0, "upper"));
  }
  CHECK(files.num_rows() == 2);  // limit() limits them as well
  CHECK(dataset.limit(0).num_rows() == 0);
  CHECK(dataset.limit(0).flatten().num_rows() == 0);
}

TEST_CASE("a limit of a query's rows chooses once") {
  const Dataset some = flat().sql("SELECT *, random() AS r FROM data ORDER BY r").limit(2);
  CHECK(ids(some.data()) == ids(some.sql("SELECT * FROM data").data()));
  CHECK(rows_of(some.flatten(), 0) == walk(some.data(), 0));
}

TEST_CASE("columns, levels and queries that do not fit are errors that name them") {
  const auto says = [](const auto& call, const char* text) { CHECK(has_text(error_of(call), text)); };
  says([] { nested().sort("nothing"); }, "sort: no column 'nothing': id, type");
  says([] { nested().sort("l1:nothing"); }, "sort: no column 'l1:nothing': l1:id");
  says([] { nested().sort("l5:id"); }, "Level 5 does not exist: the deepest is 1");
  says([] { nested().limit(-1); }, "limit: -1 rows; 0 or more expected");
  says([] { nested().with_column("ID", "1"); }, "Cannot modify protected column 'ID'");
  says([] { nested().with_column("x", "1) FROM data; SELECT (2"); }, "SQL: ");
  says([] { nested().flatten(2); }, "Level 2 does not exist: the deepest is 1");
  says([] { nested().flatten(-1); }, "Level -1 does not exist");
  says([] { nested().sql("SELECT * FROM level1").flatten(); }, "the rows of the query are not samples of level 0");
  says([] { nested().sql("SELECT id FROM data").flatten(); }, "the rows of the query are not samples of level 0");
  says([] { nested().sql("SELECT id FROM data").sort("l1:id").data(); }, "SELECT * keeps them");
  says([] { to_dataset(nested().data()).flatten(); }, "can only be written");
}
