#include "tacore/extensions/split.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore::extensions {

namespace {

const std::string kSplits[] = {"train", "test", "validation"};
const std::string kStrategies[] = {"random", "stratified", "manual", "other", "none", "unknown"};

const std::string& one_of(const char* name, std::span<const std::string> words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) {
    throw SchemaError(std::string(name) + " " + quoted(word) + ": expected one of " + join(words, ", "));
  }
  return word;
}

}  // namespace

Split::Split(const std::string& split) : split_(one_of("split", kSplits, split)) {}

std::vector<FieldDescription> Split::schema() const {
  return {{"split", "string", "What the sample is for: train, test or validation"}};
}

std::vector<Value> Split::compute(const Sample&) const { return values(); }

SplitStrategy::SplitStrategy(const std::string& strategy) : strategy_(one_of("strategy", kStrategies, strategy)) {}

std::vector<FieldDescription> SplitStrategy::schema() const {
  return {{"split:strategy", "string", "How samples were assigned to splits"}};
}

std::vector<Value> SplitStrategy::compute(const Taco&) const { return values(); }

}  // namespace tacore::extensions
