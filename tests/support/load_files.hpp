#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tacore/dataset.hpp"
#include "tacore/write/tabular.hpp"
#include "tacore/verbose.hpp"

/// Datasets of the tests of the reader, and what they hold as text.
namespace tacore {

namespace fs = std::filesystem;

inline std::string golden(const std::string& name) { return std::string(TACORE_SOURCE_DIR) + "/tests/golden/" + name; }
/// A dataset of the reference tools; they are not part of the project.
inline std::string published(const std::string& name) { return std::string(TACORE_SHARED_DIR) + "/golden/v2/" + name; }

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Replaces the first `old` of a file; false when it is not there.
inline bool edit_file(const std::string& path, const std::string& old, const std::string& now) {
  std::string text = file_text(path);
  const auto at = text.find(old);
  if (at == std::string::npos) return false;
  text.replace(at, old.size(), now);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  return true;
}

inline std::string to_text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The rows that show, as CSV.
inline std::string dump(const DataFrame& frame) {
  struct Text : tabular::Output {
    void write(std::string_view bytes) override { text += bytes; }
    std::string text;
  } out;
  tabular::encode(frame, tabular::Encoding::Csv, out);
  return out.text;
}

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

/// The error that `body` throws, as "Type: text"; "" when it throws none.
template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const FormatError& error) {
    return std::string("FormatError: ") + error.what();
  } catch (const SchemaError& error) {
    return std::string("SchemaError: ") + error.what();
  } catch (const IoError& error) {
    return std::string("IoError: ") + error.what();
  } catch (const QueryError& error) {
    return std::string("QueryError: ") + error.what();
  } catch (const NavigationError& error) {
    return std::string("NavigationError: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("untyped: ") + error.what();
  }
  return "";
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

  std::vector<std::pair<LogLevel, std::string>> all;  ///< one call at a time writes it

 private:
  static void receive(LogLevel level, std::string_view message, void* user) {
    static_cast<Report*>(user)->all.emplace_back(level, message);
  }
};

inline bool has_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace tacore
