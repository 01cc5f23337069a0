#include "log.hpp"

#include <cstddef>
#include <deque>
#include <mutex>
#include <string_view>

#include "call.hpp"
#include "handles.hpp"
#include "json.hpp"
#include "tacore/verbose.hpp"

namespace tacore::c {
namespace {

constexpr std::size_t kMaxKept = 1000;

struct Log {
  std::mutex mutex = {};
  std::deque<std::string> lines = {};
  std::size_t num_dropped = 0;
};

/// Never destroyed: messages may come from threads that outlive static objects.
Log& log() {
  static Log* const all = new Log;
  return *all;
}

std::string line_of(const char* level, std::string_view message) {
  return to_text({{"level", level}, {"message", message}}) + "\n";
}

void keep(LogLevel level, std::string_view message, void*) {
  const char* name = level == LogLevel::Debug ? "debug" : level == LogLevel::Info ? "info" : "warning";
  Log& all = log();
  const std::lock_guard lock(all.mutex);
  if (all.lines.size() == kMaxKept) {
    all.lines.pop_front();
    ++all.num_dropped;
  }
  all.lines.push_back(line_of(name, message));
}

}  // namespace

void collect_log() {
  static const bool is_set = [] {
    set_log_sink(keep);
    return true;
  }();
  (void)is_set;
}

std::string take_log() {
  Log& all = log();
  const std::lock_guard lock(all.mutex);
  std::string out;
  if (all.num_dropped > 0)
    out = line_of("warning", std::to_string(all.num_dropped) + " older messages were dropped; the last 1000 are kept");
  for (const auto& line : all.lines) out += line;
  all.lines.clear();
  all.num_dropped = 0;
  return out;
}

}  // namespace tacore::c

using namespace tacore::c;

tacore_status tacore_take_log(tacore_buffer** lines, tacore_error** error) {
  clear(lines);
  return run(error, [&] {
    require(lines, "lines");
    *lines = buffer_of(take_log());
  });
}
