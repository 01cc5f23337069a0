#include "commands.hpp"
#include "copying.hpp"

namespace tacore::cli {

int run_index(const IndexCommandOptions& options) {
  TacocatOptions how = options.how;
  run_writer(how.task, [&] { return std::vector{create_tacocat(options.inputs, how)}; });
  return 0;
}

int run_collect(const CollectCommandOptions& options) {
  TacollectionOptions how = options.how;
  run_writer(how.task, [&] { return std::vector{create_tacollection(options.inputs, how)}; });
  return 0;
}

}  // namespace tacore::cli
