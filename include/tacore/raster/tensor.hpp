#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "tacore/raster/raster.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// A dense, row-major array of numbers, whose last axis is contiguous. It owns its memory, which is aligned to 64
/// bytes, and can be moved but not copied.
///
///     const TensorOptions options{.bands = {3, 2, 1}, .scale = {{.factor = 0.0001}}};
///     const Tensor image = read_tensor(*open_raster("image.tif"), options);  // shape {3, height, width}
///     const std::span<const float> reflectances = image.values<float>();     // of all bands
class TACORE_EXPORT Tensor {
 public:
  Tensor() = default;
  /// An array with unspecified content. Throws QueryError for a negative length and when the number of bytes exceeds 63
  /// bits.
  Tensor(DataType type, std::vector<int64_t> shape);

  DataType type() const noexcept { return type_; }
  const std::vector<int64_t>& shape() const noexcept { return shape_; }
  int64_t num_values() const noexcept;
  std::span<std::byte> bytes() noexcept { return {data_.get(), size_}; }
  std::span<const std::byte> bytes() const noexcept { return {data_.get(), size_}; }
  /// The values as numbers of type T, which must be the type that type() returns; this is not checked.
  template <class T>
  std::span<const T> values() const noexcept {
    return {reinterpret_cast<const T*>(data_.get()), size_ / sizeof(T)};
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(std::byte* data) const noexcept { ::operator delete[](data, kAlignment); }
  };

  DataType type_ = DataType::UInt8;
  std::vector<int64_t> shape_ = {};
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[], Free> data_ = {};
};

/// A linear scale: value * factor + offset, in double precision.
struct Scale {
  double factor = 1;
  double offset = 0;
};

/// The bands, window, type and scale that read_tensor() reads.
struct TensorOptions {
  std::vector<int> bands = {};        ///< from 1, in this order, may repeat; none: all
  std::optional<Window> window = {};  ///< not set: the whole raster
  std::optional<DataType> type = {};  ///< not set: that of the file, or float32 when `scale` is set
  std::vector<Scale> scale = {};      ///< none, one for all bands, or one for each of `bands`
  /// Value that replaces no data, after scaling; NaN is possible for floating point. Not set: no data is not replaced.
  std::optional<double> fill = {};
};

/// Reads pixels of a raster as an array of shape (bands, height, width). For an integer type, values are rounded to the
/// nearest integer (halves away from zero) and clamped to the range of the type, as GDAL does; NaN becomes 0. Throws as
/// Raster::read(), and QueryError for a number of scales other than 0, 1 and that of the bands, and for a `fill` that
/// the type cannot hold.
TACORE_EXPORT Tensor read_tensor(const Raster& raster, const TensorOptions& options = {});

/// The shape of the array that read_tensor() returns. Throws QueryError as read_tensor(), without reading.
TACORE_EXPORT std::vector<int64_t> tensor_shape(const RasterInfo& info, const TensorOptions& options);
/// The type of the array that read_tensor() returns. Throws QueryError as read_tensor(), without reading.
TACORE_EXPORT DataType tensor_type(const RasterInfo& info, const TensorOptions& options);

/// Reads pixels into memory of the caller, whose size must be exactly that of the array; `out` need not be aligned.
TACORE_EXPORT void read_tensor(const Raster& raster, const TensorOptions& options, std::span<std::byte> out);

/// Reads the FILEs of a DataFrame, such as the children of a FOLDER, as one array of shape (rows, bands, height,
/// width). Throws as open_raster() and read_tensor(), and QueryError for a DataFrame without rows and for two rows,
/// which it names, whose tensors differ in shape or type.
TACORE_EXPORT Tensor read_stack(const DataFrame& children, const TensorOptions& options = {},
                                const RasterOpener* fallback = nullptr);

}  // namespace tacore
