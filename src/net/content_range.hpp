#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_range.hpp"
#include "net/http_client.hpp"

/// Range requests of HTTP (RFC 9110, 14).
namespace tacore::net {

/// `Range` of one or several ranges, none of them empty: "bytes=0-99,200-299".
std::string range_header(std::span<const ByteRange> ranges);

/// The value of `Content-Range`.
struct ContentRange {
  ByteRange range = {};
  uint64_t total = 0;  ///< bytes of the whole file
};

/// "bytes 0-99/1234". nullopt for anything else, also for an unknown total and a range that passes the end of the file.
std::optional<ContentRange> parse_content_range(std::string_view text) noexcept;
/// "bytes */1234", of a response with status 416.
std::optional<uint64_t> parse_unsatisfied_range(std::string_view text) noexcept;

/// A part of a `multipart/byteranges` response (RFC 9110, 14.6).
struct BodyPart {
  ContentRange where;
  std::span<const std::byte> bytes;  ///< of the body
};

/// The parts of a response with this `Content-Type`, each of the length that it states. nullopt for another type and
/// for a malformed body.
std::optional<std::vector<BodyPart>> parse_parts(std::string_view content_type, std::span<const std::byte> body);

}  // namespace tacore::net
