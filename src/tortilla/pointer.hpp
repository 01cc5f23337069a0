#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/byte_range.hpp"

/// The texts by which the tables of a streaming TACO refer to byte ranges.
namespace tacore::v1 {

/// Keys in the Parquet metadata of a table.
inline constexpr const char* kPointer = "pointer";        ///< the next table; only streaming files have it
inline constexpr const char* kLevelKey = "taco:level";    ///< "0" to "n", "chunk"
inline constexpr const char* kFooterKey = "taco:footer";  ///< of level 0: the bytes of all tables
inline constexpr const char* kHistogram = "histogram";    ///< of level 0: the Tortilla of histograms

/// JSON text of a string: `"OFFSETLENGTH(38706, 2031)"`, or `"NULL"` for the end.
std::string encode_pointer(const std::optional<ByteRange>& range);

/// Parses such a text, also in the forms of other writers: without quotes, in any case, amid other text, as the member
/// `pointer` of an object; nullopt for the end: NULL, JSON's null, or nothing. Throws FormatError for anything else,
/// and for numbers beyond 64 bits.
std::optional<ByteRange> parse_pointer(std::string_view text);

/// `{"offset": 38706, "length": 3763}`, the length padded so that a table that states its own length always has the
/// same size.
std::string encode_footer_hint(ByteRange range);
/// nullopt for any other text, since it is only a hint.
std::optional<ByteRange> parse_footer_hint(std::string_view text);

}  // namespace tacore::v1
