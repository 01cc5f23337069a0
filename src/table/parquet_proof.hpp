#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/error.hpp"

namespace parquet {
class FileMetaData;
}

/// The proof that a footer and a page index are those that tacore wrote, in a key of the footer. Whoever rewrites the
/// table may copy the key, but not so that it fits: bounds of such a table are not relied on.
namespace tacore {

inline constexpr const char* kProofKey = "tacore:proof";

/// The value of the key before it is known, for a table of `num_groups` row groups, whose bounding boxes are those of
/// its geometries if `has_covering`.
std::string unproved(bool has_covering, int num_groups);
/// Replaces that value in the end of a file: page index, footer, length and magic, from byte `offset` of the file on.
void prove(std::span<std::byte> end, uint64_t offset);

/// The facts that a proof establishes, besides the bytes of the footer itself.
struct Proved {
  bool has_covering = false;                ///< bounding boxes are those of the geometries
  std::vector<uint32_t> page_indexes = {};  ///< the CRC-32 of the page index of each row group
};
/// Checks that the proof `stated`, the value of kProofKey, fits `footer`, which is the end of the file that
/// footer_size() counts, and returns the facts; nullopt if there is no proof. Throws FormatError if it does not fit.
std::optional<Proved> proved_by(std::span<const std::byte> footer, const std::optional<std::string>& stated,
                                int num_groups);

/// The byte ranges of the column indexes and of the offset indexes of a row group, each one range for all columns;
/// nullopt where a column has no offset index, or where they are not consecutive.
struct PageIndexRanges {
  ByteRange columns = {};
  ByteRange offsets = {};
};
std::optional<PageIndexRanges> page_index_ranges(const parquet::FileMetaData& footer, int group);

}  // namespace tacore
