#include "tacore/extensions/rai_statement.hpp"

#include <algorithm>

#include "extensions/value_of.hpp"
#include "tacore/error.hpp"

namespace tacore::extensions {

namespace {

struct Row {
  const char* name;
  const char* description;
  std::optional<std::string> RaiStatementOptions::* text;
};

const Row kRows[] = {
    {"rai:data_collection", "How the data were collected", &RaiStatementOptions::data_collection},
    {"rai:data_collection_type", "Kind of collection", &RaiStatementOptions::data_collection_type},
    {"rai:data_collection_timeframe", "When the data were collected", &RaiStatementOptions::data_collection_timeframe},
    {"rai:data_limitations", "What the data are not fit for", &RaiStatementOptions::data_limitations},
    {"rai:data_biases", "Known biases", &RaiStatementOptions::data_biases},
    {"rai:personal_sensitive_information", "Personal or sensitive information in the data",
     &RaiStatementOptions::personal_sensitive_information},
    {"rai:use_cases", "What the data are meant for", &RaiStatementOptions::use_cases},
    {"rai:data_preprocessing_protocol", "How the data were processed",
     &RaiStatementOptions::data_preprocessing_protocol},
    {"rai:data_annotation_protocol", "How the data were labelled", &RaiStatementOptions::data_annotation_protocol},
    {"rai:annotation_platform", "With what the data were labelled", &RaiStatementOptions::annotation_platform},
    {"rai:data_release_maintenance_plan", "How releases are kept up",
     &RaiStatementOptions::data_release_maintenance_plan},
};

}  // namespace

RaiStatement::RaiStatement(const RaiStatementOptions& options) : options_(options) {
  if (std::none_of(std::begin(kRows), std::end(kRows),
                   [&](const Row& row) { return (options.*row.text).has_value(); })) {
    throw SchemaError("RaiStatement: none of its fields is set, expected at least one");
  }
}

std::vector<FieldDescription> RaiStatement::schema() const {
  std::vector<FieldDescription> out;
  for (const Row& row : kRows) out.push_back({row.name, "string", row.description});
  return out;
}

std::vector<Value> RaiStatement::values() const {
  std::vector<Value> out;
  for (const Row& row : kRows) out.push_back(value_of(options_.*row.text));
  return out;
}

std::vector<Value> RaiStatement::compute(const Taco&) const { return values(); }

}  // namespace tacore::extensions
