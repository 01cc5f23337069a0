#include "tortilla/header.hpp"

#include <string_view>

#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore::v1 {
namespace {

constexpr const char* kWhat = "Tortilla header";
constexpr std::string_view kTortilla = "#y", kTaco = "WX";
constexpr uint64_t kPartitionsOffset = 18;
constexpr uint64_t kFormatSize = 24;                    // of the name of a format, before 0.5.0
constexpr uint64_t kMaxPartitions = uint64_t{1} << 32;  // a larger number is the text of an earlier generation

/// Checks ranges against the container; offsets in messages are offsets in the file.
struct Bounds {
  uint64_t container_size;
  uint64_t begin;

  ByteRange range(Cursor& in, const char* name, uint64_t smallest) const {
    const uint64_t at = begin + in.position();
    const ByteRange out = {.offset = in.u64(), .size = in.u64()};
    const auto fail = [&](const std::string& why) {
      throw FormatError(std::string(kWhat) + ": " + name + " (" + std::to_string(out.size) + " bytes at " +
                            std::to_string(out.offset) + ") " + why,
                        {.offset = at});
    };
    if (out.offset < kHeaderSize) fail("starts inside the header of " + std::to_string(kHeaderSize) + " bytes");
    if (out.size < smallest) fail("is shorter than " + std::to_string(smallest) + " bytes");
    if (out.offset > container_size || out.size > container_size - out.offset)
      fail("leaves the container of " + std::to_string(container_size) + " bytes");
    return out;
  }
};

uint64_t number_at(std::span<const std::byte> bytes, uint64_t at) {
  Cursor in(bytes, kWhat);
  in.skip(at);
  return in.u64();
}

[[noreturn]] void refuse_first_generation(uint64_t begin) {
  throw FormatError(
      "a Tortilla of the generation before 0.1 (2024), whose samples start at byte 50; only 0.1 and later can be read",
      {.offset = begin + kPartitionsOffset});
}

std::string format_name(std::string_view field) {
  std::string out(field);
  out.erase(out.find_last_not_of(std::string(" \0", 2)) + 1);
  return out;
}

}  // namespace

bool is_header(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < 2) return false;
  const std::string_view magic(reinterpret_cast<const char*>(bytes.data()), 2);
  return magic == kTortilla || magic == kTaco;
}

Header parse_header(std::span<const std::byte> bytes, uint64_t container_size, uint64_t begin) {
  if (bytes.size() < kHeaderUsed || container_size < kHeaderSize) {
    throw FormatError(std::string(kWhat) + " is truncated: " + std::to_string(container_size) + " bytes, " +
                          std::to_string(kHeaderSize) + " expected",
                      {.offset = begin});
  }
  Cursor in(bytes, kWhat, begin);
  const std::string_view magic = in.text(2);
  if (magic != kTortilla && magic != kTaco) {
    throw FormatError("not a Tortilla or TACO file: starts with " + quoted(magic) + ", \"#y\" or \"WX\" expected",
                      {.offset = begin});
  }
  Header out{.kind = magic == kTaco ? Kind::Taco : Kind::Tortilla};
  const bool first_generations = number_at(bytes, kPartitionsOffset) >= kMaxPartitions;
  if (first_generations && number_at(bytes, kPartitionsOffset + kFormatSize) >= kMaxPartitions)
    refuse_first_generation(begin);

  const Bounds bounds{container_size, begin};
  constexpr uint64_t kSmallestParquet = 12;
  out.footer = bounds.range(in, "footer", kSmallestParquet);
  if (first_generations) {
    const uint64_t format_at = begin + in.position();
    out.file_format = format_name(in.text(kFormatSize));
    if (!is_utf8(*out.file_format)) {
      throw FormatError(std::string(kWhat) + ": the format " + quoted(*out.file_format) + " is not UTF-8",
                        {.offset = format_at});
    }
  }
  const uint64_t at = begin + in.position();
  out.num_partitions = in.u64();
  if (out.num_partitions == 0 || out.num_partitions >= kMaxPartitions) {
    throw FormatError(
        std::string(kWhat) + ": " + std::to_string(out.num_partitions) + " partitions, at least 1 expected",
        {.offset = at});
  }
  // The tool of December 2024 kept the magic of a Tortilla; the free space is zero in all others.
  const uint64_t collection = number_at(bytes, in.position()), size = number_at(bytes, in.position() + 8);
  const bool ends_file = size > 0 && size <= container_size && collection == container_size - size;
  if (out.kind == Kind::Tortilla && ends_file && collection >= kHeaderSize) out.kind = Kind::Taco;
  if (out.kind == Kind::Taco) out.collection = bounds.range(in, "collection", 2);
  return out;
}

std::vector<std::byte> encode_header(const Header& header) {
  FieldWriter to;
  to.text(header.kind == Kind::Taco ? kTaco : kTortilla);
  to.u64(header.footer.offset);
  to.u64(header.footer.size);
  to.u64(header.num_partitions);
  const ByteRange collection = header.collection.value_or(ByteRange{});
  to.u64(collection.offset);
  to.u64(collection.size);
  auto out = to.take();
  out.resize(kHeaderSize);
  return out;
}

}  // namespace tacore::v1
