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

/// The base of all errors of tacore. what() is `path: level N: message (byte M)` without the parts that are unknown,
/// and without passwords and tokens (redact()); context() has the path as it was given.
///
///     try {
///       load(path);
///     } catch (const IoError& error) {
///       if (!error.not_found()) throw;
///     }
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

/// A file that is damaged or is not in the format that the specification defines.
class TACORE_EXPORT FormatError : public Error {
 public:
  using Error::Error;
  ~FormatError() override;
};

/// Columns, types or trees that do not fit together or break a rule of metadata.
class TACORE_EXPORT SchemaError : public Error {
 public:
  using Error::Error;
  ~SchemaError() override;
};

/// A file, server or disk that failed: opening, reading or writing.
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

/// Input of a writer that breaks a rule. Nothing was written.
class TACORE_EXPORT ValidationError : public Error {
 public:
  using Error::Error;
  ~ValidationError() override;
};

/// An id or position that does not exist, or rows that do not lead to their data.
class TACORE_EXPORT NavigationError : public Error {
 public:
  using Error::Error;
  ~NavigationError() override;
};

}  // namespace tacore
