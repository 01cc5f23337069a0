#include "interruptible.hpp"

#include <signal.h>

#include "progress_bar.hpp"

namespace tacore::cli {
namespace {

volatile sig_atomic_t noted = 0;

extern "C" void note_signal(int signal) { noted = signal; }

}  // namespace

Interruptible::Interruptible() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;  // nohup
    action.sa_handler = note_signal;
    ::sigaction(signal, &action, nullptr);
  }
}

Interruptible::~Interruptible() {
  if (noted == 0) return;
  ::signal(noted, SIG_DFL);
  ::raise(noted);
}

bool Interruptible::interrupted() noexcept { return noted != 0; }

bool show_unless_interrupted(uint64_t num_done, uint64_t num_bytes, void* bar) {
  static_cast<ProgressBar*>(bar)->show(num_done, num_bytes);
  return !Interruptible::interrupted();
}

}  // namespace tacore::cli
