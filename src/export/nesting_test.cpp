#include <filesystem>

#include "support/create_files.hpp"
#include "support/v1_files.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/v1/convert.hpp"
#include "tacore/visibility.hpp"
#include "tortilla/header.hpp"
#include "tortilla/write/tree.hpp"

/// Trees deeper than the six levels of TACO 2.0, which Tortilla 0.5.0 and TACO 0.2.0 nest as they like.
namespace tacore::v1 {
namespace {

/// Folders in each other, `depth` of them with a note each, and `bytes` in the last as `leaf`.
Tortilla folders(const TemporaryFolder& folder, int depth, const std::string& bytes = "bottom") {
  std::string at = "tree/";
  for (int i = 0; i < depth; ++i) {
    at += "f" + std::to_string(i) + "/";
    folder.write(at + "note", "note " + std::to_string(i));
  }
  folder.write(at + "leaf", bytes);
  return Tortilla::from_folder(folder.path("tree"));
}

/// The ids from the root down to what stands beside `leaf`.
std::string path_to(const std::string& id, int depth) {
  std::string out;
  for (int i = 0; i < depth; ++i) out += "f" + std::to_string(i) + "/";
  return out + id;
}

std::string leaf_of(const std::string& path, int depth) {
  const Bytes bytes = load(path).data().read_bytes(path_to("leaf", depth));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A Tortilla in a Tortilla, `depth` of them, with `sample` in the last, each with a place at which filters look.
Sample nested(int depth, Sample sample) {
  const auto place = [](Sample of) {
    of.extend_with({{"stac:centroid", "POINT (1 2)"}});
    return of;
  };
  for (int i = depth; i-- > 0;) sample = Sample("f" + std::to_string(i), Tortilla({place(std::move(sample))}));
  return place(std::move(sample));
}

TEST_CASE("a folder tree of any depth is written, and read to its deepest level") {
  const TemporaryFolder folder;
  for (const int depth : {6, 8, 20, kMaxLevels - 1}) {
    CAPTURE(depth);
    const Tortilla tree = folders(folder, depth);
    const auto tortilla = folder.path("x.tortilla"), taco = folder.path("x.taco");
    create_tortilla(tree, tortilla, plain({.output = {.overwrite = true}}));
    create_taco({tree, demo_collection()}, taco, plain({.output = {.overwrite = true}}));
    for (const auto& path : {tortilla, taco}) {
      CHECK(leaf_of(path, depth) == "bottom");
      CHECK(sanity_check(load(path).data()).empty());
      CHECK(validate(path, {.deep = true}).empty());
      CHECK(tree_of_tortillas(local_storage(), {path}, 2).levels.size() == static_cast<std::size_t>(depth) + 1);
    }
    CHECK(load(taco).data().read_bytes(path_to("note", depth)).size() == ("note " + std::to_string(depth - 1)).size());
  }
}

TEST_CASE("deep files are converted, joined and compiled with all their levels") {
  const TemporaryFolder folder;
  const auto tortilla = folder.path("x.tortilla"), taco = folder.path("x.taco");
  create_tortilla(folders(folder, 9), tortilla, plain());
  convert(tortilla, taco, {}, demo_collection());
  convert(taco, folder.path("back.tortilla"));
  CHECK(file_text(folder.path("back.tortilla")) == file_text(tortilla));

  folder.copy(folder.path("tree/f0"), "tree/g0");
  const auto parts = create_tortilla(Tortilla::from_folder(folder.path("tree")), tortilla,
                                     plain({.output = {.overwrite = true}, .split_size = 1}));
  REQUIRE(parts.size() == 2);
  convert(parts[1], taco, {.output = {.overwrite = true}}, demo_collection());
  CHECK(leaf_of(taco, 9) == "bottom");
  CHECK(leaf_of(parts[0], 9) == "bottom");
  join(parts, folder.path("joined.tortilla"));
  CHECK(leaf_of(folder.path("joined.tortilla"), 9) == "bottom");

  compile(load(taco), folder.path("compiled.tortilla"));
  CHECK(leaf_of(folder.path("compiled.tortilla"), 9) == "bottom");
  CHECK(tree_of_tortillas(local_storage(), {folder.path("compiled.tortilla")}, 1).levels.size() == 10);
}

TEST_CASE("samples below the filterable levels are compiled whole") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla"), out = folder.path("y.tortilla");
  create_tortilla(Tortilla({nested(9, Sample("leaf", to_bytes("bottom")))}), path, plain());
  const Dataset filtered = load(path).filter_bbox({0, 0, 3, 3}, {.level = 2});
  compile(filtered, out);
  CHECK(leaf_of(out, 9) == "bottom");
  const auto bottom = tree_of_tortillas(local_storage(), {out}, 1).levels.back().columns;
  REQUIRE(bottom);
  CHECK(column_names(*bottom) == Strings{"tortilla:file_format", "stac:centroid"});
}

TEST_CASE("a sample that is deeper than the first one is compiled to its deepest level") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla"), out = folder.path("y.tortilla");
  create_tortilla(Tortilla({nested(1, Sample("leaf", to_bytes("up"))),
                            Sample("deep", Tortilla({nested(3, Sample("leaf", to_bytes("down")))}),
                                   {{"stac:centroid", "POINT (1 2)"}})},
                           false),
                  path, plain());
  compile(load(path).filter_bbox({0, 0, 3, 3}, {.level = 1}), out);
  CHECK(load(out).data().read_bytes("deep/f0/f1/f2/leaf").size() == 4);
}

TEST_CASE("trees beyond the maximum depth are refused on writing, reading and walking") {
  const TemporaryFolder folder;
  const auto path = folder.path("x.tortilla");
  const Tortilla deepest = folders(folder, kMaxLevels - 1);
  says(error_of([&] { create_tortilla(folders(folder, kMaxLevels), path, plain()); }),
       "is below level 63, the deepest that is written");
  CHECK(!std::filesystem::exists(path));
  // A Tortilla as the sample of another is bytes, whatever is in it.
  create_tortilla(deepest, folder.path("sample.tortilla"), plain());
  create_tortilla(Tortilla({Sample("s", folder.path("sample.tortilla"))}), path, plain());
  says(error_of([&] { tree_of_tortillas(local_storage(), {path}, 1); }),
       "containers are nested in more than 63 others");
  const auto bad = sanity_check(load(path).data());
  REQUIRE(bad.size() == 2);
  says(bad[0].reason, "is nested in more than 63 others");
}

TEST_CASE("a deeper tree than the six levels of a 2.0 dataset is refused by every writer, and nothing is written") {
  const TemporaryFolder folder, out;
  const Tortilla tree = folders(folder, 8);
  const auto taco = folder.path("x.taco");
  create_taco({tree, demo_collection()}, taco, plain());
  const std::string why = "a tree of 9 levels; at most 6 expected in TACO 2.0, and 'f0/f1/f2/f3/f4/f5/f6' is deeper";
  const auto refuses = [&](const std::function<void()>& body) { says(error_of(body), why); };
  for (const char* name : {"x.tacozip", "x"}) {
    const auto path = out.path(name);
    refuses([&] { tacore::create({tree, collection()}, path); });
    refuses([&] { tacore::create(make_compliant({tree, collection()}).taco, path); });
    refuses([&] { convert(taco, path); });
    refuses([&] { export_dataset(load(taco), path); });
    refuses([&] { export_dataset(load(taco), path, {.strict = true}); });
    const auto issues = tacore::check_plan({tree, collection()}, path).issues;
    REQUIRE(!issues.empty());
    says(issues[0], why);
  }
  CHECK(std::filesystem::is_empty(out.path()));
  const Tortilla least = folders(folder, 5);
  std::filesystem::remove_all(folder.path("tree/f0/f1/f2/f3/f4/f5"));
  tacore::create({Tortilla::from_folder(folder.path("tree")), collection()}, out.path("x.tacozip"));
  CHECK(load(out.path("x.tacozip")).data().read_bytes("f0/f1/f2/f3/f4/note").size() == 6);
}

}  // namespace
}  // namespace tacore::v1
