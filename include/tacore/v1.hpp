#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacore/create.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/dataset.hpp"
#include "tacore/export.hpp"
#include "tacore/parquet_options.hpp"
#include "tacore/raster.hpp"
#include "tacore/tensor.hpp"

/// What only Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`) have. They are read as any dataset is.
namespace tacore::v1 {

/// A collection for create(), from JSON text in the form of TACO 0.2.0 or of TACO 2 in which anything may be missing;
/// keys it does not know are kept, and what says nothing sensible is left out with a warning. `path` is for messages.
/// Throws FormatError.
TACORE_EXPORT Collection parse_draft_collection(std::string_view json, const std::string& path);

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
  int zstd_level = 13;                   ///< with `streaming`: 1 to 22
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
/// one of v1, of at most 64 levels. Padding is left out. `tortilla:file_format` is the column of that name, else what
/// the bytes of a sample are; `split` becomes `tortilla:data_split`; places and times get the names and units of v1.
/// Returns the files, one unless they are split. All appear whole and synced, or none does. The same samples give the
/// same bytes, whatever `jobs` is.
///
/// Throws ValidationError before anything is written: what it would write is there, `output` ends in something else,
/// `first_part`, `parquet` or `temp_dir` makes no sense, the collection breaks a rule of 0.2.0 (all are told), no
/// samples, a FOLDER without any, more than 64 levels, a split that is none of train, validation and test; with
/// `streaming` a sample that is no GeoTIFF, ids with `/` or `::`, and samples that differ in what is below them.
/// SchemaError for a GeoTIFF whose
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
struct ChunkOptions {
  bool keep_padding = false;  ///< the whole tile where the image ends inside of it; what lies beyond is unspecified
};

/// A chunk of a raster: the tiles of all its bands at one place. `id` is that of the raster, or a path of ids from
/// here, then `::` and the number of the place, counted row by row: "lrf::2", "img1/lrf::2". Shape (bands, height,
/// width), as far as the image goes; bands that a mrio file unfolds into several axes have these instead. Tiles that
/// are left out hold no data, or 0 where none is set.
///
/// In a streaming TACO its footer says where the chunk is, and one range is read. Else the directory of the TIFF does.
///
/// Throws QueryError for an id of another form and for a number that the raster does not have; NavigationError as
/// DataFrame::read, and for a FOLDER; FormatError when the footer or the file lies, and for pixels that are not
/// decoded; IoError.
TACORE_EXPORT Tensor read_chunk(const DataFrame& frame, std::string_view id, const ChunkOptions& options = {});

/// What an id of TACO 0.2.0 leads to: a path for GDAL, the children of a Tortilla, the bytes of a BYTES, a chunk.
using Datum = std::variant<VsiPath, DataFrame, Bytes, Tensor>;

/// DataFrame::read and read_chunk() in one: an id that is there is read, though it may end like a chunk. Throws as they
/// do.
TACORE_EXPORT Datum read(const DataFrame& frame, std::string_view id);

/// The valid pixels of a band in 100 bins of one width from the least to the greatest of the whole dataset, whatever
/// samples they are of.
struct TACORE_EXPORT BandHistogram {
  double min = 0, max = 0;            ///< of the dataset; NaN where it has no valid pixel
  std::vector<uint64_t> counts = {};  ///< 100

  uint64_t count() const;
  /// In the first bin at whose end a share `p` of all pixels is reached, as if its pixels lay evenly in it; NaN without
  /// pixels. Off by a bin at most. Throws QueryError for p outside [0, 1].
  double quantile(double p) const;
  /// As if all pixels lay in the middle of their bins; NaN without pixels.
  double mean() const;
  double standard_deviation() const;
  /// What takes the quantile `low` to 0 and `high` to 1, as TensorOptions::scale and a Loader want it; the difference
  /// counts as 1 where they are equal. Throws QueryError without pixels, and unless 0 <= low <= high <= 1.
  Scale scale(double low = 0.025, double high = 0.985) const;
};

/// Of the rasters of one path below each sample.
struct ComponentHistogram {
  std::string component = {};  ///< "lrf", "a/x"; "." where the samples are rasters
  std::vector<BandHistogram> bands = {};
  int64_t num_samples = 0;  ///< that are in it
  /// The file has counts relative to the largest only (8 bits): sums weigh samples wrongly.
  bool is_relative = false;
};

/// The precomputed histograms of a streaming TACO, of the samples of a frame together: one, some or all of level 0. No
/// pixels are read. Empty when the dataset has none. Throws QueryError for rows that are not at level 0;
/// NavigationError for rows that a query stripped of what navigation needs; FormatError for histograms that lie, and
/// for samples of datasets whose histograms have different ranges; IoError.
TACORE_EXPORT std::vector<ComponentHistogram> histograms(const DataFrame& samples);
/// Of all samples of a view.
TACORE_EXPORT std::vector<ComponentHistogram> histograms(const Dataset& dataset);

/// Of `stac-tortilla` and `rai-tortilla` (Tortilla 0.5.0) those whose fields are all among the columns of level 0,
/// whatever they hold. `stac:tensor_shape` and `rai:ele` count as `stac:raster_shape` and `rai:elevation`. Empty for
/// datasets of 2.0.
TACORE_EXPORT std::vector<std::string> profiles_of(const Dataset& dataset);

/// A sample that sanity_check() found wanting.
struct BadSample {
  std::string path = {};    ///< ids from the root down: a/b
  std::string reason = {};  ///< what was thrown
};
/// Looks at the data of a FILE: the path that GDAL opens, or the bytes of one of format BYTES. Throws a std::exception
/// for data that it does not accept.
using ReadSample = void (*)(const Node& data, void* user);

/// Reads all samples of a frame and of all below them, and returns those that could not be: where `read` throws, or a
/// container is damaged. Without `read` all their bytes are read, TIFFs decoded, and formats held against what samples
/// begin with. `read` is called from `jobs` threads (0: one for each processor).
TACORE_EXPORT std::vector<BadSample> sanity_check(const DataFrame& frame, ReadSample read = nullptr,
                                                  void* user = nullptr, int jobs = 0);

/// Writes the dataset at `input` in another version or container, told by the name of `output`: `.tortilla`, `.taco`,
/// `.tacozip`, `.zip`, else a FOLDER. Partitions are joined; `options.split_size` splits anew. No byte of a sample
/// changes, and no value of its metadata, which gets names and types of the other version (docs/format.md, "v1 and
/// v2"). Nested Tortillas are FOLDERs; for 2.0 samples of different shapes are padded, and ids that it does not allow
/// are replaced and kept in a column, and more than six levels are refused. `collection` is put over that of the input:
/// whole when it has `json`, else the members that are set. What 2.0 requires and nothing states is filled in, with a
/// warning: id by the name of the file, version 1.0.0, a description, licence and provider unknown, task other. Returns
/// the files.
///
/// Throws what load() and create() throw, SchemaError with the first differences when no padding mends a tree.
TACORE_EXPORT std::vector<std::string> convert(const std::string& input, const std::string& output,
                                               const Collection& collection = {},
                                               const tacore::CreateOptions& options = {});

/// Writes what a view shows as one Tortilla or TACO, as the name of `output` says, its rows in the order of the view.
/// Nested Tortillas are copied whole, or made anew where a filter of the view leaves only some of their samples.
/// The collection of a TACO is that of the view; statistics are not computed. Throws as taco_of() and create() do.
TACORE_EXPORT std::vector<std::string> compile(const Dataset& view, const std::string& output,
                                               const CreateOptions& options = {});

}  // namespace tacore::v1
