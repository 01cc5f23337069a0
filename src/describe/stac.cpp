#include "describe/stac.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/epoch.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"

namespace tacore {

ItemOutput::~ItemOutput() = default;

namespace descriptions {
namespace {

constexpr const char* kScientific = "https://stac-extensions.github.io/scientific/v1.0.0/schema.json";
constexpr const char* kVersion = "https://stac-extensions.github.io/version/v1.2.0/schema.json";
constexpr const char* kEo = "https://stac-extensions.github.io/eo/v2.0.0/schema.json";
constexpr const char* kContacts = "https://stac-extensions.github.io/contacts/v0.1.1/schema.json";

Json time_or_null(Timestamp time) { return is_open(time) ? Json() : Json(time.to_string()); }

/// The first box is that of the dataset; those of its sources follow. STAC has no form for an unknown extent: it is the
/// globe or an open interval, with "taco:extent": "unknown".
Json extent_of(const Facts& facts) {
  const Extent& extent = facts.collection.extent;
  Json boxes = Json::array({bbox_of(extent.spatial.value_or(BBox{-180, -90, 180, 90}))});
  const auto& sources = facts.collection.sources;
  const bool all_known = extent.spatial && sources.size() > 1 &&
                         std::all_of(sources.begin(), sources.end(), [](const Source& s) { return s.extent.spatial; });
  for (std::size_t i = 0; all_known && i < sources.size(); ++i) boxes.push_back(bbox_of(*sources[i].extent.spatial));
  Json interval = Json::array({nullptr, nullptr});
  if (const auto& time = extent.temporal) {
    interval = Json::array({time_or_null(time->start), time_or_null(time->end)});
  }
  Json out = {{"spatial", {{"bbox", boxes}}}, {"temporal", {{"interval", Json::array({interval})}}}};
  if (!extent.spatial) out["spatial"]["taco:extent"] = "unknown";
  if (!extent.temporal) out["temporal"]["taco:extent"] = "unknown";
  return out;
}

/// The SPDX identifier of a single licence, otherwise "other" with links: STAC has no licence expressions, and a
/// dataset does not say whether all of its licences apply or one of them.
std::string licence_of(const Facts& facts) {
  const auto& all = facts.collection.licenses;
  const std::string spdx = all.size() == 1 ? spdx_of(all[0]) : "";
  return spdx.empty() ? "other" : spdx;
}

/// A provider with the roles that STAC knows. A curator without one is a processor.
Json provider(const Contact& who, bool is_curator) {
  static const std::set<std::string> known = {"licensor", "producer", "processor", "host"};
  Json out = {{"name", name_of(who).empty() ? "unknown" : name_of(who)}};
  Json roles = Json::array();
  for (const auto& role : roles_of(who)) {
    if (known.contains(role)) roles.push_back(role);
  }
  if (is_curator && roles.empty()) roles.push_back("processor");
  if (!roles.empty()) out["roles"] = roles;
  if (is_url(who.url)) out["url"] = who.url;
  return out;
}

/// A contact of the contacts extension, which has e-mail addresses and all roles, and requires a name.
Json contact(const Contact& who) {
  Json out = {{"name", name_of(who)}};
  set_text(out, "organization", who.organization);
  if (!who.email.empty()) out["emails"] = Json::array({{{"value", who.email}}});
  if (const auto roles = roles_of(who); !roles.empty()) out["roles"] = roles;
  if (is_url(who.url)) out["links"] = Json::array({{{"href", who.url}, {"rel", "about"}, {"type", "text/html"}}});
  return out;
}

/// The common names of the eo extension for those that TACO has.
constexpr Translation kEoNames[] = {
#include "describe/eo_common_names.inc"
};

/// TACO has wavelengths in nanometres, the eo extension in micrometres.
Json band_of(const Band& band) {
  Json out = Json::object();
  set_text(out, "name", band.name);
  set_text(out, "description", band.description);
  set_text(out, "unit", band.unit);
  set_text(out, "eo:common_name", translate(band.common_name, kEoNames));
  constexpr double kPerMicrometre = 1000;
  const auto usable = [](const std::optional<double>& value) { return value && *value > 0; };
  if (usable(band.center_wavelength)) out["eo:center_wavelength"] = *band.center_wavelength / kPerMicrometre;
  if (usable(band.full_width_half_max)) out["eo:full_width_half_max"] = *band.full_width_half_max / kPerMicrometre;
  return out;
}

/// The values that the bands have of each property of the eo extension, whose schema does not look at `bands`.
void add_eo_summaries(const Json& bands, Json& summaries) {
  for (const char* key : {"eo:common_name", "eo:center_wavelength", "eo:full_width_half_max"}) {
    Json values = Json::array();
    for (const Json& band : bands) {
      const auto found = band.find(key);
      if (found == band.end() || std::ranges::find(values, *found) != values.end()) continue;
      values.push_back(*found);
    }
    if (!values.empty()) summaries[key] = values;
  }
}

void add_people(const Facts& facts, Json& out) {
  Json providers = Json::array(), contacts = Json::array();
  const auto add = [&](const std::vector<Contact>& all, bool is_curator) {
    for (const Contact& who : all) {
      providers.push_back(provider(who, is_curator));
      if (!name_of(who).empty()) contacts.push_back(contact(who));
    }
  };
  add(facts.collection.providers, false);
  add(facts.curators(), true);
  if (!providers.empty()) out["providers"] = providers;
  if (!contacts.empty()) out["contacts"] = contacts;
}

void add_publications(const Facts& facts, Json& out) {
  set_text(out, "sci:doi", doi_of(facts.self.doi));
  set_text(out, "sci:citation", facts.self.citation);
  Json all = Json::array();
  for (const auto& each : facts.publications) {
    Json publication = Json::object();
    set_text(publication, "doi", doi_of(each.doi));
    set_text(publication, "citation", each.citation);
    if (!publication.empty()) all.push_back(publication);
  }
  if (!all.empty()) out["sci:publications"] = all;
}

void add_taco(const Facts& facts, Json& out) {
  set_text(out, "taco:version", facts.collection.taco_version);
  if (!facts.collection.tasks.empty()) out["taco:tasks"] = facts.collection.tasks;
  set_text(out, "taco:split_strategy", facts.split_strategy);
  Json classes = Json::array();
  for (const auto& label : facts.labels) {
    Json one = {{"name", label.name}, {"category", label.category}};
    set_text(one, "description", label.description);
    classes.push_back(one);
  }
  if (!classes.empty()) out["taco:labels"] = classes;
  out["taco:pit_schema"] = Json::parse(facts.collection.pit_schema.to_json());
}

Json assets_of(const Facts& facts) {
  Json out = Json::object();
  const auto add = [&](const std::vector<DataFile>& files, const char* type, const char* role) {
    for (const auto& [name, size] : files) {
      out[name] = {{"href", facts.href(name)}, {"title", name}, {"type", type}, {"roles", Json::array({role})}};
      if (size && role == std::string("data")) out[name]["taco:size"] = *size;
    }
  };
  add(facts.files, media_type(facts.format), "data");
  add(facts.tables, kParquetType, "metadata");
  return out;
}

Json links_of(const Facts& facts) {
  Json out = Json::array();
  for (const auto& licence : facts.collection.licenses) {
    const std::string spdx = spdx_of(licence);
    if (spdx.empty() && !is_url(licence)) continue;
    const std::string href = spdx.empty() ? licence : "https://spdx.org/licenses/" + spdx + ".html";
    out.push_back({{"rel", "license"}, {"href", href}, {"title", spdx.empty() ? licence : spdx}});
  }
  const auto add = [&](const char* rel, const Hyperlink& link, const char* title) {
    if (!is_url(link.href)) return;
    out.push_back({{"rel", rel}, {"href", link.href}, {"title", link.description.empty() ? title : link.description}});
  };
  add("via", facts.raw_link, "Original data");
  add("about", facts.discuss_link, "Discussion");
  std::vector<Publication> works = facts.publications;
  works.insert(works.begin(), facts.self);
  for (const auto& each : works) {
    if (const auto doi = doi_of(each.doi); !doi.empty()) {
      out.push_back(
          {{"rel", "cite-as"}, {"href", "https://doi.org/" + percent_encoded(doi, true)}, {"title", "DOI " + doi}});
    }
  }
  return out;
}

std::vector<std::string> extensions_of(const Json& collection) {
  std::vector<std::string> out = {kVersion};
  if (collection.contains("contacts")) out.emplace_back(kContacts);
  const Json summaries = collection.value("summaries", Json::object());
  const bool has_eo =
      std::ranges::any_of(summaries.items(), [](const auto& each) { return each.key().starts_with("eo:"); });
  if (has_eo) out.emplace_back(kEo);
  const bool is_cited =
      collection.contains("sci:publications") || collection.contains("sci:doi") || collection.contains("sci:citation");
  if (is_cited) out.emplace_back(kScientific);
  return out;
}

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

/// Null for text that is no JSON object, or nested so deeply that writing it would be unsafe.
Json parse_object(const std::string& text) {
  if (!text.starts_with('{') || where_too_nested(text)) return {};
  Json out = Json::parse(text, nullptr, false);
  return out.is_object() ? out : Json();
}

/// The projection extension. A CRS that it has no form for keeps the name of its column.
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

/// An instant, or both ends of an interval and its middle when it is known. STAC has no form for an unknown time: it is
/// the longest interval, with "taco:time": "unknown". The samples of a level without columns of time have that of the
/// dataset.
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
    throw SchemaError("sample " + tacore::in_quotes(item.path) +
                      " has no time, and the dataset has no temporal extent: STAC requires one; expected a column "
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

/// Paths of the FILEs below the FOLDERs of a level, from taco:pit_schema.
void add_file_paths(const PitSchema& pit, int level, std::size_t position, const std::string& prefix,
                    std::set<std::string>& seen, std::vector<std::string>& out) {
  const auto found = pit.hierarchy.find(level);
  if (found == pit.hierarchy.end() || found->second.empty()) return;
  const std::size_t at = position % found->second.size();
  std::size_t folder = 0;
  for (std::size_t p = 0; p < at; ++p) {
    folder += static_cast<std::size_t>(
        std::count(found->second[p].type.begin(), found->second[p].type.end(), SampleType::Folder));
  }
  const PitPattern& pattern = found->second[at];
  for (std::size_t i = 0; i < pattern.id.size(); ++i) {
    const std::string path = prefix + pattern.id[i];
    if (pattern.type[i] == SampleType::Folder) {
      add_file_paths(pit, level + 1, folder++, path + "/", seen, out);
    } else if (!pattern.id[i].starts_with(names::kPadding) && seen.insert(path).second) {
      out.push_back(path);
    }
  }
}

}  // namespace

std::vector<std::string> asset_names(const Facts& facts, int level) {
  const PitSchema& pit = facts.collection.pit_schema;
  const bool is_mixed = is_v1(facts.format);  // else no root sample is a FILE where one is a FOLDER
  std::vector<std::string> out;
  if (level > 0 || pit.root_type == SampleType::File || is_mixed) out.emplace_back(kDataAsset);
  std::set<std::string> seen(out.begin(), out.end());
  const auto below = pit.hierarchy.find(level + 1);
  for (std::size_t p = 0; below != pit.hierarchy.end() && p < below->second.size(); ++p) {
    add_file_paths(pit, level + 1, p, "", seen, out);
  }
  return out;
}

Json stac_collection(const Facts& facts) {
  Json out = {{"type", "Collection"}, {"stac_version", kStacVersion}, {"stac_extensions", Json::array()}};
  out["id"] = facts.collection.id;
  out["title"] = facts.title();
  // STAC wants a description that is not empty.
  out["description"] = facts.collection.description.empty() ? facts.title() : facts.collection.description;
  if (const auto keywords = facts.keywords(); !keywords.empty()) out["keywords"] = keywords;
  out["license"] = licence_of(facts);
  set_text(out, "version", facts.collection.dataset_version);
  add_people(facts, out);
  out["extent"] = extent_of(facts);
  Json bands = Json::array();
  for (const auto& band : facts.bands) bands.push_back(band_of(band));
  if (!bands.empty()) out["bands"] = bands;
  Json summaries = Json::object();
  if (!facts.sensor.empty()) summaries["instruments"] = Json::array({facts.sensor});
  add_eo_summaries(bands, summaries);
  if (!summaries.empty()) out["summaries"] = summaries;
  add_publications(facts, out);
  add_taco(facts, out);
  out["assets"] = assets_of(facts);
  out["stac_extensions"] = extensions_of(out);
  out["links"] = links_of(facts);
  return out;
}

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
  for (const char* rel : {"collection", "parent", "root"}) {
    out["links"].push_back(
        {{"rel", rel}, {"href", collection}, {"type", "application/json"}, {"title", facts.title()}});
  }
  out["assets"] = stac_assets(item, facts, items);
  return out;
}

}  // namespace descriptions

std::string eo_common_name(std::string_view common_name) {
  return descriptions::translate(std::string(common_name), descriptions::kEoNames);
}

std::string collection2stac(const Dataset& dataset, const DescribeOptions& options) {
  return descriptions::dump(descriptions::stac_collection(descriptions::gather(dataset, options)));
}

void footer2stac(const Dataset& dataset, int level, ItemOutput& output, const DescribeOptions& options) {
  const descriptions::Facts facts = descriptions::gather(dataset, options, level);
  descriptions::LevelItems items(dataset, facts, level, options);
  items.for_each(true, [&](const descriptions::Item& item) {
    output.write(item.id, descriptions::dump(descriptions::stac_item(item, facts, items, "./collection.json")));
  });
}

}  // namespace tacore
