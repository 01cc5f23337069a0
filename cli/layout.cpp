#include "layout.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "utf8.hpp"

namespace tacore::cli {

std::size_t terminal_width() noexcept {
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return std::clamp<std::size_t>(size.ws_col, 60, 120);
}

std::vector<std::string> words(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  std::vector<std::string> out;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return out;
    const auto word = text.substr(0, text.find_first_of(kBlanks));
    out.push_back(printable(word));
    text.remove_prefix(word.size());
  }
}

std::vector<std::string> fill(const std::vector<std::string>& items, std::size_t line_width) {
  std::vector<std::string> out;
  for (const std::string& item : items) {
    if (!out.empty() && width(out.back()) + 1 + width(item) <= line_width) {
      out.back() += " " + item;
    } else {
      out.push_back(item);
    }
  }
  return out;
}

std::string short_number(double number) {
  char out[32];
  std::snprintf(out, sizeof out, "%.6g", number);
  return out;
}

std::string grouped(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string count_of(uint64_t number, std::string_view noun) {
  return grouped(number).append(" ").append(noun).append(number == 1 ? "" : "s");
}

namespace {

std::string aligned_by(const std::vector<std::vector<std::string>>& rows, bool is_right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width(row[i]), ' ');
      const bool before = is_right && i > 0;
      out += (i > 0 ? "  " : "") + (before ? space + row[i] : row[i] + space);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows) { return aligned_by(rows, true); }
std::string left_aligned(const std::vector<std::vector<std::string>>& rows) { return aligned_by(rows, false); }

}  // namespace tacore::cli
