#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacore/write/extension.hpp"

namespace tacore::extensions {

/// What the makers of a dataset say about responsible use; free text. Fields in the order of the columns.
struct RaiStatementOptions {
  std::optional<std::string> data_collection = {};
  std::optional<std::string> data_collection_type = {};
  std::optional<std::string> data_collection_timeframe = {};
  std::optional<std::string> data_limitations = {};
  std::optional<std::string> data_biases = {};
  std::optional<std::string> personal_sensitive_information = {};
  std::optional<std::string> use_cases = {};
  std::optional<std::string> data_preprocessing_protocol = {};
  std::optional<std::string> data_annotation_protocol = {};
  std::optional<std::string> annotation_platform = {};
  std::optional<std::string> data_release_maintenance_plan = {};
};

/// `rai:data_collection` and the ten others, after Croissant RAI; null for what is not said. Throws SchemaError when
/// nothing is said at all.
class TACORE_EXPORT RaiStatement : public TacoExtension {
 public:
  explicit RaiStatement(const RaiStatementOptions& options);
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Taco& taco) const override;
  /// What compute() gives, which depends on no dataset.
  std::vector<Value> values() const;

 private:
  RaiStatementOptions options_;
};

}  // namespace tacore::extensions
