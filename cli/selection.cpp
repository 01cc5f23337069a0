#include "selection.hpp"

namespace tacore::cli {

void check_selection(const Selection& selection) {
  if (!selection.level || !selection.where.empty()) return;
  throw UsageError(
      "--level is the level that --bbox and --datetime test, and neither is given; "
      "for the rows of a level: \"SELECT * FROM level1\"");
}

Dataset select(const Selection& selection) {
  Dataset dataset = load(selection.path, {.base_path = selection.base_path});
  const FilterOptions at{.level = selection.level.value_or(0)};
  if (selection.where.bbox) dataset = dataset.filter_bbox(*selection.where.bbox, at);
  if (selection.where.datetime) dataset = dataset.filter_datetime(*selection.where.datetime, at);
  return selection.sql ? dataset.sql(*selection.sql) : dataset;
}

}  // namespace tacore::cli
