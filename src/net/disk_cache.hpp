#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_range.hpp"
#include "io/byte_source.hpp"
#include "net/cache_records.hpp"

/// Parts of remote files on the disk of this machine (docs/remote.md, "Cache"). Knows nothing of requests.
///
///     files/HASH/about                   what was learnt of a file: its name, size and validator
///     files/HASH/VERSION-OFFSET-SIZE     a piece: PieceHeader and bytes. VERSION stands for size and validator
///     sets/HASH                          a mark of a folder, another one each time that a dataset in it changed
///     new/                               files that are being written
///     lock, lock.space                   held while abouts are written, and while space is made
///
/// Each file is written beside and renamed, and has a CRC-32. HASH is the SHA-256 of a name.
namespace tacore::net {

struct KnownFile {
  FileFacts facts = {};
  /// Whether no metadata of a dataset that it may belong to changed after the facts were learnt. Without it, an old
  /// sample could be read by the offsets of a new table.
  bool is_current = false;
};

struct LearntFile {
  std::string name = {};
  std::optional<FileFacts> facts = {};  ///< none: of this file nothing may be kept
};

/// Safe from several threads, and beside other processes. No function throws for what the disk does. What cannot be
/// read is not there. After a failure to write, which is reported as a warning, this object writes no more.
class DiskCache {
 public:
  /// At most `max_size` bytes (at least kMinSize) in blocks of kBlock are used, for up to four processes that write at
  /// once.
  DiskCache(std::string folder, uint64_t max_size);

  static constexpr uint64_t kMinSize = 1 << 20;
  static constexpr uint64_t kBlock = 4096;

  /// `name` has no secrets in it, and one line.
  std::optional<KnownFile> find(const std::string& name) const;
  /// Replaces what was known of all of these. Other files of a dataset whose metadata is among them and was not known
  /// like this are no longer current, but for its COLLECTION.json, which was asked for before its levels. When this
  /// ends half way, those that it did not come to are not current.
  void keep(std::span<const LearntFile> files) const;

  /// The pieces of a version of a file begin with this. Nothing is read or made.
  std::string pieces_of(const std::string& name, const FileFacts& facts) const;
  /// Those that are there, in any order. Some may be damaged.
  std::vector<ByteRange> list(const std::string& pieces) const;
  /// Nothing when it is not there or damaged, and then it is removed.
  std::optional<Bytes> load(const std::string& pieces, ByteRange piece) const;
  /// At most max_piece() bytes. False when it is not kept.
  bool store(const std::string& pieces, uint64_t offset, std::span<const std::byte> bytes) const;
  uint64_t max_piece() const noexcept;

 private:
  std::string file(const char* kind, const std::string& name) const;
  std::string mark_of(const std::string& name) const;
  bool put(const std::string& path, std::span<const std::byte> bytes) const;
  int try_to_put(const std::string& path, std::span<const std::byte> bytes) const;
  void write_about(const LearntFile& learnt) const;
  void count(uint64_t size) const;
  void make_space() const;
  void give_up(int error) const;

  std::string folder_;
  uint64_t max_size_;
  mutable std::atomic<bool> gave_up_ = false;
  mutable std::mutex mutex_;                          ///< of num_written_
  mutable std::optional<uint64_t> num_written_ = {};  ///< bytes since space was made
};

}  // namespace tacore::net
