#include <tacore/consolidate.hpp>
#include <tacore/error.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "interruptible.hpp"
#include "progress_bar.hpp"

namespace tacore::cli {
namespace {

/// Calls `work` with a progress bar, and lets it clean up on Ctrl-C.
template <class Work>
int run_interruptible(const Work& work) {
  const Interruptible interruptible;
  ProgressBar bar;
  try {
    work(&bar);
  } catch (const IoError&) {
    if (!Interruptible::interrupted()) throw;  // else the signal says it
  } catch (const ValidationError& error) {
    if (error.message() != "exists already") throw;
    throw ValidationError("exists already; --overwrite replaces it", error.context());
  }
  return 0;
}

}  // namespace

int run_index(const IndexCommandOptions& options) {
  const ParquetOptions parquet = parse_parquet(options.parquet);
  return run_interruptible([&](ProgressBar* bar) {
    create_tacocat(options.inputs, {.output = options.output,
                                    .validate_schema = !options.no_validate_schema,
                                    .single_file = options.single_file,
                                    .overwrite = options.overwrite,
                                    .jobs = options.jobs,
                                    .parquet = parquet,
                                    .progress = show_unless_interrupted,
                                    .user = bar});
  });
}

int run_collect(const IndexCommandOptions& options) {
  return run_interruptible([&](ProgressBar* bar) {
    create_tacollection(options.inputs, {.output = options.output,
                                         .validate_schema = !options.no_validate_schema,
                                         .overwrite = options.overwrite,
                                         .jobs = options.jobs,
                                         .progress = show_unless_interrupted,
                                         .user = bar});
  });
}

}  // namespace tacore::cli
