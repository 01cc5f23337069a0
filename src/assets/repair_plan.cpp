#include "assets/repair_plan.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "model/json_node.hpp"
#include "model/json_text.hpp"
#include "model/value_numbers.hpp"
#include "model/wkt.hpp"
#include "tacore/error.hpp"

namespace tacore::assets {
namespace {

const std::string kName = "repair plan";
/// The member that tells a plan from other JSON, and the version of its form.
constexpr const char* kMark = "tacore:repair_plan";
constexpr int64_t kVersion = 1;
/// Values that JSON has no form for are objects of one of these members.
constexpr const char *kTime = "$time", *kMicroseconds = "$microseconds", *kBase64 = "$base64", *kNumber = "$number";
constexpr int64_t kFirstMicrosecond = -62'135'596'800'000'000,
                  kLastMicrosecond = 253'402'300'799'999'999;  // years 1 to 9999

std::string value_json(const Value& value) {
  const auto object = [](const char* key, const std::string& text) {
    return "{" + json_string(key) + ": " + text + "}";
  };
  if (value.is_null()) return "null";
  if (const auto* truth = value.get<bool>()) return *truth ? "true" : "false";
  if (const auto* number = value.get<int64_t>()) return std::to_string(*number);
  if (const auto* number = value.get<double>()) {
    const std::string text = number_text(*number);
    if (!std::isfinite(*number)) return object(kNumber, json_string(text));
    return text.find_first_of(".e") == text.npos ? text + ".0" : text;
  }
  if (const auto* text = value.get<std::string>()) return json_string(*text);
  if (const auto* time = value.get<Timestamp>()) {
    const bool has_text = time->microseconds >= kFirstMicrosecond && time->microseconds <= kLastMicrosecond;
    return has_text ? object(kTime, json_string(time->to_string()))
                    : object(kMicroseconds, std::to_string(time->microseconds));
  }
  if (const auto* bytes = value.get<Binary>()) {
    const auto wkt = wkt_of(bytes_of(bytes->bytes));
    const std::string text = json_string(base64(bytes_of(bytes->bytes)));
    return wkt ? "{" + json_string(kBase64) + ": " + text + ", \"wkt\": " + json_string(*wkt) + "}"
               : object(kBase64, text);
  }
  std::string out;
  if (const auto* list = value.get<Value::List>()) {
    for (const Value& item : *list) out += (out.empty() ? "" : ", ") + value_json(item);
    return "[" + out + "]";
  }
  for (const auto& [name, item] : *value.get<Struct>())
    out += (out.empty() ? "" : ", ") + json_string(name) + ": " + value_json(item);
  return "{" + out + "}";
}

std::string values_json(const std::vector<Value>& values) {
  std::string out;
  for (const Value& value : values) out += (out.empty() ? "" : ", ") + value_json(value);
  return "[" + out + "]";
}

Binary from_base64(const std::string& text) {
  const auto bytes = parse_base64(text);
  if (!bytes) throw FormatError("a repair plan has a value that is not base64: " + in_quotes(text));
  return {std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())};
}

Value parse_value(const nlohmann::json& json) {
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    throw FormatError("a repair plan has the number " + json.dump() + ", which is too large");
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    Value::List out;
    for (const auto& item : json) out.push_back(parse_value(item));
    return out;
  }
  const auto text = [&](const char* key) -> std::optional<std::string> {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
  };
  if (const auto time = text(kTime)) return Timestamp::parse(*time);
  if (const auto bytes = text(kBase64)) return from_base64(*bytes);
  if (const auto number = text(kNumber)) {
    const auto value = parse_number(*number);
    if (!value) throw FormatError("a repair plan has a value that is no number: " + in_quotes(*number));
    return *value;
  }
  if (const auto found = json.find(kMicroseconds); found != json.end() && found->is_number_integer())
    return Timestamp{found->get<int64_t>()};
  Struct out;
  for (const auto& [name, item] : json.items()) out.emplace_back(name, parse_value(item));
  return out;
}

std::vector<Value> parse_values(const JsonNode& node) {
  std::vector<Value> out;
  for (const JsonNode& item : node.elements()) out.push_back(parse_value(item.value()));
  return out;
}

int64_t integer(const JsonNode& node, const char* name) {
  if (!node.value().is_number_integer())
    throw FormatError(std::string("a repair plan has a member ") + name + " that is no integer");
  return node.value().get<int64_t>();
}

int small_integer(const JsonNode& node, const char* name) {
  const int64_t out = integer(node, name);
  if (out < 0 || out > 1'000'000'000)
    throw FormatError(std::string("a repair plan has a member ") + name + " of " + std::to_string(out));
  return static_cast<int>(out);
}

RowRepair parse_row(const JsonNode& change) {
  return {.row = integer(change.object()["row"], "row"),
          .sample = change["sample"].text_or_empty(),
          .old_values = parse_values(change["old"]),
          .new_values = parse_values(change["new"])};
}

Repair parse_repair(const JsonNode& node, std::vector<RowRepair> rows) {
  node.object();
  Repair out{.number = small_integer(node["number"], "number"),
             .rule = node["rule"].text_or_empty(),
             .reason = node["reason"].text_or_empty(),
             .level = small_integer(node["level"], "level"),
             .confidence = node["confidence"].number()};
  if (!node["accepted"].value().is_boolean())
    throw FormatError("repair " + std::to_string(out.number) + " has no member accepted that is true or false");
  out.is_accepted = node["accepted"].value().get<bool>();
  for (const JsonNode& column : node["columns"].elements()) out.columns.push_back(column.text());
  if (!node["description"].is_null()) {
    const JsonNode text = node["description"];
    out.old_description = text.object()["old"].text();
    out.new_description = text["new"].text();
  }
  if (!node["changes"].elements().empty())
    throw FormatError("repair " + std::to_string(out.number) + " has changes that are no objects");
  for (RowRepair& row : rows) {
    if (row.old_values.size() != out.columns.size() || row.new_values.size() != out.columns.size()) {
      throw FormatError("repair " + std::to_string(out.number) + ", row " + std::to_string(row.row) + ": " +
                        std::to_string(row.old_values.size()) + " old and " + std::to_string(row.new_values.size()) +
                        " new values for " + std::to_string(out.columns.size()) + " columns");
    }
    out.rows.push_back(std::move(row));
  }
  if (out.columns.empty()) throw FormatError("repair " + std::to_string(out.number) + " names no column");
  return out;
}

}  // namespace

bool is_same_value(const Value& a, const Value& b) {
  if (a.get<int64_t>() && b.get<int64_t>()) return a == b;
  if (const auto x = number_of(a), y = number_of(b); x && y) return *x == *y || (std::isnan(*x) && std::isnan(*y));
  if (const auto *x = a.get<Value::List>(), *y = b.get<Value::List>(); x && y)
    return std::ranges::equal(*x, *y, is_same_value);
  if (const auto *x = a.get<Struct>(), *y = b.get<Struct>(); x && y) {
    return std::ranges::equal(*x, *y, [](const auto& one, const auto& other) {
      return one.first == other.first && is_same_value(one.second, other.second);
    });
  }
  return a == b;
}

std::string encode_plan(const RepairPlan& plan) {
  std::string out = "{\n\"" + std::string(kMark) + "\": " + std::to_string(kVersion) +
                    ",\n\"dataset\": " + json_string(plan.dataset) +
                    ",\n\"dataset_version\": " + json_string(plan.version) + ",\n\"repairs\": [";
  for (const Repair& repair : plan.repairs) {
    std::string columns;
    for (const auto& column : repair.columns) columns += (columns.empty() ? "" : ", ") + json_string(column);
    out += (out.back() == '[' ? "\n{" : ",\n{");
    out += "\n\"number\": " + std::to_string(repair.number) + ",\n\"rule\": " + json_string(repair.rule) +
           ",\n\"reason\": " + json_string(repair.reason) + ",\n\"confidence\": " + number_text(repair.confidence) +
           ",\n\"accepted\": " + (repair.is_accepted ? "true" : "false") +
           ",\n\"level\": " + std::to_string(repair.level) + ",\n\"columns\": [" + columns + "]";
    if (repair.new_description) {
      out += ",\n\"description\": {\"old\": " + json_string(repair.old_description.value_or("")) +
             ", \"new\": " + json_string(*repair.new_description) + "}";
    }
    out += ",\n\"changes\": [";
    for (const RowRepair& row : repair.rows) {
      out += (out.back() == '[' ? "\n" : ",\n");
      out += "{\"row\": " + std::to_string(row.row) + ", \"sample\": " + json_string(row.sample) +
             ", \"old\": " + values_json(row.old_values) + ", \"new\": " + values_json(row.new_values) + "}";
    }
    out += repair.rows.empty() ? "]\n}" : "\n]\n}";
  }
  return out + (plan.repairs.empty() ? "]\n}\n" : "\n]\n}\n");
}

RepairPlan parse_plan(std::string_view text) {
  // The rows of each repair are taken as they are parsed: as JSON they would take ten times the memory.
  constexpr int kDepthOfRepair = 2, kDepthOfRow = 4;
  using Event = nlohmann::json::parse_event_t;
  std::vector<std::vector<RowRepair>> rows;
  std::string of_plan, of_repair;  // the members that are being parsed
  const auto see = [&](int depth, Event event, nlohmann::json& part) {
    if (depth == 1 && event == Event::key) of_plan = part.get<std::string>();
    if (of_plan != "repairs") return true;
    if (depth == kDepthOfRepair && event == Event::object_start) rows.emplace_back();
    if (depth == kDepthOfRepair + 1 && event == Event::key) of_repair = part.get<std::string>();
    if (depth != kDepthOfRow || event != Event::object_end || of_repair != "changes" || rows.empty()) return true;
    rows.back().push_back(parse_row(JsonNode(part, kName, "changes")));
    return false;
  };
  const nlohmann::json json = parse_json(text, kName, see);
  const JsonNode root(json, kName, "");
  root.object();
  const auto version = json.find(kMark);
  if (version == json.end() || *version != kVersion)
    throw FormatError(
        std::string("is no repair plan: it has no member ") + kMark + " with the value " + std::to_string(kVersion),
        {.path = kName});
  RepairPlan out{.dataset = root["dataset"].text_or_empty(), .version = root["dataset_version"].text_or_empty()};
  const auto repairs = root["repairs"].elements();
  for (std::size_t i = 0; i < repairs.size(); ++i)
    out.repairs.push_back(parse_repair(repairs[i], i < rows.size() ? std::move(rows[i]) : std::vector<RowRepair>()));
  return out;
}

}  // namespace tacore::assets
