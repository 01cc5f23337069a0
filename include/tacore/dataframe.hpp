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

/// The data of a FILE, as a path, or the children of a FOLDER. A FILE of format BYTES, which Tortilla and TACO
/// before 2.0 have, is its bytes.
using Node = std::variant<VsiPath, DataFrame, Bytes>;

/// The rows of a dataset or of a FOLDER, as a table whose rows lead to their data (§7.2.3, TacoDataFrame). An immutable
/// value: every operation returns a new frame, which leads to the data, too. All calls are safe from several threads.
///
/// Positions count from 0. Padding samples are left out. `id`, `type` and `internal:*` are protected: no operation
/// changes them, and the columns that navigation needs are kept where select() hides them.
///
///     const DataFrame rows = load("chips.tacozip").data();
///     const Node scene = rows.read("scene_001");                      // FILE: a path; FOLDER: its children
///     const VsiPath red = rows.vsi_path("scene_001/optical/red");     // for GDAL
///     const Bytes bytes = rows.read_bytes(0);
class TACORE_EXPORT DataFrame {
 public:
  int64_t num_rows() const noexcept;
  /// The visible columns, in order.
  const std::vector<Column>& columns() const noexcept;
  /// The level of the rows, 0 = root; -1 when a query mixed levels or dropped the columns that say it.
  int level() const noexcept;

  /// A cell as text in the form of CSV: the shortest form of a number, RFC 3339 times, base64 binary, JSON lists;
  /// nullopt for null. Throws QueryError for an unknown column, NavigationError for a position outside [0, num_rows).
  std::optional<std::string> text(int64_t position, std::string_view column) const;

  /// The data of a FILE, or the children of a FOLDER, in constant time. Throws NavigationError for a position outside
  /// [0, num_rows) and for rows whose query dropped the columns that navigation needs.
  Node read(int64_t position) const;
  /// The same for the first row with this id, or for a path of ids below these rows ("tile_00/sensor_A/band_R").
  Node read(std::string_view id) const;
  /// The path that GDAL opens for a FILE of any format. Throws NavigationError as read(), and for a FOLDER.
  VsiPath vsi_path(std::string_view id) const;

  /// The bytes of a FILE. Throws NavigationError as read() and for a FOLDER, IoError when they cannot be read.
  Bytes read_bytes(int64_t position) const;
  Bytes read_bytes(std::string_view id) const;
  /// The bytes of many FILEs, in the order given. Ranges close together are read in one request.
  std::vector<Bytes> read_bytes(std::span<const int64_t> positions) const;

  /// Rows for which an SQL expression over the columns is true: filter("cloud_cover < 10").
  DataFrame filter(std::string_view expression) const;
  /// These columns, in this order. Throws QueryError for an unknown one.
  DataFrame select(const std::vector<std::string>& names) const;
  /// Stable sort; nulls last.
  DataFrame sort(std::string_view column, bool descending = false) const;
  /// At most `count` rows, from `offset` on.
  DataFrame limit(int64_t count, int64_t offset = 0) const;
  DataFrame head(int64_t count = 5) const { return limit(count); }
  DataFrame tail(int64_t count = 5) const;
  /// The rows at these positions, in this order; one may come twice. Throws NavigationError for a position outside
  /// [0, num_rows).
  DataFrame take(std::span<const int64_t> positions) const;
  /// Adds a column, or replaces one, by an SQL expression over the columns. Throws QueryError for a
  /// protected name.
  DataFrame with_column(std::string_view name, std::string_view expression) const;

  /// A statistic of each band, aggregated from what these rows store: stats(Statistic::Mean). Options,
  /// weights and formulas: statistics.hpp. Throws QueryError when nothing is stored, for a band that is out of range,
  /// samples that disagree in bands or kind, and categorical bands.
  std::vector<double> stats(Statistic which, const StatsOptions& options = {}) const;
  /// The share of each class, a list for each band: the weighted mean over the samples. Throws as stats(), and for
  /// continuous bands.
  std::vector<std::vector<double>> stats_categorical(const StatsOptions& options = {}) const;

  /// Exports the rows and visible columns as an Arrow C stream, which the caller releases.
  void export_stream(ArrowArrayStream* out) const;

  struct TACORE_HIDDEN Impl;
  explicit DataFrame(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}
  const std::shared_ptr<const Impl>& impl() const noexcept { return impl_; }

 private:
  VsiPath path_at(int64_t position) const;

  std::shared_ptr<const Impl> impl_;
};

}  // namespace tacore
