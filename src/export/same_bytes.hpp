#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/byte_source.hpp"
#include "tacore/ops/replay.hpp"

namespace tacore {

/// Compares containers byte by byte, and says where they differ.
class SameBytes {
 public:
  /// `storage` opens both; `go_on` is called between pieces, and may throw.
  SameBytes(const Storage& storage, std::function<void()> go_on) : storage_(storage), go_on_(std::move(go_on)) {}

  /// A ZIP that was made now with that of an export.
  void compare_zip(const std::string& made, const std::string& expected, ReplayResult& out) const;
  /// A local FOLDER, or the folder of an index, with that of an export. Files beside those of a dataset do not count.
  void compare_folder(const std::string& made, const std::string& expected, ReplayResult& out) const;

 private:
  std::shared_ptr<const ByteSource> open_or_null(const std::string& path) const;
  std::optional<uint64_t> first_difference(const ByteSource& a, const ByteSource& b) const;

  const Storage& storage_;
  std::function<void()> go_on_;
};

}  // namespace tacore
