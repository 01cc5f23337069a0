#include "table/id_index.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "base/text.hpp"
#include "model/wkb_centroid.hpp"
#include "support/create_files.hpp"
#include "support/table_files.hpp"
#include "table/edit_columns.hpp"
#include "table/parquet_proof.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/export.hpp"

// The id index: whatever a table says of its ids, a query gives the rows that a loop over the numbers gives.
namespace tacore {
namespace {

constexpr int kNumSamples = 21000;

/// Not in the order of the table, so that no bounds of ids tell anything.
std::string name_of(int number) { return "s" + std::to_string((number * 7919) % 100003); }

Taco taco_of(int num_samples, int first = 0) {
  std::vector<Sample> samples;
  for (int i = first; i < first + num_samples; ++i)
    samples.emplace_back(
        name_of(i), to_bytes(name_of(i)),
        std::vector<MetadataField>{{"number", static_cast<int64_t>(i)},
                                   {"istac:geometry", Binary{wkb_point(i % 360 - 180, i % 170 - 85)}}});
  return {Tortilla(std::move(samples)), collection()};
}

CreateOptions indexed(bool covering = false) {
  return {.output = {.parquet = {.row_group_size = 10000, .covering = covering, .id_index = true}}};
}

std::string quoted(int number) { return sql_literal(name_of(number)); }

/// Checks queries of ids against the numbers they must have; returns the log.
std::string check_ids(const Dataset& dataset) {
  const Report report;
  const auto numbers = [&](const std::string& condition) {
    return join(values(dataset.sql("SELECT * FROM data WHERE " + condition).data(), "number"), " ");
  };
  for (const int i : {0, 1, 8191, 8192, 9999, 10000, 20000, kNumSamples - 1}) {
    CAPTURE(i);
    const std::string number = std::to_string(i);
    CHECK(numbers("id = " + quoted(i)) == number);
    CHECK(numbers(quoted(i) + " = \"ID\" AND number >= 0") == number);
    CHECK(numbers("id = " + quoted(i) + " AND number < 0").empty());
    CHECK(to_text(dataset.data().read_bytes(name_of(i))) == name_of(i));
    CHECK(to_text(dataset.sql("SELECT * FROM data WHERE id = " + quoted(i)).data().read_bytes(0)) == name_of(i));
  }
  CHECK(numbers("id = 'nothing'").empty());
  CHECK_THROWS_AS((void)dataset.data().read_bytes("nothing"), NavigationError);
  CHECK(numbers("id IN (" + quoted(7) + ", " + quoted(16000) + ", 'nothing')") == "7 16000");
  CHECK(numbers("id = " + quoted(16000) + " OR (id = " + quoted(7) + " AND number = 7)") == "7 16000");
  CHECK(numbers("id = " + quoted(7) + " AND id = " + quoted(16000)).empty());
  // Conditions that let other rows through.
  CHECK(numbers("(id = " + quoted(7) + " OR number = 12345) AND true") == "7 12345");
  CHECK(numbers("NOT (id <> " + quoted(7) + ")") == "7");
  CHECK(values(dataset.sql("SELECT count(*) n FROM data WHERE NOT id = " + quoted(7)).data(), "n") ==
        Strings{std::to_string(kNumSamples - 1)});
  CHECK(values(dataset.sql("SELECT (SELECT count(*) FROM data) n FROM data WHERE id = " + quoted(7)).data(), "n") ==
        Strings{std::to_string(kNumSamples)});
  CHECK(values(dataset.sql("SELECT (SELECT max(number) FROM level0) n FROM data WHERE id = " + quoted(7)).data(),
               "n") == Strings{std::to_string(kNumSamples - 1)});
  CHECK(values(dataset.sql("SELECT * FROM (SELECT count(*) AS n FROM data) WHERE n > 0").data(), "n") ==
        Strings{std::to_string(kNumSamples)});
  CHECK(values(dataset.sql("SELECT a.number FROM data a, data b WHERE a.number = b.number + 1 AND b.id = " + quoted(7))
                   .data(),
               "number") == Strings{"8"});
  CHECK(values(dataset.sql("SELECT number, 'nothing' AS id FROM data WHERE id = " + quoted(7)).data(), "number") ==
        Strings{"7"});
  // Steps before and behind.
  const Dataset one = dataset.sql("SELECT * FROM data WHERE id IN (" + quoted(7) + ", " + quoted(9000) + ")");
  CHECK(join(values(one.sort("number", true).data(), "number"), " ") == "9000 7");
  CHECK(values(one.filter_bbox({-180, -90, 180, 90}).limit(1).data(), "number") == Strings{"7"});
  CHECK(values(dataset.filter_bbox({-173.5, -78.5, -172.5, -77.5})
                   .sort("number")
                   .sql("SELECT * FROM data WHERE id = " + quoted(7))
                   .data(),
               "number") == Strings{"7"});
  CHECK(dataset.limit(5).sql("SELECT * FROM data WHERE id = " + quoted(7)).data().num_rows() == 0);
  std::string out;
  for (const auto& [at, text] : report.all) out += text + "\n";
  return out;
}

bool has_index(const std::string& path) { return table_at(path)->has_id_index(); }

}  // namespace

TEST_CASE("samples are found by their ids in every container with an id index") {
  const Workshop shop = Workshop::in_memory();
  for (const bool covering : {false, true}) {
    CAPTURE(covering);
    for (const char* name : {"made.tacozip", "made"}) {
      CAPTURE(name);
      const std::string path = shop.out(std::string(covering ? "c_" : "") + name);
      create(taco_of(kNumSamples), path, indexed(covering));
      CHECK(has_text(check_ids(load(path)), "by the id index"));
    }
  }
  create(taco_of(kNumSamples), shop.out("plain.tacozip"), {});
  CHECK(!has_text(check_ids(load(shop.out("plain.tacozip"))), "by the id index"));
}

TEST_CASE("samples are found by their ids in an index of several ZIPs, and in a union") {
  const Workshop shop = Workshop::in_memory();
  create(taco_of(12000), shop.out("a.tacozip"), indexed());
  create(taco_of(9000, 12000), shop.out("b.tacozip"), indexed());
  const Strings parts{shop.out("a.tacozip"), shop.out("b.tacozip")};
  CHECK(has_text(check_ids(concat(std::vector{load(parts[0]), load(parts[1])})), "by the id index"));
  const std::string index = create_tacocat(parts, {.parquet = {.row_group_size = 5000, .id_index = true}});
  CHECK(has_index(index + "/level0.parquet"));
  CHECK(has_text(check_ids(load(index)), "by the id index"));
}

TEST_CASE("level 0 alone has an id index, which an edit and a conversion keep") {
  const Workshop shop = Workshop::in_memory();
  std::vector<Sample> samples;
  for (const char* id : {"a", "b"})
    samples.emplace_back(id, Tortilla({Sample("x", to_bytes("x")), Sample("y", to_bytes(id))}));
  create({Tortilla(samples), collection()}, shop.out("made"), indexed());
  const auto level = [&](int number) { return shop.out("made/METADATA/level" + std::to_string(number) + ".parquet"); };
  CHECK(has_index(level(0)));
  CHECK(!has_index(level(1)));
  convert(shop.out("made"), shop.out("made.tacozip"));
  convert(shop.out("made.tacozip"), shop.out("again"));
  CHECK(has_index(shop.out("again/METADATA/level0.parquet")));
  CHECK(!has_index(shop.out("again/METADATA/level1.parquet")));
  const std::string index = create_tacocat({shop.out("made.tacozip")}, {.parquet = {.id_index = true}});
  CHECK(has_index(index + "/level0.parquet"));
  CHECK(!has_index(index + "/level1.parquet"));
  shop.add("new.csv", "id,note\na,first\nb,second\n");
  edit(shop.out("made"), {.columns = {shop.source("new.csv")}}, {});
  CHECK(has_index(level(0)));
  CHECK(values(load(shop.out("made")).sql("SELECT * FROM data WHERE id = 'b'").data(), "note") == Strings{"second"});
}

TEST_CASE("an id index of other ids, or a damaged one, gives the rows of a loop and a warning") {
  const Workshop shop = Workshop::in_memory();
  create(taco_of(kNumSamples), shop.out("made"), indexed());
  const std::string path = shop.out("made/METADATA/level0.parquet"), good = file_text(path);
  const auto put = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return load(shop.out("made"));
  };
  const auto level = table_at(path);
  const auto index = IdIndex::parse(*level->key_value(kIdsKey));
  SUBCASE("rewritten in another order with all keys of its footer") {
    auto table = whole_table(*level);
    table = check(arrow::ConcatenateTables({table->Slice(9000), table->Slice(0, 9000)}));
    for (const bool has_proof : {true, false}) {
      std::map<std::string, std::string> keys{{kIdsKey, *level->key_value(kIdsKey)}};
      if (has_proof) keys[kProofKey] = *level->key_value(kProofKey);
      const Dataset dataset = put(to_text(encode_parquet(*table, {.row_group_size = 10000}, keys)));
      const Report report;
      CHECK(values(dataset.sql("SELECT * FROM data WHERE id = " + quoted(12345)).data(), "number") == Strings{"12345"});
      CHECK(has_text(report.warnings(), "its footer is not the one that was proved") == has_proof);
    }
  }
  SUBCASE("a byte changed in its bucket") {
    std::string bad = good;
    bad[index.bucket_of(hash_of_id(name_of(7))).offset + 100] ^= 1;
    const std::string read = check_ids(put(bad));
    CHECK(has_text(read, "its id index is damaged, or of another index; it is not used, and all rows are read"));
  }
  SUBCASE("the buckets of another table in their place") {
    create(taco_of(kNumSamples, 1), shop.out("other"), indexed());
    const std::string other = shop.out("other/METADATA/level0.parquet");
    const auto from = IdIndex::parse(*table_at(other)->key_value(kIdsKey));
    const std::size_t size = std::min(from.bucket_size, index.bucket_size) << index.bucket_bits;
    std::string bad = good;
    bad.replace(index.offset, size, file_text(other).substr(from.offset, size));
    CHECK(has_text(check_ids(put(bad)), "damaged, or of another index"));
  }
  SUBCASE("the key changed, or the index outside of the file") {
    const std::string key = *level->key_value(kIdsKey);
    for (const char to : {'2', '9'}) {
      std::string bad = good;
      bad[good.rfind(key) + 2] = to;
      const Report report;
      CHECK(values(put(bad).sql("SELECT * FROM data WHERE id = " + quoted(7)).data(), "number") == Strings{"7"});
      CHECK((key[2] == to || has_text(report.warnings(), "its footer is not the one that was proved")));
    }
  }
  put(good);
}

TEST_CASE("a deep check finds an id or a bounding box that was changed in place, which no proof covers") {
  const Workshop shop = Workshop::in_memory();
  CreateOptions options = indexed(true);
  options.output.parquet.compression = "none";
  create(taco_of(kNumSamples), shop.out("made"), options);
  CHECK(faults(shop.out("made")) == "");
  const std::string path = shop.out("made/METADATA/level0.parquet"), good = file_text(path);
  const auto faults_of_changed = [&](std::size_t at) {
    std::string bad = good;
    bad[at] ^= 1;
    std::ofstream(path, std::ios::binary) << bad;
    return faults(shop.out("made"));
  };
  const auto level = table_at(path);
  const int boxes = level->stored_schema()->GetFieldIndex("bbox");
  const ByteRange south = level->stored_ranges(std::vector{boxes}, 1)[1];
  CHECK(has_text(faults_of_changed(good.rfind(name_of(20000)) + 1), "SCH-10 the id index is not that of the ids"));
  const std::string found = faults_of_changed(south.offset + south.size / 2);
  CHECK(has_text(found, "SCH-10 the bounding box of row 1"));
  CHECK(has_text(found, " in 'bbox' is not that of its 'istac:geometry'"));
}

}  // namespace tacore
