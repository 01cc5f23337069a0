#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "tacore/visibility.hpp"

namespace tacore {

/// Where something went wrong. Unset fields are unknown or do not apply.
struct ErrorContext {
  std::string path = {};                ///< dataset or file, as the caller wrote it
  std::optional<uint64_t> offset = {};  ///< byte offset in `path`
  std::optional<int> level = {};        ///< hierarchy level, 0 = root TORTILLA
};

/// Base of everything that tacore throws about data, queries and the outside world. The text is
/// `path: level N: message (byte M)`, leaving out what is unknown, redact(); context() is as it was given.
class TACORE_EXPORT Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ErrorContext where = {});
  ~Error() override;

  const ErrorContext& context() const noexcept { return where_; }
  /// The message alone, without path, level and byte.
  const std::string& message() const noexcept { return message_; }

 private:
  std::string message_;
  ErrorContext where_;
};

/// Bytes are not what the specification says.
class TACORE_EXPORT FormatError : public Error {
 public:
  using Error::Error;
  ~FormatError() override;
};

/// Columns or PIT structure disagree.
class TACORE_EXPORT SchemaError : public Error {
 public:
  using Error::Error;
  ~SchemaError() override;
};

/// Open, read or write failed.
class TACORE_EXPORT IoError : public Error {
 public:
  /// `error_number` is the system's errno, 0 when there is none.
  explicit IoError(const std::string& message, ErrorContext where = {}, int error_number = 0);
  ~IoError() override;

  int error_number() const noexcept { return error_number_; }
  /// True when the path does not exist (ENOENT, ENOTDIR).
  bool not_found() const noexcept;

 private:
  int error_number_;
};

/// A query that cannot be run: SQL, unknown column or level, bad filter argument.
class TACORE_EXPORT QueryError : public Error {
 public:
  using Error::Error;
  ~QueryError() override;
};

/// What is to be written breaks a rule; nothing was written.
class TACORE_EXPORT ValidationError : public Error {
 public:
  using Error::Error;
  ~ValidationError() override;
};

/// `read()`: no such id or position, or rows that cannot be navigated.
class TACORE_EXPORT NavigationError : public Error {
 public:
  using Error::Error;
  ~NavigationError() override;
};

}  // namespace tacore
