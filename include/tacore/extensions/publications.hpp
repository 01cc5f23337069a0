#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacore/write/extension.hpp"

namespace tacore::extensions {

struct Publication {
  std::string doi = {};
  std::string citation = {};
  std::optional<std::string> summary = {};
};

/// Where a dataset is described.
class TACORE_EXPORT Publications : public TacoExtension {
 public:
  explicit Publications(std::vector<Publication> publications);
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Taco& taco) const override;
  /// What compute() gives, which depends on no dataset.
  std::vector<Value> values() const;

 private:
  std::vector<Publication> publications_;
};

}  // namespace tacore::extensions
