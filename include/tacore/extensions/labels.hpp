#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tacore/write/extension.hpp"

namespace tacore::extensions {

struct LabelClass {
  std::string name = {};
  std::variant<std::string, int64_t> category = {};  ///< stored as text
  std::optional<std::string> description = {};
};

/// What the labels of a dataset mean.
class TACORE_EXPORT Labels : public TacoExtension {
 public:
  explicit Labels(std::vector<LabelClass> label_classes, std::optional<std::string> label_description = {});
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Taco& taco) const override;
  /// What compute() gives, which depends on no dataset.
  std::vector<Value> values() const;

 private:
  std::vector<LabelClass> classes_;
  std::optional<std::string> description_;
};

}  // namespace tacore::extensions
