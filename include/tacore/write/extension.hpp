#pragma once

#include <vector>

#include "tacore/collection.hpp"
#include "tacore/value.hpp"
#include "tacore/visibility.hpp"

/// Extensions: computed metadata (§5.3). schema() gives the names and types of the fields; types are Arrow's names in
/// lower case ("string", "list<item: double>", "timestamp[us]").
///
///     struct MeanRed : SampleExtension {
///       std::vector<FieldDescription> schema() const override { return {{"mean:red", "double", "Mean of band 1"}}; }
///       std::vector<Value> compute(const Sample& sample) const override { return {mean_of_band(sample, 1)}; }
///     };
namespace tacore {

class Sample;
class Tortilla;
struct Taco;

/// Metadata of one sample.
class TACORE_EXPORT SampleExtension {
 public:
  virtual ~SampleExtension();
  virtual std::vector<FieldDescription> schema() const = 0;
  /// A value for each field of schema(). Throws SchemaError.
  virtual std::vector<Value> compute(const Sample& sample) const = 0;
};

/// Metadata of all samples of a Tortilla together.
class TACORE_EXPORT TortillaExtension {
 public:
  virtual ~TortillaExtension();
  virtual std::vector<FieldDescription> schema() const = 0;
  /// A column for each field of schema(), with a value for each sample. Throws SchemaError.
  virtual std::vector<std::vector<Value>> compute(const Tortilla& tortilla) const = 0;
};

/// Keys of COLLECTION.json.
class TACORE_EXPORT TacoExtension {
 public:
  virtual ~TacoExtension();
  virtual std::vector<FieldDescription> schema() const = 0;
  /// A value for each field of schema(). Throws SchemaError.
  virtual std::vector<Value> compute(const Taco& taco) const = 0;
};

}  // namespace tacore
