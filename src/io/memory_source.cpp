#include "io/memory_source.hpp"

#include <cstring>
#include <utility>

namespace tacore {
namespace {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, Bytes bytes) : name_(std::move(name)), bytes_(std::move(bytes)) {}

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return bytes_.size(); }
  bool is_local() const noexcept override { return true; }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    // memcpy takes no null pointer, which an empty span may have.
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }

 private:
  std::string name_;
  Bytes bytes_;
};

}  // namespace

std::shared_ptr<const ByteSource> memory_source(std::string name, Bytes bytes) {
  return std::make_shared<MemorySource>(std::move(name), std::move(bytes));
}

}  // namespace tacore
