#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tacore::cli {

/// A number of bytes for people: 1.5 MB.
std::string bytes_text(double count);

/// One line on standard error that tells how far a copy is: share, bytes, rate, time left. Nothing where that is no
/// terminal, or messages are off. Goes with its line when destroyed.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(uint64_t num_done, uint64_t num_bytes);

 private:
  using Clock = std::chrono::steady_clock;
  bool is_on_;
  bool is_drawn_ = false;
  Clock::time_point start_;
  Clock::time_point drawn_;
};

}  // namespace tacore::cli
