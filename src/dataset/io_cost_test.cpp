#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "dataset/dataset_impl.hpp"
#include "support/counting.hpp"
#include "support/load_files.hpp"
#include "support/support.hpp"
#include "support/table_files.hpp"

// What it costs to open, to query and to read one sample, counted in requests and bytes, never in time.
namespace {

using namespace tacore;

constexpr int64_t kRowGroup = 65536;

std::string number(int64_t i, int width) {
  std::string out = std::to_string(i);
  return std::string(static_cast<std::size_t>(width) - out.size(), '0') + out;
}

/// A FOLDER dataset with more than footers: `roots` FOLDERs of `kids` FILEs, of which only a few exist. `filler` and
/// `bulk` are columns that no question names.
class Large {
 public:
  Large(int64_t roots, int64_t kids) {
    NamedArrays level0, level1;
    std::vector<std::optional<std::string>> id0, id1, path1, folder_type(static_cast<std::size_t>(roots), "FOLDER");
    std::vector<std::optional<int64_t>> row0, row1, parent1;
    std::vector<std::optional<double>> cloud0, filler0, cloud1, filler1;
    std::vector<std::optional<std::string>> bulk0;
    std::mt19937_64 random(1);
    for (int64_t i = 0; i < roots; ++i) {
      bulk0.emplace_back();
      for (int k = 0; k < 4; ++k) bulk0.back() = bulk0.back().value_or("") + std::to_string(random());
      id0.emplace_back("root_" + number(i, 6));
      row0.emplace_back(i);
      cloud0.emplace_back(static_cast<double>(i % 100));
      filler0.emplace_back(static_cast<double>((i * 7919) % 1000003) / 3);
      for (int64_t k = 0; k < kids; ++k) {
        id1.emplace_back("kid_" + number(k, 3));
        path1.emplace_back(*id0.back() + "/" + *id1.back());
        row1.emplace_back(i * kids + k);
        parent1.emplace_back(i);
        cloud1.emplace_back(static_cast<double>(i));
        filler1.emplace_back(static_cast<double>(((i * kids + k) * 7919) % 1000003) / 3);
      }
    }
    const std::vector<std::optional<std::string>> file_type(id1.size(), "FILE");
    level0 = {{"id", texts(id0)},
              {"type", texts(folder_type)},
              {"cloud", reals(cloud0)},
              {"filler", reals(filler0)},
              {"bulk", texts(bulk0)},
              {"internal:current_id", integers(row0)},
              {"internal:parent_id", integers(row0)}};
    level1 = {{"id", texts(id1)},
              {"type", texts(file_type)},
              {"cloud", reals(cloud1)},
              {"filler", reals(filler1)},
              {"internal:current_id", integers(row1)},
              {"internal:parent_id", integers(parent1)},
              {"internal:relative_path", texts(path1)}};
    folder_.write("big/METADATA/level0.parquet", parquet_text(level0));
    folder_.write("big/METADATA/level1.parquet", parquet_text(level1));
    std::string child_ids, child_types;
    for (int64_t k = 0; k < kids; ++k) {
      child_ids += (k ? ", " : "") + ("\"kid_" + number(k, 3) + "\"");
      child_types += std::string(k ? ", " : "") + "\"FILE\"";
    }
    folder_.write("big/COLLECTION.json",
                  R"({"id": "big", "dataset_version": "1", "description": "", "licenses": ["MIT"], "providers": [],
      "tasks": ["other"], "taco_version": "2.0.0", "taco:pit_schema": {"root": {"n": )" +
                      std::to_string(roots) + R"(, "type": "FOLDER"},
      "hierarchy": {"1": [{"n": )" +
                      std::to_string(roots * kids) + R"(, "type": [)" + child_types + R"(], "id": [)" + child_ids +
                      "]}]}}}");
    folder_.write("big/DATA/" + *path1.back(), "the last file");
    last_ = *path1.back();
  }

  std::string path() const { return folder_.path("big"); }
  const std::string& last() const { return last_; }
  uint64_t size(const std::string& name) const { return fs::file_size(folder_.path("big/" + name)); }
  /// The stored bytes of columns in one row group, or in all of them (-1).
  uint64_t stored(const std::string& name, const Strings& columns, int group = -1) const;

 private:
  TemporaryFolder folder_;
  std::string last_;
};

const Large& large() {
  static const Large made(2000, 100);  // 200,000 rows at level 1: four row groups
  return made;
}

struct Counted {
  std::shared_ptr<CountingStorage> storage = std::make_shared<CountingStorage>();
  Dataset dataset;
  explicit Counted(const std::string& path) : dataset(load(path, {}, storage)) { storage->reset(); }
  /// Bytes read since the dataset was opened, or since the last call.
  uint64_t bytes(const std::string& end_of_path = "") {
    const uint64_t out = storage->num_bytes(end_of_path);
    storage->reset();
    return out;
  }
};

// Open.

TEST_CASE("opening a small ZIP takes one open, two reads, and the local file header of each level table") {
  for (const std::string name :
       {"flat.tacozip", "nested.tacozip", "six_levels.tacozip", "cascade_tacocat/cascade_part0001.tacozip"}) {
    CAPTURE(name);
    const auto storage = std::make_shared<CountingStorage>();
    load(golden(name), {}, storage);
    CHECK(storage->num_opens() == 1);
    CHECK(storage->num_probes() == 0);
    // The header, what it leads to, and the local headers in front of the tables, which prove that it leads to them.
    CHECK(storage->num_reads() <= 2 + load(golden(name)).pit_schema().max_depth() + 1);
  }
}

TEST_CASE("opening reads the end of a large level, not the level") {
  const auto storage = std::make_shared<CountingStorage>();
  load(large().path(), {}, storage);
  constexpr uint64_t kTail = 16 * 1024;
  CHECK(large().size("METADATA/level1.parquet") > 10 * kTail);
  CHECK(storage->num_reads("level0.parquet") == 1);
  CHECK(storage->num_reads("level1.parquet") == 1);
  CHECK(storage->num_bytes("level0.parquet") <= kTail);
  CHECK(storage->num_bytes("level1.parquet") <= kTail);
  CHECK(storage->num_reads("COLLECTION.json") == 1);
  CHECK(storage->num_opens() == 3);
}

TEST_CASE("opening a FOLDER costs one read for each level and one for COLLECTION.json") {
  const auto storage = std::make_shared<CountingStorage>();
  load(golden("nested"), {}, storage);
  CHECK(storage->num_reads() == 3);
  CHECK(storage->num_opens() == 3);
}

TEST_CASE("opening a TACOCAT touches none of its ZIPs, and a __TACOCAT__ is read like a ZIP") {
  const auto folder = std::make_shared<CountingStorage>();
  load(golden("cascade_tacocat/.tacocat"), {}, folder);
  CHECK(folder->num_reads() == 4);
  CHECK(folder->num_opens(".tacozip") == 0);
  const auto file = std::make_shared<CountingStorage>();
  load(golden("cascade_tacocat/__TACOCAT__"), {}, file);
  CHECK(file->num_opens() == 1);
  CHECK(file->num_reads() <= 2);
}

TEST_CASE("metadata of an open dataset takes no further reads") {
  Counted big(large().path());
  CHECK(big.dataset.num_rows() == 2000);
  CHECK(big.dataset.level_rows(1) == 200000);
  big.dataset.level_columns(1);
  big.dataset.pit_schema();
  big.dataset.navigation_columns();
  big.dataset.is_rsut();
  CHECK(big.storage->requests().empty());
}

TEST_CASE("a query takes no reads before its rows are requested") {
  Counted big(large().path());
  const Dataset query = big.dataset.filter_datetime("2023-01-01", {.column = "cloud"})
                            .sql("SELECT * FROM data")
                            .filter_datetime("2023-01-02", {.column = "cloud"});
  CHECK(big.storage->requests().empty());
}

TEST_CASE("the columns of a query take no reads beyond the footers, which are in memory") {
  Counted big(large().path());
  const Dataset query = big.dataset.sql("SELECT *, cloud * 2 AS twice FROM data ORDER BY filler");
  CHECK(query.is_rsut());
  CHECK(has_text(error_of([&] { query.filter_bbox(0, 0, 1, 1).data(); }), "No geometry column found"));
  CHECK(big.storage->requests().empty());
}

TEST_CASE("level 0 takes no reads before a cell is requested, and then one column of one row group") {
  Counted big(large().path());
  const DataFrame rows = big.dataset.data();
  CHECK(rows.num_rows() == 2000);
  CHECK(rows.columns().size() == 6);
  CHECK(big.storage->requests().empty());
  rows.limit(10).head().tail();
  CHECK(big.storage->requests().empty());
}

// Query.

uint64_t Large::stored(const std::string& name, const Strings& columns, int group) const {
  const CountingStorage storage;
  const auto level = LevelTable::open(storage.open(folder_.path("big/" + name), {}), {});
  storage.reset();
  for (const auto& column : columns) {
    for (int g = group < 0 ? 0 : group; g < (group < 0 ? level->num_row_groups() : group + 1); ++g)
      level->decode(level->find(column), g);
  }
  return storage.num_bytes();
}

TEST_CASE("a query reads the columns that it names and no others") {
  Counted big(large().path());
  const uint64_t cloud = large().stored("METADATA/level1.parquet", {"cloud"});
  CHECK(values(big.dataset.sql("SELECT count(*) AS n FROM level1 WHERE cloud < 0").data(), "n") == Strings{"0"});
  CHECK(big.bytes() == 0);  // the footer says that there is none
  CHECK(values(big.dataset.sql("SELECT sum(cloud) AS n FROM level1").data(), "n") == Strings{"199900000"});
  const uint64_t read = big.bytes("level1.parquet");
  CHECK(read >= cloud / 2);
  CHECK(read <= cloud + 4 * 1024);
}

TEST_CASE("a query reads the row groups that its condition can meet and no others") {
  Counted big(large().path());
  // `cloud` of level 1 ascends: 1,999 is in the last row group alone.
  const uint64_t one = large().stored("METADATA/level1.parquet", {"cloud", "id"}, 3),
                 all = large().stored("METADATA/level1.parquet", {"cloud", "id"});
  REQUIRE(one < all / 2);
  CHECK(values(big.dataset.sql("SELECT count(id) AS n FROM level1 WHERE cloud = 1999").data(), "n") == Strings{"100"});
  const uint64_t read = big.bytes("level1.parquet");
  CHECK(read > 0);
  CHECK(read <= one + 4 * 1024);
  CHECK(big.bytes("level0.parquet") == 0);
}

TEST_CASE("a query reads each byte once") {
  Counted big(large().path());
  big.dataset.sql("SELECT max(cloud) AS a, min(id) AS b FROM level1").data();
  std::set<std::pair<std::string, uint64_t>> seen;
  for (const Request& request : big.storage->requests()) {
    if (request.kind == Request::Kind::Read) CHECK(seen.emplace(request.path, request.offset).second);
  }
}

TEST_CASE("the rows of a query are computed once") {
  Counted big(large().path());
  const Dataset query = big.dataset.sql("SELECT * FROM data WHERE cloud < 50");
  query.data();
  CHECK(big.bytes() > 0);
  query.data();
  query.data_raw();
  query.num_rows();
  query.pit_schema();
  dump(query.data().select(Strings{"id", "cloud", "filler"}));
  CHECK(big.bytes() == 0);
}

TEST_CASE("counting filtered rows reads only the filter columns") {
  Counted big(large().path());
  const Dataset late = big.dataset.filter_datetime("1970-01-01T00:00:50Z/..", {.column = "cloud"});
  CHECK(late.num_rows() == 1000);
  const uint64_t cloud = large().stored("METADATA/level0.parquet", {"cloud"});
  const uint64_t read = big.bytes("level0.parquet");
  CHECK(read > 0);
  CHECK(read <= cloud + 4 * 1024);
  late.num_rows();
  CHECK(big.bytes() == 0);
}

TEST_CASE("a query that only selects rows needs no further reads of their level") {
  Counted big(large().path());
  const DataFrame chosen = big.dataset.sql("SELECT * FROM data WHERE cloud < 50").data();
  const DataFrame made = big.dataset.sql("SELECT *, 1 AS one FROM data WHERE cloud < 50").data();
  big.bytes();
  const std::string paths = dump(chosen.select(Strings{"internal:gdal_vsi"}));
  CHECK(big.bytes() == 0);
  CHECK(dump(made.select(Strings{"internal:gdal_vsi"})) == paths);
  CHECK(big.bytes() > 0);  // a query may have changed its columns, so the level is read
}

TEST_CASE("statistics and filters never touch the data") {
  const auto storage = std::make_shared<CountingStorage>();
  const Dataset dataset = load(golden("nested"), {}, storage);
  dataset.filter_bbox(-180, -90, 180, 90, {.level = 1}).data();
  dataset.verify_rsut();
  for (const Request& request : storage->requests()) CHECK_FALSE(has_text(request.path, "/DATA/"));
}

// One sample.

TEST_CASE("the path of a sample is computed from its row group, without __meta__ and without a scan of the level") {
  Counted big(large().path());
  const std::string& last = large().last();
  CHECK(vsi(big.dataset.data(), last) == large().path() + "/DATA/" + last);
  CHECK(big.storage->num_opens() == 0);  // nothing but the levels, which are open
  const uint64_t read = big.storage->num_bytes("level1.parquet");
  const Strings needed{"id", "type", "internal:parent_id", "internal:relative_path"};
  CHECK(read <= large().stored("METADATA/level1.parquet", needed, 3));
  CHECK(read < large().stored("METADATA/level1.parquet", needed) / 2);
  // Neither cloud nor filler of level 0.
  CHECK(big.storage->num_bytes("level0.parquet") <=
        large().stored("METADATA/level0.parquet", {"id", "type", "internal:current_id"}));
}

TEST_CASE("reading a sample again, and reading its neighbour, takes no requests") {
  Counted big(large().path());
  const DataFrame rows = big.dataset.data();
  vsi(rows, large().last());
  big.storage->reset();
  vsi(rows, large().last());
  vsi(rows, "root_001998/kid_007");
  vsi(big.dataset.data(), "root_001997/kid_000");
  CHECK(big.storage->requests().empty());
}

TEST_CASE("the bytes of a FILE take one read besides its local file header, and none before they are requested") {
  Counted zip(golden("flat.tacozip"));
  const DataFrame rows = zip.dataset.data();
  vsi(rows, "madrid");
  zip.storage->reset();
  vsi(rows, "madrid");
  CHECK(zip.storage->requests().empty());
  CHECK(to_text(rows.read_bytes("madrid")) == "data of madrid");
  CHECK(zip.storage->num_reads() == 2);
  CHECK(zip.storage->num_bytes() <= 14 + 2 * (30 + std::string("DATA/madrid").size() + 20));

  Counted folder(golden("nested"));
  const DataFrame asia = children(folder.dataset.data(), "asia");
  vsi(asia, "item_0");
  folder.storage->reset();
  CHECK(to_text(asia.read_bytes("item_0")) == "asia/item_0");
  CHECK(folder.storage->num_opens() == 1);
  CHECK(folder.storage->num_reads() == 1);
  CHECK(folder.storage->num_bytes() == 11);
}

TEST_CASE("the bytes of a small dataset's samples arrive in fewer reads than there are samples") {
  const auto storage = std::make_shared<CountingStorage>(false);  // an object store: no local header is read
  const Dataset dataset = load(golden("flat.tacozip"), {}, storage);
  const DataFrame rows = dataset.data();
  ids(rows);
  storage->reset();
  const std::vector<int64_t> all{4, 0, 3, 1, 2};
  const auto bytes = rows.read_bytes(all);
  CHECK(to_text(bytes[1]) == "data of valencia");
  CHECK(to_text(bytes[0]) == "data of suva");
  CHECK(storage->num_reads("flat.tacozip") <= 3);  // offsets and sizes, then the bytes
}

TEST_CASE("verifying offsets reads at most one local file header per row and its possible duplicate") {
  Counted nested(golden("nested.tacozip"));
  const DataFrame asia = children(nested.dataset.data(), "asia");
  for (int i = 0; i < 3; ++i) asia.read(i);
  nested.storage->reset();
  for (int i = 0; i < 3; ++i) asia.read(i);
  // One local header for each row, and where it could stand again.
  CHECK(nested.storage->num_bytes() <= 3 * 2 * (30 + std::string("DATA/asia/item_0").size() + 20));
}

}  // namespace
