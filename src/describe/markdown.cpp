#include <algorithm>

#include "base/text.hpp"
#include "describe/document.hpp"
#include "describe/json.hpp"
#include "io/vsi_path.hpp"

namespace tacore {
namespace descriptions {
namespace {

/// Text on one line, with all that Markdown would interpret escaped, also in a table.
std::string escape(const std::string& text) {
  std::string out;
  for (const char c : without_controls(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_[]#|~>").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

/// Inline code; text where Markdown has no form for it.
std::string code(const std::string& text) {
  const std::string line = without_controls(text);
  return line.empty() || line.find_first_of("`|\\") != line.npos ? escape(text) : "`" + line + "`";
}

std::string inline_text(const Cell& cell) {
  const std::string text = cell.is_code ? code(cell.text) : escape(cell.text);
  if (cell.url.empty() || text.empty()) return text;
  std::string url;
  for (const char c : cell.url) {
    const bool is_plain = std::string_view("()|<>\\").find(c) == std::string_view::npos;
    url += is_plain ? std::string(1, c) : percent_encoded({&c, 1}, false);
  }
  return "[" + text + "](" + url + ")";
}

std::string line_of(const std::vector<std::string>& cells) { return "| " + join(cells, " | ") + " |\n"; }

/// Whether a link in text of an author is to a page, an e-mail address or a relative path, and runs nothing.
bool is_harmless(std::string_view target) {
  const std::string text = lower(target);
  for (const char* scheme : {"http://", "https://", "mailto:"}) {
    if (text.starts_with(scheme)) return true;
  }
  // What comes before a path has a scheme, or hides one behind an entity.
  return std::string_view(text).substr(0, text.find_first_of("/?#")).find_first_of(":&\\") == text.npos;
}

/// The author's Markdown without HTML, and without links that run code.
std::string render(const Prose& prose) {
  const std::string& text = prose.text;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i] == '<' ? "&lt;" : std::string(1, text[i]);
    if (text[i] != ']' || i + 1 == text.size() || (text[i + 1] != '(' && text[i + 1] != ':')) continue;
    const auto begin = std::min(text.find_first_not_of(" \t\r\n<", i + 2), text.size());
    const auto end = std::min(text.find_first_of(" \t\r\n)", begin), text.size());
    if (!is_harmless(std::string_view(text).substr(begin, end - begin))) out += '\\';
  }
  return out + "\n\n";
}

std::string render(const Table& table) {
  std::string out = line_of(table.header) + line_of(std::vector<std::string>(table.header.size(), "---"));
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(inline_text(cell));
    out += line_of(cells);
  }
  return out + "\n";
}

/// Between fences that are longer than any in the text.
std::string render(const Code& block) {
  std::size_t longest = 2, run = 0;
  for (const char c : block.text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + block.language + "\n" + block.text + fence + "\n\n";
}

std::string render(const List& list) {
  std::string out;
  for (const Cell& item : list.items) out += "- " + inline_text(item) + "\n";
  return out + "\n";
}

std::string render(const Subheading& heading) { return "### " + escape(heading.text) + "\n\n"; }

/// The text for people, which follows the YAML of a card.
std::string markdown(const Facts& facts) {
  std::string out = "# " + escape(facts.title()) + "\n\n";
  if (!facts.collection.description.empty()) out += render(Prose{facts.collection.description});
  for (const auto& [name, cells] : overview(facts)) {
    std::vector<std::string> texts;
    for (const Cell& cell : cells) texts.push_back(inline_text(cell));
    out += "- **" + name + "**: " + join(texts, ", ") + "\n";
  }
  out += "\n";
  for (const Section& section : sections(facts)) {
    out += "## " + section.title + "\n\n";
    for (const Block& block : section.blocks) {
      out += std::visit([](const auto& each) { return render(each); }, block);
    }
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

/// A YAML scalar in double quotes: JSON, with the line breaks and non-characters of YAML escaped too.
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

/// The member `configs`: the table of each split, named after it, for the viewer of the Hub.
std::string yaml_configs(const std::vector<std::string>& tables) {
  std::string out = "configs:\n- config_name: default\n  data_files:\n";
  for (const auto& path : tables) {
    const std::string file = file_name(path);
    out += "  - split: " + yaml(file.substr(0, file.find('.'))) + "\n    path: " + yaml(path) + "\n";
  }
  return tables.empty() ? "" : out;
}

std::string front_matter(const Facts& facts, const std::vector<std::string>& tables) {
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
  return out + yaml_list("tags", tags) + yaml_configs(tables) + "---\n\n";
}

}  // namespace

std::string data_card(const Facts& facts, const DescribeOptions& options) {
  return valid_utf8(front_matter(facts, options.viewer_tables) + markdown(facts));
}

}  // namespace descriptions

std::string collection2markdown(const Dataset& dataset, const DescribeOptions& options) {
  return descriptions::valid_utf8(descriptions::markdown(descriptions::gather(dataset, options)));
}

std::string collection2markdown(std::string_view json, const std::string& path, const DescribeOptions& options) {
  return descriptions::valid_utf8(descriptions::markdown(descriptions::gather(json, path, options)));
}

std::string collection2datacard(const Dataset& dataset, const DescribeOptions& options) {
  return descriptions::data_card(descriptions::gather(dataset, options), options);
}

}  // namespace tacore
