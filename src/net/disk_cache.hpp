#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_range.hpp"
#include "io/byte_source.hpp"
#include "net/cache_records.hpp"

/// A cache on the local disk for parts of remote files (docs/remote.md, "Cache"). It sends no requests.
///
///     files/HASH/about                   facts about a file: its name, size and validator
///     files/HASH/VERSION-OFFSET-SIZE     a piece: header and bytes. VERSION is a hash of size and validator
///     sets/HASH                          a mark of a folder, replaced whenever a dataset in it has changed
///     new/                               files that are being written
///     lock, lock.space                   locks for writing `about` files, and for making space
///     lock.reading                       locks of the bytes that are being read from servers
///
/// Each file is written under another name and renamed, and has a CRC-32. HASH is the SHA-256 of a name.
namespace tacore::net {

struct KnownFile {
  FileFacts facts = {};
  /// False when metadata of a dataset that it may belong to has changed after these facts were stored: then an old
  /// sample could be read with the offsets of a new table.
  bool is_current = false;
};

struct LearntFile {
  std::string name = {};
  std::optional<FileFacts> facts = {};  ///< nullopt: this file may not be cached
};

/// Bytes of a file that one thread reads from its server, until this is destroyed; others wait for them to be stored. A
/// process that is killed holds none.
class ReadingBytes {
 public:
  ReadingBytes() = default;
  ReadingBytes(ReadingBytes&& other) noexcept { swap(other); }
  ReadingBytes& operator=(ReadingBytes&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ReadingBytes();

  /// True when another thread or process was reading some of them.
  bool had_to_wait() const noexcept { return had_to_wait_; }

 private:
  friend class DiskCache;
  void swap(ReadingBytes& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(locked_, other.locked_);
    std::swap(had_to_wait_, other.had_to_wait_);
  }

  int file_ = -1;
  std::vector<ByteRange> locked_ = {};
  bool had_to_wait_ = false;
};

/// Safe from several threads, and with other processes. No function throws for errors of the disk: a file that cannot
/// be read counts as absent. After a failure to write, which is reported as a warning, this object writes no more.
class DiskCache {
 public:
  /// Uses at most `max_size` bytes (at least kMinSize), in blocks of kBlock, with up to four processes that write at
  /// the same time.
  /// `longest_wait`: see begin_reading().
  DiskCache(std::string folder, uint64_t max_size, std::chrono::milliseconds longest_wait = std::chrono::seconds(30));

  static constexpr uint64_t kMinSize = 1 << 20;
  static constexpr uint64_t kBlock = 4096;

  /// `name` has no secrets and no line breaks.
  std::optional<KnownFile> find(const std::string& name) const;
  /// Replaces the facts about all of these. When metadata of a dataset is among them and has changed, the other files
  /// of the dataset are no longer current, except its COLLECTION.json, which is opened before its levels. Files that
  /// an interrupted call did not reach are not current.
  void keep(std::span<const LearntFile> files) const;

  /// The prefix of the names of all pieces of a version of a file. Reads and writes nothing.
  std::string pieces_of(const std::string& name, const FileFacts& facts) const;
  /// All cached pieces, in any order. Some may be damaged.
  std::vector<ByteRange> list(const std::string& pieces) const;
  /// A number that is another one after pieces of the file were stored or removed; 0: they were a moment ago, and
  /// clocks do not tell what came after.
  int64_t when_changed(const std::string& pieces) const;
  /// nullopt when the piece is absent, or damaged: then it is removed.
  std::optional<Bytes> load(const std::string& pieces, ByteRange piece) const;
  /// Stores at most max_piece() bytes. False when they were not stored.
  bool store(const std::string& pieces, uint64_t offset, std::span<const std::byte> bytes) const;
  uint64_t max_piece() const noexcept;
  /// Whether this piece is there, perhaps damaged.
  bool has(const std::string& pieces, ByteRange piece) const;

  /// Waits until nobody else reads any of these bytes, which this thread then reads and stores, unless they are cached
  /// meanwhile. After `longest_wait` the others are taken to be suspended, and not waited for. Throws QueryError when
  /// the caller wants to stop.
  ReadingBytes begin_reading(const std::string& pieces, std::span<const ByteRange> ranges) const;

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
  std::chrono::milliseconds longest_wait_;
  mutable std::atomic<bool> gave_up_ = false;
  mutable std::mutex mutex_;                          ///< guards num_written_
  mutable std::optional<uint64_t> num_written_ = {};  ///< bytes written since space was made
};

}  // namespace tacore::net
