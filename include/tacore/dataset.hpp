#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/bbox.hpp"
#include "tacore/collection.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/error.hpp"
#include "tacore/visibility.hpp"
#include "tacore/pit_schema.hpp"
#include "tacore/remote.hpp"
#include "tacore/statistics.hpp"
#include "tacore/time_range.hpp"
#include "tacore/types.hpp"

namespace tacore {

struct FilterOptions {
  /// "auto" takes the first of the standard columns that is there. For a box "footprint" takes what a sample covers
  /// (unless a column has that name).
  std::string column = "auto";
  int level = 0;  ///< the level that is tested; rows are always those of level 0
};

/// A lazy query over a dataset (§7.2.2, TacoDataset). An immutable value: every call returns a new Dataset and
/// runs nothing; rows are computed once, when first asked for, and stay. Safe from several threads.
class TACORE_EXPORT Dataset {
 public:
  const std::string& id() const noexcept { return collection().id; }
  const std::string& version() const noexcept { return collection().dataset_version; }
  const std::string& description() const noexcept { return collection().description; }
  const std::vector<std::string>& tasks() const noexcept { return collection().tasks; }
  const Extent& extent() const noexcept { return collection().extent; }
  /// The same without the globe that files state where nothing is known (§7.1.1): `spatial` is absent when it is the
  /// globe and no level has a column of places (`stac:centroid`, `stac:geotransform`, `istac:geometry`,
  /// `istac:centroid`). Looks into the footers of the levels.
  Extent known_extent() const;
  const std::vector<Contact>& providers() const noexcept { return collection().providers; }
  const std::vector<std::string>& licenses() const noexcept { return collection().licenses; }
  const std::optional<std::string>& title() const noexcept { return collection().title; }
  const std::optional<std::vector<Contact>>& curators() const noexcept { return collection().curators; }
  const std::optional<std::vector<std::string>>& keywords() const noexcept { return collection().keywords; }
  /// Column descriptions by "level0", "level1", ... as COLLECTION.json has them; filters do not change them.
  const std::map<std::string, std::vector<FieldDescription>>& field_schema() const noexcept {
    return collection().field_schema;
  }
  /// COLLECTION.json whole; `collection().json` is its text. Filters do not change it.
  const Collection& collection() const noexcept;

  /// As the user wrote it; "<concatenated>" after concat().
  const std::string& path() const noexcept;
  Format format() const noexcept;
  /// The tree. Its root counts the rows of this view, without padding, so a filtered dataset runs its query.
  PitSchema pit_schema() const;
  int64_t num_rows() const { return static_cast<int64_t>(pit_schema().root_n); }
  /// The columns of a stored level, without `internal:*`; those of level 0 before any query. Throws QueryError for
  /// a level that does not exist.
  std::vector<Column> level_columns(int level) const;
  /// Rows of a stored level, without padding.
  int64_t level_rows(int level) const;

  /// One read-only SELECT over `data` (this view) and `level0`, `level1`, ... (§7.2.2). Parsed at once, run
  /// later. Throws QueryError for anything else, and then when it does not bind.
  Dataset sql(std::string_view query) const;
  /// Level-0 samples whose geometry meets the box, or that have such a descendant at `options.level`; then
  /// read() shows only what survives down to that level. Geometry: WKB, WKT points or `[lon, lat]` lists in WGS
  /// 84; auto: istac:geometry, stac:centroid, istac:centroid, as published readers have it. A centroid is a point: a
  /// sample that reaches into the box is not found by it. With "footprint" the box tests what a sample covers, exactly:
  /// istac:geometry, else the grid of stac:crs, stac:geotransform and stac:tensor_shape (or stac:raster_shape), else,
  /// with a warning that counts these samples, the centroid. Null never matches.
  Dataset filter_bbox(const BBox& box, const FilterOptions& options = {}) const;
  Dataset filter_bbox(double minx, double miny, double maxx, double maxy, const FilterOptions& options = {}) const {
    return filter_bbox(BBox{minx, miny, maxx, maxy}, options);
  }
  /// The same by time, both ends included. Columns: any timestamp, a date, RFC 3339 text (of other text a warning
  /// tells), or epoch numbers, with a warning that names their unit: each number is taken for seconds below 1e11, for
  /// milliseconds below 1e14, for microseconds below 1e17, else for nanoseconds. NaN, infinities and the least and
  /// greatest int64 are no times. auto: istac:time_start, stac:time_start.
  Dataset filter_datetime(const TimeRange& range, const FilterOptions& options = {}) const;
  Dataset filter_datetime(std::string_view range, const FilterOptions& options = {}) const {
    return filter_datetime(TimeRange::parse(range), options);
  }

  /// The rows: `id`, `type`, user columns and `internal:gdal_vsi`; after a cascade filter also the
  /// columns that join levels. Throws QueryError.
  DataFrame data() const;
  /// The rows with every `internal:*` column.
  DataFrame data_raw() const;

  /// A statistic of each band, aggregated from what the samples of this view store: stats(Statistic::Mean). Options,
  /// weights and formulas: statistics.hpp. Throws QueryError when nothing is stored, for a band that is out of range,
  /// samples that disagree in bands or kind, and categorical bands.
  std::vector<double> stats(Statistic which, const StatsOptions& options = {}) const;
  /// The share of each class, a list for each band: the weighted mean over the samples. Throws as stats(), and for
  /// continuous bands.
  std::vector<std::vector<double>> stats_categorical(const StatsOptions& options = {}) const;

  /// The columns that navigation uses in this container, sorted, each with its purpose.
  std::vector<std::pair<std::string, std::string>> navigation_columns() const;
  /// False once a query dropped a navigation column or used a deeper level, or a cascade left
  /// samples with different children; true otherwise, without looking at the data.
  bool is_rsut() const;
  /// Looks: all samples of this view have the same child ids. Padding aside; true for a flat dataset.
  bool verify_rsut() const;

  struct TACORE_HIDDEN Impl;
  explicit Dataset(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}
  const std::shared_ptr<const Impl>& impl() const noexcept { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

struct LoadOptions {
  /// TACOCAT and TACOLLECTION.json only: the folder that holds the ZIP files, when it is not the index's own.
  std::string base_path = {};
  /// Tortilla and TACO before 2.0 only: take the partitions that are there; else one that is missing is an error.
  bool allow_partial = false;
  /// What is read of a sample in a ZIP is held against its local header and, read whole, its CRC-32. False: believed as
  /// it comes.
  bool verify = true;
  /// For http(s)://, s3://, hf:// and other remote paths; without it those of set_remote_options().
  std::optional<RemoteOptions> remote = {};
};

/// Opens .tacozip/.zip, a FOLDER, `.tacocat/` (or the folder around it), `__TACOCAT__`, TACOLLECTION.json, `.tortilla`
/// or `.taco`, told apart by name and by content; local, or remote (docs/remote.md). Reads headers, COLLECTION.json and
/// Parquet footers only. A Tortilla
/// or TACO of several partitions, `x.0000.part.taco`, is loaded whole, whichever of them is named; a column that
/// some of them lack is null there. Throws IoError when nothing is there, FormatError when something else is.
TACORE_EXPORT Dataset load(std::string_view path, const LoadOptions& options = {});
/// Several paths: load each, then concat(). Partitions of a Tortilla or TACO must be all that it has; when
/// they are all paths, they are joined as above. With allow_partial they are those that are given, one alone, too.
/// Throws QueryError for an empty list.
TACORE_EXPORT Dataset load(std::span<const std::string> paths, const LoadOptions& options = {});

/// Reads COLLECTION.json alone. Of `options` only `remote` counts.
TACORE_EXPORT Collection read_collection(std::string_view path, const LoadOptions& options = {});

/// The rows of a frame as a view, with the columns that show, for to_taco(), export_dataset() and v1::compile(). The rest
/// is that of the dataset that they come from. Filters, queries and statistics of it throw QueryError.
TACORE_EXPORT Dataset to_dataset(const DataFrame& frame);

/// The files and folders that a dataset is read from: its containers, and of an index the ones beside it that it lists.
TACORE_EXPORT std::vector<std::string> files_of(const Dataset& dataset);

/// What concat() does with columns that not all datasets have (§7.2.4).
enum class ColumnMode {
  Intersection,  ///< drops them, with a warning
  FillMissing,   ///< fills them with null, with a warning
  Strict         ///< throws SchemaError with the columns of each dataset
};

/// "intersection", "fill_missing" or "strict". Throws QueryError.
TACORE_EXPORT ColumnMode parse_column_mode(std::string_view text);

/// One dataset from several with compatible trees, in their order; inputs keep their filters and stay as they
/// are. Adds internal:source_path (container) and internal:source_file. Throws QueryError for fewer than two
/// datasets, SchemaError when they do not fit together.
TACORE_EXPORT Dataset concat(std::span<const Dataset> datasets, ColumnMode mode = ColumnMode::Intersection);

}  // namespace tacore
