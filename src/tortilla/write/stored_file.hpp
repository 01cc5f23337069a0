#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "io/output_file.hpp"
#include "table/stored_table.hpp"
#include "tortilla/header.hpp"

namespace tacore::v1 {

/// A file of v1 as it lies on the disk, to be written again.
class StoredFile {
 public:
  /// Reads the header. Throws IoError, and FormatError for what is no Tortilla or TACO.
  explicit StoredFile(const std::string& path);

  const std::string& path() const { return path_; }
  uint64_t size() const { return source_->size(); }
  const Header& header() const { return header_; }
  /// The fields behind those that encode_header() writes.
  std::vector<std::byte> with_free_space(std::vector<std::byte> header) const;
  /// COLLECTION, "" of a Tortilla. Throws IoError.
  std::string collection() const;
  /// The footer. Every sample of it lies in the data. Throws FormatError and SchemaError.
  StoredTable footer() const;

  /// Its permissions, where they can be given. Throws IoError; of local files only.
  void give_permissions(const OutputFile& file) const;
  /// Copies `range` to `to` in `file`: in the kernel as OutputFile::copy() does, a remote one many pieces at a time.
  /// `tell` hears of each piece how large it was, and may throw. Throws IoError.
  void copy(const ByteRange& range, const OutputFile& file, uint64_t to,
            const std::function<void(uint64_t num_bytes)>& tell) const;

 private:
  std::string path_;
  std::shared_ptr<const ByteSource> source_;
  std::vector<std::byte> head_;
  Header header_;
};

/// Throws ValidationError for a file of the generation before 0.5.0, whose footers say too little to be kept.
void check_generation(const StoredFile& file);

}  // namespace tacore::v1
