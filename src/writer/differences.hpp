#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacore {

/// The differences that make a tree irregular: the first few in words, the others counted. A tree of a million samples
/// may have as many.
class Differences {
 public:
  void add(std::string what);
  /// Throws SchemaError, `PIT violation: ...; ...; and 7 more`, if there are any.
  void raise() const;

 private:
  std::vector<std::string> shown_;
  int64_t count_ = 0;
};

}  // namespace tacore
