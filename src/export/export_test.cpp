#include "tacore/ops/export.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <functional>

#include "dataset/dataset_impl.hpp"
#include "support/counting.hpp"
#include "support/create_files.hpp"
#include "support/read_count.hpp"
#include "support/support.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/v1/convert.hpp"
#include "tacore/v1/create.hpp"

namespace tacore {
namespace {

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

TEST_CASE("an export has the visible rows in their order, renumbered, with their children") {
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

TEST_CASE("an export follows sort, limit and with_column, in the order of the calls") {
  const Workshop shop;
  const Dataset all = nested(shop).with_column("name", "upper(id)");
  const auto exported = [&](const Dataset& some, const std::string& name) {
    return contents(load(export_dataset(some, shop.out(name)).front()).data());
  };
  CHECK(exported(all.sort("id"), "sorted.tacozip") == Strings{"a/y=ay", "a/x=ax", "b/y=by", "b/x=bx"});
  CHECK(exported(all.sort("l0:name").limit(1), "first.tacozip") == Strings{"a/y=ay", "a/x=ax"});
  CHECK(exported(all.limit(1).sort("id"), "other") == Strings{"b/y=by", "b/x=bx"});
  CHECK(exported(all.sort("l1:istac:time_start"), "deeper") == Strings{"a/y=ay", "a/x=ax", "b/y=by", "b/x=bx"});
  CHECK(values(load(shop.out("first.tacozip")).data(), "name") == Strings{"A"});
}

TEST_CASE("the collection of an export names its source and describes the exported samples") {
  const Workshop shop;
  const Dataset all = nested(shop);
  const std::string before = all.collection().json;
  ::setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
  export_dataset(all.sql("SELECT * FROM data LIMIT 1"), shop.out("one.tacozip"), {.id = "one"});
  ::unsetenv("SOURCE_DATE_EPOCH");
  const Collection made = load(shop.out("one.tacozip")).collection();
  CHECK(made.id == "one");
  CHECK(has_text(made.json, "\"taco:subset_of\": \"made\""));
  CHECK(has_text(made.json, "\"taco:subset_date\": \"2023-11-14T22:13:20Z\""));
  CHECK(made.pit_schema.root_n == 1);
  CHECK(made.pit_schema.hierarchy.at(1)[0].n == 2);
  CHECK(all.collection().json == before);
}

TEST_CASE("__meta__ of an export equals the one that create writes") {
  const Workshop shop;
  const Dataset all = nested(shop);
  export_dataset(all, shop.out("copy.tacozip"));
  const auto before = files_of(shop.out("nested.tacozip")), after = files_of(shop.out("copy.tacozip"));
  for (const auto& [name, bytes] : before) {
    CAPTURE(name);
    if (name != "TACO_HEADER" && name != "COLLECTION.json") CHECK((after.at(name) == bytes));
  }
}

TEST_CASE("filtered-out children are padded, or refused") {
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

TEST_CASE("an existing output, an empty view and rows that are not samples are refused") {
  const Workshop shop;
  const Dataset all = nested(shop);
  const auto refused = [&](const Dataset& view) {
    return text_of<Error>([&] { export_dataset(view, shop.out("no.tacozip")); });
  };
  CHECK(has_text(text_of<ValidationError>([&] { export_dataset(all, shop.out("nested.tacozip")); }),
                 "which is an input"));
  CHECK(has_text(refused(all.sql("SELECT * FROM data WHERE id = 'z'")), "no samples are left"));
  CHECK(has_text(refused(all.sql("SELECT d.* FROM data d JOIN level1 c ON c.id = 'x'")), "a query used level 1"));
  CHECK(has_text(refused(all.sql("SELECT id, type FROM data")), "row 0 cannot be traced to its sample"));
  CHECK(has_text(refused(all.sql("SELECT * FROM data UNION ALL SELECT * FROM data")), "is a sample that occurs twice"));
  CHECK(has_text(refused(all.sql("SELECT *, 1 AS \"a b\" FROM data")), "column 'a b' of the query"));
  CHECK(shop.num_made() == 1);
}

TEST_CASE("samples that share an id are exported under distinct ids") {
  const Workshop shop;
  const Dataset all = nested(shop);
  const std::vector<Dataset> same{all.sql("SELECT * FROM data WHERE id = 'a'"), all};
  export_dataset(concat(same), shop.out("both.tacozip"));
  const Dataset made = load(shop.out("both.tacozip"));
  CHECK(contents(made.data()) == Strings{"a/y=ay", "a/x=ax", "b/y=by", "b/x=bx", "a_2/y=ay", "a_2/x=ax"});
  CHECK(has_text(made.collection().json, "\"taco:subset_of\": \"made\""));
  CHECK(faults(shop.out("both.tacozip")) == "");
}

TEST_CASE("an index of several ZIPs is exported as one dataset") {
  const Workshop shop;
  const Dataset index = load(golden("cascade_tacocat"));
  export_dataset(index, shop.out("one.tacozip"));
  CHECK(sorted(contents(load(shop.out("one.tacozip")).data())) == sorted(contents(index.data())));
  CHECK(faults(shop.out("one.tacozip")) == "");
}

TEST_CASE("damaged bytes are detected while they are copied") {
  const Workshop shop;
  nested(shop);
  const std::string path = shop.out("nested.tacozip");
  std::string bytes = file_text(path);
  bytes[bytes.find("DATA/a/x") + 8] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
  for (const std::string name : {"no.tacozip", "no"}) {
    const auto said = text_of<FormatError>([&] { export_dataset(load(path), shop.out(name)); });
    CHECK(has_text(said, "sample 'a/x' is damaged: 2 bytes have CRC-32 "));
    CHECK(has_text(said, "nested.tacozip"));
  }
  CHECK(shop.num_made() == 1);
}

/// `count` samples s1000, s1001 and so on, of `size` bytes each, in one ZIP.
std::string make_flat(const Workshop& shop, int count, std::size_t size) {
  for (int i = 0; i < count; ++i) {
    const std::string id = "s" + std::to_string(1000 + i);
    std::string bytes = id;
    while (bytes.size() < size) bytes += bytes;
    shop.add(id, bytes.substr(0, size));
  }
  create({shop.tree(), collection()}, shop.out("flat.tacozip"));
  return shop.out("flat.tacozip");
}

TEST_CASE("adjacent samples of a local ZIP are read together with their local file headers") {
  const Workshop shop;
  const std::string path = make_flat(shop, 2000, 300);
  const Dataset all = load(path);
  const Dataset half = all.sql("SELECT * FROM data WHERE id LIKE '%0' OR id LIKE '%2' OR id LIKE '%5' OR id LIKE '%7'");
  const Dataset turned = all.sql("SELECT * FROM data ORDER BY id DESC");
  int i = 0;
  for (const Dataset& some : {all, half, turned}) {
    CAPTURE(i);
    const std::string to = shop.out("out" + std::to_string(i++) + ".tacozip");
    some.data();
    const uint64_t before = num_system_reads();
    export_dataset(some, to);
    CHECK(num_system_reads() - before < 200);
    CHECK(contents(load(to).data()) == contents(some.data()));
    CHECK(faults(to) == "");
  }
  const uint64_t before = num_system_reads();
  zip2folder(path, shop.out("folder"));
  CHECK(num_system_reads() - before < 200);
  CHECK(contents(load(shop.out("folder")).data()) == contents(all.data()));
}

TEST_CASE("few samples of a large ZIP are located without reading its central directory") {
  const Workshop shop;
  const Dataset all = load(make_flat(shop, 2000, 300));
  const auto bytes_read = [&](const std::string& where, const std::string& to) {
    const auto storage = std::make_shared<CountingStorage>();
    export_dataset(load(shop.out("flat.tacozip"), {}, storage).sql("SELECT * FROM data WHERE " + where), shop.out(to));
    return storage->num_bytes("flat.tacozip");
  };
  const uint64_t directory = 2000 * (zip::kCentralHeaderSize + std::string("DATA/s1000").size());
  CHECK(bytes_read("id < 's1003'", "few.tacozip") < directory);
  CHECK(bytes_read("id < 's1500'", "many.tacozip") > directory);
  CHECK(contents(load(shop.out("few.tacozip")).data()).size() == 3);
  CHECK(contents(load(shop.out("many.tacozip")).data()).size() == 500);
}

TEST_CASE("offsets of nested samples are verified level by level, not one by one") {
  const Workshop shop;
  std::string table = "id,path\n";
  for (int i = 0; i < 500; ++i) {
    const std::string id = "f" + std::to_string(1000 + i);
    for (const std::string child : {"/x", "/y"}) {
      shop.add("data/" + id + child, id + child);
      table += id + child + ",data/" + id + child + "\n";
    }
  }
  shop.add("t.csv", table);
  create({Tortilla::from_table(shop.source("t.csv")), collection()}, shop.out("all.tacozip"));
  const Dataset all = load(shop.out("all.tacozip"));
  const uint64_t before = num_system_reads();
  export_dataset(all, shop.out("copy.tacozip"));
  CHECK(num_system_reads() - before < 200);
  CHECK(contents(load(shop.out("copy.tacozip")).data()) == contents(all.data()));
  CHECK(faults(shop.out("copy.tacozip")) == "");
}

/// The record of `name` in the directory of an archive, and what lies at an offset in it (APPNOTE 4.3.12).
constexpr uint64_t kCrc32InRecord = 16, kOffsetInRecord = 42, kCrc32InLocalHeader = 14;
zip::CentralEntry entry_of(const std::string& archive, const std::string& name) {
  for (const auto& entry : zip_entries(archive))
    if (entry.name == name) return entry;
  throw std::runtime_error("no entry " + name);
}

TEST_CASE("the CRC-32 of the central directory is copied into both headers and verified against the bytes (§7.1.4)") {
  const Workshop shop;
  nested(shop);
  const std::string whole = file_text(shop.out("nested.tacozip"));
  const auto x = entry_of(whole, "DATA/a/x"), y = entry_of(whole, "DATA/a/y");
  const auto exported = [&](const std::string& bytes) {
    std::ofstream(shop.out("source.tacozip"), std::ios::binary) << bytes;
    return text_of<FormatError>([&] {
      export_dataset(load(shop.out("source.tacozip")), shop.out("copy.tacozip"),
                     {.create = {.output = {.overwrite = true}}});
    });
  };
  CHECK(exported(whole) == "");
  const std::string copy = file_text(shop.out("copy.tacozip"));
  for (const auto& entry : zip_entries(whole)) {
    if (!entry.name.starts_with("DATA/") || entry.name.ends_with("__meta__")) continue;
    CAPTURE(entry.name);
    const auto made = entry_of(copy, entry.name);
    CHECK(made.crc32 == entry.crc32);
    CHECK(zip::parse_local_header(std::as_bytes(std::span(copy)).subspan(made.local_offset), 0).crc32 == entry.crc32);
  }
  fs::remove(shop.out("copy.tacozip"));

  std::string lies = whole;  // of one sample, in the directory alone
  lies[x.record_offset + kCrc32InRecord] ^= 1;
  CHECK(has_text(exported(lies), "source.tacozip"));
  CHECK(has_text(exported(lies), "sample 'a/x' is damaged: 2 bytes have CRC-32 " + std::to_string(x.crc32) +
                                     ", its ZIP says " + std::to_string(x.crc32 ^ 1)));
  std::string swapped = whole;  // those of two samples
  swapped.replace(x.record_offset + kCrc32InRecord, 4, whole, y.record_offset + kCrc32InRecord, 4);
  swapped.replace(y.record_offset + kCrc32InRecord, 4, whole, x.record_offset + kCrc32InRecord, 4);
  CHECK(has_text(exported(swapped), "its ZIP says " + std::to_string(x.crc32)));
  std::string moved = whole;  // the places of two samples, of one size
  moved.replace(x.record_offset + kOffsetInRecord, 4, whole, y.record_offset + kOffsetInRecord, 4);
  moved.replace(y.record_offset + kOffsetInRecord, 4, whole, x.record_offset + kOffsetInRecord, 4);
  CHECK(has_text(exported(moved), "is damaged: 2 bytes have CRC-32 "));
  CHECK_FALSE(fs::exists(shop.out("copy.tacozip")));

  std::string local = whole;  // what no reader of ZIPs believes
  local[x.local_offset + kCrc32InLocalHeader] ^= 1;
  CHECK(exported(local) == "");
  CHECK(faults(shop.out("copy.tacozip")) == "");
}

TEST_CASE("a large sample gets its CRC-32 from the central directory and is verified against it") {
  const Workshop shop;
  shop.add("large", std::string(3'000'000, 'x') + "end");
  create({shop.tree(), collection()}, shop.out("all.tacozip"));
  std::string bytes = file_text(shop.out("all.tacozip"));
  export_dataset(load(shop.out("all.tacozip")), shop.out("copy.tacozip"));
  CHECK(entry_of(file_text(shop.out("copy.tacozip")), "DATA/large").crc32 == entry_of(bytes, "DATA/large").crc32);
  CHECK(faults(shop.out("copy.tacozip")) == "");
  bytes[bytes.find("xend")] = 'y';
  std::ofstream(shop.out("all.tacozip"), std::ios::binary) << bytes;
  const std::string damaged = shop.out("all.tacozip"), to = shop.out("no");
  const std::function<void()> copies[] = {
      [&] { export_dataset(load(damaged), to + ".tacozip"); },
      [&] { export_dataset(load(damaged), to); },
      [&] {
        export_dataset(concat(std::vector{load(damaged), load(shop.out("copy.tacozip"))}), to + ".tacozip");
      },
      [&] { convert(damaged, to); },
      [&] { convert(damaged, to + ".tortilla"); },
      [&] { v1::compile(load(damaged), to + ".tortilla"); },
  };
  for (const auto& copy : copies) {
    CAPTURE(&copy - copies);
    CHECK(has_text(text_of<FormatError>(copy), "sample 'large' is damaged: 3000003 bytes have CRC-32 "));
    CHECK(shop.num_made() == 2);
  }
  edit(damaged, {.set = {{"title", "\"another\""}}});  // shares the bytes, and keeps what they should have
  CHECK(has_text(faults(damaged), "CRC-1 entry 'DATA/large': CRC-32 of its 3000003 bytes is"));
}

TEST_CASE("a ZIP converted to FOLDER and back is the same") {
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
    CHECK_FALSE(has_text(b.json, "subset"));
    CHECK(faults(again) == "");
    for (const auto& [file, bytes] : files_of(zip)) {
      if (file.starts_with("DATA/") && !file.ends_with("__meta__")) CHECK((files_of(again).at(file) == bytes));
    }
  }
}

TEST_CASE("convert refuses an index, an output of the input's own format, and output names of the wrong format") {
  const Workshop shop;
  const auto said = [](const auto& body) { return text_of<Error>(body); };
  CHECK(has_text(said([&] { convert(golden("cascade_tacocat"), shop.out("x.tacozip")); }), "is an index of datasets"));
  CHECK(has_text(said([&] { convert(golden("nested"), shop.out("x")); }), "is a FOLDER already"));
  CHECK(has_text(said([&] { convert(golden("nested.tacozip"), shop.out("x.zip")); }), "is a ZIP already"));
  CHECK(has_text(said([&] { zip2folder(golden("nested.tacozip"), shop.out("x.zip")); }), "is the name of a ZIP"));
  CHECK(has_text(said([&] { folder2zip(golden("nested"), shop.out("x")); }), "is the name of a folder"));
  CHECK(has_text(said([&] { zip2folder(golden("nested"), shop.out("x")); }), "is a FOLDER already"));
  CHECK(has_text(said([&] { convert(golden("uneven_children.tacozip"), shop.out("x")); }),
                 "; export fills in what is missing"));
  CHECK(shop.num_made() == 0);
}

TEST_CASE("convert refuses options that it would not use, and says which it takes") {
  const Workshop shop;
  const auto said = [&](const std::string& from, const std::string& to, const CreateOptions& options,
                        const Collection& collection = {}) {
    return text_of<ValidationError>([&] { convert(golden(from), shop.out(to), options, collection); });
  };
  const auto refused = [](const std::string& text, const std::string& unused, const std::string& kind) {
    CAPTURE(text);
    CHECK(has_text(text, "options that a conversion " + kind + " does not take: " + unused + "; it takes jobs, "));
  };
  const std::string in_v2 = "between ZIP and FOLDER";
  refused(said("nested.tacozip", "x", {}, {.id = "x", .tasks = {"other"}}), "id, tasks", in_v2);
  refused(said("nested", "x.zip", {}, parse_draft_collection("{}", "draft.json")), "collection", in_v2);
  refused(said("nested", "x.zip", {.split_size = 1, .group_by = {"id"}}), "split_size, group_by", in_v2);
  refused(said("v1/flat.taco", "x.tortilla", {}, {.title = "x"}), "title", "to .tortilla");
  refused(said("nested.tacozip", "x.tortilla", {}, {.extent = {.spatial = BBox{0, 0, 1, 1}}}), "extent",
          "to .tortilla");
  refused(said("nested", "x.taco", {.group_by = {"id"}}, {.title = "x"}), "group_by", "to .taco");
  CHECK(shop.num_made() == 0);
  // The footer is written anew for another compression, although its samples and rows stay.
  const auto with_compression = [&](const std::string& compression) {
    const std::string out = shop.out(compression + ".tortilla");
    convert(golden("v1/flat.taco"), out, {.output = {.parquet = {.compression = compression}}});
    CHECK(contents(load(out).data()) == contents(load(golden("v1/flat.taco")).data()));
    return file_text(out);
  };
  CHECK(with_compression("zstd") != with_compression("snappy"));
}

}  // namespace
}  // namespace tacore
