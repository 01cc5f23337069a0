#pragma once

#include <vector>

namespace tacore::gdal {

/// The part of each pixel that polygons cover, exactly. Pixel (column, row) is the square from there to (column + 1,
/// row + 1).
class Coverage {
 public:
  Coverage(int first_column, int num_columns, int first_row, int num_rows);

  /// An edge of a ring, with the sign with which its area counts.
  void add_edge(double x0, double y0, double x1, double y1, double sign);
  /// The parts of a row, 0 to 1, once all edges are added; counted from the first row.
  std::vector<double> row(int number) const;

 private:
  void add_in_row(double* row, double x0, double x1, double height) const;

  double first_column_;
  double first_row_;
  int num_columns_;
  int num_rows_;
  /// Differences: the value of a pixel counts for all pixels right of it, too; row() sums them up.
  std::vector<double> changes_;
};

}  // namespace tacore::gdal
