#include "table/read_csv.hpp"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/csv/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <charconv>

#include "base/log.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "model/identifier.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr std::string_view kSeparators = ",;\t|";
constexpr int64_t kMaxHeaderLine = 1 << 20;
constexpr int64_t kMostTold = 20;

std::string name_of(char separator) { return separator == '\t' ? "a tab" : in_quotes(std::string(1, separator)); }

/// The records of a CSV text, split as Arrow does. Empty lines are no records.
class Records {
 public:
  Records(std::string_view text, char separator) : text_(text), separator_(separator) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  /// Reads the values of the next record; false at the end.
  bool next(std::vector<std::string>& values) {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) end_line();
    if (at_ == text_.size()) return false;
    first_line_ = line_;
    values.assign(1, "");
    bool quoted = false, is_first = true;  // quotes inside of a value are part of it
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (quoted) {
        ++at_;
        const bool is_double = c == '"' && at_ < text_.size() && text_[at_] == '"';
        if (is_double) ++at_;
        quoted = c != '"' || is_double;
        if (quoted) values.back() += c;
        line_ += c == '\n' ? 1 : 0;
      } else if (c == '\n' || c == '\r') {
        end_line();
        return true;
      } else {
        ++at_;
        quoted = c == '"' && is_first;
        is_first = c == separator_;
        if (is_first) values.emplace_back();
        else if (!quoted) values.back() += c;
      }
    }
    return true;
  }

  /// The line, from 1, at which the last record began.
  uint64_t line() const { return first_line_; }

 private:
  void end_line() {
    at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
    ++line_;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  uint64_t line_ = 1, first_line_ = 0;
};

/// Faults of lines: the first 20, and the number of all.
struct LineFaults {
  int64_t num = 0;
  std::vector<std::string> told = {};

  void add(uint64_t line, const std::string& found) {
    if (++num <= kMostTold) told.push_back("line " + std::to_string(line) + " has " + found);
  }
  std::string text() const {
    return join(told, ", ") + (num > kMostTold ? ", ... (" + std::to_string(num) + " in all)" : "");
  }
};

int64_t num_legal(const std::vector<std::string>& names) {
  return std::count_if(names.begin(), names.end(), [](const std::string& name) {
    return name == "id" || name == "path" || name == "type" || why_bad_key(name).empty();
  });
}

/// The separator by which the header line has most names that columns may have.
char separator_of_header(std::string_view head, const std::string& path) {
  const bool is_tsv = ends_with_ignoring_case(path, ".tsv");
  std::vector<std::pair<int64_t, char>> found;
  for (const char separator : kSeparators) {
    std::vector<std::string> names;
    if (!Records(head, separator).next(names) || names.size() < 2) continue;
    if (is_tsv && separator == '\t') return separator;
    found.emplace_back(num_legal(names), separator);
  }
  if (found.empty()) return is_tsv ? '\t' : ',';
  std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<int64_t, char>::first);
  if (found.size() > 1 && found[0].first == found[1].first) {
    throw FormatError("its header line may be separated by " + name_of(found[0].second) + " or " +
                          name_of(found[1].second) + "; say by which, such as --separator '" + found[0].second + "'",
                      {.path = path});
  }
  return found[0].second;
}

char separator_of(const std::shared_ptr<arrow::io::RandomAccessFile>& file, const std::string& path,
                  const std::string& separator) {
  if (separator == "\\t") return '\t';
  if (!separator.empty()) {
    const bool is_one = separator.size() == 1 && static_cast<unsigned char>(separator[0]) < 0x80;
    if (!is_one || separator.find_first_of("\"\r\n") != separator.npos) {
      throw ValidationError("the separator is " + in_quotes(separator) +
                            "; one ASCII character expected, such as ; or \\t for a tab");
    }
    return separator[0];
  }
  const auto head = check(file->ReadAt(0, kMaxHeaderLine));
  const std::string_view text(*head);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw FormatError("is UTF-16 text; UTF-8 expected, which spreadsheets call \"CSV UTF-8\"", {.path = path});
  }
  return separator_of_header(text, path);
}

std::shared_ptr<arrow::Table> parse_csv(const std::shared_ptr<arrow::io::RandomAccessFile>& file, char separator,
                                        const std::vector<std::string>& text) {
  check(file->Seek(0));
  auto convert = arrow::csv::ConvertOptions::Defaults();
  convert.strings_can_be_null = true;
  convert.quoted_strings_can_be_null = false;
  convert.null_values = {""};
  auto parse = arrow::csv::ParseOptions::Defaults();
  parse.newlines_in_values = true;
  parse.delimiter = separator;
  for (const auto& name : text) convert.column_types[name] = arrow::utf8();
  auto read = arrow::csv::ReadOptions::Defaults();
  read.use_threads = false;
  return check(
      check(arrow::csv::TableReader::Make(arrow::io::default_io_context(), file, read, parse, convert))->Read());
}

/// True for a whole number as text: "007", "-12".
bool is_whole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool has_leading_zeros(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0';
}

bool has_decimal_comma(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == text.npos) return false;
  std::string with_point(text);
  with_point[comma] = '.';
  return parse_number(with_point).has_value();
}

/// True when a double cannot hold this whole number exactly.
bool is_rounded(std::string_view text) {
  int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr int64_t kExact = int64_t{1} << 53;
  return parsed.ec != std::errc() || value > kExact || value < -kExact;
}

/// Some values of a column: the first of them, and the number of all.
struct CsvCells {
  int64_t num = 0;
  std::vector<int64_t> rows = {};
  std::vector<std::string> values = {};

  void add(int64_t row, std::string_view value) {
    if (++num > kMostTold) return;
    rows.push_back(row);
    values.push_back(in_quotes(value));
  }
};

/// What the values of a column look like as text.
struct Look {
  int64_t num_values = 0, num_numbers = 0;
  CsvCells words = {}, with_comma = {}, rounded = {};
  bool has_zeros = false;  ///< whole numbers that begin with 0
};

Look look_at(const arrow::ChunkedArray& texts, char separator) {
  Look out;
  int64_t row = 0;
  for (const auto& chunk : texts.chunks()) {
    for (int64_t i = 0; i < chunk->length(); ++i, ++row) {
      const auto text = text_cell(*chunk, i);
      if (!text) continue;
      ++out.num_values;
      if (parse_number(*text)) {
        ++out.num_numbers;
        if (!is_whole(*text)) continue;
        out.has_zeros = out.has_zeros || has_leading_zeros(*text);
        if (is_rounded(*text)) out.rounded.add(row, *text);
      } else if (separator != ',' && has_decimal_comma(*text)) {  // between commas it is more likely a list
        out.with_comma.add(row, *text);
      } else {
        out.words.add(row, *text);
      }
    }
  }
  return out;
}

/// The records that have another number of values than the header line; "" when there are none.
std::string wrong_numbers_of_values(std::string_view text, char separator) {
  Records records(text, separator);
  std::vector<std::string> values;
  if (!records.next(values)) return "";
  const std::size_t expected = values.size();
  LineFaults faults;
  while (records.next(values)) {
    if (values.size() != expected) faults.add(records.line(), std::to_string(values.size()));
  }
  return faults.num == 0 ? ""
                         : "the header line has " + std::to_string(expected) + " values separated by " +
                               name_of(separator) + ", but " + faults.text();
}

/// The values that are not UTF-8; "" when there are none.
std::string not_utf8(std::string_view text, char separator) {
  Records records(text, separator);
  std::vector<std::string> values;
  LineFaults faults;
  while (records.next(values)) {
    for (const auto& value : values) {
      if (!is_utf8(value)) faults.add(records.line(), in_quotes(value));
    }
  }
  return faults.num == 0 ? "" : "is not UTF-8, which spreadsheets call \"CSV UTF-8\": " + faults.text();
}

}  // namespace

std::vector<uint64_t> lines_of_csv(const std::shared_ptr<arrow::io::RandomAccessFile>& file, const std::string& path,
                                   const std::string& separator, const std::vector<int64_t>& rows) {
  const auto text = check(file->ReadAt(0, check(file->GetSize())));
  Records records(std::string_view(*text), separator_of(file, path, separator));
  std::vector<uint64_t> out;
  std::vector<std::string> values;
  for (int64_t row = -1; out.size() < rows.size() && records.next(values); ++row) {
    while (out.size() < rows.size() && rows[out.size()] == row) out.push_back(records.line());
  }
  return out;
}

std::shared_ptr<arrow::Table> read_csv(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                                       const std::string& path, const std::string& separator,
                                       const std::vector<std::string>& text) {
  const char by = separator_of(file, path, separator);
  const auto refuse = [&](const auto& why_of) {
    const auto all = check(file->ReadAt(0, check(file->GetSize())));
    if (const auto why = why_of(std::string_view(*all), by); !why.empty()) throw FormatError(why, {.path = path});
  };
  std::shared_ptr<arrow::Table> out;
  try {
    out = parse_csv(file, by, text);
  } catch (const FormatError&) {
    refuse(wrong_numbers_of_values);
    refuse(not_utf8);
    throw;
  }
  // Arrow takes text that is not UTF-8 for bytes.
  const bool is_utf8_text = std::ranges::all_of(out->fields(), [](const auto& field) {
    return field->type()->id() != arrow::Type::BINARY && is_utf8(field->name());
  });
  if (!is_utf8_text) refuse(not_utf8);
  std::vector<std::string> doubtful;
  for (const auto& field : out->fields()) {
    const auto type = field->type()->id();
    const bool is_inferred = std::ranges::find(text, field->name()) == text.end();
    if (is_inferred && (type == arrow::Type::INT64 || type == arrow::Type::DOUBLE || type == arrow::Type::STRING)) {
      doubtful.push_back(field->name());
    }
  }
  if (doubtful.empty()) return out;
  const auto as_text = parse_csv(file, by, doubtful);
  const auto listed = [&](const CsvCells& cells) {
    const auto lines = lines_of_csv(file, path, separator, cells.rows);
    LineFaults faults;
    for (std::size_t i = 0; i < lines.size(); ++i) faults.add(lines[i], cells.values[i]);
    faults.num = cells.num;
    return faults.text();
  };
  for (int c = 0; c < out->num_columns(); ++c) {
    const auto& field = out->field(c);
    if (std::ranges::find(doubtful, field->name()) == doubtful.end()) continue;
    const Look look = look_at(*as_text->column(c), by);
    const std::string column = "column " + in_quotes(field->name());
    const bool is_text = field->type()->id() == arrow::Type::STRING;
    if (look.with_comma.num > 0 && (look.with_comma.num + look.num_numbers) * 2 >= look.num_values) {
      throw SchemaError(column + " has numbers with a decimal comma in " + std::to_string(look.with_comma.num) +
                            " of " + std::to_string(look.num_values) +
                            " values; a decimal point expected: " + listed(look.with_comma),
                        {.path = path});
    }
    const bool is_rounded = field->type()->id() == arrow::Type::DOUBLE && look.rounded.num > 0;
    if (is_rounded || (!is_text && look.has_zeros)) {
      out = check(out->SetColumn(c, field->WithType(arrow::utf8()), as_text->column(c)));
    }
    if (is_rounded) {
      log::warning(path + ": " + column + " is text, since a floating-point number would round " +
                   std::to_string(look.rounded.num) + " of its values: " + listed(look.rounded));
    } else if (is_text && look.words.num > 0 && look.num_numbers * 2 >= look.num_values) {
      log::warning(path + ": " + column + " is text: " + std::to_string(look.num_numbers) + " of " +
                   std::to_string(look.num_values) + " values are numbers, but " + listed(look.words) +
                   "; an empty field is null");
    }
  }
  return out;
}

}  // namespace tacore
