#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <tuple>
#include <unordered_map>

#include "assets/findings.hpp"
#include "assets/place_grid.hpp"
#include "assets/words.hpp"
#include "base/text.hpp"
#include "container/read_hints.hpp"
#include "container/zip_directory.hpp"
#include "container/zip_offsets.hpp"
#include "format/names.hpp"
#include "io/byte_source.hpp"

namespace tacore::assets {
namespace {

std::string sample_text(const Survey& survey, const Layer& layer, std::size_t index) {
  return in_quotes(survey.container->relative_path(layer.level, layer.rows[index]));
}

/// AST-27: files with the same bytes that lie at the same place: the same CRC-32 in the ZIP, size and header.
void find_duplicates(const Survey& survey, std::vector<Finding>& out) {
  const Container& container = *survey.container;
  if (container.format() != Format::Zip || !container.is_local() || !container.storage()) return;
  std::unordered_map<std::string, uint32_t> checksums;
  for (const auto& entry : read_directory(*container.storage()->open(container.path(), kReadZip)))
    checksums.emplace(entry.name, entry.crc32);
  for (std::size_t number = 0; number < survey.layers.size(); ++number) {
    const Layer& layer = survey.layers[number];
    if (layer.type != SampleType::File) continue;
    // Pictures without a place may well be equal: of water, or of nothing.
    std::map<std::pair<uint32_t, uint64_t>, std::vector<std::size_t>> equal;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      if (!layer.places[i]) continue;
      const auto found =
          checksums.find(entry_name(container.relative_path(layer.level, layer.rows[i]), SampleType::File));
      if (found != checksums.end()) equal[{found->second, layer.facts[i].size}].push_back(i);
    }
    Finding finding{.rule = "AST-27", .layer = number};
    for (const auto& [_, rows] : equal) {
      const std::size_t first = rows[0];
      for (std::size_t k = 1; k < rows.size(); ++k) {
        const AssetFacts &a = layer.facts[first], &b = layer.facts[rows[k]];
        if (a.kind != b.kind || a.geotransform != b.geotransform || a.time != b.time) continue;
        finding.rows.push_back(rows[k]);
        if (finding.faults.size() < kMostTold)
          finding.faults.push_back(
              {rows[k], "has the bytes of " + sample_text(survey, layer, first) + ", by CRC-32, size and header"});
      }
    }
    if (!finding.rows.empty()) out.push_back(std::move(finding));
  }
}

/// The samples at one place: of each split the first one.
struct SplitPlace {
  Place place = {};
  std::vector<std::pair<std::size_t, std::size_t>> firsts = {};  ///< number of a split, index of a sample

  /// A sample of another split than this one; nullopt where there is none.
  std::optional<std::size_t> other_than(std::size_t split) const {
    for (const auto& [number, sample] : firsts) {
      if (number != split) return sample;
    }
    return std::nullopt;
  }
};

/// Places of samples, and which overlap.
class SplitPlaces {
 public:
  /// Samples at the same place are one: series of images are compared once. Returns the number of the place.
  std::size_t add(const Place& place, std::size_t split, std::size_t sample) {
    const auto [found, is_new] =
        numbers_.emplace(std::tuple(place.centre.lon, place.centre.lat, place.radius), places_.size());
    if (is_new) places_.push_back({.place = place});
    auto& firsts = places_[found->second].firsts;
    if (std::ranges::find(firsts, split, [](const auto& one) { return one.first; }) == firsts.end())
      firsts.emplace_back(split, sample);
    reach_ = std::max(reach_, place.radius);
    return found->second;
  }

  /// For each place and split there, a sample of another split that overlaps.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> overlaps() const {
    const PlaceGrid grid(std::max(reach_, 1e-6));
    struct CellOfPlaces {
      std::vector<std::size_t> places = {};
      std::set<std::size_t> splits = {};
    };
    std::map<PlaceGrid::Cell, CellOfPlaces> cells;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      CellOfPlaces& cell = cells[grid.cell_of(places_[i].place.centre)];
      cell.places.push_back(i);
      for (const auto& [split, _] : places_[i].firsts) cell.splits.insert(split);
    }
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> out;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (const auto& [split, _] : places_[i].firsts) {
        auto other = places_[i].other_than(split);
        for (const PlaceGrid::Cell& around :
             other ? std::vector<PlaceGrid::Cell>() : grid.around(places_[i].place.centre)) {
          const auto cell = cells.find(around);
          // Where all are of this split, none has to be looked at.
          if (other || cell == cells.end() || (cell->second.splits.size() == 1 && cell->second.splits.contains(split)))
            continue;
          for (const std::size_t k : cell->second.places) {
            if (k == i || !is_overlap(places_[i].place, places_[k].place)) continue;
            other = places_[k].other_than(split);
            if (other) break;
          }
        }
        if (other) out[{i, split}] = *other;
      }
    }
    return out;
  }

 private:
  /// Squares whose centres are nearer than half a diagonal share more than a tenth of their area.
  static bool is_overlap(const Place& a, const Place& b) {
    return distance(a.centre, b.centre) <= std::min(a.radius, b.radius);
  }

  std::map<std::tuple<double, double, double>, std::size_t> numbers_;
  std::vector<SplitPlace> places_;
  double reach_ = 0;
};

/// AST-28: samples of different splits at one place.
void find_leaks(const Survey& survey, std::vector<Finding>& out) {
  for (std::size_t number = 0; number < survey.layers.size(); ++number) {
    const Layer& layer = survey.layers[number];
    const auto& table = survey.container->stored_level(layer.level);
    int column = table->find("split");
    if (column < 0) column = table->find("tortilla:data_split");
    if (column < 0 || layer.places.empty()) continue;
    const auto splits = values_of(survey, layer, column);
    std::unordered_map<std::string, std::size_t> numbers;
    SplitPlaces places;
    std::vector<std::optional<std::pair<std::size_t, std::size_t>>> place_and_split(layer.size());
    for (std::size_t i = 0; i < layer.size(); ++i) {
      if (!layer.places[i] || splits[i].is_null()) continue;
      const std::size_t split = numbers.emplace(text_of(splits[i]), numbers.size()).first->second;
      place_and_split[i] = {places.add(*layer.places[i], split, i), split};
    }
    if (numbers.size() < 2) continue;
    const auto overlaps = places.overlaps();
    Finding finding{
        .rule = "AST-28", .layer = number, .columns = {table->columns()[static_cast<std::size_t>(column)].name}};
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const auto other = place_and_split[i] ? overlaps.find(*place_and_split[i]) : overlaps.end();
      if (other == overlaps.end()) continue;
      finding.rows.push_back(i);
      if (finding.faults.size() < kMostTold) {
        finding.faults.push_back({i, "is of split " + text_of(splits[i]) + ", and overlaps " +
                                         sample_text(survey, layer, other->second) + " of split " +
                                         text_of(splits[other->second])});
      }
    }
    if (!finding.rows.empty()) out.push_back(std::move(finding));
  }
}

/// Names of columns with the scene that a sample was cut from.
bool names_scene(const std::string& column) {
  const auto words = words_of(column);
  const bool is_product = has_word(words, {"product", "source", "image", "tile"}) && has_word(words, {"id", "name"});
  return has_word(words, {"scene", "granule", "orbit"}) || (is_product && !has_word(words, {"split"}));
}

/// AST-28: samples of one scene in different splits, where samples could be divided by scenes.
void find_shared_scenes(const Survey& survey, std::size_t number, std::vector<Finding>& out) {
  constexpr std::size_t kLeastScenes = 20;
  const Layer& layer = survey.layers[number];
  const auto splits = values_of_sample(survey, layer, {"split", "tortilla:data_split"});
  if (splits.empty()) return;
  const auto& columns = survey.container->stored_level(layer.level)->columns();
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (!names_scene(columns[column].name) || names::is_internal(columns[column].name)) continue;
    const auto scenes = values_of(survey, layer, static_cast<int>(column));
    std::unordered_map<std::string, std::vector<std::size_t>> firsts;  // of each split of a scene, a row
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const auto* scene = scenes[i].get<std::string>();
      if (!scene || scene->empty() || splits[i].is_null()) continue;
      auto& rows = firsts[*scene];
      if (std::ranges::none_of(rows, [&](std::size_t row) { return splits[row] == splits[i]; })) rows.push_back(i);
    }
    if (firsts.size() < kLeastScenes) continue;
    Finding finding{.rule = "AST-28", .layer = number, .columns = {columns[column].name}};
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const auto* scene = scenes[i].get<std::string>();
      const auto found = scene ? firsts.find(*scene) : firsts.end();
      if (found == firsts.end() || found->second.size() < 2 || splits[i].is_null()) continue;
      finding.rows.push_back(i);
      if (finding.faults.size() == kMostTold) continue;
      const std::size_t other = splits[found->second[0]] == splits[i] ? found->second[1] : found->second[0];
      finding.faults.push_back({i, "is of split " + text_of(splits[i]) + ", and of the scene " + in_quotes(*scene) +
                                       " (" + columns[column].name + "), as " + sample_text(survey, layer, other) +
                                       " of split " + text_of(splits[other])});
    }
    if (!finding.rows.empty()) out.push_back(std::move(finding));
  }
}

/// AST-11: places beyond the extent that the collection states.
void find_outside(const Survey& survey, std::vector<Finding>& out) {
  const auto& extent = survey.container->collection().extent.spatial;
  if (!extent) return;
  for (std::size_t number = 0; number < survey.layers.size(); ++number) {
    const Layer& layer = survey.layers[number];
    if (layer.type != SampleType::File) continue;
    Finding finding{.rule = "AST-11", .layer = number};
    for (std::size_t i = 0; i < layer.size(); ++i) {
      if (!layer.places[i]) continue;
      const Place& place = *layer.places[i];
      const double room = place.radius + 0.01;
      const auto is_in = [&](double lon) {
        const bool crosses = extent->minx > extent->maxx;
        const double wide = 2 * room;  // degrees of longitude are shorter
        const bool is_right = lon >= extent->minx - wide, is_left = lon <= extent->maxx + wide;
        return crosses ? is_right || is_left : is_right && is_left;
      };
      const double lat = place.centre.lat, lon = place.centre.lon;
      const bool is_inside = lat >= extent->miny - room && lat <= extent->maxy + room &&
                             (is_in(lon) || is_in(lon - 360) || is_in(lon + 360));
      // Around the poles a degree of longitude is a step.
      if (is_inside || std::abs(lat) > 85) continue;
      finding.rows.push_back(i);
      if (finding.faults.size() < kMostTold)
        finding.faults.push_back({i, "is outside of the extent of the collection: its file lies around longitude " +
                                         text_of(place.centre.lon) + ", latitude " + text_of(place.centre.lat)});
    }
    if (!finding.rows.empty()) out.push_back(std::move(finding));
  }
}

/// AST-34: most samples lie at very few of the places, though the places are all over the globe.
void find_crowded(const Survey& survey, std::vector<Finding>& out) {
  constexpr std::size_t kLeastSamples = 1000, kLeastPlaces = 200;
  constexpr double kPartOfPlaces = 0.01, kMostOfSamples = 0.5;
  constexpr double kContinents = 60;  // degrees
  if (survey.layers.empty() || survey.layers[0].places.empty()) return;
  const Layer& layer = survey.layers[0];
  // Places are squares of a degree of latitude.
  std::map<std::pair<int64_t, int64_t>, std::size_t> squares;
  std::size_t num_placed = 0;
  double south = 90, north = -90;
  std::vector<double> lons;
  for (const auto& place : layer.places) {
    if (!place) continue;
    ++num_placed;
    const double lat = place->centre.lat, lon = std::remainder(place->centre.lon, 360);
    const double row = std::floor(lat), width = std::max(0.05, std::cos((row + 0.5) * std::numbers::pi / 180));
    ++squares[{static_cast<int64_t>(row), static_cast<int64_t>(std::floor(lon * width))}];
    south = std::min(south, lat);
    north = std::max(north, lat);
    lons.push_back(lon);
  }
  if (num_placed < kLeastSamples || squares.size() < kLeastPlaces) return;
  // The globe without the widest gap between longitudes.
  std::ranges::sort(lons);
  double gap = lons.front() + 360 - lons.back();
  for (std::size_t i = 1; i < lons.size(); ++i) gap = std::max(gap, lons[i] - lons[i - 1]);
  if (360 - gap < kContinents && north - south < kContinents) return;
  std::vector<std::pair<std::size_t, std::pair<int64_t, int64_t>>> fullest;
  for (const auto& [square, count] : squares) fullest.emplace_back(count, square);
  std::ranges::sort(fullest, std::greater());
  const auto num_few =
      std::max<std::size_t>(1, static_cast<std::size_t>(kPartOfPlaces * static_cast<double>(squares.size())));
  std::size_t num_there = 0;
  for (std::size_t i = 0; i < num_few; ++i) num_there += fullest[i].first;
  if (static_cast<double>(num_there) <= kMostOfSamples * static_cast<double>(num_placed)) return;
  const double lat = static_cast<double>(fullest[0].second.first) + 0.5;
  const double lon =
      (static_cast<double>(fullest[0].second.second) + 0.5) / std::max(0.05, std::cos(lat * std::numbers::pi / 180));
  out.push_back({.rule = "AST-34",
                 .layer = 0,
                 .message = std::to_string(num_there) + " of " + std::to_string(num_placed) + " samples lie in " +
                            std::to_string(num_few) + " of " + std::to_string(squares.size()) +
                            " squares of one degree, and " + std::to_string(fullest[0].first) +
                            " in the one around longitude " + std::to_string(std::lround(lon)) + ", latitude " +
                            std::to_string(std::lround(lat))});
}

}  // namespace

std::vector<Finding> sample_patterns(const Survey& survey) {
  std::vector<Finding> out;
  find_duplicates(survey, out);
  find_leaks(survey, out);
  for (std::size_t layer = 0; layer < survey.layers.size(); ++layer) find_shared_scenes(survey, layer, out);
  find_outside(survey, out);
  find_crowded(survey, out);
  return out;
}

}  // namespace tacore::assets
