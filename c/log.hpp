#pragma once

#include <string>

/// Messages of the library, kept until the caller takes them.
namespace tacore::c {

/// Begins to keep messages, once in a process.
void collect_log();

/// The messages since the last call, as lines of JSON.
std::string take_log();

}  // namespace tacore::c
