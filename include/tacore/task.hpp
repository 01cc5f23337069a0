#pragma once

#include <cstdint>

namespace tacore {

/// How work runs: on how many threads, and with which progress callback, which can cancel it. What takes no Task, such
/// as a load, a query or a read, is cancelled by an InterruptScope (interrupt.hpp).
struct Task {
  int jobs = 0;  ///< number of threads; 0: one for each processor
  /// Called periodically, from one thread at a time, with how much of the work is done: bytes, unless the options of
  /// the work say another unit. The work is cancelled, with an IoError, when it returns false.
  bool (*progress)(uint64_t num_done, uint64_t num_total, void* user) = nullptr;
  void* user = nullptr;  ///< passed to `progress`
};

/// What happens to a sample that cannot be read when many samples are read.
enum class OnError {
  Throw,  ///< throw what is wrong with it, with its id
  Skip    ///< leave it out, and list it as a failure
};

}  // namespace tacore
