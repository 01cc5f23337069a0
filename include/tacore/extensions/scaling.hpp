#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "tacore/write/extension.hpp"

namespace tacore::extensions {

/// Nothing, one number for all bands, or one for each.
using PerBand = std::variant<std::monostate, double, std::vector<double>>;

struct ScalingOptions {
  PerBand scale_factor = {};                         ///< finite and not zero, as a float
  PerBand scale_offset = {};                         ///< finite, as a float
  std::optional<std::vector<int32_t>> padding = {};  ///< pixels: top, right, bottom, left
};

/// How stored numbers become physical ones: unpacked = packed * factor + offset. Factor and offset are both lists when
/// one of them is. Throws SchemaError.
class TACORE_EXPORT Scaling : public SampleExtension {
 public:
  explicit Scaling(const ScalingOptions& options);
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Sample& sample) const override;
  /// What compute() gives, which depends on no sample.
  const std::vector<Value>& values() const noexcept { return values_; }

 private:
  bool lists_;
  std::vector<Value> values_;
};

}  // namespace tacore::extensions
