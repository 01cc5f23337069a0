#include "writer/differences.hpp"

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr std::size_t kNumShown = 5;

}  // namespace

void Differences::add(std::string what) {
  ++count_;
  if (shown_.size() < kNumShown) shown_.push_back(std::move(what));
}

void Differences::raise() const {
  if (count_ == 0) return;
  const int64_t more = count_ - static_cast<int64_t>(shown_.size());
  throw SchemaError("PIT violation: " + join(shown_, "; ") +
                    (more > 0 ? "; and " + std::to_string(more) + " more" : ""));
}

}  // namespace tacore
