#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "reader/container.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// What a ZIP says of samples: by their local headers; by the central directory, read once, where those do not tell,
/// and where each would be a request.
class ZipEntries {
 public:
  explicit ZipEntries(std::shared_ptr<const ByteSource> archive) : archive_(std::move(archive)) {}

  /// Reads the central directory. Throws IoError and FormatError.
  void read_directory();
  /// Completes `payload`, the bytes of the FILE `at` in it, by CRC-32 and time. Throws FormatError when the entry there
  /// is another, of another size, or compressed; IoError.
  void check(const RowAddress& at, Payload& payload);

 private:
  const zip::CentralEntry* entry_before(uint64_t offset);

  std::shared_ptr<const ByteSource> archive_;
  std::vector<zip::CentralEntry> entries_ = {};  ///< by local_offset; empty until they are asked for
};

}  // namespace tacore
