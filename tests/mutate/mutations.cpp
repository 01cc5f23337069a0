#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>

#include "archive.hpp"
#include "bytes.hpp"
#include "case.hpp"
#include "edit.hpp"
#include "thrift.hpp"

/// The ways to break a region.
namespace tacore::mutate {
namespace {

constexpr const char* kKindNames[] = {
    "flip",      "zero",       "ones",       "cut",        "drop",         "max",         "half",        "plus",
    "minus",     "file",       "blank",      "gone",       "twice",        "swap",        "overlap",     "name-parent",
    "name-root", "name-nul",   "thrift-0",   "thrift-1",   "thrift-minus", "thrift-30",   "thrift-31",   "thrift-63",
    "json-gone", "json-null",  "json-minus", "json-63",    "json-text",    "json-parent", "json-object", "json-array",
    "json-deep", "cell-null",  "cell-minus", "cell-63",    "cell-plus",    "cell-next",   "cell-parent", "cell-root",
    "cell-nul",  "cell-empty", "cell-dot",   "cell-other", "missing",      "empty",       "folder",      "noise"};
static_assert(std::size(kKindNames) == static_cast<std::size_t>(Kind::Count));

using Fields = std::vector<std::pair<uint64_t, int>>;  // offset, width

Fields pairs(uint64_t first, int count) {
  Fields out;
  for (int i = 0; i < 2 * count; ++i) out.emplace_back(first + 8 * static_cast<uint64_t>(i), 8);
  return out;
}

/// Little-endian fields that count, measure or place something (docs/format.md; APPNOTE 4.3.7, 4.3.12 to 4.3.16).
Fields fields_of(const std::string& sort) {
  const Fields local{{6, 2}, {8, 2}, {14, 4}, {18, 4}, {22, 4}, {26, 2}, {28, 2}};
  if (sort == "header") {
    Fields out = pairs(45, 7);
    out.insert(out.end(), local.begin(), local.end());
    out.emplace_back(41, 1);
    return out;
  }
  if (sort == "local") return local;
  if (sort == "central")
    return {{8, 2}, {10, 2}, {16, 4}, {20, 4}, {24, 4}, {28, 2}, {30, 2}, {32, 2}, {34, 2}, {42, 4}};
  if (sort == "end") return {{4, 2}, {6, 2}, {8, 2}, {10, 2}, {12, 4}, {16, 4}, {20, 2}};
  if (sort == "end64") return {{4, 8}, {16, 4}, {20, 4}, {24, 8}, {32, 8}, {40, 8}, {48, 8}, {60, 4}, {64, 8}, {72, 4}};
  if (sort == "footer-end") return {{0, 4}};
  if (sort == "tortilla") return {{2, 8}, {10, 8}, {18, 8}, {26, 8}, {34, 8}};
  if (sort == "tacocat") {
    Fields out = pairs(16, 7);
    out.emplace_back(8, 4);
    out.emplace_back(12, 4);
    return out;
  }
  return {};
}

const Part& part_of(const Archive& archive, const Region& region) {
  const auto found =
      std::find_if(archive.parts.begin(), archive.parts.end(), [&](const Part& p) { return p.name == region.part; });
  if (found == archive.parts.end()) throw std::invalid_argument("no part " + region.part);
  return *found;
}

/// The region after this one that is of its sort, in the same file.
const Region* next_like(const Source& source, const Region& region) {
  for (const Region& other : source.regions) {
    if (other.file == region.file && other.sort == region.sort && other.begin > region.begin) return &other;
  }
  return nullptr;
}

Bytes of(const Bytes& bytes, const Region& region) { return part(bytes, region.begin, region.size); }

// --- Applying
// ----------------------------------------------------------------------------------------------------------------

Bytes change_byte(Bytes bytes, uint64_t at, const Case& one) {
  switch (one.kind) {
    case Kind::Flip:
      bytes.at(at) ^= static_cast<std::byte>(1u << mix(one.offset, one.region) % 8);
      return bytes;
    case Kind::Zero:
      bytes.at(at) = std::byte{0};
      return bytes;
    case Kind::Ones:
      bytes.at(at) = std::byte{0xff};
      return bytes;
    case Kind::Cut:
      bytes.resize(at);
      return bytes;
    default:
      return spliced(bytes, at, 1, {});
  }
}

Bytes change_field(Bytes bytes, const Region& region, const Case& one) {
  const Fields fields = fields_of(region.sort);
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == one.offset; });
  if (field == fields.end()) throw std::invalid_argument("no field at this offset");
  const int width = field->second;
  const uint64_t at = region.begin + one.offset, old = get(bytes, at, width);
  const uint64_t now = one.kind == Kind::Max     ? UINT64_MAX
                       : one.kind == Kind::Half  ? uint64_t{1} << (8 * width - 1)
                       : one.kind == Kind::Plus  ? old + 1
                       : one.kind == Kind::Minus ? old - 1
                                                 : bytes.size();
  put(bytes, at, width, now);
  return bytes;
}

Bytes swap_regions(const Bytes& bytes, const Region& a, const Region& b) {
  Bytes out = part(bytes, 0, a.begin);
  append(out, of(bytes, b));
  append(out, part(bytes, a.begin + a.size, b.begin - a.begin - a.size));
  append(out, of(bytes, a));
  append(out, part(bytes, b.begin + b.size, bytes.size() - b.begin - b.size));
  return out;
}

Bytes change_region(const Bytes& bytes, const Source& source, const Region& region, Kind kind) {
  switch (kind) {
    case Kind::Blank:
      return spliced(bytes, region.begin, region.size, Bytes(region.size));
    case Kind::Gone:
      return spliced(bytes, region.begin, region.size, {});
    case Kind::Twice:
      return spliced(bytes, region.begin, 0, of(bytes, region));
    case Kind::Swap:
      return swap_regions(bytes, region, *next_like(source, region));
    default:
      // Two central entries that name one place.
      return spliced(bytes, region.begin + 42, 4, part(bytes, next_like(source, region)->begin + 42, 4));
  }
}

Bytes rename(Bytes bytes, const Part& part, Kind kind) {
  std::string name = part.name;
  const std::string bad = kind == Kind::NameParent ? "../" : kind == Kind::NameRoot ? "/" : std::string(1, '\0');
  name.replace(0, bad.size(), bad);
  for (const uint64_t at : {part.local + 30, part.central + 46}) {
    for (std::size_t i = 0; i < name.size(); ++i) bytes.at(at + i) = static_cast<std::byte>(name[i]);
  }
  return bytes;
}

int64_t thrift_value(Kind kind) {
  switch (kind) {
    case Kind::Thrift0:
      return 0;
    case Kind::Thrift1:
      return 1;
    case Kind::ThriftMinus:
      return -1;
    case Kind::Thrift30:
      return 1 << 30;
    case Kind::Thrift31:
      return INT32_MAX;
    default:
      return INT64_MAX;
  }
}

/// A number of a footer or page header; the footer's length follows.
Bytes change_thrift(const File& file, const Region& region, const Case& one) {
  const Archive archive = open_archive(file);
  const Part& table = part_of(archive, region);
  const Bytes old = part(file.bytes, table.begin, table.size);
  const ThriftStruct numbers = walk_thrift(old, region.begin - table.begin);
  const ThriftNumber& number = numbers.numbers.at(one.offset);
  const Bytes now = encode(number, thrift_value(one.kind));
  Bytes payload = spliced(old, number.at, number.size, now);
  if (region.sort == "footer") put(payload, payload.size() - 8, 4, region.size + now.size() - number.size);
  return replace_part(file, archive, table, payload);
}

Bytes change_json(const File& file, const Region& region, const Case& one) {
  const Archive archive = open_archive(file);
  const Part& document = part_of(archive, region);
  const std::string old = to_text(part(file.bytes, document.begin, document.size));
  return replace_part(file, archive, document, to_bytes(edit_json(old, one.offset, one.kind)));
}

Bytes change_cell(const File& file, const Region& region, const Case& one) {
  const Archive archive = open_archive(file);
  const Part& table = part_of(archive, region);
  const std::string column = region.name.substr(region.name.find(".cells.") + 7);
  const auto now = edit_cell(part(file.bytes, table.begin, table.size), column, one.offset, one.kind);
  return now ? replace_part(file, archive, table, *now) : file.bytes;
}

// --- Enumerating
// -------------------------------------------------------------------------------------------------------------

class Enumerator {
 public:
  Enumerator(const std::vector<Source>& sources, uint32_t source) : source_(sources[source]), number_(source) {}

  std::vector<Case> run() {
    for (uint32_t r = 0; r < source_.regions.size(); ++r) region(r);
    return std::move(out_);
  }

 private:
  void add(uint32_t region, uint64_t offset, Kind kind) {
    out_.push_back({number_, region, static_cast<uint32_t>(offset), kind});
  }
  void add(uint32_t region, uint64_t offset, std::initializer_list<Kind> kinds) {
    for (const Kind kind : kinds) add(region, offset, kind);
  }

  void region(uint32_t r) {
    const Region& region = source_.regions[r];
    if (region.sort == "file") return whole_file(r, region);
    if (region.sort == "json-values") return json(r, region);
    if (region.sort.starts_with("cells")) return cells(r, region);
    bytes(r, region);
    for (const auto& [offset, width] : fields_of(region.sort)) {
      if (offset + static_cast<uint64_t>(width) > region.size) continue;
      add(r, offset, {Kind::Max, Kind::Half, Kind::Plus, Kind::Minus, Kind::File});
    }
    add(r, 0, {Kind::Blank, Kind::Twice});
    // What follows the header of a Tortilla may be a nested one, which is a good file then.
    if (region.sort != "tortilla") add(r, 0, Kind::Gone);
    const bool record = region.sort == "local" || region.sort == "central";
    if (record && next_like(source_, region)) add(r, 0, Kind::Swap);
    if (region.sort == "central") {
      if (next_like(source_, region)) add(r, 0, Kind::Overlap);
      if (region.part.size() > 3) add(r, 0, {Kind::NameParent, Kind::NameRoot, Kind::NameNul});
    }
    if (region.sort == "footer" || region.sort == "page") thrift(r, region);
  }

  /// Every way for headers and the first records; of the many that are alike, each byte in one way.
  void bytes(uint32_t r, const Region& region) {
    constexpr Kind kinds[] = {Kind::Flip, Kind::Zero, Kind::Ones, Kind::Cut, Kind::Drop};
    // What samples and compressed pages hold is not structure: a few bytes of each will do.
    const bool few = region.sort == "sample" || region.sort == "body";
    const uint64_t step = few ? std::max<uint64_t>(region.size / 16, 1) : 1;
    for (uint64_t at = 0; at < region.size; at += step) {
      if (is_thorough(r, region)) {
        for (const Kind kind : kinds) add(r, at, kind);
      } else {
        add(r, at, kinds[mix(at, r) % std::size(kinds)]);
      }
    }
  }

  bool is_thorough(uint32_t r, const Region& region) const {
    for (const char* sort : {"header", "end", "end64", "tacocat", "tortilla", "footer-end", "magic"}) {
      if (region.sort == sort) return true;
    }
    if (region.sort != "local" && region.sort != "central") return false;
    return std::none_of(source_.regions.begin(), source_.regions.begin() + r, [&](const Region& other) {
      return other.sort == region.sort && other.file == region.file;
    });
  }

  void thrift(uint32_t r, const Region& region) {
    constexpr Kind kinds[] = {Kind::Thrift0,  Kind::Thrift1,  Kind::ThriftMinus,
                              Kind::Thrift30, Kind::Thrift31, Kind::Thrift63};
    const File& file = source_.files[region.file];
    const Archive archive = open_archive(file);
    if (!can_resize(archive, part_of(archive, region))) return;
    const std::size_t count = walk_thrift(file.bytes, region.begin).numbers.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < std::size(kinds); ++k) {
        if (region.sort == "page" || (k + mix(i, r)) % 3 == 0) add(r, i, kinds[k]);
      }
    }
  }

  void json(uint32_t r, const Region& region) {
    for (uint64_t i = 0; i < region.size; ++i) {
      add(r, i, {Kind::JsonGone, Kind::JsonNull, Kind::JsonMinus, Kind::Json63, Kind::JsonText, Kind::JsonParent,
                 Kind::JsonObject, Kind::JsonArray, Kind::JsonDeep});
    }
  }

  void cells(uint32_t r, const Region& region) {
    const bool number = region.sort == "cells-number";
    for (uint64_t row = 0; row < std::min<uint64_t>(region.size, 12); ++row) {
      add(r, row, {Kind::CellNull, Kind::CellNext, Kind::CellOther});
      if (number) add(r, row, {Kind::CellMinus, Kind::Cell63, Kind::CellPlus});
      if (!number) add(r, row, {Kind::CellParent, Kind::CellRoot, Kind::CellNul, Kind::CellEmpty, Kind::CellDot});
    }
  }

  void whole_file(uint32_t r, const Region& region) {
    add(r, 0, {Kind::Missing, Kind::Empty, Kind::Folder, Kind::Noise});
    constexpr uint64_t kCuts = 64;
    for (uint64_t i = 1; i <= kCuts && i < region.size; ++i) add(r, region.size * i / (kCuts + 1), Kind::Cut);
  }

  const Source& source_;
  uint32_t number_;
  std::vector<Case> out_;
};

bool in(Kind kind, Kind first, Kind last) { return kind >= first && kind <= last; }

Bytes apply_bytes(const Case& one, const Source& source, const Region& region) {
  const File& file = source.files[region.file];
  if (in(one.kind, Kind::JsonGone, Kind::JsonDeep)) return change_json(file, region, one);
  if (in(one.kind, Kind::CellNull, Kind::CellOther)) return change_cell(file, region, one);
  if (in(one.kind, Kind::Thrift0, Kind::Thrift63)) return change_thrift(file, region, one);
  if (in(one.kind, Kind::NameParent, Kind::NameNul))
    return rename(file.bytes, part_of(open_archive(file), region), one.kind);
  if (in(one.kind, Kind::Blank, Kind::Overlap)) return change_region(file.bytes, source, region, one.kind);
  if (in(one.kind, Kind::Max, Kind::File)) return change_field(file.bytes, region, one);
  return change_byte(file.bytes, region.begin + one.offset, one);
}

template <class Number>
Number parse_number(const std::string& text) {
  Number out{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || stop != text.data() + text.size()) throw std::invalid_argument("not a number: " + text);
  return out;
}

}  // namespace

uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

const char* to_string(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

Kind parse_kind(const std::string& text) {
  const auto found = std::find(std::begin(kKindNames), std::end(kKindNames), text);
  if (found == std::end(kKindNames)) throw std::invalid_argument("unknown kind " + text);
  return static_cast<Kind>(found - std::begin(kKindNames));
}

std::string to_string(const Case& one, const std::vector<Source>& sources) {
  const Source& source = sources[one.source];
  return source.name + ":" + source.regions[one.region].name + ":" + std::to_string(one.offset) + ":" +
         to_string(one.kind);
}

Case parse_case(const std::string& text, const std::vector<Source>& sources) {
  const auto name_end = text.find(':'), kind_at = text.rfind(':');
  const auto offset_at = kind_at == 0 || kind_at == text.npos ? text.npos : text.rfind(':', kind_at - 1);
  if (offset_at == text.npos || offset_at <= name_end) throw std::invalid_argument("NAME:REGION:OFFSET:KIND expected");
  const std::string name = text.substr(0, name_end), region = text.substr(name_end + 1, offset_at - name_end - 1);
  Case out{.offset = parse_number<uint32_t>(text.substr(offset_at + 1, kind_at - offset_at - 1)),
           .kind = parse_kind(text.substr(kind_at + 1))};
  for (out.source = 0; out.source < sources.size(); ++out.source) {
    if (sources[out.source].name != name) continue;
    const auto& regions = sources[out.source].regions;
    for (out.region = 0; out.region < regions.size(); ++out.region) {
      if (regions[out.region].name == region) return out;
    }
    throw std::invalid_argument("no region " + region);
  }
  throw std::invalid_argument("no dataset " + name);
}

std::vector<Case> all_cases(const std::vector<Source>& sources, uint32_t source) {
  return Enumerator(sources, source).run();
}

Changed apply(const Case& one, const std::vector<Source>& sources) {
  const Source& source = sources[one.source];
  const Region& region = source.regions.at(one.region);
  Changed out{.file = region.file};
  switch (one.kind) {
    case Kind::Missing:
      out.form = Changed::Form::Missing;
      return out;
    case Kind::Folder:
      out.form = Changed::Form::Folder;
      return out;
    case Kind::Empty:
      return out;
    case Kind::Noise:
      for (uint64_t i = 0; i < 4096; ++i) out.bytes.push_back(static_cast<std::byte>(mix(i, one.region)));
      return out;
    default:
      out.bytes = apply_bytes(one, source, region);
      return out;
  }
}

}  // namespace tacore::mutate
