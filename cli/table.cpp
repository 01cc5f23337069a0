#include "table.hpp"

#include <unistd.h>

#include <cstdint>

#include <tacore/write/tabular.hpp>

#include "layout.hpp"
#include "output.hpp"

namespace tacore::cli {

std::string fitted_table(const DataFrame& rows, std::size_t line_width) {
  const tabular::FittedTable table = tabular::fit(rows, line_width);
  std::string out;
  for (const auto& line : table.lines) {
    const bool is_first = &line == &table.lines.front();
    out += coloured(is_first ? Colour::Bold : Colour::None, line, STDOUT_FILENO) + "\n";
  }
  const auto size = static_cast<uint64_t>(rows.columns().size());
  out += count_of(static_cast<uint64_t>(rows.num_rows()), "row") + ", " + count_of(size, "column") + "\n";
  if (table.left_out.empty()) return out;
  std::vector<std::string> items{"Not shown:"};
  for (const auto& name : table.left_out) items.push_back(name + (&name == &table.left_out.back() ? "" : ","));
  for (const auto& line : fill(items, line_width)) out += line + "\n";
  return out;
}

}  // namespace tacore::cli
