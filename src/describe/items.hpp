#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "describe/facts.hpp"
#include "describe/footprint.hpp"
#include "model/wkb_centroid.hpp"
#include "tacore/value.hpp"

/// Samples of a level one by one, with what catalogues ask of each.
namespace tacore::descriptions {

/// A file of the dataset, or bytes in it.
struct Location {
  std::string name = {};  ///< relative to the folder of the dataset
  std::optional<uint64_t> offset = {};
  std::optional<uint64_t> size_bytes = {};
};

struct Item {
  std::string id = {};    ///< unique among the Items of the level; letters, digits and `-._~`
  std::string path = {};  ///< ids from the root, joined by '/'
  SampleType type = SampleType::File;
  std::optional<Footprint> footprint = {};
  std::optional<Centroid> centroid = {};
  std::optional<Timestamp> start = {}, middle = {}, end = {};
  std::string crs = {};
  std::vector<int64_t> shape = {};                           ///< rows, columns
  std::vector<double> geotransform = {};                     ///< six numbers, in GDAL's order
  Location data = {};                                        ///< of a FOLDER: the table of its children
  std::vector<std::pair<std::string, Location>> files = {};  ///< below a FOLDER, by the path of ids from it
  std::vector<std::pair<std::string, Value>> fields = {};  ///< user columns that are none of the above, nulls left out
};

/// Names of `columns` that become members of Item.
bool is_described(std::string_view column);

/// "EPSG:4326" and "OGC:CRS84", in any case; also nothing at all, which is what filters take for them.
bool is_wgs84(const std::string& crs);

class LevelItems {
 public:
  /// Throws QueryError for a level that does not exist. `facts` stays where it is.
  LevelItems(const Dataset& dataset, const Facts& facts, int level, const DescribeOptions& options);

  /// The user columns, `id`, `type` and those of navigation, padding left out.
  const std::shared_ptr<arrow::RecordBatchReader>& batches() const { return batches_; }
  /// The rows of a batch, which follow those asked for before.
  std::vector<Item> read(const arrow::RecordBatch& batch, int64_t begin, int64_t count, bool with_files);
  /// All of them, in order.
  template <class Take>
  void for_each(bool with_files, Take take) {
    while (const auto batch = next_batch()) {
      const int64_t rows = size_of(*batch);
      for (int64_t begin = 0; begin < rows; begin += kFewRows) {
        for (Item& item : read(*batch, begin, std::min(kFewRows, rows - begin), with_files)) take(item);
      }
    }
  }

  /// The first of each `step`, in order, without their files.
  template <class Take>
  void for_each_nth(int64_t step, Take take) {
    int64_t begin = 0;  // in the batch
    while (const auto batch = next_batch()) {
      const int64_t rows = size_of(*batch);
      for (; begin < rows; begin += step) take(read(*batch, begin, 1, false)[0]);
      begin -= rows;
    }
  }

  /// What GDAL opens, as long as it is in the folder of the dataset, or at the `base_url`.
  std::string vsi(const Location& location) const;

 private:
  static constexpr int64_t kFewRows = 4096;

  std::shared_ptr<arrow::RecordBatch> next_batch();
  static int64_t size_of(const arrow::RecordBatch& batch);
  Location locate(const std::string& vsi_path) const;
  void add_files(const DataFrame& children, const std::string& prefix, Item& out) const;
  std::string unique(const std::string& path, int64_t row);

  const Facts& facts_;
  int level_;
  const CrsTransformer* transformer_;
  std::string folder_;  ///< as GDAL names it, with a slash at its end
  std::shared_ptr<arrow::RecordBatchReader> batches_;
  std::optional<DataFrame> frame_;  ///< the same rows, for their children
  Dataset rows_;
  int64_t next_ = 0;
  std::unordered_set<std::size_t> seen_;
};

}  // namespace tacore::descriptions
