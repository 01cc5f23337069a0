#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <tacore/dataset.hpp>
#include <tacore/interrupt.hpp>
#include <tacore/ops/view.hpp>
#include <tacore/plumbing/apart.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "output.hpp"
#include "utf8.hpp"

extern char** environ;

namespace tacore::cli {
namespace {

/// Ctrl-C and its like, which are waited for instead of ending the process at once; the threads of a server that starts
/// while this lives do not get them either.
class EndingSignals {
 public:
  EndingSignals() {
    ::sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~EndingSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  void wait() const {
    int signal = 0;
    while (::sigwait(&signals_, &signal) != 0) {}
  }
  /// For a child, which shall have the signals of this process before.
  const sigset_t& before() const noexcept { return before_; }

 private:
  sigset_t signals_ = {};
  sigset_t before_ = {};
};

/// Opens a URL in the browser of the desktop, if there is one. False when there is none.
bool open_browser(const std::string& url, const EndingSignals& signals) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY") && !std::getenv("BROWSER")) return false;
  std::string program = "xdg-open", argument = url;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  for (const int descriptor : {0, 1, 2})  // what browsers say of themselves is of no use here
    ::posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
  ::posix_spawnattr_setsigmask(&attributes, &signals.before());
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const bool is_started = ::posix_spawnp(&child, program.c_str(), &files, &attributes, arguments, environ) == 0;
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  int status = 0;
  return is_started && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void write_page(const ViewCommandOptions& options) {
  if (options.path.empty()) {
    with_output(options.output, {}, [&](tabular::Output& to) { to.write(viewer_page()); });
    return;
  }
  const Dataset dataset = load(options.path, options.load);
  const auto folder = std::filesystem::path(options.output.path).parent_path().string();
  const ViewerPageOptions how{.base_url = options.base_url, .servers = options.servers};
  with_output(options.output, described_files(files_of(dataset)),
              [&](tabular::Output& to) { to.write(viewer_page(dataset, folder.empty() ? "." : folder, how)); });
}

void serve(const ViewCommandOptions& options) {
  const Dataset dataset = load(options.path, options.load);
  const EndingSignals signals;
  const ViewServer server(dataset, static_cast<uint16_t>(options.port));
  print(server.url() + "\n");
  const bool is_open = options.opens_browser && open_browser(server.url(), signals);
  complain(printable(options.path) + (is_open ? ": opened in the browser" : ": open this address in a browser") +
           "; Ctrl-C ends");
  signals.wait();
  set_interrupt_check([](void*) { return true; });  // requests to other servers end at once
}

}  // namespace

int run_view(const ViewCommandOptions& options) {
  const bool writes = !options.output.path.empty();
  if (!writes && options.path.empty())
    throw UsageError("name a dataset, or with -o FILE write a page that shows any dataset");
  if (writes && (options.port != 0 || !options.opens_browser))
    throw UsageError("--port and --no-browser are for viewing at once, not for a page in a file (-o)");
  if (!writes && (!options.base_url.empty() || !options.servers.empty()))
    throw UsageError("--base-url and --server are for a page in a file: add -o FILE");
  if (options.path.empty() && (!options.base_url.empty() || !options.servers.empty()))
    throw UsageError("--base-url and --server are for the page of a dataset, and none is named");
  if (options.port > 65535) throw UsageError("--port is " + std::to_string(options.port) + ", 0 to 65535 expected");
  if (writes) write_page(options);
  else serve(options);
  return 0;
}

}  // namespace tacore::cli
