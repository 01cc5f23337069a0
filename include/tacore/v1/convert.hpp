#pragma once

#include <string>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/dataset.hpp"
#include "tacore/task.hpp"
#include "tacore/v1/create.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/create.hpp"
#include "tacore/write/output.hpp"

/// Conversion to and from Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`), and their checks.
namespace tacore::v1 {

struct ConvertOptions {
  Task task = {};             ///< one thread does the work: samples are copied as they are
  OutputOptions output = {};  ///< `parquet` is for the footer that join() writes
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

/// Makes one file of the parts of a set, in their order: the one that create_taco() with the same `parquet` writes as
/// one file, byte for byte. Samples are copied as they are, or shared. Throws ValidationError before anything is
/// written: another number of parts than their headers say, parts of two kinds or collections, an `output` of another
/// name or one that is there. FormatError for what cannot be read, or a sample that two parts have. IoError.
TACORE_EXPORT void join(const std::vector<std::string>& parts, const std::string& output,
                        const ConvertOptions& options = {});

/// A sample that sanity_check() could not read.
struct BadSample {
  std::string path = {};    ///< ids from the root down: a/b
  std::string reason = {};  ///< what was thrown
};
/// Looks at the data of a FILE: the path that GDAL opens, or the bytes of one of format BYTES. Throws a std::exception
/// for data that it does not accept.
using ReadSample = void (*)(const Node& data, void* user);

/// Reads all samples of a frame and of all below them, and returns those that could not be: where `read` throws, or a
/// container is damaged. Without `read` all their bytes are read, TIFFs decoded, and formats compared with what samples
/// begin with. `read` is called from `jobs` threads (0: one for each processor).
TACORE_EXPORT std::vector<BadSample> sanity_check(const DataFrame& frame, ReadSample read = nullptr,
                                                  void* user = nullptr, int jobs = 0);

/// Writes what a view shows as one Tortilla or TACO, as the name of `output` says, its rows in the order of the view.
/// Nested Tortillas are copied whole, or made anew where a filter of the view leaves only some of their samples.
/// The collection of a TACO is that of the view; statistics are not computed. Throws as to_taco() and create() do.
TACORE_EXPORT std::vector<std::string> compile(const Dataset& view, const std::string& output,
                                               const CreateTacoOptions& options = {});

}  // namespace tacore::v1
