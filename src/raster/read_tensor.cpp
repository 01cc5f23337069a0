#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "raster/pixel_type.hpp"
#include "raster/tensor_size.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/tensor.hpp"

namespace tacore {
namespace {

/// `value` as T where T holds it exactly; floating-point types hold any number, rounded.
template <class T>
std::optional<T> exactly(double value) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
  const T out = converted<T>(value);
  return static_cast<double>(out) == value ? std::optional(out) : std::nullopt;
}

/// The conversion of the values of one band.
struct Conversion {
  std::optional<Scale> scale = {};
  std::optional<double> nodata = {};
  std::optional<double> fill = {};
};

/// Loops without branches, which the compiler vectorises. `out` need not be aligned.
template <class From, class To>
void convert(const From* in, std::byte* out, std::size_t count, const Conversion& how) {
  const auto put = [out](std::size_t i, To value) { std::memcpy(out + i * sizeof(To), &value, sizeof(To)); };
  if (how.scale) {
    const auto [factor, offset] = *how.scale;
    for (std::size_t i = 0; i < count; ++i) put(i, converted<To>(static_cast<double>(in[i]) * factor + offset));
  } else {
    for (std::size_t i = 0; i < count; ++i) put(i, converted<To>(in[i]));
  }
  const auto nodata = how.nodata && how.fill ? exactly<From>(*how.nodata) : std::nullopt;
  if (!nodata) return;
  const From none = *nodata;
  const bool is_nan = none != none;
  const To fill = converted<To>(*how.fill);
  for (std::size_t i = 0; i < count; ++i) {
    To value;
    std::memcpy(&value, out + i * sizeof(To), sizeof(To));
    put(i, in[i] == none || (is_nan && in[i] != in[i]) ? fill : value);
  }
}

/// TensorOptions for one raster, with the defaults filled in.
struct Request {
  std::vector<int> bands;
  Window window;
  DataType type;

  std::vector<int64_t> shape() const { return {static_cast<int64_t>(bands.size()), window.height, window.width}; }
};

void check_fill(double fill, DataType type, const std::string& name) {
  with_type(type, [&](auto zero) {
    if (exactly<decltype(zero)>(fill)) return;
    throw QueryError("fill " + std::to_string(fill) + " is not a value of " + to_string(type), {.path = name});
  });
}

/// Throws QueryError for options that do not fit the raster; `name` is its name.
Request request(const RasterInfo& info, const TensorOptions& options, const std::string& name = {}) {
  Request out{options.bands, options.window.value_or(Window{0, 0, info.width, info.height}),
              options.type.value_or(options.scale.empty() ? info.type : DataType::Float32)};
  if (out.bands.empty()) {
    out.bands.resize(static_cast<std::size_t>(info.bands));
    std::iota(out.bands.begin(), out.bands.end(), 1);
  }
  // Lengths may be any number: check_read() refuses what does not fit before the product is used.
  const auto num_pixels = static_cast<std::size_t>(out.window.width) * static_cast<std::size_t>(out.window.height);
  check_read(info, name, out.bands, out.window, out.bands.size() * num_pixels * size_of(info.type));
  if (options.scale.size() > 1 && options.scale.size() != out.bands.size()) {
    throw QueryError(std::to_string(options.scale.size()) + " scales for " + std::to_string(out.bands.size()) +
                         " bands; none, one or one for each expected",
                     {.path = name});
  }
  for (const auto& [factor, offset] : options.scale) {
    if (std::isfinite(factor) && std::isfinite(offset)) continue;
    throw QueryError("a scale of factor " + std::to_string(factor) + " and offset " + std::to_string(offset) +
                         "; finite numbers expected",
                     {.path = name});
  }
  if (options.fill) check_fill(*options.fill, out.type, name);
  return out;
}

void read(const Raster& raster, const TensorOptions& options, const Request& wanted, std::span<std::byte> out) {
  const RasterInfo& info = raster.info();
  // Some rasters need a request to know it.
  const auto nodata = options.fill ? raster.nodata() : std::nullopt;
  const bool as_stored = wanted.type == info.type && options.scale.empty() && !nodata;
  if (as_stored) return raster.read(wanted.bands, wanted.window, out);
  Tensor stored(info.type, wanted.shape());
  raster.read(wanted.bands, wanted.window, stored.bytes());
  const auto count = static_cast<std::size_t>(wanted.window.width * wanted.window.height);
  for (std::size_t band = 0; band < wanted.bands.size(); ++band) {
    Conversion how{.nodata = nodata, .fill = options.fill};
    if (!options.scale.empty()) how.scale = options.scale[options.scale.size() == 1 ? 0 : band];
    with_type(info.type, [&](auto from) {
      with_type(wanted.type, [&](auto to) {
        convert<decltype(from), decltype(to)>(stored.values<decltype(from)>().data() + band * count,
                                              out.data() + band * count * sizeof(to), count, how);
      });
    });
  }
}

}  // namespace

std::vector<int64_t> tensor_shape(const RasterInfo& info, const TensorOptions& options) {
  return request(info, options).shape();
}

DataType tensor_type(const RasterInfo& info, const TensorOptions& options) { return request(info, options).type; }

Tensor read_tensor(const Raster& raster, const TensorOptions& options) {
  const Request wanted = request(raster.info(), options, raster.name());
  Tensor out(wanted.type, wanted.shape());
  read(raster, options, wanted, out.bytes());
  return out;
}

void read_tensor(const Raster& raster, const TensorOptions& options, std::span<std::byte> out) {
  const Request wanted = request(raster.info(), options, raster.name());
  const std::size_t size = size_of_tensor(wanted.type, wanted.shape());
  if (out.size() != size) {
    throw QueryError("memory of " + std::to_string(out.size()) + " bytes for a tensor of " + std::to_string(size),
                     {.path = raster.name()});
  }
  read(raster, options, wanted, out);
}

}  // namespace tacore
