#include "assets/pixels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "assets/claims.hpp"
#include "assets/classes.hpp"
#include "assets/likeness.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "raster/band_counter.hpp"
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
/// Shares of classes may differ by this.
constexpr double kShareRoom = 0.01;
/// Published writers leave the largest class out, and values that are none of theirs.
constexpr std::size_t kMostLeftOut = 8;
/// Maps of classes have at most this many values, and are known by the part of them that have declared classes only.
constexpr std::size_t kMostClassValues = 256, kLeastMaps = 20;
constexpr double kDeclaredMaps = 0.95;
constexpr std::array<const char*, 4> kNames = {"min", "max", "mean", "std"};

/// One number for all bands, or one for each; `neutral` where there is none.
double of_band(const Value& value, std::size_t band, double neutral) {
  if (const auto number = number_of(value)) return *number;
  const auto numbers = numbers_of(value);
  if (!numbers || numbers->empty()) return neutral;
  return numbers->size() == 1 ? numbers->front() : band < numbers->size() ? (*numbers)[band] : neutral;
}

/// The rule that statistics break, nullptr where they do not.
struct WrongStatistics {
  const char* rule = nullptr;
  std::string message = {};
};

/// What a layer states of the pixels of its files.
struct StatedStatistics {
  std::vector<Value> statistics = {}, factors = {}, offsets = {};  ///< of each row; empty without such a column
  std::vector<Value> fractions = {};                               ///< of the classes, in their order
  std::vector<double> classes = {};

  StatedStatistics(const Survey& survey, const Layer& layer, const std::optional<std::vector<double>>& declared)
      : classes(declared.value_or(std::vector<double>())) {
    const auto read = [&](const char* name) {
      const int column = survey.container->stored_level(layer.level)->find(name);
      return column < 0 ? std::vector<Value>() : values_of(survey, layer, column);
    };
    statistics = read("geotiff:stats");
    factors = read("scaling:scale_factor");
    offsets = read("scaling:scale_offset");
    // Of the file itself, or of the file `target` of a sample (docs/extensions.md, land cover).
    const bool is_target = layer.level == 1 && layer.name.substr(0, layer.name.rfind('.')) == "target";
    if (declared && (layer.level == 0 || is_target))
      fractions = values_of_sample(survey, layer, {"landcover:fractions"});
  }

  bool has(std::size_t index) const {
    return (!statistics.empty() && !statistics[index].is_null()) || (!fractions.empty() && !fractions[index].is_null());
  }

  /// How the pixels differ from what row `index` states; no rule where they do not.
  WrongStatistics why_wrong(std::size_t index, const std::vector<BandStatistics>& bands) const {
    const auto* stated = statistics.empty() ? nullptr : statistics[index].get<Value::List>();
    for (std::size_t b = 0; stated && b < std::min(bands.size(), stated->size()); ++b) {
      const auto numbers = numbers_of((*stated)[b]);
      if (!numbers || bands[b].moments.count == 0) continue;
      // Nine numbers are statistics, or the shares of nine classes; others are shares.
      WrongStatistics out;
      if (numbers->size() == 9) out = why_statistics(index, *numbers, b, bands[b].moments);
      if (numbers->size() != 9 || (out.rule && are_shares(*numbers))) out = why_shares(*numbers, b, bands[b].histogram);
      if (out.rule) return out;
    }
    const auto shares = fractions.empty() ? std::nullopt : numbers_of(fractions[index]);
    return shares && bands.size() == 1 ? why_fractions(*shares, bands[0].histogram) : WrongStatistics();
  }

 private:
  WrongStatistics why_statistics(std::size_t index, const std::vector<double>& numbers, std::size_t b,
                                 const Moments& moments) const {
    const double factor = factors.empty() ? 1 : of_band(factors[index], b, 1);
    const double offset = offsets.empty() ? 0 : of_band(offsets[index], b, 0);
    const auto scaled = [&](double pixel) { return pixel * factor + offset; };
    const auto [min, max] = std::minmax({scaled(moments.min), scaled(moments.max)});
    const std::array found = {min, max, scaled(moments.mean), moments.standard_deviation() * std::abs(factor)};
    const double room = kPartOfRange * (max - min) + kRounding * std::max(std::abs(min), std::abs(max));
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (std::abs(numbers[k] - found[k]) <= room) continue;
      return {"AST-13", "geotiff:stats states a " + std::string(kNames[k]) + " of " + number_text(numbers[k]) +
                            " for band " + std::to_string(b + 1) + ", the pixels have " +
                            rounded_number_text(found[k], 7)};
    }
    return {};
  }

  static bool are_shares(const std::vector<double>& numbers) {
    const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    return std::abs(sum - 1) <= kShareRoom &&
           std::ranges::all_of(numbers, [](double one) { return one >= 0 && one <= 1; });
  }

  /// Which class each share is of is not stated: each has to be that of some class of the pixels, and all of them where
  /// they are the whole. Both descend.
  static bool is_fit(const std::vector<double>& stated, const std::vector<double>& found) {
    if (are_shares(stated)) {
      for (std::size_t k = 0; k < std::max(stated.size(), found.size()); ++k) {
        const double one = k < stated.size() ? stated[k] : 0, other = k < found.size() ? found[k] : 0;
        if (std::abs(one - other) > kShareRoom) return false;
      }
      return true;
    }
    // The nearest one that is left is the first within reach.
    std::size_t at = 0;
    for (const double one : stated) {
      if (one <= kShareRoom) break;
      while (at < found.size() && found[at] > one + kShareRoom) ++at;
      if (at == found.size() || found[at] < one - kShareRoom) return false;
      ++at;
    }
    return true;
  }

  /// The shares of all values but the `num_left_out` largest ones.
  static std::vector<double> shares_of(const Histogram& histogram, std::size_t num_left_out) {
    std::vector<double> out;
    for (const auto& bin : std::span(histogram.bins()).first(histogram.bins().size() - num_left_out))
      out.push_back(static_cast<double>(bin.count));
    const double sum = std::accumulate(out.begin(), out.end(), 0.0);
    for (double& one : out) one /= sum;
    std::ranges::sort(out, std::greater());
    return out;
  }

  static WrongStatistics why_shares(std::vector<double> stated, std::size_t b, const Histogram& histogram) {
    if (histogram.bin_width() > 0 || std::ranges::any_of(stated, [](double one) { return !(one >= 0 && one <= 1); }))
      return {};
    std::ranges::sort(stated, std::greater());
    const auto found = shares_of(histogram, 0);
    if (is_fit(stated, found)) return {};
    const std::string message = "geotiff:stats states shares of classes of " + shares_text(stated) + " for band " +
                                std::to_string(b + 1) + ", the values of the pixels have " + shares_text(found);
    for (std::size_t k = 1; k < std::min(found.size(), kMostLeftOut + 1); ++k) {
      if (is_fit(stated, shares_of(histogram, k)))
        return {"AST-36", message + ": the largest " + (k == 1 ? "value was" : "values were") + " left out"};
    }
    return {"AST-13", message};
  }

  WrongStatistics why_fractions(const std::vector<double>& stated, const Histogram& histogram) const {
    if (histogram.count() == 0 || histogram.bin_width() > 0 || stated.size() != classes.size()) return {};
    std::vector<double> found(classes.size());
    for (const auto& bin : histogram.bins()) {
      const auto at = std::ranges::find(classes, bin.value);
      if (at != classes.end())
        found[static_cast<std::size_t>(at - classes.begin())] =
            static_cast<double>(bin.count) / static_cast<double>(histogram.count());
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (std::abs(stated[k] - found[k]) <= kShareRoom) continue;
      return {"AST-13", "landcover:fractions states " + number_text(stated[k]) + " for class " +
                            number_text(classes[k]) + ", of the pixels it is " + rounded_number_text(found[k], 4)};
    }
    return {};
  }

  /// "0.5, 0.25, ..."
  static std::string shares_text(const std::vector<double>& shares) {
    std::vector<std::string> out;
    for (const double share : shares) {
      if (out.size() == 8) {
        out.emplace_back("...");
        break;
      }
      out.push_back(rounded_number_text(share, 4));
    }
    return join(out, ", ");
  }
};

/// The values of a raster of one band of integers, where they are few enough to be classes; none for others.
std::vector<double> values_as_classes(const RasterInfo& info, const std::vector<BandStatistics>& bands) {
  std::vector<double> out;
  if (info.bands != 1 || bands.empty() || bands[0].histogram.bin_width() > 0 ||
      bands[0].histogram.bins().size() > kMostClassValues)
    return out;
  for (const auto& bin : bands[0].histogram.bins()) out.push_back(bin.value);
  return out;
}

bool is_integer(DataType type) { return type != DataType::Float32 && type != DataType::Float64; }

/// What is found in the files of one layer.
class PixelsOfLayer {
 public:
  PixelsOfLayer(const Survey& survey, std::size_t number, const RasterOpener* fallback,
                const std::optional<std::vector<double>>& declared)
      : survey_(survey),
        fallback_(fallback),
        number_(number),
        layer_(survey.layers[number]),
        declared_(declared),
        stated_(std::in_place, survey, layer_, declared),
        likenesses_(layer_.size()) {}

  void read(std::size_t i) {
    if (!layer_.facts[i].kind) return;
    WrongStatistics why;
    std::vector<double> values;
    try {
      const auto raster = open(i);
      if (!raster) return;
      const RasterInfo& info = raster->info();
      const bool may_be_classes = declared_ && info.bands == 1 && is_integer(info.type);
      const auto bands = pass(i, *raster, stated_->has(i) || may_be_classes);
      if (stated_->has(i)) why = stated_->why_wrong(i, bands);
      if (may_be_classes) values = values_as_classes(info, bands);
    } catch (const FormatError& error) {
      return add_broken(i, error);
    } catch (const IoError& error) {  // GDAL does not tell damaged files from those that cannot be read
      if (is_decoded_here(i) || !survey_.container->is_local()) throw;
      return add_broken(i, error);
    }
    const std::lock_guard lock(mutex_);
    if (why.rule) wrong_[why.rule].push_back({i, std::move(why.message)});
    if (values.empty()) return;
    ++num_maps_;
    classes_.insert(values.begin(), values.end());
    std::erase_if(values, [&](double value) { return std::ranges::find(*declared_, value) != declared_->end(); });
    if (!values.empty()) strange_.emplace_back(i, std::move(values));
  }

  /// Whether nearly all of the files show declared classes only.
  bool is_class_map() const {
    return num_maps_ >= kLeastMaps &&
           static_cast<double>(num_maps_ - strange_.size()) >= kDeclaredMaps * static_cast<double>(num_maps_);
  }
  const std::set<double>& classes() const { return classes_; }

  /// After all files were read: compares them, and forgets what is needed for that only.
  void compare() {
    alike_ = find_alike(survey_, number_, likenesses_);
    likenesses_.clear();
    likenesses_.shrink_to_fit();
    stated_.reset();
  }

  void add_to(std::vector<Finding>& out, bool is_only_class_map) {
    add("AST-10", broken_, out);
    for (auto& [rule, faults] : wrong_) add(rule, faults, out);
    std::vector<RowFault> strange;
    std::ranges::sort(strange_);
    for (const auto& [row, values] : strange_) {
      if (!is_only_class_map) break;
      strange.push_back({row, "has pixels of value " + number_text(values[0]) +
                                  (values.size() > 1 ? " and " + std::to_string(values.size() - 1) + " more" : "") +
                                  ", which is no declared class"});
    }
    add("AST-30", strange, out);
    for (Finding& finding : alike_) out.push_back(std::move(finding));
  }

 private:
  /// Whether the file is a TIFF that tacore decodes.
  bool is_decoded_here(std::size_t i) const { return !layer_.facts[i].kind->compression.empty(); }

  /// nullptr for a file that nobody decodes.
  std::shared_ptr<const Raster> open(std::size_t i) const {
    const Container& container = *survey_.container;
    const auto address = container.address(layer_.level, layer_.rows[i]);
    if (is_decoded_here(i)) {
      const auto bytes = container.open_data(address);
      return make_tiff_raster(bytes, read_tiff_directory(*bytes).layout, bytes->name());
    }
    const std::string& format = layer_.facts[i].kind->format;
    // Each GDAL opens these two; of others it may lack the driver or the codec.
    const bool is_known = format == "PNG" || format == "JPEG";
    if (!fallback_ || (!is_known && format != "GTiff" && format != "JP2OpenJPEG")) return nullptr;
    try {
      return fallback_->open(container.vsi_path(container.proved(address)));
    } catch (const Error&) {
      if (is_known) throw;
      return nullptr;
    }
  }

  void add_broken(std::size_t i, const Error& error) {
    const std::lock_guard lock(mutex_);
    broken_.push_back({i, "its pixels cannot be decoded: " + error.message()});
  }

  /// One pass over all pixels.
  std::vector<BandStatistics> pass(std::size_t i, const Raster& raster, bool with_statistics) {
    const RasterInfo& info = raster.info();
    std::vector<int> bands(static_cast<std::size_t>(info.bands));
    std::iota(bands.begin(), bands.end(), 1);
    std::vector<std::unique_ptr<BandCounter>> counters;
    for (std::size_t b = 0; with_statistics && b < bands.size(); ++b)
      counters.push_back(make_band_counter(info.type, raster.nodata()));
    LikenessMaker likeness(info, raster.nodata());
    for_each_window(raster, bands, [&](std::size_t b, const Window& window, std::span<const std::byte> pixels) {
      if (with_statistics) counters[b]->add(pixels);
      likeness.add(b, window, pixels);
    });
    if (auto made = likeness.finish()) likenesses_[i] = std::make_unique<const Likeness>(*made);
    std::vector<BandStatistics> out;
    for (auto& counter : counters) out.push_back(counter->finish());
    return out;
  }

  void add(std::string_view rule, std::vector<RowFault>& faults, std::vector<Finding>& out) const {
    if (faults.empty()) return;
    std::ranges::sort(faults, {}, &RowFault::index);
    Finding finding{.rule = std::string(rule), .layer = number_};
    for (const RowFault& fault : faults) finding.rows.push_back(fault.index);
    faults.resize(std::min(faults.size(), kMostTold));
    finding.faults = std::move(faults);
    out.push_back(std::move(finding));
  }

  const Survey& survey_;
  const RasterOpener* fallback_;
  std::size_t number_;
  const Layer& layer_;
  const std::optional<std::vector<double>>& declared_;
  std::optional<StatedStatistics> stated_;
  std::mutex mutex_;
  std::vector<RowFault> broken_;
  std::map<std::string_view, std::vector<RowFault>> wrong_;  ///< by rule
  std::size_t num_maps_ = 0;
  std::set<double> classes_;
  std::vector<std::pair<std::size_t, std::vector<double>>> strange_;
  std::vector<std::unique_ptr<const Likeness>> likenesses_;
  std::vector<Finding> alike_;
};

}  // namespace

PixelReport read_pixels(const Survey& survey, const SurveyOptions& options) {
  PixelReport out;
  const auto declared = class_numbers(classes_of(survey.container->collection()));
  std::vector<std::unique_ptr<PixelsOfLayer>> layers;
  for (std::size_t number = 0; number < survey.layers.size(); ++number) {
    const Layer& layer = survey.layers[number];
    if (layer.type != SampleType::File) continue;
    auto& one = layers.emplace_back(std::make_unique<PixelsOfLayer>(survey, number, options.fallback, declared));
    run_parallel(layer.size(), num_threads(options.jobs), [&](std::size_t i) { one->read(i); });
    one->compare();
    out.classes.insert(one->classes().begin(), one->classes().end());
  }
  // Where several layers have values of classes, nobody says which one has those that are declared.
  const auto num_class_maps = std::ranges::count_if(layers, [](const auto& one) { return one->is_class_map(); });
  for (const auto& one : layers) one->add_to(out.findings, num_class_maps == 1 && one->is_class_map());
  return out;
}

}  // namespace tacore::assets
