#pragma once

namespace duckdb {
class Connection;
}

namespace tacore {

/// The prefix of the message of a function that met damaged data, so that it stays a FormatError through DuckDB.
inline constexpr const char* kDamagedData = "damaged data: ";

/// Adds to the instance of `connection` the functions that query plans call:
///
///   tacore_meets_wkb(wkb, xmin, ymin, xmax, ymax) -> bool     a geometry meets a box; null never does
///   tacore_meets_wkt(wkt, xmin, ymin, xmax, ymax) -> bool
///   tacore_meets_point(lon, lat, xmin, ymin, xmax, ymax) -> bool
///   tacore_meets_grid(crs, geotransform, shape, xmin, ymin, xmax, ymax) -> bool, null where the footprint of the grid
///     is unknown
///   tacore_rfc3339(text, column) -> microseconds since 1970, null where the text is no time
///   tacore_epoch(whole number, column), tacore_real_epoch(number, column) -> the same, null where it is none
///   tacore_exact(whole number, column), tacore_exact_unsigned(...) -> double; an error where no double is equal
///   tacore_selected_row(row, begins, shifts) -> row + the shift of the last of `begins` that is not greater
///   tacore_folder_path(data, path, type) -> the file that GDAL opens for a row of a FOLDER
void register_sql_functions(duckdb::Connection& connection);

/// Warns about the values that the functions met in the rows of the statement that `connection` ran.
void log_remarks(duckdb::Connection& connection);

}  // namespace tacore
