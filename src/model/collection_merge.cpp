#include "model/collection_merge.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked_math.hpp"
#include "base/longitude.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

const std::string& path_of(const PartCollection& part) { return part.path.empty() ? part.file : part.path; }

[[noreturn]] void differ(const PartCollection& part, const PartCollection& first, const std::string& what) {
  throw SchemaError("cannot be joined with " + quoted(path_of(first)) + ": " + what, {.path = path_of(part)});
}

std::string shown(SampleType type, const std::string& id) { return std::string(to_string(type)) + " " + quoted(id); }

/// Adds the counts of `part` to `sum`, which has the tree of `first`. A padding id of one part takes the id of another.
void add_pattern(PitPattern& sum, const PartCollection& part, const PartCollection& first, const PitPattern& pattern,
                 const std::string& where) {
  if (pattern.id.size() != sum.id.size()) {
    differ(
        part, first,
        where + " has " + std::to_string(pattern.id.size()) + " children, expected " + std::to_string(sum.id.size()));
  }
  for (std::size_t i = 0; i < sum.id.size(); ++i) {
    if (is_padding_id(pattern.id[i])) continue;
    if (is_padding_id(sum.id[i])) {
      sum.id[i] = pattern.id[i];
      sum.type[i] = pattern.type[i];
    }
    if (pattern.id[i] != sum.id[i] || pattern.type[i] != sum.type[i]) {
      differ(part, first,
             where + " has " + shown(pattern.type[i], pattern.id[i]) + " as child " + std::to_string(i) +
                 ", expected " + shown(sum.type[i], sum.id[i]));
    }
  }
  sum.n = checked_add(sum.n, pattern.n, "number of rows");
}

void add_tree(PitSchema& sum, const PartCollection& part, const PartCollection& first) {
  const PitSchema& pit = part.collection.pit_schema;
  if (pit.root_type != sum.root_type) {
    differ(part, first,
           std::string("its roots are ") + to_string(pit.root_type) + "s, expected " + to_string(sum.root_type) + "s");
  }
  if (pit.max_depth() != sum.max_depth()) {
    differ(
        part, first,
        "its tree is " + std::to_string(pit.max_depth()) + " levels deep, expected " + std::to_string(sum.max_depth()));
  }
  sum.root_n = checked_add(sum.root_n, pit.root_n, "number of samples");
  for (auto& [level, patterns] : sum.hierarchy) {
    const auto& others = pit.hierarchy.at(level);
    if (others.size() != patterns.size()) {
      differ(part, first,
             "level " + std::to_string(level) + " has " + std::to_string(others.size()) + " patterns, expected " +
                 std::to_string(patterns.size()));
    }
    for (std::size_t p = 0; p < patterns.size(); ++p) {
      add_pattern(patterns[p], part, first, others[p],
                  "pattern " + std::to_string(p) + " of level " + std::to_string(level));
    }
  }
}

bool is_internal(const FieldDescription& field) { return field.name.starts_with(names::kInternal); }

/// The fields without `internal:*`, in which containers differ; those are compared in the level tables.
std::set<std::pair<std::string, std::string>> fields_of(const Collection& collection) {
  std::set<std::pair<std::string, std::string>> out;
  for (const auto& [level, fields] : collection.field_schema) {
    for (const auto& field : fields) {
      if (!is_internal(field)) out.emplace(level, quoted(field.name) + " (" + field.type + ")");
    }
  }
  return out;
}

/// Eastward from `first` to `last`, which is beyond 180 where the box crosses the antimeridian; -180 <= first < 180.
struct Span {
  double first = 0, last = 0;
  double minx = 0, maxx = 0;  ///< as given
};

Span span_of(const BBox& box) {
  const double first = wrap_longitude(box.minx);
  const double width = box.minx <= box.maxx ? box.maxx - box.minx : box.maxx - box.minx + 360;
  return {first, first + std::min(width, 360.0), box.minx, box.maxx};
}

/// The longitudes from the end of the widest gap to its begin; of equal gaps, the one at the antimeridian counts.
std::pair<double, double> merge_longitudes(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.first < b.first; });
  const auto ends_before = [](const Span& a, const Span& b) { return a.last < b.last; };
  Span reach = *std::max_element(spans.begin(), spans.end(), ends_before);  // of the spans so far, the last end
  reach.last -= 360;                                                        // the one before the first span
  double widest = 0;
  std::pair<double, double> out{-180, 180};
  for (const Span& span : spans) {
    if (span.first - reach.last > widest) {
      widest = span.first - reach.last;
      out = {span.minx, reach.maxx};
    }
    reach = std::max(reach, span, ends_before);
  }
  if (widest > 0 && out.second - out.first >= 360) out.second -= 360;  // sides of two conventions
  return out;
}

}  // namespace

BBox merge_boxes(const std::vector<BBox>& boxes) {
  BBox out = boxes.at(0);
  std::vector<Span> spans;
  for (const BBox& box : boxes) {
    out.miny = std::min(out.miny, box.miny);
    out.maxy = std::max(out.maxy, box.maxy);
    spans.push_back(span_of(box));
  }
  std::tie(out.minx, out.maxx) = merge_longitudes(std::move(spans));
  return out;
}

bool contains(const BBox& box, const BBox& inner) {
  constexpr double kRounding = 1e-6;
  if (inner.miny < box.miny - kRounding || inner.maxy > box.maxy + kRounding) return false;
  const Span outside = span_of(box), inside = span_of(inner);
  const double width = outside.last - outside.first + 2 * kRounding;
  if (width >= 360) return true;
  double first = inside.first - outside.first + kRounding;
  if (first < 0) first += 360;
  return first + inside.last - inside.first <= width;
}

bool contains(const TimeRange& times, const TimeRange& inner) {
  return times.start <= inner.start && inner.end <= times.end;
}

void CollectionMerge::add(PartCollection part) {
  add_source(part);
  if (sum_.sources.size() > 1) {
    add_tree(sum_.pit_schema, part, first_);
    return add_fields(part);
  }
  Collection& all = part.collection;
  sum_.pit_schema = all.pit_schema;
  sum_.field_schema = all.field_schema;
  fields_ = fields_of(all);
  first_ = std::move(part);
}

void CollectionMerge::add_source(const PartCollection& part) {
  const Extent& extent = part.collection.extent;
  if (extent.spatial) boxes_.push_back(*extent.spatial);
  if (extent.temporal) {
    auto& all = sum_.extent.temporal;
    if (!all) all = extent.temporal;
    all->start = std::min(all->start, extent.temporal->start);
    all->end = std::max(all->end, extent.temporal->end);
  }
  sum_.sources.push_back({.id = part.collection.id, .file = part.file, .extent = extent});
}

void CollectionMerge::add_fields(const PartCollection& part) {
  if (!same_fields_) {
    for (const auto& [level, fields] : part.collection.field_schema) {
      auto& all = sum_.field_schema[level];
      std::set<std::string> known;
      for (const auto& field : all) known.insert(field.name);
      for (const auto& field : fields) {
        if (!known.insert(field.name).second) continue;
        all.insert(is_internal(field) ? all.end() : std::find_if(all.begin(), all.end(), is_internal), field);
      }
    }
    return;
  }
  const Fields here = fields_of(part.collection);
  std::vector<std::string> faults;
  for (const auto& field : here) {
    if (!fields_.contains(field)) faults.push_back(field.first + " has an additional column " + field.second);
  }
  for (const auto& field : fields_) {
    if (!here.contains(field)) faults.push_back(field.first + " lacks column " + field.second);
  }
  if (!faults.empty()) differ(part, first_, join(faults, "; "));
}

Collection CollectionMerge::result() const {
  Collection out = first_.collection;
  out.pit_schema = sum_.pit_schema;
  out.field_schema = sum_.field_schema;
  out.extent = sum_.extent;
  out.sources = sum_.sources;
  if (!boxes_.empty()) out.extent.spatial = merge_boxes(boxes_);
  return out;
}

}  // namespace tacore
