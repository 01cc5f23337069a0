#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "io/byte_source.hpp"
#include "container/container.hpp"

/// The headers of TIFFs in a file beside a dataset that has no column of them (docs/format.md). Knows nothing of what
/// is in a header.
namespace tacore {

/// Follows the path of a dataset.
inline constexpr std::string_view kHeaderFileSuffix = ".headers";

/// Columns of a level that hold the header of a TIFF: ours, and that of other writers.
inline constexpr std::string_view kHeaderColumns[] = {"taco:header", "internal:header"};
/// The column of the file that holds fingerprint_of() its dataset.
inline constexpr std::string_view kDatasetColumn = "dataset";
/// The column of the CRC-32 of each FILE, as its ZIP states it.
inline constexpr std::string_view kCrc32Column = "crc32";

/// Where the headers of a dataset are looked for: in front of the parameters of a URL; "" where these sign it, since the
/// signature is of this one file.
std::string header_file_path(const std::string& dataset);

/// By what such a file knows its dataset: the rows, bytes and footer of each level table.
std::string fingerprint_of(const Container& container);

/// A row of such a file: the header of a FILE, and what it was made of.
struct HeaderRow {
  std::string source_file = {}, relative_path = {};
  int64_t size = -1;   ///< of the FILE; -1: not known
  int64_t crc32 = -1;  ///< the same
  std::string header = {};
};

/// Immutable; safe from several threads.
class TiffIndexFile {
 public:
  /// nullptr when there is none at `path`. Of another dataset, or what is no such file: nullptr, too, and `leave` is
  /// told why; without it that is a warning. Throws IoError.
  static std::shared_ptr<const TiffIndexFile> open(const Storage& storage, const std::string& path,
                                                const Container& container,
                                                const std::function<void(const std::string& why)>& leave = {});

  /// By source file, then path.
  int64_t num_rows() const { return table_->num_rows(); }
  HeaderRow row(int64_t row) const;

  /// The header of a FILE, whose `bytes` are a sample of a ZIP; "" when there is none, or when the bytes are of another
  /// size or CRC-32 than those that it was made of, which is said once. Where no CRC-32 is known yet, reading them
  /// throws FormatError (require_crc32()).
  std::string find(const RowAddress& file, const ByteSource& bytes) const;

 private:
  explicit TiffIndexFile(std::shared_ptr<const LevelTable> table);
  int compare(int64_t row, const RowAddress& file) const;

  std::shared_ptr<const LevelTable> table_;
  int path_ = -1, source_file_ = -1, size_ = -1, crc32_ = -1, header_ = -1;
  mutable std::once_flag warned_ = {};
};

}  // namespace tacore
