// Preloaded into the tool: prepares a process that runs it many times. The libraries are loaded, linked and initialised
// once, which takes most of the time of a short run; main() runs in a fork for each request, of tool_server.py.
//
//   TOOL_SERVER  not empty: standard input is a socket of packets, each of them a request. A request consists of
//                strings that end with a NUL: the current folder, the file for standard output, variables
//                "NAME=VALUE", an empty string, and the arguments of main(). The answer is the status that waitpid()
//                gives. Without this variable the program runs as usual.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Main = int(int, char**, char**);
Main* real_main = nullptr;

/// The strings of the next request; none when there are no more.
std::vector<std::string> next_request() {
  std::string bytes(1 << 16, '\0');
  const long size = ::syscall(SYS_read, STDIN_FILENO, bytes.data(), bytes.size());
  std::vector<std::string> out;
  for (long begin = 0; begin < size; begin += static_cast<long>(out.back().size()) + 1) {
    out.emplace_back(bytes.c_str() + begin);
  }
  return out;
}

void redirect(const char* path, int flags, int descriptor) {
  const long opened = ::syscall(SYS_openat, AT_FDCWD, path, flags, 0666);
  if (opened < 0 || ::dup2(static_cast<int>(opened), descriptor) < 0) std::_Exit(126);
  ::syscall(SYS_close, opened);
}

/// In a fork: becomes the tool that `request` is about.
[[noreturn]] void run(std::vector<std::string>& request) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(request[1].c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  if (::chdir(request[0].c_str()) != 0) std::_Exit(126);
  ::unsetenv("TOOL_SERVER");
  std::size_t i = 2;
  for (; !request[i].empty(); ++i) ::putenv(request[i].data());
  std::vector<char*> arguments;
  for (++i; i < request.size(); ++i) arguments.push_back(request[i].data());
  arguments.push_back(nullptr);
  std::exit(real_main(static_cast<int>(arguments.size()) - 1, arguments.data(), environ));
}

/// Stands in for main() in a server.
int serve(int, char**, char**) {
  for (auto request = next_request(); !request.empty(); request = next_request()) {
    const pid_t child = ::fork();
    if (child == 0) run(request);
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) return 1;
    const std::string answer = std::to_string(status);
    ::syscall(SYS_write, STDIN_FILENO, answer.data(), answer.size());
  }
  return 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// What the C library calls, of a program whose libraries are loaded and initialised, to run main().
int __libc_start_main(Main* main, int count, char** arguments, void (*init)(), void (*fini)(), void (*linker_fini)(),
                      void* stack_end) {
  real_main = main;
  const char* server = std::getenv("TOOL_SERVER");
  const bool is_server = server != nullptr && *server != '\0';
  const auto next = reinterpret_cast<decltype(__libc_start_main)*>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(is_server ? serve : main, count, arguments, init, fini, linker_fini, stack_end);
}
}
#pragma GCC visibility pop
