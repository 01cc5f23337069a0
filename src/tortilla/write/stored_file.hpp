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

/// An existing file of v1 that will be rewritten.
class StoredFile {
 public:
  /// Reads the header. Throws IoError, and FormatError for what is no Tortilla or TACO.
  explicit StoredFile(const std::string& path);

  const std::string& path() const { return path_; }
  uint64_t size() const { return source_->size(); }
  const Header& header() const { return header_; }
  /// `header` with the bytes after its fields copied from this file.
  std::vector<std::byte> with_free_space(std::vector<std::byte> header) const;
  /// The text of COLLECTION, "" for a Tortilla. Throws IoError.
  std::string collection() const;
  /// The footer; every sample in it lies in the data. Throws FormatError and SchemaError.
  StoredTable footer() const;

  /// Copies its permissions to `file`, where possible. Throws IoError; only for local files.
  void give_permissions(const OutputFile& file) const;
  /// Copies `range` to `to` in `file`: in the kernel as OutputFile::copy() does, a remote one in several parallel
  /// requests. `tell` gets the size of each piece, and may throw. Throws IoError.
  void copy(const ByteRange& range, const OutputFile& file, uint64_t to,
            const std::function<void(uint64_t num_bytes)>& tell) const;

 private:
  std::string path_;
  std::shared_ptr<const ByteSource> source_;
  std::vector<std::byte> head_;
  Header header_;
};

/// Throws ValidationError for a file of the generation before 0.5.0, whose footers lack information.
void check_generation(const StoredFile& file);

}  // namespace tacore::v1
