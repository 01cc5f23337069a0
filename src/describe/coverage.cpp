#include "describe/coverage.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/log.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/frame_stream.hpp"
#include "describe/items.hpp"
#include "model/collection_merge.hpp"
#include "table/arrow_stream.hpp"
#include "table/extent_sum.hpp"
#include "table/recomposed_batches.hpp"
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

bool is_whole(const View& view) {
  const auto* all = std::get_if<Union>(&view.base);
  return view.steps.empty() && (!all || std::all_of(all->parts.begin(), all->parts.end(),
                                                    [](const UnionPart& part) { return is_whole(*part.view); }));
}

/// One pass over the samples.
class Coverage {
 public:
  Coverage(const Dataset& dataset, const DescribeOptions& options, Facts& facts)
      : dataset_(dataset), options_(options), facts_(facts) {
    for (const Source& source : facts.collection.sources) sources_.insert(source.file);
    for (LevelFacts& level : facts.levels) level.has_intervals = false;
  }

  void see_all() {
    for (int level = 0; level < static_cast<int>(facts_.levels.size()); ++level) see_stored(level);
  }

  /// Level 0 as it is visible, a deeper level as it is stored.
  void see_stored(int level) { see(LevelItems(dataset_, facts_, level, options_, Columns::OfPlaces), level); }

  void warn() const {
    for (const auto& [level, seen] : levels_) {
      seen.oddities.warn(level);
      const ExtentSum sum = sum_of(seen);
      std::vector<std::string> gaps = sum.gaps_of_places();
      if (sum.fault()) gaps.emplace_back(sum.fault()->what());
      for (const auto& gap : gaps) log::warning("level " + std::to_string(level) + ": its extent: " + gap);
    }
  }

  /// Level 0 as it is visible, and below it the children that read() gives. Levels that it cannot reach are left out.
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

  Extent extent() const {
    ExtentSum out;
    for (const auto& [level, seen] : levels_) out.add(sum_of(seen));
    return out.extent();
  }
  /// The extent of a part; empty where no sample of it states one.
  Extent extent(const std::string& file) const {
    ExtentSum out;
    for (const auto& [level, seen] : levels_) {
      if (const auto sum = seen.sums.find(file); sum != seen.sums.end()) out.add(sum->second);
    }
    return out.extent();
  }
  /// Whether some level has a location for each of its samples.
  bool is_place_complete() const {
    return std::ranges::any_of(levels_, [](const auto& level) { return sum_of(level.second).is_place_complete(); });
  }
  bool is_time_complete() const {
    return std::ranges::any_of(levels_, [](const auto& level) { return level.second.are_timed.value_or(false); });
  }

 private:
  struct Seen {
    std::map<std::string, ExtentSum> sums = {};  ///< by part; "" where that is none of those listed
    std::optional<bool> are_timed = {};          ///< all samples, of which there is one
    Oddities oddities = {};
  };

  static ExtentSum sum_of(const Seen& level) {
    ExtentSum out;
    for (const auto& [file, sum] : level.sums) out.add(sum);
    return out;
  }

  void see(LevelItems items, int level) {
    constexpr int64_t kFewRows = 4096;
    Seen& seen = levels_[level];
    while (const auto batch = read_batch(*items.batches())) {
      const int64_t rows = num_rows(*batch);
      for (int64_t begin = 0; begin < rows; begin += kFewRows) {
        const auto some = items.read(*batch, begin, std::min(kFewRows, rows - begin), false);
        for (const Item& item : some) see(item, seen, facts_.levels[static_cast<std::size_t>(level)]);
        for (const Item& item : some) {
          if (level == 0) see_id(item.path);
        }
        for (auto first = some.begin(), last = first; first != some.end(); first = last) {
          const std::string part = part_of(*first);
          last = std::find_if(first, some.end(), [&](const Item& item) { return part_of(item) != part; });
          seen.sums.try_emplace(part, options_.transformer)
              .first->second.add(*batch, begin + (first - some.begin()), last - first,
                                 {.path = part, .offset = {}, .level = level});
        }
      }
    }
    seen.oddities.add(items.oddities());
  }

  void see(const Item& item, Seen& seen, LevelFacts& facts) const {
    const bool is_timed = item.start || item.middle || item.end;
    seen.are_timed = seen.are_timed.value_or(true) && is_timed;
    if (!item.split.empty() && facts.splits.size() < kMostSplits) facts.splits.insert(item.split);
    facts.has_unknown_times = facts.has_unknown_times || (item.has_time_columns && !is_timed);
    facts.has_intervals = facts.has_intervals || !is_timed || (item.end && item.end != item.start);
  }

  void see_id(const std::string& id) {
    if (facts_.suffixes.size() < kMostSplits) {
      facts_.suffixes.insert(suffix_of(id));
    }
    const bool is_new = facts_.files.size() < 2 || ids_.insert(std::hash<std::string>()(id)).second;
    facts_.has_repeated_ids = facts_.has_repeated_ids || !is_new;
  }

  std::string part_of(const Item& item) const { return sources_.contains(item.data.name) ? item.data.name : ""; }

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
  std::set<std::string> sources_ = {};        ///< the parts that are listed
  std::unordered_set<std::size_t> ids_ = {};  ///< hashes of those at level 0
  std::map<int, Seen> levels_ = {};
  std::vector<int64_t> num_rows_ = {};  ///< of the levels of a view
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
  const bool is_all = is_whole(impl_of(dataset)->view());
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
