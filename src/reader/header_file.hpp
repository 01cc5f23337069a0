#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/byte_source.hpp"
#include "reader/container.hpp"

/// The headers of TIFFs in a file beside a dataset that has no column of them (docs/format.md). Knows nothing of what
/// is in a header.
namespace tacore {

/// Follows the path of a dataset.
inline constexpr std::string_view kHeaderFileSuffix = ".headers";

/// Columns of a level that hold the header of a TIFF: ours, and that of other writers.
inline constexpr std::string_view kHeaderColumns[] = {"taco:header", "internal:header"};
/// The column of the file that holds fingerprint_of() its dataset.
inline constexpr std::string_view kDatasetColumn = "dataset";

/// By what such a file knows its dataset: the rows, bytes and footer of each level table.
std::string fingerprint_of(const Container& container);

/// Immutable; safe from several threads.
class HeaderFile {
 public:
  /// nullptr when there is none at `path`. Of another dataset: nullptr, too, and a warning. Throws FormatError for what
  /// is no such file, IoError.
  static std::shared_ptr<const HeaderFile> open(const Storage& storage, const std::string& path,
                                                const Container& container);

  /// The header of a FILE of `size` bytes; "" when there is none. Throws FormatError when it belongs to a FILE of
  /// another size.
  std::string find(const RowAddress& file, uint64_t size) const;

 private:
  explicit HeaderFile(std::shared_ptr<const LevelTable> table);
  int compare(int64_t row, const RowAddress& file) const;

  std::shared_ptr<const LevelTable> table_;
  int path_ = -1, source_file_ = -1, size_ = -1, header_ = -1;
};

}  // namespace tacore
