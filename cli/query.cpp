#include <algorithm>
#include <string_view>

#include <tacore/plumbing/apart.hpp>
#include <tacore/write/tabular.hpp>

#include "commands.hpp"
#include "layout.hpp"
#include "output.hpp"
#include "selection.hpp"
#include "table.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

using tabular::Encoding;

/// `extension` in lower case; the name as it comes.
bool has_extension(std::string_view name, std::string_view extension) {
  if (name.size() < extension.size()) return false;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto same = [&](char a, char b) { return a == lower(b); };
  return std::equal(extension.begin(), extension.end(), name.end() - extension.size(), same);
}

Encoding format_of(const QueryOptions& options) {
  if (options.format) return *options.format;
  const std::string& name = options.output.path;
  if (name.empty()) return Encoding::Table;
  if (has_extension(name, ".csv")) return Encoding::Csv;
  if (has_extension(name, ".json")) return Encoding::Json;
  if (has_extension(name, ".parquet")) return Encoding::Parquet;
  throw UsageError("--output: " + in_quotes(name) +
                   " ends neither in .csv, .json nor .parquet; say which with --format");
}

}  // namespace

int run_query(const QueryOptions& options) {
  check_selection(options.selection);
  const Encoding format = format_of(options);
  if (format == Encoding::Parquet && options.output.path.empty() && is_terminal_output()) {
    throw QueryError("Parquet is not for terminals: add --output FILE");
  }
  Dataset dataset = select(options.selection);
  if (options.limit) dataset = dataset.limit(*options.limit);
  const auto rows = [&] { return options.columns.empty() ? dataset.data() : dataset.data().select(options.columns); };
  if (format == Encoding::Table && options.output.path.empty() && is_terminal_output()) {
    print(fitted_table(rows(), terminal_width()));
  } else {
    with_output(options.output, files_of(dataset),
                [&](tabular::Output& output) { tabular::encode(rows(), format, output); });
  }
  if (options.selection.where.bbox && dataset.num_rows() == 0) complain(why_empty(options.selection, dataset));
  return 0;
}

int run_head(const QueryOptions& options) {
  QueryOptions first = options;
  if (!first.limit) first.limit = 10;
  return run_query(first);
}

int run_count(const Selection& selection) {
  check_selection(selection);
  const Dataset dataset = select(selection);
  const int64_t count = dataset.num_rows();
  print(std::to_string(count) + "\n");
  if (selection.where.bbox && count == 0) complain(why_empty(selection, dataset));
  return 0;
}

}  // namespace tacore::cli
