#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/raster/raster.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/create.hpp"
#include "tacore/write/output.hpp"

/// Writers of Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`).
namespace tacore::v1 {

/// The default of CreateTacoOptions::split_size: 20 GiB of samples in each file.
inline constexpr uint64_t kDefaultSplitSize = uint64_t{20} << 30;

/// Options of create_taco(), create_tortilla() and compile().
struct CreateTacoOptions {
  Task task = {};
  OutputOptions output = {};
  /// Maximal bytes of samples in each file: a larger dataset is split, in order, into `x.0000.part.taco`, ...
  /// (parse_size() reads "4GB"; footers of nested Tortillas count). A larger sample has a file of its own, and a
  /// dataset that fits into one file keeps its name. 0: one file of any size. Not set: kDefaultSplitSize; compile()
  /// writes one file.
  std::optional<uint64_t> split_size = {};
  /// The number of the first of several files: 0 as the published tools write, or 1 as Tortilla 0.5.0 specifies.
  int first_part = 0;
  /// Add `stats:mean`, `stats:min`, `stats:max` and `stats:std` to GeoTIFFs without them, one number for each band: all
  /// pixels are decoded.
  bool stats = true;
  /// Write a streaming TACO (TACO 0.2.0, "Facilitating dataset streaming"), whose footer also has the tables of all
  /// levels and a table of the chunks of its rasters. Rasters that are not TOGs (raster/tog.hpp) are converted
  /// losslessly.
  bool streaming = false;
  /// With `streaming`: keep samples that are not GeoTIFF or cannot be decoded as they are, without chunks.
  bool allow_non_tog = false;
  /// With `streaming`: store histograms of all rasters. Pixels are decoded twice more.
  bool histograms = true;
  /// With `streaming`: width and height of the tiles of TOGs in pixels, a multiple of 16. 0: that of a GeoTIFF with
  /// square tiles, else 512; a raster that fits into one tile has one.
  int64_t block_size = 0;
  int zstd_level = 13;                     ///< with `streaming`: 1 to 22
  const RasterOpener* fallback = nullptr;  ///< opens GeoTIFFs that tacore does not decode
};

/// Writes `taco` as TACO 0.2.0 to `output`, a name in `.taco`. FOLDERs become nested Tortillas; a tree may have any
/// shape, with at most 64 levels. Padding is left out. `tortilla:file_format` is the column of that name, else the
/// format that the bytes of a sample show; `split` becomes `tortilla:data_split`; locations and times get the names and
/// units of TACO 0.2.0. Returns the paths of the files: one, unless the dataset is split.
///
/// Each file is written under a temporary name, flushed to disk (fsync) and renamed when all are complete. The same
/// samples give the same bytes, whatever the number of threads.
///
/// Throws ValidationError, before anything is written, when the output exists (unless `overwrite`) or ends in something
/// else, when `first_part` or options of the output are invalid, when the collection breaks rules of 0.2.0 (the message
/// lists all of them), for no samples, a FOLDER without any, more than 64 levels, and a split other than train,
/// validation and test; with `streaming` also for a sample that is not a GeoTIFF, ids with `/` or `::`, and samples
/// that differ in their descendants. Throws SchemaError for a GeoTIFF whose pixels cannot be decoded, and for columns
/// that TACO 0.2.0 does not have; IoError when a file cannot be read or written, a sample changes its size meanwhile,
/// or `progress` returned false.
TACORE_EXPORT std::vector<std::string> create_taco(const Taco& taco, const std::string& output,
                                                   const CreateTacoOptions& options = {});

/// Writes samples as Tortilla 0.5.0 to `output`, a name in `.tortilla`, which has no collection. Otherwise as
/// create_taco().
TACORE_EXPORT std::vector<std::string> create_tortilla(const Tortilla& samples, const std::string& output,
                                                       const CreateTacoOptions& options = {});

}  // namespace tacore::v1
