#pragma once

#include <cpl_conv.h>

#include <optional>
#include <string>

namespace tacore::gdal {

/// Sets a configuration option of GDAL on this thread; the destructor restores the value from before.
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
