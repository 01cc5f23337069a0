#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tacore {

/// A SHA-256 digest (FIPS 180-4).
using Sha256 = std::array<std::byte, 32>;

Sha256 sha256(std::span<const std::byte> bytes);
/// The digest of the pieces that `next` returns, up to an empty one.
Sha256 sha256(const std::function<std::span<const std::byte>()>& next);

/// HMAC with SHA-256 (RFC 2104).
Sha256 hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> message);

/// The digest of another algorithm that a protocol requires, in hexadecimal digits: "MD5" for the ETags of S3, "SHA1"
/// for the objects of git. "" where OpenSSL has it disabled.
std::string hex_digest(const char* algorithm, const std::function<std::span<const std::byte>()>& next);

/// 64 lower-case hexadecimal digits, and the inverse: nothing for any other text.
std::string hex(const Sha256& hash);
std::optional<Sha256> parse_sha256(std::string_view text) noexcept;

}  // namespace tacore
