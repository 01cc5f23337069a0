#include <algorithm>

#include "base/text.hpp"
#include "describe/json.hpp"
#include "describe/markdown.hpp"

namespace tacore {
namespace descriptions {
namespace {

/// A YAML scalar in double quotes, which escape as those of JSON do. What YAML takes for line breaks or for no text at
/// all is escaped as well.
std::string yaml(const std::string& text) {
  const std::string json = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto at = [&](std::size_t k) { return i + k < json.size() ? static_cast<unsigned char>(json[i + k]) : 0; };
    const auto starts = [&](std::string_view bytes) { return std::string_view(json).substr(i).starts_with(bytes); };
    if (at(0) == 0x7f) {
      out += "\\x7f";
    } else if (at(0) == 0xc2 && at(1) < 0xa0) {  // C1 controls
      static constexpr char kHex[] = "0123456789abcdef";
      out += std::string("\\x") + kHex[at(1) >> 4] + kHex[at(1) & 15];
      ++i;
    } else if (starts("\u2028") || starts("\u2029") || starts("\ufeff") || starts("\xef\xbf\xbe") ||
               starts("\xef\xbf\xbf")) {
      out += starts("\u2028")         ? "\\u2028"
             : starts("\u2029")       ? "\\u2029"
             : starts("\ufeff")       ? "\\ufeff"
             : starts("\xef\xbf\xbe") ? "\\ufffe"
                                      : "\\uffff";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

std::string yaml_list(const char* key, const std::vector<std::string>& items) {
  std::string out = std::string(key) + ":\n";
  for (const auto& item : items) out += "- " + yaml(item) + "\n";
  return items.empty() ? "" : out;
}

/// The licence identifiers of the Hugging Face hub: most are SPDX's in lower case, some are its own.
constexpr Translation kHubLicences[] = {
#include "describe/hub_licences.inc"
};

/// The tasks of the hub that mean the same.
constexpr Translation kHubTasks[] = {
#include "describe/hub_tasks.inc"
};

std::string size_category(uint64_t n) {
  static constexpr std::pair<uint64_t, const char*> kUpTo[] = {
      {1'000, "n<1K"},
      {10'000, "1K<n<10K"},
      {100'000, "10K<n<100K"},
      {1'000'000, "100K<n<1M"},
      {10'000'000, "1M<n<10M"},
      {100'000'000, "10M<n<100M"},
      {1'000'000'000, "100M<n<1B"},
      {10'000'000'000, "1B<n<10B"},
      {100'000'000'000, "10B<n<100B"},
      {1'000'000'000'000, "100B<n<1T"},
  };
  for (const auto& [limit, name] : kUpTo) {
    if (n < limit) return name;
  }
  return "n>1T";
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::string front_matter(const Facts& facts) {
  std::vector<std::string> licences, tasks, tags;
  std::string unknown_licence, licence_link;
  for (const auto& licence : facts.collection.licenses) {
    const std::string known = translate(licence, kHubLicences);
    add_once(licences, known.empty() ? "other" : known);
    if (licences.back() == "other" && unknown_licence.empty()) {
      unknown_licence = spdx_of(licence).empty() ? licence : spdx_of(licence);
      if (is_url(licence)) licence_link = licence;
      if (!spdx_of(licence).empty()) licence_link = "https://spdx.org/licenses/" + spdx_of(licence) + ".html";
    }
  }
  for (const auto& task : facts.collection.tasks) {
    const std::string known = translate(task, kHubTasks);
    add_once(tasks, known);
    if (known.empty() && lower(task) != "other") add_once(tags, task);
  }
  for (const auto& keyword : facts.keywords()) add_once(tags, keyword);
  for (const char* tag : {"taco", "earth-observation", "geospatial"}) add_once(tags, tag);
  std::string out = "---\npretty_name: " + yaml(facts.title()) + "\n";
  out += yaml_list("license", licences);
  if (!unknown_licence.empty()) out += "license_name: " + yaml(unknown_licence) + "\n";
  if (!licence_link.empty()) out += "license_link: " + yaml(licence_link) + "\n";
  out += yaml_list("task_categories", tasks);
  out += yaml_list("size_categories", {size_category(facts.collection.pit_schema.root_n)});
  return out + yaml_list("tags", tags) + "---\n\n";
}

}  // namespace
}  // namespace descriptions

std::string collection2datacard(const Dataset& dataset, const DescribeOptions& options) {
  const descriptions::Facts facts = descriptions::gather(dataset, options);
  return descriptions::valid_utf8(descriptions::front_matter(facts) + descriptions::markdown(facts));
}

}  // namespace tacore
