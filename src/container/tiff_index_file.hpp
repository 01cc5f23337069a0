#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "container/container.hpp"
#include "io/byte_source.hpp"

/// The TIFF index: a file beside a dataset with the headers of its TIFFs, for datasets that have no column of them
/// (docs/format.md). The headers are bytes here.
namespace tacore {

/// The suffix that is added to the path of a dataset.
inline constexpr std::string_view kHeaderFileSuffix = ".headers";

/// Columns of a level that hold the header of a TIFF: the one of tacore, and the one of other writers.
inline constexpr std::string_view kHeaderColumns[] = {"taco:header", "internal:header"};
/// The column of the TIFF index that has the fingerprint_of() its dataset.
inline constexpr std::string_view kDatasetColumn = "dataset";
/// The column with the CRC-32 of each FILE, as its ZIP has it.
inline constexpr std::string_view kCrc32Column = "crc32";

/// The path of the TIFF index of a dataset. In a URL the suffix precedes the query; "" for a signed URL, since its
/// signature is for one file only.
std::string header_file_path(const std::string& dataset);

/// Identifies a dataset: by the number of rows, the size and the CRC-32 of the footer of each level table.
std::string fingerprint_of(const Container& container);

/// A row of the TIFF index: the header of a FILE, with the size and CRC-32 of the FILE it was made from.
struct HeaderRow {
  std::string source_file = {}, relative_path = {};
  int64_t size = -1;   ///< of the FILE; -1: not known
  int64_t crc32 = -1;  ///< of the FILE; -1: not known
  std::string header = {};
};

/// An open TIFF index. Immutable; safe from several threads.
class TiffIndexFile {
 public:
  /// Opens the TIFF index at `path`; nullptr when there is none, and for the index of another dataset, or another kind
  /// of file. In the latter cases `leave` is called with the reason, or, without it, a warning is logged. Throws
  /// IoError.
  static std::shared_ptr<const TiffIndexFile> open(const Storage& storage, const std::string& path,
                                                   const Container& container,
                                                   const std::function<void(const std::string& why)>& leave = {});

  /// Rows are sorted by source file, then path.
  int64_t num_rows() const { return table_->num_rows(); }
  HeaderRow row(int64_t row) const;

  /// The header of a FILE, whose `bytes` are a sample of a ZIP; "" when there is none, or when the bytes have another
  /// size or CRC-32 than those it was made from, which is logged once. Where the CRC-32 is not known yet, reading the
  /// sample throws FormatError if it differs (require_crc32()).
  std::string find(const RowAddress& file, const ByteSource& bytes) const;

 private:
  explicit TiffIndexFile(std::shared_ptr<const LevelTable> table);
  int compare(int64_t row, const RowAddress& file) const;

  std::shared_ptr<const LevelTable> table_;
  int path_ = -1, source_file_ = -1, size_ = -1, crc32_ = -1, header_ = -1;
  mutable std::once_flag warned_ = {};
};

}  // namespace tacore
