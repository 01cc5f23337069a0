#include <tacore/raster/tog.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "loaded_library.hpp"

namespace tacore::cli {

int run_tog(const TogCommandOptions& options) {
  check_output(options.output, options.writing);
  run_copy({}, options.writing, [&](const CreateOptions& how) {
    make_tog(options.input, options.output,
             {.block_size = options.block_size,
              .zstd_level = options.zstd_level,
              .overwrite = how.overwrite,
              .jobs = how.jobs,
              .progress = how.progress,
              .user = how.user},
             raster_opener());
  });
  return 0;
}

}  // namespace tacore::cli
