#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacore/types.hpp"
#include "tacore/write/extension.hpp"

/// Extensions with constant values: lists of columns whose values the caller gives. docs/extensions.md lists all
/// built-in columns.
namespace tacore::extensions {

/// A column of a built-in extension: its name, type and description, and the values that it allows.
struct ExtensionColumn {
  FieldDescription field = {};
  std::string allowed = {};  ///< the allowed values, in words; empty when any value of the type is allowed
};

/// The columns of the built-in extension `name` ("split", "stac", "methane", ...), in order. Throws SchemaError for a
/// name that tacore does not know.
///
///     extension_columns("split")[0].field.type;  // "string"
TACORE_EXPORT std::vector<ExtensionColumn> extension_columns(std::string_view name);

/// The columns of the built-in extension `name`, with one value for each, null for a missing one. Throws SchemaError
/// for an unknown name, for another number of values, and for a value that its column does not allow.
///
///     sample.extend_with(make_columns("split", {"train"}));
TACORE_EXPORT std::vector<MetadataField> make_columns(std::string_view name, std::vector<Value> values);

/// The names of the built-in extensions whose columns are listed: those of samples first, in the order of
/// docs/extensions.md.
TACORE_EXPORT std::vector<std::string> extension_names();
/// True when the built-in extension `name` adds keys to COLLECTION.json, false when it adds columns to samples. Throws
/// SchemaError for a name that tacore does not know.
TACORE_EXPORT bool extends_collection(std::string_view name);

/// The parameters of the constant extension `name` that text can express, in order: the names of its columns without
/// the prefix ("scale_factor" of `scaling:scale_factor`), and their Arrow types. Columns that are computed from others
/// and geometries are left out. Throws SchemaError for a name that tacore does not know.
TACORE_EXPORT std::vector<FieldDescription> extension_parameters(std::string_view name);

/// Reads one value for each of `parameters` from text as people type it; null for a missing one. A JSON object has
/// values by the names of the parameters; a JSON array, and any other text, is the value of the first parameter. Times
/// are RFC 3339, a whole number is accepted where text is expected, and "float or list<item: float>" is a type of two
/// forms. Throws SchemaError for text that is not valid JSON, an unknown parameter (with the known ones), and a value
/// of another type.
///
///     parse_values(R"({"jobs": 4})", {{"path", "string"}, {"jobs", "int32"}});  // null, 4
TACORE_EXPORT std::vector<Value> parse_values(std::string_view text, const std::vector<FieldDescription>& parameters);

/// The columns of the constant extension `name` with values from text: parse_values() of its extension_parameters().
/// Throws SchemaError as parse_values() and as the class of the extension.
///
///     sample.extend_with(parse_columns("split", "train"));
///     sample.extend_with(parse_columns("scaling", R"({"scale_factor": 0.0001, "scale_offset": -0.1})"));
TACORE_EXPORT std::vector<MetadataField> parse_columns(std::string_view name, std::string_view text);

/// An extension that is a list of columns, each with a name, an Arrow type, a description and one value. Everything
/// that is extended with it gets the same values: samples with SampleColumns, COLLECTION.json with TacoColumns.
///
///     const SampleColumns orbit({{"mission:orbit", 42, "int32", "Number of the orbit"}});
///     sample.extend_with(orbit);
template <class Extension, class Subject>
class TACORE_EXPORT ConstantExtension : public Extension {
 public:
  explicit ConstantExtension(std::vector<MetadataField> columns) {
    for (MetadataField& column : columns) {
      schema_.push_back({std::move(column.key), std::move(column.type), std::move(column.description)});
      values_.push_back(std::move(column.value));
    }
  }
  std::vector<FieldDescription> schema() const override { return schema_; }
  /// values(), which do not depend on the sample.
  std::vector<Value> compute(const Subject&) const override { return values_; }
  const std::vector<Value>& values() const noexcept { return values_; }

 private:
  std::vector<FieldDescription> schema_;
  std::vector<Value> values_;
};
/// An extension that adds constant columns to samples.
using SampleColumns = ConstantExtension<SampleExtension, Sample>;
/// An extension that adds constant keys to COLLECTION.json.
using TacoColumns = ConstantExtension<TacoExtension, Taco>;

/// The column `split`: the use of a sample, "train", "test" or "validation". Throws SchemaError for another word.
///
///     sample.extend_with(Split("train"));
struct TACORE_EXPORT Split : SampleColumns {
  explicit Split(const std::string& split);
};

/// The key `split:strategy`: how samples were assigned to splits, "random", "stratified", "manual", "other", "none" or
/// "unknown". Throws SchemaError for another word.
///
///     taco.extend_with(SplitStrategy("random"));
struct TACORE_EXPORT SplitStrategy : TacoColumns {
  explicit SplitStrategy(const std::string& strategy);
};

/// A value for each band: nothing, one number for all bands, or one number for each band.
using PerBand = std::variant<std::monostate, double, std::vector<double>>;

/// The arguments of Scaling.
struct ScalingOptions {
  PerBand scale_factor = {};                         ///< finite and not zero, as a float
  PerBand scale_offset = {};                         ///< finite, as a float
  std::optional<std::vector<int32_t>> padding = {};  ///< in pixels: top, right, bottom, left
};

/// The columns `scaling:*`: physical value = stored value * scale_factor + scale_offset. When one of the two is a list,
/// both columns are lists. Throws SchemaError for a value that the options do not allow.
///
///     sample.extend_with(Scaling({.scale_factor = 0.0001, .scale_offset = -0.1}));  // Sentinel-2 reflectance
struct TACORE_EXPORT Scaling : SampleColumns {
  explicit Scaling(const ScalingOptions& options);
};

/// A class of a dataset's labels. `category` is its value in the label rasters; it is stored as text.
struct LabelClass {
  std::string name = {};
  std::variant<std::string, int64_t> category = {};
  std::optional<std::string> description = {};
};

/// The keys `labels:*`: the classes of a dataset's labels, and their description.
///
///     taco.extend_with(Labels({{.name = "water", .category = 1}, {.name = "land", .category = 2}}, "Land cover"));
struct TACORE_EXPORT Labels : TacoColumns {
  explicit Labels(const std::vector<LabelClass>& label_classes,
                  const std::optional<std::string>& label_description = {});
};

/// A publication that describes a dataset.
struct Publication {
  std::string doi = {};
  std::string citation = {};
  std::optional<std::string> summary = {};
};

/// The key `publications`: the publications that describe a dataset.
///
///     const Publication paper{.doi = "10.1000/xyz", .citation = "Doe, J. (2024)"};
///     taco.extend_with(Publications(std::vector{paper}));
struct TACORE_EXPORT Publications : TacoColumns {
  explicit Publications(const std::vector<Publication>& publications);
};

/// Texts about responsible use of a dataset, after the Croissant RAI vocabulary, in the order of their columns.
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

/// The keys `rai:*` of a dataset: `rai:data_collection` and ten other texts about responsible use; a text that is not
/// given is null. Throws SchemaError when all texts are missing.
///
///     taco.extend_with(RaiStatement({.data_biases = "Few samples at sea."}));
struct TACORE_EXPORT RaiStatement : TacoColumns {
  explicit RaiStatement(const RaiStatementOptions& options);
};

}  // namespace tacore::extensions
