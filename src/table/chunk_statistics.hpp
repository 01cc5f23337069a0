#pragma once

#include <string>

namespace parquet {
class ColumnReader;
class Statistics;
}  // namespace parquet

namespace tacore {

/// What `stated` says of the values of a column chunk that they are not; "" when it holds. Reads them all. Bounds may
/// be wider than the values: writers shorten texts. Throws parquet::ParquetException.
std::string why_wrong_statistics(parquet::ColumnReader& values, const parquet::Statistics& stated);

}  // namespace tacore
