#pragma once

#include <string>
#include <vector>

#include "tacore/write/extension.hpp"

namespace tacore::extensions {

/// What a sample is for: `train`, `test` or `validation`, in this case. Throws SchemaError for another word.
class TACORE_EXPORT Split : public SampleExtension {
 public:
  explicit Split(const std::string& split);
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Sample& sample) const override;
  /// What compute() gives, which depends on no sample.
  std::vector<Value> values() const { return {split_}; }

 private:
  std::string split_;
};

/// How a dataset was split: `random`, `stratified`, `manual`, `other`, `none` or `unknown`. Throws SchemaError for
/// another word.
class TACORE_EXPORT SplitStrategy : public TacoExtension {
 public:
  explicit SplitStrategy(const std::string& strategy);
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Taco& taco) const override;
  /// What compute() gives, which depends on no dataset.
  std::vector<Value> values() const { return {strategy_}; }

 private:
  std::string strategy_;
};

}  // namespace tacore::extensions
