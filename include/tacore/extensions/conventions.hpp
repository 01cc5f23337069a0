#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacore/write/extension.hpp"
#include "tacore/extensions/labels.hpp"

/// What datasets for common tasks have in common, so that they can be used in each other's place. For each task: the
/// columns of its samples, and check_convention, which lists what a dataset lacks.
///
/// | task | sample | columns |
/// |---|---|---|
/// | land cover | FOLDER: image, target | `landcover:fractions`; the dataset has `labels:classes` |
/// | change | FOLDER: label, imagery/before, imagery/after | `change:time_before`, `change:time_after` |
/// | methane | FOLDER: emission, background, cloudmask, ch4, plume | `methane:*`, `plume:geometry` |
/// | flood | any | `flood:*`; the dataset has flood_labels() |
namespace tacore::extensions {

enum class Convention { LandCover, Change, Methane, Flood };

/// The columns of a task, one value each. What is not given is null. Constructors throw SchemaError for a value that
/// the task does not allow.
class TACORE_EXPORT ConventionColumns : public SampleExtension {
 public:
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Sample& sample) const override;
  /// What compute() gives, which depends on no sample.
  const std::vector<Value>& values() const noexcept { return values_; }

 protected:
  ConventionColumns(Convention convention, std::vector<Value> values);

 private:
  Convention convention_;
  std::vector<Value> values_;
};

struct LandCoverOptions {
  /// The part of the valid pixels that each class has, in the order of `labels:classes`; their sum is 1. None where no
  /// pixel is valid.
  std::optional<std::vector<double>> fractions = {};
};

class TACORE_EXPORT LandCover : public ConventionColumns {
 public:
  explicit LandCover(const LandCoverOptions& options);
};

struct ChangeOptions {
  Timestamp time_before = {};
  Timestamp time_after = {};  ///< later than before
};

class TACORE_EXPORT Change : public ConventionColumns {
 public:
  explicit Change(const ChangeOptions& options);
};

struct MethaneOptions {
  bool isplume = false;
  std::optional<double> ch4_fluxrate = {};      ///< kg/h, not negative
  std::optional<double> ch4_fluxrate_std = {};  ///< kg/h, not negative
  std::optional<double> wind_u = {};            ///< m/s, to the east
  std::optional<double> wind_v = {};            ///< m/s, to the north
  std::optional<std::string> wind_source = {};
  std::optional<std::string> sector = {};
  std::optional<bool> offshore = {};
  std::optional<Binary> plume_geometry = {};  ///< WKB
};

class TACORE_EXPORT Methane : public ConventionColumns {
 public:
  explicit Methane(const MethaneOptions& options);
};

struct FloodOptions {
  std::string event_id = {};  ///< not empty
  std::optional<Timestamp> event_time = {};
  std::optional<std::string> source = {};
  std::optional<double> water_fraction = {};  ///< 0 to 1, as the other fractions
  std::optional<double> permanent_water_fraction = {};
  std::optional<double> cloud_fraction = {};
};

class TACORE_EXPORT Flood : public ConventionColumns {
 public:
  explicit Flood(const FloodOptions& options);
};

/// The classes of flood masks: invalid, land, water, cloud, with categories 0 to 3.
TACORE_EXPORT Labels flood_labels();

/// What keeps a dataset from following a convention, a sentence each; nothing when it does. Columns, their types and
/// values, and the ids of children are looked at; COLLECTION.json is not.
TACORE_EXPORT std::vector<std::string> check_convention(Convention convention, const Tortilla& tortilla);
/// The same of a dataset to be written, whose classes are looked at too.
TACORE_EXPORT std::vector<std::string> check_convention(Convention convention, const Taco& taco);

}  // namespace tacore::extensions
