#include <doctest/doctest.h>

#include <algorithm>

#include "base/text.hpp"
#include "format/taco_header.hpp"
#include "support/create_files.hpp"
#include "support/support.hpp"
#include "support/table_files.hpp"

// Where create() puts what, judged by the stored files themselves.
namespace tacore {
namespace {

/// FOLDERs of these ids, in this order, each with FILEs `z`, `a` of its own and a FOLDER `more` with one.
Tortilla folders(const Strings& folder_ids) {
  std::vector<Sample> roots;
  for (const auto& id : folder_ids) {
    std::vector<Sample> deep, children;
    deep.emplace_back("dem", to_bytes(id + "/more/dem"), std::vector<MetadataField>{{"height", 1.5}});
    children.emplace_back("z", to_bytes(id + "/z"), std::vector<MetadataField>{{"band", 1}});
    children.emplace_back("more", Tortilla(std::move(deep)), std::vector<MetadataField>{{"band", {}}});
    children.emplace_back("a", to_bytes(id + "/a"), std::vector<MetadataField>{{"band", 3}});
    const std::vector<MetadataField> metadata{{"region", id, "", "where it is"}, {"stac:cloud", 0.5}};
    roots.emplace_back(id, Tortilla(std::move(children)), metadata);
  }
  return Tortilla(std::move(roots));
}

const Strings kUnsorted{"folder_0", "folder_1", "folder_10", "folder_11", "folder_2", "a b", "a"};

std::shared_ptr<const LevelTable> stored(const std::map<std::string, std::string>& files, const std::string& name) {
  REQUIRE(files.count(name) == 1);
  return level_of(to_bytes(files.at(name)));
}
std::shared_ptr<const LevelTable> stored_level(const std::map<std::string, std::string>& files, int level) {
  return stored(files, "METADATA/level" + std::to_string(level) + ".parquet");
}

std::vector<int64_t> integers_of(const LevelTable& table, const std::string& column) {
  std::vector<int64_t> out;
  for (int64_t row = 0; row < table.num_rows(); ++row)
    out.push_back(table.integer(table.find(column), row).value_or(-1));
  return out;
}

bool is_parquet(const std::string& name) { return name.ends_with(".parquet") || name.ends_with("__meta__"); }

}  // namespace

TEST_CASE("an output name ending in .tacozip or .zip, in any case, gives a ZIP, and others a FOLDER") {
  const Workshop shop;
  const Tortilla samples({Sample("a", to_bytes("1"))});
  for (const std::string name : {"1.tacozip", "2.TacoZip", "3.zip", "4.ZIP"}) {
    CAPTURE(name);
    create({samples, collection()}, shop.out(name));
    CHECK(file_text(shop.out(name)).starts_with("PK\3\4"));
    CHECK(load(shop.out(name)).format() == Format::Zip);
  }
  for (const std::string name : {"1", "2.tar", "3.zip.d", "tacozip", "5.tacozip.part"}) {
    CAPTURE(name);
    create({samples, collection()}, shop.out(name));
    CHECK(fs::is_directory(shop.out(name)));
    CHECK(load(shop.out(name)).format() == Format::Folder);
  }
}

TEST_CASE("samples from memory can be written twice, spilled to temp_dir as well") {
  const Workshop shop;
  const Sample large("large", Bytes((256 << 20) - 8));  // so that the next does not fit into memory
  const Sample held("held", to_bytes("held")), spilled("spilled", to_bytes("0123456789"), {}, shop.source("temp"));
  REQUIRE(fs::exists(shop.source("temp")));
  const Taco taco{Tortilla({held, spilled}), collection()};
  for (const std::string name : {"x.tacozip", "x", "y.tacozip"}) {
    CAPTURE(name);
    create(taco, shop.out(name));
    CHECK(contents(load(shop.out(name)).data()) == Strings{"held=held", "spilled=0123456789"});
  }
  CHECK(file_text(shop.out("x.tacozip")) == file_text(shop.out("y.tacozip")));
}

TEST_CASE("Parquet options reach every table, __meta__ and the index included") {
  const Workshop shop;
  fs::create_directory(shop.out("g"));
  const ParquetOptions plain{.compression = "snappy", .row_group_size = 1, .write_statistics = false};
  create({folders(kUnsorted), collection()}, shop.out("g/x.tacozip"),
         {.output = {.parquet = plain}, .split_size = 100});
  create({folders(kUnsorted), collection()}, shop.out("x"), {.output = {.parquet = plain}});
  int num_tables = 0;
  for (const std::string path : {"g/x_part0001.tacozip", "g/x_part0002.tacozip", "g/.tacocat", "x"}) {
    for (const auto& [name, bytes] : files_of(shop.out(path))) {
      if (!is_parquet(name)) continue;
      CAPTURE(path);
      CAPTURE(name);
      ++num_tables;
      const auto groups = storage_of(to_bytes(bytes));
      CHECK(groups.size() == static_cast<std::size_t>(level_of(to_bytes(bytes))->num_rows()));
      for (const auto& group : groups) CHECK(group.starts_with("1 snappy !id !type !"));
    }
  }
  CHECK(num_tables > 20);
}

TEST_CASE("columns are in the order of the specification, without path") {
  const Workshop shop;
  const Taco taco{folders({"b", "a"}), collection()};
  create(taco, shop.out("x.tacozip"));
  create(taco, shop.out("x"));
  const auto zip = files_of(shop.out("x.tacozip")), folder = files_of(shop.out("x"));
  const auto columns = [](const auto& files, const std::string& name) {
    return join(column_names(stored(files, name)->columns()), " ");
  };
  const std::string ids = " internal:current_id internal:parent_id", places = " internal:offset internal:size",
                    path = " internal:relative_path";
  CHECK(columns(zip, "METADATA/level0.parquet") == "id type region stac:cloud" + ids + places);
  CHECK(columns(zip, "METADATA/level1.parquet") == "id type band" + ids + places + path);
  CHECK(columns(zip, "METADATA/level2.parquet") == "id type height" + ids + places + path);
  CHECK(columns(zip, "DATA/b/__meta__") == "id type band" + places);
  CHECK(columns(folder, "METADATA/level0.parquet") == "id type region stac:cloud" + ids);
  CHECK(columns(folder, "METADATA/level1.parquet") == "id type band" + ids + path);
  CHECK(columns(folder, "DATA/b/more/__meta__") == "id type height");
}

TEST_CASE("rows have their number, their parent's number and their path, with a slash for a FOLDER") {
  const Workshop shop;
  const Taco taco{folders({"b", "a"}), collection()};
  for (const std::string name : {"x.tacozip", "x"}) {
    CAPTURE(name);
    create(taco, shop.out(name));
    const auto files = files_of(shop.out(name));
    const auto root = stored_level(files, 0), children = stored_level(files, 1), deep = stored_level(files, 2);
    CHECK(integers_of(*root, "internal:current_id") == std::vector<int64_t>{0, 1});
    CHECK(integers_of(*root, "internal:parent_id") == std::vector<int64_t>{0, 1});
    CHECK(integers_of(*children, "internal:current_id") == std::vector<int64_t>{0, 1, 2, 3, 4, 5});
    CHECK(integers_of(*children, "internal:parent_id") == std::vector<int64_t>{0, 0, 0, 1, 1, 1});
    CHECK(cells_of(children, "internal:relative_path") == Strings{"b/z", "b/more/", "b/a", "a/z", "a/more/", "a/a"});
    CHECK(integers_of(*deep, "internal:parent_id") == std::vector<int64_t>{1, 4});
    CHECK(cells_of(deep, "internal:relative_path") == Strings{"b/more/dem", "a/more/dem"});
  }
}

TEST_CASE("every folder has a __meta__, whose rows are its rows of the level") {
  const Workshop shop;
  for (const std::string name : {"x.tacozip", "x"}) {
    CAPTURE(name);
    create({folders(kUnsorted), collection()}, shop.out(name));
    const auto files = files_of(shop.out(name));
    std::size_t num_folders = 0;
    for (int level = 0; level < 2; ++level) {
      const auto above = stored_level(files, level), below = stored_level(files, level + 1);
      const auto types = cells_of(above, "type"), parents = cells_of(below, "internal:parent_id");
      const auto paths = cells_of(above, level == 0 ? "id" : "internal:relative_path");
      for (std::size_t row = 0; row < types.size(); ++row) {
        if (types[row] != "FOLDER") continue;
        CAPTURE(paths[row]);
        ++num_folders;
        const auto meta = stored(files, "DATA/" + paths[row] + (level == 0 ? "/" : "") + "__meta__");
        CHECK(meta->num_rows() == std::count(parents.begin(), parents.end(), std::to_string(row)));
        for (const auto& column : meta->columns()) {
          Strings expected;
          const auto all = cells_of(below, column.name);
          for (std::size_t i = 0; i < all.size(); ++i)
            if (parents[i] == std::to_string(row)) expected.push_back(all[i]);
          CHECK(cells_of(meta, column.name) == expected);
        }
      }
    }
    CHECK(num_folders == 2 * kUnsorted.size());
    CHECK(std::count_if(files.begin(), files.end(), [](const auto& file) {
            return file.first.ends_with("__meta__");
          }) == static_cast<std::ptrdiff_t>(num_folders));
  }
}

TEST_CASE("a ZIP has stored entries without gaps, from TACO_HEADER with the offsets of the tables to the collection") {
  const Workshop shop;
  create({folders(kUnsorted), collection()}, shop.out("x.tacozip"));
  const std::string archive = file_text(shop.out("x.tacozip"));
  const auto entries = zip_entries(archive);
  const auto header = taco_header::parse(std::as_bytes(std::span(archive)), archive.size());
  CHECK(header.crc_ok);
  CHECK(entries.front().name == "TACO_HEADER");
  CHECK(entries.back().name == "COLLECTION.json");
  uint64_t end = 0;
  std::map<std::string, ByteRange> payloads;
  for (const auto& entry : entries) {
    CAPTURE(entry.name);
    CHECK(entry.method == 0);
    CHECK(entry.local_offset == end);
    const uint64_t begin = end + 30 + entry.name.size();
    payloads[entry.name] = {begin, entry.size};
    end = begin + entry.size;
  }
  CHECK(payloads.size() == entries.size());
  CHECK(end == zip::find_directory(std::as_bytes(std::span(archive)), 0).offset);
  CHECK(payloads["TACO_HEADER"] == ByteRange{41, 116});
  CHECK(header.collection == payloads["COLLECTION.json"]);
  CHECK(header.levels == std::vector{payloads["METADATA/level0.parquet"], payloads["METADATA/level1.parquet"],
                                     payloads["METADATA/level2.parquet"]});
}

TEST_CASE("offsets of every level point to data and __meta__, for any order of ids") {
  const Workshop shop;
  Strings reversed = kUnsorted;
  std::reverse(reversed.begin(), reversed.end());
  for (const auto& order : {kUnsorted, reversed}) {
    create({folders(order), collection()}, shop.out("x.tacozip"), {.output = {.overwrite = true}});
    const std::string archive = file_text(shop.out("x.tacozip"));
    const auto files = files_of(shop.out("x.tacozip"));
    for (int level = 0; level < 3; ++level) {
      const auto table = stored_level(files, level);
      const auto offsets = integers_of(*table, "internal:offset"), sizes = integers_of(*table, "internal:size");
      const auto types = cells_of(table, "type");
      const auto paths = cells_of(table, level == 0 ? "id" : "internal:relative_path");
      for (std::size_t row = 0; row < paths.size(); ++row) {
        CAPTURE(paths[row]);
        const std::string bytes =
            archive.substr(static_cast<std::size_t>(offsets[row]), static_cast<std::size_t>(sizes[row]));
        const std::string meta = "DATA/" + paths[row] + (level == 0 ? "/" : "") + "__meta__";
        CHECK(bytes == (types[row] == "FILE" ? paths[row] : files.at(meta)));  // a FILE holds its path
      }
    }
  }
}

TEST_CASE("offsets of a flat ZIP point to the data") {
  const Workshop shop;
  create({Tortilla({Sample("b", to_bytes("of b")), Sample("a", to_bytes("")), Sample("é", to_bytes("of é"))}),
          collection()},
         shop.out("x.tacozip"));
  const std::string archive = file_text(shop.out("x.tacozip"));
  const auto level = stored_level(files_of(shop.out("x.tacozip")), 0);
  CHECK(integers_of(*level, "internal:size") == std::vector<int64_t>{4, 0, 5});
  const auto offsets = integers_of(*level, "internal:offset");
  CHECK(archive.substr(static_cast<std::size_t>(offsets[0]), 4) == "of b");
  CHECK(archive.substr(static_cast<std::size_t>(offsets[2]), 5) == "of é");
}

TEST_CASE("the field schema has name, type and description of each column except offset and size") {
  const Workshop shop;
  const Taco taco{folders({"b", "a"}), collection()};
  for (const std::string name : {"x.tacozip", "x"}) {
    CAPTURE(name);
    create(taco, shop.out(name));
    const Collection made = load(shop.out(name)).collection();
    CHECK(made.field_schema.size() == 3);
    const auto lines = [&](const std::string& level) {
      Strings out;
      for (const auto& field : made.field_schema.at(level))
        out.push_back(field.name + " " + field.type + (field.description.empty() ? "" : " " + field.description));
      return out;
    };
    CHECK(lines("level0") == Strings{"id string name of the sample, unique among its siblings",
                                     "type string FILE (data) or FOLDER (children)", "region string where it is",
                                     "stac:cloud double", "internal:current_id int64 number of the row in its level",
                                     "internal:parent_id int64 internal:current_id of the parent"});
    const auto level2 = lines("level2");
    REQUIRE(level2.size() == 6);
    CHECK(level2[2] == "height double");
    CHECK(level2[5] == "internal:relative_path string path of the sample below DATA/");
  }
}

TEST_CASE("tables are zstd at the chosen level, in row groups of 65,536 rows, with statistics") {
  const Workshop shop;
  shop.add("empty", "");
  Strings many;
  for (int i = 0; i < 65537; ++i) many.push_back("s" + std::to_string(i));
  create({Tortilla(many, Strings(many.size(), shop.source("empty"))), collection()}, shop.out("many.tacozip"));
  const auto files = files_of(shop.out("many.tacozip"));
  CHECK(storage_of(to_bytes(files.at("METADATA/level0.parquet"))) == Strings{"65536 zstd", "1 zstd"});
  const Taco taco{folders(kUnsorted), collection()};
  for (const std::string name : {"x.tacozip", "x"}) {
    CAPTURE(name);
    create(taco, shop.out(name));
    create(taco, shop.out("3" + name), {.output = {.parquet = {.compression_level = 3}}});
    const auto usual = files_of(shop.out(name)), third = files_of(shop.out("3" + name));
    for (const auto& [file, bytes] : usual) {
      CAPTURE(file);
      CHECK(third.at(file) == bytes);
      if (is_parquet(file))
        CHECK(storage_of(to_bytes(bytes)) == Strings{std::to_string(level_of(to_bytes(bytes))->num_rows()) + " zstd"});
    }
  }
}

namespace {

/// The rows of a dataset as samples again, with the types that their columns have.
Tortilla samples_of(const Dataset& dataset, const DataFrame& frame, int level) {
  const auto table = table_of(frame);
  const auto sample_ids = values_of(*table, "id");
  std::vector<Sample> out;
  for (std::size_t row = 0; row < sample_ids.size(); ++row) {
    std::vector<MetadataField> metadata;
    for (const auto& [name, type] : dataset.level_columns(level)) {
      if (name != "id" && name != "type") metadata.push_back({name, values_of(*table, name)[row], type});
    }
    const auto& id = *sample_ids[row].get<std::string>();
    const Node node = frame.read(static_cast<int64_t>(row));
    if (const auto* below = std::get_if<DataFrame>(&node)) {
      out.emplace_back(id, samples_of(dataset, *below, level + 1), std::move(metadata));
    } else {
      out.emplace_back(id, std::get<VsiPath>(node).value, std::move(metadata));
    }
  }
  return Tortilla(std::move(out));
}

/// `name type` by level; descriptions are each writer's own.
Strings fields_of(const Collection& collection) {
  Strings out;
  for (const auto& [level, fields] : collection.field_schema)
    for (const auto& field : fields) out.push_back(level + " " + field.name + " " + field.type);
  return out;
}

}  // namespace

/// Makes a dataset of the samples of another, and compares them.
void check_copy(const std::string& path) {
  CAPTURE(path);
  const Dataset given = load(path);
  const bool is_folder = fs::is_directory(path);
  const Workshop shop;
  const std::string copy = shop.out(is_folder ? "x" : "x.tacozip");
  create({samples_of(given, given.data(), 0), given.collection()}, copy);
  const Dataset made = load(copy);
  CHECK(made.pit_schema() == given.pit_schema());
  CHECK(fields_of(made.collection()) == fields_of(given.collection()));
  CHECK(contents(made.data()) == contents(given.data()));
  const auto stored_columns = [](const DataFrame& frame) {
    Strings out;
    for (const auto& column : frame.columns()) out.push_back(column.name + " " + column.type);
    return out;
  };
  for (int level = 0; level <= given.pit_schema().max_depth(); ++level) {
    CAPTURE(level);
    CHECK(made.level_columns(level) == given.level_columns(level));
    const std::string all = "SELECT * FROM level" + std::to_string(level);
    CHECK(stored_columns(made.sql(all).data_raw()) == stored_columns(given.sql(all).data_raw()));
    for (const auto& [name, type] : given.level_columns(level))
      CHECK(values(made.sql(all).data(), name) == values(given.sql(all).data(), name));
  }
}

TEST_CASE("datasets rebuilt from golden datasets have the same rows, types and schemas") {
  for (const char* name : {"flat.tacozip", "nested.tacozip", "nested"}) check_copy(golden(name));
}

TEST_CASE("datasets rebuilt from published datasets have the same rows, types and schemas" *
          doctest::test_suite("external")) {
  for (const char* name : {"zip/flat.tacozip", "zip/nested.tacozip", "zip/simple.tacozip"}) {
    if (!missing(published(name))) check_copy(published(name));
  }
}

}  // namespace tacore
