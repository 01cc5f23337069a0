#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "table/rows.hpp"
#include "tacore/types.hpp"

namespace tacore {

inline constexpr const char* kHistogramColumn = "geotiff:histogram";

/// The names of those `columns` that statistics are read from; empty when there are none. First `geotiff:stats`, else
/// `internal:stats`, else those of `stats:min`, `stats:max`, `stats:mean` and `stats:std` (TACO 0.2.0) that exist;
/// then the shape of the raster, and `with_histograms` the histograms.
std::vector<std::string> statistics_columns(const std::vector<Column>& columns, bool with_histograms);
/// Throws the QueryError for rows without such columns. `hint` ends the message.
[[noreturn]] void throw_no_statistics(const std::string& hint = "");

/// The stored statistics of the bands of a row.
struct StoredRow {
  int64_t row = 0;
  std::vector<std::vector<double>> bands = {};
  double pixels = std::numeric_limits<double>::quiet_NaN();  ///< of its raster; NaN: the row does not say
  std::vector<double> valid = {};                            ///< pixels of each band, if more is known than valid %
};

struct StoredStatistics {
  std::vector<StoredRow> rows = {};  ///< those that have any, which agree in bands and kind
  bool are_moments = false;          ///< each band is `[min, max, mean, std]` of all its valid pixels, from `stats:*`
};

/// Parses statistics_columns() of all rows. Throws QueryError: no such columns, no row with statistics, cells that are
/// no numbers, rows that differ in their bands or kind.
StoredStatistics read_statistics(const Rows& rows);

/// A row of unknown size gets as many pixels as the others have on average, or 1 when no size is known. Returns how
/// many rows these are.
int64_t assume_pixels(StoredStatistics& stored);

/// The statistics of a band, pooled over all rows.
struct PooledBand {
  double num_valid = 0;  ///< pixels
  double min = 0, max = 0, mean = 0, std = 0;
  std::array<double, 4> percentiles = {};  ///< 25, 50, 75, 95: plain means of the rows' percentiles
  int64_t num_rows = 0;                    ///< that have the band
};

enum class StatisticsKind { Continuous, Categorical };
/// The kind of the first of these bands (from 1; none: all) that any row has. Throws QueryError for a band that is out
/// of range.
StatisticsKind kind_of(const StoredStatistics& stored, const std::vector<int>& bands);
/// Throws QueryError for a band that is out of range or of the other kind.
void check_kind(const StoredStatistics& stored, const std::vector<int>& bands, StatisticsKind kind);
/// The formulas of tacore/statistics.hpp, when `pixels` or `valid` of all rows are known. Throw as check_kind().
std::vector<PooledBand> pool_continuous(const StoredStatistics& stored, const std::vector<int>& bands);
std::vector<std::vector<double>> pool_categorical(const StoredStatistics& stored, const std::vector<int>& bands);

}  // namespace tacore
