#pragma once

#include <vector>

#include "tacore/write/extension.hpp"
#include "tacore/write/sample.hpp"

/// The structure of TIFFs as metadata, so that readers need nothing before the pixels.
namespace tacore::extensions {

/// `taco:header` of a sample: where the tiles of its TIFF lie. Reads its directory, not its pixels. Only what TacoTIFF
/// allows has one: tiles of a band each, one after another for each place and 8 bytes apart, ZSTD, little-endian, as
/// `taco tog` writes them. No data is not part of it: Raster::nodata() looks it up in the TIFF.
class TACORE_EXPORT TiffIndex : public SampleExtension {
 public:
  std::vector<FieldDescription> schema() const override;
  /// Throws SchemaError, with the id of the sample and all reasons why it has none, also for a FOLDER; FormatError for
  /// a broken TIFF; IoError.
  std::vector<Value> compute(const Sample& sample) const override;
};

struct TiffIndexOptions {
  bool skip_others = false;  ///< null for a TIFF that cannot have one, instead of SchemaError
  int jobs = 0;              ///< threads; 0 is one for each processor
};

/// The same for the FILEs of all levels. A FOLDER, and a FILE that is no TIFF, has null; a level of these alone gets no
/// column. Throws as above, and SchemaError when no sample has a header or a level has that column.
TACORE_EXPORT Tortilla with_tiff_index(const Tortilla& samples, const TiffIndexOptions& options = {});

}  // namespace tacore::extensions
