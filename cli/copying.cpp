#include "copying.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <cerrno>

#include <tacore/error.hpp>
#include <tacore/remote.hpp>

#include "arguments.hpp"
#include "loaded_library.hpp"
#include "progress_bar.hpp"

namespace tacore::cli {
namespace {

volatile sig_atomic_t noted = 0;

extern "C" void note_signal(int signal) { noted = signal; }

/// While this lives, Ctrl-C and its like only ask the work to stop, so that it can clean up. Ended by the same signal
/// afterwards.
class Interruptible {
 public:
  Interruptible() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action = {};
      ::sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_DFL) continue;  // nohup
      action.sa_handler = note_signal;
      ::sigaction(signal, &action, nullptr);
    }
  }
  ~Interruptible() {
    if (noted == 0) return;
    ::signal(noted, SIG_DFL);
    ::raise(noted);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// For `progress` of options whose `user` is a ProgressBar: false after Ctrl-C.
bool show(uint64_t num_done, uint64_t num_bytes, void* bar) {
  static_cast<ProgressBar*>(bar)->show(num_done, num_bytes);
  return noted == 0;
}

}  // namespace

void check_output(const std::string& output, const Writing& writing) {
  struct stat status = {};
  if (writing.overwrite) return;
  if (::lstat(output.c_str(), &status) == 0)
    throw ValidationError("exists already; --overwrite replaces it", {.path = output});
  if (errno != ENOENT && errno != ENOTDIR) throw IoError("cannot stat", {.path = output}, errno);
}

void run_copy(CreateOptions options, const Writing& writing, const std::function<void(const CreateOptions&)>& copy) {
  options.overwrite = writing.overwrite;
  options.jobs = writing.jobs;
  options.limit = remote_options().limit;
  options.parquet = parse_parquet(writing.parquet);
  options.temp_dir = writing.temp_dir;
  options.transformer = transformer();
  options.progress = show;
  const Interruptible interruptible;  // nothing was written so far
  ProgressBar bar;
  options.user = &bar;
  try {
    copy(options);
  } catch (const IoError&) {
    if (noted == 0) throw;  // else the signal says it
  }
}

}  // namespace tacore::cli
