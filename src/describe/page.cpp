#include "describe/page.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "tacore/version.hpp"

namespace tacore::descriptions {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#1c2024;--dim:#56616b;--page:#f4f6f7;--card:#fff;--line:#dfe3e7;--code:#f0f2f4;
--error:#b3261e;--warning:#7a5200;--sea:#e6eff5;--land:#cfd6cd;--coast:#a9b3a8;--grid:#00000018;--link:var(--accent-dark)}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8eb;--dim:#a3afb9;--page:#14181b;--card:#1c2125;--line:#343c42;
--code:#252b30;--error:#ff8a80;--warning:#ffca6b;--sea:#18222a;--land:#38433c;--coast:#55635a;--grid:#ffffff1c;--link:var(--accent-light)}}
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
.card{table-layout:fixed}.card th:first-child{width:3rem}.card th:last-child{width:40%}
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
.error,.warning{color:var(--error);font-weight:600}.warning{color:var(--warning)}
.mark{stroke:var(--error);stroke-width:6;stroke-linecap:round;fill:none}
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

std::string head(const Page& page) {
  const Accent accent = accent_of(page.accent_colour);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         // The page loads nothing and runs one script; the policy enforces it, whatever text a dataset contains.
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "img-src data:; script-src 'sha256-" +
         base64(sha256(bytes_of(kScript))) +
         "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         one_line(page.title) + "</title>\n<meta name=\"description\" content=\"" + one_line(page.description) +
         "\">\n<meta name=\"generator\" content=\"tacore " + version() + "\">\n<style>:root{--accent:" + accent.plain +
         ";--accent-dark:" + accent.dark + ";--accent-light:" + accent.light + "}" + kStyle + "</style>\n" + page.head +
         "</head>\n";
}

}  // namespace

std::string write_page(const Page& page) {
  std::string links, body;
  for (const auto& [title, content] : page.sections) {
    links += "<li><a href=\"#" + anchor(title) + "\">" + escape_html(title) + "</a></li>";
    body += section(title, content);
  }
  std::string out = head(page);
  out += "<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header><div><p class=\"dim\">" +
         page.kicker + "</p><h1>" + one_line(page.title) + "</h1>";
  if (!page.description.empty()) out += html(Prose{page.description});
  out += page.lead;
  return valid_utf8(out + "</div><nav aria-label=\"Sections\"><ul>" + links +
                    "</ul></nav></header>\n<main id=\"content\">\n" + body + "</main>\n<footer>Made by tacore " +
                    version() + page.footer + ".</footer>\n<script>" + kScript + "</script>\n</body>\n</html>\n");
}

std::string one_line(const std::string& text) { return escape_html(without_controls(text)); }

std::string html(const Cell& cell) {
  const std::string text = cell.is_code ? "<code>" + one_line(cell.text) + "</code>" : one_line(cell.text);
  if (cell.text.empty() || cell.url.empty()) return cell.text.empty() ? "" : text;
  return "<a href=\"" + escape_html(cell.url) + "\" rel=\"nofollow noopener\">" + text + "</a>";
}

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

std::string html(const Thumbnail& picture, const PicturedSample& sample) {
  constexpr int64_t kSmall = 100;  // pixels: a smaller picture is enlarged, so its pixels are shown as they are
  const bool is_label = &picture != &sample.pictures.front();
  return "<img" + std::string(is_label || picture.width < kSmall ? " class=\"pixels\"" : "") + " width=\"" +
         std::to_string(picture.width) + "\" height=\"" + std::to_string(picture.height) + "\" alt=\"" +
         (picture.is_part ? "Middle of the " : "") + (is_label ? "label " : "image ") + one_line(picture.id) +
         "\" src=\"data:image/png;base64," + picture.png + "\">";
}

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

}  // namespace tacore::descriptions
