#include <algorithm>
#include <map>
#include <unordered_map>

#include "assets/findings.hpp"
#include "base/text.hpp"
#include "container/read_hints.hpp"
#include "container/zip_directory.hpp"
#include "container/zip_offsets.hpp"
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

/// AST-28: samples of different splits at one place.
void find_leaks(const Survey& survey, std::vector<Finding>& out) {
  for (std::size_t number = 0; number < survey.layers.size(); ++number) {
    const Layer& layer = survey.layers[number];
    const auto& table = survey.container->stored_level(layer.level);
    int column = table->find("split");
    if (column < 0) column = table->find("tortilla:data_split");
    if (column < 0 || layer.places.empty()) continue;
    const auto splits = values_of(survey, layer, column);
    std::unordered_map<std::string, std::size_t> numbers;  // of splits: pairs of rows are compared by them
    std::vector<std::size_t> number_of_split(layer.size()), order;
    double reach = 0;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      if (!layer.places[i] || splits[i].is_null()) continue;
      number_of_split[i] = numbers.emplace(text_of(splits[i]), numbers.size()).first->second;
      order.push_back(i);
      reach = std::max(reach, layer.places[i]->radius);
    }
    if (numbers.size() < 2) continue;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return layer.places[i]->centre.lat; });
    Finding finding{
        .rule = "AST-28", .layer = number, .columns = {table->columns()[static_cast<std::size_t>(column)].name}};
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::size_t a = order[k];
      for (std::size_t m = k + 1; m < order.size(); ++m) {
        const std::size_t b = order[m];
        if (layer.places[b]->centre.lat - layer.places[a]->centre.lat > reach) break;
        if (number_of_split[a] == number_of_split[b]) continue;
        // Squares whose centres are nearer than half a diagonal share more than a tenth of their area.
        if (distance(layer.places[a]->centre, layer.places[b]->centre) >
            std::min(layer.places[a]->radius, layer.places[b]->radius))
          continue;
        finding.rows.push_back(a);
        if (finding.faults.size() < kMostTold) {
          finding.faults.push_back({a, "is of split " + text_of(splits[a]) + ", and overlaps " +
                                           sample_text(survey, layer, b) + " of split " + text_of(splits[b])});
        }
        break;
      }
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

}  // namespace

std::vector<Finding> sample_patterns(const Survey& survey) {
  std::vector<Finding> out;
  find_duplicates(survey, out);
  find_leaks(survey, out);
  find_outside(survey, out);
  return out;
}

}  // namespace tacore::assets
