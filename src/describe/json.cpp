#include "describe/json.hpp"

#include <cmath>
#include <span>

#include "base/text.hpp"

namespace tacore::descriptions {

std::string dump(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string valid_utf8(const std::string& text) {
  if (is_utf8(text)) return text;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

Json to_json(const Value& value) {
  if (const auto* truth = value.get<bool>()) return *truth;
  if (const auto* whole = value.get<int64_t>()) return *whole;
  if (const auto* real = value.get<double>()) return std::isfinite(*real) ? Json(*real) : Json();
  if (const auto* text = value.get<std::string>()) return *text;
  if (const auto* binary = value.get<Binary>()) return base64(std::as_bytes(std::span(binary->bytes)));
  if (const auto* time = value.get<Timestamp>()) return time->to_string();
  if (const auto* items = value.get<Value::List>()) {
    Json out = Json::array();
    for (const Value& item : *items) out.push_back(to_json(item));
    return out;
  }
  if (const auto* fields = value.get<Struct>()) {
    Json out = Json::object();
    for (const auto& [name, field] : *fields) out[name] = to_json(field);
    return out;
  }
  return {};
}

void set_text(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

}  // namespace tacore::descriptions
