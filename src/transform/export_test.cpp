#include <doctest/doctest.h>
#include <stdlib.h>

#include "tacore/transform.hpp"
#include "transform/create_test_files.hpp"

namespace tacore {
namespace {

Strings sorted(Strings lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Two FOLDERs with the same children, with a time each: a/x is of 2020, the others of 2021.
Dataset nested(const Workshop& shop) {
  std::string table = "id,path,istac:time_start\n";
  for (const std::string id : {"b", "a"}) {
    for (const std::string child : {"y", "x"}) {
      shop.add("data/" + id + child, id + child);
      table +=
          id + "/" + child + ",data/" + id + child + (id + child == "ax" ? ",2020" : ",2021") + "-06-01T00:00:00Z\n";
    }
  }
  shop.add("t.csv", table);
  create({Tortilla::from_table(shop.source("t.csv")), collection()}, shop.out("nested.tacozip"));
  return load(shop.out("nested.tacozip"));
}

TEST_CASE("T126, C149: an export has the rows that show, in their order, numbered anew, with their children") {
  const Workshop shop;
  const Dataset some = nested(shop).sql("SELECT *, upper(id) AS name FROM data WHERE id = 'a'");
  for (const std::string name : {"some.tacozip", "some"}) {
    CAPTURE(name);
    CHECK(export_dataset(some, shop.out(name)) == Strings{shop.out(name)});
    const Dataset made = load(shop.out(name));
    CHECK(contents(made.data()) == Strings{"a/y=ay", "a/x=ax"});
    CHECK(column_names(made.level_columns(0)) == Strings{"id", "type", "name"});
    CHECK(values(made.data(), "name") == Strings{"A"});
    CHECK(values(made.data_raw(), "internal:current_id") == Strings{"0"});
    CHECK(values(made.sql("SELECT \"internal:parent_id\" AS p FROM level1").data(), "p") == Strings{"0", "0"});
    CHECK(faults(shop.out(name)) == "");
  }
}

TEST_CASE("T126, C150: the collection says what it was taken from, and describes the samples that are there") {
  const Workshop shop;
  const Dataset all = nested(shop);
  const std::string before = all.collection().json;
  ::setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
  export_dataset(all.sql("SELECT * FROM data LIMIT 1"), shop.out("one.tacozip"), {.id = "one"});
  ::unsetenv("SOURCE_DATE_EPOCH");
  const Collection made = load(shop.out("one.tacozip")).collection();
  CHECK(made.id == "one");
  CHECK(made.json.find("\"taco:subset_of\": \"made\"") != std::string::npos);
  CHECK(made.json.find("\"taco:subset_date\": \"2023-11-14T22:13:20Z\"") != std::string::npos);
  CHECK(made.pit_schema.root_n == 1);
  CHECK(made.pit_schema.hierarchy.at(1)[0].n == 2);
  CHECK(all.collection().json == before);
}

TEST_CASE("T127: __meta__ is what create would write") {
  const Workshop shop;
  const Dataset all = nested(shop);
  export_dataset(all, shop.out("copy.tacozip"));
  const auto before = files_of(shop.out("nested.tacozip")), after = files_of(shop.out("copy.tacozip"));
  for (const auto& [name, bytes] : before) {
    CAPTURE(name);
    if (name != "TACO_HEADER" && name != "COLLECTION.json") CHECK((after.at(name) == bytes));
  }
}

TEST_CASE("children that a filter took away are padded, or refused") {
  const Workshop shop;
  const Dataset some = nested(shop).filter_datetime("2021-01-01/2021-12-31", {.level = 1});
  CHECK(text_of<SchemaError>([&] { export_dataset(some, shop.out("no"), {.strict = true}); }) ==
        "PIT violation: 'a' has 1 children, 2 in 'b' (not 'x')");
  CHECK_FALSE(fs::exists(shop.out("no")));
  export_dataset(some, shop.out("some"));
  const Dataset made = load(shop.out("some"));
  CHECK(contents(made.data()) == Strings{"b/y=by", "b/x=bx", "a/y=ay"});
  CHECK(made.pit_schema().hierarchy.at(1)[0].id == Strings{"y", "x"});
  CHECK(faults(shop.out("some")) == "");
}

TEST_CASE("T128, C149: nothing is written for what is there, what is empty, and rows that are no samples") {
  const Workshop shop;
  const Dataset all = nested(shop);
  const auto refused = [&](const Dataset& view) {
    return text_of<Error>([&] { export_dataset(view, shop.out("no.tacozip")); });
  };
  CHECK(contains(text_of<ValidationError>([&] { export_dataset(all, shop.out("nested.tacozip")); }), "exists already"));
  CHECK(contains(refused(all.sql("SELECT * FROM data WHERE id = 'z'")), "no samples are left"));
  CHECK(contains(refused(all.sql("SELECT d.* FROM data d JOIN level1 c ON c.id = 'x'")), "a query used level1"));
  CHECK(contains(refused(all.sql("SELECT id, type FROM data")), "row 0 lost its place in the dataset"));
  CHECK(contains(refused(all.sql("SELECT * FROM data UNION ALL SELECT * FROM data")), "is there already"));
  CHECK(contains(refused(all.sql("SELECT *, 1 AS \"a b\" FROM data")), "column 'a b' of the query"));
  CHECK(shop.num_made() == 1);
}

TEST_CASE("C150: samples of one id come out under two") {
  const Workshop shop;
  const Dataset all = nested(shop);
  const std::vector<Dataset> same{all.sql("SELECT * FROM data WHERE id = 'a'"), all};
  export_dataset(concat(same), shop.out("both.tacozip"));
  const Dataset made = load(shop.out("both.tacozip"));
  CHECK(contents(made.data()) == Strings{"a/y=ay", "a/x=ax", "b/y=by", "b/x=bx", "a_2/y=ay", "a_2/x=ax"});
  CHECK(made.collection().json.find("\"taco:subset_of\": \"made\"") != std::string::npos);
  CHECK(faults(shop.out("both.tacozip")) == "");
}

TEST_CASE("an index of several ZIPs is exported as one dataset") {
  const Workshop shop;
  const Dataset index = load(golden("cascade_tacocat"));
  export_dataset(index, shop.out("one.tacozip"));
  CHECK(sorted(contents(load(shop.out("one.tacozip")).data())) == sorted(contents(index.data())));
  CHECK(faults(shop.out("one.tacozip")) == "");
}

TEST_CASE("damaged bytes are found when they are copied") {
  const Workshop shop;
  nested(shop);
  const std::string path = shop.out("nested.tacozip");
  std::string bytes = file_text(path);
  bytes[bytes.find("DATA/a/x") + 8] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
  for (const std::string name : {"no.tacozip", "no"}) {
    const auto said = text_of<FormatError>([&] { export_dataset(load(path), shop.out(name)); });
    CHECK(contains(said, "damaged: 2 bytes have CRC-32 "));
    CHECK(contains(said, "nested.tacozip"));
  }
  CHECK(shop.num_made() == 1);
}

TEST_CASE("T125: a dataset that becomes a FOLDER and a ZIP again is the same") {
  const Workshop shop;
  for (const std::string name : {"nested_padded", "permuted_offsets", "six_levels", "flat_padded", "mixed_level1"}) {
    CAPTURE(name);
    const std::string zip = golden(name + ".tacozip"), folder = shop.out(name), again = shop.out(name + ".zip");
    zip2folder(zip, folder);
    folder2zip(folder, again);
    CHECK(contents(load(folder).data()) == contents(load(zip).data()));
    CHECK(contents(load(again).data()) == contents(load(zip).data()));
    const auto a = load(zip).collection(), b = load(again).collection();
    CHECK(a.pit_schema.root_n == b.pit_schema.root_n);
    CHECK(b.json.find("subset") == std::string::npos);
    CHECK(faults(again) == "");
    for (const auto& [file, bytes] : files_of(zip)) {
      if (file.starts_with("DATA/") && !file.ends_with("__meta__")) CHECK((files_of(again).at(file) == bytes));
    }
  }
}

TEST_CASE("convert refuses an index, the same kind again, and names that are of the wrong kind") {
  const Workshop shop;
  const auto said = [](const auto& body) { return text_of<Error>(body); };
  CHECK(contains(said([&] { convert(golden("cascade_tacocat"), shop.out("x.tacozip")); }), "is an index of datasets"));
  CHECK(contains(said([&] { convert(golden("nested"), shop.out("x")); }), "is a FOLDER already"));
  CHECK(contains(said([&] { convert(golden("nested.tacozip"), shop.out("x.zip")); }), "is a ZIP already"));
  CHECK(contains(said([&] { zip2folder(golden("nested.tacozip"), shop.out("x.zip")); }), "is the name of a ZIP"));
  CHECK(contains(said([&] { folder2zip(golden("nested"), shop.out("x")); }), "is the name of a folder"));
  CHECK(contains(said([&] { zip2folder(golden("nested"), shop.out("x")); }), "is a FOLDER already"));
  CHECK(contains(said([&] { convert(golden("uneven_children.tacozip"), shop.out("x")); }),
                 "; export fills in what is missing"));
  CHECK(shop.num_made() == 0);
}

}  // namespace
}  // namespace tacore
