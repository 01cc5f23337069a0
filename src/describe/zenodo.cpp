#include "describe/zenodo.hpp"

#include "base/text.hpp"
#include "describe/json.hpp"
#include "describe/page.hpp"

namespace tacore::descriptions {

std::vector<Contact> creators_of(const Facts& facts) {
  std::vector<Contact> out;
  for (const auto& all : {facts.collection.providers, facts.curators()}) {
    for (const Contact& who : all) {
      if (!name_of(who).empty()) out.push_back(who);
    }
    if (!out.empty()) break;
  }
  return out;
}

std::string zenodo_metadata(const Facts& facts) {
  Json out = {{"upload_type", "dataset"}, {"access_right", "open"}};
  out["title"] = facts.title();
  // Zenodo shows HTML.
  out["description"] = "<p>" + escape_html(facts.collection.description) + "</p>";
  out["creators"] = Json::array();
  for (const Contact& who : creators_of(facts)) {
    Json one = {{"name", name_of(who)}};
    if (!who.organization.empty() && who.organization != name_of(who)) one["affiliation"] = who.organization;
    out["creators"].push_back(std::move(one));
  }
  for (const auto& licence : facts.collection.licenses) {
    if (const auto spdx = spdx_of(licence); !spdx.empty() && !out.contains("license")) out["license"] = lower(spdx);
  }
  if (facts.published.size() == std::string_view("YYYY-MM-DD").size()) out["publication_date"] = facts.published;
  else if (!facts.published.empty()) out["publication_date"] = facts.published + "-01-01";
  if (const auto keywords = facts.keywords(); !keywords.empty()) out["keywords"] = keywords;
  set_text(out, "version", facts.collection.dataset_version);
  Json related = Json::array();
  const auto add = [&](const std::string& identifier, const char* relation) {
    if (!identifier.empty()) related.push_back({{"identifier", identifier}, {"relation", relation}});
  };
  for (const auto& each : facts.publications) add(doi_of(each.doi), "isDocumentedBy");
  if (is_url(facts.raw_link.href)) add(facts.raw_link.href, "isDerivedFrom");
  if (!related.empty()) out["related_identifiers"] = std::move(related);
  return dump(out);
}

}  // namespace tacore::descriptions
