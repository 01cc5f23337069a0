#pragma once

#include <string_view>

#include "tacore/visibility.hpp"

namespace tacore {

enum class LogLevel { Debug = 0, Info = 1, Warning = 2, Off = 3 };

/// Sets the level of messages of the whole library (§7.1.5, §7.2.6). True or "info": files, backends and views.
/// "debug": also SQL, offsets, requests and memory. False: nothing, neither warnings nor progress. Before the first
/// call only warnings are reported. Throws QueryError for other text. Safe from any thread.
TACORE_EXPORT void verbose(bool level = true);
TACORE_EXPORT void verbose(const char* level);

/// The current level.
TACORE_EXPORT LogLevel log_level() noexcept;

/// Receives each message as one line without newline characters. Called from any thread, one call at a time; it must
/// not cause messages or set a sink itself.
using LogSink = void (*)(LogLevel level, std::string_view message, void* user);

/// Sets the receiver of messages; nullptr, the initial value, discards them, since the library itself never prints.
/// When it returns, the previous sink is no longer running, and its `user` may be destroyed.
TACORE_EXPORT void set_log_sink(LogSink sink, void* user = nullptr);

}  // namespace tacore
