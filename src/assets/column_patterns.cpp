#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "assets/findings.hpp"
#include "assets/words.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "format/names.hpp"

namespace tacore::assets {
namespace {

constexpr int64_t kYear = 31'557'600 * kSecond;
/// The part of a column that has to be of one kind, before the others are exceptions.
constexpr double kUsualPart = 0.5;

int64_t microseconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

class ColumnPatterns {
 public:
  ColumnPatterns(const Survey& survey, std::size_t layer, const std::function<std::vector<Value>(int)>& read)
      : survey_(survey),
        number_(layer),
        layer_(survey.layers[layer]),
        table_(*survey.container->stored_level(layer_.level)),
        read_(read) {}

  std::vector<Finding> all() {
    for (int column = 0; column < static_cast<int>(table_.columns().size()); ++column) {
      name_ = table_.columns()[static_cast<std::size_t>(column)].name;
      if (name_ == names::kId || name_ == names::kType || names::is_internal(name_)) continue;
      words_ = words_of(name_);
      values_ = read_(column);
      find_units();
      find_impossible();
      find_split();
      find_future();
      find_constant();
      find_more_than_whole();
      note_zeros();
      find_described();
    }
    find_zeros();
    find_scaled_families();
    return std::move(out_);
  }

 private:
  Finding& add(const std::string& rule, std::string message) {
    return out_.emplace_back(
        Finding{.rule = rule, .layer = number_, .columns = {name_}, .message = std::move(message)});
  }

  void change(Finding& finding, std::size_t index, Value value) {
    finding.rows.push_back(index);
    finding.changes.push_back({.index = index, .old_values = {values_[index]}, .new_values = {std::move(value)}});
  }

  // Times.

  /// AST-21: numbers in two units, and timestamps that are times too late or too early by a factor of 1,000.
  void find_units() {
    if (!has_word(words_, {"time", "date", "datetime", "timestamp", "start", "end", "middle", "acquired", "acquisition",
                           "sensing", "epoch", "ms", "us", "ns"}))
      return;
    struct Class {
      std::size_t count = 0;
      int64_t least = 0, greatest = 0;
    };
    // By the power of 1,000 that brings a value into the years 1972 to 2100.
    std::map<int, Class> classes;
    std::vector<int> power_of(values_.size(), kNoPower);
    std::size_t num_values = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].is_null()) continue;
      ++num_values;
      const auto seen = read(values_[i]);
      if (!seen) continue;
      power_of[i] = seen->power;
      Class& one = classes[seen->power];
      if (one.count++ == 0) one.least = one.greatest = seen->microseconds;
      one.least = std::min(one.least, seen->microseconds);
      one.greatest = std::max(one.greatest, seen->microseconds);
    }
    if (classes.size() < 2) return;
    const auto usual = std::ranges::max_element(classes, {}, [](const auto& one) { return one.second.count; });
    if (static_cast<double>(usual->second.count) <= kUsualPart * static_cast<double>(num_values)) return;
    for (const auto& [power, one] : classes) {
      const bool fits = one.least >= usual->second.least - kYear && one.greatest <= usual->second.greatest + kYear;
      if (power == usual->first || !fits) continue;
      const int steps = power - usual->first;
      const std::string factor = std::abs(steps) == 1 ? "1,000" : std::abs(steps) == 2 ? "1,000,000" : "1,000,000,000";
      Finding& finding = add("AST-21", std::string());
      finding.confidence = 0.99;
      for (std::size_t i = 0; i < values_.size(); ++i) {
        if (power_of[i] != power) continue;
        if (auto scaled = scale(values_[i], steps)) change(finding, i, std::move(*scaled));
      }
      finding.message = part_text(finding.rows.size(), values_.size()) + " have a time that is " +
                        (steps > 0 ? "larger by a factor of " : "smaller by a factor of ") + factor +
                        " than that of the others, such as " +
                        text_of(values_[finding.rows.empty() ? 0 : finding.rows[0]]) + ": in another unit";
      finding.reason = "another unit of time: " + std::string(steps > 0 ? "divided" : "multiplied") + " by " + factor +
                       ", all of them lie among the times of the other rows";
      if (finding.rows.empty()) out_.pop_back();
    }
  }

  static constexpr int kNoPower = 99;
  struct Seen {
    int power = 0;  ///< of 1,000, by which the number is larger than that of microseconds (of the column's unit)
    int64_t microseconds = 0;
  };

  static bool is_usual(double microseconds) {
    return microseconds >= 2.0 * static_cast<double>(kYear) && microseconds < 130.0 * static_cast<double>(kYear);
  }

  static std::optional<Seen> read(const Value& value) {
    double number = 0;
    if (const auto* time = value.get<Timestamp>()) {
      number = static_cast<double>(time->microseconds);
    } else if (const auto other = number_of(value)) {
      number = *other;
    } else {
      return std::nullopt;
    }
    double scaled = number * 1e6;
    for (int power = -2; power <= 3; ++power, scaled /= 1000) {
      if (is_usual(scaled)) return Seen{power, static_cast<int64_t>(scaled)};
    }
    return std::nullopt;
  }

  /// Divides by 1,000 to the power of `steps`; nullopt where that is no whole number.
  static std::optional<Value> scale(const Value& value, int steps) {
    int64_t factor = 1;
    for (int i = 0; i < std::abs(steps); ++i) factor *= 1000;
    const auto whole = [&](int64_t number) -> std::optional<int64_t> {
      if (steps < 0) return number * factor;
      return number % factor == 0 ? std::optional(number / factor) : std::nullopt;
    };
    if (const auto* time = value.get<Timestamp>()) {
      const auto number = whole(time->microseconds);
      return number ? std::optional<Value>(Timestamp{*number}) : std::nullopt;
    }
    if (const auto* number = value.get<int64_t>()) {
      const auto out = whole(*number);
      return out ? std::optional<Value>(*out) : std::nullopt;
    }
    const double number = *number_of(value);
    return Value(steps > 0 ? number / static_cast<double>(factor) : number * static_cast<double>(factor));
  }

  /// AST-22: acquisitions later than now.
  void find_future() {
    const bool is_acquisition = name_ == "stac:time_start" || name_ == "istac:time_start" || name_ == "datetime";
    if (!is_acquisition) return;
    const int64_t limit = microseconds_now() + 86'400 * kSecond;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto* time = values_[i].get<Timestamp>();
      if (time && time->microseconds > limit) rows.push_back(i);
    }
    if (rows.empty()) return;
    Finding& finding = add("AST-22", part_text(rows.size(), values_.size()) + " have a time in the future, such as " +
                                         text_of(values_[rows[0]]));
    finding.rows = std::move(rows);
  }

  // Numbers.

  /// AST-22: values that the quantity cannot have.
  void find_impossible() {
    struct Range {
      std::initializer_list<std::string_view> names;
      double least, greatest;
    };
    static const Range ranges[] = {
        {{"eo:cloud_cover", "eo:snow_cover"}, 0, 100},
        {{"view:sun_elevation", "sun_elevation"}, -90, 90},
        {{"view:sun_azimuth", "sun_azimuth", "view:azimuth"}, -180, 360},
        {{"view:off_nadir", "view:incidence_angle"}, 0, 90},
        {{"latitude", "lat", "centroid_lat"}, -90, 90},
        {{"longitude", "lon", "lng", "centroid_lon"}, -180, 360},
    };
    for (const Range& range : ranges) {
      if (std::ranges::find(range.names, name_) == range.names.end()) continue;
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < values_.size(); ++i) {
        const auto number = number_of(values_[i]);
        if (number && (*number < range.least || *number > range.greatest)) rows.push_back(i);
      }
      if (rows.empty()) continue;
      Finding& finding = add("AST-22", part_text(rows.size(), values_.size()) + " have a value that is not between " +
                                           number_text(range.least) + " and " + number_text(range.greatest) +
                                           ", such as " + text_of(values_[rows[0]]));
      finding.rows = std::move(rows);
    }
  }

  /// AST-23: one split for all samples.
  void find_split() {
    const bool is_split =
        name_ == "split" || name_ == "tortilla:data_split" || words_ == std::vector<std::string>{"data", "split"};
    if (!is_split || values_.size() < 100) return;
    const auto* first = values_[0].get<std::string>();
    if (!first || !std::ranges::all_of(values_, [&](const Value& value) { return value == values_[0]; })) return;
    add("AST-23", "all " + std::to_string(values_.size()) + " rows are " + in_quotes(*first) +
                      ": there is nothing to validate or test with");
  }

  /// AST-35: a measured quantity that is the same in all rows, though they are of different days or places.
  void find_constant() {
    constexpr std::size_t kLeastRows = 100;
    const auto first = std::ranges::find_if(values_, [](const Value& value) { return !value.is_null(); });
    std::size_t num_values = 0;
    for (auto at = first; at != values_.end(); ++at) {
      if (at->is_null()) continue;
      if (*at != *first) return;
      ++num_values;
    }
    if (num_values < kLeastRows) return;
    const auto number = number_of(*first);
    const bool is_cloud = has_word(words_, {"cloud", "clouds", "cloudcover", "cloudiness"});
    const bool is_angle = has_word(words_, {"sun", "solar", "view", "incidence", "nadir"}) &&
                          has_word(words_, {"azimuth", "elevation", "zenith", "angle", "nadir"});
    // Images without clouds, or without a number for them, may have been chosen.
    const bool may_be_chosen = is_cloud && number && (*number <= 0 || *number == 1 || *number == 100);
    const auto* time = first->get<Timestamp>();
    const bool is_acquisition = name_ == "stac:time_start" || name_ == "istac:time_start" || name_ == "datetime";
    // Composites have whole days; models and geostationary satellites have whole minutes.
    const bool is_moment = time && is_acquisition && time->microseconds % (60 * kSecond) != 0;
    std::string though;
    if (number && std::isfinite(*number) && (is_cloud || is_angle) && !may_be_chosen) though = several_scenes();
    if (is_moment) though = half_a_globe();
    if (though.empty()) return;
    Finding& finding = add(
        "AST-35", "is " + text_of(*first) + " in all " + std::to_string(num_values) + " rows that have it, " + though);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!values_[i].is_null()) finding.rows.push_back(i);
    }
  }

  /// "though they are of 12 days", where the rows cannot be of one scene; "" where they may be.
  std::string several_scenes() const {
    constexpr std::size_t kLeastDays = 10;
    constexpr double kSceneDegrees = 10;
    std::set<int64_t> days;
    const auto times = acquired_times(survey_, layer_);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] && !values_[i].is_null()) days.insert(*times[i] / (86'400 * kSecond));
    }
    if (days.size() >= kLeastDays) return "though these are of " + std::to_string(days.size()) + " days";
    double south = 90, north = -90;
    for (std::size_t i = 0; i < layer_.places.size(); ++i) {
      if (!layer_.places[i] || values_[i].is_null()) continue;
      south = std::min(south, layer_.places[i]->centre.lat);
      north = std::max(north, layer_.places[i]->centre.lat);
    }
    return north - south > kSceneDegrees ? "though these lie between latitudes " + std::to_string(std::lround(south)) +
                                               " and " + std::to_string(std::lround(north))
                                         : std::string();
  }

  /// "though they lie on both sides of the globe", where no satellite sees all of them in one second; else "".
  std::string half_a_globe() const {
    std::vector<double> lons;
    for (const auto& place : layer_.places) {
      if (place && std::abs(place->centre.lat) < 60) lons.push_back(std::remainder(place->centre.lon, 360));
    }
    if (lons.size() < 2) return {};
    std::ranges::sort(lons);
    double gap = lons.front() + 360 - lons.back();
    for (std::size_t i = 1; i < lons.size(); ++i) gap = std::max(gap, lons[i] - lons[i - 1]);
    if (gap >= 180) return {};
    return "though these lie around the whole globe";
  }

  const FieldDescription* described() const {
    const auto& schema = survey_.container->collection().field_schema;
    const auto fields = schema.find("level" + std::to_string(layer_.level));
    if (fields == schema.end()) return nullptr;
    const auto field = std::ranges::find(fields->second, name_, &FieldDescription::name);
    return field == fields->second.end() || field->description.empty() ? nullptr : &*field;
  }

  /// AST-22: parts of a soil that are more than all of it, in the unit of their description.
  void find_more_than_whole() {
    const FieldDescription* field = described();
    if (!field) return;
    const auto words = words_of(field->description + " " + name_);
    const bool is_carbon = has_word(words, {"soc"}) || (has_word(words, {"carbon"}) && has_word(words, {"organic"}));
    const bool is_part = is_carbon || has_word(words, {"clay", "sand", "silt", "gravel", "nitrogen"});
    if (!has_word(words, {"soil", "soils"}) || !is_part ||
        has_word(words, {"times", "scaled", "scale", "divided", "multiplied", "x10", "factor", "change", "difference",
                         "anomaly", "ratio", "relative", "index", "growth"}))
      return;
    struct Unit {
      std::initializer_list<std::string_view> spellings;
      double whole;
    };
    static const Unit units[] = {{{"mg/kg", "mg kg-1", "ppm"}, 1e6},
                                 {{"cg/kg", "cg kg-1"}, 1e5},
                                 {{"dg/kg", "dg kg-1"}, 1e4},
                                 {{"g/kg", "g kg-1", "permille"}, 1e3},
                                 {{"%", "percent"}, 100}};
    for (const Unit& unit : units) {
      const auto spelling = std::ranges::find_if(unit.spellings, [&](std::string_view one) {
        const std::size_t at = field->description.find(one);
        return at != std::string::npos &&
               (at == 0 || !std::isalnum(static_cast<unsigned char>(field->description[at - 1])));
      });
      if (spelling == unit.spellings.end()) continue;
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < values_.size(); ++i) {
        const auto number = number_of(values_[i]);
        if (number && std::isfinite(*number) && *number > unit.whole) rows.push_back(i);
      }
      if (rows.empty()) return;
      Finding& finding = add("AST-22", "the description says " + in_quotes(field->description) + ", but " +
                                           part_text(rows.size(), values_.size()) + " have more than " +
                                           number_text(unit.whole) + ", such as " + text_of(values_[rows[0]]) +
                                           ": a part of the soil is not more than all of it");
      finding.rows = std::move(rows);
      return;
    }
  }

  // Zeros.

  struct Zeros {
    std::string name;
    int column = -1;
    std::string family = {};             ///< what comes before the colon
    std::vector<std::size_t> rows = {};  ///< with the value 0
    bool is_impossible = false;          ///< the quantity cannot be 0
  };

  void note_zeros() {
    Zeros zeros{.name = name_, .column = table_.find(name_), .family = name_.substr(0, name_.find(':'))};
    double least = INFINITY;
    std::size_t num_others = 0;  // that are not 0
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto number = number_of(values_[i]);
      if (!number) continue;
      if (*number == 0) {
        zeros.rows.push_back(i);
      } else {
        ++num_others;
        least = std::min(least, *number);
      }
    }
    if (zeros.rows.empty() || name_.find(':') == name_.npos) return;
    // No soil, water or air of the Earth has these values, and nothing near them.
    zeros.is_impossible = num_others > zeros.rows.size() &&
                          has_word(words_, {"ph", "phh2o", "kelvin", "pressure", "density"}) && least > 1;
    zeros_.push_back(std::move(zeros));
  }

  /// AST-24: columns of one family that are 0 where one of them cannot be 0.
  void find_zeros() {
    for (const Zeros& anchor : zeros_) {
      if (!anchor.is_impossible || done_families_.contains(anchor.family)) continue;
      std::vector<const Zeros*> group;
      for (const Zeros& other : zeros_) {
        if (other.family == anchor.family && std::ranges::includes(other.rows, anchor.rows)) group.push_back(&other);
      }
      if (group.size() < 2) continue;
      done_families_.insert({anchor.family, true});
      std::vector<std::string> names;
      for (const Zeros* one : group) names.push_back(one->name);
      Finding& finding = out_.emplace_back(Finding{.rule = "AST-24", .layer = number_, .columns = names});
      finding.rows = anchor.rows;
      finding.message = join(names, ", ") + " are 0 together in " + part_text(anchor.rows.size(), layer_.size()) +
                        ", and " + anchor.name + " cannot be 0: no data was meant";
      finding.reason = "0 stands for no data where " + anchor.name + " is 0: null";
      finding.confidence = 0.9;
      finding.is_accepted = false;
      std::vector<std::vector<Value>> columns;
      for (const Zeros* one : group) columns.push_back(read_(one->column));
      for (const std::size_t row : anchor.rows) {
        Change change{.index = row};
        for (const auto& column : columns) {
          change.old_values.push_back(column[row]);
          change.new_values.emplace_back();
        }
        finding.changes.push_back(std::move(change));
      }
    }
  }

  // Descriptions.

  /// AST-25: the unit in the description of a column is not that of its values.
  void find_described() {
    const FieldDescription* field = described();
    if (!field) return;
    std::vector<double> numbers;
    for (const Value& value : values_) {
      const auto number = number_of(value);
      if (number && std::isfinite(*number) && *number != 0) numbers.push_back(*number);
    }
    if (numbers.size() < 20) return;
    std::ranges::sort(numbers);
    const double low = numbers[numbers.size() / 20], high = numbers[numbers.size() - 1 - numbers.size() / 20];
    const auto what = [&] {
      return "the description says " + in_quotes(field->description) + ", but nine tenths of the values lie between " +
             rounded_number_text(low, 4) + " and " + rounded_number_text(high, 4);
    };
    const auto propose = [&](const std::string& why, std::string text, double confidence) {
      Finding& finding = add("AST-25", what() + ": " + why);
      finding.reason = why;
      finding.confidence = confidence;
      finding.is_accepted = false;
      finding.description = DescriptionChange{
          .level = layer_.level, .column = name_, .old_text = field->description, .new_text = std::move(text)};
    };
    const auto words = words_of(field->description + " " + name_);
    const std::string& text = field->description;
    const std::string family = name_.substr(0, name_.find(':'));
    const auto replaced = [&](std::initializer_list<std::string_view> olds, std::string_view with) -> std::string {
      for (const std::string_view old : olds) {
        for (std::size_t at = text.find(old); at != text.npos; at = text.find(old, at + 1)) {
          const auto is_word = [&](std::size_t k) {
            return k < text.size() && std::isalnum(static_cast<unsigned char>(text[k]));
          };
          if ((at == 0 || !is_word(at - 1)) && !is_word(at + old.size()))
            return std::string(text).replace(at, old.size(), with);
        }
      }
      return text + " (" + std::string(with) + ")";
    };
    if (has_word(words, {"temperature", "temp"}) && has_word(words, {"degc", "celsius", "c"}) && low > 150 &&
        high < 400)
      propose("they are kelvin", replaced({"degC", "degrees Celsius", "Celsius", "celsius", "°C"}, "K"), 0.98);
    if (has_word(words, {"temperature", "temp"}) && has_word(words, {"kelvin", "k"}) && high < 100)
      propose("they are degrees Celsius", replaced({"Kelvin", "kelvin", "K"}, "degC"), 0.95);
    if (has_word(words, {"precipitation", "rainfall", "rain"}) && has_word(words, {"mm"}) &&
        has_word(words, {"year", "annual", "yearly"}) && high < 15)
      propose("they are metres", replaced({"mm"}, "m"), 0.95);
    const bool is_told = is_scaled(words);
    if (has_word(words_, {"ph", "phh2o"}) && !is_told && low > 14 && high <= 140) {
      scaled_[family].push_back(name_);
      propose("pH is at most 14; they are scaled by 10", text + ", times 10", 0.95);
    }
    const bool is_density = has_word(words, {"density"}) && has_word(words, {"soil"});
    const bool is_cubic =
        text.find("kg/m3") != text.npos || text.find("kg m-3") != text.npos || text.find("kg/m³") != text.npos;
    if (is_density && is_cubic && !is_told && low > 30 && high < 300) {
      scaled_[family].push_back(name_);
      propose("soils have 300 to 2,000 kg/m3; they are divided by 10", with_note(text, "divided by 10"), 0.85);
    }
    if (has_word(words, {"gdp"}) || text.find("domestic product") != text.npos) {
      const bool is_each = text.find("per person") != text.npos || text.find("per capita") != text.npos ||
                           text.find("per head") != text.npos;
      if (is_each && high > 1e6) {
        std::string total = text;
        for (const std::string_view each : {" per person", " per capita", " per head"}) {
          if (const auto at = total.find(each); at != total.npos) total.erase(at, each.size());
        }
        propose("no country has so much for each person; they are totals", total, 0.85);
      }
    }
    find_described_class(*field);
  }

  /// AST-25: columns beside two that are scaled without saying so, whose own values do not tell whether they are.
  void find_scaled_families() {
    for (const auto& [family, scaled] : scaled_) {
      if (scaled.size() < 2) continue;
      for (const Column& column : table_.columns()) {
        name_ = column.name;
        const FieldDescription* field = described();
        const bool is_number = column.type == "double" || column.type == "float" || column.type.find("int") < 2;
        if (!name_.starts_with(family + ":") || !is_number || !field || std::ranges::count(scaled, name_) > 0) continue;
        const bool is_share = field->description.find('%') != std::string::npos;  // 0 to 100 by its nature
        if (is_share || is_scaled(words_of(field->description))) continue;
        add("AST-25", join(scaled, " and ") +
                          " are scaled though their descriptions do not say so; this one may be as well, which its "
                          "values do not tell");
      }
    }
  }

  static bool is_scaled(const std::vector<std::string>& words) {
    return has_word(words, {"times", "scaled", "scale", "divided", "x10", "factor"});
  }

  /// "Bulk density (kg/m3)" -> "Bulk density, divided by 10 (kg/m3)"
  static std::string with_note(const std::string& text, const std::string& note) {
    const std::size_t unit = text.rfind(" (");
    return unit == text.npos ? text + ", " + note : text.substr(0, unit) + ", " + note + text.substr(unit);
  }

  /// "whose no data is 80" where files say another value: the no data of the rasters below these rows.
  void find_described_class(const FieldDescription& field) {
    static constexpr std::string_view kWords = "no data is ";
    const std::size_t at = field.description.find(kWords);
    if (at == std::string::npos) return;
    const auto stated = parse_number_prefix(std::string_view(field.description).substr(at + kWords.size()));
    // "of lc/data.tif": the layer of that path.
    const auto named = std::ranges::find_if(survey_.layers, [&](const Layer& layer) {
      return layer.type == SampleType::File && !layer.name.empty() &&
             field.description.find(layer.name) != std::string::npos;
    });
    if (!stated || named == survey_.layers.end()) return;
    std::map<std::string, std::size_t> found;
    for (const AssetFacts& facts : named->facts) {
      if (facts.kind && !facts.kind->nodata.empty()) ++found[facts.kind->nodata];
    }
    if (found.size() != 1) return;
    const auto value = parse_number(found.begin()->first);
    if (!value || *value == stated->value) return;
    std::string text = field.description;
    text.replace(at + kWords.size(), stated->size, found.begin()->first);
    Finding& finding = add("AST-25", "the description says " + in_quotes(field.description) + ", but the no data of " +
                                         named->name + " is " + found.begin()->first);
    finding.reason = "the files say that no data is " + found.begin()->first;
    finding.confidence = 0.95;
    finding.is_accepted = false;
    finding.description = DescriptionChange{
        .level = layer_.level, .column = name_, .old_text = field.description, .new_text = std::move(text)};
  }

  const Survey& survey_;
  std::size_t number_;
  const Layer& layer_;
  const LevelTable& table_;
  const std::function<std::vector<Value>(int)>& read_;
  std::string name_;
  std::vector<std::string> words_;
  std::vector<Value> values_;
  std::vector<Zeros> zeros_;
  std::map<std::string, bool> done_families_;
  std::map<std::string, std::vector<std::string>> scaled_;  ///< columns that are scaled without saying so, by family
  std::vector<Finding> out_;
};

}  // namespace

std::string part_text(std::size_t part, std::size_t all) {
  return std::to_string(part) + " of " + std::to_string(all) + (all == 1 ? " row" : " rows");
}

std::vector<Finding> column_patterns(const Survey& survey, std::size_t layer,
                                     const std::function<std::vector<Value>(int)>& read) {
  return ColumnPatterns(survey, layer, read).all();
}

}  // namespace tacore::assets
