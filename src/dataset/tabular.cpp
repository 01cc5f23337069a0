#include "tacore/write/tabular.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "dataset/frame_stream.hpp"
#include "table/arrow_stream.hpp"
#include "table/encode.hpp"
#include "table/ipc.hpp"
#include "tacore/plumbing/secrets.hpp"

namespace tacore::tabular {

void encode(const DataFrame& rows, Encoding encoding, Output& output) {
  encode_batches(*frame_batches(rows), encoding, output);
}

Bytes encode_ipc(ArrowArrayStream* rows) { return tacore::encode_ipc({.table = import_table(rows), .about = {}}); }

namespace {

constexpr int64_t kHead = 10, kTail = 10;
constexpr std::size_t kMaxCell = 32, kGap = 2;
constexpr const char* kPath = "internal:gdal_vsi";

/// Number of characters of a text.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// The first characters of a text, and dots where more follow.
std::string cut(std::string text, std::size_t most) {
  if (width(text) <= most) return text;
  while (width(text) > most - 3) text.pop_back();
  // A whole character is left: pop_back() may have removed the last bytes of one.
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0xC0) text.pop_back();
  return text + "...";
}

bool is_number(const std::string& type) {
  return type.starts_with("int") || type.starts_with("uint") || type == "float" || type == "double";
}

/// The rank of a column on a terminal: 0 id and type, 1 columns of the dataset's own, 2 standard columns, 3 lists and
/// binary values, which are long.
int rank(const Column& column) {
  if (column.name == "id" || column.name == "type") return 0;
  const bool is_nested = column.type.find('<') != std::string::npos;
  const bool is_binary = column.type.find("binary") != std::string::npos && !column.name.ends_with("centroid");
  if (is_nested || is_binary) return 3;
  return column.name.find(':') == std::string::npos ? 1 : 2;
}

/// A point with five digits, which is a metre: "POINT (-34.88395 -7.97058)"; any other text unchanged.
std::string short_point(const std::string& text) {
  double x = 0, y = 0;
  if (std::sscanf(text.c_str(), "POINT (%lf %lf)", &x, &y) != 2) return text;
  char out[64];
  std::snprintf(out, sizeof out, "POINT (%.5f %.5f)", x, y);
  return out;
}

struct TableColumn {
  std::vector<std::string> cells = {};  ///< the first is the name
  std::size_t cells_width = 0;
  bool is_right = false;
};

TableColumn column_of(const DataFrame& rows, const Column& column, const std::vector<int64_t>& shown) {
  TableColumn out{.is_right = is_number(column.type)};
  out.cells.push_back(cut(without_controls(column.name), kMaxCell));
  for (const int64_t row : shown)
    out.cells.push_back(
        cut(without_controls(redact(short_point(rows.text(row, column.name).value_or("null")))), kMaxCell));
  for (const auto& cell : out.cells) out.cells_width = std::max(out.cells_width, width(cell));
  return out;
}

std::string line_of(const std::vector<TableColumn>& columns, std::size_t row) {
  std::string out;
  for (const auto& column : columns) {
    const std::string& cell = column.cells[row];
    const std::string pad(column.cells_width - width(cell), ' ');
    out += (out.empty() ? "" : std::string(kGap, ' ')) + (column.is_right ? pad + cell : cell + pad);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace

FittedTable fit(const DataFrame& rows, std::size_t line_width) {
  const int64_t count = rows.num_rows();
  const bool is_cut = count > kHead + kTail;
  std::vector<int64_t> shown;
  for (int64_t row = 0; row < count; ++row) {
    if (!is_cut || row < kHead || row >= count - kTail) shown.push_back(row);
    else row = count - kTail - 1;
  }
  // Columns get their room by rank, and stand in the order of the rows.
  const auto& all = rows.columns();
  std::vector<std::size_t> by_rank(all.size());
  std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
  std::ranges::stable_sort(by_rank, {}, [&](std::size_t c) { return rank(all[c]); });
  std::map<std::size_t, TableColumn> fitting;
  std::size_t used = 0;
  for (const std::size_t c : by_rank) {
    if (all[c].name == kPath && all.size() > 1) continue;
    TableColumn made = column_of(rows, all[c], shown);
    const std::size_t needed = used + (fitting.empty() ? 0 : kGap) + made.cells_width;
    if (!fitting.empty() && needed > line_width) continue;
    used = needed;
    fitting.emplace(c, std::move(made));
  }
  std::vector<TableColumn> columns;
  FittedTable out;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (const auto found = fitting.find(c); found != fitting.end()) columns.push_back(std::move(found->second));
    else out.left_out.push_back(without_controls(all[c].name));
  }
  out.lines.push_back(line_of(columns, 0));
  for (auto& column : columns) column.cells.emplace_back(column.cells_width, '-');
  out.lines.push_back(line_of(columns, shown.size() + 1));
  for (std::size_t row = 0; row < shown.size(); ++row) {
    if (is_cut && row == static_cast<std::size_t>(kHead)) out.lines.emplace_back("...");
    out.lines.push_back(line_of(columns, row + 1));
  }
  return out;
}

}  // namespace tacore::tabular
