#include "raster/band_counter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "raster/binary_number.hpp"
#include "raster/pixel_type.hpp"

namespace tacore {
namespace {

using Bin = Histogram::Bin;

/// The buffer of numbers that are sorted and counted together: sorting costs more than one more array.
constexpr std::size_t kMaxWaiting = 1 << 18;

/// The value that marks no data in pixels of type T; nullopt when there is none.
template <class T>
std::optional<T> nodata_of(std::optional<double> nodata) {
  if (!nodata || std::isnan(*nodata)) return std::nullopt;
  if constexpr (std::is_integral_v<T>) {
    const double end = std::ldexp(1, std::numeric_limits<T>::digits);
    const double begin = std::is_signed_v<T> ? -end : 0;
    if (std::trunc(*nodata) != *nodata || *nodata < begin || *nodata >= end) return std::nullopt;
  } else if (std::isfinite(*nodata) && std::abs(*nodata) > std::numeric_limits<T>::max()) {
    return std::nullopt;
  }
  return static_cast<T>(*nodata);
}

template <class T>
std::span<const T> as(std::span<const std::byte> pixels) {
  return {reinterpret_cast<const T*>(pixels.data()), pixels.size() / sizeof(T)};
}

template <class T>
void append(std::span<const T> pixels, std::optional<T> nodata, std::vector<double>& out) {
  const std::size_t old_size = out.size();
  out.resize(old_size + pixels.size());
  double* end = out.data() + old_size;
  const T absent = nodata.value_or(T{});
  const bool has_absent = nodata.has_value();
  for (const T pixel : pixels) {
    // Every value is written, and kept only when it is valid: there is no branch to mispredict.
    *end = static_cast<double>(pixel) + 0.0;  // -0.0 becomes 0.0
    bool is_valid = !has_absent || pixel != absent;
    if constexpr (std::is_floating_point_v<T>) is_valid = is_valid && std::abs(pixel) <= std::numeric_limits<T>::max();
    end += is_valid;
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
}

template <class Term>
double sum_of(std::span<const double> values, const Term& term) {
  std::array<double, 8> lanes{};  // eight independent sums: in one, each addition would wait for the last
  std::size_t i = 0;
  for (; i + lanes.size() <= values.size(); i += lanes.size()) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] += term(values[i + lane]);
  }
  double out = 0;
  for (; i < values.size(); ++i) out += term(values[i]);
  for (const double lane : lanes) out += lane;
  return out;
}

/// The statistics of at least one number.
Moments moments_of(std::span<const double> values) {
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  Moments out{.count = values.size(), .min = *min, .max = *max};
  out.mean = sum_of(values, [](double value) { return value; }) / count;
  if (!std::isfinite(out.mean)) out.mean = sum_of(values, [&](double value) { return value / count; });
  out.mean = std::clamp(out.mean, out.min, out.max);  // rounding may lead outside of [min, max]
  out.sum_of_squares = sum_of(values, [&](double value) { return (value - out.mean) * (value - out.mean); });
  return out;
}

/// The statistics of a table of the few distinct values that there can be.
Moments moments_of(std::span<const Bin> bins) {
  if (bins.empty()) return {};
  Moments out{.min = bins.front().value, .max = bins.back().value};
  double sum = 0;
  for (const Bin& bin : bins) {
    out.count += bin.count;
    sum += bin.value * static_cast<double>(bin.count);
  }
  out.mean = sum / static_cast<double>(out.count);
  for (const Bin& bin : bins) {
    const double distance = bin.value - out.mean;
    out.sum_of_squares += distance * distance * static_cast<double>(bin.count);
  }
  return out;
}

uint64_t* zeros(std::size_t size) {
  auto* out = static_cast<uint64_t*>(std::calloc(size, sizeof(uint64_t)));
  if (!out) throw std::bad_alloc();
  return out;
}

/// The counter of integers of up to 16 bits: a count for each possible value.
template <class T>
class SmallIntegerCounter final : public BandCounter {
 public:
  explicit SmallIntegerCounter(std::optional<double> nodata) : nodata_(nodata_of<T>(nodata)) {}

  void add(std::span<const std::byte> bytes) override {
    const auto pixels = as<T>(bytes);
    T lowest = lowest_, highest = highest_;
    for (const T pixel : pixels) {
      lowest = std::min(lowest, pixel);
      highest = std::max(highest, pixel);
      ++counts_[place(pixel)];
    }
    lowest_ = lowest;
    highest_ = highest;
    num_pixels_ += pixels.size();
  }

  BandStatistics finish() override {
    if (nodata_) counts_[place(*nodata_)] = 0;
    std::vector<Bin> bins;
    for (int value = lowest_; value <= highest_; ++value) {
      uint64_t& count = counts_[place(static_cast<T>(value))];
      if (count > 0) bins.push_back({static_cast<double>(value), std::exchange(count, 0)});
    }
    lowest_ = std::numeric_limits<T>::max();
    highest_ = std::numeric_limits<T>::min();
    BandStatistics out{.num_pixels = std::exchange(num_pixels_, 0), .moments = moments_of(bins)};
    out.histogram.add(bins);
    return out;
  }

 private:
  static std::size_t place(T value) { return static_cast<std::size_t>(value - std::numeric_limits<T>::min()); }

  std::optional<T> nodata_;
  uint64_t num_pixels_ = 0;
  T lowest_ = std::numeric_limits<T>::max(), highest_ = std::numeric_limits<T>::min();
  // Left zero without being touched: most rasters have few of all possible values.
  struct Free {
    void operator()(uint64_t* memory) const { std::free(memory); }
  };
  std::unique_ptr<uint64_t[], Free> counts_{zeros(std::size_t{1} << (8 * sizeof(T)))};
};

/// The counter of all other types: values are sorted, a buffer at a time.
class NumberCounter final : public BandCounter {
 public:
  NumberCounter(DataType type, std::optional<double> nodata) : type_(type), nodata_(nodata) {}

  void add(std::span<const std::byte> pixels) override {
    out_.num_pixels += pixels.size() / size_of(type_);
    const std::size_t begin = waiting_.size();
    append_valid(pixels, type_, nodata_, waiting_);
    if (waiting_.size() > begin) out_.moments.merge(moments_of(std::span<const double>(waiting_).subspan(begin)));
    if (waiting_.size() >= kMaxWaiting) count_waiting();
  }

  BandStatistics finish() override {
    count_waiting();
    return std::exchange(out_, {});
  }

 private:
  void count_waiting() {
    out_.histogram.add(count_values(waiting_, type_));
    waiting_.clear();
  }

  DataType type_;
  std::optional<double> nodata_;
  std::vector<double> waiting_ = {};
  BandStatistics out_ = {};
};

/// Radix sort of keys, from the lowest digit up; a digit that is the same in all keys costs nothing.
template <class Key>
void sort(std::vector<Key>& keys) {
  constexpr int kDigitBits = 11, kDigits = (8 * sizeof(Key) + kDigitBits - 1) / kDigitBits;
  constexpr std::size_t kRadix = 1 << kDigitBits;
  const auto digit = [](Key key, int d) { return static_cast<std::size_t>(key >> (d * kDigitBits)) & (kRadix - 1); };
  std::vector<std::array<uint32_t, kRadix>> counts(kDigits);
  for (const Key key : keys) {
    for (int d = 0; d < kDigits; ++d) ++counts[static_cast<std::size_t>(d)][digit(key, d)];
  }
  std::vector<Key> other(keys.size());
  for (int d = 0; d < kDigits; ++d) {
    auto& places = counts[static_cast<std::size_t>(d)];
    if (places[digit(keys.front(), d)] == keys.size()) continue;
    uint32_t begin = 0;
    for (uint32_t& place : places) begin += std::exchange(place, begin);
    for (const Key key : keys) other[places[digit(key, d)]++] = key;
    keys.swap(other);
  }
}

uint32_t order_of(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return bits >> 31 ? ~bits : bits | uint32_t{1} << 31;
}
float float_of(uint32_t order) { return std::bit_cast<float>(order >> 31 ? order & ~(uint32_t{1} << 31) : ~order); }
double double_of(uint64_t order) {
  return std::bit_cast<double>(order & binary::kSign ? order & ~binary::kSign : ~order);
}

template <class Key, class ValueOf>
std::vector<Bin> count_keys(std::vector<Key> keys, const ValueOf& value_of) {
  sort(keys);
  std::vector<Bin> out;
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    while (end < keys.size() && keys[end] == keys[begin]) ++end;
    out.push_back({value_of(keys[begin]), end - begin});
  }
  return out;
}

}  // namespace

BandCounter::~BandCounter() = default;

std::vector<Bin> count_values(std::span<const double> values, DataType type) {
  if (values.empty()) return {};
  if (type == DataType::Float32) {
    std::vector<uint32_t> keys(values.size());
    std::transform(values.begin(), values.end(), keys.begin(),
                   [](double value) { return order_of(static_cast<float>(value)); });
    return count_keys(std::move(keys), float_of);
  }
  std::vector<uint64_t> keys(values.size());
  std::transform(values.begin(), values.end(), keys.begin(), binary::order);
  return count_keys(std::move(keys), double_of);
}

void append_valid(std::span<const std::byte> pixels, DataType type, std::optional<double> nodata,
                  std::vector<double>& out) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    append<T>(as<T>(pixels), nodata_of<T>(nodata), out);
  });
}

std::unique_ptr<BandCounter> make_band_counter(DataType type, std::optional<double> nodata) {
  switch (type) {
    case DataType::UInt8: return std::make_unique<SmallIntegerCounter<uint8_t>>(nodata);
    case DataType::Int8: return std::make_unique<SmallIntegerCounter<int8_t>>(nodata);
    case DataType::UInt16: return std::make_unique<SmallIntegerCounter<uint16_t>>(nodata);
    case DataType::Int16: return std::make_unique<SmallIntegerCounter<int16_t>>(nodata);
    default: return std::make_unique<NumberCounter>(type, nodata);
  }
}

}  // namespace tacore
