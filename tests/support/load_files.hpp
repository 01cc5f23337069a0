#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/support.hpp"
#include "tacore/dataset.hpp"
#include "tacore/verbose.hpp"
#include "tacore/write/tabular.hpp"

/// Datasets of the tests of the reader, and what they hold as text.
namespace tacore {

/// The rows that show, as CSV.
inline std::string dump(const DataFrame& frame) {
  struct Text : tabular::Output {
    void write(std::string_view bytes) override { text += bytes; }
    std::string text;
  } out;
  tabular::encode(frame, tabular::Encoding::Csv, out);
  return out.text;
}

/// Options of a filter that tests a level.
inline FilterOptions at(int level) { return {.column = "auto", .level = level}; }

inline std::vector<std::string> column_names(const std::vector<Column>& columns) {
  std::vector<std::string> out;
  for (const auto& column : columns) out.push_back(column.name);
  return out;
}
inline std::vector<std::string> column_names(const DataFrame& frame) { return column_names(frame.columns()); }

/// One column as text, row by row; null is "".
inline std::vector<std::string> values(const DataFrame& frame, const std::string& column) {
  const std::vector<std::string> names{column};
  const std::string csv = dump(frame.select(names));
  std::vector<std::string> out;
  for (std::size_t at = csv.find('\n') + 1; at < csv.size();) {
    const std::size_t end = csv.find('\n', at);
    std::string cell = csv.substr(at, end - at);
    if (cell.size() > 1 && cell.front() == '"') cell = cell.substr(1, cell.size() - 2);
    out.push_back(std::move(cell));
    at = end + 1;
  }
  return out;
}
inline std::vector<std::string> ids(const DataFrame& frame) { return values(frame, "id"); }

inline DataFrame children(const DataFrame& frame, std::string_view id) { return std::get<DataFrame>(frame.read(id)); }
inline std::string vsi(const DataFrame& frame, std::string_view id) { return std::get<VsiPath>(frame.read(id)).value; }

/// Rows, paths and bytes of a frame and of all its children.
inline std::string everything(const DataFrame& frame) {
  std::string out = dump(frame);
  for (int64_t i = 0; i < frame.num_rows(); ++i) {
    const Node node = frame.read(i);
    if (const auto* below = std::get_if<DataFrame>(&node)) {
      out += everything(*below);
    } else {
      out += std::get<VsiPath>(node).value + to_text(frame.read_bytes(i));
    }
  }
  return out;
}

inline std::string numbers_text(const std::vector<double>& all) {
  std::string out;
  for (const double number : all) out += std::to_string(number) + " ";
  return out;
}

/// Collects what the library reports at a level. Afterwards nobody listens, and warnings would still reach who does.
class Report {
 public:
  explicit Report(const char* level = "info") {
    verbose(level);
    set_log_sink(&Report::receive, this);
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() {
    set_log_sink(nullptr);
    verbose("info");
  }

  bool has(LogLevel level, const std::string& words) const {
    for (const auto& [at, text] : all) {
      if (at == level && text.find(words) != std::string::npos) return true;
    }
    return false;
  }

  /// The warnings, one per line.
  std::string warnings() const {
    std::string out;
    for (const auto& [at, text] : all) out += at == LogLevel::Warning ? text + "\n" : "";
    return out;
  }

  std::vector<std::pair<LogLevel, std::string>> all;  ///< one call at a time writes it

 private:
  static void receive(LogLevel level, std::string_view message, void* user) {
    static_cast<Report*>(user)->all.emplace_back(level, message);
  }
};

}  // namespace tacore
