#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tacore::cli {

/// A number of bytes for people: 1.5 MB.
std::string bytes_text(double count);

/// One line on standard error that tells how far the work is: share, amount, rate, time left. Nothing where that is no
/// terminal, or messages are off. Goes with its line when destroyed.
class ProgressBar {
 public:
  /// A bar that counts bytes, or `what`, a noun in the plural.
  explicit ProgressBar(const char* what = nullptr);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(uint64_t num_done, uint64_t num_all);

 private:
  using Clock = std::chrono::steady_clock;
  std::string amount_text(double count) const;

  const char* what_;
  bool is_on_;
  bool is_drawn_ = false;
  Clock::time_point start_;
  Clock::time_point drawn_;
};

}  // namespace tacore::cli
