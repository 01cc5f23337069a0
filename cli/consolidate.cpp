#include <functional>

#include <tacore/ops/consolidate.hpp>
#include <tacore/error.hpp>

#include "commands.hpp"
#include "copying.hpp"

namespace tacore::cli {
namespace {

int run(const Writing& writing, const std::function<void(const CreateOptions&)>& consolidate) {
  try {
    run_copy({}, writing, consolidate);
  } catch (const ValidationError& error) {
    if (error.message() != "exists already") throw;
    throw ValidationError("exists already; --overwrite replaces it", error.context());
  }
  return 0;
}

}  // namespace

int run_index(const IndexCommandOptions& options) {
  return run(options.writing, [&](const CreateOptions& how) {
    create_tacocat(options.inputs, {.output = options.output,
                                    .validate_schema = !options.no_validate_schema,
                                    .single_file = options.single_file,
                                    .overwrite = how.overwrite,
                                    .jobs = how.jobs,
                                    .parquet = how.parquet,
                                    .progress = how.progress,
                                    .user = how.user});
  });
}

int run_collect(const IndexCommandOptions& options) {
  return run(options.writing, [&](const CreateOptions& how) {
    create_tacollection(options.inputs, {.output = options.output,
                                         .validate_schema = !options.no_validate_schema,
                                         .overwrite = how.overwrite,
                                         .jobs = how.jobs,
                                         .progress = how.progress,
                                         .user = how.user});
  });
}

}  // namespace tacore::cli
