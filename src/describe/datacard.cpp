#include <algorithm>
#include <map>
#include <set>

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

/// The identifiers that the hub knows, which are SPDX's in lower case but for some names of its own. Others are
/// "other" there.
std::string hub_licence(const std::string& licence) {
  static const std::set<std::string> known = {"apache-2.0",
                                              "mit",
                                              "bsd-2-clause",
                                              "bsd-3-clause",
                                              "bsd-3-clause-clear",
                                              "cc0-1.0",
                                              "cc-by-2.0",
                                              "cc-by-2.5",
                                              "cc-by-3.0",
                                              "cc-by-4.0",
                                              "cc-by-sa-3.0",
                                              "cc-by-sa-4.0",
                                              "cc-by-nc-2.0",
                                              "cc-by-nc-3.0",
                                              "cc-by-nc-4.0",
                                              "cc-by-nd-4.0",
                                              "cc-by-nc-nd-3.0",
                                              "cc-by-nc-nd-4.0",
                                              "cc-by-nc-sa-2.0",
                                              "cc-by-nc-sa-3.0",
                                              "cc-by-nc-sa-4.0",
                                              "cdla-sharing-1.0",
                                              "cdla-permissive-1.0",
                                              "cdla-permissive-2.0",
                                              "wtfpl",
                                              "ecl-2.0",
                                              "epl-1.0",
                                              "epl-2.0",
                                              "etalab-2.0",
                                              "eupl-1.1",
                                              "eupl-1.2",
                                              "agpl-3.0",
                                              "gfdl",
                                              "gpl-2.0",
                                              "gpl-3.0",
                                              "lgpl-2.1",
                                              "lgpl-3.0",
                                              "isc",
                                              "lppl-1.3c",
                                              "ms-pl",
                                              "mpl-2.0",
                                              "odc-by",
                                              "odbl",
                                              "osl-3.0",
                                              "postgresql",
                                              "ofl-1.1",
                                              "ncsa",
                                              "unlicense",
                                              "zlib",
                                              "pddl",
                                              "afl-3.0",
                                              "artistic-2.0",
                                              "bsl-1.0",
                                              "c-uda"};
  static const std::map<std::string, std::string> renamed = {{"odc-by-1.0", "odc-by"},    {"odbl-1.0", "odbl"},
                                                             {"pddl-1.0", "pddl"},        {"c-uda-1.0", "c-uda"},
                                                             {"gfdl-1.3", "gfdl"},        {"agpl-3.0-only", "agpl-3.0"},
                                                             {"gpl-3.0-only", "gpl-3.0"}, {"gpl-2.0-only", "gpl-2.0"}};
  const std::string name = lower(licence);
  if (const auto found = renamed.find(name); found != renamed.end()) return found->second;
  return known.contains(name) ? name : "other";
}

/// Tasks of the hub that mean the same; what has none there stays a tag.
std::string hub_task(const std::string& task) {
  static const std::map<std::string, std::string> known = {{"classification", "image-classification"},
                                                           {"scene-classification", "image-classification"},
                                                           {"segmentation", "image-segmentation"},
                                                           {"semantic-segmentation", "image-segmentation"},
                                                           {"instance-segmentation", "image-segmentation"},
                                                           {"panoptic-segmentation", "image-segmentation"},
                                                           {"detection", "object-detection"},
                                                           {"object-detection", "object-detection"},
                                                           {"image-captioning", "image-to-text"},
                                                           {"super-resolution", "image-to-image"},
                                                           {"denoising", "image-to-image"},
                                                           {"inpainting", "image-to-image"},
                                                           {"colorization", "image-to-image"},
                                                           {"style-transfer", "image-to-image"},
                                                           {"deblurring", "image-to-image"},
                                                           {"dehazing", "image-to-image"}};
  const auto found = known.find(lower(task));
  return found == known.end() ? "" : found->second;
}

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
    add_once(licences, hub_licence(licence));
    if (licences.back() == "other" && unknown_licence.empty()) {
      unknown_licence = spdx_of(licence).empty() ? licence : spdx_of(licence);
      if (is_url(licence)) licence_link = licence;
      if (!spdx_of(licence).empty()) licence_link = "https://spdx.org/licenses/" + spdx_of(licence) + ".html";
    }
  }
  for (const auto& task : facts.collection.tasks) {
    add_once(tasks, hub_task(task));
    if (hub_task(task).empty() && lower(task) != "other") add_once(tags, task);
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
