#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/wkb_centroid.hpp"
#include "support/load_files.hpp"
#include "table/level_table.hpp"
#include "tacore/ops/describe.hpp"
#include "tacore/write/create.hpp"
#include "writer/create.hpp"

namespace tacore {

using Parsed = nlohmann::json;

/// What no form may take for anything but text.
inline const std::string kHostile =
    "</script><script>alert('\"&\xc3\xa9')</script> `a|b` *c* # ---\n- x: {y}\t[z](javascript:1) \\";

/// "name type" of each column of a Parquet file.
inline Strings columns_of(const std::string& path) {
  Strings out;
  const auto level = LevelTable::open(local_storage()->open(path), {});
  for (const auto& column : level->columns()) out.push_back(column.name + " " + column.type);
  return out;
}

inline Collection small_collection(const std::string& id = "small") {
  Collection out;
  out.id = id;
  out.dataset_version = "1.0.0";
  out.description = "Made by a test";
  out.licenses = {"cc-by-4.0"};
  out.providers = {{.name = "Lab", .roles = {"producer", "host"}, .url = "https://example.org"}};
  out.tasks = {"segmentation"};
  return out;
}

/// A sample of a few bytes at a place and time.
inline Sample placed(const std::string& id, double lon, double lat, const std::string& time = "2020-01-01T00:00:00Z") {
  return Sample(id, Bytes(3),
                {{"istac:centroid", Binary{wkb_point(lon, lat)}}, {"istac:time_start", Timestamp::parse(time)}});
}

/// A dataset that is written to a folder of its own and opened.
struct Made {
  TemporaryFolder folder;
  std::string path;

  Made(std::vector<Sample> samples, const Collection& collection, const std::string& name = "small.tacozip")
      : path(folder.path(name)) {
    // Others write times as numbers, too, which create() refuses.
    create_found({.tortilla = Tortilla(std::move(samples)), .collection = collection}, path, {});
  }
  Dataset dataset() const { return load(path); }
};

/// The Items of a level.
struct Items : ItemOutput {
  std::vector<std::string> ids;
  std::vector<Parsed> items;

  explicit Items(const Dataset& dataset, int level = 0, const DescribeOptions& options = {}) {
    footer2stac(dataset, level, *this, options);
  }
  void write(const std::string& id, std::string_view item) override {
    ids.push_back(id);
    items.push_back(Parsed::parse(item));
  }
};

}  // namespace tacore
