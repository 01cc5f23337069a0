#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/visibility.hpp"

/// Single files in an object store (`s3://BUCKET/PREFIX`), for work that many machines share. Keys are those of
/// set_remote_options(), completed by the environment. All functions are safe for concurrent calls, and throw IoError,
/// with what the store said, for a store that cannot be used: no key, a wrong one, no such bucket.
namespace tacore {

/// A file of a store, or to be stored.
struct StoredFile {
  std::string name = {};    ///< below the root of the store, with slashes
  uint64_t size = 0;        ///< bytes
  std::string sha256 = {};  ///< in hexadecimal digits
};

/// Uploads the local file `path` to `root` as `name`, in parts with a SHA-256 each, which the store verifies; it is
/// visible when it is complete. A file that the store has already is not sent again, an interrupted upload of the same
/// bytes is continued, and several processes may upload the same bytes at the same time. Returns what was stored.
///
///     const StoredFile stored = store_file("s3://bucket/chips", "a.tacozip", "/tmp/a.tacozip");
///     assert(has_stored_files("s3://bucket/chips", {stored})[0]);
TACORE_EXPORT StoredFile store_file(const std::string& root, const std::string& name, const std::string& path);

/// For each file, whether the store states that it has it with this size and SHA-256. Nothing is downloaded. Throws
/// also for no files, where the store cannot be used.
TACORE_EXPORT std::vector<bool> has_stored_files(const std::string& root, const std::vector<StoredFile>& files);

/// The bytes [offset, offset + size) of a file, fewer where it ends before; nullopt if it does not exist.
TACORE_EXPORT std::optional<std::string> read_stored_file(const std::string& root, const std::string& name,
                                                          uint64_t offset, uint64_t size);

/// Ends the unfinished uploads below `root`, which cost storage. Their processes then get an error.
TACORE_EXPORT void discard_unfinished_uploads(const std::string& root);

/// Removes a file, if it is there.
TACORE_EXPORT void remove_stored_file(const std::string& root, const std::string& name);

/// A file of a listing.
struct ListedFile {
  std::string name = {};     ///< below the root of the listing, with slashes
  uint64_t size = 0;         ///< bytes
  std::string version = {};  ///< the ETag, which another content does not have
};

/// The files below `root`, `s3://BUCKET[/PREFIX]`, at all depths, in code-point order of their names. Of a public
/// bucket they are listed without a key. Throws IoError, too, for a listing that is cut off.
///
///     for (const ListedFile& file : list_stored_files("s3://bucket/landsat")) num_bytes += file.size;
TACORE_EXPORT std::vector<ListedFile> list_stored_files(const std::string& root);

}  // namespace tacore
