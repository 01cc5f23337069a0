#pragma once

#include <vector>

#include "tacore/write/extension.hpp"
#include "tacore/write/sample.hpp"

/// TIFF headers as metadata, so that readers read nothing but pixels.
namespace tacore::extensions {

/// The column `taco:header`: the header of a sample's TIFF, which locates its tiles. It is computed from the directory
/// of the TIFF; pixels are not read. Only a TacoTIFF can have it, as `taco tog` writes it: little-endian, with ZSTD
/// tiles of one band each, the tiles of all bands at a position 8 bytes apart. The no-data value is not part of it:
/// Raster::nodata() reads it from the TIFF.
///
///     sample.extend_with(TiffIndex());
class TACORE_EXPORT TiffIndex : public SampleExtension {
 public:
  std::vector<FieldDescription> schema() const override;
  /// Throws SchemaError, with the id of the sample and all reasons why it cannot have the column, also for a FOLDER;
  /// FormatError for a damaged TIFF; IoError.
  std::vector<Value> compute(const Sample& sample) const override;
};

/// Options of with_tiff_index().
struct TiffIndexOptions {
  bool skip_others = false;  ///< null for a TIFF that is not a TacoTIFF, instead of SchemaError
  int jobs = 0;              ///< number of threads; 0: one for each processor
};

/// Makes a copy of `samples` with the column `taco:header` at each level with TIFFs. FOLDERs, and FILEs that are not
/// TIFF, have null. Throws as TiffIndex, and SchemaError when no sample has a TIFF or a level already has that column.
TACORE_EXPORT Tortilla with_tiff_index(const Tortilla& samples, const TiffIndexOptions& options = {});

}  // namespace tacore::extensions
