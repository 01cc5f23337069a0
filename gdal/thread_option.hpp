#pragma once

#include <cpl_conv.h>

#include <optional>
#include <string>

namespace tacore::gdal {

/// While one lives, a configuration option of GDAL has this value on this thread; then what it had before.
class ThreadOption {
 public:
  /// `name` must outlive this.
  ThreadOption(const char* name, const char* value) : name_(name) {
    if (const char* given = CPLGetThreadLocalConfigOption(name, nullptr)) before_ = given;
    CPLSetThreadLocalConfigOption(name, value);
  }
  ~ThreadOption() { CPLSetThreadLocalConfigOption(name_, before_ ? before_->c_str() : nullptr); }
  ThreadOption(const ThreadOption&) = delete;
  ThreadOption& operator=(const ThreadOption&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_ = {};
};

}  // namespace tacore::gdal
