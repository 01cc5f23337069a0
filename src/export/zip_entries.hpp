#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "container/container.hpp"
#include "container/zip_samples.hpp"
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
  /// The bytes of the FILE `at` in `whole`, the archive, with CRC-32 and time. Taken from where the central directory
  /// has them if those are not where the row says. Throws FormatError when there is no such entry, it has another size, or
  /// is compressed; IoError.
  Payload payload_of(const RowAddress& at, ByteRange range, const Payload& whole);

 private:
  void read_directory();
  const zip::CentralEntry* entry_before(uint64_t offset);
  bool complete(const std::string& name, Payload& payload);

  std::shared_ptr<const ByteSource> archive_;
  uint64_t num_expected_ = 0;
  std::optional<uint64_t> num_entries_ = {};     ///< what the end of the archive states, once it was read
  std::vector<zip::CentralEntry> entries_ = {};  ///< by local_offset; empty until they are asked for
  std::unique_ptr<const ZipProofs> proofs_ = std::make_unique<const ZipProofs>(true);
};

}  // namespace tacore
