#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

/// Validation of a whole dataset against the specification.
namespace tacore {

/// The severity of a broken rule.
enum class Severity { Warning, Error };

/// A sample that an issue is about.
struct FaultySample {
  int64_t row = 0;                   ///< in level 0 of the dataset at Issue::where.path
  std::optional<LonLat> place = {};  ///< where its raster lies, as its file says; of a FOLDER, the first one
};

/// A broken rule that validate() found. `rule` is its number in docs/rules.md, such as "ZIP-3" or, before version 2.0,
/// "V1-5".
struct Issue {
  std::string rule = {};
  Severity severity = Severity::Error;
  std::string message = {};
  ErrorContext where = {};
  int64_t num_issues = 1;  ///< more than 1: of issues that are not told one by one
  /// All samples that it is about, by rows; only of rules AST-*. Of the issue that counts further ones, these.
  std::vector<FaultySample> samples = {};
};

/// Options of validate().
struct ValidateOptions {
  bool deep = false;           ///< also read all data: CRC-32, values, Parquet statistics, pixels
  std::string base_path = {};  ///< as in LoadOptions
  /// Before version 2.0 only: profiles whose fields are required, `stac-tortilla` or `rai-tortilla`.
  std::vector<std::string> profiles = {};
  /// Also compare the metadata with the headers of the files (rules AST-*): at most one request for each.
  bool assets = false;
  bool pixels = false;  ///< the same, and decode all pixels of rasters and compare them with `geotiff:stats`
  /// The public key of who must have signed, as in VerifyOptions. The Merkle root and the hashes of samples are
  /// verified with `deep`, `pixels` or a key; the signature needs the key.
  std::string key = {};
  /// With `assets`: samples of level 0 to look at, drawn at random; 0: all. When none of n has a fault, then with a
  /// confidence of 95 % fewer than 3 / n of all have it.
  int64_t sample_size = 0;
  uint64_t seed = 0;                            ///< of the choice of samples
  Task task = {};                               ///< progress counts the files of `assets`
  const CrsTransformer* transformer = nullptr;  ///< for CRS that tacore does not know. Not owned
  const RasterOpener* fallback = nullptr;       ///< with `pixels`: decodes rasters that tacore does not. Not owned
  /// The results of validate_part() for all parts, in order: what they have read of the files is not read again.
  std::vector<std::string> parts = {};
};

/// Finds every rule that the dataset at `path` breaks, in the order found. A path that cannot be opened is reported as
/// an issue, not thrown. If all bounds in a local TACOLLECTION.json are right (rule CAT-10), this is remembered in the
/// user's cache, and load() uses them until one of its datasets changes. Files of a remote FOLDER that no row names are
/// not found, since it cannot be listed. Throws IoError when `progress` returned false, QueryError for an unknown
/// profile, and for any profile with a dataset of version 2.0.
///
///     for (const Issue& issue : validate("chips.tacozip"))
///       std::printf("%s %s\n", issue.rule.c_str(), issue.message.c_str());
TACORE_EXPORT std::vector<Issue> validate(std::string_view path, const ValidateOptions& options = {});

/// Reads what validate() with the same options would read of one of `num_parts` parts of the files, from 0: with
/// `assets` their headers, with `deep` the pixels of TIFFs. So many processes share the work of one validation. The
/// result is for ValidateOptions::parts, of the same version of tacore. Throws as load(), IoError also for a file that
/// cannot be read, and QueryError for a part that does not exist.
///
///     ValidateOptions options{.assets = true};
///     for (int part = 0; part < 4; ++part) options.parts.push_back(validate_part("chips.tacozip", part, 4, options));
///     const std::vector<Issue> issues = validate("chips.tacozip", options);
TACORE_EXPORT std::string validate_part(std::string_view path, int64_t part, int64_t num_parts,
                                        const ValidateOptions& options = {});

}  // namespace tacore
