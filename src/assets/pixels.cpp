#include "assets/pixels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>

#include "assets/claims.hpp"
#include "base/number_text.hpp"
#include "base/threads.hpp"
#include "raster/pixel_passes.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/pixel_statistics.hpp"

namespace tacore::assets {
namespace {

/// The part of the range of the pixels by which statistics may differ: some writers compute them from a sample.
constexpr double kPartOfRange = 0.01;
/// Statistics are stored as float32.
constexpr double kRounding = 1e-5;
constexpr std::array<const char*, 4> kNames = {"min", "max", "mean", "std"};

/// One number for all bands, or one for each; `neutral` where there is none.
double of_band(const Value& value, std::size_t band, double neutral) {
  if (const auto number = number_of(value)) return *number;
  const auto numbers = numbers_of(value);
  if (!numbers || numbers->empty()) return neutral;
  return numbers->size() == 1 ? numbers->front() : band < numbers->size() ? (*numbers)[band] : neutral;
}

/// What a layer states of the pixels of its files.
struct StatedStatistics {
  std::vector<Value> statistics = {}, factors = {}, offsets = {};  ///< of each row; empty without such a column

  StatedStatistics(const Survey& survey, const Layer& layer) {
    const auto read = [&](const char* name) {
      const int column = survey.container->stored_level(layer.level)->find(name);
      return column < 0 ? std::vector<Value>() : values_of(survey, layer, column);
    };
    statistics = read("geotiff:stats");
    factors = read("scaling:scale_factor");
    offsets = read("scaling:scale_offset");
  }

  /// How the pixels differ from what row `index` states; "" where they do not.
  std::string why_wrong(std::size_t index, const std::vector<BandStatistics>& bands) const {
    const auto* stated = statistics[index].get<Value::List>();
    if (!stated) return {};
    for (std::size_t b = 0; b < std::min(bands.size(), stated->size()); ++b) {
      const auto numbers = numbers_of((*stated)[b]);
      const Moments& moments = bands[b].moments;
      // Nine numbers are statistics, others are shares of classes.
      if (!numbers || numbers->size() != 9 || moments.count == 0) continue;
      const double factor = factors.empty() ? 1 : of_band(factors[index], b, 1);
      const double offset = offsets.empty() ? 0 : of_band(offsets[index], b, 0);
      const auto scaled = [&](double pixel) { return pixel * factor + offset; };
      const auto [min, max] = std::minmax({scaled(moments.min), scaled(moments.max)});
      const std::array found = {min, max, scaled(moments.mean), moments.standard_deviation() * std::abs(factor)};
      const double room = kPartOfRange * (max - min) + kRounding * std::max(std::abs(min), std::abs(max));
      for (std::size_t k = 0; k < found.size(); ++k) {
        if (std::abs((*numbers)[k] - found[k]) <= room) continue;
        return "geotiff:stats states a " + std::string(kNames[k]) + " of " + number_text((*numbers)[k]) + " for band " +
               std::to_string(b + 1) + ", the pixels have " + rounded_number_text(found[k], 7);
      }
    }
    return {};
  }
};

}  // namespace

std::vector<Finding> pixel_findings(const Survey& survey, const SurveyOptions& options) {
  std::vector<Finding> out;
  for (std::size_t number = 0; number < survey.layers.size(); ++number) {
    const Layer& layer = survey.layers[number];
    if (layer.type != SampleType::File) continue;
    const StatedStatistics stated(survey, layer);
    std::mutex mutex;
    std::vector<RowFault> broken, wrong;
    run_parallel(layer.size(), num_threads(options.jobs), [&](std::size_t i) {
      if (!layer.facts[i].kind || layer.facts[i].kind->compression.empty()) return;  // no TIFF that tacore decodes
      const auto bytes = survey.container->open_data(survey.container->address(layer.level, layer.rows[i]));
      std::string why;
      try {
        const auto raster = make_tiff_raster(bytes, read_tiff_directory(*bytes).layout, bytes->name());
        if (!stated.statistics.empty() && !stated.statistics[i].is_null()) {
          why = stated.why_wrong(i, compute_statistics(*raster));
        } else {
          std::vector<int> bands(static_cast<std::size_t>(raster->info().bands));
          std::iota(bands.begin(), bands.end(), 1);
          for_each_piece(*raster, bands, [](std::size_t, std::span<const std::byte>) {});
        }
      } catch (const FormatError& error) {
        const std::lock_guard lock(mutex);
        broken.push_back({i, "its pixels cannot be decoded: " + error.message()});
        return;
      }
      if (why.empty()) return;
      const std::lock_guard lock(mutex);
      wrong.push_back({i, std::move(why)});
    });
    const auto add = [&](const char* rule, std::vector<RowFault>& faults) {
      if (faults.empty()) return;
      std::ranges::sort(faults, {}, &RowFault::index);
      Finding finding{.rule = rule, .layer = number};
      for (const RowFault& fault : faults) finding.rows.push_back(fault.index);
      faults.resize(std::min(faults.size(), kMostTold));
      finding.faults = std::move(faults);
      out.push_back(std::move(finding));
    };
    add("AST-10", broken);
    add("AST-13", wrong);
  }
  return out;
}

}  // namespace tacore::assets
