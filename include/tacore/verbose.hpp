#pragma once

#include <string_view>

#include "tacore/visibility.hpp"

namespace tacore {

enum class LogLevel { Debug = 0, Info = 1, Warning = 2, Off = 3 };

/// Sets what the whole library reports, until the next call (§7.1.5, §7.2.6). True and "info":
/// files, backends and views; "debug": also SQL, offsets, requests and memory; false: nothing at
/// all, warnings and progress included. Before the first call warnings alone are reported. Throws
/// QueryError for other text. Safe to call from any thread.
TACORE_EXPORT void verbose(bool level = true);
TACORE_EXPORT void verbose(const char* level);

/// The level in force.
TACORE_EXPORT LogLevel log_level() noexcept;

/// Receives each message as one line without its newline (newlines inside become spaces). Called
/// from any thread, one call at a time; it must not cause messages or set a sink itself.
using LogSink = void (*)(LogLevel level, std::string_view message, void* user);

/// Sends messages to `sink` from now on; nullptr (the start value) discards them: the library
/// itself never prints. On return the sink before is no longer running, and its `user` may be
/// destroyed.
TACORE_EXPORT void set_log_sink(LogSink sink, void* user = nullptr);

}  // namespace tacore
