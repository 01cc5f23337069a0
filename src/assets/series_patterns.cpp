#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "assets/claims.hpp"
#include "assets/findings.hpp"
#include "base/text.hpp"
#include "container/container.hpp"

namespace tacore::assets {
namespace {

/// The part of all series, of the steps of one series, or of a range of numbers, that has to be regular before the
/// others are exceptions.
constexpr double kRegularPart = 0.95, kNumberedPart = 0.99;
/// Series that can be compared with each other, and times that make one.
constexpr std::size_t kLeastSeries = 20, kLeastTimes = 4;
/// Steps that make a series which is compared with nothing but itself.
constexpr std::size_t kLeastSteps = 24;
constexpr std::size_t kLeastNumbers = 100;
/// The part of a step by which it may differ from the others.
constexpr double kStepPart = 0.1;
constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

/// A time, and the row of the layer that is told of it.
struct TimeOfRow {
  int64_t time = 0;
  std::size_t index = 0;

  auto operator<=>(const TimeOfRow&) const = default;
};

/// The times of one place, or of the frames of one sample, ascending.
using Series = std::vector<TimeOfRow>;

/// What is wrong with a series, at a row.
struct SeriesFault {
  std::size_t index = 0;
  std::string message = {};
};

/// A step from one time to the next: in calendar months, or in microseconds.
struct Rhythm {
  bool is_months = false;
  int64_t step = 0;
  int64_t ahead_of_utc = 0;  ///< of the calendar, in microseconds

  int64_t between(int64_t first, int64_t second) const {
    return is_months ? month_of(second) - month_of(first) : second - first;
  }

  /// How often the step fits between two times; nullopt where it does not fit.
  std::optional<int64_t> steps(int64_t first, int64_t second) const {
    const int64_t apart = between(first, second);
    if (is_months) return apart % step == 0 ? std::optional(apart / step) : std::nullopt;
    const double count = static_cast<double>(apart) / static_cast<double>(step);
    const double whole = std::round(count);
    return std::abs(count - whole) <= kStepPart ? std::optional(static_cast<int64_t>(whole)) : std::nullopt;
  }

  int64_t month_of(int64_t time) const {
    using namespace std::chrono;
    const year_month_day date{floor<days>(sys_time<microseconds>(microseconds(time + ahead_of_utc)))};
    return int64_t{static_cast<int>(date.year())} * 12 + static_cast<unsigned>(date.month()) - 1;
  }

  std::string text() const {
    if (is_months) return step == 1 ? "a month" : step == 12 ? "a year" : std::to_string(step) + " months";
    const double days = static_cast<double>(step) / (86'400.0 * kSecond);
    return days >= 0.95 ? text_of(std::round(days * 100) / 100) + (days < 1.05 && days > 0.95 ? " day" : " days")
                        : text_of(std::round(days * 2400) / 100) + " hours";
  }
};

/// The most frequent step in months, and the median in time: what the steps of these series may be.
std::vector<Rhythm> rhythms_of(const std::vector<Series>& series) {
  std::map<int64_t, std::size_t> months;
  std::vector<int64_t> steps;
  for (const Series& one : series) {
    for (std::size_t i = 1; i < one.size(); ++i) {
      ++months[Rhythm{.is_months = true}.between(one[i - 1].time, one[i].time)];
      steps.push_back(one[i].time - one[i - 1].time);
    }
  }
  std::vector<Rhythm> out;
  if (steps.empty()) return out;
  const auto usual = std::ranges::max_element(months, {}, [](const auto& one) { return one.second; })->first;
  if (usual > 0) out.push_back({true, usual});
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  if (*middle > 0) out.push_back({false, *middle});
  return out;
}

/// What a series lacks or has twice, when all its steps fit the rhythm; a message of "" where it is regular, nullopt
/// where it has another rhythm.
std::optional<SeriesFault> fault_of(const Series& series, const Rhythm& rhythm) {
  SeriesFault out;
  std::size_t num_faults = 0;
  for (std::size_t i = 1; i < series.size(); ++i) {
    const auto steps = rhythm.steps(series[i - 1].time, series[i].time);
    if (!steps) return std::nullopt;
    if (*steps == 1 || ++num_faults > 1) continue;
    out.index = series[i].index;
    const std::string first = Timestamp{series[i - 1].time}.to_string(), second = Timestamp{series[i].time}.to_string();
    out.message = *steps == 0 ? "has both " + first + " and " + second
                              : "has nothing between " + first + " and " + second + ", where " +
                                    std::to_string(*steps - 1) + (*steps == 2 ? " is" : " are") + " missing";
  }
  if (num_faults > 1) out.message += ", and " + std::to_string(num_faults - 1) + " more";
  return out;
}

/// The fault of a series by the calendar of UTC, as fault_of() finds it; none where the series is regular by the
/// calendar of another time zone. Far from Greenwich, the first morning of a month is still the month before by UTC.
std::optional<SeriesFault> fault_anywhere(const Series& series, const Rhythm& rhythm) {
  const auto out = fault_of(series, rhythm);
  if (!out || out->message.empty() || !rhythm.is_months) return out;
  for (int hours = -12; hours <= 12; hours += 3) {
    Rhythm local = rhythm;
    local.ahead_of_utc = hours * int64_t{3600} * kSecond;
    if (const auto there = fault_of(series, local); there && there->message.empty()) return there;
  }
  return out;
}

/// AST-31 of series that belong together: nearly all of them have one step throughout, or there are few, and nearly all
/// steps of one are equal.
void check_series(const std::vector<Series>& series, std::size_t layer, const std::string& what,
                  std::vector<Finding>& out) {
  const auto tell = [&](const std::vector<SeriesFault>& faults, const Rhythm& rhythm, const std::string& of_others) {
    Finding finding{.rule = "AST-31", .layer = layer};
    for (const auto& [index, message] : faults) {
      finding.rows.push_back(index);
      if (finding.faults.size() < kMostTold)
        finding.faults.push_back({index, "the series of " + what + " " + message + "; " + of_others + rhythm.text()});
    }
    if (!finding.rows.empty()) out.push_back(std::move(finding));
  };
  if (series.size() >= kLeastSeries) {
    for (const Rhythm& rhythm : rhythms_of(series)) {
      std::vector<SeriesFault> faults;
      std::size_t num_regular = 0;
      for (const Series& one : series) {
        const auto fault = fault_anywhere(one, rhythm);
        if (fault && fault->message.empty()) ++num_regular;
        if (fault && !fault->message.empty()) faults.push_back(*fault);
      }
      if (static_cast<double>(num_regular) < kRegularPart * static_cast<double>(series.size())) continue;
      return tell(faults, rhythm,
                  std::to_string(num_regular) + " of " + std::to_string(series.size()) +
                      " series have all their times apart by ");
    }
    return;
  }
  for (const Series& one : series) {
    const std::size_t num_steps = one.size() - 1;
    if (num_steps < kLeastSteps) continue;
    for (const Rhythm& rhythm : rhythms_of({one})) {
      std::size_t num_regular = 0;
      for (std::size_t i = 0; i < num_steps; ++i) num_regular += rhythm.steps(one[i].time, one[i + 1].time) == 1;
      if (static_cast<double>(num_regular) < kRegularPart * static_cast<double>(num_steps)) continue;
      const auto fault = fault_anywhere(one, rhythm);
      if (fault && !fault->message.empty())
        tell({*fault}, rhythm, std::to_string(num_regular) + " of " + std::to_string(num_steps) + " steps are ");
      break;
    }
  }
}

/// Sorts the times of series, and drops those that are short or lack a time.
std::vector<Series> complete(std::vector<Series> series) {
  std::erase_if(series, [](const Series& one) {
    return one.size() < kLeastTimes || std::ranges::find(one, kNoTime, &TimeOfRow::time) != one.end();
  });
  for (Series& one : series) std::ranges::sort(one);
  return series;
}

/// The series of samples at the same place.
void check_places(const Survey& survey, std::vector<Finding>& out) {
  const Layer& layer = survey.layers[0];
  if (layer.places.empty() || survey.num_checked < survey.num_samples) return;
  const auto times = acquired_times(survey, layer);
  std::map<std::pair<int64_t, int64_t>, Series> places;
  for (std::size_t i = 0; i < layer.size(); ++i) {
    if (!layer.places[i] || !times[i]) continue;
    const auto rounded = [](double degrees) { return std::llround(degrees * 1e5); };  // to about a metre
    places[{rounded(layer.places[i]->centre.lon), rounded(layer.places[i]->centre.lat)}].push_back({*times[i], i});
  }
  std::vector<Series> series;
  for (auto& [_, one] : places) series.push_back(std::move(one));
  check_series(complete(std::move(series)), 0, "its place", out);
}

/// "s2/m01.tif" -> "s2/m#.tif": frames of one series have the same.
std::string without_numbers(const std::string& name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_digit(name[i])) {
      out += name[i];
    } else if (i == 0 || !is_digit(name[i - 1])) {
      out += '#';
    }
  }
  // Digits of folders are those of their names.
  const std::size_t folder = name.rfind('/'), end = out.rfind('/');
  return folder == name.npos ? out : name.substr(0, folder) + out.substr(end);
}

/// The series of the frames of each sample: files that differ in the numbers of their names only.
void check_frames(const Survey& survey, std::vector<Finding>& out) {
  std::map<std::pair<int, std::string>, std::vector<std::size_t>> groups;
  for (std::size_t number = 0; number < survey.layers.size(); ++number) {
    const Layer& layer = survey.layers[number];
    const auto& table = survey.container->stored_level(layer.level);
    const bool has_time =
        table->find("stac:time_start") >= 0 || table->find("istac:time_start") >= 0 || table->find("datetime") >= 0;
    if (layer.level > 0 && layer.type == SampleType::File && has_time)
      groups[{layer.level, without_numbers(layer.name)}].push_back(number);
  }
  for (const auto& [_, layers] : groups) {
    if (layers.size() < kLeastTimes) continue;
    const Layer& first = survey.layers[layers[0]];
    std::vector<Series> series(first.size());
    for (const std::size_t number : layers) {
      const Layer& layer = survey.layers[number];
      const auto times = acquired_times(survey, layer);
      std::size_t at = 0;
      for (std::size_t i = 0; i < layer.size(); ++i) {
        while (at < first.size() && first.roots[at] < layer.roots[i]) ++at;
        if (at < first.size() && first.roots[at] == layer.roots[i])
          series[at].push_back({times[i].value_or(kNoTime), at});
      }
    }
    check_series(complete(std::move(series)), layers[0], std::to_string(layers.size()) + " frames", out);
  }
}

/// An id whose numbers are taken out, and one of these numbers.
struct NumberedId {
  std::vector<std::string> texts = {}, numbers = {};
};

NumberedId numbered(const std::string& id) {
  NumberedId out{.texts = {""}};
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (!is_digit(id[i])) {
      out.texts.back() += id[i];
      continue;
    }
    if (i == 0 || !is_digit(id[i - 1])) {
      out.numbers.emplace_back();
      out.texts.emplace_back();
    }
    out.numbers.back() += id[i];
  }
  return out;
}

/// AST-31: ids that are numbered, with few numbers missing.
void check_numbers(const Survey& survey, std::vector<Finding>& out) {
  const Layer& layer = survey.layers[0];
  if (survey.num_checked < survey.num_samples || layer.size() < kLeastNumbers) return;
  const auto& table = survey.container->stored_level(layer.level);
  const int column = table->find(names::kId);
  const auto id = [&](std::size_t i) { return table->text(column, layer.rows[i]).value_or(""); };
  const NumberedId usual = numbered(id(0));
  if (usual.numbers.empty()) return;
  // The one number that differs from row to row.
  std::vector<int64_t> found;
  std::size_t which = usual.numbers.size();
  for (std::size_t i = 0; i < layer.size(); ++i) {
    const NumberedId one = numbered(id(i));
    if (one.texts != usual.texts) return;
    for (std::size_t k = 0; k < usual.numbers.size(); ++k) {
      if (one.numbers[k] == usual.numbers[k]) continue;
      if (which != usual.numbers.size() && which != k) return;
      which = k;
    }
    if (which == usual.numbers.size()) {  // the first row, and those that are equal to it
      found.push_back(0);
      continue;
    }
    if (one.numbers[which].size() > 15) return;
    found.push_back(std::stoll(one.numbers[which]));
  }
  if (which == usual.numbers.size() || usual.numbers[which].size() > 15) return;
  found[0] = std::stoll(usual.numbers[which]);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  const int64_t range = found.back() - found.front() + 1;
  const auto num_missing = static_cast<std::size_t>(range) - found.size();
  if (num_missing == 0 || found.size() < kLeastNumbers ||
      static_cast<double>(found.size()) < kNumberedPart * static_cast<double>(range))
    return;
  std::vector<std::string> missing;
  for (std::size_t i = 1; i < found.size() && missing.size() < 5; ++i) {
    for (int64_t number = found[i - 1] + 1; number < found[i] && missing.size() < 5; ++number)
      missing.push_back(std::to_string(number));
  }
  if (num_missing > missing.size()) missing.emplace_back("...");
  out.push_back({.rule = "AST-31",
                 .layer = 0,
                 .columns = {std::string(names::kId)},
                 .message = "the numbers of the ids, such as " + in_quotes(id(0)) + ", run from " +
                            std::to_string(found.front()) + " to " + std::to_string(found.back()) + ", but " +
                            std::to_string(num_missing) + (num_missing == 1 ? " is" : " are") +
                            " missing: " + join(missing, ", ")});
}

}  // namespace

std::vector<Finding> series_patterns(const Survey& survey) {
  std::vector<Finding> out;
  if (survey.layers.empty()) return out;
  check_places(survey, out);
  check_frames(survey, out);
  check_numbers(survey, out);
  return out;
}

}  // namespace tacore::assets
