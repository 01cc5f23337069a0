#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>

#include "model/wkb_centroid.hpp"
#include "support/create_files.hpp"
#include "tacore/ops/export.hpp"

// What create() writes, load() reads: everything, in both containers.
namespace tacore {

TEST_CASE("a folder becomes a dataset with samples in code-point order and unchanged bytes") {
  const Workshop shop;
  for (const std::string tile : {"t10", "t9", "t-1"}) {
    shop.add(tile + "/red", "red of " + tile);
    shop.add(tile + "/more/dem", tile + " is high");
    shop.add(tile + "/more/empty", "");
  }
  for (const std::string name : {"x.tacozip", "x.ZIP", "x"}) {
    CAPTURE(name);
    CHECK(create({shop.tree(), collection()}, shop.out(name)) == Strings{shop.out(name)});
    const Dataset made = load(shop.out(name));
    CHECK(contents(made.data()) == Strings{"t-1/more/dem=t-1 is high", "t-1/more/empty=", "t-1/red=red of t-1",
                                           "t10/more/dem=t10 is high", "t10/more/empty=", "t10/red=red of t10",
                                           "t9/more/dem=t9 is high", "t9/more/empty=", "t9/red=red of t9"});
    CHECK(faults(shop.out(name)) == "");
    CHECK(made.collection().id == "made");
    CHECK(made.collection().taco_version == "2.0.0");
    CHECK(made.pit_schema().root_n == 3);
    CHECK(made.level_rows(2) == 6);
  }
}

TEST_CASE("offsets are right whatever the order of the ids") {
  const Workshop shop;
  std::string table = "id,path,cloud\n";
  for (const int i : {11, 2, 10, 1, 0, 9}) {
    const std::string id = "folder_" + std::to_string(i);
    for (const std::string child : {"z", "a"}) {
      shop.add("data/" + id + child, id + "/" + child);
      table += id + "/" + child + ",data/" + id + child + "," + std::to_string(i) + "\n";
    }
  }
  shop.add("t.csv", table);
  create({Tortilla::from_table(shop.source("t.csv")), collection()}, shop.out("x.tacozip"));
  const Dataset made = load(shop.out("x.tacozip"));
  CHECK(ids(made.data()) == Strings{"folder_11", "folder_2", "folder_10", "folder_1", "folder_0", "folder_9"});
  for (const auto& line : contents(made.data()))
    CHECK(line.substr(0, line.find('=')) == line.substr(line.find('=') + 1));
  CHECK(values(made.sql("SELECT cloud FROM level1").data(), "cloud")[2] == "2");
  CHECK(faults(shop.out("x.tacozip")) == "");
}

TEST_CASE("a conversion keeps an extent that covers all samples, and widens a smaller one") {
  const Workshop shop;
  const auto converted = [&](const BBox& given) {
    Taco taco{Tortilla({Sample("a", to_bytes("a"), {{"stac:centroid", Binary{wkb_point(5, 6)}}})}), collection()};
    taco.collection.extent = {.spatial = given, .temporal = TimeRange::parse("2020-01-01/2020-01-02")};
    create(taco, shop.out("x.tacozip"), {.output = {.overwrite = true}});
    zip2folder(shop.out("x.tacozip"), shop.out("x"), {.output = {.overwrite = true}});
    return load(shop.out("x")).extent();
  };
  CHECK(converted({0, 0, 10, 10}).spatial == BBox{0, 0, 10, 10});
  CHECK(converted({5, 6, 5, 6}).spatial == BBox{5, 6, 5, 6});
  CHECK(converted({0, 0, 1, 1}).spatial == BBox{5, 6, 5, 6});
  CHECK(converted({0, 0, 1, 1}).temporal == TimeRange::parse("2020-01-01/2020-01-02"));
}

TEST_CASE("a metadata table applies to its own level") {
  const Workshop shop;
  shop.add("a.bin", "A");
  shop.add("b.bin", "B");
  shop.add("t.jsonl", R"({"id": "t", "region": "north", "cloud": 0.5}
{"id": "t/one", "path": "a.bin", "band": 1}
{"id": "t/two", "path": "b.bin", "band": 2}
)");
  create({Tortilla::from_table(shop.source("t.jsonl")), collection()}, shop.out("x.tacozip"));
  const Dataset made = load(shop.out("x.tacozip"));
  CHECK(column_names(made.level_columns(0)) == Strings{"id", "type", "region", "cloud"});
  CHECK(column_names(made.level_columns(1)) == Strings{"id", "type", "band"});
  CHECK(values(children(made.data(), "t"), "band") == Strings{"1", "2"});
  CHECK(contents(made.data()) == Strings{"t/one=A", "t/two=B"});
}

TEST_CASE("features of a GeoJSON file are samples, with the types of JSON lines and geometries as WKB") {
  const Workshop shop;
  shop.add("a.tif", "A");
  shop.add("b.tif", "B");
  shop.add("t.geojson", R"({"type": "FeatureCollection", "features": [
    {"type": "Feature", "id": "a", "properties": {"path": "a.tif", "n": 1, "cloud": 0.5, "seen": "2020-01-02T03:04:05"},
     "geometry": {"type": "Point", "coordinates": [10, 5]}},
    {"type": "Feature", "id": "b", "properties": {"path": "b.tif", "n": null, "cloud": 2}, "geometry": null}]})");
  create({Tortilla::from_table(shop.source("t.geojson")), collection()}, shop.out("x.tacozip"));
  const Dataset made = load(shop.out("x.tacozip"));
  CHECK(column_names(made.data()) ==
        Strings{"id", "type", "n", "cloud", "seen", "istac:geometry", "internal:gdal_vsi"});
  CHECK(contents(made.data()) == Strings{"a=A", "b=B"});
  CHECK(values(made.data(), "n") == Strings{"1", ""});
  CHECK(values(made.data(), "cloud") == Strings{"0.5", "2"});
  CHECK(values(made.data(), "istac:geometry") == Strings{"POINT (10 5)", ""});
  CHECK(made.filter_bbox(9, 4, 11, 6).data().num_rows() == 1);
  CHECK(faults(shop.out("x.tacozip")) == "");
}

TEST_CASE("GeoJSON that is not a table of samples is refused with the path of the file") {
  const Workshop shop;
  const struct {
    const char* features;
    const char* words;
  } cases[] = {
      {"", "t.geojson: the FeatureCollection has no features"},
      {R"({"type": "Feature"})", "t.geojson: the features have neither ids nor properties"},
      {R"({"type": "Feature", "properties": {"x": 1}})", "no column 'id': x, istac:geometry"},
      {R"({"type": "Feature", "id": "a", "properties": {"x": 1}}, {"type": "Feature", "id": "b", "properties": {"x": "1"}})",
       "t.geojson: JSON parse error: Column(/x) changed from number to string in row 1"},
      {R"({"type": "Feature", "id": "a", "properties": {"path": "a"}, "geometry": {"type": "Point"}})",
       "t.geojson: feature 0: its Point has no coordinates"},
      {R"({"type": "Feature", )", "t.geojson: not JSON (byte "},
  };
  for (const auto& c : cases) {
    shop.add("t.geojson", std::string(R"({"type": "FeatureCollection", "features": [)") + c.features + "]}");
    const std::string text = text_of<Error>([&] { Tortilla::from_table(shop.source("t.geojson")); });
    CAPTURE(text);
    CHECK(has_text(text, c.words));
  }
}

TEST_CASE("tables without or with ambiguous sample locations are refused with the row") {
  const Workshop shop;
  shop.add("a.bin", "A");
  const struct {
    const char *name, *csv, *words;
  } cases[] = {
      {"no id column", "path\na.bin\n", "no column 'id': path"},
      {"no path column", "id\na.bin\n", "no column 'path': id; name the one that has the paths: --path-column NAME"},
      {"no path", "id,path\nx,\n", "line 2 ('x') has neither a path nor children"},
      {"no id", "id,path\n,a.bin\n", "t.csv: line 2 has no id"},
      {"twice", "id,path\nx,a.bin\nx,a.bin\n", "line 3 ('x') has the id of line 2"},
      {"both", "id,path\nx,a.bin\nx/y,a.bin\n", "line 2 ('x') has a path and children"},
      {"gone", "id,path\nx,none.bin\n", "t.csv: line 2 ('x'), column 'path': "},
      {"folder", "id,path\nx,.\n", "a folder, the file of a sample expected"},
      {"type", "id,path,type\nx,a.bin,FOLDER\n", "line 2 ('x') has type 'FOLDER', but is a FILE"},
      {"key", "id,path,cloud cover\nx,a.bin,1\n", "column 'cloud cover' may contain only letters"},
      {"reserved", "id,path,internal:offset\nx,a.bin,1\n", "column 'internal:offset' starts with internal:"},
      {"up", "id,path\n../x,a.bin\n", "line 2 ('../x') has an id whose part '..' is reserved by file systems"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    shop.add("t.csv", c.csv);
    const std::string text = text_of<Error>([&] {
      create({Tortilla::from_table(shop.source("t.csv")), collection()}, shop.out("x.tacozip"));
    });
    CAPTURE(text);
    CHECK(has_text(text, c.words));
    CHECK(shop.num_made() == 0);
  }
  CHECK(has_text(text_of<FormatError>([&] { Tortilla::from_table(shop.source("a.bin")); }),
                 "unknown format, expected a folder or a .parquet"));
}

TEST_CASE("padding keeps its position in files, is hidden by readers, and breaks no rule") {
  const Workshop shop;
  std::string table = "id,path,cloud\n";
  for (const std::string id : {"t/images/red", "t/images/nir", "t/label", "u/images/nir", "v/label"}) {
    const std::string file = "f" + std::to_string(table.size());
    shop.add(file, "bytes of " + id);
    table += id + "," + file + "," + std::to_string(table.size()) + "\n";
  }
  shop.add("table.csv", table);
  const Tortilla irregular = Tortilla::from_table(shop.source("table.csv"));
  for (const std::string name : {"x.tacozip", "x"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(create({irregular, collection()}, shop.out(name)), SchemaError);
    const Tortilla tree = irregular.pad().pad_to(2);
    CHECK(tree.num_samples(2) == 8);
    create({tree, collection()}, shop.out(name));
    CHECK(faults(shop.out(name)) == "");
    const Dataset made = load(shop.out(name));
    CHECK(contents(made.data()) == Strings{"t/images/red=bytes of t/images/red", "t/images/nir=bytes of t/images/nir",
                                           "t/label=bytes of t/label", "u/images/nir=bytes of u/images/nir",
                                           "v/label=bytes of v/label"});
    CHECK(made.data().num_rows() == 3);
    CHECK(made.sql("SELECT * FROM level1").num_rows() == 4);
    CHECK(values(made.sql("SELECT * FROM level2").data(), "id") == Strings{"red", "nir", "nir"});
    CHECK(made.pit_schema().root_n == 3);  // what is there to see
    CHECK(made.pit_schema().hierarchy.at(2)[0].id == Strings{"red", "nir"});
    CHECK(made.pit_schema().hierarchy.at(2)[0].n == 8);
  }
}

TEST_CASE("folders that cannot be samples are refused with their path") {
  const Workshop shop;
  shop.add("a/x", "1");
  fs::create_directory(shop.source("b"));
  CHECK(text_of<SchemaError>([&] {
          create({shop.tree(), collection()}, shop.out("x"));
        }) == "PIT violation: folder 'b' has no children");
  CHECK(has_text(text_of<SchemaError>([&] { Tortilla::from_folder(shop.source("b")); }), "/b: an empty folder"));
  fs::remove(shop.source("b"));
  fs::create_directory_symlink(shop.source("a"), shop.source("c"));
  CHECK(has_text(text_of<SchemaError>([&] { shop.tree(); }), "/c: a link to a folder"));
  fs::remove(shop.source("c"));
  REQUIRE(::mkfifo(shop.source("a/pipe").c_str(), 0600) == 0);
  CHECK(has_text(text_of<SchemaError>([&] { shop.tree(); }), "/pipe: neither a file nor a folder"));
  CHECK_THROWS_AS(Tortilla::from_folder(shop.source("none")), IoError);
}

TEST_CASE("the same samples give the same bytes, again and with any number of threads") {
  const Workshop shop;
  for (int i = 0; i < 40; ++i) shop.add("s" + std::to_string(i), std::string(static_cast<std::size_t>(i) * 9973, 'x'));
  shop.add("large", std::string(9 << 20, 'y'));
  create({shop.tree(), collection()}, shop.out("1.tacozip"), {.task = {.jobs = 1}});
  create({shop.tree(), collection()}, shop.out("4.tacozip"), {.task = {.jobs = 4}});
  CHECK(file_text(shop.out("1.tacozip")) == file_text(shop.out("4.tacozip")));
  CHECK(load(shop.out("4.tacozip")).data().read_bytes("large").size() == 9 << 20);
  CHECK(faults(shop.out("4.tacozip")) == "");
}

TEST_CASE("an existing dataset is replaced only with overwrite, and atomically") {
  const Workshop shop;
  shop.add("a", "old");
  for (const std::string name : {"x.tacozip", "x"}) {
    CAPTURE(name);
    shop.add("a", "old");
    create({shop.tree(), collection()}, shop.out(name));
    shop.add("a", "newer");
    CHECK(has_text(text_of<ValidationError>([&] {
                     create({shop.tree(), collection()}, shop.out(name));
                   }),
                   "exists already"));
    CHECK(contents(load(shop.out(name)).data()) == Strings{"a=old"});
    create({shop.tree(), collection()}, shop.out(name), {.output = {.overwrite = true}});
    CHECK(contents(load(shop.out(name)).data()) == Strings{"a=newer"});
  }
  CHECK(shop.num_made() == 2);
  fs::create_directory(shop.out("d.zip"));
  CHECK_THROWS_AS(create({shop.tree(), collection()}, shop.out("d.zip"), {.output = {.overwrite = true}}), IoError);
}

TEST_CASE("names of dataset parts and of older formats are refused as output") {
  const Workshop shop;
  shop.add("a", "1");
  for (const std::string name : {"DATA", "METADATA", ".tacocat", "DATA/", "x.taco", "x.Tortilla"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(create({shop.tree(), collection()}, shop.out(name)), ValidationError);
  }
  CHECK(shop.num_made() == 0);
}

TEST_CASE("a sample that changes while it is copied is an error, and no file is left") {
  const struct {
    const char* name;
    void (*change)(const std::string&);
    const char* words;
  } cases[] = {
      {"gone", [](const std::string& path) { fs::remove(path); }, "cannot open"},
      {"shorter", [](const std::string& path) { fs::resize_file(path, 3); }, "the file shrank to 3 bytes"},
      {"longer", [](const std::string& path) { fs::resize_file(path, 3000); }, "the file grew beyond 1000 bytes"},
  };
  for (const auto& c : cases) {
    for (const std::string name : {"x.tacozip", "x"}) {
      CAPTURE(c.name);
      CAPTURE(name);
      const Workshop shop;
      shop.add("a", "1");
      shop.add("b", std::string(1000, 'b'));
      const Tortilla tree = shop.tree();
      c.change(shop.source("b"));
      const std::string text = text_of<IoError>([&] { create({tree, collection()}, shop.out(name)); });
      CAPTURE(text);
      CHECK(has_text(text, "/b: "));
      CHECK(has_text(text, c.words));
      CHECK(shop.num_made() == 0);
    }
  }
}

TEST_CASE("a dataset is staged in temp_dir when it is given, which is empty afterwards") {
  const Workshop shop;
  shop.add("a", "12");
  const TemporaryFolder temp;
  static std::string seen;
  const auto look = [](uint64_t, uint64_t, void* folder) {
    for (const auto& entry : fs::directory_iterator(*static_cast<std::string*>(folder))) seen = entry.path().string();
    return true;
  };
  std::string folder = temp.path();
  for (const char* name : {"x.tacozip", "x"}) {
    seen.clear();
    create({shop.tree(), collection()}, shop.out(name),
           {.task = {.progress = look, .user = &folder}, .output = {.temp_dir = folder}});
    CHECK(seen.ends_with(".part"));
    CHECK(fs::is_empty(folder));
    CHECK(contents(load(shop.out(name)).data()) == Strings{"a=12"});
  }
  const auto refused = [&](const std::string& dir) {
    return check_plan({shop.tree(), collection()}, shop.out("y"), {.output = {.temp_dir = dir}}).issues;
  };
  CHECK(refused(shop.source("a")) == Strings{shop.source("a") + ": is not a folder for temporary files"});
  REQUIRE(refused("/nowhere").size() == 1);
  REQUIRE(refused("/proc").size() == 1);
  CHECK(has_text(refused("/proc")[0], "is on another file system than " + shop.out("y")));
}

TEST_CASE("all broken rules are reported together, before anything is written") {
  const Workshop shop;
  shop.add("a", "1");
  const std::string text = text_of<ValidationError>([&] { create({shop.tree(), {}}, shop.out("x.tacozip")); });
  for (const char* words :
       {"breaks 6 rules", "id is ''", "dataset_version", "description", "licenses", "providers", "tasks"}) {
    CAPTURE(words);
    CHECK(has_text(text, words));
  }
  shop.add("b/x", "1");
  CHECK(has_text(text_of<SchemaError>([&] {
                   create({shop.tree(), collection()}, shop.out("x.tacozip"));
                 }),
                 "PIT violation: 'b' is a FOLDER, 'a' a FILE"));
  CHECK(shop.num_made() == 0);
}

TEST_CASE("keys that the collection has beyond the specification are kept") {
  const Workshop shop;
  shop.add("a", "1");
  Collection draft = parse_draft_collection(R"({"id": "kept", "labels:num_classes": 3, "note": "ñ"})", "draft");
  const Collection rest = collection();
  draft.dataset_version = rest.dataset_version;
  draft.description = rest.description;
  draft.licenses = rest.licenses;
  draft.providers = rest.providers;
  draft.tasks = rest.tasks;
  create({shop.tree(), draft}, shop.out("x"));
  const std::string json = file_text(shop.out("x/COLLECTION.json"));
  CHECK(has_text(json, "\"labels:num_classes\": 3,"));
  CHECK(has_text(json, "\"note\": \"ñ\","));
  CHECK(json.find("\"labels:num_classes\"") < json.find("\"taco:pit_schema\""));
}

TEST_CASE("a deep check reads every column, so that damage to any is found") {
  const Workshop shop;
  shop.add("a.bin", "A");
  shop.add("t.csv", "id,path,name,cloud\na,a.bin,Alpha,0.5\n");
  create({Tortilla::from_table(shop.source("t.csv")), collection()}, shop.out("x"));
  const std::string path = shop.out("x/METADATA/level0.parquet"), good = file_text(path);
  int num_pages = 0;
  for (auto at = good.find("\x28\xb5\x2f\xfd"); at != good.npos; at = good.find("\x28\xb5\x2f\xfd", at + 1)) {
    ++num_pages;
    CAPTURE(num_pages);
    std::string bad = good;
    bad[at] = 0;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
    CHECK(has_text(faults(shop.out("x")), "SCH-1 "));
  }
  CHECK(num_pages >= 6);
}

namespace {

/// Tiles of three FILEs, in no order, with a class (null for one of five) and a number.
Tortilla tiles(const Workshop& shop, int count) {
  std::string table = "id,path,class,n\n";
  for (int i = 0; i < count; ++i) {
    const std::string id = "tile_" + std::to_string((i * 7) % count);
    table += id + ",," + (i % 5 == 0 ? "" : i % 2 == 0 ? "wet land" : "dry") + "," + std::to_string(i) + "\n";
    for (const std::string child : {"s2/red", "s2/nir", "label"}) {
      const std::string file = "files/" + std::to_string(i) + child.substr(child.size() - 3);
      shop.add(file, std::string(static_cast<std::size_t>(10 + i), 'x') + id + child);
      table += id + "/" + child + "," + file + ",,\n";
    }
  }
  shop.add("tiles.csv", table);
  return Tortilla::from_table(shop.source("tiles.csv"));
}

Strings files_in(const std::string& folder) {
  Strings out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename());
  return sorted(out);
}

}  // namespace

TEST_CASE("a split dataset has each sample once over its ZIPs, and its index loads as one dataset") {
  const Workshop shop;
  const Tortilla all = tiles(shop, 17);
  create({all, collection()}, shop.out("whole.tacozip"));
  fs::create_directory(shop.out("p"));
  const Report report;
  const auto parts = create({all, collection()}, shop.out("p/x.tacozip"), {.split_size = 400});
  CHECK(parts.size() > 3);
  const std::string told =
      "x.tacozip: written as " + std::to_string(parts.size()) + " ZIPs of about 400 bytes of samples";
  CHECK(report.has(LogLevel::Warning, told));
  CHECK(parts[0] == shop.out("p/x_part0001.tacozip"));
  Strings joined;
  for (const auto& part : parts) {
    for (auto& line : contents(load(part).data())) joined.push_back(std::move(line));
    CHECK(faults(part) == "");
  }
  const Dataset whole = load(shop.out("whole.tacozip")), index = load(shop.out("p/.tacocat"));
  CHECK(joined == contents(whole.data()));
  CHECK(contents(index.data()) == contents(whole.data()));
  CHECK(values(index.data(), "n") == values(whole.data(), "n"));
  CHECK(faults(shop.out("p/.tacocat")) == "");
  CHECK(index.collection().sources.size() == parts.size());
  CHECK(index.collection().id == "made");
  CHECK(index.pit_schema() == whole.pit_schema());
  auto names = column_names(load(parts[0]).sql("SELECT * FROM level2").data_raw());
  CHECK(column_names(index.sql("SELECT * FROM level2").data_raw()).size() == names.size() + 1);
}

TEST_CASE("each value of group_by gets a ZIP, and null the one called None") {
  const Workshop shop;
  const Tortilla all = tiles(shop, 10);
  fs::create_directory(shop.out("g"));
  CHECK(create({all, collection()}, shop.out("g/x.tacozip"), {.group_by = {"class"}}) ==
        Strings{shop.out("g/x_None.tacozip"), shop.out("g/x_dry.tacozip"), shop.out("g/x_wet_land.tacozip")});
  CHECK(files_in(shop.out("g")) == Strings{".tacocat", "x_None.tacozip", "x_dry.tacozip", "x_wet_land.tacozip"});
  CHECK(values(load(shop.out("g/x_dry.tacozip")).data(), "n") == Strings{"1", "3", "7", "9"});
  CHECK(load(shop.out("g")).data().num_rows() == 10);
  CHECK(faults(shop.out("g/.tacocat")) == "");
}

TEST_CASE("parts in which a position is all padding can be indexed together") {
  const Workshop shop;
  for (const std::string path : {"a/s1/x", "a/s2/y", "b/s2/y", "c/s1/x", "d/label"}) shop.add(path, path);
  fs::create_directory(shop.out("g"));
  const auto parts = create({shop.tree().pad(), collection()}, shop.out("g/x.tacozip"), {.split_size = 1});
  CHECK(parts.size() == 4);
  for (const auto& part : parts) CHECK(faults(part) == "");
  CHECK(faults(shop.out("g/.tacocat")) == "");
  CHECK(contents(load(shop.out("g/.tacocat")).data()) ==
        Strings{"a/s1/x=a/s1/x", "a/s2/y=a/s2/y", "b/s2/y=b/s2/y", "c/s1/x=c/s1/x", "d/label=d/label"});
}

TEST_CASE("existing output files are detected before anything is written, the index only where one is made") {
  const Workshop shop;
  const Taco taco{tiles(shop, 9), collection()};
  const CreateOptions in_three{.split_size = 300};
  fs::create_directory(shop.out("g"));
  for (const std::string name : {"x_part0002.tacozip", ".tacocat"}) {
    std::ofstream(shop.out("g/" + name)) << "old";
    CHECK(text_of<ValidationError>([&] {
            create(taco, shop.out("g/x.tacozip"), in_three);
          }).starts_with(shop.out("g/" + name) + ": exists already"));
    CHECK(files_in(shop.out("g")) == Strings{name});
    if (name != ".tacocat") fs::remove(shop.out("g/" + name));
  }
  create(taco, shop.out("g/one.tacozip"), {.split_size = 1 << 20});
  CreateOptions no_index = in_three;
  no_index.consolidate = false;
  CHECK(create(taco, shop.out("g/x.tacozip"), no_index).size() == 3);
  CHECK(files_in(shop.out("g")).size() == 5);
  CHECK(has_text(text_of<ValidationError>([&] { create(taco, shop.out("f"), in_three); }),
                 "a FOLDER cannot be split into parts"));
}

TEST_CASE("a split dataset and its index are replaced together, or kept") {
  const Workshop shop;
  fs::create_directory(shop.out("g"));
  const CreateOptions replace{.output = {.overwrite = true}, .split_size = 300};
  create({tiles(shop, 9), collection()}, shop.out("g/x.tacozip"), replace);
  const Strings names = files_in(shop.out("g"));
  const Strings before = contents(load(shop.out("g/.tacocat")).data());
  const Tortilla fewer = tiles(shop, 8);
  fs::remove(shop.source("files/7bel"));
  CHECK_THROWS_AS(create({fewer, collection()}, shop.out("g/x.tacozip"), replace), IoError);
  CHECK(files_in(shop.out("g")) == names);
  // A folder where a ZIP should go is not replaced, and what was moved before it comes back.
  fs::remove(shop.out("g/x_part0003.tacozip"));
  fs::create_directory(shop.out("g/x_part0003.tacozip"));
  CHECK(text_of<IoError>([&] {
          create({tiles(shop, 9), collection()}, shop.out("g/x.tacozip"), replace);
        }) == shop.out("g/x_part0003.tacozip") + ": is a folder, the name of a file expected");
  CHECK(files_in(shop.out("g")) == names);
  fs::remove(shop.out("g/x_part0003.tacozip"));
  create({tiles(shop, 9), collection()}, shop.out("g/x.tacozip"), replace);
  CHECK(contents(load(shop.out("g/.tacocat")).data()) == before);
  CHECK(files_in(shop.out("g")) == names);
}

TEST_CASE("a failure leaves no part, no index and no temporary file") {
  const Workshop shop;
  fs::create_directory(shop.out("g"));
  const Tortilla all = tiles(shop, 9);
  fs::remove(shop.source("files/8nir"));
  CHECK_THROWS_AS(create({all, collection()}, shop.out("g/x.tacozip"), {.split_size = 300}), IoError);
  CHECK(files_in(shop.out("g")).empty());
}

TEST_CASE("progress accumulates over the parts, up to the total of bytes") {
  const Workshop shop;
  fs::create_directory(shop.out("g"));
  const Tortilla all = tiles(shop, 9);
  struct Told {
    std::vector<uint64_t> done = {};
    uint64_t all = 0;
  } told;
  const auto note = [](uint64_t done, uint64_t of, void* user) {
    static_cast<Told*>(user)->done.push_back(done);
    static_cast<Told*>(user)->all = of;
    return true;
  };
  create({all, collection()}, shop.out("g/x.tacozip"),
         {.task = {.jobs = 2, .progress = note, .user = &told}, .split_size = 300});
  CHECK(told.all == all.num_bytes());
  CHECK(told.done.back() == told.all);
  CHECK(std::is_sorted(told.done.begin(), told.done.end()));
}

TEST_CASE("repeated writes give the same bytes of parts and index") {
  const Workshop shop;
  const Tortilla all = tiles(shop, 9);
  for (const std::string folder : {"g", "h"}) {
    fs::create_directory(shop.out(folder));
    create({all, collection()}, shop.out(folder + "/x.tacozip"),
           {.task = {.jobs = folder == "g" ? 1 : 3}, .split_size = 300});
  }
  for (const std::string name : {"x_part0003.tacozip", ".tacocat/level1.parquet", ".tacocat/COLLECTION.json"}) {
    CHECK(file_text(shop.out("g/" + name)) == file_text(shop.out("h/" + name)));
  }
}

}  // namespace tacore
