#include "net/cache_records.hpp"

#include <charconv>

#include "base/crc32.hpp"
#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "format/names.hpp"

namespace tacore::net {
namespace {

constexpr std::string_view kPiece = "TCP1";
constexpr std::string_view kAbout = "tacore cache 1";

std::optional<uint64_t> number(std::string_view text) noexcept {
  uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace

CachedMetadata cached_metadata_of(std::string_view name) {
  const std::string_view path = name.substr(0, name.find('?'));
  const auto slash = path.rfind('/');
  if (slash == path.npos) return {};
  const std::string_view file = path.substr(slash + 1);
  std::string folder(path.substr(0, slash + 1));
  const std::string here = folder;
  const auto leave = [&](std::string_view inner) {
    const bool is_inside = folder.ends_with("/" + std::string(inner));
    if (is_inside) folder.resize(folder.size() - inner.size());
    return is_inside;
  };
  const bool is_level = names::is_level_file(file);
  const bool is_root = file == names::kCollection || file == names::kTacollection || file == names::kTacocatFile;
  if (!is_level && !is_root) return {};
  const bool in_folder = is_level && leave(names::kMetadata);
  if (!in_folder) leave(std::string(names::kTacocatFolder) + "/");
  if (is_root) return {.folder = folder};
  return {.folder = folder, .collection = (in_folder ? folder : here) + std::string(names::kCollection)};
}

std::string about_text(const std::string& name, const FileFacts& facts, const std::string& mark) {
  std::string out(kAbout);
  out += "\nname: " + name + "\nexists: " + (facts.exists ? "1" : "0") + "\nsize: " + std::to_string(facts.size) +
         "\nvalidator: " + facts.validator + "\nmark: " + mark;
  return out + "\ncrc32: " + std::to_string(crc32(std::as_bytes(std::span(out)))) + "\n";
}

std::optional<About> parse_about(std::string_view text, const std::string& name) {
  const auto lines = split(text, '\n');
  if (lines.size() != 8) return std::nullopt;
  const auto value = [&](std::size_t line, std::string_view key) {
    return lines[line].starts_with(key) ? lines[line].substr(key.size()) : "";
  };
  const auto size = number(value(3, "size: "));
  if (!size) return std::nullopt;
  About out{.facts = {.exists = value(2, "exists: ") == "1", .size = *size, .validator = value(4, "validator: ")},
            .mark = value(5, "mark: ")};
  if (text != about_text(name, out.facts, out.mark)) return std::nullopt;
  return out;
}

Bytes piece_header(ByteRange piece, std::span<const std::byte> bytes) {
  FieldWriter where;
  where.u64(piece.offset);
  where.u64(piece.size);
  const Bytes fields = where.take();
  FieldWriter out;
  out.text(kPiece);
  out.u32(crc32(bytes, crc32(fields)));
  out.bytes(fields);
  return out.take();
}

std::string piece_name(ByteRange piece) { return std::to_string(piece.offset) + "-" + std::to_string(piece.size); }

std::optional<ByteRange> parse_piece_name(std::string_view name) noexcept {
  const auto dash = name.find('-');
  if (dash == name.npos) return std::nullopt;
  const auto offset = number(name.substr(0, dash)), size = number(name.substr(dash + 1));
  if (!offset || !size || *size == 0 || *size > kLargestPiece || *offset > UINT64_MAX - *size) return std::nullopt;
  return ByteRange{*offset, *size};
}

}  // namespace tacore::net
