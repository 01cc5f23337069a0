#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "tacore/error.hpp"

/// Samples of a ZIP, each proved by what the ZIP itself says of it: the local header in front of its bytes, their
/// CRC-32, and where these contradict a level table, the central directory.
namespace tacore {

/// Where the payload of an entry lies, and its CRC-32, as the central directory has them.
struct ZipPlace {
  ByteRange range = {};
  uint32_t crc32 = 0;
};

/// The central directory of a ZIP, by place and by name. Safe from several threads.
class ZipDirectory {
 public:
  /// Reads it. Throws IoError, and FormatError where there is none.
  explicit ZipDirectory(const ByteSource& archive);

  /// The entry called `name`; nullopt when there is none. Throws FormatError when it is compressed, a link, or reaches
  /// into the next one.
  std::optional<ZipPlace> find(const ByteSource& archive, const std::string& name) const;
  /// True when the payload of the entry `name` is exactly `range`. `near`: the position of an entry that may be next,
  /// moved to that which was found.
  bool holds(const ByteSource& archive, const std::string& name, ByteRange range, std::size_t& near) const;

 private:
  /// Where the bytes of an entry begin: computed where entries leave no other place, else its local header is read.
  uint64_t payload_of(const ByteSource& archive, std::size_t number) const;

  std::vector<zip::CentralEntry> entries_;  ///< by local_offset
  uint64_t end_ = 0;                        ///< where the directory begins
  mutable std::mutex mutex_;
  mutable std::vector<std::size_t> by_name_;  ///< made when it is first needed
};

/// What has been learnt of one ZIP, which may be opened many times: its directory, once it was read, and which samples
/// were proved. Safe from several threads.
class ZipProofs {
 public:
  /// A directory no longer than this is read from a server, so that it proves all samples at once.
  static constexpr uint64_t kSmallDirectory = 8 << 20;

  /// `stays_open`: the archive is always the same. One that is opened anew may be another by then, so that nothing of
  /// it is remembered but its directory, which only repairs.
  explicit ZipProofs(bool stays_open) : stays_open_(stays_open) {}

  /// Read at the first call, and kept.
  std::shared_ptr<const ZipDirectory> directory(const ByteSource& archive) const;
  /// The same if it was read already; else nullptr.
  std::shared_ptr<const ZipDirectory> known_directory() const;
  /// The same; nullptr where it would be read from a server and is longer than kSmallDirectory.
  std::shared_ptr<const ZipDirectory> small_directory(const ByteSource& archive) const;
  /// The same; nullptr where a server would have to be asked.
  std::shared_ptr<const ZipDirectory> directory_at_hand(const ByteSource& archive) const;

  bool is_proved(ByteRange range, const std::string& name) const;
  void remember(ByteRange range, const std::string& name) const;
  /// Says once that places of this ZIP are not where its tables say.
  void warn_moved(const ByteSource& archive) const;

 private:
  bool stays_open_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const ZipDirectory> directory_;
  mutable std::unordered_set<std::size_t> proved_;
  mutable bool warned_ = false;
};

/// The bytes of a sample are elsewhere than its row says, and of another length: whoever asked for them begins again,
/// and is led to the right ones.
class SampleMoved final : public FormatError {
 public:
  using FormatError::FormatError;
};

/// `body`, and once more where a sample has moved.
template <class Body>
auto again_if_moved(const Body& body) {
  try {
    return body();
  } catch (const SampleMoved&) {
    return body();
  }
}

/// What a sample is in a ZIP.
struct ZipEntry {
  std::string name = {};  ///< of the entry
  std::string id = {};    ///< what the caller asked for
  ByteRange range = {};   ///< as the level table says
};

/// The payload of `entry`. Nothing of it is handed out before the local header in front of it was seen, which comes in
/// the same read: at once where the archive is local, else with the first bytes, or, where these lie further than a
/// round trip from it, beside them, once for each sample. Read in one piece it has to have the CRC-32 that is stated.
/// What is not so is looked up in the central directory and read there. Reads throw FormatError where that does not
/// help, SampleMoved, IoError.
std::shared_ptr<const ByteSource> open_sample(std::shared_ptr<const ByteSource> archive,
                                              std::shared_ptr<const ZipProofs> proofs, ZipEntry entry);

/// Where the payload of `entry` is: where its row says, if its local header is there, else by the central directory.
/// Throws FormatError where neither has it, IoError.
ByteRange prove_place(const ByteSource& archive, const ZipProofs& proofs, const ZipEntry& entry);

/// The CRC-32 that is stated for a sample that was opened; nullopt for other sources, and as long as none was seen.
std::optional<uint32_t> stated_crc32(const ByteSource& sample);
/// False when another one is stated for the sample. Where none was seen yet, reading throws FormatError when it is
/// another.
bool require_crc32(const ByteSource& sample, uint32_t expected);

/// Everything of each source, as read_together() does, samples of ZIPs proved.
std::vector<Bytes> read_samples(std::span<const std::shared_ptr<const ByteSource>> sources);

}  // namespace tacore
