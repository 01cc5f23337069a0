#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "describe/map.hpp"
#include "describe/page.hpp"
#include "describe/pit_tree.hpp"
#include "describe/summaries.hpp"

namespace tacore {
namespace descriptions {
namespace {

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
    for (const Thumbnail& picture : sample.pictures) out += html(picture, sample);
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
std::vector<Page::Part> contents(const Facts& facts, const Shown& shown) {
  std::vector<Page::Part> out;
  const auto add = [&](const std::string& title, const std::string& content) {
    if (!content.empty()) out.push_back({title, content});
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
  return write_page({.title = facts.title(),
                     .kicker = kicker(options),
                     .description = facts.collection.description,
                     .lead = viewer_link(options),
                     .head = linked_data(facts),
                     .sections = contents(facts, shown),
                     .footer = shown.map.empty() ? "" : std::string(kAboutLand),
                     .accent_colour = options.accent_colour});
}

}  // namespace

std::string html_page(const Dataset& dataset, const Facts& facts, const DescribeOptions& options,
                      const std::vector<Cell>& others) {
  const Shown shown{.samples = samples_html(pictured_samples(dataset, facts, options), facts),
                    .map = draw_map(map_data(dataset, facts, options)),
                    .counts = counts_html(value_counts(dataset, facts)),
                    .statistics = statistics_html(stored_band_statistics(dataset, facts), facts),
                    .others = others.empty() ? "" : html(List{others})};
  return page(facts, shown, options);
}

}  // namespace descriptions

std::string collection2html(const Dataset& dataset, const DescribeOptions& options) {
  return descriptions::html_page(dataset, descriptions::gather(dataset, options), options);
}

std::string collection2html(std::string_view json, const std::string& path, const DescribeOptions& options) {
  using namespace descriptions;
  const Facts facts = gather(json, path, options);
  return page(facts, {.map = draw_map(extents(facts))}, options);
}

}  // namespace tacore
