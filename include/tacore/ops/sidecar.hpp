#pragma once

#include <string>
#include <vector>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// Options of create_sidecar().
struct SidecarOptions {
  Task task = {};       ///< progress counts rows
  bool beside = false;  ///< write beside the dataset, in the folder `PATH.sidecar`, instead of in the user's cache
};

/// Makes the side-cars of a dataset: copies of its tables in the order of places (a Hilbert curve), with bounding boxes
/// and an id index. Filters by place and by id then read the few pages that have such rows, of tables that were written
/// without bounds, without order, or by other programs. The dataset, its row numbers and the order of its rows do not
/// change. A side-car needs up to twice the disk space of its table. Level 0 has a side-car, and so has each lower
/// level with geometries that are WKB or structures of x and y. Returns the paths of these files.
///
///     create_sidecar("chips.tacozip");            // in the user's cache (~/.cache/tacore), for this user
///     load("chips.tacozip").filter_bbox(box);     // reads the side-car
///
/// A side-car in the cache is used as long as the dataset is the same file, as size, times of change and inode tell, or
/// ETag and Last-Modified of a remote one; later it is ignored, with a warning. One that lies beside a dataset is its
/// publisher's claim. It is used after check_sidecar() proved it here, or with LoadOptions::trust_sidecar.
///
/// Existing side-cars are replaced. All files appear together, or none. Large tables are read several times, so that
/// about 0.5 GB of memory are needed, and 40 bytes for each row. Safe to call from several threads; of two calls for
/// one dataset at the same time, one may throw IoError.
///
/// Throws what load() throws; ValidationError for an index of datasets (TACOLLECTION.json), a dataset before 2.0, a
/// table with a column that a side-car adds, a type that queries would give otherwise, a remote dataset with `beside`,
/// and a folder of other files where the side-cars would be; IoError when they cannot be written, `progress` returned
/// false, or the server of a remote dataset states neither ETag nor Last-Modified; SchemaError for a geometry that is
/// not WKB. A warning tells when what was proved cannot be remembered.
TACORE_EXPORT std::vector<std::string> create_sidecar(const std::string& path, const SidecarOptions& options = {});

/// Proves the side-cars beside a dataset: compares each row, each index and each bound with the tables, and remembers
/// for this user on this machine that they are right, until one of the files changes. Returns the files.
///
///     check_sidecar("https://example.org/chips.tacozip");  // reads all of chips.tacozip.sidecar/, and the tables
///
/// Throws ValidationError, with file and reason, for a wrong one and where there is none; otherwise as
/// create_sidecar().
TACORE_EXPORT std::vector<std::string> check_sidecar(const std::string& path, const Task& task = {});

}  // namespace tacore
