#include <functional>
#include <nlohmann/json.hpp>

#include "edit.hpp"

namespace tacore::mutate {
namespace {

using nlohmann::ordered_json;

/// Visits every value but the root, each with the object or array that holds it, until one is taken.
bool visit(ordered_json& node, const std::function<bool(ordered_json& parent, ordered_json::iterator child)>& take) {
  if (!node.is_structured()) return false;
  for (auto child = node.begin(); child != node.end(); ++child) {
    if (take(node, child) || visit(*child, take)) return true;
  }
  return false;
}

ordered_json deep() {
  ordered_json out = 1;
  for (int i = 0; i < 100; ++i) out = ordered_json::array({out});
  return out;
}

ordered_json changed(Kind kind) {
  switch (kind) {
    case Kind::JsonMinus:
      return -1;
    case Kind::Json63:
      return uint64_t{1} << 63;
    case Kind::JsonText:
      return "text";
    case Kind::JsonParent:
      return "../x";
    case Kind::JsonObject:
      return ordered_json::object();
    case Kind::JsonArray:
      return ordered_json::array();
    case Kind::JsonDeep:
      return deep();
    default:
      return nullptr;
  }
}

}  // namespace

std::size_t count_values(const std::string& json) {
  auto document = ordered_json::parse(json);
  std::size_t count = 0;
  visit(document, [&](ordered_json&, ordered_json::iterator) { return ++count == 0; });
  return count;
}

std::string edit_json(const std::string& json, std::size_t index, Kind kind) {
  auto document = ordered_json::parse(json);
  visit(document, [&](ordered_json& parent, ordered_json::iterator child) {
    if (index-- > 0) return false;
    if (kind == Kind::JsonGone) {
      parent.erase(child);
    } else {
      *child = changed(kind);
    }
    return true;
  });
  return document.dump(2);
}

}  // namespace tacore::mutate
