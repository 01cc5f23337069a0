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

/// The samples of a level one after another, each with the location, time, files and metadata that catalogues need.
namespace tacore::descriptions {

/// A file of the dataset, or a range of bytes in it.
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
  bool is_rough = false;  ///< the footprint is at most a centroid, as the CRS of the grid is unknown
  std::optional<Centroid> centroid = {};
  std::optional<Timestamp> start = {}, middle = {}, end = {};  ///< no start is after its end
  bool has_time_columns = false;                               ///< the level has columns of time, of any content
  std::string split = {};                                      ///< of the columns `split` and `tortilla:data_split`
  std::string crs = {};
  std::vector<int64_t> shape = {};                           ///< rows, columns
  std::vector<double> geotransform = {};                     ///< six numbers, in GDAL's order
  Location data = {};                                        ///< of a FOLDER: the table of its children
  std::vector<std::pair<std::string, Location>> files = {};  ///< below a FOLDER, by the path of ids from it
  std::vector<std::pair<std::string, Value>> fields = {};    ///< all other user columns, without nulls
};

/// Whether the column becomes another member of Item than `fields`, such as `stac:crs`.
bool is_described(std::string_view column);

/// Values that could not be used as they are stored: the number of samples of each kind, and the first of them.
struct Oddities {
  int64_t num_untimed = 0, num_reversed = 0, num_rough = 0, num_numbers = 0;
  std::string untimed = {}, reversed = {}, rough = {}, numbers = {};

  void add(const Oddities& more);
  /// Warns once of each kind.
  void warn(int level) const;
};

/// Members of Item that are set: all, or time and file only, while the columns of places stay in the batch.
enum class Columns { All, OfPlaces };

class LevelItems {
 public:
  /// Throws QueryError for a level that does not exist. `facts` has to outlive it.
  LevelItems(const Dataset& dataset, const Facts& facts, int level, const DescribeOptions& options,
             Columns columns = Columns::All);
  /// The Items of these rows of a level of `dataset`.
  LevelItems(std::shared_ptr<arrow::RecordBatchReader> batches, const Dataset& dataset, const Facts& facts, int level,
             const DescribeOptions& options, Columns columns);

  /// The rows without padding: user columns, `id`, `type` and the columns of navigation.
  const std::shared_ptr<arrow::RecordBatchReader>& batches() const { return batches_; }
  /// The Items of rows of a batch. Batches and rows have to be read in order.
  std::vector<Item> read(const arrow::RecordBatch& batch, int64_t begin, int64_t count, bool with_files);
  /// Calls `take` with each Item, in order.
  template <class Take>
  void for_each(bool with_files, Take take) {
    while (const auto batch = next_batch()) {
      const int64_t rows = size_of(*batch);
      for (int64_t begin = 0; begin < rows; begin += kFewRows) {
        for (Item& item : read(*batch, begin, std::min(kFewRows, rows - begin), with_files)) take(item);
      }
    }
  }

  /// The oddities of the Items read so far.
  const Oddities& oddities() const { return oddities_; }

  /// The path for GDAL, below `base_url` when that is remote, otherwise relative to the folder of the dataset.
  std::string vsi(const Location& location) const;

 private:
  static constexpr int64_t kFewRows = 4096;

  std::shared_ptr<arrow::RecordBatch> next_batch();
  static int64_t size_of(const arrow::RecordBatch& batch);
  Location locate(const std::string& vsi_path) const;
  void add_files(const DataFrame& children, const std::string& prefix, Item& out) const;
  std::string unique(const std::string& path, int64_t row);
  void read_times(const class Values& values, std::size_t row, Item& out);

  const Facts& facts_;
  int level_;
  const CrsTransformer* transformer_;
  Columns columns_;
  std::string folder_;  ///< as GDAL names it, with a final slash
  std::shared_ptr<arrow::RecordBatchReader> batches_;
  std::optional<DataFrame> frame_;  ///< the same rows, for their children
  Dataset rows_;
  int64_t next_ = 0;
  std::unordered_set<std::size_t> seen_;
  Oddities oddities_;
};

/// Writes the samples of level 0 as Parquet, as GeoParquet if the level has columns of places, and returns what could
/// not be used as it is stored.
Oddities write_table(const Dataset& dataset, const Facts& facts, class PlainFile& file, const DescribeOptions& options);

}  // namespace tacore::descriptions
