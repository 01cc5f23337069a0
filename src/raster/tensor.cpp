#include "tacore/raster/tensor.hpp"

#include <new>
#include <utility>

#include "io/linux.hpp"
#include "raster/tensor_size.hpp"

namespace tacore {

Tensor::Tensor(DataType type, std::vector<int64_t> shape)
    : type_(type), shape_(std::move(shape)), size_(size_of_tensor(type_, shape_)) {
  data_.reset(static_cast<std::byte*>(::operator new[](size_, kAlignment)));
  prefer_large_pages({data_.get(), size_});
}

int64_t Tensor::num_values() const noexcept { return static_cast<int64_t>(size_ / size_of(type_)); }

}  // namespace tacore
