#include "describe/coverage.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "describe/items.hpp"
#include "model/collection_merge.hpp"
#include "reader/dataset_impl.hpp"
#include "reader/frame_stream.hpp"
#include "tacore/error.hpp"

namespace tacore::descriptions {
namespace {

TimeRange both(const TimeRange& a, const TimeRange& b) { return {std::min(a.start, b.start), std::max(a.end, b.end)}; }

Extent both(const Extent& a, const Extent& b) {
  Extent out = a;
  if (b.spatial) out.spatial = a.spatial ? merge_boxes({*a.spatial, *b.spatial}) : *b.spatial;
  if (b.temporal) out.temporal = a.temporal ? both(*a.temporal, *b.temporal) : *b.temporal;
  return out;
}

/// Boxes and times of samples, put together.
class Covered {
 public:
  void add(const Item& item) {
    if (item.footprint) {
      if (boxes_.size() == kMost) boxes_ = {merge_boxes(boxes_)};
      boxes_.push_back(item.footprint->box);
    }
    for (const auto& time : {item.start, item.middle, item.end}) {
      if (time) time_ = time_ ? both(*time_, {*time, *time}) : TimeRange{*time, *time};
    }
  }
  Extent extent() const {
    return {.spatial = boxes_.empty() ? std::nullopt : std::optional(merge_boxes(boxes_)), .temporal = time_};
  }

 private:
  static constexpr std::size_t kMost = 1 << 18;  // 8 MiB

  std::vector<BBox> boxes_ = {};
  std::optional<TimeRange> time_ = {};
};

bool is_whole(const View& view) {
  const auto* all = std::get_if<Union>(&view.base);
  return view.steps.empty() && (!all || std::all_of(all->parts.begin(), all->parts.end(),
                                                    [](const UnionPart& part) { return is_whole(*part.view); }));
}

constexpr std::size_t kMostSplits = 100;  // more are not what the column is called

/// One pass over the samples.
class Coverage {
 public:
  Coverage(const Dataset& dataset, const DescribeOptions& options, Facts& facts)
      : dataset_(dataset), options_(options), facts_(facts) {
    for (const Source& source : facts.collection.sources) sources_[source.file];
    for (LevelFacts& level : facts.levels) level.has_intervals = false;
  }

  void see_all() {
    for (int level = 0; level < static_cast<int>(facts_.levels.size()); ++level) see_stored(level);
  }

  /// Level 0 as it shows, a deeper one as it is stored.
  void see_stored(int level) { see(LevelItems(dataset_, facts_, level, options_, Columns::OfPlaces), level); }

  void warn() const {
    for (const auto& [level, oddities] : oddities_) oddities.warn(level);
  }

  /// Level 0 as it shows, and what read() gives below it. Levels that nobody can read from here are left out.
  void see_view() {
    see_stored(0);
    num_rows_.assign(facts_.levels.size(), 0);
    num_rows_[0] = facts_.levels[0].num_rows;
    if (num_rows_.size() > 1) {
      try {
        see_children(dataset_.data(), 0);
      } catch (const NavigationError&) {
        num_rows_.resize(1);
      }
    }
    while (num_rows_.size() > 1 && num_rows_.back() == 0) num_rows_.pop_back();
    facts_.levels.resize(num_rows_.size());
    for (std::size_t level = 1; level < num_rows_.size(); ++level) {
      facts_.levels[level].num_rows = num_rows_[level];
      auto& patterns = facts_.collection.pit_schema.hierarchy[static_cast<int>(level)];
      if (patterns.size() == 1) patterns[0].n = static_cast<uint64_t>(num_rows_[level]);
    }
  }

  Extent extent() const { return all_.extent(); }
  /// Whether some level says it of every sample.
  bool is_place_complete() const { return is_place_complete_; }
  bool is_time_complete() const { return is_time_complete_; }
  /// Of a part; nothing where it has none.
  Extent extent(const std::string& file) const { return sources_.at(file).extent(); }

 private:
  void see(LevelItems items, int level) {
    LevelFacts& facts = facts_.levels[static_cast<std::size_t>(level)];
    bool is_any = false, are_placed = true, are_timed = true;
    items.for_each(false, [&](const Item& item) {
      all_.add(item);
      if (const auto source = sources_.find(item.data.name); source != sources_.end()) source->second.add(item);
      const bool is_timed = item.start || item.middle || item.end;
      is_any = true;
      are_placed = are_placed && item.footprint && !item.is_rough;
      are_timed = are_timed && is_timed;
      if (!item.split.empty() && facts.splits.size() < kMostSplits) facts.splits.insert(item.split);
      facts.has_unknown_times = facts.has_unknown_times || (item.has_time_columns && !is_timed);
      facts.has_intervals = facts.has_intervals || !is_timed || (item.end && item.end != item.start);
    });
    oddities_[level].add(items.oddities());
    is_place_complete_ = is_place_complete_ || (is_any && are_placed);
    is_time_complete_ = is_time_complete_ || (is_any && are_timed);
  }

  void see_children(const DataFrame& rows, int level) {
    const int below = level + 1;
    if (below == static_cast<int>(num_rows_.size())) return;
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      const Node node = rows.read(row);
      const auto* children = std::get_if<DataFrame>(&node);
      if (!children || children->num_rows() == 0) continue;
      num_rows_[static_cast<std::size_t>(below)] += children->num_rows();
      see(LevelItems(frame_batches(*children), dataset_, facts_, below, options_, Columns::OfPlaces), below);
      see_children(*children, below);
    }
  }

  const Dataset& dataset_;
  const DescribeOptions& options_;
  Facts& facts_;
  Covered all_ = {};
  std::map<std::string, Covered, std::less<>> sources_ = {};
  std::map<int, Oddities> oddities_ = {};
  std::vector<int64_t> num_rows_ = {};  ///< of the levels of a view
  bool is_place_complete_ = false, is_time_complete_ = false;
};

}  // namespace

void forget_globe(Extent& extent) {
  const auto& box = extent.spatial;
  if (box && box->minx == -180 && box->miny == -90 && box->maxx == 180 && box->maxy == 90) extent.spatial.reset();
}

void set_extent(const Dataset& dataset, const DescribeOptions& options, int items_level, Facts& facts) {
  Collection& collection = facts.collection;
  forget_globe(collection.extent);
  for (Source& source : collection.sources) forget_globe(source.extent);
  const bool is_all = is_whole(dataset.impl()->view());
  Coverage coverage(dataset, options, facts);
  if (!is_all && items_level > 0) coverage.see_stored(items_level);
  is_all ? coverage.see_all() : coverage.see_view();
  coverage.warn();
  const bool is_stated = is_v1(facts.format);
  Extent stated = collection.extent;
  if (!is_all || (coverage.is_place_complete() && !is_stated)) stated.spatial.reset();
  if (!is_all || (coverage.is_time_complete() && !is_stated)) stated.temporal.reset();
  collection.extent = both(coverage.extent(), stated);
  for (Source& source : collection.sources) {
    const Extent seen = coverage.extent(source.file);
    if (seen.spatial || !is_all) source.extent.spatial = seen.spatial;
    if (seen.temporal || !is_all) source.extent.temporal = seen.temporal;
  }
}

}  // namespace tacore::descriptions
