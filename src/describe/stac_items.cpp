#include <algorithm>
#include <iterator>

#include "base/open_time.hpp"
#include "base/text.hpp"
#include "describe/stac.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"

namespace tacore {

ItemOutput::~ItemOutput() = default;

namespace descriptions {
namespace {

/// Names with a meaning of their own in Items (STAC 1.1 common metadata), and in stac-geoparquet.
constexpr std::string_view kReserved[] = {
    "assets",    "bands",       "bbox",           "collection",      "constellation", "created",    "data_type",
    "datetime",  "description", "end_datetime",   "geometry",        "gsd",           "id",         "instruments",
    "keywords",  "license",     "links",          "mission",         "nodata",        "platform",   "properties",
    "providers", "roles",       "start_datetime", "stac_extensions", "stac_version",  "statistics", "title",
    "type",      "unit",        "updated"};

/// Whether `crs` is a code of an authority, such as EPSG:32630.
bool is_code(const std::string& crs) {
  const auto colon = crs.find(':');
  const auto is_word = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
  };
  return colon != crs.npos && is_word(std::string_view(crs).substr(0, colon)) &&
         is_word(std::string_view(crs).substr(colon + 1));
}

bool is_wkt2(const std::string& crs) {
  for (const char* word : {"PROJCRS[", "GEOGCRS[", "GEODCRS[", "BOUNDCRS[", "COMPOUNDCRS[", "ENGCRS[", "VERTCRS["}) {
    if (crs.starts_with(word)) return true;
  }
  return false;
}

/// Null for what is no JSON object, and for one so deep that writing it would be unsafe.
Json parse_object(const std::string& text) {
  if (!text.starts_with('{') || where_too_nested(text)) return {};
  Json out = Json::parse(text, nullptr, false);
  return out.is_object() ? out : Json();
}

/// The projection extension. A system it has no form for stays what the column is called.
void add_projection(const Item& item, Json& out) {
  if (is_code(item.crs)) {
    std::string code = item.crs;
    std::transform(code.begin(), code.end(), code.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    out["proj:code"] = code;
  } else if (is_wkt2(item.crs)) {
    out["proj:wkt2"] = item.crs;
  } else if (const Json projjson = parse_object(item.crs); projjson.is_object()) {
    out["proj:projjson"] = projjson;
  } else {
    set_text(out, "stac:crs", item.crs);
  }
  if (item.shape.size() == 2) out["proj:shape"] = item.shape;
  if (const auto& g = item.geotransform; g.size() == 6) {
    out["proj:transform"] = Json::array({g[1], g[2], g[0], g[4], g[5], g[3]});
  }
  const bool has_grid = item.shape.size() == 2 || item.geotransform.size() == 6;
  if (item.centroid && has_grid) out["proj:centroid"] = {{"lat", item.centroid->y}, {"lon", item.centroid->x}};
}

/// An instant, or both ends of an interval with its middle where that is known. STAC has no form for no time: what is
/// not known may be any, and says so. Where a level has no times at all, that of the dataset is theirs.
void add_times(const Item& item, const Facts& facts, Json& out) {
  std::optional<Timestamp> start = item.start ? item.start : item.middle ? item.middle : item.end, end = item.end;
  if (!start && item.has_time_columns) {
    out["datetime"] = Json();
    out["start_datetime"] = "0001-01-01T00:00:00Z";
    out["end_datetime"] = "9999-12-31T23:59:59Z";
    out[kTimeUnknown] = "unknown";
    return;
  }
  if (!start) {
    const auto& extent = facts.collection.extent.temporal;
    if (extent && !is_open(extent->start)) start = extent->start;
    if (extent && !is_open(extent->end)) end = extent->end;
    if (!start) start = end;
  }
  if (!start) {
    throw SchemaError("sample " + tacore::quoted(item.path) +
                      " has no time, and the dataset has no temporal extent: STAC wants one; expected a column "
                      "stac:time_start or istac:time_start, or a level that has one");
  }
  if (!end || *end == *start) {
    out["datetime"] = start->to_string();
    return;
  }
  out["datetime"] = item.middle ? Json(item.middle->to_string()) : Json();
  out["start_datetime"] = start->to_string();
  out["end_datetime"] = end->to_string();
}

Json asset(const std::string& title, const Location& at, const Facts& facts, const LevelItems& items) {
  Json out = {{"href", facts.href(at.name)}, {"title", title}};
  if (at.offset) out["type"] = media_type(facts.format);
  out["roles"] = {"data"};
  if (at.offset) {
    out["taco:offset"] = *at.offset;
    out["taco:size"] = at.size_bytes.value_or(0);
  }
  out["taco:vsi"] = items.vsi(at);
  return out;
}

}  // namespace

std::string property_name(const std::string& column) {
  const bool is_reserved = std::find(std::begin(kReserved), std::end(kReserved), column) != std::end(kReserved);
  const bool is_projection = column.starts_with("proj:");
  return is_reserved || is_projection ? "taco:" + column : column;
}

Json stac_properties(const Item& item, const Facts& facts) {
  Json out = Json::object();
  add_times(item, facts, out);
  add_projection(item, out);
  out["taco:path"] = item.path;
  out["taco:type"] = to_string(item.type);
  for (const auto& [name, value] : item.fields) out[property_name(name)] = to_json(value);
  return out;
}

Json stac_assets(const Item& item, const Facts& facts, const LevelItems& items) {
  Json out = Json::object();
  if (item.type == SampleType::File) out["data"] = asset(item.path, item.data, facts, items);
  for (const auto& [path, at] : item.files) out[path] = asset(item.path + "/" + path, at, facts, items);
  return out;
}

Json stac_item(const Item& item, const Facts& facts, const LevelItems& items, const std::string& collection) {
  Json properties = stac_properties(item, facts);
  const bool has_projection = std::any_of(properties.items().begin(), properties.items().end(),
                                          [](const auto& each) { return each.key().starts_with("proj:"); });
  Json out = {{"type", "Feature"}, {"stac_version", kStacVersion}};
  out["stac_extensions"] = has_projection ? Json::array({kProjection}) : Json::array();
  out["id"] = item.id;
  out["geometry"] = item.footprint ? geojson_of(item.footprint->wkb) : Json();
  if (item.footprint) out["bbox"] = bbox_of(item.footprint->box);
  out["properties"] = std::move(properties);
  out["collection"] = facts.collection.id;
  out["links"] = Json::array({{{"rel", "collection"}, {"href", collection}, {"type", "application/json"}},
                              {{"rel", "parent"}, {"href", collection}, {"type", "application/json"}},
                              {{"rel", "root"}, {"href", collection}, {"type", "application/json"}}});
  out["assets"] = stac_assets(item, facts, items);
  return out;
}

}  // namespace descriptions

void footer2stac(const Dataset& dataset, int level, ItemOutput& output, const DescribeOptions& options) {
  const descriptions::Facts facts = descriptions::gather(dataset, options, level);
  descriptions::LevelItems items(dataset, facts, level, options);
  items.for_each(true, [&](const descriptions::Item& item) {
    output.write(item.id, descriptions::dump(descriptions::stac_item(item, facts, items, "./collection.json")));
  });
}

}  // namespace tacore
