#include "describe/document.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/epoch.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "describe/json.hpp"
#include "describe/pit_tree.hpp"
#include "describe/summaries.hpp"
#include "format/names.hpp"

namespace tacore::descriptions {
namespace {

constexpr std::size_t kMostSources = 100;

/// Removes columns without any text.
void drop_empty_columns(Table& table) {
  for (std::size_t c = table.header.size(); c-- > 0;) {
    const auto is_empty = [c](const std::vector<Cell>& row) { return row[c].text.empty(); };
    if (!std::all_of(table.rows.begin(), table.rows.end(), is_empty)) continue;
    const auto at = static_cast<std::ptrdiff_t>(c);
    table.header.erase(table.header.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

/// At most five digits after the point.
std::string number(double value) {
  constexpr double kDigits = 1e5;
  const double rounded = std::abs(value) < 1e9 ? std::round(value * kDigits) / kDigits : value;
  return number_text(rounded == 0 ? 0.0 : rounded);
}

std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

/// "12.5° W": `letters` are those of positive and negative numbers; the angle is rounded towards `up` to this number of
/// digits.
std::string angle(double value, int digits, const char* letters, double (*round)(double)) {
  const double factor = std::pow(10, digits);
  // What decimal fractions lose in binary is no reason to round outwards.
  const double nearest = std::round(value * factor), scaled = value * factor;
  const double rounded = (std::abs(scaled - nearest) < 1e-6 ? nearest : round(scaled)) / factor;
  const std::string letter = rounded == 0 || std::abs(rounded) == 180 ? "" : std::string(" ") + letters[rounded < 0];
  return number(std::abs(rounded)) + "°" + letter;
}

/// The number of digits that show a hundredth of a box; five of a point, which is a metre.
int digits_of(double size) {
  constexpr int kMost = 5;
  return size > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(size / 50))), 0, kMost) : kMost;
}

Cell licence(const std::string& text) {
  if (const auto spdx = spdx_of(text); !spdx.empty()) return {spdx, "https://spdx.org/licenses/" + spdx + ".html"};
  return {text, is_url(text) ? text : ""};
}

std::string doi_url(const std::string& doi) {
  if (is_url(doi)) return doi;
  const auto start = doi.find("10.");
  const bool is_doi = start != doi.npos && doi.find('/', start) != doi.npos;
  return is_doi ? "https://doi.org/" + percent_encoded(doi.substr(start), true) : "";
}

std::string code_string(const std::string& text) { return Json(without_controls(text)).dump(); }

std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : without_controls(text)) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

Section tree_section(const Facts& facts) {
  const auto& pit = facts.collection.pit_schema;
  Section out{"Structure"};
  if (!facts.has_tree) return out;
  out.blocks.emplace_back(Code{"", "text", draw(pit_tree(pit), pit.root_n)});
  return out;
}

Section fields(const Facts& facts) {
  Section out{"Fields"};
  for (std::size_t level = 0; level < facts.levels.size(); ++level) {
    const auto rows = static_cast<uint64_t>(facts.levels[level].num_rows);
    const std::string count = ": " + grouped(rows) + (rows == 1 ? " row" : " rows");
    out.blocks.emplace_back(Subheading{"Level " + std::to_string(level) + (facts.has_tree ? count : "")});
    Table table{.header = {"Field", "Type", "Description"}};
    for (const auto& [name, type, description] : facts.levels[level].fields) {
      table.rows.push_back({{name, "", true}, {type, "", true}, {description}});
    }
    out.blocks.emplace_back(std::move(table));
  }
  return out;
}

Section loading(const Facts& facts) {
  const std::string path = facts.example_path.empty() ? "dataset.tacozip" : facts.example_path;
  const std::string in_code = code_string(path), in_shell = shell_word(path);
  Section out{"How to load it"};
  const std::string first = "first = rows.read(0)  # a path that GDAL opens, or the children\n";
  const auto load = [&](const char* package) { return std::string(package) + ".load(" + in_code + ")"; };
  out.blocks.emplace_back(
      Code{"Python", "python", "import tacore\n\ndataset = " + load("tacore") + "\nrows = dataset.data\n" + first});
  if (is_v1(facts.format)) {
    out.blocks.emplace_back(
        Code{"Python, the published package", "python",
             "import tacoreader  # pip install \"tacoreader<1\"\n\nrows = " + load("tacoreader") + "\n" + first});
  } else if (facts.format == Format::Zip || facts.format == Format::Folder || facts.path == names::kTacocatFolder) {
    out.blocks.emplace_back(Code{"Python, the published package", "python",
                                 "import tacoreader  # pip install \"tacoreader>=2\"\n\ndataset = " +
                                     load("tacoreader") + "\nrows = dataset.data\n" + first});
  }
  out.blocks.emplace_back(
      Code{"C++", "cpp",
           "#include <tacore/dataset.hpp>\n\nconst tacore::Dataset dataset = tacore::load(" + in_code +
               ");\nconst tacore::DataFrame rows = dataset.data();\n"
               "const tacore::Node first = rows.read(0);  // a path that GDAL opens, or the children\n"});
  out.blocks.emplace_back(
      Code{"Command line", "sh",
           "taco info " + in_shell + "\ntaco query " + in_shell + " \"SELECT * FROM data LIMIT 5\"\n"});
  return out;
}

Section labels(const Facts& facts) {
  Section out{"Labels"};
  if (!facts.label_description.empty()) out.blocks.emplace_back(Prose{facts.label_description});
  Table table{.header = {"Category", "Name", "Description"}};
  for (const auto& each : facts.labels) table.rows.push_back({{each.category}, {each.name}, {each.description}});
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(table));
  return out;
}

Section sensor(const Facts& facts) {
  Section out{"Sensor"};
  if (!facts.sensor.empty()) out.blocks.emplace_back(List{{{facts.sensor, "", true}}});
  Table table{.header = {"Band", "Common name", "Centre (nm)", "Width (nm)", "Description"}};
  for (const auto& each : facts.bands) {
    table.rows.push_back({{each.name, "", true},
                          {each.common_name},
                          {number(each.center_wavelength)},
                          {number(each.full_width_half_max)},
                          {each.description}});
  }
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(table));
  return out;
}

Section responsible_use(const Facts& facts) {
  Section out{"Responsible use"};
  Table table{.header = {"About", "Statement"}};
  for (const auto& [key, text] : facts.statements) {
    std::string about = key.substr(key.find(':') + 1);
    std::replace(about.begin(), about.end(), '_', ' ');
    table.rows.push_back({{about}, {text}});
  }
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(table));
  return out;
}

Section people(const std::string& title, const std::vector<Contact>& all) {
  Section out{title};
  Table table{.header = {"Name", "Organization", "Role", "Contact"}};
  for (const Contact& who : all) {
    const std::string mail =
        who.email.find('@') == std::string::npos ? "" : "mailto:" + percent_encoded(who.email, true);
    table.rows.push_back({{name_of(who), is_url(who.url) ? who.url : ""},
                          {who.organization},
                          {join(roles_of(who), ", ")},
                          {who.email, mail}});
  }
  if (!table.rows.empty()) out.blocks.emplace_back(std::move(table));
  return out;
}

Section sources(const Facts& facts) {
  Section out{"Sources"};
  const auto& all = facts.collection.sources;
  Table table{.header = {"File", "Dataset", "Extent", "Time"}};
  for (std::size_t i = 0; i < std::min(all.size(), kMostSources); ++i) {
    const auto& [id, file, extent] = all[i];
    table.rows.push_back({{file, facts.base_url.empty() ? "" : facts.href(file), true},
                          {id},
                          {extent.spatial ? in_words(*extent.spatial) : ""},
                          {extent.temporal ? in_words(*extent.temporal) : ""}});
  }
  if (table.rows.empty()) return out;
  out.blocks.emplace_back(std::move(table));
  if (all.size() > kMostSources)
    out.blocks.emplace_back(Prose{"... and " + grouped(all.size() - kMostSources) + " more."});
  return out;
}

/// Links to the original data and the forum.
Section links(const Facts& facts) {
  Section out{"Links"};
  List all;
  const auto add = [&](const std::string& about, const Hyperlink& link) {
    if (link.href.empty()) return;
    const std::string text = about + (link.description.empty() ? link.href : link.description);
    all.items.push_back({text, is_url(link.href) ? link.href : ""});
  };
  add("Original data: ", facts.raw_link);
  add("Discussion: ", facts.discuss_link);
  if (!all.items.empty()) out.blocks.emplace_back(std::move(all));
  return out;
}

Section publications(const Facts& facts) {
  Section out{"Publications"};
  std::vector<Publication> works = facts.publications;
  works.insert(works.begin(), {facts.self.doi, "", facts.self.summary});  // its citation has a section
  for (const auto& each : works) {
    List work;
    if (!each.doi.empty()) work.items.push_back({each.doi, doi_url(each.doi)});
    if (!each.citation.empty()) work.items.push_back({each.citation});
    if (!each.summary.empty()) work.items.push_back({each.summary});
    if (!work.items.empty()) out.blocks.emplace_back(std::move(work));
  }
  return out;
}

/// Escapes the special characters of TeX, for a field of BibTeX.
std::string tex(const std::string& text) {
  static const std::map<char, std::string> meanings = {{'\\', "\\textbackslash{}"},
                                                       {'{', "\\{"},
                                                       {'}', "\\}"},
                                                       {'&', "\\&"},
                                                       {'%', "\\%"},
                                                       {'$', "\\$"},
                                                       {'#', "\\#"},
                                                       {'_', "\\_"},
                                                       {'~', "\\textasciitilde{}"},
                                                       {'^', "\\textasciicircum{}"}};
  std::string out;
  for (const char c : without_controls(text)) {
    const auto found = meanings.find(c);
    out += found == meanings.end() ? std::string(1, c) : found->second;
  }
  return out;
}

Section citation(const Facts& facts) {
  Section out{"Citation"};
  if (!facts.self.citation.empty()) {
    out.blocks.emplace_back(Code{"BibTeX", "bibtex", facts.self.citation + "\n"});
    return out;
  }
  std::vector<std::string> authors;
  for (const Contact& who : facts.collection.providers) {
    if (const auto name = name_of(who); !name.empty()) authors.push_back("{" + tex(name) + "}");
  }
  std::string key;
  for (const char c : facts.collection.id) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    key += plain ? c : '_';
  }
  std::string text = "@misc{" + key + ",\n  title = {{" + tex(facts.title()) + "}},\n";
  if (!authors.empty()) text += "  author = {" + join(authors, " and ") + "},\n";
  if (!facts.published.empty()) text += "  year = {" + facts.published.substr(0, 4) + "},\n";
  if (const auto& version = facts.collection.dataset_version; !version.empty())
    text += "  version = {" + tex(version) + "}\n";
  text += "}\n";
  out.blocks.emplace_back(Code{"BibTeX", "bibtex", text});
  return out;
}

std::vector<Cell> cells(const std::vector<std::string>& texts) {
  std::vector<Cell> out;
  for (const auto& text : texts) out.push_back({text});
  return out;
}

}  // namespace

std::string in_words(const BBox& box) {
  const bool crosses = box.minx > box.maxx;
  if (box.minx == box.maxx && box.miny == box.maxy) return centre_in_words(box);
  const double width = box.maxx - box.minx + (crosses ? 360 : 0);
  const int digits = digits_of(std::max(width, box.maxy - box.miny));
  return "from " + angle(box.minx, digits, "EW", std::floor) + " to " + angle(box.maxx, digits, "EW", std::ceil) +
         (crosses ? " (across the antimeridian)" : "") + ", " + angle(box.miny, digits, "NS", std::floor) + " to " +
         angle(box.maxy, digits, "NS", std::ceil);
}

std::string centre_in_words(const BBox& box) {
  double lon = (box.minx + box.maxx) / 2 + (box.minx > box.maxx ? 180 : 0);
  if (lon > 180) lon -= 360;
  const int digits = box.minx == box.maxx ? 3 : std::min(3, digits_of(box.maxy - box.miny));
  return angle((box.miny + box.maxy) / 2, digits, "NS", std::round) + ", " + angle(lon, digits, "EW", std::round);
}

std::string day_in_words(Timestamp time) {
  constexpr const char* kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};
  const std::string text = time.to_string();  // 2021-03-09T10:20:30Z
  if (text.size() < 20 || text[4] != '-' || text[7] != '-') return text;
  const auto two_digits = [&](std::size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
  return std::to_string(two_digits(8)) + " " + kMonths[two_digits(5) - 1] + " " + text.substr(0, 4);
}

std::string in_words(const TimeRange& range) {
  if (is_open(range.start) && is_open(range.end)) return "";
  if (is_open(range.start)) return "until " + day_in_words(range.end);
  const std::string first = day_in_words(range.start);
  if (is_open(range.end)) return "from " + first;
  const std::string last = day_in_words(range.end);
  if (first != last) return first + " to " + last;
  const auto clock = [](Timestamp time) { return time.to_string().substr(11, 5); };
  const std::string from = clock(range.start), to = clock(range.end);
  if (from == to) return first + (from == "00:00" ? "" : ", " + from + " UTC");
  return first + (from == "00:00" && to == "23:59" ? "" : ", " + from + " to " + to + " UTC");
}

std::vector<std::pair<std::string, std::vector<Cell>>> overview(const Facts& facts) {
  const Collection& collection = facts.collection;
  std::vector<std::pair<std::string, std::vector<Cell>>> out;
  const auto add = [&](const char* name, std::vector<Cell> all) {
    std::erase_if(all, [](const Cell& cell) { return cell.text.empty(); });
    if (!all.empty()) out.emplace_back(name, std::move(all));
  };
  add("Id", {{collection.id, "", true}});
  add("Version", {{collection.dataset_version}});
  std::vector<Cell> licences;
  for (const auto& text : collection.licenses) licences.push_back(licence(text));
  add("Licence", licences);
  add("Tasks", cells(collection.tasks));
  add("Keywords", cells(facts.keywords()));
  std::string samples = grouped(collection.pit_schema.root_n);
  for (std::size_t level = 1; level < facts.levels.size(); ++level) {
    samples +=
        ", " + grouped(static_cast<uint64_t>(facts.levels[level].num_rows)) + " at level " + std::to_string(level);
  }
  if (facts.has_tree) add("Samples", {{samples}});
  if (!facts.is_alone()) add("Download", {{download_in_words(facts)}});
  add("Extent", {{collection.extent.spatial ? in_words(*collection.extent.spatial) : "unknown"}});
  const std::string time = collection.extent.temporal ? in_words(*collection.extent.temporal) : "";
  add("Time", {{time.empty() ? "unknown" : time}});
  add("Split", {{facts.split_strategy}});
  std::string format = collection.taco_version.empty() ? "" : "TACO " + collection.taco_version;
  if (!facts.is_alone()) format += (format.empty() ? "" : ", ") + std::string(to_string(facts.format));
  add("Format", {{format}});
  return out;
}

std::vector<Section> sections(const Facts& facts) {
  std::vector<Section> out = {loading(facts),
                              tree_section(facts),
                              fields(facts),
                              labels(facts),
                              sensor(facts),
                              responsible_use(facts),
                              people("Providers", facts.collection.providers),
                              people("Curators", facts.curators()),
                              sources(facts),
                              links(facts),
                              publications(facts),
                              citation(facts)};
  std::erase_if(out, [](const Section& section) { return section.blocks.empty(); });
  for (Section& section : out) {
    for (Block& block : section.blocks) {
      if (auto* table = std::get_if<Table>(&block)) drop_empty_columns(*table);
    }
  }
  return out;
}

}  // namespace tacore::descriptions
