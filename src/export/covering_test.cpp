#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "support/create_files.hpp"
#include "support/places.hpp"
#include "support/table_files.hpp"
#include "table/edit_columns.hpp"
#include "table/parquet_proof.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/export.hpp"

// Bounding boxes of geometries and the order of samples: whatever a table says of them, a filter gives the rows that a
// loop over the places gives, which are plain numbers here.
namespace tacore {
namespace {

constexpr int64_t kRowGroup = 2000;

std::string name_of(std::size_t number) { return "s" + std::to_string(number); }

Taco taco_of(const std::vector<Place>& all) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<MetadataField> metadata{{"istac:geometry", Binary{wkb_of(all[i])}},
                                        {"number", static_cast<int64_t>(i)}};
    if (i % 97 == 0) metadata[0].value = Value();
    metadata.push_back({"list", Value::List(1 + i % 4, 1.5)});
    samples.emplace_back(name_of(i), to_bytes(name_of(i)), metadata);
  }
  return {Tortilla(std::move(samples)), collection()};
}

CreateOptions covered(int64_t row_group_size = kRowGroup) {
  return {.output = {.parquet = {.row_group_size = row_group_size, .covering = true}}, .order = "hilbert"};
}

/// The ids in the box of a dataset whose samples are `all`, as a loop finds them; sorted.
Strings expected(const std::vector<Place>& all, const BBox& box) {
  Strings out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % 97 != 0 && meets(all[i], box)) out.push_back(name_of(i));
  }
  return sorted(out);
}

/// Checks the rows of each box; returns how many rows the filters read of how many, as the log tells.
std::string check_boxes(const Dataset& dataset, const std::vector<Place>& all) {
  Report report;
  for (const BBox& box : boxes()) {
    CAPTURE(box.minx);
    CAPTURE(box.miny);
    const DataFrame found = dataset.filter_bbox(box).data();
    CHECK(sorted(ids(found)) == expected(all, box));
    const auto numbers = values(dataset.filter_bbox(box).data(), "number");
    const auto names = ids(found);
    for (std::size_t i = 0; i < names.size(); ++i) CHECK("s" + numbers[i] == names[i]);
    if (found.num_rows() > 0) {
      const auto row = found.num_rows() - 1;
      const std::vector<int64_t> last{row};
      CHECK(to_text(found.read_bytes(std::span(last)).at(0)) == names[static_cast<std::size_t>(row)]);
    }
  }
  Strings out;
  for (const auto& [level, text] : report.all) {
    const auto at = text.find(" reads ");
    if (at != std::string::npos) out.push_back(text.substr(at + 7, text.find(" rows") - at - 7));
  }
  return join(out, "; ") + (report.warnings().empty() ? "" : "; " + report.warnings());
}

}  // namespace

TEST_CASE("samples in Hilbert order with bounding boxes: the rows of a box, from few pages, in any container") {
  const Workshop shop = Workshop::in_memory();
  const auto all = places(20000);
  const Taco taco = taco_of(all);
  create(taco, shop.out("plain.tacozip"));
  CHECK(check_boxes(load(shop.out("plain.tacozip")), all) == "");
  for (const std::string name : {"made.tacozip", "made"}) {
    CAPTURE(name);
    // Small row groups of a page each, or one row group of pages of 8192 rows.
    const bool is_zip = name == "made.tacozip";
    create(taco, shop.out(name), covered(is_zip ? kRowGroup : 65536));
    CHECK(faults(shop.out(name)) == "");
    const std::string read = check_boxes(load(shop.out(name)), all);
    CHECK_MESSAGE(read.find(is_zip ? "; 4000 of 20000" : " of 20000") != std::string::npos, read);
  }
  // All pages of a box that is everywhere are read.
  const Report report;
  CHECK(load(shop.out("made")).filter_bbox({-180, -90, 180, 90}).data().num_rows() == 20000 - 207);
  CHECK_FALSE(report.has(LogLevel::Info, " reads "));
  // Positions, levels, unions and statements over the rows of a box.
  const Dataset some = load(shop.out("made.tacozip")).filter_bbox(boxes()[2]);
  const auto names = expected(all, boxes()[2]);
  CHECK(sorted(values(some.sql("SELECT id FROM data WHERE number >= 0").data(), "id")) == names);
  CHECK(some.sort("number").limit(2).data().num_rows() == 2);
  CHECK(some.limit(3).data().num_rows() == 3);
  CHECK(load(shop.out("made.tacozip")).limit(50).filter_bbox(boxes()[2]).data().num_rows() <= 50);
  const std::vector<Dataset> two{some, load(shop.out("plain.tacozip")).filter_bbox(boxes()[2])};
  const Dataset both = concat(two);
  CHECK(both.data().num_rows() == 2 * static_cast<int64_t>(names.size()));
  const std::vector<Dataset> whole{load(shop.out("made.tacozip")), load(shop.out("plain.tacozip"))};
  const Report joined;
  CHECK(concat(whole).filter_bbox(boxes()[0]).data().num_rows() ==
        2 * static_cast<int64_t>(expected(all, boxes()[0]).size()));
  CHECK(joined.has(LogLevel::Info, " of 20000 rows"));
  CHECK(sorted(ids(load(shop.out("made.tacozip")).filter_bbox(boxes()[2]).filter_bbox(boxes()[3]).data())) == [&] {
    Strings out;
    std::ranges::set_intersection(names, expected(all, boxes()[3]), std::back_inserter(out));
    return out;
  }());
}

TEST_CASE("the boxes contain the geometries, and little more") {
  const Workshop shop = Workshop::in_memory();
  const auto all = places(3000);
  create(taco_of(all), shop.out("made"), covered(65536));
  const auto table = table_at(shop.out("made/METADATA/level0.parquet"));
  const auto rows = level_rows(table, {}, 0, table->num_rows());
  const auto number = rows->find("number");
  const auto cells = read_values(*table->decode(table->find("bbox"), 0));
  REQUIRE(cells.size() == 3000);
  for (int64_t row = 0; row < table->num_rows(); ++row) {
    const Value& cell = cells[static_cast<std::size_t>(row)];
    const auto i = static_cast<std::size_t>(*rows->integer(number, row));
    if (i % 97 == 0) {
      CHECK(cell == Value());
      continue;
    }
    const Place& place = all[i];
    std::map<std::string, double> sides;
    for (const auto& [key, value] : std::get<Struct>(cell.data)) sides[key] = std::get<double>(value.data);
    CHECK(sides["xmin"] <= place.lon - place.half);
    CHECK(sides["ymin"] <= place.lat - place.half);
    CHECK(sides["xmax"] >= place.lon + place.half);
    CHECK(sides["ymax"] >= place.lat + place.half);
    CHECK(sides["xmax"] - sides["xmin"] <= 2 * place.half + 2. / 128);
  }
}

TEST_CASE("an index has the bounding boxes that its ZIPs lack") {
  const Workshop shop = Workshop::in_memory();
  auto all = places(12000);
  std::ranges::sort(all, {}, &Place::lon);
  CreateOptions parts = covered();
  parts.output.parquet.covering = false;
  parts.split_size = 20000;
  parts.consolidate = false;
  parts.order = "";
  const auto zips = create(taco_of(all), shop.out("part.tacozip"), parts);
  REQUIRE(zips.size() > 1);
  for (const bool single_file : {false, true}) {
    CAPTURE(single_file);
    const std::string index = create_tacocat(
        zips,
        {.single_file = single_file, .overwrite = true, .parquet = {.row_group_size = kRowGroup, .covering = true}});
    const Dataset dataset = load(index);
    CHECK(check_boxes(dataset, all).find(" of 12000") != std::string::npos);
    CHECK(faults(index) == "");
    const auto fields = dataset.collection().field_schema.at("level0");
    CHECK(std::ranges::count(fields, "bbox", &FieldDescription::name) == 1);
  }
}

TEST_CASE("an edit and a conversion keep the boxes those of the geometries") {
  const Workshop shop = Workshop::in_memory();
  auto all = places(9000);
  create(taco_of(all), shop.out("made.tacozip"), covered());
  all[5] = {100.5, 12.25, 0};
  shop.add("new.jsonl", "{\"id\": \"s5\", \"number\": 5}\n");
  // A geometry in a table of Parquet: text has no WKB.
  shop.add("new.parquet",
           parquet_text({{"id", texts({"s5"})},
                         {"istac:geometry",
                          build(std::vector<std::optional<std::string>>{wkb_of(all[5])}, arrow::BinaryBuilder())}}));
  edit(shop.out("made.tacozip"), {.columns = {shop.source("new.parquet")}}, {.parquet = {.row_group_size = kRowGroup}});
  CHECK(check_boxes(load(shop.out("made.tacozip")), all).find(" of 9000") != std::string::npos);
  CHECK(ids(load(shop.out("made.tacozip")).filter_bbox({100.4, 12.2, 100.6, 12.3}).data()) == Strings{"s5"});
  convert(shop.out("made.tacozip"), shop.out("folder"));
  CHECK(check_boxes(load(shop.out("folder")), all).find(" of 9000") != std::string::npos);
  CHECK(has_text(text_of<ValidationError>([&] { convert(shop.out("made.tacozip"), shop.out("other"), covered()); }),
                 "order, covering"));
  // Without the option an export has the boxes as a column like any other, of which readers know nothing.
  export_dataset(load(shop.out("made.tacozip")).filter_bbox(boxes()[0]), shop.out("some.tacozip"));
  CHECK(load(shop.out("some.tacozip")).filter_bbox(boxes()[0]).data().num_rows() ==
        static_cast<int64_t>(expected(all, boxes()[0]).size()));
}

TEST_CASE("a sort between two filters of one level sorts by what the first left, whatever the second rules out") {
  const Workshop shop = Workshop::in_memory();
  const auto root = [](const std::string& id, double lon, int64_t number) {
    const auto at = [](double x) { return std::vector<MetadataField>{{"stac:centroid", Binary{wkb_point(x, 0)}}}; };
    Sample folder("f", Tortilla({Sample("x", to_bytes(id), {{"number", number}})}), at(lon));
    return Sample(id, Tortilla({std::move(folder), Sample("g", to_bytes(id), at(20))}));
  };
  // Only the first box has the folder of "a", by whose number it comes before "b"; both have the other children.
  create({Tortilla({root("b", 20, 5), root("a", 10, 1)}), collection()}, shop.out("made.tacozip"),
         {.output = {.parquet = {.row_group_size = 1, .covering = true}}});
  const FilterOptions below{.level = 1};
  const Dataset found = load(shop.out("made.tacozip"))
                            .filter_bbox({5, -1, 25, 1}, below)
                            .sort("l2:number")
                            .filter_bbox({15, -1, 25, 1}, below);
  CHECK(join(ids(found.data()), " ") == "a b");
  CHECK(join(values(found.flatten(1), "l0:id"), " ") == "a b");
}

TEST_CASE("points in structures of x and y are found by the statistics of both") {
  const Workshop shop = Workshop::in_memory();
  std::vector<Sample> samples;
  for (int i = 0; i < 400; ++i) {
    const double lon = i < 200 ? i * 0.1 : 100 + i * 0.1;
    Value place = Struct{{"x", lon}, {"y", i % 40 - 20.}};
    if (i % 7 == 0) place = Struct{{"x", std::numeric_limits<double>::quiet_NaN()}, {"y", 0.}};
    samples.emplace_back(name_of(static_cast<std::size_t>(i)), to_bytes("x"),
                         std::vector<MetadataField>{{"place", place}});
  }
  create({Tortilla(std::move(samples)), collection()}, shop.out("made.tacozip"),
         {.output = {.parquet = {.row_group_size = 50}}});
  for (const BBox box : {BBox{1, -5, 2, 5}, BBox{361, -5, 362, 5}, BBox{-180, -90, 180, 90}, BBox{30, 0, 40, 1}}) {
    const Report report;
    Strings wanted;
    for (int i = 0; i < 400; ++i) {
      const double lon = i < 200 ? i * 0.1 : 100 + i * 0.1, west = box.minx > 300 ? box.minx - 360 : box.minx;
      const double east = box.maxx > 300 ? box.maxx - 360 : box.maxx, lat = i % 40 - 20.;
      if (i % 7 != 0 && lon >= west && lon <= east && lat >= box.miny && lat <= box.maxy)
        wanted.push_back(name_of(static_cast<std::size_t>(i)));
    }
    CHECK(ids(load(shop.out("made.tacozip")).filter_bbox(box, {.column = "place"}).data()) == wanted);
    CHECK(report.has(LogLevel::Info, " of 400 rows, by the bounds of 'place'") == (box.minx > -180));
  }
}

TEST_CASE("a filter by footprint reads few pages where all footprints are geometries in longitude and latitude") {
  const Workshop shop = Workshop::in_memory();
  const auto all = places(6000);
  for (const std::string crs : {"", "EPSG:4326", "EPSG:3857"}) {
    for (const bool has_null : {false, true}) {
      CAPTURE(crs);
      CAPTURE(has_null);
      std::vector<Sample> samples;
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<MetadataField> metadata{{"istac:geometry", Binary{wkb_of(all[i])}},
                                            {"istac:centroid", Binary{wkb_point(all[i].lon, all[i].lat)}}};
        if (has_null && i % 97 == 0) metadata[0].value = Value();
        if (!crs.empty()) metadata.push_back({"istac:crs", i == 17 ? crs : "EPSG:4326"});
        samples.emplace_back(name_of(i), to_bytes("x"), std::move(metadata));
      }
      create({Tortilla(std::move(samples)), collection()}, shop.out("made.tacozip"),
             {.output = {.overwrite = true, .parquet = {.row_group_size = 500}}, .order = "hilbert"});
      const Report report;
      Strings wanted;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_square = !(has_null && i % 97 == 0) && !(crs == "EPSG:3857" && i == 17);
        const Place place{all[i].lon, all[i].lat, is_square ? all[i].half : 0};
        if (meets(place, boxes()[0])) wanted.push_back(name_of(i));
      }
      CHECK(sorted(ids(load(shop.out("made.tacozip")).filter_bbox(boxes()[0], {.column = "footprint"}).data())) ==
            sorted(wanted));
      CHECK(report.has(LogLevel::Info, " of 6000 rows") == (!has_null && crs != "EPSG:3857"));
    }
  }
}

TEST_CASE("samples in the order of time; those without one are last") {
  const Workshop shop = Workshop::in_memory();
  std::vector<Sample> samples;
  for (const int day : {7, 3, 0, 3, 1}) {
    std::vector<MetadataField> metadata{{"stac:time_start", Value()}};
    if (day > 0) metadata[0].value = Timestamp::parse("2020-01-0" + std::to_string(day) + "T00:00:00Z");
    samples.emplace_back("d" + std::to_string(day) + "_" + std::to_string(samples.size()), to_bytes("x"), metadata);
  }
  const Taco taco{Tortilla(std::move(samples)), collection()};
  create(taco, shop.out("made.tacozip"), {.order = "time"});
  CHECK(ids(load(shop.out("made.tacozip")).data()) == Strings{"d1_4", "d3_1", "d3_3", "d7_0", "d0_2"});
  CHECK(has_text(text_of<ValidationError>([&] { create(taco, shop.out("x.tacozip"), {.order = "place"}); }),
                 "order 'place'; hilbert or time expected"));
  CHECK(check_plan(taco, shop.out("x.tacozip"), {.order = "place"}).issues.size() == 1);
  const Report report;
  create(taco, shop.out("other.tacozip"), {.order = "hilbert"});
  CHECK(ids(load(shop.out("other.tacozip")).data()) == Strings{"d7_0", "d3_1", "d0_2", "d3_3", "d1_4"});
  CHECK(has_text(report.warnings(), "5 of 5 samples have no location, and are last in the order 'hilbert'"));
}

TEST_CASE("a geometry that is not WKB is an error that names its row, before anything is written") {
  const Workshop shop;
  const Taco taco{Tortilla({Sample("a", to_bytes("a"), {{"istac:geometry", Binary{wkb_point(1, 2)}}}),
                            Sample("b", to_bytes("b"), {{"istac:geometry", Binary{"no geometry"}}})}),
                  collection()};
  const std::string why = text_of<SchemaError>([&] { create(taco, shop.out("x"), covered()); });
  CHECK(has_text(why, "level 0: istac:geometry of row 1 is not a geometry: "));
  CHECK(shop.num_made() == 0);
  const Strings issues = check_plan(taco, shop.out("x"), covered()).issues;
  CHECK(std::ranges::count(issues, why) >= 1);  // the extent says it, too
}

TEST_CASE("a table that was rewritten or damaged gives the rows of a loop, or an error") {
  const Workshop shop = Workshop::in_memory();
  const auto all = places(8000);
  create(taco_of(all), shop.out("made"), covered(3000));
  const std::string path = shop.out("made/METADATA/level0.parquet"), good = file_text(path);
  const auto put = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return load(shop.out("made"));
  };
  SUBCASE("rewritten with all keys of its footer, and boxes that lie") {
    const auto level = table_at(path);
    auto table = whole_table(*level);
    const int at = table->schema()->GetFieldIndex("bbox");
    // The boxes of other rows: rotated by a third of the table.
    auto moved = check(arrow::ConcatenateTables({table->Slice(3000), table->Slice(0, 3000)}));
    table = check(table->SetColumn(at, table->field(at), moved->column(at)));
    for (const bool has_proof : {true, false}) {
      std::map<std::string, std::string> keys{{"taco:geo", *level->key_value("taco:geo")}};
      if (has_proof) keys[kProofKey] = *level->key_value(kProofKey);
      const Bytes lying = encode_parquet(*table, {.row_group_size = 3000}, keys);
      const std::string read = check_boxes(put(to_text(lying)), all);
      CHECK(read.find(" of 8000") == std::string::npos);
      CHECK(has_text(read, "its footer is not the one that was proved") == has_proof);
    }
  }
  SUBCASE("a byte changed in the page index, or in the footer") {
    const auto level = table_at(path);
    const auto footer = parse_parquet_footer(level->tail(), {});
    const auto index = *page_index_ranges(*footer, 0);
    const Report report;
    int num_refused = 0;
    for (std::size_t at = index.columns.offset; at < good.size(); at += 211) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 0x11);
      try {
        const Dataset dataset = put(bad);
        for (const BBox& box : {boxes()[0], boxes()[2]}) {
          const auto found = dataset.filter_bbox(box).data();
          CHECK(sorted(ids(found)) == expected(all, box));
        }
      } catch (const Error&) {
        ++num_refused;
      }
    }
    CHECK(report.has(LogLevel::Warning, "the page index of row group"));
    CHECK(num_refused < 60);
  }
  put(good);
}

TEST_CASE("a page index that lies, with a proof that fits it, is found by a deep validation") {
  const Workshop shop = Workshop::in_memory();
  create(taco_of(places(20000)), shop.out("made"), covered(65536));
  const std::string path = shop.out("made/METADATA/level0.parquet");
  const std::string good = file_text(path);
  const auto table = table_at(path);
  const auto metadata = parse_parquet_footer(table->tail(), {});
  const auto ranges = *page_index_ranges(*metadata, 0);
  REQUIRE(faults(shop.out("made")) == "");
  // The faults of a table in which each `from` in a range of the page index is replaced by `to`, with a proof that
  // fits.
  const auto faults_of = [&](ByteRange range, const std::string& from, const std::string& to) {
    std::string bytes = good;
    for (auto at = bytes.find(from, range.offset); at < range.offset + range.size; at = bytes.find(from, at + 1))
      bytes.replace(at, from.size(), to);
    REQUIRE(bytes != good);
    const std::string stated = *table->key_value(kProofKey), blank = unproved(true, 1);
    REQUIRE(stated.size() == blank.size());
    bytes.replace(bytes.rfind(stated), blank.size(), blank);
    const uint64_t begin = std::min(ranges.columns.offset, ranges.offsets.offset);
    prove(std::as_writable_bytes(std::span(bytes)).subspan(begin), begin);
    std::ofstream(path, std::ios::binary) << bytes;
    const Report report;
    load(shop.out("made")).filter_bbox(boxes()[0]).data();
    CHECK(report.warnings() == "");  // readers believe a proof
    return faults(shop.out("made"));
  };
  // The greatest xmax of the first page.
  float most = -1000;
  const auto cells = read_values(*table->decode(table->find("bbox"), 0));
  for (std::size_t row = 0; row < 8192; ++row) {
    if (cells[row] == Value()) continue;
    for (const auto& [key, value] : std::get<Struct>(cells[row].data)) {
      if (key == "xmax") most = std::max(most, static_cast<float>(std::get<double>(value.data)));
    }
  }
  const auto encoded = [](float value) {
    std::string out(sizeof value, 0);
    std::memcpy(out.data(), &value, sizeof value);
    return out;
  };
  CHECK(has_text(faults_of(ranges.columns, encoded(most), encoded(most - 50)),
                 "SCH-10 the page index of row group 0 is wrong about the bounds of 'bbox'"));
  // The second page of each column begins one row later: 8192 and 8193 as varints.
  CHECK(has_text(faults_of(ranges.offsets, "\x80\x80\x01", "\x82\x80\x01"),
                 "SCH-10 the page index of row group 0 is wrong about column 'id'"));
}

}  // namespace tacore
