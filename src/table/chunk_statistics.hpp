#pragma once

#include <string>

namespace parquet {
class ColumnReader;
class Statistics;
}  // namespace parquet

namespace tacore {

/// Why the statistics `stated` of a Parquet column chunk are wrong; "" when they are right. Reads all values. Bounds
/// may be wider than the values, since writers shorten texts. Throws parquet::ParquetException.
std::string why_wrong_statistics(parquet::ColumnReader& values, const parquet::Statistics& stated);

}  // namespace tacore
