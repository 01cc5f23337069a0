#include "call.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "handles.hpp"
#include "log.hpp"
#include "tacore/error.hpp"
#include "tacore/interrupt.hpp"
#include "tacore/plumbing/secrets.hpp"

namespace tacore::c {
namespace {

struct Poll {
  int32_t (*function)(uint64_t num_done, uint64_t num_total, void* user) = nullptr;
  void* user = nullptr;
};

thread_local Poll poll;

constexpr std::chrono::milliseconds kPollPeriod(50);

/// The error for which no memory may be needed. It is never freed.
tacore_error out_of_memory{TACORE_E_MEMORY, "not enough memory"};

tacore_status code_of(const Error& error) {
  if (dynamic_cast<const UnsupportedError*>(&error)) return TACORE_E_UNSUPPORTED;
  if (dynamic_cast<const FormatError*>(&error)) return TACORE_E_FORMAT;
  if (dynamic_cast<const SchemaError*>(&error)) return TACORE_E_SCHEMA;
  if (const auto* io = dynamic_cast<const IoError*>(&error)) {
    return io->not_found() ? TACORE_E_NOT_FOUND : TACORE_E_IO;
  }
  if (dynamic_cast<const QueryError*>(&error)) return TACORE_E_QUERY;
  if (dynamic_cast<const ValidationError*>(&error)) return TACORE_E_VALIDATION;
  if (dynamic_cast<const NavigationError*>(&error)) return TACORE_E_NAVIGATION;
  return TACORE_E_INTERNAL;
}

/// A message of the library names options as the tool does, "--time-column": here they are called time_column.
std::string in_json_names(std::string text) {
  for (std::size_t at = text.find("--"); at != text.npos; at = text.find("--", at)) {
    const bool is_option =
        (at == 0 || text[at - 1] == ' ') && at + 2 < text.size() && text[at + 2] >= 'a' && text[at + 2] <= 'z';
    if (!is_option) {
      at += 2;
      continue;
    }
    text.erase(at, 2);
    for (; at < text.size() && (text[at] == '-' || (text[at] >= 'a' && text[at] <= 'z')); ++at) {
      if (text[at] == '-') text[at] = '_';
    }
  }
  return text;
}

tacore_error error_of(const Error& from) {
  const ErrorContext& where = from.context();
  tacore_error out{code_of(from), in_json_names(from.what()), redact(where.path)};
  if (where.offset) out.offset = static_cast<int64_t>(*where.offset);
  if (where.level) out.level = *where.level;
  if (const auto* io = dynamic_cast<const IoError*>(&from)) out.system_error = io->error_number();
  return out;
}

tacore_error error_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error_of(error);
  } catch (const ArgumentError& error) {
    return {TACORE_E_ARGUMENT, error.what()};
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return {TACORE_E_INTERNAL, error.what()};
  } catch (...) {
    return {TACORE_E_INTERNAL, "an exception of an unknown type"};
  }
}

/// The error of a call that its poll function stopped says so, whatever the work threw; where it happened is kept.
tacore_status report(tacore_error** out, const std::exception_ptr& thrown, bool is_stopped) noexcept {
  if (!thrown) return TACORE_OK;
  try {
    tacore_error found = error_of(thrown);
    if (is_stopped) {
      found.code = TACORE_E_CANCELLED;
      found.text = "the call was stopped by its poll function";
    }
    const tacore_status code = found.code;
    if (out != nullptr) *out = new tacore_error(std::move(found));
    return code;
  } catch (...) {
    if (out != nullptr) *out = &out_of_memory;
    return TACORE_E_MEMORY;
  }
}

std::exception_ptr caught(const std::function<void()>& work) noexcept {
  try {
    collect_log();
    work();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

bool is_stopped(void* call) { return static_cast<const Call*>(call)->is_stopped; }

/// Does the work in a thread of its own while this one polls.
std::exception_ptr work_and_poll(Call& call, const std::function<void(Call&)>& work) {
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  std::exception_ptr thrown;
  std::thread worker([&] {
    auto failure = caught([&] {
      const InterruptScope scope(is_stopped, &call);
      work(call);
    });
    const std::lock_guard lock(mutex);
    thrown = std::move(failure);
    has_ended = true;
    ended.notify_one();
  });
  for (std::unique_lock lock(mutex); !ended.wait_for(lock, kPollPeriod, [&] { return has_ended; });) {
    lock.unlock();
    if (poll.function(call.num_done, call.num_total, poll.user) != 0) call.is_stopped = true;
    lock.lock();
  }
  worker.join();
  // The caller hears of the end of the work, too; it is too late to stop it.
  if (!thrown && call.num_total > 0) poll.function(call.num_done, call.num_total, poll.user);
  return thrown;
}

/// A call that polls where it waits. Threads that work for it ask, too, and are told what this one heard.
struct Waiting {
  std::thread::id caller = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next = std::chrono::steady_clock::now() + kPollPeriod;
  Call call = {};

  static bool check(void* user) {
    auto& self = *static_cast<Waiting*>(user);
    if (std::this_thread::get_id() == self.caller && std::chrono::steady_clock::now() >= self.next) {
      if (poll.function(0, 0, poll.user) != 0) self.call.is_stopped = true;
      self.next = std::chrono::steady_clock::now() + kPollPeriod;
    }
    return self.call.is_stopped;
  }
};

}  // namespace

tacore_status run(tacore_error** error, const std::function<void()>& work) noexcept {
  clear(error);
  return report(error, caught(work), false);
}

tacore_status run_waiting(tacore_error** error, const std::function<void()>& work) noexcept {
  clear(error);
  if (poll.function == nullptr) return report(error, caught(work), false);
  Waiting waiting;
  const auto thrown = caught([&] {
    const InterruptScope scope(Waiting::check, &waiting);
    work();
  });
  return report(error, thrown, waiting.call.is_stopped);
}

tacore_status run_polled(tacore_error** error, const std::function<void(Call&)>& work) noexcept {
  clear(error);
  Call call;
  if (poll.function == nullptr) return report(error, caught([&] { work(call); }), false);
  std::exception_ptr thrown;
  try {
    thrown = work_and_poll(call, work);
  } catch (...) {  // no thread could be started
    thrown = std::current_exception();
  }
  return report(error, thrown, call.is_stopped);
}

}  // namespace tacore::c

using namespace tacore::c;

void tacore_set_poll(int32_t (*function)(uint64_t, uint64_t, void*), void* user) { poll = {function, user}; }

tacore_status tacore_error_code(const tacore_error* error) { return error != nullptr ? error->code : TACORE_OK; }

const char* tacore_error_text(const tacore_error* error) { return error != nullptr ? error->text.c_str() : ""; }

void tacore_error_where(const tacore_error* error, const char** path, int64_t* offset, int32_t* level,
                        int32_t* system_error) {
  if (path != nullptr) *path = error != nullptr ? error->path.c_str() : "";
  if (offset != nullptr) *offset = error != nullptr ? error->offset : -1;
  if (level != nullptr) *level = error != nullptr ? error->level : -1;
  if (system_error != nullptr) *system_error = error != nullptr ? error->system_error : 0;
}

void tacore_error_free(tacore_error* error) {
  if (error != &out_of_memory) delete error;
}

const void* tacore_buffer_data(const tacore_buffer* buffer) {
  return buffer != nullptr ? buffer->bytes.c_str() : nullptr;
}

size_t tacore_buffer_size(const tacore_buffer* buffer) { return buffer != nullptr ? buffer->bytes.size() : 0; }

void tacore_buffer_free(tacore_buffer* buffer) { delete buffer; }
