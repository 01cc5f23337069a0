#include <functional>
#include <string>
#include <vector>

#include <tacore/error.hpp>

#include "commands.hpp"
#include "copying.hpp"

namespace tacore::cli {
namespace {

/// run_writer() for `work` that joins inputs. An error on their columns names the option that allows it.
void run_joining(Task& task, bool requires_same, const std::function<std::string()>& work) {
  try {
    run_writer(task, [&] { return std::vector{work()}; });
  } catch (const SchemaError& error) {
    const bool is_of_columns = error.message().find(" column '") != std::string::npos;
    if (!requires_same || !is_of_columns || error.message().find("cannot be joined") == std::string::npos) throw;
    throw SchemaError(error.message() + "; --allow-different-columns joins them, with null for what is missing",
                      error.context());
  }
}

}  // namespace

int run_index(const IndexCommandOptions& options) {
  TacocatOptions how = options.how;
  if (options.sidecar) {
    for (const auto& input : options.inputs) {
      run_writer(how.task, [&] {
        return options.check ? check_sidecar(input, how.task)
                             : create_sidecar(input, {.task = how.task, .beside = options.beside});
      });
    }
    return 0;
  }
  run_joining(how.task, how.validate_schema, [&] { return create_tacocat(options.inputs, how); });
  return 0;
}

int run_collect(const CollectCommandOptions& options) {
  TacollectionOptions how = options.how;
  run_joining(how.task, how.validate_schema, [&] { return create_tacollection(options.inputs, how); });
  return 0;
}

}  // namespace tacore::cli
