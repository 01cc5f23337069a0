#include "writer/extent.hpp"

#include "base/log.hpp"
#include "model/collection_merge.hpp"
#include "table/extent_sum.hpp"

namespace tacore {
Extent stated_extent(const Tree& tree, const ExtentRules& rules) {
  ExtentSum sum(rules.transformer);
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level) {
    const auto& table = tree.levels[static_cast<std::size_t>(level)].columns;
    if (table) sum.add(*table, level);
    if (sum.fault() && rules.is_strict) throw *sum.fault();
  }
  std::vector<std::string> gaps = sum.gaps();
  if (sum.fault()) gaps.emplace_back(sum.fault()->what());
  for (const auto& gap : gaps) {
    if (!rules.warn_as.empty()) log::warning(rules.warn_as + ": its extent: " + gap);
  }
  return sum.extent();
}

Extent completed(const Extent& given, const Extent& found) {
  Extent out = given;
  if (!out.spatial) out.spatial = found.spatial.value_or(BBox{});
  if (!out.temporal) out.temporal = found.temporal;
  return out;
}

Extent corrected(const Extent& stated, const Extent& found) {
  Extent out = stated;
  if (out.spatial && found.spatial && !contains(*out.spatial, *found.spatial)) out.spatial = found.spatial;
  if (out.temporal && found.temporal && !contains(*out.temporal, *found.temporal)) out.temporal = found.temporal;
  return out;
}

void warn_of_extent(const Extent& given, const Extent& found, const std::string& output) {
  const auto& [box, times] = found;
  if (!given.spatial && !box) {
    log::warning(output +
                 ": no sample has a location (stac:centroid, stac:geotransform, istac:geometry, istac:centroid), so "
                 "its extent is the whole globe");
  }
  if (given.spatial && box && !contains(*given.spatial, *box)) {
    log::warning(output + ": the given extent leaves out samples, whose bounding box is [" + std::to_string(box->minx) +
                 ", " + std::to_string(box->miny) + ", " + std::to_string(box->maxx) + ", " +
                 std::to_string(box->maxy) + "]");
  }
  if (given.temporal && times && !contains(*given.temporal, *times)) {
    log::warning(output + ": the given extent leaves out samples, whose times are " + times->start.to_string() +
                 " to " + times->end.to_string());
  }
}

}  // namespace tacore
