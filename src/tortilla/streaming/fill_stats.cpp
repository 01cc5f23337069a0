#include "tortilla/streaming/fill_stats.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "format/tortilla_names.hpp"
#include "model/identifier.hpp"
#include "tacore/extensions/geotiff_stats.hpp"
#include "tortilla/file_format.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore::v1 {
namespace {

/// The values of a field by row; null where the level lacks the field.
std::vector<Value> values_of(const Tortilla& samples, std::string_view key, int level) {
  const auto fields = samples.fields(level);
  const bool is_there = std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.name == key; });
  return is_there ? samples.column(key, level)
                  : std::vector<Value>(static_cast<std::size_t>(samples.num_samples(level)));
}

bool is_geotiff(const TreeLevel& rows, std::size_t row, const Value& given) {
  if (rows.types[row] == SampleType::Folder || is_padding_id(rows.ids[row])) return false;
  const auto* name = given.get<std::string>();
  const std::string format = name ? spelled_format(*name) : guess_format(rows.payloads[row]);
  return format == "GTiff" || format == "COG";
}

/// Computes the missing values of `columns`, one for each field of `stats`, at one level. False without GeoTIFFs.
bool fill(const Tortilla& samples, int level, const SampleExtension& stats, std::vector<MetadataColumn>& columns,
          int jobs, const std::function<void()>& go_on) {
  const auto formats = values_of(samples, columns::kFileFormat, level);
  const TreeLevel& rows = impl_of(samples)->tree.levels[static_cast<std::size_t>(level)];
  std::vector<char> is_any(formats.size(), 0);
  run_parallel(formats.size(), jobs, [&](std::size_t row) {
    if (!is_geotiff(rows, row, formats[row])) return;
    is_any[row] = 1;
    go_on();
    const auto is_missing = [&](const auto& column) { return column.values[row].is_null(); };
    if (std::none_of(columns.begin(), columns.end(), is_missing)) return;
    auto computed = stats.compute(samples.sample(static_cast<int64_t>(row), level));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (is_missing(columns[c])) columns[c].values[row] = std::move(computed[c]);
    }
  });
  return std::find(is_any.begin(), is_any.end(), 1) != is_any.end();
}

}  // namespace

Tortilla fill_stats(const Tortilla& samples, const RasterOpener* fallback, int jobs,
                    const std::function<void()>& go_on) {
  const extensions::Stats stats(fallback);
  Tortilla out = samples;
  for (int level = 0; level <= samples.depth(); ++level) {
    std::vector<MetadataColumn> columns;
    for (const auto& field : stats.schema())
      columns.push_back({field.name, values_of(samples, field.name, level), field.type, field.description});
    if (!fill(samples, level, stats, columns, jobs, go_on)) continue;
    const auto fields = samples.fields(level);
    for (const auto& column : columns) {
      if (std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.name == column.key; }))
        out = out.pop(column.key, level);
    }
    out = out.extend_with(columns, level);
  }
  return out;
}

}  // namespace tacore::v1
