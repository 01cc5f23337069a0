#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "io/byte_source.hpp"

namespace tacore {

/// A file on a server, which counts what it is asked: several ranges at once are one question.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(Bytes bytes) : bytes_(std::move(bytes)) {}

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return bytes_.size(); }
  bool is_local() const noexcept override { return false; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    ++num_questions;
    copy({offset, out.size()}, out);
  }
  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    ++num_questions;
    std::vector<Bytes> out;
    for (const ByteRange& range : ranges) {
      require_inside(range);
      copy(range, out.emplace_back(range.size));
    }
    return out;
  }

  const Bytes& bytes() const noexcept { return bytes_; }
  mutable std::atomic<int> num_questions = 0;
  mutable std::atomic<uint64_t> num_bytes = 0;

 private:
  void copy(ByteRange range, std::span<std::byte> out) const {
    require_inside(range);
    num_bytes += range.size;
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(range.offset), range.size, out.begin());
  }

  const std::string name_ = "http://host/level.parquet";
  const Bytes bytes_;
};

}  // namespace tacore
