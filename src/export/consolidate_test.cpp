#include "tacore/ops/consolidate.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>

#include "base/text.hpp"
#include "format/taco_header.hpp"
#include "model/wkb_centroid.hpp"
#include "support/create_files.hpp"
#include "support/table_files.hpp"
#include "tacore/ops/edit.hpp"

// Indexes over several datasets: what they hold, and what is refused before anything is written.
namespace tacore {
namespace {

Sample leaf(const std::string& id, std::vector<MetadataField> metadata) {
  return Sample(id, to_bytes("bytes of " + id), std::move(metadata));
}

/// `num` FILEs `{prefix}0`, ... with a column.
Taco flat(const std::string& prefix, int num = 2, const MetadataField& field = {"cloud", 1.5}) {
  std::vector<Sample> samples;
  for (int k = 0; k < num; ++k) samples.push_back(leaf(prefix + std::to_string(k), {field}));
  return {Tortilla(std::move(samples)), collection()};
}

/// FOLDERs of `ids` with FILEs `red` and `green` each, or `other` instead.
Taco nested(const Strings& ids, const std::string& second = "green") {
  std::vector<Sample> roots;
  for (const auto& id : ids) {
    std::vector<Sample> children;
    for (const std::string& name : {std::string("red"), second})
      children.emplace_back(name, to_bytes(id + "/" + name), std::vector<MetadataField>{{"band", name}});
    roots.emplace_back(id, Tortilla(std::move(children)), std::vector<MetadataField>{{"region", id}});
  }
  return {Tortilla(std::move(roots)), collection()};
}

/// A folder in which datasets are made.
struct Parts : Workshop {
  std::string add(const std::string& name, const Taco& taco) const {
    fs::create_directories(fs::path(out(name)).parent_path());
    return create(taco, out(name)).at(0);
  }
  Strings several() const {
    return {add("a.tacozip", flat("a")), add("b.tacozip", flat("b", 3)), add("c.tacozip", flat("a", 1))};
  }
};

/// `path=bytes` of all FILEs by position, so that ids may be there twice.
Strings all_of(const DataFrame& frame, const std::string& above = "") {
  Strings out;
  for (int64_t row = 0; row < frame.num_rows(); ++row) {
    const std::string id = ids(frame)[static_cast<std::size_t>(row)];
    const Node node = frame.read(row);
    if (const auto* below = std::get_if<DataFrame>(&node)) {
      for (auto& line : all_of(*below, above + id + "/")) out.push_back(std::move(line));
    } else {
      const std::vector<int64_t> rows{row};
      out.push_back(above + id + "=" + to_text(frame.read_bytes(std::span(rows)).at(0)));
    }
  }
  return out;
}

Strings all_of(const Strings& paths) {
  Strings out;
  for (const auto& path : paths) {
    for (auto& line : all_of(load(path).data())) out.push_back(std::move(line));
  }
  return out;
}

std::string refused(const Strings& inputs, const TacocatOptions& options = {}) {
  return text_of<Error>([&] { create_tacocat(inputs, options); });
}
std::string refused_as_invalid(const Strings& inputs, const TacocatOptions& options = {}) {
  return text_of<ValidationError>([&] { create_tacocat(inputs, options); });
}

std::shared_ptr<const LevelTable> index_level(const std::string& index, int level) {
  return level_of(to_bytes(file_text(index + "/level" + std::to_string(level) + ".parquet")));
}

}  // namespace

TEST_CASE("an index is .tacocat beside its ZIPs, with the rows of all in order, and is valid") {
  const Parts shop;
  const Strings inputs = shop.several();
  const std::string index = create_tacocat(inputs);
  CHECK(index == shop.out(".tacocat"));
  CHECK(cells_of(index_level(index, 0), "internal:source_file") ==
        Strings{"a.tacozip", "a.tacozip", "b.tacozip", "b.tacozip", "b.tacozip", "c.tacozip"});
  CHECK(all_of({index}) == all_of(inputs));
  CHECK(load(index).collection().pit_schema.root_n == 6);
  CHECK(faults(index) == "");
  CHECK(shop.num_made() == 4);
}

TEST_CASE("each level of folders is joined, and so are their patterns") {
  const Parts shop;
  const Strings inputs{shop.add("b.tacozip", nested({"x", "y"})), shop.add("a.tacozip", nested({"x"}))};
  for (const bool single_file : {false, true}) {
    CAPTURE(single_file);
    const std::string index = create_tacocat(inputs, {.single_file = single_file});
    CHECK(all_of({index}) == all_of(inputs));
    CHECK(load(index).collection().pit_schema.root_n == 3);
    CHECK(load(index).collection().pit_schema.hierarchy.at(1).at(0).n == 6);
    CHECK(faults(index) == "");
  }
}

TEST_CASE("a single-file index holds the tables and collection of the folder index") {
  const Parts shop;
  const Strings inputs = shop.several();
  const std::string folder = create_tacocat(inputs), file = create_tacocat(inputs, {.single_file = true});
  CHECK(file == shop.out("__TACOCAT__"));
  const std::string bytes = file_text(file);
  CHECK(bytes.substr(128) == file_text(folder + "/level0.parquet") + file_text(folder + "/COLLECTION.json"));
}

TEST_CASE("the bytes of an index are the same for any number of threads") {
  const Parts shop;
  Strings inputs;
  for (int k = 0; k < 40; ++k)
    inputs.push_back(shop.add(std::to_string(k) + ".tacozip", flat("s" + std::to_string(k) + "_", k % 5 + 1)));
  const std::string index = create_tacocat(inputs, {.task = {.jobs = 1}, .parquet = {.row_group_size = 7}});
  const auto expected = files_of(index);
  for (const int jobs : {2, 7}) {
    CAPTURE(jobs);
    CHECK(files_of(create_tacocat(
              inputs, {.task = {.jobs = jobs}, .overwrite = true, .parquet = {.row_group_size = 7}})) == expected);
  }
}

TEST_CASE("ZIPs of other writers are indexed with their rows, and offsets of the samples") {
  for (const std::string name :
       {"permuted_offsets.tacozip", "header_stale.tacozip", "header_absent.tacozip", "no_current_id.tacozip",
        "string_parent_id.tacozip", "six_levels.tacozip", "mixed_level1.tacozip", "nested_padded.tacozip",
        "stale_gdal_vsi.tacozip", "odd_names_nested.tacozip", "snappy_v2pages.tacozip", "extra_entries.zip"}) {
    CAPTURE(name);
    const TemporaryFolder folder;
    const Strings inputs{folder.copy(golden(name), "one.zip"), folder.copy(golden(name), "two.zip")};
    const std::string index = create_tacocat(inputs);
    CHECK(all_of({index}) == all_of(inputs));
    CHECK(index_level(index, 0)->find("internal:gdal_vsi") < 0);
  }
}

TEST_CASE("permuted offsets are corrected in the index, for readers that do not verify them") {
  const TemporaryFolder folder;
  const std::string zip = folder.copy(golden("permuted_offsets.tacozip"), "x.tacozip");
  const auto level = index_level(create_tacocat(Strings{zip}), 1);
  const std::string archive = file_text(zip);
  const Strings ids = cells_of(level, "id");
  for (int64_t row = 0; row < level->num_rows(); ++row) {
    const auto offset = level->integer(level->find("internal:offset"), row).value();
    CHECK(archive.substr(0, static_cast<std::size_t>(offset)).ends_with("/" + ids[static_cast<std::size_t>(row)]));
  }
}

TEST_CASE("an existing index is refused, and replaced as a whole with overwrite") {
  const Parts shop;
  const Strings inputs = shop.several();
  for (const bool single_file : {false, true}) {
    CAPTURE(single_file);
    const std::string index = create_tacocat({inputs[0]}, {.single_file = single_file});
    const std::string before = single_file ? file_text(index) : file_text(index + "/level0.parquet");
    CHECK(refused_as_invalid(inputs, {.single_file = single_file}) == index + ": exists already");
    CHECK((single_file ? file_text(index) : file_text(index + "/level0.parquet")) == before);
    create_tacocat(inputs, {.single_file = single_file, .overwrite = true});
    CHECK(all_of({index}) == all_of(inputs));
  }
  CHECK(shop.num_made() == 5);
}

TEST_CASE("overwrite replaces indexes only, and no other files") {
  const Parts shop;
  const Strings inputs = shop.several();
  const std::string folder = shop.out(".tacocat"), file = shop.out("__TACOCAT__");
  fs::create_directory(folder);
  fs::create_directory(file);
  std::ofstream(folder + "/mine.txt") << "words";
  CHECK(refused_as_invalid(inputs, {.overwrite = true}) ==
        folder + ": is a folder of other files, an index to be replaced expected");
  CHECK(refused_as_invalid(inputs, {.single_file = true, .overwrite = true}) ==
        file + ": is a folder, the name of a file expected");
  fs::remove_all(folder);
  std::ofstream(folder) << "words";
  CHECK(refused_as_invalid(inputs, {.overwrite = true}) == folder + ": is a file, a folder expected");
  CHECK(file_text(folder) == "words");
}

TEST_CASE("inputs are checked before anything is written, and errors name the wrong input") {
  const Parts shop;
  Strings inputs = shop.several();
  const auto with = [&](const std::string& path) { return Strings{inputs[0], path, inputs[1]}; };
  const std::string empty = shop.out("empty.tacozip"), text = shop.out("text.tacozip"), cut = shop.out("cut.tacozip");
  std::ofstream{empty};
  std::ofstream(text) << "not a dataset";
  std::ofstream(cut, std::ios::binary) << file_text(inputs[0]).substr(0, 400);
  const std::string lying = shop.out("lying.tacozip"), footer = shop.out("footer.tacozip");
  fs::copy(inputs[0], lying);
  REQUIRE(edit_file(lying, "PAR1", "PAR0"));
  std::string damaged = file_text(inputs[0]);
  damaged.replace(damaged.rfind("PAR1") - 40, 20, std::string(20, '\xff'));
  std::ofstream(footer, std::ios::binary) << damaged;
  const std::string folder = shop.add("folder", flat("f"));
  const int made = shop.num_made();

  CHECK(refused_as_invalid({}) == "no inputs; one dataset or more expected");
  CHECK(refused(with(shop.out("none.tacozip"))).starts_with(shop.out("none.tacozip") + ": cannot open"));
  CHECK(refused(with(empty)).starts_with(empty + ": "));
  CHECK(refused(with(text)).starts_with(text + ": "));
  CHECK(refused(with(cut)).starts_with(cut + ": "));
  CHECK(refused(with(footer)).starts_with(footer + ": level 0: "));
  CHECK(refused_as_invalid(with("s3://bucket/x.tacozip")) ==
        "s3://bucket/x.tacozip: is remote, and '" + inputs[0] + "' is not; an index has one base path for all");
  CHECK(refused_as_invalid({"s3://bucket/x.tacozip", "/vsis3/bucket/x.tacozip"}, {.output = shop.out("")}) ==
        "/vsis3/bucket/x.tacozip: is the same dataset as a previous input");
  CHECK(refused(inputs, {.output = "s3://bucket"}) ==
        "s3://bucket: cannot be written: it is remote, a local path expected");
  CHECK(refused_as_invalid(with(folder)) ==
        folder + ": is a FOLDER; a TACOCAT is an index of ZIPs, a TACOLLECTION.json of both");
  CHECK(refused_as_invalid(inputs, {.output = inputs[0]}) ==
        inputs[0] + ": is a file, a folder for the index expected");
  CHECK(refused(inputs, {.output = shop.out("nowhere")}).starts_with(shop.out("nowhere") + ": cannot open"));
  CHECK(refused_as_invalid(inputs, {.parquet = {.compression = "zip"}}).starts_with("Parquet compression 'zip'"));
  CHECK(shop.num_made() == made);
}

TEST_CASE("an index as input, a file given twice under any name, and two files of one name are refused") {
  const Parts shop;
  const Strings inputs = shop.several();
  const std::string file = create_tacocat({inputs[0]}, {.single_file = true});
  CHECK(refused_as_invalid({inputs[0], file}) == file + ": is an index; the datasets in it expected");
  fs::remove(file);
  CHECK(refused_as_invalid({inputs[0], inputs[1], inputs[0]}) ==
        inputs[0] + ": is the same dataset as a previous input, '" + inputs[0] + "'");
  const std::string link = shop.out("link.tacozip");
  fs::create_symlink(inputs[0], link);
  CHECK(refused_as_invalid({inputs[0], link}) ==
        link + ": is the same dataset as a previous input, '" + inputs[0] + "'");
  const std::string other = shop.add("more/a.tacozip", flat("z"));
  CHECK(refused_as_invalid({inputs[0], other}, {.output = shop.out("")}) ==
        other + ": has the same file name as '" + inputs[0] +
            "'; an index refers to its ZIPs by their file names alone");
}

TEST_CASE("other columns or types are refused with level, file and types") {
  const Parts shop;
  const std::string first = shop.add("a.tacozip", flat("a"));
  const std::string text = shop.add("b.tacozip", flat("b", 2, {"cloud", "much"}));
  const std::string more = shop.add("c.tacozip", flat("c", 2, {"snow", 1.5}));
  // The collections tell before the footers do.
  CHECK(text_of<SchemaError>([&] { create_tacocat({first, text}); }) ==
        text + ": cannot be joined with '" + first +
            "': level0 has an additional column 'cloud' (string); level0 lacks column 'cloud' (double)");
  CHECK(text_of<SchemaError>([&] { create_tacocat({first, more}); }) ==
        more + ": cannot be joined with '" + first +
            "': level0 has an additional column 'snow' (double); level0 lacks column 'cloud' (double)");
  CHECK(shop.num_made() == 3);
}

TEST_CASE("parts may differ in column order, and the first part's order is kept") {
  const Parts shop;
  std::vector<Sample> one{leaf("a", {{"x", 1}, {"y", "1"}})}, two{leaf("b", {{"y", "2"}, {"x", 2}})};
  const Strings inputs{shop.add("a.tacozip", {Tortilla(one), collection()}),
                       shop.add("b.tacozip", {Tortilla(two), collection()})};
  const auto level = index_level(create_tacocat(inputs), 0);
  CHECK(join(column_names(level->columns()), " ") ==
        "id type x y internal:current_id internal:parent_id internal:offset internal:size internal:source_file");
  CHECK(cells_of(level, "x") == Strings{"1", "2"});
  CHECK(faults(shop.out(".tacocat")) == "");
}

TEST_CASE("without validation columns are aligned: new ones appended, missing ones null, types widened") {
  const Parts shop;
  std::vector<Sample> one{leaf("a", {{"x", 1}, {"y", "1"}})}, two{leaf("b", {{"z", true}, {"x", 2.5}})};
  const Strings inputs{shop.add("a.tacozip", {Tortilla(one), collection()}),
                       shop.add("b.tacozip", {Tortilla(two), collection()})};
  const std::string index = create_tacocat(inputs, {.validate_schema = false});
  const auto level = index_level(index, 0);
  CHECK(join(column_names(level->columns()), " ") ==
        "id type x y z internal:current_id internal:parent_id internal:offset internal:size internal:source_file");
  CHECK(cells_of(level, "x") == Strings{"1", "2.5"});
  CHECK(cells_of(level, "y") == Strings{"1", "null"});
  CHECK(cells_of(level, "z") == Strings{"null", "true"});
  CHECK(all_of({index}) == all_of(inputs));
  CHECK(has_text(faults(index), "CAT-7"));
  const auto fields = load(index).field_schema().at("level0");
  Strings shown;
  for (const auto& field : fields) shown.push_back(field.name + ":" + field.type);
  CHECK(join(shown, " ") ==
        "id:string type:string x:double y:string z:bool internal:current_id:int64 internal:parent_id:int64");
}

TEST_CASE("without validation parts with incompatible types or other trees are refused") {
  const Parts shop;
  const std::string first = shop.add("a.tacozip", flat("a"));
  const std::string text = shop.add("b.tacozip", flat("b", 2, {"cloud", "much"}));
  const std::string deep = shop.add("c.tacozip", nested({"x"}));
  const TacocatOptions loose{.validate_schema = false};
  CHECK(text_of<SchemaError>([&] { create_tacocat({first, text}, loose); }) ==
        text + ": level 0: columns do not fit those of the inputs from '" + first +
            "' on: column 'cloud' is string, expected double");
  CHECK(text_of<SchemaError>([&] { create_tacocat({first, deep}, loose); }) ==
        deep + ": cannot be joined with '" + first + "': its roots are FOLDERs, expected FILEs");
  CHECK(shop.num_made() == 3);
}

TEST_CASE("a number that the common type does not hold is an error, not another number") {
  const Parts shop;
  const int64_t large = (int64_t{1} << 53) + 1;
  const Strings inputs{shop.add("a.tacozip", flat("a", 2, {"n", 0.5})),
                       shop.add("b.tacozip", flat("b", 2, {"n", large}))};
  const std::string error = refused(inputs, {.validate_schema = false});
  CHECK(error.starts_with(inputs[1] + ": level 0: column 'n' has int64 values that double does not hold"));
  CHECK(shop.num_made() == 2);
}

TEST_CASE("without an output path all inputs must be in one folder, however it is spelled") {
  const Parts shop;
  const std::string here = shop.add("one/a.tacozip", flat("a")), there = shop.add("two/b.tacozip", flat("b"));
  CHECK(refused_as_invalid({here, there}) == "the inputs are in several folders, '" + shop.out("one") + "' and '" +
                                                 shop.out("two") + "'; a folder for the index expected");
  const std::string beside = shop.add("one/b.tacozip", flat("b"));
  const std::string around = shop.out("two/../one/b.tacozip");
  CHECK(all_of({create_tacocat({here, around})}) == all_of({here, beside}));
}

TEST_CASE("an index in another folder stores file names only, and warns that readers need base_path") {
  const Parts shop;
  const Strings inputs = shop.several();
  fs::create_directory(shop.out("index"));
  const Report report;
  const std::string index = create_tacocat(inputs, {.output = shop.out("index")});
  CHECK(report.has(LogLevel::Warning,
                   index + ": its datasets are in '" + shop.out("") + "'; readers need this folder as base path"));
  const Dataset dataset = load(index, {.base_path = shop.out("")});
  CHECK(all_of(dataset.data()) == all_of(inputs));
}

TEST_CASE("the collection of an index is the first part's, with all extents joined on the circle of longitudes") {
  const Parts shop;
  Taco west = flat("w"), east = flat("e");
  west.collection.extent.spatial = BBox{170, -10, 179, 0};
  east.collection.extent.spatial = BBox{-179, 0, -170, 10};
  west.collection.title = "The first";
  const Strings inputs{shop.add("w.tacozip", west), shop.add("e.tacozip", east)};
  const Collection merged = load(create_tacocat(inputs)).collection();
  CHECK(merged.title == "The first");
  CHECK(merged.extent.spatial->minx == 170);
  CHECK(merged.extent.spatial->maxx == -170);
  REQUIRE(merged.sources.size() == 2);
  CHECK(merged.sources[1].file == "e.tacozip");
  CHECK(merged.sources[1].extent.spatial->minx == -179);
}

TEST_CASE("the extents of an index are computed from the rows, not from the parts' collections") {
  const Parts shop;
  const auto at = [](const std::string& id, double lon, const char* day) {
    std::vector<Sample> children{leaf("x", {{"istac:geometry", Binary{wkb_point(lon + 5, 10)}}})};
    return Sample(id, Tortilla(std::move(children)),
                  {{"stac:centroid", Binary{wkb_point(lon, 0)}}, {"stac:time_end", Timestamp::parse(day)}});
  };
  Taco west{Tortilla({at("w", 10, "2020-01-01")}), collection()},
      east{Tortilla({at("e", 50, "2021-01-01")}), collection()};
  west.collection.extent = {.spatial = BBox{0, 0, 1, 1}, .temporal = TimeRange::parse("1999-01-01/1999-12-31")};
  const Strings inputs{shop.add("w.tacozip", west), shop.add("e.tacozip", east)};
  for (const std::string& index : {create_tacocat(inputs), create_tacollection(inputs, {.overwrite = true})}) {
    CAPTURE(index);
    const Collection merged = read_collection(index);
    CHECK(merged.extent.spatial == BBox{10, 0, 55, 10});
    CHECK(merged.extent.temporal == TimeRange{Timestamp::parse("2020-01-01"), Timestamp::parse("2021-01-01")});
    CHECK(merged.sources.at(0).extent.spatial == BBox{10, 0, 15, 10});
    CHECK(merged.sources.at(1).extent.spatial == BBox{50, 0, 55, 10});
  }
}

TEST_CASE("a TACOLLECTION.json lists ZIPs and FOLDERs, at or below its folder, and reads as one dataset") {
  const Parts shop;
  const Strings inputs{shop.add("a.tacozip", nested({"x", "y"})), shop.add("below/é", nested({"z"}))};
  const std::string index = create_tacollection(inputs, {.output = shop.out("")});
  CHECK(fs::path(index).filename() == "TACOLLECTION.json");
  const Dataset dataset = load(index);
  CHECK(dataset.format() == Format::Tacollection);
  CHECK(dataset.num_rows() == 3);
  CHECK(all_of(dataset.data()) == all_of(inputs));
  CHECK(dataset.collection().sources[1].file == "below/é");
  CHECK(has_text(file_text(index), "below/é"));
  CHECK(faults(index) == "");
}

TEST_CASE("a TACOLLECTION.json in another folder names its datasets relative to their common folder") {
  const Parts shop;
  const Strings inputs{shop.add("x/one/a.tacozip", flat("a")), shop.add("x/two/a.tacozip", flat("b"))};
  fs::create_directory(shop.out("index"));
  const std::string index = create_tacollection(inputs, {.output = shop.out("index")});
  CHECK(load(index).collection().sources[0].file == "one/a.tacozip");
  CHECK(all_of(load(index, {.base_path = shop.out("x")}).data()) == all_of(inputs));
}

TEST_CASE("a FOLDER may be named by a path that ends with dots or a slash") {
  const Parts shop;
  const std::string folder = shop.add("set", flat("a"));
  for (const std::string end : {"", "/", "/.", "/DATA/.."}) {
    CAPTURE(end);
    const std::string index = create_tacollection({folder + end}, {.overwrite = true});
    CHECK(fs::equivalent(index, shop.out("TACOLLECTION.json")));
    CHECK(load(index).collection().sources[0].file == "set");
  }
}

TEST_CASE("a TACOLLECTION.json is refused under the conditions of an index, and no file is left") {
  const Parts shop;
  const std::string first = shop.add("a.tacozip", flat("a")), deep = shop.add("b", nested({"x"}));
  const std::string text = shop.add("c.tacozip", flat("c", 1, {"cloud", "much"}));
  const auto error = [](const Strings& inputs, const TacollectionOptions& options = {}) {
    return text_of<Error>([&] { create_tacollection(inputs, options); });
  };
  CHECK(error({first, deep}) ==
        deep + ": cannot be joined with '" + first + "': its roots are FOLDERs, expected FILEs");
  CHECK(error({first, text}).starts_with(text + ": cannot be joined with '" + first + "': level0 has"));
  CHECK(error({first, text}, {.validate_schema = false}).starts_with(text + ": level 0: columns do not fit"));
  CHECK(error({"https://example.org/x.tacozip"}) ==
        "https://example.org/x.tacozip: is remote; a local folder for the index expected");
  CHECK(error({}) == "no inputs; one dataset or more expected");
  CHECK(shop.num_made() == 3);
  const std::string index = create_tacollection({first});
  CHECK(error({first}) == index + ": exists already");
  CHECK(create_tacollection({first}, {.overwrite = true}) == index);
  CHECK(error({index}, {.overwrite = true}) ==
        index + ": the output is '" + index + "', which is an input; choose another path");
}

TEST_CASE("inputs without samples are refused") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path("x/METADATA"));
  folder.write("x/METADATA/level0.parquet", parquet_text({{"id", texts({})}, {"type", texts({})}}));
  folder.write("x/COLLECTION.json",
               R"({"id": "x", "taco:pit_schema": {"root": {"n": 0, "type": "FILE"}, "hierarchy": {}}})");
  CHECK(text_of<ValidationError>([&] { create_tacollection({folder.path("x")}); }) == "the inputs have no samples");
}

TEST_CASE("a cancelled index leaves no files, at any moment") {
  const Parts shop;
  const Strings inputs = shop.several();
  struct Stop {
    int at, now = 0;
  };
  const auto count = [](uint64_t done, uint64_t all, void* user) {
    CHECK(done <= all);
    auto& stop = *static_cast<Stop*>(user);
    return ++stop.now != stop.at;
  };
  for (const bool single_file : {false, true}) {
    for (int at = 1;; ++at) {
      CAPTURE(at);
      Stop stop{.at = at};
      const std::string error =
          refused(inputs, {.task = {.progress = count, .user = &stop}, .single_file = single_file});
      if (error.empty()) {
        CHECK(at > 8);
        break;
      }
      CHECK(error.ends_with(": stopped"));
      CHECK(shop.num_made() == 3);
    }
    CHECK(shop.num_made() == 4);
    fs::remove_all(shop.out(".tacocat"));
  }
}

TEST_CASE("a damaged value is an error that names the file, and no file is left") {
  const Parts shop;
  const Strings inputs = shop.several();
  const std::string archive = file_text(inputs[1]);
  const auto header = taco_header::parse(to_bytes(archive), archive.size());
  std::string damaged = archive;
  for (uint64_t i = 4; i < 60; ++i) damaged[header.levels[0].offset + i] = '\x55';
  std::ofstream(inputs[1], std::ios::binary) << damaged;
  CHECK(refused(inputs).starts_with(inputs[1] + ": level 0: "));
  CHECK(shop.num_made() == 3);
}

TEST_CASE("few files are open at a time for any number of inputs") {
  const Parts shop;
  Strings inputs;
  for (int k = 0; k < 100; ++k) inputs.push_back(shop.add(std::to_string(k) + ".tacozip", flat("s", 1)));
  static std::size_t most;
  most = 0;
  const auto look = [](uint64_t, uint64_t, void*) {
    const auto open =
        static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
    most = std::max(most, open);
    return true;
  };
  const auto before =
      static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  create_tacocat(inputs, {.task = {.jobs = 4, .progress = look}});
  CHECK(most < before + 60);
}

TEST_CASE("validation of an index reports a part that was edited later") {
  for (const bool single : {false, true}) {
    CAPTURE(single);
    const Workshop shop;
    const auto part = [&](const std::string& name, int value) {
      return create({Tortilla({Sample(name, to_bytes(name), {{"c", value}})}), collection()},
                    shop.out(name + ".tacozip"))
          .at(0);
    };
    const Strings parts{part("a", 1), part("b", 2)};
    const std::string index = create_tacocat(parts, {.single_file = single});
    CHECK(faults(index) == "");
    const auto warning = "'a.tacozip' was changed after the index was made";
    const auto read = [&] {
      Report report;
      CHECK(load(index).sql("SELECT c FROM data").data().num_rows() == 2);
      return report.has(LogLevel::Warning, warning);
    };
    CHECK_FALSE(read());
    shop.add("t.csv", "id,c\na,555\n");
    {
      Report report;
      edit(parts[0], {.columns = {shop.source("t.csv")}});
      CHECK(report.has(LogLevel::Warning, "has the values of 'a.tacozip' from before this edit"));
    }
    CHECK(read());
    // One that is older than the index is held against it when it is read.
    fs::last_write_time(parts[0], fs::last_write_time(parts[0]) - std::chrono::hours(1));
    CHECK_FALSE(read());
    {
      Report report;
      load(index).data().read_bytes("a");
      CHECK(report.has(LogLevel::Warning, warning));
    }
  }
}

TEST_CASE("a column that only some datasets of a TACOLLECTION.json have is null elsewhere") {
  const Parts shop;
  const Strings inputs{shop.add("a.tacozip", flat("a", 1)), shop.add("b.tacozip", flat("b", 1, {"other", 7}))};
  const Dataset all = load(create_tacollection(inputs, {.validate_schema = false}));
  const DataFrame rows = all.sql("SELECT id, cloud, other FROM data ORDER BY id").data();
  REQUIRE(rows.num_rows() == 2);
  CHECK(rows.text(0, "cloud") == "1.5");
  CHECK_FALSE(rows.text(1, "cloud"));
  CHECK_FALSE(rows.text(0, "other"));
  CHECK(rows.text(1, "other") == "7");
}

TEST_CASE("a dataset whose tree has fewer levels than its tables is refused") {
  const Parts shop;
  const std::string path = shop.add("a.tacozip", nested({"x"}));
  std::string bytes = file_text(path);
  const std::size_t begin = bytes.find('{', bytes.find("\"hierarchy\""));
  std::size_t end = begin;
  for (int open = 0; open > 0 || end == begin; ++end) open += bytes[end] == '{' ? 1 : bytes[end] == '}' ? -1 : 0;
  bytes.replace(begin + 1, end - begin - 2, end - begin - 2, ' ');
  std::ofstream(path, std::ios::binary) << bytes;
  const std::string why = path + ": has 2 levels, but taco:pit_schema describes 1; the index would lose rows";
  CHECK(text_of<ValidationError>([&] { create_tacocat({path}); }) == why);
  CHECK(text_of<ValidationError>([&] { create_tacollection({path}); }) == why);
  CHECK(shop.num_made() == 1);
}

}  // namespace tacore
