#include <array>
#include <cstdlib>

#include "base/text.hpp"
#include "describe/document.hpp"
#include "describe/map.hpp"
#include "describe/pit_tree.hpp"
#include "tacore/version.hpp"

namespace tacore {
namespace descriptions {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#1c2024;--dim:#5f6b76;--page:#f6f7f8;--card:#fff;--line:#dfe3e7;--code:#f0f2f4;
--sea:#eaf1f6;--land:#d3dad2;--grid:#00000018;--link:var(--accent-dark)}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8eb;--dim:#98a4ae;--page:#14181b;--card:#1c2125;--line:#30373d;
--code:#252b30;--sea:#1a242b;--land:#38433c;--grid:#ffffff1c;--link:var(--accent-light)}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
header{border-top:6px solid var(--accent);background:var(--card);border-bottom:1px solid var(--line)}
header>div,main,footer{max-width:60rem;margin:auto;padding:1.2rem 1.4rem}
h1{margin:.2rem 0 .4rem;font-size:1.9rem;line-height:1.2}
h2{margin:0 0 .8rem;font-size:1.25rem}
h3{margin:1.2rem 0 .5rem;font-size:1rem}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1.1rem 1.3rem;margin:1rem 0}
a{color:var(--link)}
p{margin:.6rem 0}
.dim,figcaption,footer{color:var(--dim);font-size:.9rem}
.prose p{white-space:pre-line}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.35rem 1.2rem;margin:0}
dt{color:var(--dim)}dd{margin:0}
.tag{display:inline-block;border:1px solid var(--line);border-radius:99px;padding:0 .6rem;margin:0 .3rem .2rem 0;
font-size:.88rem;background:var(--code)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line)}
th{color:var(--dim);font-weight:600}
td:first-child code{white-space:nowrap}
code,pre{font:.88rem/1.5 ui-monospace,monospace}
pre{background:var(--code);border-radius:6px;padding:.8rem 1rem;overflow-x:auto;margin:.3rem 0 1rem;overflow-wrap:normal}
.lang{color:var(--dim);font-size:.85rem;margin:0}
figure{margin:0}
.maps{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}
.maps svg{flex:1 1 31rem;min-width:0;width:100%;height:auto;border-radius:6px;border:1px solid var(--line)}
.maps svg+svg{flex:0 1 17rem}
.maps figcaption{flex:1 0 100%}
.maps path{vector-effect:non-scaling-stroke}
.sea{fill:var(--sea)}.land{fill:var(--land)}.grid{stroke:var(--grid);fill:none}
.maps text{font:11px system-ui,sans-serif;fill:var(--dim)}
.shape{fill:var(--accent);fill-opacity:.3;stroke:var(--accent);stroke-width:1}
.dot{stroke:var(--accent);stroke-width:5;stroke-linecap:round;stroke-opacity:.75;fill:none}
.part{fill:none;stroke:var(--ink);stroke-opacity:.5;stroke-dasharray:4 3}
.here{fill:var(--accent);fill-opacity:.35;stroke:var(--accent);stroke-width:1.5}
.tree,.tree ul{list-style:none;margin:0;padding-left:1.3rem;border-left:1px solid var(--line)}
.tree{border:0;padding:0}
.tree li{padding:.08rem 0}
.tree summary{cursor:pointer}
.kind{font-size:.72rem;letter-spacing:.04em;border-radius:4px;padding:.05rem .35rem;margin-left:.35rem;
background:var(--code);color:var(--dim)}
.kind.folder{background:var(--accent);color:#000}
)";

std::string colour(const std::array<int, 3>& rgb) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "#";
  for (const int part : rgb) out += {kHex[part >> 4], kHex[part & 15]};
  return out;
}

std::string one_line(const std::string& text) { return escape_html(without_controls(text)); }

std::string html(const Cell& cell) {
  const std::string text = cell.is_code ? "<code>" + one_line(cell.text) + "</code>" : one_line(cell.text);
  if (cell.text.empty() || cell.url.empty()) return cell.text.empty() ? "" : text;
  return "<a href=\"" + escape_html(cell.url) + "\" rel=\"nofollow noopener\">" + text + "</a>";
}

/// Paragraphs, with the line breaks of the author; no other markup.
std::string html(const Prose& prose) {
  std::string out = "<div class=\"prose\">", paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out += "<p>" + escape_html(paragraph) + "</p>";
    paragraph.clear();
  };
  for (const auto& line : split(prose.text, '\n')) {
    const std::string text = without_controls(line);
    if (text.find_first_not_of(' ') == text.npos) {
      end_paragraph();
    } else {
      paragraph += (paragraph.empty() ? "" : "\n") + text;
    }
  }
  end_paragraph();
  return out + "</div>";
}

std::string html(const Table& table) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table><thead><tr>";
  for (const auto& name : table.header) out += "<th scope=\"col\">" + escape_html(name) + "</th>";
  out += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const Cell& cell : row) out += "<td>" + html(cell) + "</td>";
    out += "</tr>";
  }
  return out + "</tbody></table></div>";
}

std::string html(const Code& block) {
  const std::string label = block.label.empty() ? "" : "<p class=\"lang\">" + escape_html(block.label) + "</p>";
  // Keys scroll only what has the focus.
  return label + "<pre tabindex=\"0\"><code>" + escape_html(block.text) + "</code></pre>";
}

std::string html(const List& list) {
  std::string out = "<ul>";
  for (const Cell& item : list.items) out += "<li>" + html(item) + "</li>";
  return out + "</ul>";
}

std::string html(const Subheading& heading) { return "<h3>" + escape_html(heading.text) + "</h3>"; }

std::string kind(SampleType type) {
  return type == SampleType::Folder ? "<span class=\"kind folder\">FOLDER</span>" : "<span class=\"kind\">FILE</span>";
}

std::string tree_item(const TreeNode& node, const std::string& name, int depth) {
  if (node.children.empty()) return "<li>" + name + kind(node.type) + "</li>";
  std::string out = std::string("<li><details") + (depth < 2 ? " open" : "") + "><summary>" + name + kind(node.type) +
                    "</summary><ul>";
  for (const TreeNode& child : node.children) {
    out += tree_item(child, "<code>" + one_line(child.id) + "</code>", depth + 1);
  }
  if (node.num_more > 0) out += "<li class=\"dim\">and " + grouped(node.num_more) + " more</li>";
  return out + "</ul></details></li>";
}

std::string tree_page(const Facts& facts) {
  const auto& pit = facts.collection.pit_schema;
  const std::string name = grouped(pit.root_n) + (pit.root_n == 1 ? " sample " : " samples, each ");
  return "<ul class=\"tree\">" + tree_item(pit_tree(pit), name, 0) + "</ul>";
}

std::string section(const std::string& title, const std::string& content) {
  return "<section><h2>" + escape_html(title) + "</h2>" + content + "</section>\n";
}

std::string overview_html(const Facts& facts) {
  std::string out = "<dl>";
  for (const auto& [name, cells] : overview(facts)) {
    const bool tags = name == "Tasks" || name == "Keywords";
    out += "<dt>" + name + "</dt><dd>";
    for (const Cell& cell : cells) {
      if (tags) {
        out += "<span class=\"tag\">" + html(cell) + "</span>";
      } else {
        out += (&cell == &cells.front() ? "" : ", ") + html(cell);
      }
    }
    out += "</dd>";
  }
  return out + "</dl>";
}

/// The Croissant metadata, which search engines read.
std::string linked_data(const Facts& facts) {
  if (facts.is_alone()) return "";
  return "<script type=\"application/ld+json\">\n" + escape_script(dump(croissant(facts), -1)) + "</script>\n";
}

std::string head(const Facts& facts, const DescribeOptions& options) {
  const Accent accent = accent_of(options.accent_colour);
  const std::string& text = facts.collection.description;
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         // The page runs and loads nothing; the policy enforces it, whatever text a dataset contains.
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         one_line(facts.title()) + "</title>\n<meta name=\"description\" content=\"" + one_line(text) +
         "\">\n<meta name=\"generator\" content=\"tacore " + version() + "\">\n<style>:root{--accent:" + accent.plain +
         ";--accent-dark:" + accent.dark + ";--accent-light:" + accent.light + "}" + kStyle + "</style>\n" +
         linked_data(facts) + "</head>\n";
}

/// The line above the title: "TACO dataset", with the link to the catalogue.
std::string kicker(const DescribeOptions& options) {
  const std::string& url = options.catalogue_url;
  return "TACO dataset" + (is_url(url) ? " · " + html(Cell{.text = "Catalogue", .url = url}) : "");
}

std::string page(const Facts& facts, const std::string& map, const DescribeOptions& options) {
  std::string out = head(facts, options);
  out += "<body>\n<header><div><p class=\"dim\">" + kicker(options) + "</p><h1>" + one_line(facts.title()) + "</h1>";
  if (!facts.collection.description.empty()) out += html(Prose{facts.collection.description});
  out += "</div></header>\n<main>\n" + section("Overview", overview_html(facts));
  if (!map.empty()) out += section("Map", map);
  for (const Section& each : sections(facts)) {
    std::string content;
    for (const Block& block : each.blocks) {
      content += std::visit([](const auto& some) { return html(some); }, block);
    }
    if (each.title == "Structure") content = tree_page(facts);  // one that can be folded
    out += section(each.title, content);
  }
  return out + "</main>\n<footer>Made by tacore " + version() +
         ". The outline of the land is coarse; borders are not shown.</footer>\n</body>\n</html>\n";
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string escape_script(const std::string& json) {
  std::string out;
  for (const char c : json) {
    switch (c) {
      case '<': out += "\\u003c"; break;
      case '>': out += "\\u003e"; break;
      case '&': out += "\\u0026"; break;
      default: out += c;
    }
  }
  return out;
}

Accent accent_of(const std::string& given) {
  std::string digits = given.starts_with('#') ? given.substr(1) : given;
  if (digits.size() != 6 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos) digits = "4CAF50";
  std::array<int, 3> plain = {}, dark = {}, light = {};
  for (std::size_t i = 0; i < 3; ++i) {
    plain[i] = static_cast<int>(std::strtol(digits.substr(2 * i, 2).c_str(), nullptr, 16));
    dark[i] = plain[i] * 3 / 4;
    light[i] = plain[i] + (255 - plain[i]) * 7 / 10;
  }
  return {colour(plain), colour(dark), colour(light)};
}

}  // namespace descriptions

std::string collection2html(const Dataset& dataset, const DescribeOptions& options) {
  using namespace descriptions;
  const Facts facts = gather(dataset, options);
  return valid_utf8(page(facts, draw_map(map_data(dataset, facts, options)), options));
}

std::string collection2html(std::string_view json, const std::string& path, const DescribeOptions& options) {
  using namespace descriptions;
  const Facts facts = gather(json, path, options);
  return valid_utf8(page(facts, draw_map(extents(facts)), options));
}

}  // namespace tacore
