#include "describe/catalogue_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>

#include "base/epoch.hpp"
#include "base/number_text.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "describe/json.hpp"
#include "describe/page.hpp"
#include "describe/pit_tree.hpp"
#include "tacore/version.hpp"

namespace tacore::descriptions {
namespace {

constexpr std::size_t kMostOfDescription = 280;  // bytes shown in the list; the page of the dataset has all of it

// Entries are blocks: Chromium takes a second to hide a thousand list items, as it counts them again for each.
constexpr const char* kCatalogueStyle = R"(
:root{color-scheme:light dark;--ink:#1c2024;--dim:#55606a;--page:#f6f7f8;--card:#fff;--line:#d9dee3;--field:#8a949e;
--code:#f0f2f4;--sea:#eaf1f6;--land:#d3dad2;--link:var(--accent-dark)}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8eb;--dim:#a3aeb8;--page:#14181b;--card:#1c2125;--line:#30373d;
--field:#78838d;--code:#252b30;--sea:#1a242b;--land:#38433c;--link:var(--accent-light)}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.4rem .8rem}
header{border-top:6px solid var(--accent);background:var(--card);border-bottom:1px solid var(--line)}
header>div,main,footer{max-width:72rem;margin:auto;padding:1.1rem 1.4rem}
h1{margin:.1rem 0;font-size:1.9rem;line-height:1.2}
h2{margin:0;font-size:1.15rem;line-height:1.3}
p{margin:.45rem 0}
.dim,footer{color:var(--dim);font-size:.92rem}
main{display:grid;grid-template-columns:22rem minmax(0,1fr);gap:1.4rem;align-items:start}
#search{position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow:auto;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1rem 1.1rem}
#search[hidden]+div{grid-column:1/-1}
label{display:block;font-size:.92rem}
.row{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:.5rem}
.row .field{margin-bottom:.4rem}
input[type=date]{font-size:.88rem;padding:.3rem}
.field{margin:0 0 .8rem}
fieldset{border:0;margin:0 0 .8rem;padding:0;min-width:0}
legend{padding:0;font-size:.92rem}
summary{cursor:pointer;font-size:.92rem;margin:0 0 .6rem}
input,select,button{width:100%;min-height:2.4rem;padding:.3rem .5rem;font:inherit;color:inherit;background:var(--page);
border:1px solid var(--field);border-radius:5px}
button{cursor:pointer}
svg{display:block;width:100%;height:auto;margin:.2rem 0 .5rem;border:1px solid var(--line);border-radius:5px;
cursor:crosshair;touch-action:none}
svg path,svg rect{vector-effect:non-scaling-stroke}
.sea{fill:var(--sea)}.land{fill:var(--land)}
.area{fill:var(--accent);fill-opacity:.1;stroke:var(--accent);stroke-width:1.2}
.here{fill-opacity:.5;stroke-width:2.5}
.wanted{fill:var(--ink);fill-opacity:.1;stroke:var(--ink);stroke-width:1.6;stroke-dasharray:4 3}
#count{margin:0 0 .7rem}
ul{list-style:none;margin:0;padding:0}
#datasets>li{display:block;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.9rem 1.1rem;
margin:0 0 .8rem;
content-visibility:auto;contain-intrinsic-size:auto 12rem}
code{font:.88rem/1.5 ui-monospace,monospace}
dl{display:grid;grid-template-columns:minmax(5rem,max-content) 1fr;gap:.15rem 1rem;margin:.5rem 0 0;font-size:.92rem}
dt{color:var(--dim)}dd{margin:0}
.tag{display:inline-block;border:1px solid var(--line);border-radius:99px;padding:0 .6rem;margin:0 .3rem .2rem 0;
background:var(--code)}
@media(max-width:52rem){main{grid-template-columns:minmax(0,1fr)}#search{position:static;max-height:none}
header>div,main,footer{padding:1rem}}
@media print{#search,.skip{display:none}main{display:block}}
)";

// The state of the search is the fragment of the URL, so that a link keeps it: #q=clouds&task=segmentation&bbox=...
constexpr const char* kCatalogueScript = R"js(
(() => {
"use strict";
const field = (name) => document.getElementById(name);
const search = field("search"), map = field("map"), wanted = field("wanted"), count = field("count");
const names = ["q", "task", "licence", "from", "to"], sides = ["west", "south", "east", "north"];
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const cards = [...document.querySelectorAll("#datasets>li")].map((element) => ({
  element, area: null, text: plain(element.textContent), from: element.dataset.from, to: element.dataset.to,
  box: element.dataset.box ? element.dataset.box.split(",").map(Number) : null,
  tasks: JSON.parse(element.dataset.tasks), licences: JSON.parse(element.dataset.licences)}));
for (const area of map.querySelectorAll(".area")) cards[area.dataset.card].area = area;

/** The parts of the longitudes of a box: two when it crosses the antimeridian. */
const parts = ([west, , east]) => west <= east ? [[west, east]] : [[west, 180], [-180, east]];
const meets = (a, b) => a[1] <= b[3] && b[1] <= a[3] &&
  parts(a).some((x) => parts(b).some((y) => x[0] <= y[1] && y[0] <= x[1]));

/** The box in the four fields; undefined when they are not all filled, or no box. */
function wantedBox() {
  const numbers = sides.map((side) => field(side).value.trim() === "" ? NaN : Number(field(side).value));
  const [west, south, east, north] = numbers;
  const valid = Math.abs(west) <= 180 && Math.abs(east) <= 180 && south >= -90 && north <= 90 && south <= north;
  return valid ? numbers : undefined;
}

function show() {
  const words = plain(field("q").value).split(/\s+/).filter(Boolean), box = wantedBox();
  const [task, licence, from, to] = names.slice(1).map((name) => field(name).value);
  let shown = 0;
  for (const card of cards) {
    const fits = Boolean(words.every((word) => card.text.includes(word)) && (!task || card.tasks.includes(task)) &&
      (!licence || card.licences.includes(licence)) && (!from || (card.to && from <= card.to)) &&
      (!to || (card.from && card.from <= to)) && (!box || (card.box && meets(box, card.box))));
    card.element.hidden = !fits;
    if (card.area) card.area.setAttribute("visibility", fits ? "visible" : "hidden");
    if (fits) shown += 1;
  }
  const half = !box && sides.some((side) => field(side).value.trim() !== "");
  const all = cards.length === 1 ? "1 dataset" : `${cards.length} datasets`;
  count.textContent = (shown === cards.length ? all : `${shown} of ${all}`) +
    (half ? ". The place needs four numbers: west, south, east and north in degrees" : "");
  const path = box ? parts(box).map(([west, east]) =>
    `M${west + 180} ${90 - box[3]}H${east + 180}V${90 - box[1]}H${west + 180}Z`).join("") : "";
  wanted.setAttribute("d", path);
}

function write() {
  const state = new URLSearchParams(), box = wantedBox();
  for (const name of names) if (field(name).value) state.set(name, field(name).value);
  if (box) state.set("bbox", box.join(","));
  const fragment = state.toString().replaceAll("%2C", ",");
  history.replaceState(null, "", fragment ? "#" + fragment : location.pathname + location.search);
}

function read() {
  const state = new URLSearchParams(location.hash.slice(1));
  for (const name of names) field(name).value = state.get(name) || "";
  const [from, to] = [state.get("from"), state.get("to")];  // a year stands for its first and its last day
  if (/^\d{4}$/.test(from)) field("from").value = from + "-01-01";
  if (/^\d{4}$/.test(to)) field("to").value = to + "-12-31";
  const box = (state.get("bbox") || "").split(",");
  sides.forEach((side, i) => { field(side).value = box.length === 4 ? box[i] : ""; });
  show();
}

for (const {element, area} of cards) {  // the place of the dataset under the pointer, or with the focus
  const mark = (is_here) => () => area && area.classList.toggle("here", is_here);
  for (const name of ["mouseenter", "focusin"]) element.addEventListener(name, mark(true));
  for (const name of ["mouseleave", "focusout"]) element.addEventListener(name, mark(false));
}

const changed = () => { show(); write(); };
search.addEventListener("input", changed);
field("clear").addEventListener("click", () => {
  for (const name of [...names, ...sides]) field(name).value = "";
  changed();
});
addEventListener("hashchange", () => { if (location.hash !== "#datasets") read(); });  // that of the skip link

/** The place under the pointer: [longitude, latitude], in whole degrees. */
function place(event) {
  const at = map.getBoundingClientRect(), inside = (value) => Math.min(1, Math.max(0, value));
  return [Math.round(inside((event.clientX - at.left) / at.width) * 360 - 180),
    Math.round(90 - inside((event.clientY - at.top) / at.height) * 180)];
}
let start = null;
map.addEventListener("pointerdown", (event) => { start = place(event); map.setPointerCapture(event.pointerId); });
map.addEventListener("pointermove", (event) => {
  if (!start) return;
  const [a, b] = [start, place(event)];
  const box = [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];
  sides.forEach((side, i) => { field(side).value = box[0] < box[2] && box[1] < box[3] ? box[i] : ""; });
  show();
});
map.addEventListener("pointerup", () => { start = null; write(); });
map.addEventListener("pointercancel", () => { start = null; write(); });
search.hidden = false;
read();
// On a telephone the list would begin below the second screen.
field("more").open = matchMedia("(min-width: 52.01rem)").matches ||
  ["from", "to", ...sides].some((name) => field(name).value !== "");
})();
)js";

std::string digest(const std::string& text) { return "'sha256-" + base64(sha256(bytes_of(text))) + "'"; }

std::string line(const std::string& text) { return escape_html(without_controls(text)); }

/// At most three digits after the point.
std::string coordinate(double value) {
  const double rounded = std::round(value * 1000) / 1000;
  return number_text(rounded == 0 ? 0.0 : rounded);
}

std::string size_in_words(uint64_t num_bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  auto count = static_cast<double>(num_bytes);
  std::size_t unit = 0;
  for (; count >= 1000 && unit + 1 < std::size(kUnits); ++unit) count /= 1000;
  char out[32];
  std::snprintf(out, sizeof out, unit == 0 ? "%.0f %s" : "%.1f %s", count, kUnits[unit]);
  return out;
}

/// The beginning of the first paragraph, in whole words.
std::string beginning(const std::string& description) {
  std::string text(trimmed(description));
  text = valid_utf8(text.substr(0, text.find("\n\n")));
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() <= kMostOfDescription) return text;
  const auto blank = text.rfind(' ', kMostOfDescription);
  std::size_t end = blank == text.npos ? kMostOfDescription : blank;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // inside of a character
  return text.substr(0, end) + " ...";
}

/// The SPDX identifier of a licence, else its own text.
std::string licence_name(const std::string& text) {
  const std::string spdx = spdx_of(text);
  return spdx.empty() ? text : spdx;
}

std::vector<std::string> licence_names(const DatasetSummary& dataset) {
  std::vector<std::string> out;
  for (const auto& text : dataset.licenses) out.push_back(licence_name(text));
  return out;
}

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + escape_html(value) + "\"";
}

std::string json_list(const std::vector<std::string>& texts) {
  return Json(texts).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A day for the comparison of texts; open ends are before and after all days.
std::string day(Timestamp time) {
  if (time == kOpenStart) return "0000-01-01";
  return time == kOpenEnd ? "9999-12-31" : time.to_string().substr(0, 10);
}

std::string search_data(const DatasetSummary& dataset) {
  std::string out =
      attribute("data-tasks", json_list(dataset.tasks)) + attribute("data-licences", json_list(licence_names(dataset)));
  if (const auto& box = dataset.extent.spatial) {
    out += attribute("data-box", coordinate(box->minx) + "," + coordinate(box->miny) + "," + coordinate(box->maxx) +
                                     "," + coordinate(box->maxy));
  }
  if (const auto& time = dataset.extent.temporal) {
    out += attribute("data-from", day(time->start)) + attribute("data-to", day(time->end));
  }
  return out;
}

std::string tags(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts) out += "<span class=\"tag\">" + line(text) + "</span>";
  return out;
}

std::string card(const CatalogueEntry& entry) {
  const auto& [dataset, folder] = entry;
  std::string facts;
  const auto add = [&](const char* name, const std::string& content) {
    if (!content.empty()) facts += std::string("<dt>") + name + "</dt><dd>" + content + "</dd>";
  };
  std::string samples = grouped(static_cast<uint64_t>(dataset.num_samples));
  if (dataset.num_bytes) samples += ", " + size_in_words(*dataset.num_bytes);
  add("Samples", samples);
  add("Place", dataset.extent.spatial ? line(in_words(*dataset.extent.spatial)) : "unknown");
  const std::string time = dataset.extent.temporal ? in_words(*dataset.extent.temporal) : "";
  add("Time", time.empty() ? "unknown" : line(time));
  add("Tasks", tags(dataset.tasks));
  add("Licence", line(join(licence_names(dataset), ", ")));
  add("Keywords", tags(dataset.keywords));
  const std::string text = beginning(dataset.description);
  const bool has_version = !dataset.version.empty() && dataset.version != "unknown";
  return "<li" + search_data(dataset) + "><h2><a href=\"" + escape_html(percent_encoded(folder, true)) +
         "/index.html\">" + line(dataset.title) + "</a></h2><p class=\"dim\"><code>" + line(dataset.id) + "</code>" +
         (has_version ? " · version " + line(dataset.version) : "") + "</p>" +
         (text.empty() ? "" : "<p>" + line(text) + "</p>") + "<dl>" + facts + "</dl></li>\n";
}

/// A box as a path in degrees, with y southwards; two rings when it crosses the antimeridian.
std::string box_path(const BBox& box) {
  const auto ring = [&](double west, double east) {
    constexpr double kLeast = 1.5;  // degrees: what is smaller could not be seen
    const double more_x = std::max(0., kLeast - (east - west)) / 2;
    const double more_y = std::max(0., kLeast - (box.maxy - box.miny)) / 2;
    return "M" + coordinate(west + 180 - more_x) + " " + coordinate(90 - box.maxy - more_y) + "H" +
           coordinate(east + 180 + more_x) + "V" + coordinate(90 - box.miny + more_y) + "H" +
           coordinate(west + 180 - more_x) + "Z";
  };
  return box.minx <= box.maxx ? ring(box.minx, box.maxx) : ring(box.minx, 180) + ring(-180, box.maxx);
}

std::string world_map(const std::vector<CatalogueEntry>& entries) {
  std::string land, areas;
  for (const OutlineRing& ring : land_outline()) {
    std::string path;
    double last_x = -1e9, last_y = -1e9;
    for (const auto& [lon, lat] : ring) {
      constexpr double kLeast = 0.8;  // degrees, about a pixel: what lies closer together could not be told apart
      const double x = std::round(lon * 10) / 10 + 180, y = 90 - std::round(lat * 10) / 10;
      if (std::hypot(x - last_x, y - last_y) < kLeast) continue;
      last_x = x, last_y = y;
      path += (path.empty() ? "M" : "L") + coordinate(x) + " " + coordinate(y);
    }
    land += path + "Z";
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& box = entries[i].first.extent.spatial;
    if (box && box->valid())
      areas += "<path class=\"area\" data-card=\"" + std::to_string(i) + "\" d=\"" + box_path(*box) + "\"/>";
  }
  return "<svg id=\"map\" viewBox=\"0 0 360 180\" role=\"img\" aria-label=\"World map of the datasets; the four fields "
         "below name the place, too\"><rect class=\"sea\" width=\"360\" height=\"180\"/><path class=\"land\" d=\"" +
         land + "\"/>" + areas + "<path class=\"wanted\" id=\"wanted\" d=\"\"/></svg>";
}

/// A list of choices, with the number of datasets of each.
std::string choices(const char* id, const char* label, const char* all, const std::map<std::string, int>& counts) {
  std::string out = std::string("<div class=\"field\"><label for=\"") + id + "\">" + label + "</label><select id=\"" +
                    id + "\"><option value=\"\">" + all + "</option>";
  for (const auto& [name, number] : counts) {
    out += "<option" + attribute("value", name) + ">" + line(name) + " (" + std::to_string(number) + ")</option>";
  }
  return out + "</select></div>";
}

std::string input(const std::string& id, const std::string& label, const std::string& kind) {
  return "<div class=\"field\"><label for=\"" + id + "\">" + label + "</label><input id=\"" + id + "\" " + kind +
         "></div>";
}

/// Hidden until the script shows it, since it does nothing without.
std::string search_form(const std::vector<CatalogueEntry>& entries) {
  std::map<std::string, int> tasks, licences;
  for (const auto& [dataset, folder] : entries) {
    for (const auto& task : dataset.tasks) ++tasks[valid_utf8(task)];
    for (const auto& licence : licence_names(dataset)) ++licences[valid_utf8(licence)];
  }
  const std::string degree = "type=\"number\" min=\"-180\" max=\"180\" step=\"any\" inputmode=\"decimal\"";
  const std::string latitude = "type=\"number\" min=\"-90\" max=\"90\" step=\"any\" inputmode=\"decimal\"";
  return "<div id=\"search\" role=\"search\" aria-label=\"Datasets\" hidden>\n" +
         input("q", "Words in title, description or keywords", "type=\"search\"") + "\n" +
         choices("task", "Task", "all tasks", tasks) + "\n" + choices("licence", "Licence", "all licences", licences) +
         "\n<details id=\"more\"><summary>Time and place</summary><fieldset><legend>Time</legend><div class=\"row\">" +
         input("from", "From", "type=\"date\"") + input("to", "To", "type=\"date\"") +
         "</div></fieldset>\n<fieldset><legend>Place: draw a box on the map, or type its sides in degrees</legend>" +
         world_map(entries) + "<div class=\"row\">" + input("west", "West", degree) + input("east", "East", degree) +
         input("south", "South", latitude) + input("north", "North", latitude) +
         "</div></fieldset></details>\n<button type=\"button\" id=\"clear\">Show all datasets</button>\n</div>\n";
}

/// schema.org in JSON-LD, which search engines for datasets read. The pages of the datasets have more.
std::string schema_org(const std::vector<CatalogueEntry>& entries, const std::string& base_url,
                       const SiteOptions& options) {
  const std::string base = base_url.empty() ? "" : base_url + "/";
  Json out = {{"@context", "https://schema.org/"}, {"@type", "DataCatalog"}, {"name", options.title}};
  if (!base_url.empty()) out["url"] = base;
  Json all = Json::array();
  for (const auto& [dataset, folder] : entries) {
    Json one = {{"@type", "Dataset"}, {"name", dataset.title}, {"identifier", dataset.id}};
    const std::string text = beginning(dataset.description);
    one["description"] = text.empty() ? dataset.title : text;
    one["url"] = base + percent_encoded(folder, true) + "/index.html";
    if (!dataset.version.empty() && dataset.version != "unknown") one["version"] = dataset.version;
    Json licences = Json::array();
    for (const auto& licence : dataset.licenses) {
      const std::string spdx = spdx_of(licence);
      licences.push_back(spdx.empty() ? licence : "https://spdx.org/licenses/" + spdx + ".html");
    }
    if (!licences.empty()) one["license"] = licences;
    if (!dataset.keywords.empty()) one["keywords"] = dataset.keywords;
    if (const auto& box = dataset.extent.spatial) {
      const std::string corners = coordinate(box->miny) + " " + coordinate(box->minx) + " " + coordinate(box->maxy) +
                                  " " + coordinate(box->maxx);
      one["spatialCoverage"] = {{"@type", "Place"}, {"geo", {{"@type", "GeoShape"}, {"box", corners}}}};
    }
    if (const auto& time = dataset.extent.temporal) {
      const auto end = [](Timestamp at) { return is_open(at) ? std::string("..") : day(at); };
      one["temporalCoverage"] = end(time->start) + "/" + end(time->end);
    }
    all.push_back(std::move(one));
  }
  out["dataset"] = std::move(all);
  return "<script type=\"application/ld+json\">" + escape_script(dump(out, -1)) + "</script>\n";
}

std::string catalogue_head(const std::string& style, const std::string& base_url, const SiteOptions& options,
                           const std::string& metadata) {
  // Nothing but the one script and the one style below, whatever text a dataset contains.
  const std::string policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + digest(style) +
                             "; script-src " + digest(kCatalogueScript);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         policy + "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         line(options.title) +
         "</title>\n<meta name=\"description\" content=\"A catalogue of Earth observation datasets\">\n" +
         (base_url.empty() ? "" : "<link rel=\"canonical\" href=\"" + escape_html(base_url) + "/\">\n") +
         "<meta name=\"generator\" content=\"tacore " + version() + "\">\n<style>" + style + "</style>\n" + metadata +
         "</head>\n";
}

}  // namespace

std::string catalogue_page(const std::vector<CatalogueEntry>& entries, const std::string& base_url,
                           const SiteOptions& options) {
  const Accent accent = accent_of(options.accent_colour);
  const std::string style = ":root{--accent:" + accent.plain + ";--accent-dark:" + accent.dark +
                            ";--accent-light:" + accent.light + "}" + kCatalogueStyle;
  std::string list;
  for (const auto& entry : entries) list += card(entry);
  const std::string number = grouped(entries.size()) + (entries.size() == 1 ? " dataset" : " datasets");
  return valid_utf8(catalogue_head(style, base_url, options, schema_org(entries, base_url, options)) +
                    "<body>\n<a class=\"skip\" href=\"#datasets\">To the list of datasets</a>\n<header><div><h1>" +
                    line(options.title) + "</h1><p class=\"dim\">" + number +
                    " of Earth observation imagery · <a href=\"catalog.json\">STAC catalogue</a></p></div></header>\n"
                    "<main>\n" +
                    search_form(entries) + "<div><p id=\"count\" role=\"status\">" + number +
                    "</p>\n<ul id=\"datasets\">\n" + list + "</ul></div>\n</main>\n<footer>Made by tacore " +
                    version() + "</footer>\n<script>" + kCatalogueScript + "</script>\n</body>\n</html>\n");
}

}  // namespace tacore::descriptions
