#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "describe/facts.hpp"

namespace tacore::descriptions {

/// A small picture: a PNG in base64.
struct Thumbnail {
  std::string png = {};
  int64_t width = 0;
  int64_t height = 0;
  std::string id = {};   ///< path of ids from the root, of the FILE
  bool is_part = false;  ///< only the middle of a large raster
};

/// A sample as pictures: its image and, where it has one, its label.
struct PicturedSample {
  std::string id = {};
  int64_t row = 0;                    ///< in the dataset, from 0
  std::string time = {}, place = {};  ///< in words; "" when unknown
  std::vector<Thumbnail> pictures = {};
};

struct PicturedSamples {
  std::vector<PicturedSample> samples = {};
  int64_t num_chosen = 0;  ///< with those that cannot be shown
};

/// The colour `#rrggbb` that a picture of labels has for a class.
std::string class_colour(uint32_t number);

/// Pictures of at most DescribeOptions::thumbnails samples, which are spread evenly over all rows. A sample that is no
/// raster, or cannot be decoded, is left out. All pictures together have at most 1.2 MB.
PicturedSamples pictured_samples(const Dataset& dataset, const Facts& facts, const DescribeOptions& options);
/// Pictures of the samples of these rows.
std::vector<PicturedSample> pictured_samples(const Dataset& dataset, const Facts& facts,
                                             const std::vector<int64_t>& rows, const DescribeOptions& options);

}  // namespace tacore::descriptions
