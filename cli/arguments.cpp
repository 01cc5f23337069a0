#include "arguments.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <tacore/write/byte_size.hpp>
#include <tacore/error.hpp>

#include "commands.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

/// A decimal number and nothing else.
template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

/// Numbers with commas between; nothing for other text.
template <class Number>
std::optional<std::vector<Number>> parse_list(std::string_view text) {
  std::vector<Number> out;
  for (;;) {
    const auto part = text.substr(0, text.find(','));
    if (!parse_number(part, out.emplace_back())) return std::nullopt;
    if (part.size() == text.size()) return out;
    text.remove_prefix(part.size() + 1);
  }
}

bool may_name_a_dataset(const std::string& argument) {
  struct stat status = {};
  return argument.find_first_of("./:") != std::string::npos || ::stat(argument.c_str(), &status) == 0;
}

void set_parquet(ParquetOptions& options, const std::string& setting) {
  const auto equals = setting.find('=');
  const std::string key = setting.substr(0, equals);
  const std::string value = equals == setting.npos ? "" : setting.substr(equals + 1);
  const auto refuse = [&](const std::string& expected) {
    throw UsageError("--parquet " + in_quotes(setting) + ": expected " + expected);
  };
  const auto set_number = [&](auto& out) {
    if (!parse_number(value, out)) refuse("a whole number");
  };
  const auto set_switch = [&](bool& out) {
    if (value != "on" && value != "off") refuse("on or off");
    out = value == "on";
  };
  if (key == "compression") {
    options.compression = value;
  } else if (key == "compression_level") {
    set_number(options.compression_level.emplace());
  } else if (key == "row_group_rows") {
    set_number(options.row_group_rows);
  } else if (key == "content_defined_chunks") {
    set_switch(options.content_defined_chunks);
  } else if (key == "min_chunk_bytes") {
    set_number(options.min_chunk_bytes);
  } else if (key == "max_chunk_bytes") {
    set_number(options.max_chunk_bytes);
  } else if (key == "page_bytes") {
    set_number(options.page_bytes);
  } else if (key == "statistics") {
    set_switch(options.statistics);
  } else {
    refuse("KEY=VALUE with a key that taco create --help lists");
  }
}

}  // namespace

BBox parse_bbox(const std::string& text) {
  const std::string start = "--bbox " + in_quotes(text) + ": ";
  const auto num_numbers = std::count(text.begin(), text.end(), ',') + 1;
  if (num_numbers != 4) {
    throw UsageError(start + "expected four numbers xmin,ymin,xmax,ymax, found " + std::to_string(num_numbers));
  }
  std::array<double, 4> numbers = {};
  std::string_view rest = text;
  for (double& number : numbers) {
    const auto part = rest.substr(0, rest.find(','));
    if (!parse_number(part, number) || !std::isfinite(number)) {
      throw UsageError(start + in_quotes(part) + " is not a finite number");
    }
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  const BBox box{numbers[0], numbers[1], numbers[2], numbers[3]};
  if (!box.valid()) throw UsageError(start + "ymin is greater than ymax");
  return box;
}

TimeRange parse_datetime(const std::string& text) {
  try {
    return TimeRange::parse(text);
  } catch (const QueryError& error) {
    throw UsageError(std::string("--datetime: ") + error.what());
  }
}

tabular::Encoding parse_format(const std::string& text) {
  try {
    return tabular::parse_encoding(text);
  } catch (const QueryError&) {
    throw UsageError("--format is " + in_quotes(text) + ", expected table, csv, json or parquet");
  }
}

ColumnMode parse_mode(const std::string& text) {
  try {
    return parse_column_mode(text);
  } catch (const QueryError&) {
    throw UsageError("--mode is " + in_quotes(text) + ", expected intersection, fill_missing or strict");
  }
}

Description parse_description(const std::string& text) {
  constexpr std::pair<std::string_view, Description> names[] = {{"stac", Description::Stac},
                                                                {"stac-geoparquet", Description::StacGeoparquet},
                                                                {"geoparquet", Description::Geoparquet},
                                                                {"croissant", Description::Croissant},
                                                                {"datacite", Description::Datacite},
                                                                {"card", Description::Card},
                                                                {"markdown", Description::Markdown},
                                                                {"html", Description::Html}};
  for (const auto& [name, description] : names) {
    if (text == name) return description;
  }
  throw UsageError("--as is " + in_quotes(text) +
                   ", expected stac, stac-geoparquet, geoparquet, croissant, datacite, card, markdown or html");
}

int parse_count(const std::string& option, const std::string& text) {
  int out = 0;
  if (parse_number(text, out) && out >= 0) return out;
  throw UsageError(option + " is " + in_quotes(text) + ", expected a whole number from 0 on");
}

std::vector<int> parse_bands(const std::string& text) {
  const auto out = parse_list<int>(text);
  const bool valid = out && std::none_of(out->begin(), out->end(), [](int band) { return band < 1; });
  if (!valid)
    throw UsageError("--bands is " + in_quotes(text) + ", expected whole numbers such as 1,2: bands count from 1");
  return *out;
}

Window parse_window(const std::string& text) {
  const auto out = parse_list<int64_t>(text);
  const auto is_valid = [](const std::vector<int64_t>& n) {
    return n.size() == 4 && n[0] >= 0 && n[1] >= 0 && n[2] > 0 && n[3] > 0;
  };
  if (out && is_valid(*out)) return {(*out)[0], (*out)[1], (*out)[2], (*out)[3]};
  throw UsageError("--window is " + in_quotes(text) + ", expected pixels x,y,width,height, such as 0,0,256,256");
}

std::pair<std::string, std::string> parse_http_header(const std::string& text) {
  const auto colon = text.find(':');
  const bool is_one_line = text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos;
  if (colon == 0 || colon == text.npos || !is_one_line) {
    throw UsageError("--header is " + in_quotes(text) + ", expected a name and a value, such as 'X-Api-Key: 1234'");
  }
  return {text.substr(0, colon), text.substr(std::min(text.find_first_not_of(' ', colon + 1), text.size()))};
}

double parse_share(const std::string& option, const std::string& text) {
  double out = 0;
  if (parse_number(text, out) && out >= 0 && out <= 1) return out;
  throw UsageError(option + " is " + in_quotes(text) + ", expected a number from 0 to 1");
}

ParquetOptions parse_parquet(const std::vector<std::string>& settings) {
  ParquetOptions out;
  for (const auto& setting : settings) set_parquet(out, setting);
  return out;
}

uint64_t parse_bytes(const std::string& option, const std::string& text) {
  try {
    return parse_size(text);
  } catch (const ValidationError& error) {
    throw UsageError(option + ": " + error.what());
  }
}

std::vector<std::string> with_command(std::vector<std::string> arguments, const std::vector<std::string>& commands,
                                      const std::vector<std::string>& options) {
  auto first = arguments.begin();
  while (first != arguments.end() && first->starts_with('-')) {
    const bool takes_next = std::find(options.begin(), options.end(), *first) != options.end();
    if (++first != arguments.end() && takes_next) ++first;
  }
  if (first == arguments.end()) return arguments;
  if (std::find(commands.begin(), commands.end(), *first) != commands.end()) return arguments;
  if (!may_name_a_dataset(*first)) {
    throw UsageError(in_quotes(*first) + " is neither a command nor a file");
  }
  arguments.insert(arguments.begin(), "info");
  return arguments;
}

}  // namespace tacore::cli
