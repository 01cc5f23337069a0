#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tacore::mutate {

struct Limits {
  int jobs = 2;
  double seconds = 1;  ///< of processor time, for one case
};

/// Runs `work(i)` for each i below `count` in forked processes, which go on for many cases; what it returns is a fault.
/// A process that dies, or hangs, is replaced, and its case is a fault. Faults come to `report`, in any order.
void run_in_workers(std::size_t count, const Limits& limits, const std::function<std::string(std::size_t)>& work,
                    const std::function<void(std::size_t, const std::string&)>& report);

}  // namespace tacore::mutate
