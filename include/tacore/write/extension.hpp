#pragma once

#include <vector>

#include "tacore/collection.hpp"
#include "tacore/value.hpp"
#include "tacore/visibility.hpp"

/// Extensions: classes that compute metadata. schema() returns the names and types of the fields; types are Arrow names
/// in lower case ("string", "list<item: double>", "timestamp[us]").
///
///     struct MeanRed : SampleExtension {
///       std::vector<FieldDescription> schema() const override { return {{"mean:red", "double", "Mean of band 1"}}; }
///       std::vector<Value> compute(const Sample& sample) const override { return {mean_of_band(sample, 1)}; }
///     };
///     sample.extend_with(MeanRed());
namespace tacore {

class Sample;
class Tortilla;
struct Taco;

/// Computes metadata of one sample, for Sample::extend_with().
class TACORE_EXPORT SampleExtension {
 public:
  virtual ~SampleExtension();
  virtual std::vector<FieldDescription> schema() const = 0;
  /// One value for each field of schema(). Throws SchemaError.
  virtual std::vector<Value> compute(const Sample& sample) const = 0;
};

/// Computes metadata of all samples of a Tortilla together, for Tortilla::extend_with().
class TACORE_EXPORT TortillaExtension {
 public:
  virtual ~TortillaExtension();
  virtual std::vector<FieldDescription> schema() const = 0;
  /// One column for each field of schema(), with one value for each sample. Throws SchemaError.
  virtual std::vector<std::vector<Value>> compute(const Tortilla& tortilla) const = 0;
};

/// Computes keys of COLLECTION.json, for Taco::extend_with().
class TACORE_EXPORT TacoExtension {
 public:
  virtual ~TacoExtension();
  virtual std::vector<FieldDescription> schema() const = 0;
  /// One value for each field of schema(). Throws SchemaError.
  virtual std::vector<Value> compute(const Taco& taco) const = 0;
};

}  // namespace tacore
