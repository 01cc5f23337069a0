#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_range.hpp"
#include "net/http_client.hpp"

/// Parts of files in HTTP (RFC 9110, 14).
namespace tacore::net {

/// `Range` of one or several ranges, none of them empty: "bytes=0-99,200-299".
std::string range_header(std::span<const ByteRange> ranges);

/// What `Content-Range` says.
struct ContentRange {
  ByteRange range = {};
  uint64_t total = 0;  ///< bytes of the whole file
};

/// "bytes 0-99/1234". Nothing for anything else, which includes an unknown total, and a range that leaves the file.
std::optional<ContentRange> parse_content_range(std::string_view text) noexcept;
/// "bytes */1234", of an answer that the range is not there.
std::optional<uint64_t> parse_unsatisfied_range(std::string_view text) noexcept;

/// A part of an answer `multipart/byteranges` (RFC 9110, 14.6).
struct BodyPart {
  ContentRange where;
  std::span<const std::byte> bytes;  ///< of the body
};

/// The parts of an answer of this `Content-Type`, each of the length that it states. Nothing for another type and
/// for what is no such body.
std::optional<std::vector<BodyPart>> parse_parts(std::string_view content_type, std::span<const std::byte> body);

}  // namespace tacore::net
