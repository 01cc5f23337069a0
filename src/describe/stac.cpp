#include "describe/stac.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/open_time.hpp"
#include "base/text.hpp"

namespace tacore {
namespace descriptions {
namespace {

constexpr const char* kScientific = "https://stac-extensions.github.io/scientific/v1.0.0/schema.json";
constexpr const char* kVersion = "https://stac-extensions.github.io/version/v1.2.0/schema.json";
constexpr const char* kEo = "https://stac-extensions.github.io/eo/v2.0.0/schema.json";
constexpr const char* kContacts = "https://stac-extensions.github.io/contacts/v0.1.1/schema.json";

Json time_or_null(Timestamp time) { return is_open(time) ? Json() : Json(time.to_string()); }

/// The first box is that of all; with several sources theirs follow. STAC has no form for what is not known: it is the
/// globe or all times, and says so.
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

/// The SPDX identifier of the one licence; several, and others, are links: the schema of STAC has no expressions, and a
/// dataset does not say whether all of them hold or any.
std::string licence_of(const Facts& facts) {
  const auto& all = facts.collection.licenses;
  const std::string spdx = all.size() == 1 ? spdx_of(all[0]) : "";
  return spdx.empty() ? "other" : spdx;
}

/// STAC knows four roles; what a curator does is the third.
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

/// People and organizations in full (contacts extension), which providers have no room for.
Json contact(const Contact& who) {
  Json out = Json::object();
  set_text(out, "name", who.name);
  set_text(out, "organization", who.organization.empty() && who.name.empty() ? who.email : who.organization);
  if (!who.email.empty()) out["emails"] = Json::array({{{"value", who.email}}});
  if (const auto roles = roles_of(who); !roles.empty()) out["roles"] = roles;
  if (is_url(who.url)) out["links"] = Json::array({{{"href", who.url}, {"rel", "about"}}});
  return out;
}

std::string eo_name(const Band& band) {
  static const std::map<std::string, std::string> names = {{"coastal aerosol", "coastal"},
                                                           {"blue", "blue"},
                                                           {"green", "green"},
                                                           {"red", "red"},
                                                           {"cirrus", "cirrus"},
                                                           {"pan", "pan"},
                                                           {"panchromatic", "pan"},
                                                           {"red edge 1", "rededge071"},
                                                           {"red edge 2", "rededge075"},
                                                           {"red edge 3", "rededge078"},
                                                           {"red edge 4", "nir08"},
                                                           {"nir", "nir"},
                                                           {"water vapor", "nir09"},
                                                           {"water vapour", "nir09"},
                                                           {"swir 1", "swir16"},
                                                           {"swir 2", "swir22"},
                                                           {"tir", "lwir"},
                                                           {"tir 1", "lwir11"},
                                                           {"tir 2", "lwir12"}};
  const auto found = names.find(lower(band.common_name));
  return found == names.end() ? "" : found->second;
}

/// Wavelengths are nanometres here, micrometres there.
Json band_of(const Band& band) {
  Json out = Json::object();
  set_text(out, "name", band.name);
  set_text(out, "description", band.description);
  set_text(out, "unit", band.unit);
  set_text(out, "eo:common_name", eo_name(band));
  constexpr double kPerMicrometre = 1000;
  const auto usable = [](const std::optional<double>& value) { return value && *value > 0; };
  if (usable(band.center_wavelength)) out["eo:center_wavelength"] = *band.center_wavelength / kPerMicrometre;
  if (usable(band.full_width_half_max)) out["eo:full_width_half_max"] = *band.full_width_half_max / kPerMicrometre;
  return out;
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
  const auto add = [&](const char* rel, const Hyperlink& link) {
    if (!is_url(link.href)) return;
    Json one = {{"rel", rel}, {"href", link.href}};
    set_text(one, "title", link.description);
    out.push_back(std::move(one));
  };
  add("via", facts.raw_link);
  add("about", facts.discuss_link);
  std::vector<Publication> works = facts.publications;
  works.insert(works.begin(), facts.self);
  for (const auto& each : works) {
    if (const auto doi = doi_of(each.doi); !doi.empty()) {
      out.push_back({{"rel", "cite-as"}, {"href", "https://doi.org/" + percent_encoded(doi, true)}});
    }
  }
  return out;
}

std::vector<std::string> extensions_of(const Json& collection) {
  std::vector<std::string> out = {kVersion};
  if (collection.contains("contacts")) out.emplace_back(kContacts);
  if (collection.contains("bands")) out.emplace_back(kEo);
  const bool is_cited =
      collection.contains("sci:publications") || collection.contains("sci:doi") || collection.contains("sci:citation");
  if (is_cited) out.emplace_back(kScientific);
  return out;
}

}  // namespace

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
  if (!summaries.empty()) out["summaries"] = summaries;
  add_publications(facts, out);
  add_taco(facts, out);
  out["assets"] = assets_of(facts);
  out["stac_extensions"] = extensions_of(out);
  out["links"] = links_of(facts);
  return out;
}

}  // namespace descriptions

std::string collection2stac(const Dataset& dataset, const DescribeOptions& options) {
  return descriptions::dump(descriptions::stac_collection(descriptions::gather(dataset, options)));
}

}  // namespace tacore
