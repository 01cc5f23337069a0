#include <algorithm>

#include "base/epoch.hpp"
#include "base/text.hpp"
#include "describe/document.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace descriptions {
namespace {

/// DataCite's value for unknown text ("unavailable").
constexpr const char* kUnavailable = "(:unav)";

Json agent(const Contact& who) {
  const bool is_person = !who.organization.empty() && !who.name.empty();
  Json out = {{"name", name_of(who).empty() ? kUnavailable : name_of(who)}};
  out["nameType"] = is_person ? "Personal" : "Organizational";
  if (is_person) out["affiliation"] = Json::array({{{"name", who.organization}}});
  return out;
}

Json creators(const Facts& facts) {
  Json out = Json::array();
  for (const Contact& who : facts.collection.providers) out.push_back(agent(who));
  for (const Contact& who : facts.curators()) {
    if (facts.collection.providers.empty()) out.push_back(agent(who));
  }
  if (out.empty()) out.push_back({{"name", kUnavailable}});
  return out;
}

bool has_role(const Contact& who, const char* role) {
  const auto roles = roles_of(who);
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

std::string organization(const Contact& who) { return who.organization.empty() ? name_of(who) : who.organization; }

/// The organization that hosts the dataset, else the first provider or curator.
std::string publisher(const Facts& facts) {
  for (const Contact& who : facts.collection.providers) {
    if (has_role(who, "host") && !organization(who).empty()) return organization(who);
  }
  for (const auto& all : {facts.collection.providers, facts.curators()}) {
    for (const Contact& who : all) {
      if (!organization(who).empty()) return organization(who);
    }
  }
  return kUnavailable;
}

Json contributors(const Facts& facts) {
  static constexpr std::pair<const char*, const char*> kTypes[] = {{"host", "HostingInstitution"},
                                                                   {"licensor", "RightsHolder"},
                                                                   {"producer", "Producer"},
                                                                   {"processor", "DataManager"}};
  Json out = Json::array();
  const auto add = [&](const Contact& who, const char* type) {
    Json one = agent(who);
    one["contributorType"] = type;
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
  };
  for (const Contact& who : facts.curators()) add(who, "DataCurator");
  for (const auto& [role, type] : kTypes) {
    for (const Contact& who : facts.collection.providers) {
      if (has_role(who, role)) add(who, type);
    }
  }
  return out;
}

Json subjects(const Facts& facts) {
  Json out = Json::array();
  const auto add = [&](Json one) {
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
  };
  for (const auto& keyword : facts.keywords()) add({{"subject", keyword}});
  for (const auto& task : facts.collection.tasks) add({{"subject", task}, {"subjectScheme", "TACO task"}});
  return out;
}

Json dates(const Facts& facts) {
  Json out = Json::array();
  if (const auto& time = facts.collection.extent.temporal; time && !is_open(time->start) && !is_open(time->end)) {
    const std::string start = time->start.to_string(), end = time->end.to_string();
    out.push_back({{"date", start == end ? start : start + "/" + end}, {"dateType", "Collected"}});
  }
  return out;
}

Json rights(const Facts& facts) {
  Json out = Json::array();
  for (const auto& licence : facts.collection.licenses) {
    Json one = {{"rights", licence}};
    if (const auto spdx = spdx_of(licence); !spdx.empty()) {
      one = {{"rights", spdx},
             {"rightsUri", "https://spdx.org/licenses/" + spdx + ".html"},
             {"rightsIdentifier", lower(spdx)},
             {"rightsIdentifierScheme", "SPDX"},
             {"schemeUri", "https://spdx.org/licenses/"}};
    } else if (is_url(licence)) {
      one["rightsUri"] = licence;
    }
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
  }
  return out;
}

Json related(const Facts& facts) {
  Json out = Json::array();
  const auto add = [&](const std::string& identifier, const char* type, const char* relation) {
    if (identifier.empty()) return;
    out.push_back({{"relatedIdentifier", identifier}, {"relatedIdentifierType", type}, {"relationType", relation}});
  };
  for (const auto& each : facts.publications) add(doi_of(each.doi), "DOI", "IsDescribedBy");
  if (is_url(facts.raw_link.href)) add(facts.raw_link.href, "URL", "IsDerivedFrom");
  if (is_url(facts.discuss_link.href)) add(facts.discuss_link.href, "URL", "IsDocumentedBy");
  return out;
}

Json sizes(const Facts& facts) {
  Json out = Json::array({std::to_string(facts.collection.pit_schema.root_n) + " samples"});
  uint64_t num_bytes = 0;
  for (const auto& file : facts.files) {
    if (!file.size_bytes) return out;
    num_bytes += *file.size_bytes;
  }
  if (num_bytes > 0) out.push_back(std::to_string(num_bytes) + " bytes");
  return out;
}

Json descriptions_of(const Facts& facts) {
  Json out = Json::array();
  const auto add = [&](const std::string& text, const char* type) {
    if (!text.empty()) out.push_back({{"description", text}, {"descriptionType", type}});
  };
  add(facts.collection.description, "Abstract");
  add(facts.self.summary, "Other");
  for (const auto& [key, text] : facts.statements) {
    if (key == "rai:data_preprocessing_protocol") add(text, "Methods");
  }
  return out;
}

void set_list(Json& out, const char* key, Json list) {
  if (!list.empty()) out[key] = std::move(list);
}

}  // namespace

Json datacite(const Facts& facts) {
  if (facts.published.empty()) {
    throw SchemaError(
        "the year of publication, which DataCite requires, is not known: give it with --published DATE "
        "(`published` of the library), or as the member `published` of COLLECTION.json");
  }
  Json out = {{"types", {{"resourceTypeGeneral", "Dataset"}, {"resourceType", "TACO dataset"}}}};
  set_text(out, "doi", doi_of(facts.self.doi));
  out["creators"] = creators(facts);
  out["titles"] = Json::array({{{"title", facts.title()}}});
  out["publisher"] = {{"name", publisher(facts)}};
  out["publicationYear"] = facts.published.substr(0, 4);
  set_list(out, "subjects", subjects(facts));
  set_list(out, "contributors", contributors(facts));
  set_list(out, "dates", dates(facts));
  out["language"] = "en";
  out["alternateIdentifiers"] =
      Json::array({{{"alternateIdentifier", facts.collection.id}, {"alternateIdentifierType", "TACO dataset id"}}});
  set_list(out, "relatedIdentifiers", related(facts));
  out["sizes"] = sizes(facts);
  out["formats"] = Json::array({facts.format == Format::Folder ? kParquetType : media_type(facts.format)});
  set_text(out, "version", facts.collection.dataset_version);
  set_list(out, "rightsList", rights(facts));
  set_list(out, "descriptions", descriptions_of(facts));
  if (const auto& box = facts.collection.extent.spatial) {
    out["geoLocations"] = Json::array({{{"geoLocationBox",
                                         {{"westBoundLongitude", box->minx},
                                          {"eastBoundLongitude", box->maxx},
                                          {"southBoundLatitude", box->miny},
                                          {"northBoundLatitude", box->maxy}}}}});
  }
  if (is_url(facts.base_url)) out["url"] = facts.url();
  out["schemaVersion"] = "http://datacite.org/schema/kernel-4";
  return out;
}

}  // namespace descriptions

std::string collection2datacite(const Dataset& dataset, const DescribeOptions& options) {
  return descriptions::dump(descriptions::datacite(descriptions::gather(dataset, options)));
}

}  // namespace tacore
