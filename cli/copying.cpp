#include "copying.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>

#include <tacore/dataset.hpp>
#include <tacore/error.hpp>
#include <tacore/interrupt.hpp>
#include <tacore/remote.hpp>
#include <tacore/verbose.hpp>

#include "arguments.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "output.hpp"
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

/// The folder of several ZIPs when it has their index, which opens them all; else the first path.
std::string opened_by(const std::vector<std::string>& made) {
  const std::string& first = made.front();
  const auto slash = first.rfind('/');
  const std::string folder = slash == first.npos ? "." : first.substr(0, slash);
  struct stat status = {};
  return made.size() > 1 && ::stat((folder + "/.tacocat").c_str(), &status) == 0 ? folder : first;
}

/// "chips.tacozip: 5,000 samples, 100.3 MB, 2.4 s", and what may be done next.
void announce(const std::vector<std::string>& made, double seconds, const std::string& more) {
  const std::string path = opened_by(made);
  std::string text = made.size() == 1 ? path + ": " : count_of(made.size(), "file") + ": ";
  if (!ends_with(path, ".json"))  // a catalogue would open all that it lists
    text += count_of(static_cast<uint64_t>(load(std::span(made)).num_rows()), "sample") + ", ";
  double size = 0;
  for (const auto& each : made) {
    struct stat status = {};
    if (::stat(each.c_str(), &status) == 0 && S_ISREG(status.st_mode)) size += static_cast<double>(status.st_size);
  }
  if (size > 0) text += bytes_text(size) + ", ";
  char took[32];
  std::snprintf(took, sizeof took, "%.1f s", seconds);
  complain(text + took + more, Colour::Green);
  complain("next: taco info " + path + "; taco validate " + path);
}

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

void run_copy(Task& task, const std::function<void()>& work, const char* what) {
  const Interruptible interruptible;  // nothing was written so far
  ProgressBar bar(what);
  task.progress = show;
  task.user = &bar;
  set_interrupt_check([](void*) { return noted != 0; });
  try {
    work();
  } catch (const IoError&) {
    if (noted == 0) throw;  // else the signal says it
  } catch (const QueryError&) {
    if (noted == 0) throw;
  } catch (const ValidationError& error) {
    if (error.message() == "exists already")
      throw ValidationError("exists already; --overwrite replaces it", error.context());
    // An option that the library names in words of C++ and Python.
    constexpr std::string_view kOption = "without an index (consolidate)";
    if (!error.message().ends_with(kOption)) throw;
    const auto before = error.message().size() - kOption.size();
    throw ValidationError(error.message().substr(0, before) + "with --no-consolidate, which makes no index",
                          error.context());
  }
}

void run_writer(Task& task, const std::function<std::vector<std::string>()>& work, const std::string& more) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> made;
  run_copy(task, [&] { made = work(); });
  if (noted == 0 && !made.empty() && is_terminal_error() && log_level() != LogLevel::Off)
    announce(made, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), more);
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
