#include "tacore/raster/histogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/little_endian.hpp"
#include "raster/binary_number.hpp"
#include "raster/quantile_rule.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr uint8_t kVersion = 1;
constexpr int kMaxExponent = 1024;
constexpr uint64_t kInfinity = uint64_t{0x7FF} << 52;

/// Appends a bin to bins in ascending order.
void append(std::vector<Histogram::Bin>& bins, double value, uint64_t count) {
  if (!bins.empty() && binary::order(bins.back().value) == binary::order(value)) {
    bins.back().count += count;
  } else {
    bins.push_back({value, count});
  }
}

void write_varint(FieldWriter& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.u8(static_cast<uint8_t>(value | 0x80));
  out.u8(static_cast<uint8_t>(value));
}

uint64_t read_varint(Cursor& in) {
  uint64_t out = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint64_t byte = in.u8();
    if (shift == 63 && byte > 1) break;
    out |= (byte & 0x7F) << shift;
    if (byte < 0x80) {
      if (byte == 0 && shift > 0) break;
      return out;
    }
  }
  throw FormatError("histogram: a number is not written as its shortest form of at most 64 bits");
}

/// The number of trailing zero bits that the magnitudes of all bins share.
int common_shift(const std::vector<Histogram::Bin>& bins) {
  uint64_t all = 0;
  for (const auto& bin : bins) all |= binary::magnitude(bin.value);
  return all == 0 ? 0 : std::countr_zero(all);
}

/// Merges bins of one sign, from zero outwards.
template <class Iterator>
void write_side(FieldWriter& out, Iterator begin, Iterator end, int shift) {
  write_varint(out, static_cast<uint64_t>(end - begin));
  uint64_t before = 0;
  for (auto bin = begin; bin != end; ++bin) {
    const uint64_t magnitude = binary::magnitude(bin->value);
    write_varint(out, (magnitude - before) >> shift);
    write_varint(out, bin->count);
    before = magnitude;
  }
}

std::vector<Histogram::Bin> read_side(Cursor& in, uint64_t sign, int shift, int exponent) {
  const uint64_t size = read_varint(in);
  if (size > Histogram::kMaxBins || size > in.remaining() / 2) {
    throw FormatError("histogram: " + std::to_string(size) + " bins in " + std::to_string(in.remaining()) +
                      " bytes; at most " + std::to_string(Histogram::kMaxBins) + " expected, of 2 bytes at least");
  }
  std::vector<Histogram::Bin> out;
  out.reserve(size);
  uint64_t magnitude = 0;
  for (uint64_t i = 0; i < size; ++i) {
    const uint64_t step = read_varint(in);
    if ((step == 0 && i > 0) || step > (kInfinity - 1 - magnitude) >> shift) {
      throw FormatError("histogram: bins are not ascending finite numbers");
    }
    magnitude += step << shift;
    const double value = std::bit_cast<double>(magnitude | sign);
    if (magnitude != binary::magnitude(binary::truncated(value, exponent))) {
      throw FormatError("histogram: a bin does not begin at a multiple of its width");
    }
    out.push_back({value, read_varint(in)});
    if (out.back().count == 0) throw FormatError("histogram: an empty bin");
  }
  return out;
}

}  // namespace

double Histogram::min() const noexcept { return count_ > 0 ? min_ : std::numeric_limits<double>::quiet_NaN(); }
double Histogram::max() const noexcept { return count_ > 0 ? max_ : std::numeric_limits<double>::quiet_NaN(); }

double Histogram::bin_width() const noexcept { return exponent_ == kExact ? 0 : std::ldexp(1, exponent_); }

void Histogram::add(double value, uint64_t count) {
  if (!std::isfinite(value)) throw QueryError("a histogram counts finite numbers, found " + std::to_string(value));
  if (count == 0) return;
  const Bin one{value + 0.0, count};  // -0.0 becomes 0.0
  add({&one, 1});
}

void Histogram::add(std::span<const Bin> values) {
  if (!values.empty()) join(values, values.front().value, values.back().value);
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  if (exponent_ < other.exponent_) {
    exponent_ = other.exponent_;
    coarsen();
  }
  join(other.bins_, other.min_, other.max_);
}

/// Adds numbers, or bins that are no wider than those here, in ascending order.
void Histogram::join(std::span<const Bin> values, double min, double max) {
  uint64_t total = count_;
  for (const Bin& bin : values) {
    if (__builtin_add_overflow(total, bin.count, &total)) throw FormatError("histogram: counts overflow");
  }
  min_ = count_ > 0 ? std::min(min_, min) : min;
  max_ = count_ > 0 ? std::max(max_, max) : max;
  std::vector<Bin> joined;
  joined.reserve(bins_.size() + values.size());
  auto mine = bins_.begin();
  for (const Bin& bin : values) {
    const double value = binary::truncated(bin.value, exponent_);
    while (mine != bins_.end() && binary::order(mine->value) <= binary::order(value)) {
      append(joined, mine->value, mine->count);
      ++mine;
    }
    append(joined, value, bin.count);
  }
  for (; mine != bins_.end(); ++mine) append(joined, mine->value, mine->count);
  bins_ = std::move(joined);
  count_ = total;
  if (bins_.size() <= kMaxBins) return;

  // Two neighbours join at some bin width: the width is chosen so that at most kMaxBins bins remain.
  std::array<uint32_t, binary::kNeverJoined + 1 - kExact> pairs{};  // by the exponent that joins them
  for (std::size_t i = 1; i < bins_.size(); ++i)
    ++pairs[static_cast<std::size_t>(binary::joining_exponent(bins_[i - 1].value, bins_[i].value) - kExact)];
  std::size_t apart = 0, exponent = pairs.size() - 1;
  while (apart + pairs[exponent] < kMaxBins) apart += pairs[exponent--];
  exponent_ = static_cast<int>(exponent) + kExact;
  coarsen();
}

/// Merges narrower bins into bins of the present width.
void Histogram::coarsen() {
  std::vector<Bin> wide;
  wide.reserve(std::min(bins_.size(), kMaxBins));
  for (const Bin& bin : bins_) append(wide, binary::truncated(bin.value, exponent_), bin.count);
  bins_ = std::move(wide);
}

/// The number at a rank, or the centre of its bin, clamped to [min, max].
double Histogram::number_at(uint64_t position) const {
  uint64_t before = 0;
  for (const Bin& bin : bins_) {
    before += bin.count;
    if (position < before) {
      return std::clamp(bin.value + std::copysign(error_bound(), bin.value), min_, max_);
    }
  }
  return max_;
}

double Histogram::quantile(double p) const {
  if (!(p >= 0 && p <= 1)) throw QueryError("quantile " + std::to_string(p) + " is outside [0, 1]");
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  return interpolated_quantile(p, count_, [&](uint64_t position) { return number_at(position); });
}

Binary Histogram::encode() const {
  const int shift = common_shift(bins_);
  const auto positive = std::find_if(bins_.begin(), bins_.end(), [](const Bin& b) { return !std::signbit(b.value); });
  FieldWriter out;
  out.u8(kVersion);
  out.u16(static_cast<uint16_t>(exponent_));
  out.u8(static_cast<uint8_t>(shift));
  out.u64(std::bit_cast<uint64_t>(count_ > 0 ? min_ : 0.0));
  out.u64(std::bit_cast<uint64_t>(count_ > 0 ? max_ : 0.0));
  write_side(out, std::make_reverse_iterator(positive), bins_.rend(), shift);
  write_side(out, positive, bins_.end(), shift);
  const auto bytes = out.take();
  return {std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
}

Histogram Histogram::decode(const Binary& bytes) {
  Cursor in(std::as_bytes(std::span(bytes.bytes)), "histogram");
  if (const int version = in.u8(); version != kVersion) {
    throw FormatError("histogram: version " + std::to_string(version) + ", expected " + std::to_string(kVersion));
  }
  Histogram out;
  out.exponent_ = static_cast<int16_t>(in.u16());
  const int shift = in.u8();
  if (out.exponent_ < kExact || out.exponent_ > kMaxExponent || shift > 63) {
    throw FormatError("histogram: bins of width 2^" + std::to_string(out.exponent_) + " and a shift of " +
                      std::to_string(shift) + ", expected exponents in [-1074, 1024] and a shift below 64");
  }
  out.min_ = std::bit_cast<double>(in.u64());
  out.max_ = std::bit_cast<double>(in.u64());
  out.bins_ = read_side(in, binary::kSign, shift, out.exponent_);
  std::reverse(out.bins_.begin(), out.bins_.end());
  const auto positive = read_side(in, 0, shift, out.exponent_);
  out.bins_.insert(out.bins_.end(), positive.begin(), positive.end());
  if (in.remaining() > 0) throw FormatError("histogram: " + std::to_string(in.remaining()) + " bytes behind its end");
  if (out.bins_.size() > kMaxBins || shift != common_shift(out.bins_)) {
    throw FormatError("histogram: too many bins, or a shift that differs from that of the bins");
  }
  for (const Bin& bin : out.bins_) {
    if (__builtin_add_overflow(out.count_, bin.count, &out.count_)) throw FormatError("histogram: counts overflow");
  }
  out.check_ends();
  return out;
}

/// min must lie in the first bin and max in the last.
void Histogram::check_ends() const {
  const auto in_bin = [&](double value, double bin) {
    return std::isfinite(value) && binary::order(binary::truncated(value, exponent_)) == binary::order(bin);
  };
  const bool holds = bins_.empty()
                         ? binary::order(min_) == binary::order(0) && binary::order(max_) == binary::order(0)
                         : in_bin(min_, bins_.front().value) && in_bin(max_, bins_.back().value) && min_ <= max_;
  if (!holds) throw FormatError("histogram: least and greatest number are not those of its bins");
}

bool Histogram::operator==(const Histogram& other) const noexcept {
  const auto same = [](const Bin& a, const Bin& b) {
    return a.count == b.count && binary::order(a.value) == binary::order(b.value);
  };
  return exponent_ == other.exponent_ && count_ == other.count_ &&
         (count_ == 0 || (min_ == other.min_ && max_ == other.max_)) &&
         std::equal(bins_.begin(), bins_.end(), other.bins_.begin(), other.bins_.end(), same);
}

}  // namespace tacore
