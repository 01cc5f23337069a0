#include "copying.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <cerrno>

#include <tacore/error.hpp>
#include <tacore/interrupt.hpp>
#include <tacore/remote.hpp>

#include "arguments.hpp"
#include "loaded_library.hpp"
#include "progress_bar.hpp"
#include "utf8.hpp"

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

void check_output(const std::string& output, bool overwrite) {
  struct stat status = {};
  if (overwrite) return;
  if (::lstat(output.c_str(), &status) == 0)
    throw ValidationError("exists already; --overwrite replaces it", {.path = output});
  if (errno != ENOENT && errno != ENOTDIR) throw IoError("cannot stat", {.path = output}, errno);
}

void check_ending(const std::string& output) {
  const std::string name = output.substr(output.rfind('/') + 1);  // "" with a slash at the end
  const auto dot = name.rfind('.');
  if (dot == name.npos || dot == 0) return;
  const std::string ending = name.substr(dot + 1);
  const bool is_number = ending.find_first_not_of("0123456789") == ending.npos;  // of a version
  if (is_number) return;
  for (const char* known : {".tacozip", ".zip", ".taco", ".tortilla"}) {
    if (ends_with(name, known)) return;
  }
  struct stat status = {};
  if (::stat(output.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return;
  throw UsageError(in_quotes(output) + " ends in ." + ending +
                   ", as no dataset does: .tacozip or .zip makes a ZIP, a slash at the end a folder, and .taco and "
                   ".tortilla are those of before 2.0");
}

CreateOptions completed(CreateOptions options) {
  options.max_concurrent_requests = remote_options().max_concurrent_requests;
  options.transformer = transformer();
  return options;
}

void run_copy(Task& task, const std::function<void()>& work) {
  const Interruptible interruptible;  // nothing was written so far
  ProgressBar bar;
  task.progress = show;
  task.user = &bar;
  try {
    work();
  } catch (const IoError&) {
    if (noted == 0) throw;  // else the signal says it
  } catch (const ValidationError& error) {
    if (error.message() != "exists already") throw;
    throw ValidationError("exists already; --overwrite replaces it", error.context());
  }
}

void run_interruptibly(const std::function<void()>& work) {
  const Interruptible interruptible;
  set_interrupt_check([](void*) { return noted != 0; });
  try {
    work();
  } catch (const IoError&) {
    if (noted == 0) throw;  // else the signal says it
  } catch (const QueryError&) {
    if (noted == 0) throw;
  }
}

}  // namespace tacore::cli
