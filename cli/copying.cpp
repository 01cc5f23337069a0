#include "copying.hpp"

#include <sys/stat.h>

#include <tacore/error.hpp>

#include "arguments.hpp"
#include "interruptible.hpp"
#include "progress_bar.hpp"

namespace tacore::cli {
void check_output(const std::string& output, const Writing& writing) {
  struct stat status = {};
  if (writing.overwrite || ::lstat(output.c_str(), &status) != 0) return;
  throw ValidationError("exists already; --overwrite replaces it", {.path = output});
}

void run_copy(CreateOptions options, const Writing& writing, const std::function<void(const CreateOptions&)>& copy) {
  options.overwrite = writing.overwrite;
  options.jobs = writing.jobs;
  options.parquet = parse_parquet(writing.parquet);
  options.temp_dir = writing.temp_dir;
  options.progress = show_unless_interrupted;
  const Interruptible interruptible;  // nothing was written so far
  ProgressBar bar;
  options.user = &bar;
  try {
    copy(options);
  } catch (const IoError&) {
    if (!Interruptible::interrupted()) throw;  // else the signal says it
  }
}

}  // namespace tacore::cli
