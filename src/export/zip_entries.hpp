#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "container/container.hpp"
#include "container/zip_samples.hpp"
#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// The samples of a ZIP by its central directory, which is read once; a few samples of a large local ZIP are read by
/// their local headers, which costs less.
class ZipEntries {
 public:
  explicit ZipEntries(std::shared_ptr<const ByteSource> archive) : archive_(std::move(archive)) {}

  /// Announces so many calls of payload_of(): reads the central directory where that is cheaper. Throws IoError and
  /// FormatError.
  void expect(std::size_t num_samples);
  /// The bytes of the FILE `at` in `whole`, the archive, with CRC-32 and time. Their location is that of the central
  /// directory where it differs from the row. Throws FormatError when the entry is missing, has another size, or is
  /// compressed; IoError.
  Payload payload_of(const RowAddress& at, ByteRange range, const Payload& whole);

 private:
  void read_directory();
  const zip::CentralEntry* entry_before(uint64_t offset);
  bool complete(const std::string& name, Payload& payload);

  std::shared_ptr<const ByteSource> archive_;
  uint64_t num_expected_ = 0;
  std::optional<uint64_t> num_entries_ = {};     ///< stated at the end of the archive, once it was read
  std::vector<zip::CentralEntry> entries_ = {};  ///< by local_offset; empty until first use
  std::unique_ptr<const ZipProofs> proofs_ = std::make_unique<const ZipProofs>(true);
};

}  // namespace tacore
