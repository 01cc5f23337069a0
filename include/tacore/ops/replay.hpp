#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// Options of replay_export().
struct ReplayOptions {
  Task task = {};  ///< progress counts the bytes of samples that are written; the last number repeats while files are
                   ///< compared
  /// Where the new export stays; "": it is made in a temporary folder, compared and removed.
  std::string output = {};
  /// Paths of the sources, local or remote. A source that none of them is lies beside the export, under the name that
  /// it had.
  std::vector<std::string> sources = {};
  /// The folder of the ZIPs of sources that are indexes (TACOCAT); "": that of the index.
  std::string base_path = {};
  bool overwrite = false;  ///< replace an existing `output` atomically
  /// Folder for unfinished output, as OutputOptions::temp_dir; without `output` that of the temporary export, "": that
  /// of TMPDIR, or /tmp.
  std::string temp_dir = {};
  int max_concurrent_requests = 100;            ///< as CreateOptions::max_concurrent_requests
  const CrsTransformer* transformer = nullptr;  ///< that of the export, if it had one
};

/// What differs between an export and its replay.
struct ReplayDifference {
  std::string path = {};    ///< the file or FOLDER of the export
  std::string entry = {};   ///< what is in it: `DATA/a/b`, `METADATA/level0.parquet`; "": nothing known
  std::string sample = {};  ///< the path of ids of a sample, `a/b`; "": another entry
  std::optional<uint64_t> offset =
      {};                 ///< the first byte of the file that differs, or of that of the entry in a FOLDER
  std::string what = {};  ///< in words, such as "has 12 bytes, 10 in the export"
};

/// The result of replay_export().
struct ReplayResult {
  static constexpr std::size_t kMaxListed = 100;  ///< maximal size of `differences`

  std::vector<std::string> paths = {};  ///< of the new containers; none without ReplayOptions::output
  std::string tool_version = {};        ///< of tacore that made the export
  uint64_t num_bytes = 0;               ///< of the files that were compared
  int64_t num_differences = 0;          ///< 0: the replay has the same bytes
  std::vector<ReplayDifference> differences = {};
};

/// Makes an export again from its provenance (ExportOptions::provenance), and compares the bytes of both. `path` is the
/// export, local or remote: a ZIP, a FOLDER, or one of several ZIPs or the folder of their index, beside which all ZIPs
/// are compared.
///
///     const ReplayResult again = replay_export("lima.tacozip", {.sources = {"archive/chips.tacozip"}});
///     for (const ReplayDifference& each : again.differences) std::puts(each.what.c_str());
///
/// Before anything is written, the id, the version, `taco:merkle_root` and the metadata of each source are compared
/// with those at the time of the export. What changed is an error then. The data of a source are not read for this:
/// where they changed, the result names the samples. An export that another version of tacore made is replayed with a
/// warning, since that version may have written other bytes.
///
/// The result depends on the sources, the provenance, the version of tacore and `transformer` alone: the time of the
/// export is that of its `taco:subset_date`. Files in a FOLDER beside those of the dataset, such as README.md, are not
/// compared.
///
/// Throws ValidationError for an export without provenance, for a source that is missing, another one, or changed, and
/// names what was found and expected; for a path in `sources` that is no source; for an `output` that is the export, of
/// another container, or, for an export that may have several ZIPs, of another name than it had. Throws FormatError for
/// a provenance that tacore cannot have written; IoError, also when `progress` returned false; else as
/// export_dataset().
TACORE_EXPORT ReplayResult replay_export(const std::string& path, const ReplayOptions& options = {});

}  // namespace tacore
