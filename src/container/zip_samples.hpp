#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "tacore/error.hpp"

/// Samples of a ZIP, each verified by the ZIP itself: by the local header in front of its bytes, by their CRC-32, and,
/// where these contradict a level table, by the central directory.
namespace tacore {

/// The byte range of the payload of an entry, and its CRC-32, as the central directory states them.
struct ZipPlace {
  ByteRange range = {};
  uint32_t crc32 = 0;
};

/// The central directory of a ZIP, by offset and by name. Safe from several threads.
class ZipDirectory {
 public:
  /// Reads the central directory. Throws IoError, and FormatError when there is none.
  explicit ZipDirectory(const ByteSource& archive);

  /// The entry called `name`; nullopt when there is none. Throws FormatError when it is compressed, a link, or reaches
  /// into the next entry.
  std::optional<ZipPlace> find(const ByteSource& archive, const std::string& name) const;
  /// True when the payload of the entry `name` is exactly `range`. `near`: the position of the entry to try first;
  /// it is set to the next one.
  bool holds(const ByteSource& archive, const std::string& name, ByteRange range, std::size_t& near) const;

 private:
  /// The offset of the payload of an entry: computed where there is no gap before the next entry, else its local header
  /// is read.
  uint64_t payload_of(const ByteSource& archive, std::size_t number) const;

  std::vector<zip::CentralEntry> entries_;  ///< by local_offset
  uint64_t end_ = 0;                        ///< offset of the directory
  mutable std::mutex mutex_;
  mutable std::vector<std::size_t> by_name_;  ///< computed when it is first needed
};

/// The central directory of one ZIP, once it was read, and the samples that were verified, shared by all who open this
/// ZIP. Safe from several threads.
class ZipProofs {
 public:
  /// Maximal size of a directory that is read from a server to verify all samples with one request.
  static constexpr uint64_t kSmallDirectory = 8 << 20;

  /// `stays_open`: the archive is opened once. When it is opened anew for each read, it may have been replaced
  /// meanwhile: then only the directory is kept, which serves to repair offsets.
  explicit ZipProofs(bool stays_open) : stays_open_(stays_open) {}

  /// The central directory, which is read at the first call and kept.
  std::shared_ptr<const ZipDirectory> directory(const ByteSource& archive) const;
  /// The central directory if it was read already; else nullptr.
  std::shared_ptr<const ZipDirectory> known_directory() const;
  /// The central directory; nullptr when it would be read from a server and is longer than kSmallDirectory.
  std::shared_ptr<const ZipDirectory> small_directory(const ByteSource& archive) const;
  /// The central directory; nullptr when reading it would take a request to a server.
  std::shared_ptr<const ZipDirectory> directory_at_hand(const ByteSource& archive) const;

  bool is_proved(ByteRange range, const std::string& name) const;
  void remember(ByteRange range, const std::string& name) const;
  /// Warns once that samples of this ZIP are not at the offsets in its tables.
  void warn_moved(const ByteSource& archive) const;

 private:
  bool stays_open_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const ZipDirectory> directory_;
  mutable std::unordered_set<std::size_t> proved_;
  mutable bool warned_ = false;
};

/// Thrown when a sample has another offset than its row states, and another length. When the caller tries again, the
/// right bytes are read.
class SampleMoved final : public FormatError {
 public:
  using FormatError::FormatError;
};

/// Calls `body`, and a second time when it throws SampleMoved.
template <class Body>
auto again_if_moved(const Body& body) {
  try {
    return body();
  } catch (const SampleMoved&) {
    return body();
  }
}

/// The ZIP entry of a sample, as its level table states it.
struct ZipEntry {
  std::string name = {};  ///< of the entry
  std::string id = {};    ///< of the sample, for messages
  ByteRange range = {};   ///< of the payload
};

/// Opens the payload of `entry`. Its local header is checked before any of its bytes are returned: when the archive is
/// local, on opening; else, once for each sample, with the first read, together with its bytes. A sample that is read
/// whole must have the CRC-32 of its header. When a check fails, the sample is looked up in the central directory and
/// read from there. Reads throw FormatError when that fails too, SampleMoved, IoError.
std::shared_ptr<const ByteSource> open_sample(std::shared_ptr<const ByteSource> archive,
                                              std::shared_ptr<const ZipProofs> proofs, ZipEntry entry);

/// The byte range of the payload of `entry`: that of its row, if its local header precedes it, else that of the central
/// directory. Throws FormatError when neither is right, IoError.
ByteRange prove_place(const ByteSource& archive, const ZipProofs& proofs, const ZipEntry& entry);

/// The CRC-32 in the header of a sample; nullopt for other sources, and before the header was read.
std::optional<uint32_t> stated_crc32(const ByteSource& sample);
/// False when the header of the sample states another CRC-32. When the header was not read yet, a later read throws
/// FormatError if it states another one.
bool require_crc32(const ByteSource& sample, uint32_t expected);

/// All bytes of each source, as read_together() does, with samples of ZIPs verified.
std::vector<Bytes> read_samples(std::span<const std::shared_ptr<const ByteSource>> sources);
/// What read_samples() would take, when no sample has to be looked up in the central directory.
ReadCost cost_of_samples(std::span<const std::shared_ptr<const ByteSource>> sources);

}  // namespace tacore
