#include "assets/order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "assets/place_grid.hpp"
#include "base/number_text.hpp"
#include "format/names.hpp"

namespace tacore::assets {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
/// Times the standard error by which a difference has to exceed 0.
constexpr double kSignificant = 6;
/// The part of the rows that may disagree in an order that is taken for the right one.
constexpr double kMostWrong = 0.01;
/// The part of the rows whose time has to occur among those of the files.
constexpr double kLeastFound = 0.95;
/// The part of the compared rows that have to agree before a column is taken for a claim by its name alone, and how
/// many.
constexpr double kMostAgree = 0.9;
constexpr std::size_t kLeastCompared = 10;

/// Matches rows with statements. `fits(i)`: the statement of row i is among those that fit its file. `candidates(i)`:
/// the rows whose statement fits the file of row i, the best first; asked for again rather than kept, since in a series
/// of images of one place every statement fits every file.
class Matcher {
 public:
  explicit Matcher(std::size_t size) : from_(size, kNone), used_(size, false) {}

  /// Rows that fit where they are stay; then come rows that only one statement fits; then the others, in their order.
  template <class Fits, class Candidates>
  std::optional<Order> match(const Fits& fits, const Candidates& candidates) {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (fits(i)) take(i, i);
    }
    Order out;
    for (const bool is_unique : {true, false}) {
      for (std::size_t i = 0; i < from_.size(); ++i) {
        if (from_[i] != kNone) continue;
        const std::vector<std::size_t>& fitting = candidates(i);
        if (is_unique && fitting.size() != 1) continue;
        const auto free = std::ranges::find_if(fitting, [&](std::size_t j) { return !used_[j]; });
        if (free == fitting.end()) continue;
        take(i, *free);
        if (!is_unique) ++out.num_ambiguous;
      }
    }
    // What is left over belongs together if it is one row, or stays where it is.
    std::vector<std::size_t> open, unused;
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (from_[i] == kNone && !used_[i]) take(i, i);
    }
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (from_[i] == kNone) open.push_back(i);
      if (!used_[i]) unused.push_back(i);
    }
    if (open.size() > 1) return std::nullopt;
    if (open.size() == 1) take(open[0], unused[0]);
    for (std::size_t i = 0; i < from_.size(); ++i) out.num_moved += from_[i] != i;
    if (out.num_moved == 0) return std::nullopt;
    out.from = std::move(from_);
    return out;
  }

 private:
  void take(std::size_t row, std::size_t statement) {
    from_[row] = statement;
    used_[statement] = true;
  }

  std::vector<std::size_t> from_;
  std::vector<bool> used_;
};

/// By equal keys.
std::optional<Order> match_keys(const std::vector<std::string>& stated, const std::vector<std::string>& found) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < stated.size(); ++i) {
    if (!stated[i].empty()) rows[stated[i]].push_back(i);
  }
  static const std::vector<std::size_t> none;
  return Matcher(stated.size())
      .match([&](std::size_t i) { return !found[i].empty() && stated[i] == found[i]; },
             [&](std::size_t i) -> const std::vector<std::size_t>& {
               const auto fitting = found[i].empty() ? rows.end() : rows.find(found[i]);
               return fitting == rows.end() ? none : fitting->second;
             });
}

/// By the nearest stated place, within a quarter of the raster.
std::optional<Order> match_places(const StatedPlaces& stated, const std::vector<std::optional<Place>>& found) {
  double cell = 1e-4;  // degrees, as wide as the largest distance that is looked for
  const auto reach = [&](const Place& place) { return place.radius / 4 + stated.tolerance; };
  for (const auto& place : found) {
    if (place) cell = std::max(cell, reach(*place));
  }
  if (cell > 5) return std::nullopt;  // rasters of continents are not told apart by their centres
  const PlaceGrid grid(cell);
  std::map<PlaceGrid::Cell, std::vector<std::size_t>> cells;
  for (std::size_t j = 0; j < stated.places.size(); ++j) {
    if (stated.places[j]) cells[grid.cell_of(*stated.places[j])].push_back(j);
  }
  // One that is much nearer than all others is the only one; none is where this one is as near as rounding allows.
  constexpr double kNearest = 1e-7;  // degrees
  const auto candidates = [&](std::size_t i) {
    std::vector<std::pair<double, std::size_t>> near;
    if (found[i]) {
      const Place& place = *found[i];
      for (const PlaceGrid::Cell& around : grid.around(place.centre)) {
        const auto here = cells.find(around);
        if (here == cells.end()) continue;
        for (const std::size_t j : here->second) {
          const double apart = distance(*stated.places[j], place.centre);
          if (apart <= reach(place)) near.emplace_back(apart, j);
        }
      }
    }
    std::ranges::sort(near);
    if (near.size() > 1 && near[1].first > 4 * near[0].first + kNearest) near.resize(1);
    std::vector<std::size_t> out;
    for (const auto& [apart, j] : near) out.push_back(j);
    return out;
  };
  const auto fits = [&](std::size_t i) {
    if (!found[i] || !stated.places[i]) return false;
    const double apart = distance(*stated.places[i], found[i]->centre);
    if (apart > reach(*found[i])) return false;
    if (apart <= kNearest) return true;
    const auto near = candidates(i);
    return std::ranges::find(near, i) != near.end();
  };
  return Matcher(found.size()).match(fits, candidates);
}

/// A grid to a tenth of a pixel; "" where it is not known.
std::string grid_key(const std::string& crs, const std::optional<std::array<double, 6>>& grid) {
  if (crs.empty() || !grid) return {};
  const auto& t = *grid;
  const double pixel = std::max(std::hypot(t[1], t[4]), std::hypot(t[2], t[5]));
  if (!(pixel > 0)) return {};
  const auto rounded = [&](double number) { return std::to_string(std::llround(10 * number / pixel)); };
  return crs + " " + rounded(t[0]) + " " + rounded(t[3]) + " " + rounded_number_text(t[1], 6) + " " +
         rounded_number_text(t[5], 6);
}

/// Finds the order of one layer.
class LayerOrder {
 public:
  LayerOrder(const Survey& survey, const ClaimedLayer& claimed)
      : survey_(survey), claimed_(claimed), layer_(survey.layers[claimed.layer]) {}

  /// `known`: the orders of other layers, of which one is likely to be that of this one.
  std::optional<Order> find(const std::vector<Order>& known) {
    if (!is_suspect()) return std::nullopt;
    std::optional<Order> best;
    double best_part = 0;
    const auto propose = [&](std::optional<Order> order, const std::string& key) {
      if (!order) return;
      order->layer = claimed_.layer;
      order->key = key;
      const double part = explained_part(*order);
      if (part <= best_part) return;
      best_part = part;
      best = std::move(order);
    };
    for (const Order& other : known) propose(order_like(other), other.key + ", as in " + layer_name(other.layer));
    propose(by_grids(), "the CRS and geotransform of each file");
    if (const auto stated = stated_places(survey_, layer_); stated && !layer_.places.empty())
      propose(match_places(*stated, layer_.places), "the place of each file");
    propose(by_times(true), "the times in the files of each sample");
    propose(by_times(false), "the time in each file");
    if (!best || best_part < 1 - kMostWrong) return std::nullopt;
    choose_columns(*best);
    if (best->columns.empty()) return std::nullopt;
    return best;
  }

 private:
  std::string layer_name(std::size_t number) const {
    const std::string& name = survey_.layers[number].name;
    return name.empty() ? "the samples" : name;
  }

  bool is_suspect() const {
    for (std::size_t c = 0; c < claimed_.claims.size(); ++c) {
      if (claimed_.found[c].rows.size() >= 2) return true;
    }
    return false;
  }

  const std::vector<Value>& values(int column) {
    auto found = values_.find(column);
    if (found == values_.end()) found = values_.emplace(column, values_of(survey_, layer_, column)).first;
    return found->second;
  }

  /// Of the rows that an order moves, those that disagree in place and in that order; {0, 0} for a guess that is
  /// believed in neither.
  std::pair<std::size_t, std::size_t> wrong_before_and_after(const Claim& claim, const Order& order) {
    const auto& all = values(claim.number);
    Disagreements before, after;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (order.from[i] == i) continue;
      before.add(claim.agrees(all[i], i));
      after.add(claim.agrees(all[order.from[i]], i));
    }
    if (!is_believed(claim, before.compared, before.wrong) && !is_believed(claim, after.compared, after.wrong))
      return {};
    return {before.wrong, after.wrong};
  }
  struct Disagreements {
    std::size_t compared = 0, wrong = 0;
    void add(std::optional<bool> agrees) {
      compared += agrees.has_value();
      wrong += agrees == false;
    }
  };

  /// The part of the rows that this order moves which then agree with their files, by the claim that it suits best; 0
  /// where no claim speaks for it.
  double explained_part(const Order& order) {
    double out = 0;
    for (const Claim& claim : claimed_.claims) {
      const auto [before, after] = wrong_before_and_after(claim, order);
      // Most moved rows must have disagreed: a claim that says little proves little.
      if (2 * before < order.num_moved || before < 2) continue;
      out = std::max(out, 1 - static_cast<double>(after) / static_cast<double>(before));
    }
    return out;
  }

  std::optional<Order> order_like(const Order& other) const {
    const Layer& there = survey_.layers[other.layer];
    std::unordered_map<int64_t, std::size_t> index;
    for (std::size_t i = 0; i < layer_.size(); ++i) index.emplace(layer_.roots[i], i);
    if (index.size() != layer_.size()) return std::nullopt;
    Order out{.num_ambiguous = other.num_ambiguous};
    out.from.resize(layer_.size());
    std::iota(out.from.begin(), out.from.end(), std::size_t{0});
    for (std::size_t i = 0; i < there.size(); ++i) {
      const auto to = index.find(there.roots[i]), from = index.find(there.roots[other.from[i]]);
      if (to == index.end() || from == index.end()) return std::nullopt;
      out.from[to->second] = from->second;
      out.num_moved += to != from;
    }
    return out;
  }

  std::optional<Order> by_grids() {
    const auto& table = survey_.container->stored_level(layer_.level);
    const int crs = table->find("stac:crs"), transform = table->find("stac:geotransform");
    if (layer_.type != SampleType::File || crs < 0 || transform < 0) return std::nullopt;
    std::vector<std::string> stated(layer_.size()), found(layer_.size());
    for (std::size_t i = 0; i < layer_.size(); ++i) {
      const auto* name = values(crs)[i].get<std::string>();
      const auto numbers = numbers_of(values(transform)[i]);
      if (name && numbers && numbers->size() == 6) {
        std::array<double, 6> grid = {};
        std::ranges::copy(*numbers, grid.begin());
        stated[i] = grid_key(*name, grid);
      }
      if (layer_.facts[i].kind) found[i] = grid_key(layer_.facts[i].kind->crs, layer_.facts[i].geotransform);
    }
    return match_keys(stated, found);
  }

  /// By the first column of times that occur among those of the files. Scenes of one orbit share their second: with the
  /// times of the other files of their samples, in layers like this one, they are told apart.
  std::optional<Order> by_times(bool with_siblings) {
    if (layer_.type != SampleType::File) return std::nullopt;
    std::vector<const Layer*> layers{&layer_};
    for (const Layer& other : survey_.layers) {
      const bool is_sibling = &other != &layer_ && other.level == layer_.level && other.type == SampleType::File;
      if (with_siblings && is_sibling && other.roots == layer_.roots) layers.push_back(&other);
    }
    if (with_siblings && layers.size() == 1) return std::nullopt;
    const auto add = [](std::string& key, std::optional<int64_t> microseconds) {
      key += (microseconds ? std::to_string(*microseconds / kSecond) : std::string()) + ";";
    };
    std::vector<std::string> found(layer_.size());
    for (const Layer* layer : layers) {
      for (std::size_t i = 0; i < layer_.size(); ++i) add(found[i], layer->facts[i].time);
    }
    std::unordered_map<std::string_view, std::size_t> counts;
    for (const std::string& text : found) ++counts[text];
    for (const Claim& claim : claimed_.claims) {
      if (claim.means != "the time") continue;
      std::vector<std::string> stated(layer_.size());
      for (const Layer* layer : layers) {
        const auto values = values_of(survey_, *layer, claim.number);
        for (std::size_t i = 0; i < layer_.size(); ++i) add(stated[i], time_of(values[i]));
      }
      const auto num_found = std::ranges::count_if(stated, [&](const auto& key) { return counts.contains(key); });
      if (static_cast<double>(num_found) >= kLeastFound * static_cast<double>(layer_.size()))
        return match_keys(stated, found);
    }
    return std::nullopt;
  }

  /// Pairs of moved rows whose files are neighbours, along a curve over the globe.
  std::vector<std::pair<std::size_t, std::size_t>> neighbours(const Order& order) const {
    std::vector<std::pair<uint64_t, std::size_t>> curve;
    for (std::size_t i = 0; i < layer_.size(); ++i) {
      if (order.from[i] == i || i >= layer_.places.size() || !layer_.places[i]) continue;
      const LonLat& at = layer_.places[i]->centre;
      const auto x = static_cast<uint64_t>((std::remainder(at.lon, 360) + 180) / 360 * 65535);
      const auto y = static_cast<uint64_t>((at.lat + 90) / 180 * 65535);
      uint64_t code = 0;
      for (int bit = 0; bit < 16; ++bit) code |= (x >> bit & 1) << 2 * bit | (y >> bit & 1) << (2 * bit + 1);
      curve.emplace_back(code, i);
    }
    std::ranges::sort(curve);
    std::vector<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t k = 1; k < curve.size(); ++k) out.emplace_back(curve[k - 1].second, curve[k].second);
    return out;
  }

  /// The values as numbers from 0 to 1: ranks of numbers and times; of texts a number for each text, which can only be
  /// compared for equality. Empty for a column of one value, and for lists and bytes.
  std::vector<double> ranks(int column, bool& is_ordered) {
    const auto& all = values(column);
    std::map<std::pair<double, std::string>, double> rank;
    is_ordered = true;
    const auto key = [](const Value& value) -> std::optional<std::pair<double, std::string>> {
      if (value.is_null()) return std::pair{-std::numeric_limits<double>::infinity(), std::string()};
      if (const auto number = number_of(value)) return std::pair{std::isnan(*number) ? -1e308 : *number, std::string()};
      if (const auto* time = value.get<Timestamp>())
        return std::pair{static_cast<double>(time->microseconds), std::string()};
      if (const auto* truth = value.get<bool>()) return std::pair{*truth ? 1.0 : 0.0, std::string()};
      if (const auto* text = value.get<std::string>()) return std::pair{0.0, *text};
      return std::nullopt;
    };
    for (const Value& value : all) {
      const auto its = key(value);
      if (!its) return {};
      is_ordered = is_ordered && its->second.empty();
      ++rank[*its];
    }
    if (rank.size() < 2) return {};
    double before = 0;
    for (auto& [_, count] : rank) {
      const double own = count;
      count = (before + own / 2) / static_cast<double>(all.size());
      before += own;
    }
    std::vector<double> out;
    for (const Value& value : all) out.push_back(rank.at(*key(value)));
    return out;
  }

  /// How many standard errors the values of neighbours are more similar in the other order; negative: less similar.
  double similarity_gain(int column, const Order& order,
                         const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
    bool is_ordered = false;
    const auto rank = ranks(column, is_ordered);
    if (rank.empty() || pairs.size() < 30) return 0;
    const auto apart = [&](std::size_t a, std::size_t b) {
      return is_ordered ? std::abs(rank[a] - rank[b]) : static_cast<double>(rank[a] != rank[b]);
    };
    double sum = 0, squares = 0;
    for (const auto& [a, b] : pairs) {
      const double gain = apart(a, b) - apart(order.from[a], order.from[b]);
      sum += gain;
      squares += gain * gain;
    }
    const auto count = static_cast<double>(pairs.size());
    const double mean = sum / count, spread = std::sqrt(std::max(0.0, squares / count - mean * mean) / count);
    return spread > 0 ? mean / spread : 0;
  }

  /// Decides for each column whether its values moved.
  void choose_columns(Order& order) {
    const auto pairs = neighbours(order);
    const auto& columns = survey_.container->stored_level(layer_.level)->columns();
    for (int number = 0; number < static_cast<int>(columns.size()); ++number) {
      const std::string& name = columns[static_cast<std::size_t>(number)].name;
      // Publishers assign splits; they describe no place.
      const bool is_fixed = name == names::kId || name == names::kType || names::is_internal(name) || name == "split" ||
                            name == "tortilla:data_split";
      if (is_fixed) continue;
      std::optional<bool> moves;
      for (const Claim& claim : claimed_.claims) {
        if (claim.number != number) continue;
        const auto [before, after] = wrong_before_and_after(claim, order);
        if (before + after > 0) moves = after < before;
      }
      if (moves) {
        if (*moves) order.columns.push_back({number, name, Evidence::Files});
        continue;
      }
      const bool is_compared = std::ranges::any_of(claimed_.claims, [&](const Claim& claim) {
        const auto& found = claimed_.found[static_cast<std::size_t>(&claim - claimed_.claims.data())];
        return claim.number == number && !claim.is_guess && found.num_compared > 0;
      });
      const auto& all = values(number);
      bool differs = false;
      for (std::size_t i = 0; i < all.size() && !differs; ++i) differs = all[order.from[i]] != all[i];
      if (is_compared || !differs) continue;  // it agrees with the files where it is, or has one value
      const double gain = similarity_gain(number, order, pairs);
      if (gain > -kSignificant)
        order.columns.push_back({number, name, gain > kSignificant ? Evidence::Neighbours : Evidence::None});
    }
  }

  const Survey& survey_;
  const ClaimedLayer& claimed_;
  const Layer& layer_;
  std::unordered_map<int, std::vector<Value>> values_;
};

}  // namespace

bool is_believed(const Claim& claim, std::size_t num_compared, std::size_t num_wrong) {
  if (!claim.is_guess) return true;
  return num_compared >= kLeastCompared &&
         static_cast<double>(num_compared - num_wrong) >= kMostAgree * static_cast<double>(num_compared);
}

std::vector<Order> find_orders(const Survey& survey, const std::vector<ClaimedLayer>& claimed) {
  std::vector<Order> out;
  for (const ClaimedLayer& one : claimed) {
    if (auto order = LayerOrder(survey, one).find(out)) out.push_back(std::move(*order));
  }
  return out;
}

}  // namespace tacore::assets
