#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assets/facts.hpp"
#include "container/container.hpp"
#include "tacore/crs.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore::assets {

/// Where a raster lies, or the rasters of a FOLDER.
struct Place {
  LonLat centre = {};  ///< of the first raster
  double radius = 0;   ///< degrees of latitude from the centre to a corner
  double reach = 0;    ///< degrees of latitude from the centre within which all of the rasters lie
};

/// The rows at one position of the tree, such as the image of each sample, in the order of the samples that they belong
/// to. All samples of a dataset have the same positions.
struct Layer {
  int level = 0;
  std::string name = {};  ///< path of ids below the sample: "s2/B04"; "" for the samples themselves
  SampleType type = SampleType::File;
  std::vector<int64_t> rows = {};      ///< of the level
  std::vector<int64_t> roots = {};     ///< row of level 0 that each belongs to, ascending
  std::vector<AssetFacts> facts = {};  ///< of each row of FILEs
  /// Where each row lies: a FILE by its own header, a FOLDER by those of the FILEs below it.
  std::vector<std::optional<Place>> places = {};

  std::size_t size() const noexcept { return rows.size(); }
};

/// The samples that are looked at, and what their files say.
struct Survey {
  std::shared_ptr<const Container> container = {};
  std::vector<Layer> layers = {};  ///< by level, then in the order of the first sample
  int64_t num_samples = 0;         ///< of level 0, without padding
  int64_t num_checked = 0;         ///< of these; fewer where a part was chosen
  int64_t num_files = 0;           ///< whose headers were read
};

struct SurveyOptions {
  int64_t sample_size = 0;  ///< samples of level 0 to look at, drawn at random; 0: all
  uint64_t seed = 0;
  bool pixels = false;  ///< decode all pixels
  int jobs = 0;
  const CrsTransformer* transformer = nullptr;
  const RasterOpener* fallback = nullptr;                              ///< decodes rasters that tacore does not
  std::function<void(uint64_t num_done, uint64_t num_all)> tell = {};  ///< files read; may be empty
  /// The results of survey_part() for all parts, in order: no header is read again. Empty: all are read.
  std::vector<std::string_view> parts = {};
};

/// Reads the headers of the FILEs of a container. Throws as Container::level() does, and IoError.
Survey survey(const std::shared_ptr<const Container>& container, const SurveyOptions& options);

/// Reads the headers of one of `num_parts` parts of these files, from 0, of about as many files each, as bytes for
/// SurveyOptions::parts in another process. Throws as survey().
std::string survey_part(const std::shared_ptr<const Container>& container, const SurveyOptions& options,
                        std::size_t part, std::size_t num_parts);

/// Where a grid lies; nullopt without CRS, for a CRS that is not known, and for corners that are not on the globe.
std::optional<Place> place_of(const AssetFacts& facts, const CrsTransformer* transformer);

/// Degrees of latitude between two points on the globe.
double distance(const LonLat& a, const LonLat& b);

}  // namespace tacore::assets
