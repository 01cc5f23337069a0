#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "reader/container.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// What a ZIP says of samples: by its central directory, read once. Of few samples of a large local ZIP by their local
/// headers, which cost less.
class ZipEntries {
 public:
  explicit ZipEntries(std::shared_ptr<const ByteSource> archive) : archive_(std::move(archive)) {}

  /// That check() is to be called so many times more: reads the central directory where that is worth it. Throws
  /// IoError and FormatError.
  void expect(std::size_t num_samples);
  /// Completes `payload`, the bytes of the FILE `at` in it, by CRC-32 and time. Throws FormatError when the entry there
  /// is another, of another size, or compressed; IoError.
  void check(const RowAddress& at, Payload& payload);

 private:
  void read_directory();
  const zip::CentralEntry* entry_before(uint64_t offset);

  std::shared_ptr<const ByteSource> archive_;
  uint64_t num_expected_ = 0;
  std::optional<uint64_t> num_entries_ = {};     ///< what the end of the archive states, once it was read
  std::vector<zip::CentralEntry> entries_ = {};  ///< by local_offset; empty until they are asked for
};

}  // namespace tacore
