#include "describe/summaries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"
#include "describe/pit_tree.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"

namespace tacore::descriptions {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostValues = 24;   // of a column that is counted
constexpr std::size_t kMostCounted = 16;  // columns that are tried
constexpr std::size_t kMostCharts = 6;
constexpr std::size_t kMostStatistics = 4;  // children with statistics
constexpr int64_t kMostHistograms = 1000;   // samples whose histograms are added

bool is_split(const std::string& column) { return column == "split" || column == "tortilla:data_split"; }

bool is_called_class(const std::string& column) {
  const std::string name = lower(column);
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"label", "class", "categor", "land_cover", "landcover"},
      [&](std::string_view word) { return name.find(word) != name.npos; });
}

bool is_countable(const std::string& type) {
  return type == "string" || type == "large_string" || type == "bool" || type.starts_with("int") ||
         type.starts_with("uint") || type.starts_with("dictionary");
}

/// Names of columns: the split, then those called classes, then others.
std::vector<std::string> countable_columns(const Facts& facts) {
  std::vector<std::string> out;
  if (facts.levels.empty()) return out;
  const auto add = [&](auto wanted) {
    for (const FieldDescription& field : facts.levels[0].fields) {
      const bool is_foreign = field.name.find(':') != std::string::npos && !is_split(field.name);
      if (field.name == "id" || field.name == "type" || is_foreign || !is_countable(field.type)) continue;
      if (std::ranges::find(out, field.name) == out.end() && wanted(field.name)) out.push_back(field.name);
    }
  };
  add(is_split);
  add(is_called_class);
  add([](const std::string&) { return true; });
  if (out.size() > kMostCounted) out.resize(kMostCounted);
  return out;
}

/// The name of a class; the value itself where the collection has none.
std::string class_name(const Facts& facts, const std::string& value) {
  const auto found = std::ranges::find(facts.labels, value, &LabelClass::category);
  return found == facts.labels.end() || found->name.empty() ? value : found->name + " (" + value + ")";
}

ValueCounts count_values(const Dataset& dataset, const Facts& facts, const std::string& column) {
  const std::string name = sql_identifier(column);
  const DataFrame rows =
      dataset
          .sql("SELECT CAST(" + name + " AS VARCHAR) AS value, count(*) AS number FROM data GROUP BY " + name +
               " ORDER BY number DESC, " + name + " LIMIT " + std::to_string(kMostValues + 1))
          .data();
  ValueCounts out{.column = column};
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    const auto value = rows.text(row, "value");
    const bool has_classes = is_called_class(column) && value;
    out.counts.emplace_back(has_classes ? class_name(facts, *value) : value.value_or("no value"),
                            std::strtoull(rows.text(row, "number").value_or("0").c_str(), nullptr, 10));
  }
  return out;
}

bool says_something(const ValueCounts& of, const Facts& facts) {
  if (of.counts.empty() || of.counts.size() > kMostValues) return false;
  if (is_split(of.column) || is_called_class(of.column)) return true;
  return of.counts.size() > 1 && 2 * static_cast<int64_t>(of.counts.size()) <= facts.levels[0].num_rows;
}

/// Whether a level may store statistics of bands.
bool has_statistics(const LevelFacts& level) {
  return std::ranges::any_of(level.fields, [](const FieldDescription& field) {
    return field.name == "geotiff:stats" || field.name.starts_with("stats:");
  });
}

/// Rows that are evenly spread over a frame.
DataFrame evenly(const DataFrame& rows, int64_t most) {
  if (rows.num_rows() <= most) return rows;
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < most; ++i) positions.push_back((2 * i + 1) * rows.num_rows() / (2 * most));
  return rows.take(positions);
}

void add_histograms(const Dataset& dataset, BandStatisticsSummary& out) {
  const DataFrame rows = evenly(dataset.data(), kMostHistograms);
  for (const BandStatistics& band : stored_statistics(rows)) out.histograms.push_back(band.histogram);
  const bool has_any = std::ranges::any_of(out.histograms, [](const Histogram& one) { return one.count() > 0; });
  if (!has_any || out.histograms.size() != out.bands.size()) out.histograms.clear();
  out.num_samples = rows.num_rows();
}

void count_file(const fs::path& path, uint64_t& num_files, uint64_t& num_bytes) {
  std::error_code error;
  num_bytes += fs::file_size(path, error);
  if (error) throw IoError("cannot stat", {.path = path.string()}, error.value());
  ++num_files;
}

void count_folder(const fs::path& folder, uint64_t& num_files, uint64_t& num_bytes) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const bool is_folder = at->is_directory(error);
    if (error) throw IoError("cannot stat", {.path = at->path().string()}, error.value());
    is_folder ? count_folder(at->path(), num_files, num_bytes) : count_file(at->path(), num_files, num_bytes);
  }
  if (error) throw IoError("cannot be listed", {.path = folder.string()}, error.value());
}

/// 12.9 MB; 1 kB is 1000 bytes.
std::string bytes_in_words(double bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < std::size(kUnits)) bytes /= 1000, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || bytes >= 99.95 ? "%.0f" : "%.1f", bytes);
  return std::string(text) + " " + kUnits[unit];
}

}  // namespace

std::vector<ValueCounts> value_counts(const Dataset& dataset, const Facts& facts) {
  std::vector<ValueCounts> out;
  for (const std::string& column : countable_columns(facts)) {
    if_possible([&] {
      ValueCounts counts = count_values(dataset, facts, column);
      if (out.size() < kMostCharts && says_something(counts, facts)) out.push_back(std::move(counts));
    });
  }
  return out;
}

std::vector<BandStatisticsSummary> stored_band_statistics(const Dataset& dataset, const Facts& facts) {
  std::vector<BandStatisticsSummary> out;
  const auto add = [&](const std::string& child) {
    if_possible([&] {
      BandStatisticsSummary found{.child = child, .bands = stored_summary(dataset, {.child = child})};
      if (child.empty()) if_possible([&] { add_histograms(dataset, found); });
      if (!found.bands.empty()) out.push_back(std::move(found));
    });
  };
  if (!facts.levels.empty() && has_statistics(facts.levels[0])) add("");
  if (facts.levels.size() < 2 || !has_statistics(facts.levels[1])) return out;
  for (const TreeNode& child : pit_tree(facts.collection.pit_schema).children) {
    if (child.type == SampleType::File && out.size() < kMostStatistics) add(child.id);
  }
  return out;
}

std::string download_in_words(const Facts& facts) {
  uint64_t num_files = 0, num_bytes = 0;
  bool is_known = !facts.files.empty() || !facts.tables.empty();
  const auto add = [&](const std::vector<DataFile>& files) {
    for (const DataFile& file : files) {
      is_known = is_known && file.size_bytes;
      if (file.size_bytes) ++num_files, num_bytes += *file.size_bytes;
    }
  };
  add(facts.files);
  if (!is_v1(facts.format)) add(facts.tables);  // before 2.0 a table beside the file is none of its own
  if (facts.format == Format::Folder && is_known) {
    count_file(path_join(facts.folder, names::kCollection), num_files, num_bytes);
    count_folder(path_join(facts.folder, names::kData), num_files, num_bytes);
  }
  if (!is_known) return "";
  return bytes_in_words(static_cast<double>(num_bytes)) + " in " + grouped(num_files) +
         (num_files == 1 ? " file" : " files");
}

}  // namespace tacore::descriptions
