#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/create.hpp"
#include "tacore/export.hpp"
#include "tacore/parquet_options.hpp"
#include "tacore/raster.hpp"

/// What only Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`) have. They are read as any dataset is.
namespace tacore::v1 {

struct CreateOptions {
  bool overwrite = false;  ///< replace what is there, in one step
  /// Files of at most this many bytes of samples each, filled in order: `x.0000.part.taco`, ... (`parse_size` reads
  /// "4GB"; footers of nested Tortillas count). A sample that is larger has one of its own, and what fits into one has
  /// the plain name. 0: no limit.
  uint64_t split_size = 0;
  int first_part = 0;  ///< the number of the first file: 0 as the published tools count, 1 as Tortilla 0.5.0 says
  /// Give GeoTIFFs `stats:mean`, `stats:min`, `stats:max` and `stats:std`, a number for each band, where they have
  /// none: all pixels are decoded.
  bool stats = true;
  const RasterOpener* others = nullptr;  ///< for GeoTIFFs that tacore does not decode itself
  int jobs = 0;                          ///< threads; 0: one for each processor
  ParquetOptions parquet = {};
  /// The folder, on the file system of the output, where files are until they are whole; "": beside the output.
  std::string temp_dir = {};
  /// Called now and then with how many of `num_bytes` are copied, from one thread at a time. false stops the work.
  bool (*progress)(uint64_t num_done, uint64_t num_bytes, void* user) = nullptr;
  void* user = nullptr;
};

/// Writes `taco` as TACO 0.2.0 to `output`, a name in `.taco`. FOLDERs become nested Tortillas; a tree of any shape is
/// one of v1. Padding is left out. `tortilla:file_format` is the column of that name, else what the bytes of a sample
/// are; `split` becomes `tortilla:data_split`; places and times get the names and units of v1. Returns the files, one
/// unless they are split. All appear whole and synced, or none does. The same samples give the same bytes, whatever
/// `jobs` is.
///
/// Throws ValidationError before anything is written: what it would write is there, `output` ends in something else,
/// `first_part`, `parquet` or `temp_dir` makes no sense, the collection breaks a rule of 0.2.0 (all are told), no
/// samples, a FOLDER without any, a split that is none of train, validation and test. SchemaError for a GeoTIFF whose
/// pixels cannot be decoded, and for columns that v1 has not. IoError when something cannot be read or written, a
/// sample changes its size meanwhile, or `progress` returned false.
TACORE_EXPORT std::vector<std::string> create(const Taco& taco, const std::string& output,
                                              const CreateOptions& options = {});

/// The same samples as Tortilla 0.5.0, a name in `.tortilla`: it has no collection.
TACORE_EXPORT std::vector<std::string> create(const Tortilla& samples, const std::string& output,
                                              const CreateOptions& options = {});

struct ConvertOptions {
  bool overwrite = false;  ///< replace what is there; what is converted in place is replaced anyway
  /// The folder, on the file system of the output, where the file is until it is whole; "": beside the output.
  std::string temp_dir = {};
  ParquetOptions parquet = {};  ///< of the footer that join() writes
  /// Called now and then with how many of `num_bytes` are copied or shared. false stops the work.
  bool (*progress)(uint64_t num_done, uint64_t num_bytes, void* user) = nullptr;
  void* user = nullptr;
};

/// Makes a TACO of the Tortilla `input`: another header, and COLLECTION behind the rest. `output` is a name in `.taco`,
/// or `input`, which is replaced in one step then. Samples are neither read nor changed; the file system shares their
/// blocks where it can. A part of a set is converted alone.
///
/// Throws ValidationError before anything is written: `input` is a TACO already, or of the generation before 0.5.0; the
/// collection breaks a rule of 0.2.0; `output` has another name or is there. FormatError for what is no Tortilla.
/// IoError, also when it was stopped or `input` was changed meanwhile.
TACORE_EXPORT void tortilla2taco(const std::string& input, const std::string& output, const Collection& collection,
                                 const ConvertOptions& options = {});

/// The reverse, which drops COLLECTION: of what tortilla2taco() made it gives the same bytes again. `output` is a name
/// in `.tortilla`, or `input`. Throws as above.
TACORE_EXPORT void taco2tortilla(const std::string& input, const std::string& output,
                                 const ConvertOptions& options = {});

/// Makes one file of the parts of a set, in their order: the one that create() with the same `parquet` writes without
/// `split_size`, byte for byte. Samples are copied as they are, or shared. Throws ValidationError before anything is
/// written: another number of parts than their headers say, parts of two kinds or collections, an `output` of another
/// name or one that is there. FormatError for what cannot be read, or a sample that two parts have. IoError.
TACORE_EXPORT void join(const std::vector<std::string>& parts, const std::string& output,
                        const ConvertOptions& options = {});

}  // namespace tacore::v1
