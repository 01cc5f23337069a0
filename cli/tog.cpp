#include <tacore/raster/tog.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "loaded_library.hpp"

namespace tacore::cli {

int run_tog(const TogCommandOptions& options) {
  TogOptions how = options.how;
  check_output(options.output, how.overwrite);
  run_copy(how.task, [&] { make_tog(options.input, options.output, how, raster_opener()); });
  return 0;
}

}  // namespace tacore::cli
