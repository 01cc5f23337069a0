#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/number_text.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "describe/document.hpp"
#include "describe/map.hpp"
#include "describe/pit_tree.hpp"
#include "describe/summaries.hpp"
#include "describe/thumbnails.hpp"
#include "tacore/version.hpp"

namespace tacore {
namespace descriptions {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#1c2024;--dim:#56616b;--page:#f4f6f7;--card:#fff;--line:#dfe3e7;--code:#f0f2f4;
--sea:#e6eff5;--land:#cfd6cd;--coast:#a9b3a8;--grid:#00000018;--link:var(--accent-dark)}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8eb;--dim:#a3afb9;--page:#14181b;--card:#1c2125;--line:#343c42;
--code:#252b30;--sea:#18222a;--land:#38433c;--coast:#55635a;--grid:#ffffff1c;--link:var(--accent-light)}}
*{box-sizing:border-box}
@media(prefers-reduced-motion:no-preference){html{scroll-behavior:smooth}}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.8rem;background:var(--card);padding:.4rem .8rem}
header{border-top:6px solid var(--accent);background:var(--card);border-bottom:1px solid var(--line)}
header>div,header>nav,main,footer{max-width:66rem;margin:auto;padding:1.2rem 1.4rem}
header>nav{padding-top:0}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:0;padding:0;font-size:.92rem}
h1{margin:.2rem 0 .4rem;font-size:2rem;line-height:1.2;letter-spacing:-.01em}
h2{margin:0 0 .8rem;font-size:1.3rem}
h3{margin:1.2rem 0 .5rem;font-size:1rem}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.2rem 1.4rem;margin:1rem 0}
a{color:var(--link)}
p{margin:.6rem 0}
.dim,figcaption,footer{color:var(--dim);font-size:.9rem}
.prose p{white-space:pre-line}.prose{max-width:46rem}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) 1fr;gap:.4rem 1.2rem;margin:0}
dt{color:var(--dim)}dd{margin:0}
.tag{display:inline-block;border:1px solid var(--line);border-radius:99px;padding:0 .6rem;margin:0 .3rem .2rem 0;
font-size:.88rem;background:var(--code)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--dim);font-weight:600}
tbody th{font-weight:400}
td:first-child code{white-space:nowrap}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code,pre{font:.88rem/1.5 ui-monospace,monospace}
pre{background:var(--code);border-radius:6px;padding:.8rem 1rem;overflow-x:auto;margin:.3rem 0 1rem;overflow-wrap:normal}
.code{position:relative}
.lang{color:var(--dim);font-size:.88rem;margin:0}
.copy{position:absolute;right:0;top:-.35rem;font:inherit;font-size:.85rem;color:var(--link);background:var(--card);
border:1px solid var(--line);border-radius:6px;padding:.1rem .7rem;min-height:1.6rem;cursor:pointer}
.copy:hover{border-color:currentColor}
.viewer{display:inline-block;margin-top:.4rem;border:1px solid currentColor;border-radius:6px;padding:.35rem .9rem;font-weight:600;
text-decoration:none}
figure{margin:0}
.samples{list-style:none;display:grid;grid-template-columns:repeat(auto-fill,minmax(13.5rem,1fr));gap:1.2rem 1rem;margin:0;
padding:0}
.samples .pair{display:flex;gap:3px;height:10rem;border-radius:6px;overflow:hidden;background:var(--code)}
.samples img{flex:1 1 0;min-width:0;width:100%;height:100%;object-fit:cover}
.samples p{margin:.3rem 0 0;font-size:.88rem;line-height:1.4}
.samples span span{white-space:nowrap}
.pixels{image-rendering:pixelated}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr));gap:.4rem 2.2rem;align-items:start}
.charts h3{margin-top:.4rem}
.bars th,.bars td,.scroll th,.scroll td{overflow-wrap:break-word;hyphens:auto}
.bars .share{width:60%;padding-right:0}
.share>span{display:grid;grid-template-columns:4rem 1fr;align-items:center}
.bar{height:.95rem;min-width:2px;background:var(--accent);border-radius:3px}
.spread{display:block;width:13rem;height:2.2rem}
.spread path{vector-effect:non-scaling-stroke;stroke:var(--dim);stroke-width:1.5;fill:none}
.spread .fill{fill:var(--accent);stroke:none}
.maps{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}
.maps>svg{flex:1 1 31rem}.maps>div{flex:1 1 16rem;display:grid;gap:1rem}
.maps>svg,.maps>div>svg{min-width:0;width:100%;height:auto;border-radius:6px;border:1px solid var(--line)}
.maps figcaption{flex:1 0 100%}
.maps path{vector-effect:non-scaling-stroke}
.sea{fill:var(--sea)}.land{fill:var(--land);stroke:var(--coast);stroke-width:.8}.grid{stroke:var(--grid);fill:none}
.maps text{font:12px system-ui,sans-serif;fill:var(--ink);paint-order:stroke;stroke:var(--sea);stroke-width:3px}
.plate{fill:var(--sea);fill-opacity:.85}.bar-line{stroke:var(--ink);stroke-width:1.5;fill:none}
.shape{fill:var(--accent);fill-opacity:.3;stroke:var(--accent);stroke-width:1}
.dot{stroke:var(--accent);stroke-width:7;stroke-linecap:round;stroke-opacity:.8;fill:none}
.hex{fill:var(--accent);stroke:var(--accent);stroke-width:.5;stroke-opacity:.6}
.d1{fill-opacity:.16}.d2{fill-opacity:.34}.d3{fill-opacity:.54}.d4{fill-opacity:.72}.d5{fill-opacity:.88}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.4rem 0 0;padding:0}
.legend{font-size:.9rem;color:var(--dim)}.legend+.samples{margin-top:1rem}
.legend svg{width:1.1rem;height:1.1rem;vertical-align:-.2rem;margin-right:.3rem}
.part{fill:none;stroke:var(--ink);stroke-opacity:.5;stroke-dasharray:4 3}
.here{fill:var(--accent);fill-opacity:.35;stroke:var(--accent);stroke-width:2}
.tree,.tree ul{list-style:none;margin:0;padding-left:1.3rem;border-left:1px solid var(--line)}
.tree{border:0;padding:0}
.tree li{padding:.08rem 0}
.tree summary{cursor:pointer}
.kind{font-size:.72rem;letter-spacing:.04em;border-radius:4px;padding:.05rem .35rem;margin-left:.35rem;
background:var(--code);color:var(--dim)}
.kind.folder{background:var(--accent);color:#000}
@media(max-width:640px){header>div,header>nav,main,footer{padding-left:1rem;padding-right:1rem}
main{padding-left:.5rem;padding-right:.5rem}section{padding:1rem .9rem}h1{font-size:1.6rem}
dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}.maps>svg text{font-size:21px}.maps .second{display:none}
.samples{grid-template-columns:1fr 1fr;gap:1rem .7rem}.samples .pair{height:7rem}}
@media print{body{background:#fff}section,header{border:0;break-inside:avoid;padding:0;margin:1.2rem 0}
nav,.skip,.copy{display:none}pre{white-space:pre-wrap}}
)";

/// Makes the buttons that copy code; without scripts there are none. Where a browser has no clipboard for the page, as
/// over plain HTTP, the code is selected and copied in the older way.
constexpr const char* kScript = R"(
for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button"), code = block.querySelector("pre");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.prepend(button);
}
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
  if (block.label.empty()) return "<pre tabindex=\"0\"><code>" + escape_html(block.text) + "</code></pre>";
  // Keys scroll only what has the focus.
  return "<div class=\"code\">" + label + "<pre tabindex=\"0\"><code>" + escape_html(block.text) +
         "</code></pre></div>";
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

/// "how-to-load-it"
std::string anchor(const std::string& title) {
  std::string out = lower(title);
  std::replace(out.begin(), out.end(), ' ', '-');
  return escape_html(out);
}

std::string section(const std::string& title, const std::string& content) {
  const std::string id = anchor(title);
  return "<section aria-labelledby=\"" + id + "\"><h2 id=\"" + id + "\">" + escape_html(title) + "</h2>" + content +
         "</section>\n";
}

std::string img(const Thumbnail& picture, const PicturedSample& sample) {
  constexpr int64_t kSmall = 100;  // pixels: a smaller picture is enlarged, so its pixels are shown as they are
  const bool is_label = &picture != &sample.pictures.front();
  return "<img" + std::string(is_label || picture.width < kSmall ? " class=\"pixels\"" : "") + " width=\"" +
         std::to_string(picture.width) + "\" height=\"" + std::to_string(picture.height) + "\" alt=\"" +
         (picture.is_part ? "Middle of the " : "") + (is_label ? "label " : "image ") + one_line(picture.id) +
         "\" src=\"data:image/png;base64," + picture.png + "\">";
}

/// The colours of the classes that the collection names by numbers.
std::string class_legend(const Facts& facts) {
  constexpr std::size_t kMost = 40;
  std::string out;
  for (const LabelClass& each : facts.labels) {
    const bool is_number =
        !each.category.empty() && each.category.size() < 6 && std::ranges::all_of(each.category, is_digit);
    if (!is_number || facts.labels.size() > kMost) return "";
    const auto number = static_cast<uint32_t>(std::stoul(each.category));
    out += "<li><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><rect width=\"16\" height=\"16\" rx=\"3\" fill=\"" +
           class_colour(number) + "\"/></svg>" + one_line(each.name.empty() ? each.category : each.name) + "</li>";
  }
  return out.empty() ? "" : "<ul class=\"legend\">" + out + "</ul>";
}

std::string samples_html(const PicturedSamples& all, const Facts& facts) {
  if (all.samples.empty()) return "";
  const auto num_chosen = static_cast<uint64_t>(all.num_chosen), num_shown = static_cast<uint64_t>(all.samples.size());
  const auto num_rows = static_cast<uint64_t>(facts.levels[0].num_rows);
  std::string out = "<p class=\"dim\">";
  out += num_chosen == num_rows ? "All " + grouped(num_rows) : grouped(num_chosen) + " of " + grouped(num_rows);
  out += num_rows == 1 ? " sample" : " samples";
  if (num_chosen < num_rows) out += ", spread evenly over all rows, not selected";
  if (num_shown < num_chosen) out += "; " + grouped(num_chosen - num_shown) + " of them could not be shown";
  out += ". Rows are counted from 0. Each picture is stretched from the 2nd to the 98th percentile of its values";
  const auto has_label = [](const PicturedSample& sample) { return sample.pictures.size() > 1; };
  const bool has_labels = std::ranges::any_of(all.samples, has_label);
  if (has_labels) out += "; beside it is its label, in arbitrary colours";
  out += ".</p>" + (has_labels ? class_legend(facts) : "") + "<ul class=\"samples\">";
  for (const PicturedSample& sample : all.samples) {
    out += "<li><div class=\"pair\">";
    for (const Thumbnail& picture : sample.pictures) out += img(picture, sample);
    std::string about = "row " + grouped(static_cast<uint64_t>(sample.row));
    for (const std::string& text : {sample.time, sample.place}) {
      if (!text.empty()) about += " · <span>" + escape_html(text) + "</span>";
    }
    out += "</div><p><code>" + one_line(sample.id) + "</code><br><span class=\"dim\">" + about + "</span></p></li>";
  }
  return out + "</ul>";
}

/// "0.3 %", "< 0.1 %", "100 %"
std::string percent(double share) {
  if (share > 0 && share < 0.0005) return "&lt; 0.1 %";
  char text[16];
  std::snprintf(text, sizeof text, share > 0 && share < 0.1 ? "%.1f %%" : "%.0f %%", 100 * share);
  return text;
}

std::string number_cell(const std::string& text) { return "<td class=\"number\">" + text + "</td>"; }

/// A row of a chart: a name, further cells, and a share as text and as a bar, which is full for `most`.
std::string chart_row(const std::string& name, const std::string& cells, double share, double most) {
  char width[16];
  std::snprintf(width, sizeof width, "%.1f%%", 100 * share / most);
  return "<tr><th scope=\"row\">" + one_line(name) + "</th>" + cells + "<td class=\"share\"><span>" + percent(share) +
         (share > 0 ? std::string("<span class=\"bar\" style=\"width:") + width + "\"></span>" : "") +
         "</span></td></tr>";
}

std::string chart(const std::string& title, const std::string& header, const std::string& rows) {
  return "<div><h3>" + title + "</h3><table class=\"bars\"><thead><tr>" + header +
         "<th scope=\"col\" class=\"share\">Share</th></tr></thead><tbody>" + rows + "</tbody></table></div>";
}

std::string counts_html(const std::vector<ValueCounts>& all) {
  std::string out;
  for (const ValueCounts& each : all) {
    double sum = 0, most = 1;
    for (const auto& [value, count] : each.counts) {
      sum += static_cast<double>(count);
      most = std::max(most, static_cast<double>(count));
    }
    std::string rows;
    for (const auto& [value, count] : each.counts) {
      const auto number = static_cast<double>(count);
      rows += chart_row(value, number_cell(grouped(count)), number / sum, most / sum);
    }
    out += chart("<code>" + one_line(each.column) + "</code>",
                 "<th scope=\"col\">Value</th><th scope=\"col\" class=\"number\">Samples</th>", rows);
  }
  return out.empty() ? "" : "<div class=\"charts\">" + out + "</div>";
}

/// Four significant digits.
std::string short_number(double value) { return std::isfinite(value) ? rounded_number_text(value, 4) : ""; }

constexpr double kChartWidth = 208, kChartHeight = 34;

std::string point(double x, double y) { return short_number(x) + " " + short_number(y); }

/// A histogram as bars, of values from `low` to `high`.
std::string histogram_path(const Histogram& histogram, double low, double high) {
  constexpr std::size_t kBars = 52;
  std::array<double, kBars> heights = {};
  for (const Histogram::Bin& bin : histogram.bins()) {
    const double at = (bin.value - low) / (high - low) * kBars;
    if (at >= 0 && at <= kBars)
      heights[std::min(static_cast<std::size_t>(at), kBars - 1)] += static_cast<double>(bin.count);
  }
  const double most = std::max(1., *std::ranges::max_element(heights));
  std::string out = "M0 " + short_number(kChartHeight);
  for (std::size_t i = 0; i < kBars; ++i) {
    out += "V" + short_number(kChartHeight * (1 - heights[i] / most)) + "h" + short_number(kChartWidth / kBars);
  }
  return "<path class=\"fill\" d=\"" + out + "V" + short_number(kChartHeight) + "Z\"/>";
}

/// A line from minimum to maximum, a box from the 25th to the 75th percentile, a mark at the median.
std::string box_path(const BandSummary& band, double low, double high) {
  const auto x = [&](double value) { return std::clamp((value - low) / (high - low), 0., 1.) * (kChartWidth - 4) + 2; };
  const double middle = kChartHeight / 2, top = middle - 8, bottom = middle + 8;
  std::string out = "<path d=\"M" + point(x(band.min), middle) + "H" + short_number(x(band.max)) + "M" +
                    point(x(band.min), middle - 4) + "v8M" + point(x(band.max), middle - 4) + "v8\"/>";
  const std::vector<double>& q = band.quantiles;
  if (q.size() == 4 && std::ranges::all_of(q, [](double value) { return std::isfinite(value); })) {
    out += "<path class=\"fill\" d=\"M" + point(x(q[0]), top) + "H" + short_number(std::max(x(q[2]), x(q[0]) + 1)) +
           "V" + short_number(bottom) + "H" + short_number(x(q[0])) + "Z\"/><path d=\"M" + point(x(q[1]), top) + "V" +
           short_number(bottom) + "\"/>";
  } else {
    out += "<path d=\"M" + point(x(band.mean), top) + "V" + short_number(bottom) + "\"/>";
  }
  return out;
}

/// The range that the charts of all bands show.
std::optional<std::pair<double, double>> shown_range(const BandStatisticsSummary& of) {
  double low = 1e300, high = -1e300;
  for (std::size_t i = 0; i < of.bands.size(); ++i) {
    const bool has_histogram = !of.histograms.empty() && of.histograms[i].count() > 0;
    const double first = has_histogram ? of.histograms[i].quantile(0.002) : of.bands[i].min;
    const double last = has_histogram ? of.histograms[i].quantile(0.998) : of.bands[i].max;
    if (std::isfinite(first) && std::isfinite(last)) low = std::min(low, first), high = std::max(high, last);
  }
  return high > low ? std::optional(std::pair(low, high)) : std::nullopt;
}

std::string band_name(const BandSummary& band, const BandStatisticsSummary& of, const Facts& facts) {
  const auto at = static_cast<std::size_t>(band.band - 1);
  if (facts.bands.size() != of.bands.size() || at >= facts.bands.size()) return std::to_string(band.band);
  const Band& known = facts.bands[at];
  return std::to_string(band.band) + " " + known.name +
         (known.common_name.empty() ? "" : " (" + known.common_name + ")");
}

std::string class_charts(const BandStatisticsSummary& of, const Facts& facts) {
  std::string out;
  for (const BandSummary& band : of.bands) {
    std::string rows;
    const double most = std::max(1e-9, *std::ranges::max_element(band.classes));
    for (std::size_t i = 0; i < band.classes.size(); ++i) {
      const std::string number = std::to_string(i);
      const auto known = std::ranges::find(facts.labels, number, &LabelClass::category);
      const std::string name = known == facts.labels.end() ? number : known->name + " (" + number + ")";
      rows += chart_row(name, "", band.classes[i], most);
    }
    out += chart("Share of the pixels, band " + one_line(band_name(band, of, facts)), "<th scope=\"col\">Class</th>",
                 rows);
  }
  return "<div class=\"charts\">" + out + "</div>";
}

std::string continuous_table(const BandStatisticsSummary& of, const Facts& facts) {
  const auto range = shown_range(of);
  const bool has_quantiles = std::ranges::any_of(of.bands, [](const BandSummary& band) {
    return std::ranges::any_of(band.quantiles, [](double value) { return std::isfinite(value); });
  });
  std::vector<std::string> names = {"Mean", "Std", "Min", "Max"};
  if (has_quantiles) names.insert(names.end(), {"25 %", "Median", "75 %"});
  std::string out =
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Statistics of bands\"><table><thead><tr>"
      "<th scope=\"col\">Band</th>";
  for (const auto& name : names) out += "<th scope=\"col\" class=\"number\">" + name + "</th>";
  if (range) out += std::string("<th scope=\"col\">") + (of.histograms.empty() ? "Range" : "Histogram") + "</th>";
  out += "</tr></thead><tbody>";
  for (std::size_t i = 0; i < of.bands.size(); ++i) {
    const BandSummary& band = of.bands[i];
    out += "<tr><th scope=\"row\">" + one_line(band_name(band, of, facts)) + "</th>";
    std::vector<double> values = {band.mean, band.std, band.min, band.max};
    for (std::size_t q = 0; has_quantiles && q < 3; ++q)
      values.push_back(q < band.quantiles.size() ? band.quantiles[q] : BandSummary::kNone);
    for (const double value : values) out += number_cell(short_number(value));
    if (range) {
      const auto [low, high] = *range;
      const std::string label =
          (of.histograms.empty() ? "Range of band " : "Histogram of band ") + std::to_string(band.band);
      out += "<td><svg class=\"spread\" viewBox=\"0 0 208 34\" role=\"img\" aria-label=\"" + label + "\">" +
             (of.histograms.empty() ? box_path(band, low, high) : histogram_path(of.histograms[i], low, high)) +
             "</svg></td>";
    }
    out += "</tr>";
  }
  out += "</tbody></table></div>";
  if (!range) return out;
  out += "<p class=\"dim\">The charts of all bands go from " + short_number(range->first) + " to " +
         short_number(range->second);
  if (!of.histograms.empty()) {
    out += "; the histograms are those of " + grouped(static_cast<uint64_t>(of.num_samples)) + " samples";
  } else if (has_quantiles) {
    out += ": a line from minimum to maximum, a box from the 25th to the 75th percentile, a mark at the median";
  }
  return out + ".</p>";
}

std::string statistics_html(const std::vector<BandStatisticsSummary>& all, const Facts& facts) {
  std::string out;
  for (const BandStatisticsSummary& each : all) {
    if (!each.child.empty()) out += "<h3><code>" + one_line(each.child) + "</code></h3>";
    const bool is_approximate = std::ranges::any_of(each.bands, &BandSummary::is_approximate);
    const bool has_classes =
        std::ranges::all_of(each.bands, [](const BandSummary& band) { return !band.classes.empty(); });
    out += has_classes ? class_charts(each, facts) : continuous_table(each, facts);
    if (is_approximate) out += "<p class=\"dim\">Percentiles are means of those of the samples, an approximation.</p>";
  }
  return out.empty() ? "" : "<p class=\"dim\">As the samples store them; no pixel was read for this page.</p>" + out;
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

/// What a page shows of the samples; nothing of a COLLECTION.json alone.
struct Shown {
  std::string samples = {}, map = {}, counts = {}, statistics = {}, others = {};
};

std::string head(const Facts& facts, const DescribeOptions& options) {
  const Accent accent = accent_of(options.accent_colour);
  const std::string& text = facts.collection.description;
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         // The page loads nothing and runs one script; the policy enforces it, whatever text a dataset contains.
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "img-src data:; script-src 'sha256-" +
         base64(sha256(bytes_of(kScript))) +
         "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         one_line(facts.title()) + "</title>\n<meta name=\"description\" content=\"" + one_line(text) +
         "\">\n<meta name=\"generator\" content=\"tacore " + version() + "\">\n<style>:root{--accent:" + accent.plain +
         ";--accent-dark:" + accent.dark + ";--accent-light:" + accent.light + "}" + kStyle + "</style>\n" +
         linked_data(facts) + "</head>\n";
}

/// The line above the title: "TACO dataset", with the link to the catalogue.
std::string kicker(const DescribeOptions& options) {
  const std::string& url = options.catalogue_url;
  const bool is_link = is_url(url) || url.starts_with("../");
  return "TACO dataset" + (is_link ? " · " + html(Cell{.text = "Catalogue", .url = url}) : "");
}

/// The link to the page that shows the samples themselves.
std::string viewer_link(const DescribeOptions& options) {
  const std::string& url = options.viewer_url;
  if (url.empty() || (!is_url(url) && url.find(':') != url.npos)) return "";
  return "<p><a class=\"viewer\" href=\"" + escape_html(url) +
         "\">Explore the samples: map, filters and pixels</a></p>";
}

/// Titles and contents, in order.
std::vector<std::pair<std::string, std::string>> contents(const Facts& facts, const Shown& shown) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](const std::string& title, const std::string& content) {
    if (!content.empty()) out.emplace_back(title, content);
  };
  add("Overview", overview_html(facts));
  add("Samples", shown.samples);
  add("Map", shown.map);
  for (const Section& each : sections(facts)) {
    std::string content;
    for (const Block& block : each.blocks) {
      content += std::visit([](const auto& some) { return html(some); }, block);
    }
    if (each.title == "Structure") content = tree_page(facts);  // one that can be folded
    add(each.title, content);
    if (each.title != "How to load it") continue;
    add("Splits and classes", shown.counts);
    add("Band statistics", shown.statistics);
  }
  add("Other descriptions", shown.others);
  return out;
}

std::string page(const Facts& facts, const Shown& shown, const DescribeOptions& options) {
  std::string links, body;
  for (const auto& [title, content] : contents(facts, shown)) {
    links += "<li><a href=\"#" + anchor(title) + "\">" + escape_html(title) + "</a></li>";
    body += section(title, content);
  }
  std::string out = head(facts, options);
  out += "<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header><div><p class=\"dim\">" +
         kicker(options) + "</p><h1>" + one_line(facts.title()) + "</h1>";
  if (!facts.collection.description.empty()) out += html(Prose{facts.collection.description});
  out += viewer_link(options);
  return out + "</div><nav aria-label=\"Sections\"><ul>" + links + "</ul></nav></header>\n<main id=\"content\">\n" +
         body + "</main>\n<footer>Made by tacore " + version() +
         (shown.map.empty() ? ""
                            : ". Land: Natural Earth, public domain, precise to some 20 km; borders are not shown") +
         ".</footer>\n<script>" + kScript + "</script>\n</body>\n</html>\n";
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

std::string html_page(const Dataset& dataset, const Facts& facts, const DescribeOptions& options,
                      const std::vector<Cell>& others) {
  const Shown shown{.samples = samples_html(pictured_samples(dataset, facts, options), facts),
                    .map = draw_map(map_data(dataset, facts, options)),
                    .counts = counts_html(value_counts(dataset, facts)),
                    .statistics = statistics_html(stored_band_statistics(dataset, facts), facts),
                    .others = others.empty() ? "" : html(List{others})};
  return valid_utf8(page(facts, shown, options));
}

}  // namespace descriptions

std::string collection2html(const Dataset& dataset, const DescribeOptions& options) {
  return descriptions::html_page(dataset, descriptions::gather(dataset, options), options);
}

std::string collection2html(std::string_view json, const std::string& path, const DescribeOptions& options) {
  using namespace descriptions;
  const Facts facts = gather(json, path, options);
  return valid_utf8(page(facts, {.map = draw_map(extents(facts))}, options));
}

}  // namespace tacore
