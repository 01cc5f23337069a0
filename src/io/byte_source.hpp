#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/byte_range.hpp"
#include "tacore/types.hpp"

namespace tacore {

/// What reading takes of a server. Nothing for local files.
struct ReadCost {
  int64_t requests = 0;
  uint64_t bytes = 0;  ///< of the responses

  ReadCost& operator+=(const ReadCost& more) noexcept {
    requests += more.requests;
    bytes += more.bytes;
    return *this;
  }
};

/// The bytes of one file, local or remote. Implementations allow concurrent calls.
class ByteSource {
 public:
  virtual ~ByteSource();
  /// The path as the user wrote it, for messages.
  virtual const std::string& name() const noexcept = 0;
  virtual uint64_t size() const = 0;
  /// Fills `out` completely from `offset`, or throws IoError (a read past the end names both).
  /// There are no short reads.
  virtual void read(uint64_t offset, std::span<std::byte> out) const = 0;
  /// One buffer for each range, in the order given. Ranges are checked against size() before anything is allocated:
  /// IoError. The default implementation reads ranges with a gap of at most kLocalCoalesceGap together.
  virtual std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const;
  /// True when a read takes microseconds (a local file, memory): then the local ZIP header of each sample is read to
  /// verify its offset.
  virtual bool is_local() const noexcept = 0;
  /// True when all of `range` can be read without a request to a server.
  virtual bool has([[maybe_unused]] ByteRange range) const { return is_local(); }
  /// A text that identifies this state of this file: for a local file its device, inode, size and times of change, for
  /// a remote file its URL, size, and ETag or Last-Modified. Empty if a server states neither of the last two, if a
  /// local file changed after it was opened, and for bytes that are no file.
  virtual std::string version() const { return {}; }

  /// The bytes that arrive from the server of this file in the time of a round trip to it, as its responses so far
  /// tell: to read so many more takes as long as another request. 0 for a local file, and for a server so near that
  /// fewer requests save nothing.
  virtual uint64_t bytes_of_round_trip() const { return 0; }
  /// The requests that read_ranges() would send, when none fails.
  virtual ReadCost cost_of([[maybe_unused]] std::span<const ByteRange> ranges) const { return {}; }

  /// Checked as read_ranges() checks; an empty range reads nothing.
  Bytes read(ByteRange range) const;
  Bytes read_all() const { return read({0, size()}); }

 protected:
  /// For implementations: throws IoError unless `range` lies within size().
  void require_inside(ByteRange range) const;
};

/// The part `range` of `whole`, as a source of its own that keeps `whole` alive. Throws FormatError
/// when `range` is not inside it.
std::shared_ptr<const ByteSource> slice(std::shared_ptr<const ByteSource> whole, ByteRange range);

/// All bytes of each source, in order. Slices of one file are read with one read_ranges(), and several remote files at
/// the same time.
std::vector<Bytes> read_together(std::span<const std::shared_ptr<const ByteSource>> sources);
/// What read_together() would take.
ReadCost cost_together(std::span<const std::shared_ptr<const ByteSource>> sources);

/// The bytes that a reader wants of a file first. A remote storage reads them with the request that opens the file, and
/// keeps them in memory: the last `suffix` bytes, or, where that is 0 or the server knows no suffix ranges, the first
/// `prefix` bytes.
struct ReadHint {
  uint64_t prefix = 32 * 1024;  ///< all metadata of a small dataset
  uint64_t suffix = 0;
  /// A remote storage that caches the files of one open_all() as a set (all of them or none) leaves this file closed,
  /// as if it were absent: the reader opens it later, together with the other files of its set.
  bool may_wait = false;
};

/// Opens files by path. All access to files goes through it, so that tests can count requests and make them fail.
class Storage {
 public:
  virtual ~Storage();
  /// Throws IoError, with not_found() when there is nothing at `path`.
  virtual std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint& hint = {}) const = 0;
  /// True for a file or, with `directory`, for a directory. Throws IoError when that cannot be
  /// determined (permissions).
  virtual bool exists(const std::string& path, bool directory = false) const = 0;
  /// Opens several files of one storage, concurrently where they are remote. nullptr for a file that is absent; throws
  /// IoError as open() for other reasons. `hints`: one for each path, or none.
  virtual std::vector<std::shared_ptr<const ByteSource>> open_all(std::span<const std::string> paths,
                                                                  std::span<const ReadHint> hints = {}) const;
};

/// The file system of this machine. Opens regular files only, not directories, pipes or devices.
std::shared_ptr<const Storage> local_storage();

}  // namespace tacore
