#pragma once

#include <string>
#include <variant>
#include <vector>

#include "describe/facts.hpp"

/// What people read of a dataset, before it is Markdown or HTML: plain text throughout, which those escape.
namespace tacore::descriptions {

struct Cell {
  std::string text = {};
  std::string url = {};  ///< "" when it leads nowhere
  bool is_code = false;
};

struct Prose {
  std::string text = {};  ///< paragraphs, as the author of the dataset wrote them
};

struct Table {
  std::vector<std::string> header = {};
  std::vector<std::vector<Cell>> rows = {};
};

struct Code {
  std::string label = {};     ///< of the language, for people
  std::string language = {};  ///< for highlighting; "text" for none
  std::string text = {};      ///< ends in a newline, has no control characters else
};

/// A list of links or texts.
struct List {
  std::vector<Cell> items = {};
};

struct Subheading {
  std::string text = {};
};

using Block = std::variant<Prose, Table, Code, List, Subheading>;

struct Section {
  std::string title = {};
  std::vector<Block> blocks = {};
};

/// Name and value of what a dataset is: id, version, licences, ...
std::vector<std::pair<std::string, std::vector<Cell>>> overview(const Facts& facts);

/// Sections that have something to say, in order.
std::vector<Section> sections(const Facts& facts);

/// "longitude 170 to -170 (crosses 180 degrees), latitude -20 to -10", "2000-01-01 to 2001-12-31".
std::string in_words(const BBox& box);
std::string in_words(const TimeRange& range);

}  // namespace tacore::descriptions
