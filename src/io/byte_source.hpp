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

/// Bytes of one file, wherever they are. Implementations allow concurrent calls.
class ByteSource {
 public:
  virtual ~ByteSource();
  /// For messages: the path as the user wrote it.
  virtual const std::string& name() const noexcept = 0;
  virtual uint64_t size() const = 0;
  /// Fills `out` completely from `offset`, or throws IoError (a read past the end names both).
  /// There are no short reads.
  virtual void read(uint64_t offset, std::span<std::byte> out) const = 0;
  /// One buffer for each range, in the order given. Default: joins ranges at most 4 KiB apart, then
  /// read(). Ranges are checked against size() before anything is allocated: IoError.
  virtual std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const;
  /// True when a read costs microseconds (a local file, memory): then bytes are proved by reading
  /// their ZIP header.
  virtual bool is_local() const noexcept = 0;
  /// True when all of `range` can be read without asking a server.
  virtual bool has([[maybe_unused]] ByteRange range) const { return is_local(); }

  /// Checked like read_ranges; an empty range reads nothing.
  Bytes read(ByteRange range) const;
  Bytes read_all() const { return read({0, size()}); }

 protected:
  /// For implementations: throws IoError unless `range` lies within size().
  void require_inside(ByteRange range) const;
};

/// The part `range` of `whole`, as a source of its own that keeps `whole` alive. Throws FormatError
/// when `range` leaves it.
std::shared_ptr<const ByteSource> slice(std::shared_ptr<const ByteSource> whole, ByteRange range);

/// Everything of each source, in order; slices of one file are read together, near ranges in one go.
std::vector<Bytes> read_together(std::span<const std::shared_ptr<const ByteSource>> sources);

/// Opens files by path: the one seam to the outside world, which tests count and break.
class Storage {
 public:
  virtual ~Storage();
  /// Throws IoError, with not_found() when there is nothing at `path`.
  virtual std::shared_ptr<const ByteSource> open(const std::string& path) const = 0;
  /// True for a file or, with `directory`, for a directory. Throws IoError when that cannot be told
  /// (permissions).
  virtual bool exists(const std::string& path, bool directory = false) const = 0;
  /// Opens several files of one place, side by side where that is quicker. nullptr for one that is not there; throws
  /// IoError as open() for other reasons.
  virtual std::vector<std::shared_ptr<const ByteSource>> open_all(std::span<const std::string> paths) const;
  /// True where the remote files that one call of open_all() opens are kept on the disk, all of them or none: then the
  /// levels of a dataset have to come in one.
  virtual bool keeps_sets() const { return false; }
};

/// The file system of this machine. Opens regular files only, not directories, pipes or devices.
std::shared_ptr<const Storage> local_storage();

}  // namespace tacore
