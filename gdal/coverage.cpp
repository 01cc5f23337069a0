#include "coverage.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tacore::gdal {

namespace {

/// Rounding errors of sums are about 1e-15. One square metre of a pixel of one degree is 8e-11.
constexpr double kNothing = 1e-12;

}  // namespace

Coverage::Coverage(int first_column, int num_columns, int first_row, int num_rows)
    : first_column_(first_column),
      first_row_(first_row),
      num_columns_(num_columns),
      num_rows_(num_rows),
      changes_(static_cast<std::size_t>(num_rows) * (static_cast<std::size_t>(num_columns) + 1)) {}

void Coverage::add_edge(double x0, double y0, double x1, double y1, double sign) {
  if (y0 > y1) {
    std::swap(x0, x1);
    std::swap(y0, y1);
    sign = -sign;
  }
  x0 -= first_column_;
  x1 -= first_column_;
  y0 -= first_row_;
  y1 -= first_row_;
  const double bottom = std::min(y1, static_cast<double>(num_rows_));
  const auto x_at = [&](double y) { return x0 + (x1 - x0) * ((y - y0) / (y1 - y0)); };
  for (double row = std::floor(std::max(y0, 0.)); row < bottom; ++row) {
    const double from = std::max(y0, row);
    const double to = std::min(y1, row + 1);
    if (from >= to) continue;
    double* changes = changes_.data() + static_cast<std::size_t>(row) * (static_cast<std::size_t>(num_columns_) + 1);
    add_in_row(changes, x_at(from), x_at(to), sign * (to - from));
  }
}

/// A piece of an edge within one row: all pixels right of it gain `height`, its own pixel a part of that.
void Coverage::add_in_row(double* row, double x0, double x1, double height) const {
  if (x0 > x1) std::swap(x0, x1);
  const double end = num_columns_;
  const double width = x1 - x0;
  if (x0 < 0) {
    const double outside = x1 <= 0 ? 1 : -x0 / width;
    row[0] += height * outside;
    x0 = 0;
  }
  // A vertical piece has one step; others have one for each pixel that they cross.
  do {
    const double pixel = std::floor(x0);
    if (x1 < 0 || pixel >= end) return;
    const double stop = std::min(x1, pixel + 1);
    const double part = width > 0 ? height * ((stop - x0) / width) : height;
    const double left = (x0 + stop) / 2 - pixel;
    row[static_cast<std::size_t>(pixel)] += part * (1 - left);
    row[static_cast<std::size_t>(pixel) + 1] += part * left;
    x0 = pixel + 1;
  } while (x0 < x1);
}

std::vector<double> Coverage::row(int number) const {
  const double* changes =
      changes_.data() + static_cast<std::size_t>(number) * (static_cast<std::size_t>(num_columns_) + 1);
  std::vector<double> out(static_cast<std::size_t>(num_columns_));
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    sum += changes[i];
    out[i] = sum < kNothing ? 0 : std::min(sum, 1.);
  }
  return out;
}

}  // namespace tacore::gdal
