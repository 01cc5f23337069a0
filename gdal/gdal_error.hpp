#pragma once

#include <cpl_error.h>

#include <string>

namespace tacore::gdal {

/// While an object of this class exists, GDAL does not print errors of this thread.
class Quiet {
 public:
  Quiet() {
    CPLPushErrorHandler(CPLQuietErrorHandler);
    CPLErrorReset();
  }
  ~Quiet() { CPLPopErrorHandler(); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

  /// `: ` and GDAL's last error message; "" without one.
  static std::string reason() {
    const std::string text = CPLGetLastErrorMsg();
    return text.empty() ? "" : ": " + text;
  }
};

}  // namespace tacore::gdal
