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

/// Conversion to and from Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`), and checks of such files.
namespace tacore::v1 {

/// Options of tortilla2taco(), taco2tortilla() and join().
struct ConvertOptions {
  Task task = {};             ///< one thread does the work, whatever `jobs` is: samples are copied as they are
  OutputOptions output = {};  ///< `parquet` is for the footer that join() writes
};

/// Converts a Tortilla to a TACO: replaces its header and appends the collection. `output` is a name in `.taco`, or
/// `input`, which is then replaced atomically. Samples are neither read nor changed; disk blocks are shared where the
/// file system supports it. A partition is converted alone.
///
/// Throws ValidationError, before anything is written, when `input` is already a TACO or older than 0.5.0, when the
/// collection breaks a rule of 0.2.0, and when `output` has another name or exists; FormatError when `input` is not a
/// Tortilla; IoError, also when `progress` returned false or `input` was changed meanwhile.
TACORE_EXPORT void tortilla2taco(const std::string& input, const std::string& output, const Collection& collection,
                                 const ConvertOptions& options = {});

/// Converts a TACO to a Tortilla, without its collection: the reverse of tortilla2taco(), which restores the same
/// bytes. `output` is a name in `.tortilla`, or `input`. Throws as tortilla2taco().
TACORE_EXPORT void taco2tortilla(const std::string& input, const std::string& output,
                                 const ConvertOptions& options = {});

/// Joins the partitions of a Tortilla or TACO, in their order, to one file. It is byte for byte the file that
/// create_taco() writes with the same `parquet` options and without splitting. Samples are copied as they are, or share
/// disk blocks. Throws ValidationError, before anything is written, for another number of partitions than their headers
/// say, partitions of two formats or collections, and an `output` of another name or that exists; FormatError for a
/// file that cannot be read, and a sample that is in two partitions; IoError.
TACORE_EXPORT void join(const std::vector<std::string>& parts, const std::string& output,
                        const ConvertOptions& options = {});

/// A sample that sanity_check() could not read.
struct BadSample {
  std::string path = {};    ///< path of ids: a/b
  std::string reason = {};  ///< message of the error
};
/// Reads the data of a FILE for sanity_check(): `data` is the path that GDAL opens, or the bytes of a FILE of format
/// BYTES. Throws a std::exception for data that it does not accept.
using ReadSample = void (*)(const Node& data, void* user);

/// Reads all samples of a DataFrame and their descendants, and returns those that cannot be read: where `read` throws,
/// or a container is damaged. Without `read`, all their bytes are read, TIFFs are decoded, and formats are compared
/// with the first bytes of the samples. `read` is called from `jobs` threads (0: one for each processor).
TACORE_EXPORT std::vector<BadSample> sanity_check(const DataFrame& frame, ReadSample read = nullptr,
                                                  void* user = nullptr, int jobs = 0);

/// Writes the rows that a dataset shows to a Tortilla or TACO, depending on the name of `output`, in the same order.
/// Nested Tortillas are copied unchanged, or written anew when a filter leaves only some of their samples. The
/// collection of a TACO is that of the dataset; statistics are not computed. Returns the paths of the files. Throws as
/// to_taco() and create().
TACORE_EXPORT std::vector<std::string> compile(const Dataset& view, const std::string& output,
                                               const CreateTacoOptions& options = {});

}  // namespace tacore::v1
