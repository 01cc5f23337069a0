#include "format/tacocat_header.hpp"

#include <string>
#include <string_view>

#include "base/little_endian.hpp"
#include "format/names.hpp"
#include "tacore/error.hpp"

namespace tacore::tacocat_header {
namespace {

constexpr std::string_view kMagic{"TACOCAT\0", 8};
constexpr uint32_t kVersion = 1;
constexpr uint64_t kMaxDepthOffset = 12;
constexpr uint64_t kCollectionOffset = 112;

void check_start(Cursor& in) {
  if (in.text(kMagic.size()) != kMagic) {
    throw FormatError("__TACOCAT__ header: magic is not TACOCAT", {.offset = 0});
  }
  if (const uint32_t version = in.u32(); version != kVersion) {
    throw FormatError("__TACOCAT__ header: version is " + std::to_string(version) + ", expected 1",
                      {.offset = kMagic.size()});
  }
}

uint32_t parse_max_depth(Cursor& in) {
  const uint32_t depth = in.u32();
  if (depth <= names::kMaxLevel) return depth;
  throw FormatError("__TACOCAT__ header: max_depth is " + std::to_string(depth) + ", at most " +
                        std::to_string(names::kMaxLevel) + " allowed",
                    {.offset = kMaxDepthOffset});
}

ByteRange parse_range(Cursor& in, const std::string& what, uint64_t file_size) {
  const uint64_t at = in.position();
  const ByteRange out = {.offset = in.u64(), .size = in.u64()};
  const auto fail = [&](const std::string& why) -> ByteRange {
    throw FormatError("__TACOCAT__ header: " + what + " (" + std::to_string(out.size) + " bytes at " +
                          std::to_string(out.offset) + ") " + why,
                      {.offset = at});
  };
  if (out.size == 0) return fail("is absent");
  if (out.offset < kSize) return fail("starts inside the header");
  if (out.offset > file_size || out.size > file_size - out.offset) {
    return fail("goes beyond the end of the file of " + std::to_string(file_size) + " bytes");
  }
  return out;
}

}  // namespace

bool is_header(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < kMagic.size()) return false;
  Cursor in(bytes, "__TACOCAT__ header");
  return in.text(kMagic.size()) == kMagic;
}

Header parse(std::span<const std::byte> bytes, uint64_t file_size) {
  if (bytes.size() < kSize) {
    throw FormatError("__TACOCAT__ header is truncated: " + std::to_string(bytes.size()) + " bytes, expected " +
                          std::to_string(kSize),
                      {.offset = 0});
  }
  Cursor in(bytes, "__TACOCAT__ header");
  check_start(in);
  const uint32_t max_depth = parse_max_depth(in);
  Header out;
  for (uint32_t level = 0; level <= max_depth; ++level) {
    out.levels.push_back(parse_range(in, "level " + std::to_string(level), file_size));
  }
  in.skip(kCollectionOffset - in.position());  // levels below max_depth
  out.collection = parse_range(in, "collection", file_size);
  return out;
}

std::vector<std::byte> encode(const Header& header) {
  if (header.levels.empty() || header.levels.size() > names::kMaxLevel + 1) {
    throw FormatError("__TACOCAT__ header: " + std::to_string(header.levels.size()) + " levels, 1 to " +
                      std::to_string(names::kMaxLevel + 1) + " expected");
  }
  FieldWriter to;
  to.text(kMagic);
  to.u32(kVersion);
  to.u32(static_cast<uint32_t>(header.levels.size() - 1));
  auto ranges = header.levels;
  ranges.resize(names::kMaxLevel + 1);
  ranges.push_back(header.collection);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const bool is_used = i < header.levels.size() || i + 1 == ranges.size();
    if (is_used && ranges[i].size == 0) throw FormatError("__TACOCAT__ header: an empty range");
    to.u64(ranges[i].offset);
    to.u64(ranges[i].size);
  }
  return to.take();
}

}  // namespace tacore::tacocat_header
