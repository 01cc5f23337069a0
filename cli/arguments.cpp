#include "arguments.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <tacore/error.hpp>
#include <tacore/write/byte_size.hpp>

#include "base/nearest.hpp"
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

/// The value of one option of Parquet files. Throws UsageError with what was expected.
struct ParquetValue {
  const std::string& setting;
  const std::string& text;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw UsageError("--parquet " + in_quotes(setting) + ": expected " + expected);
  }
  void parse(std::string& out) const { out = text; }
  void parse(bool& out) const {
    if (text != "on" && text != "off") refuse("on or off");
    out = text == "on";
  }
  template <class Number>
  void parse(Number& out) const {
    if (!parse_number(text, out)) refuse("a whole number");
  }
  template <class T>
  void parse(std::optional<T>& out) const {
    parse(out.emplace());
  }
};

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
    throw UsageError(std::string("--datetime: ") + error.what() +
                     "; write a year, month or day, or two of them: 2020, 2020-06, 2020-01-31/2020-12-31");
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
                                                                {"html", Description::Html},
                                                                {"all", Description::All}};
  for (const auto& [name, description] : names) {
    if (text == name) return description;
  }
  throw UsageError("--as is " + in_quotes(text) +
                   ", expected stac, stac-geoparquet, geoparquet, croissant, datacite, card, markdown, html or all");
}

std::string parse_published(const std::string& text) {
  const bool is_year = text.size() == 4 && text.find_first_not_of("0123456789") == text.npos;
  try {
    if (is_year || (text.size() == 10 && Timestamp::parse(text).to_string().starts_with(text))) return text;
  } catch (const QueryError&) {  // no such day
  }
  throw UsageError("the date of publication is " + in_quotes(text) +
                   ", expected a year or a day, such as 2026 or 2026-11-23");
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

OnError parse_on_error(const std::string& text) {
  if (text == "raise") return OnError::Throw;
  if (text == "skip") return OnError::Skip;
  throw UsageError("--on-error is " + in_quotes(text) + ", expected raise or skip");
}

Platform parse_platform(const std::string& text) {
  if (text == "huggingface") return Platform::HuggingFace;
  if (text == "zenodo") return Platform::Zenodo;
  if (text == "source-cooperative") return Platform::SourceCooperative;
  throw UsageError("--for is " + in_quotes(text) + ", expected huggingface, zenodo or source-cooperative");
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

std::pair<std::string, std::string> parse_rename(const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == text.npos || equals + 1 == text.size()) {
    throw UsageError("--rename is " + in_quotes(text) + ", expected OLD=NEW, such as \"land cover\"=land_cover");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double parse_share(const std::string& option, const std::string& text) {
  double out = 0;
  if (parse_number(text, out) && out >= 0 && out <= 1) return out;
  throw UsageError(option + " is " + in_quotes(text) + ", expected a number from 0 to 1");
}

void set_parquet(ParquetOptions& options, const std::string& setting) {
  constexpr std::pair<std::string_view, const char*> old_names[] = {
      {"row_group_rows", "row_group_size"},  {"page_bytes", "data_page_size"},
      {"min_chunk_bytes", "min_chunk_size"}, {"max_chunk_bytes", "max_chunk_size"},
      {"statistics", "write_statistics"},    {"content_defined_chunks", "use_content_defined_chunking"}};
  const auto equals = setting.find('=');
  const std::string key = setting.substr(0, equals);
  const std::string text = equals == setting.npos ? "" : setting.substr(equals + 1);
  const ParquetValue value{setting, text};
  for (const auto& [old_name, name] : old_names) {
    if (key == old_name) value.refuse(std::string(name) + "=VALUE, the name that this option has now");
  }
  bool is_known = false;
  visit_options(options, [&](std::string_view name, auto& member, const char*) {
    if (key != name) return;
    is_known = true;
    value.parse(member);
  });
  if (!is_known) value.refuse("KEY=VALUE with a key that taco create --help lists");
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
    const std::string hint = did_you_mean(*first, commands);
    throw UsageError("unknown command " + in_quotes(*first) + (hint.empty() ? ", and no such file exists" : hint));
  }
  arguments.insert(arguments.begin(), "info");
  return arguments;
}

}  // namespace tacore::cli
