#include <tacore/raster/tiff_index.hpp>
#include <tacore/verbose.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "output.hpp"

namespace tacore::cli {

int run_index_tiffs(const TiffIndexCommandOptions& options) {
  TiffIndexFileResult result;
  TiffIndexFileOptions how = options.how;
  if (!how.output.empty()) check_output(how.output, how.overwrite);
  run_copy(how.task, [&] { result = write_tiff_index(options.path, how); });
  if (result.path.empty() || log_level() == LogLevel::Off) return 0;  // stopped, or quiet
  complain(result.path + ": " + std::to_string(result.num_headers) + " headers; " + std::to_string(result.num_others) +
           " other files" + (result.num_broken > 0 ? ", " + std::to_string(result.num_broken) + " broken TIFFs" : ""));
  return 0;
}

}  // namespace tacore::cli
