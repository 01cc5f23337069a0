#pragma once

#include <string>
#include <variant>
#include <vector>

#include "describe/facts.hpp"
#include "describe/json.hpp"

/// The content of the Markdown and HTML of a dataset. All of it is plain text, which each of the two forms escapes.
namespace tacore::descriptions {

struct Cell {
  std::string text = {};
  std::string url = {};  ///< of the link; "": none
  bool is_code = false;
};

struct Prose {
  std::string text = {};  ///< paragraphs as the author of the dataset wrote them
};

struct Table {
  std::vector<std::string> header = {};
  std::vector<std::vector<Cell>> rows = {};
};

struct Code {
  std::string label = {};     ///< heading, such as "Command line"
  std::string language = {};  ///< for highlighting; "text" for none
  std::string text = {};      ///< ends in a newline; no other control characters
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

/// The overview: names and values, such as id, version and licences.
std::vector<std::pair<std::string, std::vector<Cell>>> overview(const Facts& facts);

/// The sections that have content, in order.
std::vector<Section> sections(const Facts& facts);

/// "from 170° E to 170° W (across the antimeridian), 20° S to 10° S", rounded outwards to a hundredth of its size;
/// "3 March 2021 to 9 July 2022".
std::string in_words(const BBox& box);
std::string in_words(const TimeRange& range);
/// "10.5° N, 20.25° E" and "3 March 2021".
std::string centre_in_words(const BBox& box);
std::string day_in_words(Timestamp time);

/// The JSON-LD that collection2croissant() writes, which a page carries too.
Json croissant(const Facts& facts);
/// What collection2datacite() writes. Throws SchemaError without a year of publication.
Json datacite(const Facts& facts);
/// What collection2datacard() writes.
std::string data_card(const Facts& facts, const DescribeOptions& options);
/// What collection2html() writes, with links to `others`: further descriptions.
std::string html_page(const Dataset& dataset, const Facts& facts, const DescribeOptions& options,
                      const std::vector<Cell>& others = {});

}  // namespace tacore::descriptions
