#pragma once

#include <map>
#include <string>
#include <vector>

#include "format/zip_records.hpp"
#include "reader/container.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// What the central directories of ZIPs say of samples. Each is read once.
class ZipEntries {
 public:
  /// Completes `payload`, the bytes of the FILE `at` in a ZIP, by CRC-32 and time. Throws FormatError when the entry
  /// there is another, of another size, or compressed; IoError.
  void check(const RowAddress& at, Payload& payload);

 private:
  std::map<std::string, std::vector<zip::CentralEntry>> by_zip_;  ///< by local_offset
};

}  // namespace tacore
