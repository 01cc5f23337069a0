#pragma once

#include "thread_option.hpp"

namespace tacore::gdal {

/// While one lives, GDAL looks on this thread at the file that it is told, and at no other: no side-cars read or
/// written, no folders listed; and it decodes on this thread.
class OneFileOnly {
  ThreadOption pam_{"GDAL_PAM_ENABLED", "NO"};
  ThreadOption folders_{"GDAL_DISABLE_READDIR_ON_OPEN", "EMPTY_DIR"};
  ThreadOption threads_{"GDAL_NUM_THREADS", "1"};
  ThreadOption jpeg_{"GDAL_ERROR_ON_LIBJPEG_WARNING", "YES"};
};

}  // namespace tacore::gdal
