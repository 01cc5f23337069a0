#include <algorithm>
#include <cmath>
#include <set>

#include "assets/claims.hpp"
#include "assets/findings.hpp"
#include "base/number_text.hpp"
#include "container/container.hpp"

namespace tacore::assets {
namespace {

/// Samples, and days, that there have to be before a date and after it.
constexpr std::size_t kLeastSide = 50, kLeastDays = 10;
/// The part of the samples before or after a date that may be exceptions.
constexpr double kExceptions = 0.01;
/// The part by which the jumps of the bands may differ, and the part of the lower side below the higher one.
constexpr double kAlike = 0.1, kBelow = 0.25;
/// The part of a jump by which the values of one side may move from its first half to its second one.
constexpr double kSteady = 0.25;

/// The exceptions of few samples are so few that the date has to be exact: it is looked for around where it seems to
/// be.
constexpr std::size_t kFewSamples = 20'000, kAround = 64;

/// The least value and the mean of a band in each sample.
struct BandOverTime {
  std::vector<float> least = {}, mean = {};
};

double quantile(std::vector<float> values, double part) {
  const auto at = static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

/// Samples in the order of time, with a jump looked for in the statistics of their bands.
class Jumps {
 public:
  /// Reads `geotiff:stats` where it has nine numbers for each band; false where too little is known.
  bool read(const Survey& survey, const Layer& layer, int column) {
    const auto acquired = acquired_times(survey, layer);
    std::vector<int64_t> times;
    each_value(survey, layer, column, [&](std::size_t row, const Value& value) {
      const auto* list = value.get<Value::List>();
      if (!acquired[row] || !list || list->empty()) return;
      if (bands_.empty()) bands_.resize(list->size());
      if (bands_.size() != list->size()) return;
      std::vector<std::vector<double>> numbers;
      for (const Value& band : *list) {
        const auto one = numbers_of(band);
        if (!one || one->size() != 9 || !std::isfinite((*one)[0]) || !std::isfinite((*one)[2])) return;
        numbers.push_back(*one);
      }
      for (std::size_t b = 0; b < bands_.size(); ++b) {
        bands_[b].least.push_back(static_cast<float>(numbers[b][0]));
        bands_[b].mean.push_back(static_cast<float>(numbers[b][2]));
      }
      times.push_back(*acquired[row]);
    });
    if (times.size() < 2 * kLeastSide) return false;
    std::vector<std::size_t> order(times.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return times[i]; });
    const auto sort = [&](auto& values) {
      auto sorted = values;
      for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = values[order[i]];
      values = std::move(sorted);
    };
    for (BandOverTime& band : bands_) {
      sort(band.least);
      sort(band.mean);
    }
    sort(times);
    times_ = std::move(times);
    return true;
  }

  /// What jumps at which date; "" where nothing does.
  std::string found() const {
    std::string out = offset();
    for (std::size_t b = 0; b < bands_.size() && out.empty(); ++b) out = step(b);
    return out;
  }

 private:
  /// The date at which values differ most from before: of all dates, that with the greatest variance between both
  /// sides.
  std::optional<std::size_t> change_of(const std::vector<float>& values) const {
    // Values far out would decide alone.
    const double low = quantile(values, 0.02), high = quantile(values, 0.98);
    const auto kept = [&](std::size_t i) { return std::clamp<double>(values[i], low, high) - low; };
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += kept(i);
    std::optional<std::size_t> out;
    double before = 0, most = 0;
    const auto size = static_cast<double>(values.size());
    for (std::size_t i = 1; i < values.size(); ++i) {
      before += kept(i - 1);
      if (times_[i] == times_[i - 1] || i < kLeastSide || values.size() - i < kLeastSide) continue;
      const double part = static_cast<double>(i), apart = before / part - (sum - before) / (size - part);
      const double between = apart * apart * part * (size - part);
      if (between <= most) continue;
      most = between;
      out = i;
    }
    if (out && (num_days(0, *out) < kLeastDays || num_days(*out, times_.size()) < kLeastDays)) return std::nullopt;
    return out;
  }

  std::size_t num_days(std::size_t begin, std::size_t end) const {
    std::set<int64_t> days;
    for (std::size_t i = begin; i < end && days.size() < kLeastDays; ++i) days.insert(times_[i] / (86'400 * kSecond));
    return days.size();
  }

  std::string date(std::size_t at) const { return Timestamp{times_[at]}.to_string(); }

  static std::pair<std::vector<float>, std::vector<float>> cut(const std::vector<float>& values, std::size_t at) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(at);
    return {{values.begin(), middle}, {middle, values.end()}};
  }

  /// By how much the least values of the bands begin higher, or lower, from a date on.
  struct Offset {
    std::size_t at = 0;
    bool is_up = false;
    double least = 0, most = 0;  ///< of the bands; 0: they do not move the same way
    double least_below = 0;      ///< the part of the samples of the lower side that lies below the other side
  };

  Offset offset_at(std::size_t at) const {
    Offset out{.at = at, .least_below = 1};
    std::vector<double> jumps;
    for (const BandOverTime& band : bands_) {
      const auto [before, after] = cut(band.least, at);
      const double first = quantile(before, kExceptions), second = quantile(after, kExceptions);
      jumps.push_back(second - first);
      const auto& low = first < second ? before : after;
      const auto num_below = std::ranges::count_if(low, [&](float value) { return value < std::max(first, second); });
      out.least_below = std::min(out.least_below, static_cast<double>(num_below) / static_cast<double>(low.size()));
    }
    // A trend moves within both sides, too.
    for (const BandOverTime& band : bands_) {
      const auto [before, after] = cut(band.least, at);
      for (const auto& side : {before, after}) {
        const auto [early, late] = cut(side, side.size() / 2);
        if (std::abs(quantile(early, kExceptions) - quantile(late, kExceptions)) > kSteady * std::abs(jumps[0]))
          return out;
      }
    }
    const auto [least, most] = std::ranges::minmax(jumps);
    out.is_up = least > 0;
    if (least > 0 || most < 0) {
      out.least = std::min(std::abs(least), std::abs(most));
      out.most = std::max(std::abs(least), std::abs(most));
    }
    return out;
  }

  /// The least values of all bands are higher, or lower, by the same amount: an offset was added.
  std::string offset() const {
    if (bands_.size() < 2) return {};
    // By ranks, of which bright images have no more than others.
    std::vector<float> ranks(times_.size());
    for (const BandOverTime& band : bands_) {
      std::vector<std::size_t> order(ranks.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::ranges::sort(order, {}, [&](std::size_t i) { return band.least[i]; });
      for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] += static_cast<float>(i);
    }
    const auto about = change_of(ranks);
    if (!about) return {};
    Offset best;
    const std::size_t around = times_.size() <= kFewSamples ? kAround : 0;
    for (std::size_t at = std::max(kLeastSide, *about - std::min(*about, around));
         at <= std::min(times_.size() - kLeastSide, *about + around); ++at) {
      if (times_[at] == times_[at - 1]) continue;
      const Offset one = offset_at(at);
      if (one.least > best.least) best = one;
    }
    if (!(best.least > 0) || best.most - best.least > kAlike * best.least || best.least_below < kBelow) return {};
    const double mean = (best.least + best.most) / 2;
    const std::size_t at = best.at;
    return "from " + date(at) + " on, the least values of all " + std::to_string(bands_.size()) + " bands begin " +
           rounded_number_text(mean, 3) + (best.is_up ? " higher" : " lower") + " than before (" + std::to_string(at) +
           " samples before, " + std::to_string(times_.size() - at) + " after): as if an offset was added";
  }

  /// The means of a band before a date and after it have nothing in common.
  std::string step(std::size_t b) const {
    std::vector<float> values = bands_[b].mean;
    const bool is_positive = std::ranges::all_of(values, [](float value) { return value > 0; });
    if (is_positive) std::ranges::transform(values, values.begin(), [](float value) { return std::log(value); });
    const auto at = change_of(values);
    if (!at) return {};
    const auto [before, after] = cut(values, *at);
    struct Range {
      double low, high;
    };
    const auto range = [](const std::vector<float>& side) {
      return Range{quantile(side, kExceptions), quantile(side, 1 - kExceptions)};
    };
    const Range first = range(before), second = range(after);
    const double gap = std::max(second.low - first.high, first.low - second.high);
    if (!(gap > 0) || gap < std::max(first.high - first.low, second.high - second.low)) return {};
    const auto told = [&](const Range& one) {
      return rounded_number_text(is_positive ? std::exp(one.low) : one.low, 3) + " and " +
             rounded_number_text(is_positive ? std::exp(one.high) : one.high, 3);
    };
    return "the means of band " + std::to_string(b + 1) + " lie between " + told(first) + " before " + date(*at) +
           " (" + std::to_string(*at) + " samples), and between " + told(second) + " from then on (" +
           std::to_string(times_.size() - *at) + ")";
  }

  std::vector<BandOverTime> bands_;
  std::vector<int64_t> times_;  ///< ascending
};

}  // namespace

std::vector<Finding> jump_patterns(const Survey& survey, std::size_t layer) {
  const Layer& one = survey.layers[layer];
  const int column = survey.container->stored_level(one.level)->find("geotiff:stats");
  Jumps jumps;
  if (column < 0 || one.type != SampleType::File || !jumps.read(survey, one, column)) return {};
  std::string message = jumps.found();
  if (message.empty()) return {};
  return {{.rule = "AST-32", .layer = layer, .columns = {"geotiff:stats"}, .message = std::move(message)}};
}

}  // namespace tacore::assets
