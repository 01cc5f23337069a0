#include "workers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace tacore::mutate {
namespace {

constexpr int kPollMs = 50;
// A process that waits for something burns no time: then the clock on the wall counts.
constexpr double kWallFactor = 30;
constexpr uint64_t kIdle = UINT64_MAX;

/// What the processes see of each other.
struct Shared {
  std::atomic<uint64_t> next{0};
  struct Slot {
    std::atomic<uint64_t> now{kIdle};
    std::atomic<double> cpu_start{0};
    std::atomic<double> wall_start{0};
  } slots[64];
};

double seconds(clockid_t clock) {
  timespec now = {};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void write_all(int file, const void* from, std::size_t size) {
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t n = ::write(file, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(3);
    at += n;
    size -= static_cast<std::size_t>(n);
  }
}

bool read_all(int file, void* to, std::size_t size) {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t n = ::read(file, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

class Workers {
 public:
  Workers(std::size_t count, const Limits& limits, const std::function<std::string(std::size_t)>& work,
          const std::function<void(std::size_t, const std::string&)>& report)
      : count_(count), limits_(limits), work_(work), report_(report) {
    void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("mmap");
    shared_ = new (memory) Shared;
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { ::munmap(shared_, sizeof(Shared)); }

  void run() {
    workers_.resize(static_cast<std::size_t>(limits_.jobs));
    for (std::size_t w = 0; w < workers_.size(); ++w) start(w);
    while (!workers_.empty() && watch()) {
    }
  }

 private:
  struct Worker {
    pid_t process = 0;
    int pipe = -1;
    bool killed = false;
  };

  void start(std::size_t w) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    shared_->slots[w].now = kIdle;
    const pid_t process = ::fork();
    if (process < 0) fail("fork");
    if (process == 0) {
      ::close(ends[0]);
      serve(w, ends[1]);
    }
    ::close(ends[1]);
    workers_[w] = {process, ends[0], false};
  }

  [[noreturn]] void serve(std::size_t w, int pipe) {
    auto& slot = shared_->slots[w];
    for (uint64_t i; (i = shared_->next++) < count_;) {
      slot.cpu_start = seconds(CLOCK_PROCESS_CPUTIME_ID);
      slot.wall_start = seconds(CLOCK_MONOTONIC);
      slot.now = i;
      const std::string fault = work_(i);
      slot.now = kIdle;
      if (!fault.empty()) send(pipe, i, fault);
    }
    _exit(0);  // threads of libraries, and their destructors, are of no concern
  }

  static void send(int pipe, uint64_t i, const std::string& fault) {
    const uint64_t size = fault.size();
    write_all(pipe, &i, sizeof i);
    write_all(pipe, &size, sizeof size);
    write_all(pipe, fault.data(), fault.size());
  }

  /// False when all are done.
  bool watch() {
    std::vector<pollfd> waiting;
    for (const Worker& worker : workers_) {
      if (worker.pipe >= 0) waiting.push_back({worker.pipe, POLLIN, 0});
    }
    if (waiting.empty()) return false;
    ::poll(waiting.data(), waiting.size(), kPollMs);
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      for (const pollfd& one : waiting) {
        if (one.fd == workers_[w].pipe && one.revents != 0) receive(w);
      }
      if (workers_[w].pipe >= 0) check_time(w);
    }
    return true;
  }

  void receive(std::size_t w) {
    uint64_t head[2];
    if (!read_all(workers_[w].pipe, head, sizeof head)) return ended(w);
    std::string fault(head[1], '\0');
    if (!read_all(workers_[w].pipe, fault.data(), fault.size())) return ended(w);
    report_(head[0], fault);
  }

  void ended(std::size_t w) {
    Worker& worker = workers_[w];
    int status = 0;
    ::waitpid(worker.process, &status, 0);
    ::close(worker.pipe);
    worker.pipe = -1;
    const uint64_t now = shared_->slots[w].now;
    if (now == kIdle && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (now != kIdle) report_(now, worker.killed ? "hangs" : describe(status));
    start(w);
  }

  static std::string describe(int status) {
    if (WIFSIGNALED(status)) return std::string("crash: ") + strsignal(WTERMSIG(status));
    return "crash: exit status " + std::to_string(WEXITSTATUS(status));
  }

  void check_time(std::size_t w) {
    Worker& worker = workers_[w];
    auto& slot = shared_->slots[w];
    const uint64_t now = slot.now;
    clockid_t clock;
    if (now == kIdle || worker.killed || clock_getcpuclockid(worker.process, &clock) != 0) return;
    const double cpu = seconds(clock) - slot.cpu_start, wall = seconds(CLOCK_MONOTONIC) - slot.wall_start;
    if (cpu < limits_.seconds && wall < limits_.seconds * kWallFactor) return;
    if (slot.now != now) return;
    worker.killed = true;
    ::kill(worker.process, SIGKILL);
  }

  std::size_t count_;
  Limits limits_;
  const std::function<std::string(std::size_t)>& work_;
  const std::function<void(std::size_t, const std::string&)>& report_;
  Shared* shared_;
  std::vector<Worker> workers_;
};

}  // namespace

void run_in_workers(std::size_t count, const Limits& limits, const std::function<std::string(std::size_t)>& work,
                    const std::function<void(std::size_t, const std::string&)>& report) {
  Workers(count, limits, work, report).run();
}

}  // namespace tacore::mutate
