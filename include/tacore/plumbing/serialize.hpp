#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tacore/dataframe.hpp"
#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// The path and version of a file that a dataset was opened from.
struct FileVersion {
  std::string path = {};
  /// A hash of COLLECTION.json and of the footers of the level tables. For a local ZIP it includes the file size and
  /// the central directory, which has the CRC-32 of each sample; for a local FOLDER the size and modification time of
  /// each FILE; for a remote ZIP its size and its ETag, or the modification time when there is no ETag.
  std::string version = {};

  bool operator==(const FileVersion&) const = default;
};

/// The versions of the files that a dataset or DataFrame reads; for a TACOLLECTION.json only that of the collection.
TACORE_EXPORT std::vector<FileVersion> file_versions(const Dataset& dataset);
/// The versions of the files that the rows come from.
TACORE_EXPORT std::vector<FileVersion> file_versions(const DataFrame& frame);

/// Serializes the rows of a DataFrame for another process: as keys (level and row number) when the values are those of
/// a level, else as values. The result of a query with random() is preserved.
TACORE_EXPORT Bytes serialize(const DataFrame& frame);
/// Restores the rows from bytes of serialize(), from the same view of the same dataset, opened again. Throws
/// FormatError for other bytes. Compare file_versions() first: when they differ, keys identify other rows.
TACORE_EXPORT DataFrame deserialize(const Dataset& dataset, std::span<const std::byte> bytes);

/// True when a query of a dataset may return other rows, or the same in another order, when it runs again: random(), a
/// sample, a LIMIT among equal rows; ORDER BY with equal rows, joins, groups, IN with a subquery or a list.
TACORE_EXPORT bool varies(const Dataset& dataset);
/// Serializes the rows that such a query (see varies()) returned, for another process: as keys when it only selected
/// rows, else as values.
TACORE_EXPORT Bytes serialize_drawn(const Dataset& dataset);
/// Restores a dataset whose last query returned these rows, so that filters and queries after it use them. `dataset`
/// has the same steps over the same files. Throws FormatError for bytes that are not from serialize_drawn().
TACORE_EXPORT Dataset with_drawn(const Dataset& dataset, std::span<const std::byte> bytes);

}  // namespace tacore
