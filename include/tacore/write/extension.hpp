#pragma once

#include <vector>

#include "tacore/collection.hpp"
#include "tacore/visibility.hpp"
#include "tacore/value.hpp"

/// Extensions: metadata that is computed (§5.3). What one gives is named and typed by schema(); types are Arrow's
/// names, lower case ("string", "list<item: double>", "timestamp[us]").
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
