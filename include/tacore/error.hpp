#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "tacore/visibility.hpp"

namespace tacore {

/// The file, byte offset and level at which an error occurred. Unset fields are unknown or do not apply.
struct ErrorContext {
  std::string path = {};                ///< dataset or file, as the caller wrote it
  std::optional<uint64_t> offset = {};  ///< byte offset in `path`
  std::optional<int> level = {};        ///< level of the tree of samples, 0 for the root
};

/// The base class of all errors of tacore. what() is `path: level N: message (byte M)` without the parts that are
/// unknown, and without passwords and tokens (redact()); context() has the path as it was given.
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

/// Thrown for a file that is damaged or not in the format that the specification defines.
class TACORE_EXPORT FormatError : public Error {
 public:
  using Error::Error;
  ~FormatError() override;
};

/// Thrown for a file that is not damaged, but that tacore does not decode, such as a JPEG 2000 image. GDAL may.
class TACORE_EXPORT UnsupportedError : public FormatError {
 public:
  using FormatError::FormatError;
  ~UnsupportedError() override;
};

/// Thrown for columns, types or trees that do not fit together or break a rule of metadata.
class TACORE_EXPORT SchemaError : public Error {
 public:
  using Error::Error;
  ~SchemaError() override;
};

/// Thrown when a file, server or disk fails: when opening, reading or writing is impossible.
class TACORE_EXPORT IoError : public Error {
 public:
  /// `error_number` is the `errno` of the system, 0 when there is none.
  explicit IoError(const std::string& message, ErrorContext where = {}, int error_number = 0);
  ~IoError() override;

  int error_number() const noexcept { return error_number_; }
  /// True when the path does not exist (ENOENT, ENOTDIR).
  bool not_found() const noexcept;

 private:
  int error_number_;
};

/// Thrown for a query that cannot be run, such as wrong SQL, an unknown column or level, or a bad argument of a filter.
class TACORE_EXPORT QueryError : public Error {
 public:
  using Error::Error;
  ~QueryError() override;
};

/// Thrown for input of a writer that breaks a rule, before anything is written.
class TACORE_EXPORT ValidationError : public Error {
 public:
  using Error::Error;
  ~ValidationError() override;
};

/// Thrown for an id or position that does not exist, and for rows whose data cannot be located.
class TACORE_EXPORT NavigationError : public Error {
 public:
  using Error::Error;
  ~NavigationError() override;
};

}  // namespace tacore
