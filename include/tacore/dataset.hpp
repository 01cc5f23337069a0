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
#include "tacore/pit_schema.hpp"
#include "tacore/remote.hpp"
#include "tacore/statistics.hpp"
#include "tacore/time_range.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// The column and level that filter_bbox() and filter_datetime() test.
struct FilterOptions {
  /// The column that is tested. "auto" is the first standard column of the level; "footprint", for a bounding box,
  /// tests the area that a sample covers (unless a column has that name).
  std::string column = "auto";
  int level = 0;  ///< the level that is tested; the rows of the result are always those of level 0
};

/// A dataset, or a lazy query over one. It is immutable: every call returns a new Dataset and runs no query. The rows
/// are computed when they are first needed, and cached. All calls are safe from several threads.
///
///     const Dataset summer = load("chips.tacozip")
///                                .filter_bbox(-77, -13, -76, -11)
///                                .filter_datetime("2023-06-01/2023-08-31")
///                                .sql("SELECT * FROM data WHERE cloud_cover < 10");
///     const DataFrame rows = summer.data();
class TACORE_EXPORT Dataset {
 public:
  const std::string& id() const noexcept { return collection().id; }
  const std::string& version() const noexcept { return collection().dataset_version; }
  const std::string& description() const noexcept { return collection().description; }
  const std::vector<std::string>& tasks() const noexcept { return collection().tasks; }
  const Extent& extent() const noexcept { return collection().extent; }
  /// The extent, without the globe that COLLECTION.json contains when no location is known: `spatial` is absent when it
  /// is the globe and no level has a column of locations (`stac:centroid`, `stac:geotransform`, `istac:geometry`,
  /// `istac:centroid`). Reads the Parquet footers of the levels.
  Extent known_extent() const;
  const std::vector<Contact>& providers() const noexcept { return collection().providers; }
  const std::vector<std::string>& licenses() const noexcept { return collection().licenses; }
  const std::optional<std::string>& title() const noexcept { return collection().title; }
  const std::optional<std::vector<Contact>>& curators() const noexcept { return collection().curators; }
  const std::optional<std::vector<std::string>>& keywords() const noexcept { return collection().keywords; }
  /// The descriptions of the columns in COLLECTION.json, by "level0", "level1", ... Filters do not change them.
  const std::map<std::string, std::vector<FieldDescription>>& field_schema() const noexcept {
    return collection().field_schema;
  }
  /// The content of COLLECTION.json; `collection().json` is its text. Filters do not change it.
  const Collection& collection() const noexcept;

  /// The path as the user wrote it; "<concatenated>" after concat().
  const std::string& path() const noexcept;
  Format format() const noexcept;
  /// The tree of samples. `root_n` is the number of rows of this view without padding, so this runs the query of a
  /// filtered dataset.
  PitSchema pit_schema() const;
  /// The number of rows of this view, without padding. Runs the query of a filtered dataset.
  int64_t num_rows() const { return static_cast<int64_t>(pit_schema().root_n); }
  /// The columns of a stored level, before any query, without `internal:*`. Throws QueryError for a level that does not
  /// exist.
  std::vector<Column> level_columns(int level) const;
  /// The number of rows of a stored level, without padding.
  int64_t level_rows(int level) const;

  /// The rows that a SELECT statement returns. It is parsed now and run when rows are needed. Its tables are `data`
  /// (this view), the stored levels `level0`, `level1`, ..., and `l0`, `l1`, ...: the rows of a level that are left
  /// after the filters of this view, each with the columns of its ancestors; `l1` has "l1:id", "l1:internal:gdal_vsi",
  /// ... and "l0:id", ... Throws QueryError for any other statement, and, when it runs, for unknown names and wrong
  /// types.
  Dataset sql(std::string_view query) const;
  /// The samples sorted by a column of level 0, "stac:time_start" or "l0:stac:time_start", or of a deeper level,
  /// "l1:cloud_cover": then by the least value among the descendants of a sample (descending: the greatest). The sort
  /// is stable; nulls are last. Throws QueryError for a column that does not exist.
  Dataset sort(std::string_view by, bool descending = false) const;
  /// At most `count` samples, the first ones. Throws QueryError for a negative number.
  Dataset limit(int64_t count) const;
  /// Adds or replaces a column of level 0, computed by an SQL expression over the columns of `data`. Throws QueryError
  /// for `id`, `type` and `internal:*`, which cannot be changed, and for what is not one expression.
  Dataset with_column(std::string_view name, std::string_view expression) const;
  /// The samples of level 0 whose geometry intersects the box, or that have such a descendant at `options.level`;
  /// read() then shows the matching descendants only, down to that level. Geometries are WKB, WKT points or `[lon,
  /// lat]` lists in WGS 84. Null never matches.
  ///
  /// Column "auto" is the first of istac:geometry, stac:centroid and istac:centroid that exists, in the order of the
  /// published readers. A centroid is a point: it does not match when only a part of the sample's area intersects the
  /// box. Column "footprint" tests the exact area that a sample covers: istac:geometry, else the grid of stac:crs,
  /// stac:geotransform and stac:tensor_shape (or stac:raster_shape), else, with a warning that counts these samples,
  /// the centroid.
  Dataset filter_bbox(const BBox& box, const FilterOptions& options = {}) const;
  Dataset filter_bbox(double minx, double miny, double maxx, double maxy, const FilterOptions& options = {}) const {
    return filter_bbox(BBox{minx, miny, maxx, maxy}, options);
  }
  /// The samples whose time lies in the range, both ends included; descendants are treated as by filter_bbox(). Times
  /// are timestamps, dates, RFC 3339 text (other text causes a warning) or numbers since 1970, with a warning that
  /// names their unit: seconds below 1e11, milliseconds below 1e14, microseconds below 1e17, else nanoseconds. NaN,
  /// infinities and the least and greatest int64 never match. Column "auto" is istac:time_start or, where it does not
  /// exist, stac:time_start.
  Dataset filter_datetime(const TimeRange& range, const FilterOptions& options = {}) const;
  Dataset filter_datetime(std::string_view range, const FilterOptions& options = {}) const {
    return filter_datetime(TimeRange::parse(range), options);
  }

  /// Runs the query and returns its rows. They have `id`, `type`, the user's columns and `internal:gdal_vsi`, and after
  /// a filter on a deeper level also the columns that join levels. Throws QueryError.
  DataFrame data() const;
  /// Runs the query and returns its rows with every `internal:*` column.
  DataFrame data_raw() const;

  /// The FILEs of a level, of the deepest by default, below the samples of this view that are left after its filters,
  /// in the order of the samples. A row has the columns of the FILE and of each ancestor, "l1:id" ... "l0:id" ...,
  /// without `internal:*`, and last its path for GDAL as `gdal_vsi`; read_bytes() and read() by position work. Sorting
  /// by a deeper column sorts these rows, and limit() limits them, too. Throws QueryError for a level that does not
  /// exist, and for a query whose rows are not samples of level 0.
  DataFrame flatten(std::optional<int> level = {}) const;

  /// A statistic of each band, aggregated from the statistics that the samples of this view store:
  /// stats(Statistic::Mean). statistics.hpp explains options, weights and formulas. Throws QueryError when no
  /// statistics are stored, for a band out of range, for samples that differ in the number or kind of their bands, and
  /// for categorical bands.
  std::vector<double> stats(Statistic which, const StatsOptions& options = {}) const;
  /// The share of each class, one list for each band: the weighted mean over the samples. Throws QueryError as stats(),
  /// but for continuous instead of categorical bands.
  std::vector<std::vector<double>> stats_categorical(const StatsOptions& options = {}) const;

  /// The columns that navigation uses in this container, sorted, each with its purpose.
  std::vector<std::pair<std::string, std::string>> navigation_columns() const;
  /// False when a query dropped a column that navigation needs or used a deeper level, or when a filter on a deeper
  /// level may have left samples with different children. Does not read the data. (RSUT is the word of the published
  /// Python reader for samples that all have the same children.)
  bool is_rsut() const;
  /// Verifies, by reading all ids, that all samples of this view have the same child ids, apart from padding. True for
  /// a dataset without FOLDERs.
  bool verify_rsut() const;

  struct TACORE_HIDDEN Impl;
  explicit Dataset(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Options of load().
struct LoadOptions {
  /// The folder that holds the ZIP files of a TACOCAT or TACOLLECTION.json; "": the folder of the index.
  std::string base_path = {};
  /// Tortilla and TACO before version 2.0 only: load the partitions that exist. Otherwise a missing one is an error.
  bool allow_partial = false;
  /// Verify each sample that is read from a ZIP against its local header and, where the whole sample is read, its
  /// CRC-32.
  bool verify = true;
  /// Use the bounds that a TACOLLECTION.json states of its datasets (`taco collect --bounds`) although nothing proves
  /// them here: filters then open only the datasets in which the bounds let them find rows. If they are wrong, rows are
  /// missing. Without this option they are used where this user wrote or validated them on this machine, and no dataset
  /// changed since.
  bool trust_bounds = false;
  /// Use the side-cars beside a dataset (create_sidecar(), ops/sidecar.hpp) although nothing proves here that they have
  /// its rows; wrong ones give wrong rows.
  bool trust_sidecar = false;
  /// Options of remote paths (http(s)://, s3://, hf://, ...). Not set: those of set_remote_options().
  std::optional<RemoteOptions> remote = {};
};

/// Opens a local or remote dataset, of any container, and reads only headers, COLLECTION.json and Parquet footers.
/// `path` is a .tacozip or .zip file, a FOLDER, `.tacocat/` (or its parent folder), `__TACOCAT__`, TACOLLECTION.json,
/// or a `.tortilla` or `.taco` file; name and content decide which it is. docs/remote.md lists the remote paths.
///
/// A Tortilla or TACO of several partitions, `x.0000.part.taco`, is loaded whole when any of them is given; a column
/// that some partitions lack is null in their rows. Throws IoError when the path does not exist, FormatError when it is
/// not a dataset.
///
///     const Dataset dataset = load("s3://bucket/chips.tacozip");
TACORE_EXPORT Dataset load(std::string_view path, const LoadOptions& options = {});
/// Opens several paths as one dataset: loads each and joins them with concat(). Of a Tortilla or TACO before version
/// 2.0, all partitions must be given, or, with `allow_partial`, any of them. Throws QueryError for an empty list.
TACORE_EXPORT Dataset load(std::span<const std::string> paths, const LoadOptions& options = {});

/// Reads COLLECTION.json and nothing else. Of `options` only `remote` is used. Throws as load().
TACORE_EXPORT Collection read_collection(std::string_view path, const LoadOptions& options = {});

/// Makes a dataset of the rows and columns of a DataFrame, as input of to_taco(), export_dataset() and v1::compile().
/// Its collection and deeper levels are those of the dataset that the rows come from. Filters, queries, statistics
/// and descriptions of it throw QueryError.
TACORE_EXPORT Dataset to_dataset(const DataFrame& frame);

/// The paths of the files and folders that a dataset is read from: its container, and the containers that an index
/// lists.
TACORE_EXPORT std::vector<std::string> files_of(const Dataset& dataset);

/// What concat() does with columns that only some of the datasets have.
enum class ColumnMode {
  Intersection,  ///< drops them, with a warning
  FillMissing,   ///< keeps them, null where a dataset lacks them, with a warning
  Strict         ///< throws SchemaError with the columns of each dataset
};

/// Parses the name of a column mode: "intersection", "fill_missing" or "strict". Throws QueryError for other text.
TACORE_EXPORT ColumnMode parse_column_mode(std::string_view text);

/// Concatenates several datasets with compatible trees: the rows of each, with its filters applied, in this order. Adds
/// the columns internal:source_path (the container) and internal:source_file. Throws QueryError for fewer than two
/// datasets, SchemaError when their trees or columns differ.
TACORE_EXPORT Dataset concat(std::span<const Dataset> datasets, ColumnMode mode = ColumnMode::Intersection);

}  // namespace tacore
