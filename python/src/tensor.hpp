#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "tacore/raster/tensor.hpp"

namespace tacore::python {

/// Pool of the memory of released tensors, for tensors of the same shape: allocating new pages takes a loader much
/// time. Safe to use from several threads.
class TensorPool {
 public:
  TensorPool(std::size_t num_kinds, std::size_t most) : free_(num_kinds), most_(most) {}

  void put(std::size_t kind, Tensor&& tensor) {
    const std::lock_guard lock(mutex_);
    if (free_[kind].size() < most_) free_[kind].push_back(std::move(tensor));
  }

  /// One tensor of each shape and type; an empty one if the pool has none.
  std::vector<Tensor> take() {
    const std::lock_guard lock(mutex_);
    std::vector<Tensor> out(free_.size());
    for (std::size_t kind = 0; kind < free_.size(); ++kind) {
      if (free_[kind].empty()) continue;
      out[kind] = std::move(free_[kind].back());
      free_[kind].pop_back();
    }
    return out;
  }

 private:
  std::mutex mutex_ = {};
  std::vector<std::vector<Tensor>> free_;
  std::size_t most_;
};

/// A tensor in Python. Each view of its memory holds a reference to it.
class SharedTensor {
 public:
  explicit SharedTensor(Tensor&& tensor, std::shared_ptr<TensorPool> pool = nullptr, std::size_t kind = 0)
      : tensor_(std::move(tensor)), pool_(std::move(pool)), kind_(kind) {
    Py_ssize_t stride = static_cast<Py_ssize_t>(size_of(tensor_.type()));
    strides_.resize(tensor_.shape().size());
    for (std::size_t axis = strides_.size(); axis-- > 0; stride *= tensor_.shape()[axis]) strides_[axis] = stride;
  }
  ~SharedTensor() {
    if (pool_) pool_->put(kind_, std::move(tensor_));
  }
  SharedTensor(SharedTensor&&) = default;  // moves the pool, too
  SharedTensor(const SharedTensor&) = delete;
  SharedTensor& operator=(const SharedTensor&) = delete;

  Tensor& tensor() noexcept { return tensor_; }
  /// Strides in bytes, as in Python's buffer protocol.
  Py_ssize_t* strides() noexcept { return strides_.data(); }

 private:
  Tensor tensor_;
  std::vector<Py_ssize_t> strides_;
  std::shared_ptr<TensorPool> pool_;
  std::size_t kind_;
};

/// Called before the bindings of functions that return tensors.
void bind_tensor(nb::module_& m);

}  // namespace tacore::python
