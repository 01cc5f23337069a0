#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacore/statistics.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

struct ArrowArrayStream;  // Arrow C stream interface

namespace tacore {

class DataFrame;

/// A path that GDAL opens, such as "/vsisubfile/157_1024,/data/a.tacozip".
struct VsiPath {
  std::string value = {};

  bool operator==(const VsiPath&) const = default;
};

/// What DataFrame::read() returns: a path that GDAL opens for a FILE, a DataFrame of the children for a FOLDER, or the
/// bytes of a FILE of format BYTES, which exists in Tortilla and TACO before version 2.0 only.
using Node = std::variant<VsiPath, DataFrame, Bytes>;

/// A table of samples: the rows of a dataset, or the children of a FOLDER. It is immutable: every operation returns a
/// new DataFrame, from which the data of the samples can still be read. All calls are safe from several threads.
///
/// Positions count from 0. Padding samples are left out. `id`, `type` and `internal:*` are protected: no operation
/// changes them, and select() only hides those that navigation needs.
///
///     const DataFrame rows = load("chips.tacozip").data();
///     const Node scene = rows.read("scene_001");                      // FILE: a path; FOLDER: its children
///     const VsiPath red = rows.vsi_path("scene_001/optical/red");     // for GDAL
///     const Bytes bytes = rows.read_bytes(0);
class TACORE_EXPORT DataFrame {
 public:
  /// The number of rows, without padding.
  int64_t num_rows() const noexcept;
  /// The visible columns, in order.
  const std::vector<Column>& columns() const noexcept;
  /// The level of the rows, 0 for the root; -1 when a query mixed levels or dropped the columns that record the level.
  int level() const noexcept;

  /// A cell as text in CSV form: the shortest form of a number, RFC 3339 times, geometries as WKT, other binary as
  /// base64, lists as JSON; nullopt for null. Throws QueryError for an unknown column, NavigationError for a position outside [0, num_rows).
  std::optional<std::string> text(int64_t position, std::string_view column) const;

  /// The data of the FILE, or the children of the FOLDER, at this position, in constant time. Throws NavigationError
  /// for a position outside [0, num_rows) and for rows whose query dropped the columns that navigation needs.
  Node read(int64_t position) const;
  /// The data or children of the first row with this id, or of the sample at a path of ids below these rows
  /// ("tile_00/sensor_A/band_R"). Throws NavigationError as above, and for an id that does not exist.
  Node read(std::string_view id) const;
  /// The path under which GDAL opens a FILE of any format. Throws NavigationError as read(), and for a FOLDER.
  VsiPath vsi_path(std::string_view id) const;

  /// The bytes of a FILE. Throws NavigationError as read(), and for a FOLDER; IoError when the bytes cannot be read.
  Bytes read_bytes(int64_t position) const;
  Bytes read_bytes(std::string_view id) const;
  /// The bytes of several FILEs, in the order given. Adjacent byte ranges are read in one request.
  std::vector<Bytes> read_bytes(std::span<const int64_t> positions) const;

  /// The rows for which an SQL expression over the columns is true: filter("cloud_cover < 10"). Throws QueryError.
  DataFrame filter(std::string_view expression) const;
  /// The rows with these columns only, in this order. Throws QueryError for an unknown column.
  DataFrame select(const std::vector<std::string>& names) const;
  /// The rows sorted by a column. The sort is stable; nulls are last.
  DataFrame sort(std::string_view column, bool descending = false) const;
  /// At most `count` rows, starting with row `offset`.
  DataFrame limit(int64_t count, int64_t offset = 0) const;
  DataFrame head(int64_t count = 5) const { return limit(count); }
  DataFrame tail(int64_t count = 5) const;
  /// The rows at these positions, in this order; a position may be repeated. Throws NavigationError for a position
  /// outside [0, num_rows).
  DataFrame take(std::span<const int64_t> positions) const;
  /// Adds or replaces a column, computed by an SQL expression over the columns. Throws QueryError for a protected name.
  DataFrame with_column(std::string_view name, std::string_view expression) const;

  /// A statistic of each band, aggregated from the statistics that these rows store: stats(Statistic::Mean).
  /// statistics.hpp explains options, weights and formulas. Throws QueryError when no statistics are stored, for a band
  /// out of range, for samples that differ in the number or kind of their bands, and for categorical bands.
  std::vector<double> stats(Statistic which, const StatsOptions& options = {}) const;
  /// The share of each class, one list for each band: the weighted mean over the samples. Throws QueryError as stats(),
  /// but for continuous instead of categorical bands.
  std::vector<std::vector<double>> stats_categorical(const StatsOptions& options = {}) const;

  /// Exports the rows and visible columns as an Arrow C stream, which the caller must release.
  void export_stream(ArrowArrayStream* out) const;

  struct TACORE_HIDDEN Impl;
  explicit DataFrame(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

 private:
  VsiPath path_at(int64_t position) const;

  std::shared_ptr<const Impl> impl_;
};

}  // namespace tacore
