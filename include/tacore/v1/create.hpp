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

/// Writing of Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`).
namespace tacore::v1 {

/// The size of the files that create_taco() and create_tortilla() write when `split_size` is not set, in bytes of
/// samples.
inline constexpr uint64_t kDefaultSplitSize = uint64_t{20} << 30;

struct CreateTacoOptions {
  Task task = {};
  OutputOptions output = {};
  /// Bytes of samples in each file, at most: a larger dataset is divided, in order, into `x.0000.part.taco`, ...
  /// (`parse_size` reads "4GB"; footers of nested Tortillas count). A sample that is larger has a file of its own, and
  /// a dataset that fits into one file has the plain name. 0: one file of any size. Not set: kDefaultSplitSize; of
  /// compile() one file.
  std::optional<uint64_t> split_size = {};
  int first_part = 0;  ///< the number of the first file: 0 as the published tools count, 1 as Tortilla 0.5.0 says
  /// Give GeoTIFFs `stats:mean`, `stats:min`, `stats:max` and `stats:std`, a number for each band, where they have
  /// none: all pixels are decoded.
  bool stats = true;
  /// A streaming TACO: its footer also has the tables of all levels, and one of the chunks of its rasters, which become
  /// TOGs (tog.hpp) without loss where they are none (TACO 0.2.0, "Facilitating dataset streaming").
  bool streaming = false;
  /// With `streaming`: samples that are no GeoTIFF, and those that cannot be decoded, stay as they are, without chunks.
  bool allow_non_tog = false;
  /// With `streaming`: store histograms of all rasters. Pixels are decoded twice more.
  bool histograms = true;
  /// With `streaming`: side of the tiles of TOGs in pixels, a multiple of 16. 0: those of a GeoTIFF in square
  /// tiles stay, others get 512, and what fits into one tile has no more than one.
  int64_t block_size = 0;
  int zstd_level = 13;                     ///< with `streaming`: 1 to 22
  const RasterOpener* fallback = nullptr;  ///< for GeoTIFFs that tacore does not decode itself
};

/// Writes `taco` as TACO 0.2.0 to `output`, a name in `.taco`. FOLDERs become nested Tortillas; a tree of any shape is
/// one of v1, of at most 64 levels. Padding is left out. `tortilla:file_format` is the column of that name, else what
/// the bytes of a sample are; `split` becomes `tortilla:data_split`; places and times get the names and units of v1.
/// Returns the files, one unless they are split. All appear whole and synced, or none does. The same samples give the
/// same bytes, whatever the number of threads.
///
/// Throws ValidationError before anything is written: what it would write is there, `output` ends in something else,
/// `first_part` or `output` makes no sense, the collection breaks a rule of 0.2.0 (all are told), no
/// samples, a FOLDER without any, more than 64 levels, a split that is none of train, validation and test; with
/// `streaming` a sample that is no GeoTIFF, ids with `/` or `::`, and samples that differ in what is below them.
/// SchemaError for a GeoTIFF whose
/// pixels cannot be decoded, and for columns that v1 has not. IoError when something cannot be read or written, a
/// sample changes its size meanwhile, or `progress` returned false.
TACORE_EXPORT std::vector<std::string> create_taco(const Taco& taco, const std::string& output,
                                                   const CreateTacoOptions& options = {});

/// The same samples as Tortilla 0.5.0, a name in `.tortilla`: it has no collection.
TACORE_EXPORT std::vector<std::string> create_tortilla(const Tortilla& samples, const std::string& output,
                                                       const CreateTacoOptions& options = {});

}  // namespace tacore::v1
