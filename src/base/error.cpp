#include "tacore/error.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include "tacore/plumbing/secrets.hpp"

namespace tacore {
namespace {

std::string compose(const std::string& message, const ErrorContext& where) {
  std::string out;
  if (!where.path.empty()) out += redact(where.path) + ": ";
  if (where.level) out += "level " + std::to_string(*where.level) + ": ";
  out += message;
  if (where.offset) out += " (byte " + std::to_string(*where.offset) + ")";
  return out;
}

std::string with_reason(const std::string& message, int error_number) {
  if (error_number == 0) return message;
  return message + ": " + std::generic_category().message(error_number);
}

}  // namespace

Error::Error(const std::string& message, ErrorContext where)
    : std::runtime_error(compose(redact(message), where)), message_(redact(message)), where_(std::move(where)) {}

IoError::IoError(const std::string& message, ErrorContext where, int error_number)
    : Error(with_reason(message, error_number), std::move(where)), error_number_(error_number) {}

bool IoError::not_found() const noexcept { return error_number_ == ENOENT || error_number_ == ENOTDIR; }

// Defined here so that each class has one vtable and one type_info: a class caught in another
// shared library must be the class that was thrown.
Error::~Error() = default;
FormatError::~FormatError() = default;
UnsupportedError::~UnsupportedError() = default;
SchemaError::~SchemaError() = default;
IoError::~IoError() = default;
QueryError::~QueryError() = default;
ValidationError::~ValidationError() = default;
NavigationError::~NavigationError() = default;

}  // namespace tacore
