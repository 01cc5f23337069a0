#include "base/log.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/secrets.hpp"

namespace tacore {
namespace {

std::atomic<LogLevel> lowest_level = LogLevel::Warning;

struct Output {
  std::mutex mutex = {};  // held while the sink runs: one call at a time
  LogSink sink = nullptr;
  void* user = nullptr;
};
Output output;

thread_local std::string subject;  // of the messages of this thread

void deliver(LogLevel level, std::string_view message) {
  const std::lock_guard lock(output.mutex);
  if (output.sink != nullptr) output.sink(level, message, output.user);
}

void report(LogLevel level, std::string_view message) {
  // Before the lock: filtered messages cost one load.
  if (level < log_level()) return;
  const bool is_named = subject.empty() || message.starts_with(subject);
  std::string line = redact(is_named ? std::string(message) : subject + ": " + std::string(message));
  std::replace(line.begin(), line.end(), '\n', ' ');
  deliver(level, line);
}

LogLevel parse_level(std::string_view text) {
  if (text == "info") return LogLevel::Info;
  if (text == "debug") return LogLevel::Debug;
  throw QueryError("verbose: level is " + in_quotes(text) + ", expected 'info' or 'debug'");
}

}  // namespace

void verbose(bool level) { lowest_level = level ? LogLevel::Info : LogLevel::Off; }

void verbose(const char* level) { lowest_level = parse_level(level != nullptr ? level : ""); }

LogLevel log_level() noexcept { return lowest_level; }

void set_log_sink(LogSink sink, void* user) {
  const std::lock_guard lock(output.mutex);
  output.sink = sink;
  output.user = user;
}

namespace log {

void debug(std::string_view message) { report(LogLevel::Debug, message); }
void info(std::string_view message) { report(LogLevel::Info, message); }
void warning(std::string_view message) { report(LogLevel::Warning, message); }

Subject::Subject(std::string path) : outer_(std::exchange(subject, std::move(path))) {}
Subject::~Subject() { subject = std::move(outer_); }

}  // namespace log
}  // namespace tacore
