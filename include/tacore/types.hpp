#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/value.hpp"
#include "tacore/visibility.hpp"

/// Small types that both readers and writers of datasets use.
namespace tacore {

/// The bytes of a file, or of a part of one.
using Bytes = std::vector<std::byte>;

/// A column of a table: its name and the Arrow name of its type ("int64", "list<item: double>").
struct Column {
  std::string name = {};
  std::string type = {};

  bool operator==(const Column&) const = default;
};

/// A metadata field of one sample and its value, such as `{"cloud_cover", 12.5}`. A key is ASCII letters, digits and
/// `_` with at most one `:` inside, after which letters of other scripts may follow; it is not `id`, `type`, `path` or
/// `internal:...`. `type` is the Arrow name of a type; without it the type follows from the value: int64, double, bool,
/// string, binary, timestamp[us], lists and structs of these. Text is UTF-8; lists and structs nest at most 32 deep; a
/// struct has at least one field, and no name twice. Times have milliseconds or finer units, since Parquet has no
/// coarser type but dates (date32).
struct MetadataField {
  std::string key = {};
  Value value = {};
  std::string type = {};
  std::string description = {};  ///< for `taco:field_schema`
};

/// A metadata field of all samples of a level, with one value for each. Without `type` the column gets the type that
/// holds all values.
struct MetadataColumn {
  std::string key = {};
  std::vector<Value> values = {};
  std::string type = {};
  std::string description = {};  ///< for `taco:field_schema`
};

/// The container format of a dataset. Zip, Folder, Tacocat and Tacollection are those of TACO 2; Tortilla (0.5.0) and
/// Taco (0.2.0) are files before version 2.0.
enum class Format { Zip, Folder, Tacocat, Tacollection, Tortilla, Taco };

/// The name of a container format: "zip", "folder", "tacocat", "tacollection", "tortilla" or "taco".
TACORE_EXPORT const char* to_string(Format format) noexcept;
/// True for the container formats before version 2.0: Tortilla and Taco.
constexpr bool is_v1(Format format) noexcept { return format == Format::Tortilla || format == Format::Taco; }

}  // namespace tacore

/// Tables as text and files.
namespace tacore::tabular {

/// The format in which tabular::encode() writes the rows of a DataFrame.
enum class Encoding {
  Table,   ///< aligned columns for reading on a terminal; long cells are cut
  Csv,     ///< RFC 4180, header line; nested values as JSON, geometries as WKT, other binary as base64
  Json,    ///< one array of row objects: null for NULL, NaN and infinities; RFC 3339 times; WKT geometries; base64 binary
  Parquet  ///< zstd
};

/// Parses the name of an encoding: "table", "csv", "json" or "parquet". Throws QueryError for other text.
TACORE_EXPORT Encoding parse_encoding(std::string_view text);

/// Receives encoded bytes in order. An exception that write() throws ends encode(), which rethrows it.
///
///     struct Text : tabular::Output {
///       void write(std::string_view bytes) override { text += bytes; }
///       std::string text;
///     };
class TACORE_EXPORT Output {
 public:
  virtual ~Output();
  virtual void write(std::string_view bytes) = 0;
};

}  // namespace tacore::tabular
