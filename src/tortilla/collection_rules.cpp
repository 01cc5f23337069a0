#include "model/collection_rules.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "model/json_text.hpp"
#include "model/spdx.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/optical_data.hpp"
#include "tortilla/collection.hpp"
#include "tortilla/collection_document.hpp"

namespace tacore::v1 {

namespace {

using nlohmann::json;

const std::vector<std::string> kStrategies = {"random", "stratified", "manual", "other", "none", "unknown"};

/// The tasks of TACO 2 that 0.2.0 has, too, and the one that only 0.2.0 has.
std::vector<std::string> tasks_of_v1() {
  const auto later = [](std::string_view task) { return task == "foundation-model" || task == kOtherTask; };
  std::vector<std::string> out;
  for (const std::string_view task : published_tasks()) {
    if (!later(task)) out.emplace_back(task);
  }
  out.emplace_back(kGeneralTask);
  return out;
}

bool is_one_of(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A JSON value of the user, for a message.
std::string shown(const json& value) {
  return value.is_string() ? tacore::in_quotes(value.get<std::string>())
                           : tacore::in_quotes(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string element(const std::string& list, std::size_t i) { return list + "[" + std::to_string(i) + "]"; }

/// Collects findings, one sentence each.
class Examination {
 public:
  CollectionFindings take() { return std::move(found_); }

  void fault(const std::string& what) { found_.faults.push_back(what); }
  void advise(const std::string& what) { found_.advice.push_back(what); }

  /// The member, nullptr when it is null or absent.
  static const json* find(const json& object, const char* key) {
    const auto at = object.find(key);
    return at == object.end() || at->is_null() ? nullptr : &*at;
  }

  bool is_object(const json& value, const std::string& name) {
    if (!value.is_object()) fault(name + " is " + shown(value) + ", expected an object");
    return value.is_object();
  }
  void check_text(const json& object, const char* key, const std::string& name) {
    if (const json* text = find(object, key); text && !text->is_string())
      fault(name + "." + key + " is " + shown(*text) + ", expected a string");
  }
  void require_text(const json& object, const char* key, const std::string& name) {
    const json* text = find(object, key);
    if (!text || *text == "") fault(name + "." + key + " is missing");
    check_text(object, key, name);
  }
  /// The elements of a list that are objects; others are faults.
  std::vector<std::pair<std::string, const json*>> objects(const json& list, const std::string& name) {
    std::vector<std::pair<std::string, const json*>> out;
    if (!list.is_array()) fault(name + " is " + shown(list) + ", expected a list");
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i)
      if (is_object(list[i], element(name, i))) out.emplace_back(element(name, i), &list[i]);
    return out;
  }
  /// Checks the name of an element, which must be unique.
  void require_name(const json& object, const std::string& name, std::set<std::string>& seen) {
    require_text(object, "name", name);
    const json* text = find(object, "name");
    if (text && text->is_string() && !seen.insert(text->get<std::string>()).second)
      fault(name + ".name is " + shown(*text) + ", which occurs twice");
  }

 private:
  CollectionFindings found_ = {};
};

void examine_box(Examination& out, const json& box, const std::string& name) {
  const bool is_box = box.is_array() && (box.size() == 4 || box.size() == 6) &&
                      std::all_of(box.begin(), box.end(), [](const json& side) { return side.is_number(); });
  if (!is_box) return out.fault(name + " is " + shown(box) + ", expected [west, south, east, north]");
  if (box.size() == 6) out.advise(name + " has heights, expected [west, south, east, north]");
  const std::size_t half = box.size() / 2;
  const auto check = [&](const char* side, std::size_t i, int most) {
    if (std::abs(box[i].get<double>()) <= most) return;
    out.fault(name + ": " + side + " is " + shown(box[i]) + ", expected -" + std::to_string(most) + " to " +
              std::to_string(most));
  };
  check("west", 0, 180);
  check("south", 1, 90);
  check("east", half, 180);
  check("north", half + 1, 90);
  if (box[1] > box[half + 1]) {
    out.fault(name + ": south is " + shown(box[1]) + ", expected at most north, which is " + shown(box[half + 1]));
  }
  if (box[0] > box[half]) out.advise(name + ": west is greater than east: the box crosses the antimeridian");
}

/// Checks the two published forms of extents; the specification has the flat one.
template <class Examine>
void examine_flat_or_nested(Examination& out, const json& extent, const char* key, const Examine& examine) {
  const std::string name = std::string("extent.") + key;
  const json* value = Examination::find(extent, key);
  if (!value) return out.fault(name + " is missing");
  if (!value->is_array() || value->empty() || !value->front().is_array()) return examine(*value, name);
  out.advise(name + " is a list of lists, expected one list");
  for (std::size_t i = 0; i < value->size(); ++i) examine((*value)[i], element(name, i));
}

void examine_interval(Examination& out, const json& interval, const std::string& name) {
  if (!interval.is_array() || interval.size() != 2) {
    return out.fault(name + " is " + shown(interval) + ", expected [start, end] in milliseconds");
  }
  for (const json& end : interval) {
    if (end.is_null()) out.advise(name + " has an open end, expected milliseconds");
    if (end.is_string() || end.is_number_float())
      out.advise(name + " has " + shown(end) + ", expected whole milliseconds");
  }
  try {
    if (interval[0].is_null() && interval[1].is_null()) out.fault(name + " has neither start nor end");
    else parse_interval(interval);
  } catch (const QueryError& error) {
    out.fault(name + ": " + error.message());
  }
}

void examine_extent(Examination& out, const json& document) {
  const json* extent = Examination::find(document, "extent");
  if (!extent) return out.fault("extent is missing");
  if (!extent->is_object()) return;  // reported by parse_collection()
  examine_flat_or_nested(out, *extent, "spatial",
                         [&](const json& box, const std::string& name) { examine_box(out, box, name); });
  examine_flat_or_nested(out, *extent, "temporal",
                         [&](const json& interval, const std::string& name) { examine_interval(out, interval, name); });
}

/// The requirements of both versions for texts, lists and people.
void examine_model(Examination& out, Collection collection) {
  const auto tasks = std::exchange(collection.tasks, {std::string(kOtherTask)});
  collection.extent = {};
  for (const auto& fault : tacore::collection_faults(collection)) out.fault(fault);
  const auto known = tasks_of_v1();
  for (const auto& task : tasks) {
    if (!is_one_of(known, task))
      out.fault("task is " + tacore::in_quotes(task) + ", expected one of " + join(known, ", "));
  }
  if (collection.taco_version.empty()) out.fault("taco_version is missing");
  if (!collection.curators || collection.curators->empty()) {
    out.advise("curators is empty, expected the people or organizations that converted the dataset to TACO");
  }
  for (const auto& licence : collection.licenses) {
    if (!is_spdx_licence(licence))
      out.advise("licenses has " + tacore::in_quotes(licence) + ", which is not an SPDX identifier");
  }
}

void examine_link(Examination& out, const json& document, const char* name) {
  const json* link = Examination::find(document, name);
  if (!link || !out.is_object(*link, name)) return;
  out.require_text(*link, "href", name);
  out.check_text(*link, "description", name);
  const json* href = Examination::find(*link, "href");
  if (!href || !href->is_string() || *href == "") return;
  if (const auto why = why_bad_uri(href->get<std::string>()); !why.empty()) {
    out.fault(std::string(name) + ".href is " + shown(*href) + ", which " + why);
  }
}

void examine_band(Examination& out, const json& band, const std::string& name) {
  for (const char* key : {"common_name", "description", "unit"}) out.check_text(band, key, name);
  if (const json* index = Examination::find(band, "index"); index && !index->is_number_integer())
    out.fault(name + ".index is " + shown(*index) + ", expected a whole number");
  for (const char* key : {"center_wavelength", "full_width_half_max"}) {
    if (const json* length = Examination::find(band, key); length && !length->is_number())
      out.fault(name + "." + key + " is " + shown(*length) + ", expected a number");
  }
}

void examine_optical_data(Examination& out, const json& document) {
  const json* data = Examination::find(document, "optical_data");
  if (!data || !out.is_object(*data, "optical_data")) return;
  out.require_text(*data, "sensor", "optical_data");
  const json* bands = Examination::find(*data, "bands");
  if (bands) {
    std::set<std::string> names;
    for (const auto& [name, band] : out.objects(*bands, "optical_data.bands")) {
      out.require_name(*band, name, names);
      examine_band(out, *band, name);
    }
  }
  const json* sensor = Examination::find(*data, "sensor");
  if (bands && !bands->empty()) return;
  if (!sensor || !sensor->is_string() || !is_known_sensor(sensor->get<std::string>())) return;
  try {
    extensions::OpticalData({.sensor = sensor->get<std::string>()});
  } catch (const SchemaError& error) {
    out.fault("optical_data.sensor: " + error.message());
  }
}

void examine_labels(Examination& out, const json& document) {
  const json* labels = Examination::find(document, "labels");
  if (!labels || !out.is_object(*labels, "labels")) return;
  out.check_text(*labels, "label_description", "labels");
  const json* classes = Examination::find(*labels, "label_classes");
  if (!classes) return out.fault("labels.label_classes is missing");
  std::set<std::string> names;
  std::set<json> categories;
  for (const auto& [name, each] : out.objects(*classes, "labels.label_classes")) {
    out.require_name(*each, name, names);
    out.check_text(*each, "description", name);
    const json* category = Examination::find(*each, "category");
    if (category && !categories.insert(*category).second)
      out.fault(name + ".category is " + shown(*category) + ", which occurs twice");
    if (!category) out.fault(name + ".category is missing");
    else if (!category->is_string() && !category->is_number_integer())
      out.fault(name + ".category is " + shown(*category) + ", expected a string or a whole number");
  }
}

void examine_scientific(Examination& out, const json& document) {
  const json* scientific = Examination::find(document, "scientific");
  if (!scientific || !out.is_object(*scientific, "scientific")) return;
  for (const char* key : {"doi", "citation", "summary"}) out.check_text(*scientific, key, "scientific");
  const json* publications = Examination::find(*scientific, "publications");
  if (!publications) return;
  for (const auto& [name, each] : out.objects(*publications, "scientific.publications"))
    for (const char* key : {"doi", "citation", "summary"}) out.require_text(*each, key, name);
}

void examine_statements(Examination& out, const json& document) {
  for (const auto& [v1, v2] : kRai)
    if (const json* text = Examination::find(document, v1); text && !text->is_string())
      out.fault(std::string(v1) + " is " + shown(*text) + ", expected a string");
}

/// Checks the objects of 0.2.0, wherever the document has them.
void examine_objects(Examination& out, const json& document) {
  const json* strategy = Examination::find(document, "split_strategy");
  if (strategy && !(strategy->is_string() && is_one_of(kStrategies, strategy->get<std::string>()))) {
    out.fault("split_strategy is " + shown(*strategy) + ", expected one of " + join(kStrategies, ", "));
  }
  examine_link(out, document, "discuss_link");
  examine_link(out, document, "raw_link");
  examine_optical_data(out, document);
  examine_labels(out, document);
  examine_scientific(out, document);
  examine_statements(out, document);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_of_uri(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("-._~:/?#[]@!$&'()*+,;=%").find(c) != std::string_view::npos;
}

}  // namespace

std::string why_bad_uri(std::string_view text) {
  const auto colon = text.find(':');
  const auto scheme = text.substr(0, colon);
  const auto is_of_scheme = [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
  if (colon == text.npos || scheme.empty() || !is_letter(scheme[0]) ||
      !std::all_of(scheme.begin(), scheme.end(), is_of_scheme)) {
    return "has no scheme such as https:";
  }
  if (colon + 1 == text.size()) return "has nothing after its scheme";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_of_uri(text[i])) return "has " + tacore::in_quotes(text.substr(i, 1)) + ", expected it as %XX";
    if (text[i] == '%' && (i + 2 >= text.size() || !is_hex_digit(text[i + 1]) || !is_hex_digit(text[i + 2])))
      return "has % without two hexadecimal digits";
  }
  const auto fragment = text.find('#');
  if (fragment != text.npos && text.find('#', fragment + 1) != text.npos) return "has # twice";
  // Brackets are allowed around an IP address, in the authority.
  const auto after = text.substr(colon + 1);
  const auto path = after.starts_with("//") ? std::min(after.find_first_of("/?#", 2), after.size()) : 0;
  if (after.find_first_of("[]", path) != after.npos) return "has [ or ] outside of its host, expected it as %XX";
  return "";
}

CollectionFindings examine_collection(std::string_view text) {
  Examination out;
  try {
    const json document = parse_document(text, "");
    for (const auto& name : repeated_members(text)) out.fault(tacore::in_quotes(name) + " occurs twice in one object");
    examine_extent(out, document);
    const Collection collection = parse_stored_collection(text, "");
    examine_model(out, collection);
    examine_objects(out, json::parse(encode_without_bands(collection)));
  } catch (const FormatError& error) {
    out.fault(error.message());
  }
  return out.take();
}

std::vector<std::string> collection_faults(std::string_view json) { return examine_collection(json).faults; }

}  // namespace tacore::v1
