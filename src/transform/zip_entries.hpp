#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "reader/container.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// What ZIPs say of samples: by their local headers; by the central directory, read once, where those do not tell.
class ZipEntries {
 public:
  /// Completes `payload`, the bytes of the FILE `at` in a ZIP, by CRC-32 and time. Throws FormatError when the entry
  /// there is another, of another size, or compressed; IoError.
  void check(const RowAddress& at, Payload& payload);

 private:
  struct Archive {
    std::shared_ptr<const ByteSource> source;
    std::vector<zip::CentralEntry> entries;  ///< by local_offset; empty until they are asked for
  };
  Archive& archive(const std::string& path);
  static const zip::CentralEntry* entry_before(Archive& archive, uint64_t offset);

  std::map<std::string, Archive> archives_;
};

}  // namespace tacore
