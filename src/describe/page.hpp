#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "describe/document.hpp"
#include "describe/thumbnails.hpp"

/// The frame and the elements of HTML pages. What is not called text is HTML.
namespace tacore::descriptions {

/// A page with a header, links to its sections, the sections, and a footer.
struct Page {
  std::string title = {};        ///< text
  std::string kicker = {};       ///< above the title
  std::string description = {};  ///< text, below it
  std::string lead = {};         ///< behind the description
  std::string head = {};         ///< further elements of <head>
  struct Part {
    std::string title = {};  ///< text
    std::string content = {};
  };
  std::vector<Part> sections = {};
  std::string footer = {};  ///< behind "Made by tacore 1.2.3", before a full stop
  std::string accent_colour = {};
};

/// The whole file. It loads nothing, and its one script makes the buttons that copy code.
std::string write_page(const Page& page);

/// For the footer of a page with a map.
inline constexpr std::string_view kAboutLand =
    ". Land: Natural Earth, public domain, precise to some 20 km; borders are not shown";

/// Text without control characters, escaped.
std::string one_line(const std::string& text);
std::string html(const Cell& cell);
/// Paragraphs, with the line breaks of the author; no other markup.
std::string html(const Prose& prose);
std::string html(const Table& table);
std::string html(const Code& block);
std::string html(const List& list);
std::string html(const Subheading& heading);
/// A picture of a sample.
std::string html(const Thumbnail& picture, const PicturedSample& sample);

/// Text between tags or in a quoted attribute.
std::string escape_html(const std::string& text);
/// JSON for a <script> that holds data: no `<` in it, so that nothing can end the element.
std::string escape_script(const std::string& json);

/// `#rrggbb` and its variants: three quarters as bright, and 70 % of the way to white. Of anything else that is not
/// six hexadecimal digits with or without a `#`, those of #4CAF50.
struct Accent {
  std::string plain, dark, light;
};
Accent accent_of(const std::string& colour);

}  // namespace tacore::descriptions
