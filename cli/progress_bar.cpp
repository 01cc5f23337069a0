#include "progress_bar.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <tacore/verbose.hpp>

#include "output.hpp"

namespace tacore::cli {

std::string bytes_text(double count) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (count >= 1000 && unit + 1 < std::size(units)) {
    count /= 1000;
    ++unit;
  }
  char out[32];
  std::snprintf(out, sizeof out, unit == 0 ? "%.0f %s" : "%.1f %s", count, units[unit]);
  return out;
}

namespace {

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::min(seconds, 359'999.0));
  char out[32];
  if (whole < 60) {
    std::snprintf(out, sizeof out, "%ld s", whole);
  } else if (whole < 3600) {
    std::snprintf(out, sizeof out, "%ld min %02ld s", whole / 60, whole % 60);
  } else {
    std::snprintf(out, sizeof out, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
  }
  return out;
}

}  // namespace

ProgressBar::ProgressBar(const char* what)
    : what_(what), is_on_(is_terminal_error() && log_level() != LogLevel::Off), start_(Clock::now()), drawn_(start_) {}

ProgressBar::~ProgressBar() {
  if (is_drawn_) std::fputs("\r\033[K", stderr);
}

std::string ProgressBar::amount_text(double count) const {
  if (!what_) return bytes_text(count);
  char out[64];
  std::snprintf(out, sizeof out, "%.0f %s", count, what_);
  return out;
}

void ProgressBar::show(uint64_t num_done, uint64_t num_all) {
  const auto now = Clock::now();
  if (!is_on_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  is_drawn_ = true;
  const double done = static_cast<double>(num_done), all = static_cast<double>(num_all);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = done / seconds;
  const double left = rate > 0 ? (all - done) / rate : 0;
  std::fprintf(stderr, "\r\033[K%3.0f %%  %s of %s, %s/s, %s left", all > 0 ? 100 * done / all : 100,
               amount_text(done).c_str(), amount_text(all).c_str(), amount_text(rate).c_str(),
               duration_text(left).c_str());
  std::fflush(stderr);
}

}  // namespace tacore::cli
