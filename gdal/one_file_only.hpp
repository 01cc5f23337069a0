#pragma once

#include "thread_option.hpp"

namespace tacore::gdal {

/// While an object of this class exists, GDAL opens on this thread only the file that it is given: it reads and writes
/// no side-car files and lists no folders; and it decodes on this thread.
class OneFileOnly {
  ThreadOption pam_{"GDAL_PAM_ENABLED", "NO"};
  ThreadOption folders_{"GDAL_DISABLE_READDIR_ON_OPEN", "EMPTY_DIR"};
  ThreadOption threads_{"GDAL_NUM_THREADS", "1"};
  ThreadOption jpeg_{"GDAL_ERROR_ON_LIBJPEG_WARNING", "YES"};
};

}  // namespace tacore::gdal
