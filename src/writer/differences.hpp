#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacore {

/// What keeps a tree from being regular: the first few in words, the others counted. A tree of a million samples may
/// differ in as many places.
class Differences {
 public:
  void add(std::string what);
  /// Throws SchemaError, `PIT violation: ...; ...; and 7 more`, when there are any.
  void raise() const;

 private:
  std::vector<std::string> shown_;
  int64_t count_ = 0;
};

}  // namespace tacore
