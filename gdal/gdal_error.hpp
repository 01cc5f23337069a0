#pragma once

#include <cpl_error.h>

#include <string>

namespace tacore::gdal {

/// While one lives, GDAL keeps what it has to say on this thread to itself.
class Quiet {
 public:
  Quiet() {
    CPLPushErrorHandler(CPLQuietErrorHandler);
    CPLErrorReset();
  }
  ~Quiet() { CPLPopErrorHandler(); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

  /// `: ` and the last thing it said; nothing when it said nothing.
  static std::string reason() {
    const std::string text = CPLGetLastErrorMsg();
    return text.empty() ? "" : ": " + text;
  }
};

}  // namespace tacore::gdal
