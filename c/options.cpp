#include "options.hpp"

#include <algorithm>

#include "tacore/raster/tensor.hpp"
#include "tacore/write/byte_size.hpp"

namespace tacore::c {
namespace {

/// JSON as it was found, at most 60 characters.
std::string shown(const Json& json) {
  std::string out = to_text(json);
  if (out.size() <= 60) return out;
  std::size_t end = 57;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80) --end;  // not within a character
  return out.substr(0, end) + "...";
}

/// Parsers of nested JSON call themselves, so deep nesting would exhaust the stack.
constexpr int kMaxDepth = 64;

Json parse(const char* text, const std::string& what) {
  if (text == nullptr || *text == '\0') return Json::object();
  try {
    return Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
      if (depth > kMaxDepth) throw ArgumentError(what + ": JSON is nested deeper than " + std::to_string(kMaxDepth));
      return true;
    });
  } catch (const Json::parse_error& error) {
    throw ArgumentError(what + ": not JSON, at byte " + std::to_string(error.byte) +
                        "; an object such as {\"jobs\": 4} expected");
  } catch (const Json::out_of_range&) {
    throw ArgumentError(what + ": a number is beyond the largest double");
  }
}

}  // namespace

Options::Options(const char* text, std::string what) : Options(parse(text, what), what) {}

Options::Options(Json object, std::string what) : object_(std::move(object)), what_(std::move(what)) {
  if (!object_.is_object()) throw ArgumentError(what_ + ": " + shown(object_) + ", a JSON object expected");
}

const Json* Options::find(const std::string& name) {
  known_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void Options::finish() const {
  for (const auto& [name, value] : object_.items()) {
    if (known_.contains(name)) continue;
    std::string all;
    for (const auto& each : known_) all += (all.empty() ? "" : ", ") + each;
    throw ArgumentError(what_ + ": unknown option \"" + name + "\"; " +
                        (all.empty() ? "there are none" : "known are " + all));
  }
}

void Options::throw_missing(const std::string& name) const {
  throw ArgumentError(what_ + ": \"" + name + "\" is missing");
}

void Options::throw_wrong(const std::string& name, const Json& found, const char* expected) const {
  throw ArgumentError(what_ + ": \"" + name + "\" is " + shown(found) + ", " + expected + " expected");
}

int64_t Options::integer(const std::string& name, const Json& value, int64_t least, int64_t most) const {
  // Languages without integers write 3.0.
  const bool is_whole = value.is_number_float() && std::abs(value.get<double>()) < 9007199254740992.0 &&
                        value.get<double>() == std::floor(value.get<double>());
  const bool is_too_large = value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX};
  if ((!value.is_number_integer() && !is_whole) || is_too_large) throw_wrong(name, value, "a whole number");
  const int64_t out = is_whole ? static_cast<int64_t>(value.get<double>()) : value.get<int64_t>();
  if (out < least || out > most)
    throw_wrong(name, value, ("a number from " + std::to_string(least) + " to " + std::to_string(most)).c_str());
  return out;
}

void Options::set(const std::string& name, const Json& value, bool& into) const {
  if (!value.is_boolean()) throw_wrong(name, value, "true or false");
  into = value.get<bool>();
}

void Options::set(const std::string& name, const Json& value, double& into) const {
  if (!value.is_number()) throw_wrong(name, value, "a number");
  into = value.get<double>();
}

void Options::set(const std::string& name, const Json& value, std::string& into) const {
  if (!value.is_string()) throw_wrong(name, value, "text");
  into = value.get<std::string>();
  if (into.find('\0') != into.npos) throw_wrong(name, value, "text without NUL");
}

void Options::set(const std::string& name, const Json& value, std::vector<std::string>& into) const {
  into.clear();
  if (value.is_string()) return set(name, value, into.emplace_back());
  if (!value.is_array()) throw_wrong(name, value, "text or an array of texts");
  for (const Json& each : value) set(name, each, into.emplace_back());
}

void Options::set(const std::string& name, const Json& value,
                  std::vector<std::pair<std::string, std::string>>& into) const {
  if (!value.is_object()) throw_wrong(name, value, "an object of texts");
  into.clear();
  for (const auto& [key, each] : value.items()) {
    into.emplace_back(key, "");
    set(name, each, into.back().second);
  }
}

void Options::set(const std::string& name, const Json& value, OnError& into) const {
  if (value != "raise" && value != "skip") throw_wrong(name, value, "\"raise\" or \"skip\"");
  into = value == "skip" ? OnError::Skip : OnError::Throw;
}

/// A number, or a size such as "4GB".
void Options::set(const std::string& name, const Json& value, uint64_t& into) const {
  if (value.is_string()) into = parse_size(value.get<std::string>());
  else
    into =
        value.is_number_unsigned() ? value.get<uint64_t>() : static_cast<uint64_t>(integer(name, value, 0, INT64_MAX));
}

void Options::set(const std::string&, const Json& value, Json& into) const { into = value; }

void take_scale(Options& given, TensorOptions& into) {
  const auto scale_of = [](const Json& json) {
    const bool is_pair = json.is_array() && json.size() == 2 && json[0].is_number() && json[1].is_number();
    if (!json.is_number() && !is_pair)
      throw ArgumentError("\"scale\" has " + shown(json) + ", a number or [factor, offset] expected");
    return json.is_number() ? Scale{.factor = json.get<double>()} : Scale{json[0].get<double>(), json[1].get<double>()};
  };
  if (const Json* scale = given.find("scale")) {
    if (!scale->is_array()) into.scale.push_back(scale_of(*scale));
    else if (scale->empty()) throw ArgumentError("\"scale\" is an empty array; null is no scale");
    else
      for (const Json& each : *scale) into.scale.push_back(scale_of(each));
  }
  given.take("fill", into.fill);
}

TensorOptions take_tensor(Options& given) {
  TensorOptions out;
  given.take("bands", out.bands);
  std::vector<int64_t> window;
  if (given.take("window", window)) {
    if (window.size() != 4)
      throw ArgumentError("\"window\" has " + std::to_string(window.size()) +
                          " numbers, [x, y, width, height] expected");
    out.window = Window{window[0], window[1], window[2], window[3]};
  }
  std::string type;
  if (given.take("dtype", type)) out.type = parse_data_type(type);
  take_scale(given, out);
  return out;
}

}  // namespace tacore::c
