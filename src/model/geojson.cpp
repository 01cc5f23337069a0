#include "model/geojson.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

using nlohmann::json;

/// The fault of a feature, thrown where its number is not known.
struct Fault {
  std::string what;
};

[[noreturn]] void fail(const std::string& what) { throw Fault{what}; }

/// Checks the syntax of a document without storing it.
class SyntaxCheck : public json::json_sax_t {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    at = position;
    return false;
  }

  std::size_t at = 0;  ///< number of bytes read up to the fault
};

void check_syntax(std::string_view text, const std::string& path) {
  if (const auto at = where_too_nested(text)) {
    throw FormatError("JSON is nested deeper than " + std::to_string(kMaxJsonNesting), {.path = path, .offset = at});
  }
  if (const auto at = text.find('\0'); at != text.npos) {  // the parser takes it for the end
    throw FormatError("not JSON: a NUL byte", {.path = path, .offset = at});
  }
  SyntaxCheck check;
  if (json::sax_parse(text, &check)) return;
  throw FormatError("not JSON", {.path = path, .offset = check.at > 0 ? check.at - 1 : 0});
}

std::string_view value_of(const JsonMember& member) {
  std::string_view out = member.text.substr(member.key.size());
  out.remove_prefix(out.find(':') + 1);
  out.remove_prefix(std::min(out.find_first_not_of(" \t\r\n"), out.size()));
  return out;
}

/// The members of an object by name; of equal names the last, as parsers do.
std::map<std::string, std::string_view> members_of(std::string_view object) {
  std::map<std::string, std::string_view> out;
  for (const auto& member : json_members(object)) out[json::parse(member.key).get<std::string>()] = value_of(member);
  return out;
}

/// Calls `take` with the text of each element of a valid array.
void for_each_element(std::string_view array, const std::function<void(std::string_view)>& take) {
  int nesting = 0;
  bool in_string = false;
  std::size_t start = 1;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const char c = array[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    if (c == '[' || c == '{') ++nesting;
    if (c == ']' || c == '}') --nesting;
    const bool is_end = nesting == 0;
    if (!is_end && !(c == ',' && nesting == 1)) continue;
    const std::string_view element = array.substr(start, i - start);
    if (element.find_first_not_of(" \t\r\n") != element.npos) take(element);
    start = i + 1;
    if (is_end) return;
  }
}

const json& member(const json& object, const char* key) {
  static const json absent;
  const auto found = object.find(key);
  return found == object.end() ? absent : *found;
}

std::string type_of(const json& object) {
  const json& type = object.is_object() ? member(object, "type") : object;
  return object.is_object() && type.is_string() ? type.get<std::string>() : "";
}

/// Geometries as WKB (OGC 06-103r4): each with its byte order and type, positions as doubles.
class WkbEncoder {
 public:
  std::vector<std::byte> encode(const json& geometry) {
    write(geometry);
    return out_.take();
  }

 private:
  static constexpr uint32_t kPoint = 1, kLine = 2, kPolygon = 3, kCollection = 7;

  void write(const json& geometry) {
    static const std::map<std::string, uint32_t> kTypes{{"Point", kPoint},
                                                        {"LineString", kLine},
                                                        {"Polygon", kPolygon},
                                                        {"MultiPoint", 4},
                                                        {"MultiLineString", 5},
                                                        {"MultiPolygon", 6},
                                                        {"GeometryCollection", kCollection}};
    const auto type = kTypes.find(type_of(geometry));
    if (type == kTypes.end()) fail("its geometry has no type, or one that GeoJSON lacks");
    const bool is_collection = type->second == kCollection;
    const json& list = member(geometry, is_collection ? "geometries" : "coordinates");
    if (!list.is_array()) fail("its " + type->first + " has no " + (is_collection ? "geometries" : "coordinates"));
    if (!has_z_) has_z_ = find_z(geometry);
    begin(type->second);
    if (is_collection) {
      count(list);
      for (const json& part : list) write(part);
    } else if (type->second <= kPolygon) {
      body(type->second, list);
    } else {
      count(list);
      for (const json& part : list) {
        begin(type->second - 3);
        body(type->second - 3, array(part));
      }
    }
  }

  void begin(uint32_t type) {
    out_.u8(1);
    out_.u32(has_z_.value_or(false) ? type + 1000 : type);
  }

  void body(uint32_t type, const json& coordinates) {
    switch (type) {
      case kPoint: return point(coordinates);
      case kLine:
        if (coordinates.size() == 1) fail("a line has 1 position; at least 2 expected");
        return line(coordinates);
      default: count(coordinates);
    }
    for (const json& ring : coordinates) {
      if (array(ring).size() < 4) fail("a ring has " + std::to_string(ring.size()) + " positions; at least 4 expected");
      if (ring.front() != ring.back()) fail("a ring does not end where it starts");
      line(ring);
    }
  }

  void line(const json& positions) {
    count(positions);
    for (const json& position : positions) {
      if (array(position).empty()) fail("a position is empty");
      point(position);
    }
  }

  /// An empty point is one of NaNs, as in other writers.
  void point(const json& position) {
    const std::size_t dimensions = has_z_.value_or(false) ? 3 : 2;
    if (position.empty()) {
      for (std::size_t i = 0; i < dimensions; ++i) number(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    if (position.size() != dimensions) {
      fail("a position has " + std::to_string(position.size()) + " numbers; " + std::to_string(dimensions) +
           " expected, as in the first");
    }
    for (const json& value : position) {
      if (!value.is_number()) fail("a position has a value that is not a number");
      number(value.get<double>());
    }
    if (std::abs(position[0].get<double>()) > 360 || std::abs(position[1].get<double>()) > 90) {
      fail("position " + position.dump() + " is not a longitude and latitude in degrees");
    }
  }

  /// Whether the first position has a height; nullopt when there is none.
  static std::optional<bool> find_z(const json& value) {
    if (value.is_object()) {
      for (const char* key : {"coordinates", "geometries"}) {
        if (const auto found = find_z(member(value, key))) return found;
      }
    }
    if (!value.is_array() || value.empty()) return std::nullopt;
    if (value[0].is_number()) return value.size() > 2;
    for (const json& part : value) {
      if (const auto found = find_z(part)) return found;
    }
    return std::nullopt;
  }

  static const json& array(const json& value) {
    if (!value.is_array()) fail(std::string("its coordinates have ") + value.type_name() + "; array expected");
    return value;
  }

  void count(const json& list) {
    if (list.size() > UINT32_MAX) fail("its geometry is too large");
    out_.u32(static_cast<uint32_t>(list.size()));
  }
  void number(double value) { out_.u64(std::bit_cast<uint64_t>(value)); }

  FieldWriter out_;
  std::optional<bool> has_z_;
};

/// The identifier that stands beside the properties, as text.
std::optional<std::string> id_of(const json& feature) {
  const json& id = member(feature, "id");
  if (id.is_null()) return std::nullopt;
  if (!id.is_string() && !id.is_number()) fail(std::string("its id is ") + id.type_name());
  return id.is_string() ? id.get<std::string>() : id.dump();
}

GeoFeature parse_feature(std::string_view text) {
  const json feature = json::parse(text);
  if (type_of(feature) != "Feature") fail("not a Feature");
  const json& properties = member(feature, "properties");
  if (!properties.is_null() && !properties.is_object()) {
    fail(std::string("its properties are ") + properties.type_name() + ", an object expected");
  }
  if (properties.contains("istac:geometry")) {
    fail("it has a property 'istac:geometry', which is the column of geometries");
  }
  GeoFeature out;
  out.line = properties.is_null() ? "{}" : reindent_json(members_of(text).at("properties"), -1);
  if (const auto id = id_of(feature)) {
    const json& other = member(properties, "id");
    if (properties.contains("id") && other != json(*id)) {
      fail("its id is " + tacore::quoted(*id) + ", its property 'id' is " + tacore::quoted(other.dump()));
    }
    if (!properties.contains("id")) {
      out.line = "{\"id\":" + json(*id).dump() + (out.line == "{}" ? "" : ",") + out.line.substr(1);
    }
  }
  const json& geometry = member(feature, "geometry");
  if (!geometry.is_null()) out.geometry = WkbEncoder().encode(geometry);
  return out;
}

/// Checks `crs`, a member of GeoJSON before RFC 7946, which allows WGS 84 only.
void check_crs(std::string_view crs, const std::string& path) {
  const json value = json::parse(crs);
  if (value.is_null()) return;
  const json& properties = value.is_object() ? member(value, "properties") : value;
  const json& name = properties.is_object() ? member(properties, "name") : properties;
  const std::string text = name.is_string() ? name.get<std::string>() : value.dump();
  for (const std::string_view known : {"CRS84", "EPSG::4326", "EPSG:4326"}) {
    if (text.ends_with(known)) return;
  }
  throw FormatError("its crs is " + tacore::quoted(text) + "; WGS 84 longitude and latitude expected (RFC 7946)",
                    {.path = path});
}

}  // namespace

void read_geojson(std::string_view text, const std::string& path, const std::function<void(GeoFeature)>& take) {
  check_syntax(text, path);
  const auto first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const auto members = text[first] == '{' ? members_of(text) : std::map<std::string, std::string_view>();
  const auto type = members.find("type");
  if (type == members.end() || json::parse(type->second) != json("FeatureCollection")) {
    throw FormatError("not a GeoJSON FeatureCollection", {.path = path});
  }
  const auto features = members.find("features");
  if (features == members.end() || !features->second.starts_with('[')) {
    throw FormatError("no array 'features'", {.path = path});
  }
  if (const auto crs = members.find("crs"); crs != members.end()) check_crs(crs->second, path);
  int64_t number = 0;
  for_each_element(features->second, [&](std::string_view feature) {
    try {
      take(parse_feature(feature));
    } catch (const Fault& fault) {
      throw FormatError("feature " + std::to_string(number) + ": " + fault.what, {.path = path});
    }
    ++number;
  });
}

}  // namespace tacore
