#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacore/extensions/constant.hpp"

/// Conventions: datasets for the same task have the same columns and the same children, so that one model can read all
/// of them. Each task has a class with its columns; check_convention() lists how a dataset breaks a convention.
///
/// | task | sample | columns |
/// |---|---|---|
/// | land cover | FOLDER: image, target | `landcover:fractions`; the dataset has `labels:classes` |
/// | change | FOLDER: label, imagery/before, imagery/after | `change:time_before`, `change:time_after` |
/// | methane | FOLDER: emission, background, cloudmask, ch4, plume | `methane:*`, `plume:geometry` |
/// | flood | any | `flood:*`; the dataset has flood_labels() |
///
/// An option that is not given is null. Constructors throw SchemaError for a value that the convention does not allow.
namespace tacore::extensions {

/// The tasks that have a convention.
enum class Convention { LandCover, Change, Methane, Flood };

/// The columns of any convention: the base class of LandCover, Change, Methane and Flood.
using ConventionColumns = SampleColumns;

/// The arguments of LandCover.
struct LandCoverOptions {
  /// The fraction of valid pixels in each class, in the order of `labels:classes`; their sum is 1. Not set for a sample
  /// without a valid pixel.
  std::optional<std::vector<double>> fractions = {};
};

/// The column `landcover:fractions`: the fraction of each class in a sample.
///
///     sample.extend_with(LandCover({.fractions = std::vector{0.25, 0.75}}));
struct TACORE_EXPORT LandCover : SampleColumns {
  explicit LandCover(const LandCoverOptions& options);
};

/// The arguments of Change.
struct ChangeOptions {
  Timestamp time_before = {};
  Timestamp time_after = {};  ///< later than `time_before`
};

/// The columns `change:*`: the times of the two images of a pair.
///
///     sample.extend_with(Change({Timestamp::parse("2023-02-01"), Timestamp::parse("2023-02-11")}));
struct TACORE_EXPORT Change : SampleColumns {
  explicit Change(const ChangeOptions& options);
};

/// The arguments of Methane.
struct MethaneOptions {
  bool isplume = false;
  std::optional<double> ch4_fluxrate = {};      ///< kg/h, not negative
  std::optional<double> ch4_fluxrate_std = {};  ///< kg/h, not negative
  std::optional<double> wind_u = {};            ///< m/s, positive to the east
  std::optional<double> wind_v = {};            ///< m/s, positive to the north
  std::optional<std::string> wind_source = {};
  std::optional<std::string> sector = {};
  std::optional<bool> offshore = {};
  std::optional<Binary> plume_geometry = {};  ///< WKB
};

/// The columns `methane:*` and `plume:geometry`: a methane plume, or its absence.
///
///     sample.extend_with(Methane({.isplume = true, .ch4_fluxrate = 1200.0, .wind_source = "ERA5"}));
struct TACORE_EXPORT Methane : SampleColumns {
  explicit Methane(const MethaneOptions& options);
};

/// The arguments of Flood.
struct FloodOptions {
  std::string event_id = {};  ///< not empty
  std::optional<Timestamp> event_time = {};
  std::optional<std::string> source = {};
  std::optional<double> water_fraction = {};  ///< 0 to 1, like the other fractions
  std::optional<double> permanent_water_fraction = {};
  std::optional<double> cloud_fraction = {};
};

/// The columns `flood:*`: a flood event, with the fractions of water and cloud in the sample.
///
///     sample.extend_with(Flood({.event_id = "EMSR600", .water_fraction = 0.4}));
struct TACORE_EXPORT Flood : SampleColumns {
  explicit Flood(const FloodOptions& options);
};

/// The classes of flood masks: invalid, land, water, cloud, with categories 0 to 3.
TACORE_EXPORT Labels flood_labels();

/// Checks samples against a convention, and returns one sentence for each way in which they break it. Checks columns,
/// their types and values, and the ids of children, but not COLLECTION.json.
///
///     for (const auto& fault : check_convention(Convention::Flood, tortilla)) std::puts(fault.c_str());
TACORE_EXPORT std::vector<std::string> check_convention(Convention convention, const Tortilla& tortilla);
/// Checks a dataset to be written against a convention, including its `labels:classes`.
TACORE_EXPORT std::vector<std::string> check_convention(Convention convention, const Taco& taco);

}  // namespace tacore::extensions
