#include "selection.hpp"

#include <algorithm>

#include "extent_text.hpp"

namespace tacore::cli {
namespace {

bool has(const std::vector<Column>& columns, const char* name) {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
}

/// What a box tests: as FilterOptions::column "auto" has it.
std::string tested_by_box(const Selection& selection, const std::vector<Column>& columns) {
  if (selection.footprint) return "the footprint";
  for (const char* name : {"istac:geometry", "stac:centroid", "istac:centroid"}) {
    if (has(columns, name)) return name;
  }
  return "another column";
}

}  // namespace

void check_selection(const Selection& selection) {
  if (!selection.level || !selection.where.empty()) return;
  throw UsageError(
      "--level is the level that --bbox and --datetime test, and neither is given; "
      "for the rows of a level: \"SELECT * FROM level1\"");
}

Dataset select(const Selection& selection) {
  Dataset dataset = load(selection.path, selection.load);
  const FilterOptions at{.level = selection.level.value_or(0)};
  if (const auto& box = selection.where.bbox)
    dataset = dataset.filter_bbox(*box, {.column = selection.footprint ? "footprint" : "auto", .level = at.level});
  if (selection.where.datetime) dataset = dataset.filter_datetime(*selection.where.datetime, at);
  return selection.sql ? dataset.sql(*selection.sql) : dataset;
}

std::string why_empty(const Selection& selection, const Dataset& dataset) {
  const BBox& box = *selection.where.bbox;
  const int level = selection.level.value_or(0);
  const auto columns = dataset.level_columns(level);
  std::string out =
      "no sample: --bbox tested " + tested_by_box(selection, columns) + " of level " + std::to_string(level);
  if (!selection.footprint && has(columns, "stac:geotransform")) out += " (--footprint tests what samples cover)";
  const auto& extent = dataset.extent().spatial;
  if (!extent) return out;
  out += "; the dataset covers " + in_words(*extent);
  const BBox swapped{box.miny, box.minx, box.maxy, box.maxx};
  if (!extent->intersects(box) && swapped.valid() && extent->intersects(swapped))
    out += "; are longitude and latitude swapped?";
  return out;
}

}  // namespace tacore::cli
