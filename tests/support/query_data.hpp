#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dataset/dataframe_impl.hpp"
#include "support/load_files.hpp"
#include "support/support.hpp"
#include "tacore/verbose.hpp"

/// Datasets that a test describes in SQL, and rows by where they are stored.
namespace tacore {

/// One of the four ZIPs of the golden cascade_tacocat.
inline Dataset part(int number) {
  return load(golden("cascade_tacocat/cascade_part000" + std::to_string(number) + ".tacozip"));
}

/// A FOLDER dataset in `folder`, one query for each level. A query counts its rows with `FROM range(n) r(i)` and names
/// all columns, `internal:*` included. There is no data behind its samples.
inline std::string make_folder(const TemporaryFolder& folder, const std::string& name, const std::string& pit_schema,
                               const std::vector<std::string>& levels) {
  struct Text : tabular::Output {
    void write(std::string_view bytes) override { text += bytes; }
    std::string text;
  };
  const Dataset engine = load(golden("flat.tacozip"));
  for (std::size_t k = 0; k < levels.size(); ++k) {
    Text parquet;
    tabular::encode(engine.sql(levels[k]).data_raw(), tabular::Encoding::Parquet, parquet);
    folder.write(name + "/METADATA/level" + std::to_string(k) + ".parquet", parquet.text);
  }
  folder.write(name + "/COLLECTION.json",
               R"({"id": ")" + name +
                   R"(", "dataset_version": "1.0.0", "description": "Made by a test", "licenses": ["MIT"],
                   "providers": [], "tasks": ["other"], "taco_version": "2.0.0", "taco:pit_schema": )" +
                   pit_schema + R"(, "taco:field_schema": {}})");
  return folder.path(name);
}

/// The tree of folders with files of these ids, `children` of them in all.
inline std::string two_levels(int folders, int children, const std::vector<std::string>& ids) {
  std::string names, types;
  for (const auto& id : ids) {
    names += (names.empty() ? "\"" : ", \"") + id + "\"";
    types += types.empty() ? "\"FILE\"" : ", \"FILE\"";
  }
  return R"({"root": {"n": )" + std::to_string(folders) + R"(, "type": "FOLDER"}, "hierarchy": {"1": [{"n": )" +
         std::to_string(children) + R"(, "type": [)" + types + R"(], "id": [)" + names + "]}]}}";
}

/// A flat one: `columns` are SQL over the row number `i`.
inline std::string make_flat_folder(const TemporaryFolder& folder, const std::string& name, int rows,
                                    const std::string& columns) {
  const std::string n = std::to_string(rows);
  return make_folder(folder, name, R"({"root": {"n": )" + n + R"(, "type": "FILE"}, "hierarchy": {}})",
                     {"SELECT 'sample_' || i AS id, 'FILE' AS type, " + columns +
                      ", i AS \"internal:current_id\", i AS \"internal:parent_id\" FROM range(" + n + ") r(i)"});
}

/// Where the rows are stored: their numbers in the level.
inline std::vector<int64_t> stored_rows(const DataFrame& frame) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < frame.num_rows(); ++i) {
    const auto key = impl_of(frame)->rows->key(i);
    out.push_back(key ? key->row : -1);
  }
  return out;
}

inline DataFrame select(const DataFrame& frame, const std::vector<std::string>& names) { return frame.select(names); }
inline Dataset concat(const std::vector<Dataset>& datasets, ColumnMode mode = ColumnMode::Intersection) {
  return concat(std::span<const Dataset>(datasets), mode);
}

}  // namespace tacore
