#pragma once

#include <string>
#include <system_error>

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {

/// Rethrows the current exception with `who` in front of its message.
[[noreturn]] inline void rethrow_naming(const std::string& who) {
  try {
    throw;
  } catch (const FormatError& error) {
    throw FormatError(who + error.message(), error.context());
  } catch (const SchemaError& error) {
    throw SchemaError(who + error.message(), error.context());
  } catch (const IoError& error) {
    std::string message = who + error.message();
    const std::string reason = ": " + std::generic_category().message(error.error_number());
    if (message.ends_with(reason)) message.resize(message.size() - reason.size());  // it is added again
    throw IoError(message, error.context(), error.error_number());
  } catch (const QueryError& error) {
    throw QueryError(who + error.message(), error.context());
  } catch (const NavigationError& error) {
    throw NavigationError(who + error.message(), error.context());
  }
}

/// Returns what `body` returns; the message of an error of `body` begins with the sample.
template <class Body>
auto about_sample(const std::string& id, const Body& body) {
  try {
    return body();
  } catch (const Error&) {
    rethrow_naming("sample " + in_quotes(id) + ": ");
  }
}

}  // namespace tacore
