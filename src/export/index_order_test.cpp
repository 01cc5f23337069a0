#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "base/text.hpp"
#include "container/child_rows.hpp"
#include "dataset/open_container.hpp"
#include "net/storage.hpp"
#include "support/create_files.hpp"
#include "support/places.hpp"
#include "support/table_files.hpp"
#include "table/edit_columns.hpp"
#include "table/row_order.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/export.hpp"

// An index whose samples are in an order of their own. What its ZIPs hold is known from what was put into them, and all
// answers are those of the index that has the samples ZIP by ZIP.
namespace tacore {
namespace {

constexpr int64_t kRowsOfGroup = 1000;

std::string id_of(std::size_t number) { return "s" + std::to_string(number); }

std::vector<MetadataField> metadata_of(const Place& place, std::size_t number) {
  std::vector<MetadataField> out{{"istac:geometry", Binary{wkb_of(place)}}, {"number", static_cast<int64_t>(number)}};
  out.push_back({"stac:time_start", Timestamp::parse("2020-01-" + std::string(number % 28 < 9 ? "0" : "") +
                                                     std::to_string(number % 28 + 1) + "T00:00:00Z")});
  return out;
}

/// The ZIPs of `samples`, each sample in one at random.
Strings zips_of(const Workshop& shop, std::vector<Sample> samples, std::size_t num_zips) {
  std::mt19937 random(3);
  std::vector<std::vector<Sample>> parts(num_zips);
  for (auto& sample : samples) parts[random() % num_zips].push_back(std::move(sample));
  Strings out;
  for (std::size_t k = 0; k < num_zips; ++k)
    out.push_back(
        create({Tortilla(std::move(parts[k])), collection()}, shop.out("part" + std::to_string(k) + ".tacozip")).at(0));
  return out;
}

std::vector<Sample> files_at(const std::vector<Place>& all) {
  std::vector<Sample> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out.emplace_back(id_of(i), to_bytes("bytes of " + id_of(i)), metadata_of(all[i], i));
  return out;
}

/// FOLDERs with two FILEs, and a FOLDER of one.
std::vector<Sample> folders_at(const std::vector<Place>& all) {
  std::vector<Sample> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = id_of(i);
    const auto file = [&](const std::string& id) {
      return Sample(id, to_bytes(name + "/" + id), std::vector<MetadataField>{{"band", id}});
    };
    std::vector<Sample> children{file("red"), file("blue")};
    children.emplace_back("more", Tortilla({file("dem")}), std::vector<MetadataField>{{"band", {}}});
    out.emplace_back(name, Tortilla(std::move(children)), metadata_of(all[i], i));
  }
  return out;
}

std::shared_ptr<const Container> container_of(const std::string& index) {
  const auto storage = any_storage();
  return open_container(storage, detect(*storage, index), index, "");
}

/// The number of samples whose children are found without reading their `__meta__`.
int num_computed(const Container& container) {
  int out = 0;
  for (int64_t row = 0; row < container.stored_level(0)->num_rows(); ++row)
    out += computed_children(container, 0, row).has_value();
  return out;
}

}  // namespace

TEST_CASE("an index in Hilbert order: the samples of a box from few pages, and all bytes, however they are spread") {
  const Workshop shop = Workshop::in_memory();
  const auto all = places(12000);
  const Strings zips = zips_of(shop, files_at(all), 5);
  create({Tortilla(files_at(all)), collection()}, shop.out("whole.tacozip"), {.order = "hilbert"});
  const auto places_of = [&](const Strings& names) {
    std::vector<uint64_t> out;
    for (const auto& name : names) {
      const Place& place = all[static_cast<std::size_t>(std::stoi(name.substr(1)))];
      out.push_back(hilbert_position(place.lon, place.lat));
    }
    return out;
  };
  for (const bool single_file : {false, true}) {
    CAPTURE(single_file);
    const std::string index = create_tacocat(zips, {.single_file = single_file,
                                                    .order = "hilbert",
                                                    .overwrite = true,
                                                    .parquet = {.row_group_size = kRowsOfGroup}});
    const Dataset dataset = load(index);
    const DataFrame rows = dataset.data();
    CHECK(faults(index) == "");
    // The order is that in which create() writes the same samples, but for those of one place.
    const Strings names = ids(rows);
    CHECK(places_of(names) == places_of(ids(load(shop.out("whole.tacozip")).data())));
    for (int64_t row = 0; row < rows.num_rows(); row += 7) {
      const std::vector<int64_t> one{row};
      CHECK(to_text(rows.read_bytes(std::span(one)).at(0)) == "bytes of " + names[static_cast<std::size_t>(row)]);
    }
    const Report report;
    for (const BBox& box : boxes()) {
      Strings expected;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (meets(all[i], box)) expected.push_back(id_of(i));
      }
      CHECK(sorted(ids(dataset.filter_bbox(box).data())) == sorted(expected));
    }
    CHECK(report.has(LogLevel::Info, "reads 2000 of 12000 rows"));
  }
}

TEST_CASE("an index in the order of time") {
  const Workshop shop = Workshop::in_memory();
  const auto all = places(300);
  const Strings zips = zips_of(shop, files_at(all), 4);
  const std::string index = create_tacocat(zips, {.order = "time"});
  const DataFrame rows = load(index).data();
  CHECK(std::ranges::is_sorted(values(rows, "stac:time_start")));
  CHECK(sorted(ids(rows)) == sorted(ids(load(create_tacocat(zips, {.overwrite = true})).data())));
  CHECK(load(index).collection().field_schema.at("level0").back().name != "bbox");
}

TEST_CASE("trees of an index in an order of its own are those of its ZIPs, found without their __meta__") {
  const Workshop shop = Workshop::in_memory();
  const auto all = places(500);
  // More ZIPs than are open at a time.
  const Strings zips = zips_of(shop, folders_at(all), 70);
  const Strings expected = sorted(contents(load(create_tacocat(zips)).data()));
  REQUIRE(expected.size() == 1500);
  const auto join_of = [](const Dataset& dataset) {
    return sorted(
        values(dataset
                   .sql("SELECT d.id || c.band AS id FROM data d JOIN level1 c ON c.\"internal:parent_id\" = "
                        "d.\"internal:current_id\" AND c.\"internal:source_file\" = d.\"internal:source_file\" "
                        "WHERE d.number % 3 = 0")
                   .data_raw(),
               "id"));
  };
  const Strings joined = join_of(load(shop.out(".tacocat")));
  const std::string index = create_tacocat(zips, {.order = "hilbert", .overwrite = true});
  CHECK(faults(index) == "");
  CHECK(sorted(contents(load(index).data())) == expected);
  CHECK(num_computed(*container_of(index)) == 500);
  CHECK(join_of(load(index)) == joined);
  const Dataset some = load(index).filter_bbox({-60, -60, 60, 60});
  REQUIRE(some.data().num_rows() > 20);
  CHECK(sorted(contents(some.data())) == sorted([&] {
          Strings out;
          for (const auto& line : expected) {
            const auto number = static_cast<std::size_t>(std::stoi(line.substr(1)));
            if (meets(all[number], {-60, -60, 60, 60})) out.push_back(line);
          }
          return out;
        }()));
  export_dataset(some, shop.out("some.tacozip"));
  CHECK(contents(load(shop.out("some.tacozip")).data()) == contents(some.data()));
  CHECK(faults(shop.out("some.tacozip")) == "");
}

TEST_CASE("stale offsets are repaired, whatever the order of the ZIPs, of which few are open at a time") {
  const Workshop shop = Workshop::in_memory();
  const Strings zips = zips_of(shop, files_at(places(3000)), 150);
  const std::string index = create_tacocat(zips, {.order = "hilbert"});
  const Strings expected = contents(load(index).data());
  const std::string path = index + "/level0.parquet";
  const auto table = table_at(path);
  std::vector<std::optional<int64_t>> offsets;
  for (int64_t row = 0; row < table->num_rows(); ++row)
    offsets.emplace_back(table->integer(table->find("internal:offset"), row).value_or(0) + 1);
  const auto wrong = with_integers(*table, {{"internal:offset", std::move(offsets)}});
  std::ofstream(path, std::ios::binary) << to_text(encode_parquet(*whole_table(*wrong)));
  const Report report;
  const auto repaired = container_of(index)->level(0);
  CHECK(report.has(LogLevel::Warning, "internal:offset is permuted or stale"));
  for (int64_t row = 0; row < table->num_rows(); ++row)
    CHECK(repaired->integer(repaired->find("internal:offset"), row) ==
          table->integer(table->find("internal:offset"), row));
  CHECK(contents(load(index).data()) == expected);
}

TEST_CASE("numbers that an index states of its rows are believed only where the paths of the children prove them") {
  const Workshop shop = Workshop::in_memory();
  const Strings zips = zips_of(shop, folders_at(places(60)), 2);
  const std::string index = create_tacocat(zips, {.order = "hilbert"});
  const Strings expected = sorted(contents(load(index).data()));
  const std::string path = index + "/level0.parquet";
  const auto table = table_at(path);
  const int source = table->find("internal:source_file"), current = table->find("internal:current_id");
  // Two samples of one ZIP exchange their numbers.
  std::vector<std::optional<int64_t>> numbers;
  std::vector<std::size_t> rows;
  for (int64_t row = 0; row < table->num_rows(); ++row) {
    numbers.push_back(table->integer(current, row));
    if (table->text(source, row) == "part0.tacozip") rows.push_back(static_cast<std::size_t>(row));
  }
  std::swap(numbers[rows[3]], numbers[rows[8]]);
  const auto lying = with_integers(*table, {{"internal:current_id", std::move(numbers)}});
  std::ofstream(path, std::ios::binary) << to_text(encode_parquet(*whole_table(*lying)));
  CHECK(num_computed(*container_of(index)) == 58);
  CHECK(sorted(contents(load(index).data())) == expected);
  // The numbers of the rows are those of the index.
  for (const std::size_t row : {rows[3], rows[8]}) {
    const std::string id = table->text(table->find("id"), static_cast<int64_t>(row)).value();
    CHECK(has_text(faults(index), "CAT-5 row " + std::to_string(row) + " is FOLDER '" + id + "'"));
  }
}

TEST_CASE("an order that an index cannot have is refused before anything is written") {
  const Workshop shop;
  fs::copy_file(golden("no_current_id.tacozip"), shop.out("old.tacozip"));
  CHECK(has_text(text_of<ValidationError>([&] { create_tacocat({shop.out("old.tacozip")}, {.order = "hilbert"}); }),
                 "order 'hilbert': the inputs have no internal:current_id"));
  CHECK(has_text(text_of<ValidationError>([&] { create_tacocat({shop.out("old.tacozip")}, {.order = "place"}); }),
                 "order 'place'; hilbert or time expected"));
  CHECK(shop.num_made() == 1);
  const Strings zips = zips_of(shop, files_at(places(40)), 2);
  // Cancelled when all rows were read, and the first ones are to be put in order.
  TacocatOptions cancelled{.order = "hilbert"};
  uint64_t last = 0;
  cancelled.task.user = &last;
  cancelled.task.progress = [](uint64_t num_done, uint64_t num_total, void* user) {
    CHECK(num_done >= *static_cast<uint64_t*>(user));
    *static_cast<uint64_t*>(user) = num_done;
    return num_done <= num_total / 2;
  };
  CHECK(has_text(text_of<IoError>([&] { create_tacocat(zips, cancelled); }), "/.tacocat: stopped"));
  CHECK(last > 0);
  CHECK(shop.num_made() == 3);
}

}  // namespace tacore
