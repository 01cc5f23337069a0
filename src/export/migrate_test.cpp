#include "support/create_files.hpp"
#include "support/support.hpp"
#include "support/v1_files.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/ops/validate.hpp"
#include "tacore/v1/convert.hpp"
#include "tortilla/write/tree.hpp"

namespace tacore::v1 {
namespace {

Strings data_of(const std::string& path) { return contents(load(path).data()); }

Strings errors_of(const std::string& path) {
  Strings out;
  for (const auto& issue : validate(path, {.deep = true})) {
    if (issue.severity == Severity::Error) out.push_back(issue.rule + " " + issue.message);
  }
  return out;
}

TEST_CASE("a Tortilla converted to 2.0 and back is the same Tortilla") {
  const TemporaryFolder folder;
  for (const char* name : {"flat", "nested", "gaps", "first", "rai", "clash", "types"}) {
    CAPTURE(name);
    const std::string source = golden("v1/" + std::string(name) + ".tortilla");
    const auto zip = folder.path(std::string(name) + ".tacozip"), back = folder.path(std::string(name) + ".tortilla");
    convert(source, zip);
    CHECK(errors_of(zip) == Strings{});
    convert(zip, back);
    CHECK(errors_of(back) == Strings{});
    CHECK(data_of(zip) == data_of(source));
    CHECK(data_of(back) == data_of(source));
    const Tree before = tree_of_tortillas(local_storage(), {source}, 1),
               after = tree_of_tortillas(local_storage(), {back}, 1);
    REQUIRE(before.levels.size() == after.levels.size());
    for (std::size_t k = 0; k < before.levels.size(); ++k) {
      CHECK(before.levels[k].ids == after.levels[k].ids);
      const auto names = column_names(*before.levels[k].columns);
      CHECK(names.size() == column_names(*after.levels[k].columns).size());
      for (const auto& column : names) {
        CAPTURE(column);
        CHECK(read_values(*find_column(*before.levels[k].columns, column)).size() ==
              read_values(*find_column(*after.levels[k].columns, column)).size());
      }
    }
  }
}

TEST_CASE("collection members that 2.0 requires are filled in with defaults, or given by the caller") {
  const TemporaryFolder folder;
  convert(golden("v1/flat.tortilla"), folder.path("plain"));
  const Collection plain = read_collection(folder.path("plain"));
  CHECK(plain.id == "flat");
  CHECK(plain.description == "Converted from flat.tortilla");
  CHECK(plain.licenses == Strings{"LicenseRef-unknown"});
  CHECK(plain.tasks == Strings{"other"});
  REQUIRE(plain.extent.temporal);
  convert(golden("v1/flat.taco"), folder.path("stated"), {}, {.id = "new", .licenses = {"MIT"}});
  const Collection stated = read_collection(folder.path("stated"));
  CHECK(stated.id == "new");
  CHECK(stated.licenses == Strings{"MIT"});
  CHECK(stated.tasks == Strings{"super-resolution"});
  CHECK(stated.title == "Demo");
}

TEST_CASE("samples with different children are padded, and padding is dropped on the way back") {
  const TemporaryFolder folder;
  convert(golden("v1/uneven.tortilla"), folder.path("x.tacozip"));
  CHECK(errors_of(folder.path("x.tacozip")) == Strings{});
  convert(folder.path("x.tacozip"), folder.path("x.tortilla"));
  CHECK(data_of(folder.path("x.tortilla")) == data_of(golden("v1/uneven.tortilla")));
  CHECK_THROWS_WITH_AS(convert(golden("v1/mixed.tortilla"), folder.path("y.tacozip")),
                       doctest::Contains("roots of one type expected"), SchemaError);
}

TEST_CASE("ids that 2.0 does not allow survive conversion and back") {
  const TemporaryFolder folder;
  convert(golden("v1/ids.tortilla"), folder.path("x.tacozip"));
  CHECK(data_of(folder.path("x.tacozip")) == Strings{"a_b=a:b", "c_d_2=c/d", "c_d=c_d", "v1___e=__e", "f=f"});
  convert(folder.path("x.tacozip"), folder.path("y.tortilla"));
  CHECK(tree_of_tortillas(local_storage(), {folder.path("y.tortilla")}, 1).levels[0].ids ==
        Strings{"a:b", "c/d", "c_d", "__e", "f"});
}

TEST_CASE("partitions are joined, and a dataset is split anew") {
  const TemporaryFolder folder;
  const auto parts = convert(golden("v1/parts/set.0001.part.tortilla"), folder.path("x.tacozip"));
  CHECK(parts == Strings{folder.path("x.tacozip")});
  CHECK(data_of(parts[0]).size() == 5);
  const auto split = convert(parts[0], folder.path("y.taco"), {.split_size = 25}, demo_collection());
  CHECK(split.size() == 3);
  CHECK(data_of(split[2]) == data_of(parts[0]));
  CHECK_THROWS_WITH_AS(convert(parts[0], folder.path("folder"), {.split_size = 25}),
                       doctest::Contains("between ZIP and FOLDER does not take: split_size"), ValidationError);
}

TEST_CASE("a damaged offset is refused before anything is written") {
  const TemporaryFolder folder;
  std::string bytes = file_text(golden("v1/nested.tortilla"));
  bytes.replace(200, 2, "II");
  says(error_of([&] { convert(folder.write("x.tortilla", bytes), folder.path("x.tacozip")); }), "starts with 'II'");
  CHECK_FALSE(std::filesystem::exists(folder.path("x.tacozip")));
}

TEST_CASE("a compiled file has the rows of the view, nested samples as a whole") {
  const TemporaryFolder folder;
  const Dataset nested = load(golden("v1/nested.tortilla"));
  compile(nested.sql("SELECT * FROM data WHERE id <> 'img1' ORDER BY id DESC"), folder.path("x.tortilla"));
  CHECK(errors_of(folder.path("x.tortilla")) == Strings{});
  const auto all = data_of(golden("v1/nested.tortilla"));
  CHECK(data_of(folder.path("x.tortilla")) == Strings{all[4], all[5], all[0], all[1]});
  const Tree tree = tree_of_tortillas(local_storage(), {folder.path("x.tortilla")}, 1);
  CHECK(tree.levels[0].ids == Strings{"img2", "img0"});
  CHECK(text_column(*tree.levels[0].columns, "split", "")[0] == "train");
  says(error_of([&] { compile(nested, folder.path("x.tacozip")); }), "ValidationError");
  says(error_of([&] { compile(nested.sql("SELECT * FROM data WHERE false"), folder.path("y.tortilla")); }),
       "no samples are left");
}

TEST_CASE("files of one dataset are compiled together") {
  const TemporaryFolder folder;
  const Strings both{golden("v1/flat.tortilla"), golden("v1/gaps.tortilla")};
  compile(load(golden("v1/parts/set.0000.part.tortilla")), folder.path("parts.tortilla"));
  CHECK(data_of(folder.path("parts.tortilla")) == data_of(golden("v1/flat.tortilla")));
  const auto a = load(golden("v1/flat.tortilla")), b = load(golden("v1/rai.tortilla"));
  compile(concat(std::vector{a, b}), folder.path("both.tortilla"));
  CHECK(data_of(folder.path("both.tortilla")).size() == 8);
}

TEST_CASE("a view of a Tortilla is exported to 2.0") {
  const TemporaryFolder folder;
  export_dataset(load(golden("v1/nested.taco")).sql("SELECT * FROM data WHERE id = 'img1'"), folder.path("x.tacozip"));
  CHECK(errors_of(folder.path("x.tacozip")) == Strings{});
  CHECK(data_of(folder.path("x.tacozip")) ==
        Strings{data_of(golden("v1/nested.taco"))[2], data_of(golden("v1/nested.taco"))[3]});
}

}  // namespace
}  // namespace tacore::v1
