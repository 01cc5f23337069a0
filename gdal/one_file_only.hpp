#pragma once

#include <cpl_conv.h>

#include <array>
#include <string>
#include <utility>

namespace tacore::gdal {

/// While one lives, GDAL looks on this thread at the file that it is told, and at no other: no side-cars read or
/// written, no folders listed; and it decodes on this thread.
class OneFileOnly {
 public:
  OneFileOnly() {
    for (std::size_t i = 0; i < kOptions.size(); ++i) {
      const auto& [name, value] = kOptions[i];
      if (const char* given = CPLGetThreadLocalConfigOption(name, nullptr)) before_[i] = {true, given};
      CPLSetThreadLocalConfigOption(name, value);
    }
  }
  ~OneFileOnly() {
    for (std::size_t i = 0; i < kOptions.size(); ++i) {
      CPLSetThreadLocalConfigOption(kOptions[i].first, before_[i].first ? before_[i].second.c_str() : nullptr);
    }
  }
  OneFileOnly(const OneFileOnly&) = delete;
  OneFileOnly& operator=(const OneFileOnly&) = delete;

 private:
  static constexpr std::array<std::pair<const char*, const char*>, 4> kOptions{{
      {"GDAL_PAM_ENABLED", "NO"},
      {"GDAL_DISABLE_READDIR_ON_OPEN", "EMPTY_DIR"},
      {"GDAL_NUM_THREADS", "1"},
      {"GDAL_ERROR_ON_LIBJPEG_WARNING", "YES"},
  }};
  std::array<std::pair<bool, std::string>, kOptions.size()> before_ = {};
};

}  // namespace tacore::gdal
