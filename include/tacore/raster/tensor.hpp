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

/// A dense array of numbers, the last axis contiguous. Owns its memory, which is aligned to 64 bytes; moved, not
/// copied.
///
///     const Tensor image = read_tensor(*open_raster("image.tif"), {.bands = {3, 2, 1}, .scale = {{.factor =
///     0.0001}}}); image.shape();          // {3, height, width} image.values<float>();  // all reflectances
class TACORE_EXPORT Tensor {
 public:
  Tensor() = default;
  /// Content unspecified. Throws QueryError for a negative length and when the bytes do not fit 63 bits.
  Tensor(DataType type, std::vector<int64_t> shape);

  DataType type() const noexcept { return type_; }
  const std::vector<int64_t>& shape() const noexcept { return shape_; }
  int64_t num_values() const noexcept;
  std::span<std::byte> bytes() noexcept { return {data_.get(), size_}; }
  std::span<const std::byte> bytes() const noexcept { return {data_.get(), size_}; }
  /// The values as T, which must be the type that type() names; this is not checked.
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

/// value * factor + offset, in double precision.
struct Scale {
  double factor = 1;
  double offset = 0;
};

struct TensorOptions {
  std::vector<int> bands = {};        ///< from 1, in this order, may repeat; none: all
  std::optional<Window> window = {};  ///< the whole raster when absent
  std::optional<DataType> type = {};  ///< the file's own when absent, float32 when there is a `scale`
  std::vector<Scale> scale = {};      ///< none, one for all bands, or one for each of `bands`
  /// The value that replaces no data, after scaling; NaN is possible for floating point. Absent: no data stays as it
  /// is.
  std::optional<double> fill = {};
};

/// Reads pixels as an array of shape (bands, height, width). For an integer type values are rounded to the nearest
/// integer (halves away from zero) and clamped to the range of the type, as GDAL does; NaN becomes 0. Throws as
/// Raster::read, and QueryError for a number of scales other than 0, 1 and that of the bands, and for a `fill` that the
/// type does not hold.
TACORE_EXPORT Tensor read_tensor(const Raster& raster, const TensorOptions& options = {});

/// The shape that read_tensor gives, and its type. Throws as it does, without reading.
TACORE_EXPORT std::vector<int64_t> tensor_shape(const RasterInfo& info, const TensorOptions& options);
TACORE_EXPORT DataType tensor_type(const RasterInfo& info, const TensorOptions& options);

/// Reads them into memory of the caller, of exactly this size; `out` need not be aligned.
TACORE_EXPORT void read_tensor(const Raster& raster, const TensorOptions& options, std::span<std::byte> out);

/// Stacks the FILEs of a frame, such as the children of a FOLDER: shape (rows, bands, height, width). Throws as
/// open_raster and read_tensor, and QueryError for a frame without rows and for two rows, which it names, whose tensors
/// differ in shape or type.
TACORE_EXPORT Tensor read_stack(const DataFrame& children, const TensorOptions& options = {},
                                const RasterOpener* fallback = nullptr);

}  // namespace tacore
