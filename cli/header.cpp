#include <tacore/raster/tiff_index.hpp>
#include <tacore/verbose.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "output.hpp"

namespace tacore::cli {

int run_header(const HeaderCommandOptions& options) {
  TiffIndexFileResult result;
  if (!options.output.empty()) check_output(options.output, options.writing);
  run_copy({}, options.writing, [&](const CreateOptions& how) {
    result = write_tiff_index(options.path, {.output = options.output,
                                          .base_path = options.base_path,
                                          .overwrite = how.overwrite,
                                          .jobs = how.jobs,
                                          .progress = how.progress,
                                          .user = how.user});
  });
  if (result.path.empty() || log_level() == LogLevel::Off) return 0;  // stopped, or quiet
  complain(result.path + ": " + std::to_string(result.num_headers) + " headers; " + std::to_string(result.num_others) +
           " other files" + (result.num_broken > 0 ? ", " + std::to_string(result.num_broken) + " broken TIFFs" : ""));
  return 0;
}

}  // namespace tacore::cli
