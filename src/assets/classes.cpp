#include "assets/classes.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "assets/claims.hpp"
#include "assets/words.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "container/container.hpp"
#include "model/json_node.hpp"

namespace tacore::assets {
namespace {

/// The part of a column that has to be of declared classes before the others are exceptions, and the rows it needs.
constexpr double kDeclaredPart = 0.95;
constexpr std::size_t kLeastDeclared = 20;
/// Rows with labels that say something about how classes are divided.
constexpr std::size_t kLeastLabelled = 1000;
/// The part of all rows that one class may have.
constexpr double kMostOfClass = 0.99;
/// A class is missed in a split that should have this many rows of it, and where it has this part of the other rows.
constexpr double kLeastExpected = 20, kLeastCommon = 0.01;
/// Columns of more values than this are no labels.
constexpr std::size_t kMostClasses = 10'000;

/// A value as declarations spell it.
std::string class_text(const Value& value) {
  if (const auto* text = value.get<std::string>()) return *text;
  if (const auto number = number_of(value)) return number_text(*number);
  if (const auto* truth = value.get<bool>()) return *truth ? "1" : "0";
  return {};
}

/// "'forest' (1)"
std::string class_name(const DeclaredClass& one) {
  return one.name.empty() || one.name == one.value ? in_quotes(one.value)
                                                   : in_quotes(one.name) + " (" + one.value + ")";
}

/// The names and values of classes, each with the number of its class.
class ClassNumbers {
 public:
  explicit ClassNumbers(const DeclaredClasses& classes) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const auto number = parse_number(classes[i].value);
      numbers_.emplace(number ? number_text(*number) : classes[i].value, i);
    }
    for (std::size_t i = 0; i < classes.size(); ++i) numbers_.emplace(classes[i].name, i);
  }

  std::optional<std::size_t> find(const std::string& text) const {
    auto found = numbers_.find(text);
    if (found == numbers_.end()) {
      const auto number = parse_number(text);
      if (number) found = numbers_.find(number_text(*number));
    }
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
};

/// A column of labels and its classes.
struct LabelColumn {
  int number = -1;
  std::string name = {};
  DeclaredClasses classes = {};
  bool is_declared = false;  ///< the description of this column lists the classes of the collection
  std::string no_data = {};  ///< the value that the description calls no data
};

std::string description_in(const Survey& survey, const Layer& layer, const std::string& column) {
  const auto& schema = survey.container->collection().field_schema;
  const auto fields = schema.find("level" + std::to_string(layer.level));
  if (fields == schema.end()) return {};
  const auto field = std::ranges::find(fields->second, column, &FieldDescription::name);
  return field == fields->second.end() ? std::string() : field->description;
}

bool is_label_name(const std::string& name) {
  static const std::vector<std::vector<std::string>> names = {
      {"label"}, {"labels"}, {"class"}, {"label", "id"}, {"class", "id"}, {"label", "name"}, {"class", "name"}};
  return std::ranges::find(names, words_of(name)) != names.end();
}

/// "whose no data is 80": "80".
std::string no_data_in(const std::string& description) {
  static constexpr std::string_view kWords = "no data is ";
  const std::size_t at = description.find(kWords);
  const auto number = at == description.npos
                          ? std::nullopt
                          : parse_number_prefix(std::string_view(description).substr(at + kWords.size()));
  return number ? number_text(number->value) : std::string();
}

std::vector<LabelColumn> label_columns(const Survey& survey, const Layer& layer) {
  std::vector<LabelColumn> out;
  auto declared = classes_of(survey.container->collection());
  std::ranges::sort(declared);
  const auto& columns = survey.container->stored_level(layer.level)->columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [name, type] = columns[i];
    if (name == names::kId || name == names::kType || names::is_internal(name)) continue;
    const std::string description = description_in(survey, layer, name);
    auto classes = classes_in(description);
    const bool has_own = !classes.empty();
    if (!has_own && !is_label_name(name)) continue;
    if (!has_own) classes = declared;
    std::ranges::sort(classes);
    const bool is_declared = has_own && classes == declared;
    out.push_back({static_cast<int>(i), name, std::move(classes), is_declared, no_data_in(description)});
  }
  return out;
}

/// Whether a raster of this kind may show classes.
bool may_show_classes(const AssetFacts& facts) {
  return facts.kind && facts.kind->bands == 1 && facts.kind->type.find("int") != std::string::npos;
}

/// Checks one column of labels.
class LabelPatterns {
 public:
  LabelPatterns(const Survey& survey, std::size_t layer, LabelColumn column, const std::set<double>* in_pixels)
      : survey_(survey),
        number_(layer),
        layer_(survey.layers[layer]),
        column_(std::move(column)),
        in_pixels_(in_pixels),
        numbers_(column_.classes) {}

  std::vector<Finding> all() {
    if (!count()) return {};
    find_undeclared();
    if (num_labelled_ < kLeastLabelled) return std::move(out_);
    find_unused();
    find_prevalent();
    find_missing_in_splits();
    return std::move(out_);
  }

 private:
  Finding& add(const char* rule, std::string message) {
    return out_.emplace_back(
        Finding{.rule = rule, .layer = number_, .columns = {column_.name}, .message = std::move(message)});
  }

  /// The class of a value: of the declared ones, else the value itself.
  std::string key_of(const std::string& text) const {
    const auto known = numbers_.find(text);
    return known ? column_.classes[*known].value : text;
  }

  /// Counts the classes, in all rows and by split; false where the column has no classes.
  bool count() {
    const auto splits = values_of_sample(survey_, layer_, {"split", "tortilla:data_split"});
    const auto add_one = [&](const Value& value, std::size_t row) {
      const std::string text = class_text(value);
      if (text.empty()) return false;
      const std::string key = key_of(text);
      ++counts_[key];
      if (!splits.empty() && splits[row].get<std::string>()) ++split_counts_[*splits[row].get<std::string>()][key];
      return column_.classes.empty() || text == column_.no_data || numbers_.find(text).has_value();
    };
    each_value(survey_, layer_, column_.number, [&](std::size_t row, const Value& value) {
      if (value.is_null() || counts_.size() > kMostClasses) return;
      ++num_labelled_;
      if (!splits.empty() && splits[row].get<std::string>()) ++split_sizes_[*splits[row].get<std::string>()];
      bool is_known = true;
      if (const auto* list = value.get<Value::List>()) {
        has_lists_ = true;
        for (const Value& item : *list) is_known = (item.is_null() || add_one(item, row)) && is_known;
      } else {
        is_known = add_one(value, row);
      }
      if (!is_known) strange_.emplace_back(row, text_of(value));
    });
    return num_labelled_ > 0 && counts_.size() <= kMostClasses;
  }

  /// AST-14, AST-30: values that are no declared class.
  void find_undeclared() {
    if (strange_.empty() || column_.classes.empty()) return;
    const auto num_known = static_cast<double>(num_labelled_ - strange_.size());
    const bool is_usual =
        num_labelled_ >= kLeastDeclared && num_known >= kDeclaredPart * static_cast<double>(num_labelled_);
    if (!column_.is_declared && !is_usual) return;
    std::vector<std::string> values;
    for (const DeclaredClass& one : column_.classes) values.push_back(one.value);
    if (values.size() > 12) {
      values.resize(12);
      values.emplace_back("...");
    }
    Finding finding{.rule = column_.is_declared ? "AST-14" : "AST-30", .layer = number_, .columns = {column_.name}};
    std::ranges::sort(strange_);
    for (const auto& [row, text] : strange_) {
      finding.rows.push_back(row);
      if (finding.faults.size() < kMostTold)
        finding.faults.push_back(
            {row, column_.name + " is " + text + ", which is none of the declared classes " + join(values, ", ")});
    }
    out_.push_back(std::move(finding));
  }

  /// AST-33: a declared class that no sample has.
  void find_unused() {
    // Labels may also be in the rasters, which then have to be known.
    const bool has_maps = std::ranges::any_of(
        survey_.layers, [](const Layer& layer) { return std::ranges::any_of(layer.facts, may_show_classes); });
    if ((has_maps && !in_pixels_) || survey_.num_checked < survey_.num_samples) return;
    std::vector<std::string> unused;
    for (const DeclaredClass& one : column_.classes) {
      const auto number = parse_number(one.value);
      const bool is_in_pixels = in_pixels_ && number && in_pixels_->contains(*number);
      if (!counts_.contains(one.value) && !is_in_pixels) unused.push_back(class_name(one));
    }
    if (unused.empty() || unused.size() == column_.classes.size()) return;
    add("AST-33", std::string(unused.size() == 1 ? "the declared class " : "the declared classes ") +
                      join(unused, ", ") + (unused.size() == 1 ? " is" : " are") + " in none of " +
                      std::to_string(num_labelled_) + " rows" + (has_maps ? ", and in no raster of one band" : ""));
  }

  /// AST-33: nearly all samples have one class.
  void find_prevalent() {
    if (has_lists_ || counts_.size() < 2) return;
    const auto most = std::ranges::max_element(counts_, {}, [](const auto& one) { return one.second; });
    if (static_cast<double>(most->second) <= kMostOfClass * static_cast<double>(num_labelled_)) return;
    add("AST-33", part_text(most->second, num_labelled_) + " are of class " + named_class(most->first) + ", " +
                      std::to_string(num_labelled_ - most->second) + " of " +
                      (counts_.size() == 2 ? "another one" : "all others together"));
  }

  /// AST-33: a class that is common, and in no sample of one split.
  void find_missing_in_splits() {
    for (const auto& [split, size] : split_sizes_) {
      const double num_others = static_cast<double>(num_labelled_ - size);
      if (split_sizes_.size() < 2 || num_others == 0) continue;
      const auto& here = split_counts_[split];
      for (const auto& [key, count] : counts_) {
        const double share = static_cast<double>(count) / num_others;
        if (here.contains(key) || share < kLeastCommon || share * static_cast<double>(size) < kLeastExpected) continue;
        add("AST-33", "class " + named_class(key) + " is in none of " + std::to_string(size) + " rows of split " +
                          in_quotes(split) + ", though in " + std::to_string(count) + " of " +
                          std::to_string(num_labelled_ - size) + " other rows");
      }
    }
  }

  std::string named_class(const std::string& key) const {
    const auto known = numbers_.find(key);
    return known ? class_name(column_.classes[*known]) : in_quotes(key);
  }

  const Survey& survey_;
  std::size_t number_;
  const Layer& layer_;
  LabelColumn column_;
  const std::set<double>* in_pixels_;
  ClassNumbers numbers_;
  std::size_t num_labelled_ = 0;
  bool has_lists_ = false;
  std::map<std::string, std::size_t> counts_;
  std::map<std::string, std::size_t> split_sizes_;
  std::map<std::string, std::map<std::string, std::size_t>> split_counts_;
  std::vector<std::pair<std::size_t, std::string>> strange_;
  std::vector<Finding> out_;
};

/// AST-14: `landcover:fractions` has a share for each class.
void check_fractions(const Survey& survey, std::size_t number, std::vector<Finding>& out) {
  const Layer& layer = survey.layers[number];
  const int column = survey.container->stored_level(layer.level)->find("landcover:fractions");
  const std::size_t num_classes = classes_of(survey.container->collection()).size();
  if (column < 0 || num_classes == 0) return;
  Finding finding{.rule = "AST-14", .layer = number, .columns = {"landcover:fractions"}};
  each_value(survey, layer, column, [&](std::size_t row, const Value& value) {
    const auto* list = value.get<Value::List>();
    if (!list || list->size() == num_classes) return;
    finding.rows.push_back(row);
    if (finding.faults.size() < kMostTold)
      finding.faults.push_back({row, "landcover:fractions has " + std::to_string(list->size()) +
                                         " shares, labels:classes has " + std::to_string(num_classes) + " classes"});
  });
  if (!finding.rows.empty()) out.push_back(std::move(finding));
}

}  // namespace

DeclaredClasses classes_of(const Collection& collection) {
  DeclaredClasses out;
  if (collection.json.empty()) return out;
  const auto document = parse_json(collection.json, "COLLECTION.json");
  const auto listed = document.is_object() ? document.find("labels:classes") : document.end();
  if (!document.is_object() || listed == document.end()) return out;
  // A list of one class may be written without the list.
  const auto add = [&](const nlohmann::json& one) {
    if (!one.is_object()) return;
    const auto text = [&](const char* key) -> std::string {
      const auto found = one.find(key);
      if (found == one.end()) return {};
      return found->is_string() ? found->get<std::string>() : found->is_number() ? found->dump() : std::string();
    };
    if (!text("category").empty()) out.push_back({text("category"), text("name")});
  };
  if (listed->is_array()) {
    for (const auto& one : *listed) add(one);
  } else {
    add(*listed);
  }
  return out;
}

DeclaredClasses classes_in(const std::string& description) {
  static constexpr std::string_view kIs = " = ";
  const std::size_t first = description.find(kIs);
  if (first == description.npos) return {};
  const std::size_t before = description.rfind("; ", first);
  const std::string list = before == description.npos ? description : description.substr(before + 2);
  DeclaredClasses out;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    const std::string part = list.substr(at, end - at);
    const std::size_t is = part.find(kIs);
    const bool is_class = is != part.npos && is > 0 && part.find(' ') == is && is + kIs.size() < part.size();
    if (is_class) {
      out.push_back({part.substr(0, is), part.substr(is + kIs.size())});
    } else if (out.empty()) {
      return {};
    } else {
      out.back().name += ", " + part;  // a name with a comma in it
    }
    at = end + 2;
  }
  return out.size() < 2 ? DeclaredClasses() : out;
}

std::optional<std::vector<double>> class_numbers(const DeclaredClasses& classes) {
  std::vector<double> out;
  for (const DeclaredClass& one : classes) {
    const auto number = parse_number(one.value);
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

std::vector<Finding> class_patterns(const Survey& survey, std::size_t layer, const std::set<double>* in_pixels) {
  std::vector<Finding> out;
  check_fractions(survey, layer, out);
  for (LabelColumn& column : label_columns(survey, survey.layers[layer])) {
    for (auto& finding : LabelPatterns(survey, layer, std::move(column), in_pixels).all())
      out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace tacore::assets
