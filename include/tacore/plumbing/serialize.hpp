#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tacore/dataframe.hpp"
#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// A file that a dataset was opened from, and its version.
struct FileVersion {
  std::string path = {};
  /// A hash of COLLECTION.json and of the footers of the level tables. A local ZIP adds its size and its central
  /// directory, which has the CRC-32 of each sample; a local FOLDER the size and the time of change of each FILE; a
  /// remote ZIP its size and its ETag, or the time of change where there is no ETag.
  std::string version = {};

  bool operator==(const FileVersion&) const = default;
};

/// The versions of the files that the dataset has open; of a TACOLLECTION.json only that of the collection.
TACORE_EXPORT std::vector<FileVersion> file_versions(const Dataset& dataset);
/// The versions of the files that the rows come from.
TACORE_EXPORT std::vector<FileVersion> file_versions(const DataFrame& frame);

/// The rows of a frame, for another process: their keys (level and row number) where the values are those of a level,
/// else all values. The result of a query with random() is kept as it is.
TACORE_EXPORT Bytes serialize(const DataFrame& frame);
/// Restores rows from serialize(), over the same view of the same dataset, opened again. Throws FormatError for other
/// bytes. Compare file_versions() first: where they differ, keys lead to other rows.
TACORE_EXPORT DataFrame deserialize(const Dataset& dataset, std::span<const std::byte> bytes);

/// True when the last step of a dataset is a query that may give other rows when it is run again: random(), a sample, a
/// LIMIT among equal rows.
TACORE_EXPORT bool draws(const Dataset& dataset);
/// The rows that this query gave, for another process: their keys where it only chose among rows, else all values.
TACORE_EXPORT Bytes serialize_drawn(const Dataset& dataset);
/// A dataset whose last query has given these rows, so that filters and queries after it see them. `dataset` has the
/// same steps over the same files. Throws FormatError for bytes that are none of serialize_drawn().
TACORE_EXPORT Dataset with_drawn(const Dataset& dataset, std::span<const std::byte> bytes);

}  // namespace tacore
