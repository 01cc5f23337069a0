#include <doctest/doctest.h>

#include <limits>

#include "model/wkb_centroid.hpp"
#include "support/create_files.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "tacore/ops/consolidate.hpp"
#include "writer/create.hpp"

// Mutation of meaning: one claim of a good dataset is changed at a time, all bytes consistent, and validate() has to
// say so.
namespace tacore {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Value numbers(const std::vector<double>& values) {
  Value::List out;
  for (const double value : values) out.emplace_back(value);
  return out;
}
Value sizes(const std::vector<int64_t>& values) {
  Value::List out;
  for (const int64_t value : values) out.emplace_back(value);
  return out;
}
Value time(int64_t day) { return Timestamp{day * 86'400'000'000}; }
Value point(double lon, double lat) { return Binary{wkb_point(lon, lat)}; }
Value bands(const std::vector<double>& band) { return Value::List{numbers(band)}; }

/// A polygon of WKB around a square degree.
Value polygon() {
  const auto number = [](uint32_t n) { return std::string(reinterpret_cast<const char*>(&n), 4); };
  std::string out = std::string(1, '\1') + number(3) + number(1) + number(4);
  for (const double xy : {10., 40., 11., 40., 11., 41., 10., 40.})
    out.append(reinterpret_cast<const char*>(&xy), sizeof xy);
  return Binary{out};
}

const std::vector<MetadataField> kGood = {
    {"stac:crs", "EPSG:32631"},
    {"stac:tensor_shape", sizes({3, 64, 64})},
    {"stac:geotransform", numbers({500000, 10, 0, 4600000, 0, -10})},
    {"stac:time_start", time(18000)},
    {"stac:time_end", time(18001)},
    {"stac:centroid", point(3, 41)},
    {"istac:geometry", polygon()},
    {"geotiff:stats", bands({0, 10, 5, 2, 100, 2, 5, 7, 9})},
};

/// Two samples with the fields above, those of `changed` instead; the second is `second` when that is given.
std::vector<Sample> samples(const std::vector<MetadataField>& changed = {}, const std::string& second = "two") {
  std::vector<Sample> out;
  for (const auto& id : Strings{"one", second}) {
    auto fields = kGood;
    for (const auto& change : changed) {
      const auto at = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.key == change.key; });
      if (at == fields.end()) fields.push_back(change);
      else at->value = change.value;
    }
    out.emplace_back(id, to_bytes(id), fields);
  }
  return out;
}

bool has_rule(const std::string& path, const std::string& rule) {
  const auto issues = validate(path, {.deep = true});
  return std::any_of(issues.begin(), issues.end(), [&](const auto& issue) { return issue.rule == rule; });
}

TEST_CASE("invalid values of STAC, ISTAC and statistics columns are found") {
  struct Case {
    std::string name;
    std::string rule;
    std::vector<MetadataField> changed;
  };
  const std::vector<Case> cases = {
      {"time as text", "FLD-1", {{"stac:time_start", "2020-01-01"}, {"stac:time_end", "2020-01-02"}}},
      {"shape as text", "FLD-1", {{"stac:tensor_shape", "3, 64, 64"}}},
      {"centroid as a number", "FLD-1", {{"stac:centroid", 7}}},
      {"centroid as WKT", "FLD-1", {{"stac:centroid", "POINT (3 41)"}}},
      {"crs as a number", "FLD-1", {{"stac:crs", 32631}}},
      {"statistics as a list", "FLD-1", {{"geotiff:stats", numbers({1, 2})}}},
      {"crs that is a word", "FLD-2", {{"stac:crs", "hello"}}},
      {"no crs", "FLD-2", {{"stac:crs", ""}}},
      {"a shape of one size", "FLD-3", {{"stac:tensor_shape", sizes({64})}}},
      {"a negative shape", "FLD-3", {{"stac:tensor_shape", sizes({3, -64, 64})}}},
      {"an empty shape", "FLD-3", {{"stac:tensor_shape", sizes({3, 0, 64})}}},
      {"five numbers", "FLD-4", {{"stac:geotransform", numbers({0, 1, 0, 0, 0})}}},
      {"zeros", "FLD-4", {{"stac:geotransform", numbers({0, 0, 0, 0, 0, 0})}}},
      {"NaN in a geotransform", "FLD-4", {{"stac:geotransform", numbers({0, kNan, 0, 0, 0, -1})}}},
      {"longitude 200", "FLD-5", {{"stac:centroid", point(200, 5)}}},
      {"latitude 95", "FLD-5", {{"stac:centroid", point(3, 95)}}},
      {"a centroid of NaN", "FLD-5", {{"stac:centroid", point(kNan, 5)}}},
      {"a polygon as centroid", "FLD-5", {{"stac:centroid", polygon()}}},
      {"broken WKB", "FLD-5", {{"stac:centroid", Binary{"\1\1"}}}},
      {"broken geometry", "FLD-5", {{"istac:geometry", Binary{wkb_point(1, 2).substr(0, 12)}}}},
      {"an end before the start", "FLD-6", {{"stac:time_end", time(17000)}}},
      {"a middle after the end", "FLD-6", {{"stac:time_middle", time(19000)}}},
      {"min above max", "FLD-7", {{"geotiff:stats", bands({11, 10, 10, 2, 100, 10, 10, 10, 10})}}},
      {"a mean outside", "FLD-7", {{"geotiff:stats", bands({0, 10, 50, 2, 100, 2, 5, 7, 9})}}},
      {"a negative std", "FLD-7", {{"geotiff:stats", bands({0, 10, 5, -2, 100, 2, 5, 7, 9})}}},
      {"120 % of pixels", "FLD-7", {{"geotiff:stats", bands({0, 10, 5, 2, 120, 2, 5, 7, 9})}}},
      {"percentiles that fall", "FLD-7", {{"geotiff:stats", bands({0, 10, 5, 2, 100, 7, 5, 2, 9})}}},
      {"three values", "FLD-7", {{"geotiff:stats", bands({0, 10, 5})}}},
  };
  const Workshop shop = Workshop::in_memory();
  const auto make = [&](const std::vector<MetadataField>& changed) {
    Collection about = collection();
    about.extent = {.spatial = BBox{}, .temporal = TimeRange{Timestamp{0}, Timestamp{30000 * 86'400'000'000}}};
    return create_found({Tortilla(samples(changed)), about}, shop.out("x.tacozip"), {.output = {.overwrite = true}})
        .at(0);
  };
  CHECK(faults(make({})) == "");
  CHECK(faults(make({{"geotiff:stats", bands({0.25, 0.75})}})) == "");  // shares of classes
  Strings missed;
  for (const auto& c : cases) {
    if (!has_rule(make(c.changed), c.rule)) missed.push_back(c.name);
  }
  CHECK(missed == Strings());
}

TEST_CASE("create converts reserved columns to their types where that is exact, and refuses others") {
  const Workshop shop = Workshop::in_memory();
  const auto make = [&](const Tortilla& of) {
    return create({of, collection()}, shop.out("x.tacozip"), {.output = {.overwrite = true}}).at(0);
  };
  shop.add("a.bin", "a");
  shop.add("t.csv", "id,path,stac:time_start\na,a.bin,2020-01-01\nb,a.bin,\n");
  {
    const Dataset dated = load(make(Tortilla::from_table(shop.source("t.csv"))));
    CHECK(dated.level_columns(0)[2].type == "timestamp[us]");
    CHECK(values_of(*table_of(dated.data()), "stac:time_start") == std::vector<Value>{time(18262), {}});
  }
  const Tortilla stated(samples({{"stac:time_start", "1970-01-02T01:00:00+01:00"},
                                 {"stac:centroid", "POINT (3 41)"},
                                 {"istac:centroid", numbers({3, 41})},
                                 {"stac:tensor_shape", numbers({3, 64, 64})},
                                 {"split", "train"}}));
  const std::string path = make(stated);
  CHECK(faults(path) == "");
  const auto table = table_of(load(path).data());
  CHECK(values_of(*table, "stac:time_start")[0] == time(1));
  CHECK(values_of(*table, "stac:centroid")[0] == point(3, 41));
  CHECK(values_of(*table, "istac:centroid")[1] == point(3, 41));
  CHECK(values_of(*table, "stac:tensor_shape")[1] == sizes({3, 64, 64}));

  const auto refusal = [&](const MetadataField& field) {
    const Taco taco{Tortilla(samples({field})), collection()};
    const auto issues = check_plan(taco, shop.out("y.tacozip")).issues;
    const std::string why = text_of<SchemaError>([&] { create(taco, shop.out("y.tacozip")); });
    CHECK(std::find(issues.begin(), issues.end(), why) != issues.end());
    return why;
  };
  CHECK(refusal({"stac:time_start", 18262}) ==
        "level 0: column 'stac:time_start' has type int64, timestamp[us] expected");
  CHECK(refusal({"stac:time_end", "soon"}).starts_with("level 0: column 'stac:time_end', row 0: "));
  CHECK(refusal({"stac:time_end", "2020-01-01T00:00:00.1234567Z"}) ==
        "level 0: column 'stac:time_end', row 0: '2020-01-01T00:00:00.1234567Z' is finer than microseconds");
  CHECK(refusal({"split", 1}) == "level 0: column 'split' has the type int64, string expected");
  CHECK(refusal({"tortilla:data_split", 1}).ends_with("has the type int64, string expected"));
  CHECK(refusal({"stac:crs", 32631}).ends_with("has the type int64, string expected"));
  CHECK(refusal({"stac:tensor_shape", numbers({3, 64.5, 64})}).starts_with("level 0: column 'stac:tensor_shape': "));
  CHECK(refusal({"stac:centroid", "here"}).starts_with("level 0: column 'stac:centroid', row 0: "));
  CHECK(refusal({"istac:geometry", "POLYGON EMPTY"}).ends_with("has the type string, binary expected"));
  CHECK_FALSE(fs::exists(shop.out("y.tacozip")));
}

TEST_CASE("extents, ids and columns that readers interpret differently are found") {
  const Workshop shop = Workshop::in_memory();
  const auto make = [&](const std::vector<Sample>& of, const Extent& extent) {
    Collection about = collection();
    about.extent = extent;
    return create({Tortilla(of), about}, shop.out("x.tacozip"), {.output = {.overwrite = true}}).at(0);
  };
  const TimeRange all{Timestamp{0}, Timestamp{30000 * 86'400'000'000}};
  CHECK(has_rule(make(samples(), {.spatial = BBox{50, 50, 60, 60}, .temporal = all}), "COL-16"));
  CHECK(has_rule(make(samples(), {.spatial = BBox{}, .temporal = TimeRange{Timestamp{0}, Timestamp{1}}}), "COL-16"));
  CHECK(has_rule(make(samples({}, "ONE"), {.spatial = BBox{}, .temporal = all}), "ID-4"));
  const std::vector<Sample> forms{Sample("caf\xC3\xA9", to_bytes("1")), Sample("cafe\xCC\x81", to_bytes("2"))};
  CHECK(has_rule(make(forms, {.spatial = BBox{}}), "ID-4"));
}

TEST_CASE("a path of a FOLDER without a slash, and taco:sources in a dataset, are found") {
  const Workshop shop;
  shop.add("a/b/x", "1");
  const std::string path = create({shop.tree(), collection()}, shop.out("x")).at(0);
  CHECK(faults(path) == "");
  const TemporaryFolder tables;
  const auto table = read_table(tables.write("t.csv",
                                             "id,type,internal:current_id,internal:parent_id,"
                                             "internal:relative_path\nb,FOLDER,0,0,a/b\n"));
  const Bytes bytes = encode_parquet(*table);
  std::ofstream(path + "/METADATA/level1.parquet", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  CHECK(has_rule(path, "LVL-9"));
  std::string document = file_text(path + "/COLLECTION.json");
  document.insert(document.rfind('}'), R"(, "taco:sources": {"count": 1, "ids": ["a"], "files": ["a.zip"]})");
  std::ofstream(path + "/COLLECTION.json", std::ios::binary) << document;
  CHECK(has_rule(path, "COL-17"));
}

TEST_CASE("members of COLLECTION.json in another form are found") {
  struct Case {
    const char* words;
    const char* key;
    const char* json;
  };
  const Case cases[] = {
      {"licenses is", "licenses", R"("MIT")"},
      {"tasks is", "tasks", R"("other")"},
      {"keywords is", "keywords", R"("cloud")"},
      {"providers[0].roles has", "providers", R"([{"name": "n", "roles": ["boss"]}])"},
      {"providers[0].roles is", "providers", R"([{"name": "n", "roles": "host"}])"},
      {"providers[0].email is", "providers", R"([{"name": "n", "email": "nobody"}])"},
      {"optical:bands is", "optical:bands", R"("B01, B02")"},
      {"optical:bands[0].name", "optical:bands", R"([{"index": 1}])"},
      {"optical:bands[0].center_wavelength", "optical:bands", R"([{"name": "B1", "center_wavelength": "red"}])"},
      {"labels:classes[1].category", "labels:classes",
       R"([{"name": "a", "category": 1}, {"name": "b", "category": 1}])"},
      {"labels:classes is", "labels:classes", R"({"a": 1})"},
      {"publications[0] is", "publications", R"(["10.1/x"])"},
      {"publications[0].doi is", "publications", R"([{"doi": 7}])"},
      {"extent is missing", "extent", "null"},
      {"extent.spatial is missing", "extent", R"({"spatial": null, "temporal": null})"},
  };
  const Workshop shop = Workshop::in_memory();
  const std::string path = create({Tortilla(samples()), collection()}, shop.out("x")).at(0);
  const std::string document = file_text(path + "/COLLECTION.json");
  for (const auto& c : cases) {
    CAPTURE(c.words);
    // The last of two members of one name counts.
    std::string changed = document;
    changed.insert(changed.rfind('}'), ", \"" + std::string(c.key) + "\": " + c.json);
    std::ofstream(path + "/COLLECTION.json", std::ios::binary) << changed;
    const auto issues = validate(path);
    const bool is_found = std::any_of(issues.begin(), issues.end(), [&](const auto& issue) {
      return issue.rule == "COL-15" && issue.message.find(c.words) != std::string::npos;
    });
    CHECK(is_found);
  }
}

TEST_CASE("a part that was edited after its index was made is found") {
  const Workshop shop;
  const auto part = [&](int value, bool overwrite) {
    return create({Tortilla({Sample("a", to_bytes("a"), {{"c", value}})}), collection()}, shop.out("a.tacozip"),
                  {.output = {.overwrite = overwrite}})
        .at(0);
  };
  const std::string index = create_tacocat({part(1, false)});
  CHECK(faults(index) == "");
  part(555, true);
  CHECK(has_rule(index, "CAT-9"));
  CHECK(has_text(faults(index), "CAT-5 row 0: c is 1, source 'a.tacozip' has 555"));
}

TEST_CASE("a __meta__ whose values differ from its level is found") {
  const Workshop shop;
  const auto made = [&](const std::string& name, int value) {
    const Tortilla below({Sample("x", to_bytes("1"), {{"n", value}}), Sample("y", to_bytes("2"), {{"n", 2}})});
    return create({Tortilla({Sample("a", below)}), collection()}, shop.out(name)).at(0);
  };
  const std::string path = made("one", 1), other = made("other", 7);
  CHECK(faults(path) == "");
  fs::copy_file(other + "/DATA/a/__meta__", path + "/DATA/a/__meta__", fs::copy_options::overwrite_existing);
  CHECK(has_text(faults(path), "MET-2 'DATA/a/__meta__' row 0: n is 7, the level table has 1"));
}

}  // namespace
}  // namespace tacore
