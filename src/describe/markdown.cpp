#include "describe/markdown.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "describe/document.hpp"
#include "describe/json.hpp"

namespace tacore {
namespace descriptions {
namespace {

/// Text on one line that means nothing but itself, also in a table.
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

/// What looks like code; where Markdown cannot hold it as such, as text.
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

/// Whether a link of an author may lead there: a page, mail, or a place of the same site.
bool is_harmless(std::string_view target) {
  const std::string text = lower(target);
  for (const char* scheme : {"http://", "https://", "mailto:"}) {
    if (text.starts_with(scheme)) return true;
  }
  // What comes before a path has a scheme, or hides one behind an entity.
  return std::string_view(text).substr(0, text.find_first_of("/?#")).find_first_of(":&\\") == text.npos;
}

/// The author's Markdown, but no markup of pages, and no links that run something.
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

}  // namespace

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

}  // namespace descriptions

std::string collection2markdown(const Dataset& dataset, const DescribeOptions& options) {
  return descriptions::valid_utf8(descriptions::markdown(descriptions::gather(dataset, options)));
}

std::string collection2markdown(std::string_view json, const std::string& path, const DescribeOptions& options) {
  return descriptions::valid_utf8(descriptions::markdown(descriptions::gather(json, path, options)));
}

}  // namespace tacore
