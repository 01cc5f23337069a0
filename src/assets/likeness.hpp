#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assets/findings.hpp"
#include "assets/survey.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore::assets {

/// What is kept of the pixels of a raster to find others that look like it, in about 500 bytes: a preview of 8 x 8
/// cells of up to three bands, and of the pixel in the middle of each cell, by which it differs from the two beside it.
struct Likeness {
  static constexpr std::size_t kSide = 8, kCells = kSide * kSide, kBands = 3;

  uint64_t pixels = 0;  ///< hash of sums and pixels of all cells: rasters of the same pixels have the same
  uint64_t detail = 0;  ///< for each cell, whether its pixel is brighter than those beside it: the perceptual hash
  uint64_t valid = 0;   ///< cells with pixels that are data
  int bands = 0;
  /// Whether what is finer than the preview tells rasters apart: in smooth fields, it does not.
  bool is_rough = false;
  /// Means of the cells, and what their pixels differ from those beside them, of each band: less their mean, divided by
  /// their standard deviation, times 32.
  std::array<std::array<int8_t, kCells>, kBands> means = {}, details = {};
};

/// Makes a Likeness, from the pixels of a raster piece by piece.
class LikenessMaker {
 public:
  /// Takes the first of `bands` bands, each of which add() is then called for.
  LikenessMaker(const RasterInfo& info, std::optional<double> nodata);
  /// Adds a window of a band, which is counted from 0.
  void add(std::size_t band, const Window& window, std::span<const std::byte> pixels);
  /// nullopt for rasters of fewer than 16 rows or columns, and those that have too few values to tell them apart: flat
  /// ones, and maps of classes.
  std::optional<Likeness> finish() const;

 private:
  struct Cell {
    double sum = 0;
    uint64_t count = 0;
    std::array<double, 3> pixels = {};  ///< of the middle row: the one in the middle, and those beside it
    int num_pixels = 0;                 ///< of these, those that are valid
  };

  RasterInfo info_;
  double nodata_;
  std::size_t num_bands_ = 0;
  std::vector<Cell> cells_;  ///< band by band
};

/// AST-29: files of a layer that show the same. `likenesses` has one for each row, nullptr for a file that is not
/// compared. Takes time in proportion to the number of files.
std::vector<Finding> find_alike(const Survey& survey, std::size_t layer,
                                const std::vector<std::unique_ptr<const Likeness>>& likenesses);

}  // namespace tacore::assets
