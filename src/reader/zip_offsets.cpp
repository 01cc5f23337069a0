#include "reader/zip_offsets.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"
#include "reader/container.hpp"
#include "table/cells.hpp"

namespace tacore {
namespace {

constexpr uint64_t kShortTail = 4096;  // an end record without comment, and the directory of a small archive

struct Place {
  uint64_t offset;
  uint64_t size;
};
using Places = std::unordered_map<std::string, Place>;

Places data_places(const ByteSource& archive) {
  const auto all = read_directory(archive);
  auto entries = all;
  std::erase_if(entries, [](const auto& entry) { return !entry.name.starts_with(names::kData); });
  const auto offsets = payload_offsets(archive, entries, all);
  Places out;
  for (std::size_t i = 0; i < entries.size(); ++i) out[entries[i].name] = {offsets[i], entries[i].size};
  return out;
}

}  // namespace

std::string entry_name(std::string_view relative_path, SampleType type) {
  std::string out = std::string(names::kData).append(relative_path);
  if (type == SampleType::Folder) out.append("/").append(names::kMeta);
  return out;
}

zip::Directory directory_of(const ByteSource& archive) {
  // The end records with what precedes them; the long tail is read only when a comment hides the end record.
  const uint64_t size = archive.size();
  for (const uint64_t length : {std::min(size, kShortTail), std::min(size, zip::kTailSize + zip::kEnd64RecordSize)}) {
    const Bytes tail = archive.read({size - length, length});
    try {
      return zip::find_directory(tail, size - length);
    } catch (const FormatError& error) {
      if (length == size || length > kShortTail)
        throw FormatError(error.message(), {.path = archive.name(), .offset = error.context().offset});
    }
  }
  throw FormatError("no end of central directory record", {.path = archive.name()});
}

std::vector<zip::CentralEntry> read_directory(const ByteSource& archive) {
  const zip::Directory where = directory_of(archive);
  try {
    return zip::parse_directory(archive.read({where.offset, where.size}), where);
  } catch (const FormatError& error) {
    throw FormatError(error.message(), {.path = archive.name(), .offset = error.context().offset});
  }
}

std::vector<uint64_t> payload_offsets(const ByteSource& archive, std::span<const zip::CentralEntry> entries,
                                      std::span<const zip::CentralEntry> all) {
  // Name and extra lengths are the last four bytes of the fixed part (APPNOTE 4.3.7); the name equals the directory's
  // or the entry is refused.
  std::vector<ByteRange> ranges;
  for (const auto& entry : entries) ranges.push_back({entry.local_offset, zip::kLocalHeaderSize + entry.name.size()});
  std::set<uint64_t> limits;
  for (const auto& entry : all.empty() ? entries : all) limits.insert(entry.local_offset);
  std::vector<uint64_t> out;
  const auto headers = archive.read_ranges(ranges);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (entries[i].is_link()) {
      throw FormatError("entry " + quoted(entries[i].name) + " is a symbolic link, data expected",
                        {.path = archive.name(), .offset = entries[i].record_offset});
    }
    const Bytes& h = headers[i];
    const auto u16 = [&](std::size_t at) {
      return static_cast<uint64_t>(h[at]) | static_cast<uint64_t>(h[at + 1]) << 8;
    };
    const std::string_view name(reinterpret_cast<const char*>(h.data()) + zip::kLocalHeaderSize,
                                entries[i].name.size());
    if (h[0] != std::byte{'P'} || h[1] != std::byte{'K'} || h[2] != std::byte{3} || h[3] != std::byte{4} ||
        u16(26) != entries[i].name.size() || name != entries[i].name) {
      throw FormatError("no local header of " + quoted(entries[i].name),
                        {.path = archive.name(), .offset = entries[i].local_offset});
    }
    const uint64_t payload = entries[i].local_offset + zip::kLocalHeaderSize + u16(26) + u16(28);
    const auto next = limits.upper_bound(entries[i].local_offset);
    const uint64_t end = next == limits.end() ? archive.size() : *next;
    if (payload > end || entries[i].size > end - payload) {
      throw FormatError("entry " + quoted(entries[i].name) +
                            (end == archive.size() ? " leaves the file" : " reaches into the next one"),
                        {.path = archive.name(), .offset = payload});
    }
    out.push_back(payload);
  }
  return out;
}

bool offsets_in_order(const LevelTable& level, const std::function<std::string(int64_t row)>& path_of) {
  const int offset = level.find(names::kOffset), type = level.find(names::kType);
  const int source = level.find(names::kSourceFile);
  if (offset < 0) return true;
  struct Folder {
    std::string source, path;
    int64_t offset;
  };
  std::vector<Folder> folders;
  bool has_files = false;
  int64_t last = -1;
  std::string last_source;
  for (int g = 0, ahead = 0; g < level.num_row_groups(); ++g) {
    if (g == ahead) {
      std::vector<int> columns{offset, type};
      for (const auto name : {names::kSourceFile, names::kRelativePath, names::kId}) {
        // Paths are of FOLDERs.
        const bool is_needed = name == names::kSourceFile || (!has_files && level.holds_only(type, g, "FOLDER"));
        if (const int column = level.find(name); column >= 0 && is_needed) columns.push_back(column);
      }
      ahead = level.read_ahead(columns, g, level.num_row_groups());
    }
    const auto offsets = level.array(offset, g), types = level.array(type, g);
    const auto sources = source < 0 ? nullptr : level.array(source, g);
    const int64_t rows = level.group_begin(g + 1) - level.group_begin(g);
    for (int64_t i = 0; i < rows; ++i) {
      const auto value = integer_cell(*offsets, i);
      if (!value) continue;  // a padding file that its writer did not find
      const auto file = sources ? text_cell(*sources, i).value_or("") : std::string_view();
      if (text_cell(*types, i) != "FILE") {
        if (!has_files) folders.push_back({std::string(file), path_of(level.group_begin(g) + i) + "/", *value});
        continue;
      }
      has_files = true;
      if (file != last_source) {
        last_source = file;
        last = -1;
      }
      if (*value <= last) return false;
      last = *value;
    }
  }
  if (has_files) return true;
  std::sort(folders.begin(), folders.end(),
            [](const Folder& a, const Folder& b) { return std::tie(a.source, a.path) < std::tie(b.source, b.path); });
  return std::adjacent_find(folders.begin(), folders.end(), [](const Folder& a, const Folder& b) {
           return a.source == b.source && a.offset >= b.offset;
         }) == folders.end();
}

namespace {

/// What stands around the start of an entry: the bytes before that can be its local header, and as many from there on.
struct Around {
  Bytes bytes;
  std::size_t num_before = 0;

  Around(const ByteSource& archive, ByteRange range, std::string_view name) {
    if (range.offset > archive.size()) return;
    const uint64_t header = zip::kLocalHeaderSize + name.size() + zip::kFullZip64ExtraSize;
    const uint64_t before = std::min(range.offset, header);
    const uint64_t after = std::min(header, archive.size() - range.offset);
    bytes = archive.read({range.offset - before, before + after});
    num_before = static_cast<std::size_t>(before);
  }
  std::span<const std::byte> before() const { return std::span(bytes).first(num_before); }
  /// True when the header that should stand before the payload starts there again, so that the payload lies behind it.
  bool is_header_again(std::string_view name, uint64_t size) const {
    const std::span payload = std::span(bytes).subspan(num_before);
    for (std::size_t length = zip::kLocalHeaderSize + name.size(); length <= payload.size(); ++length) {
      if (zip::is_local_header_of(payload.first(length), name, size)) return true;
    }
    return false;
  }
};

}  // namespace

bool is_entry_at(const ByteSource& archive, ByteRange range, std::string_view name) {
  const Around around(archive, range, name);
  return zip::is_local_header_of(around.before(), name, range.size) && !around.is_header_again(name, range.size);
}

void require_entry_at(const ByteSource& archive, ByteRange range, std::string_view name, std::string_view id) {
  const Around around(archive, range, name);
  const ErrorContext where{.path = archive.name(), .offset = range.offset};
  if (!zip::is_local_header_of(around.before(), name)) {
    throw FormatError("sample " + quoted(id) + ": no local header of " + quoted(name) + " stands before its bytes",
                      where);
  }
  if (!zip::is_local_header_of(around.before(), name, range.size)) {
    throw FormatError("sample " + quoted(id) + ": internal:size is " + std::to_string(range.size) +
                          ", its local header states another",
                      where);
  }
  if (around.is_header_again(name, range.size)) {
    throw FormatError("sample " + quoted(id) + ": its local header stands there twice", where);
  }
}

std::shared_ptr<const LevelTable> repair_offsets(
    const LevelTable& level, const std::function<std::string(int64_t row)>& path_of,
    const std::function<std::shared_ptr<const ByteSource>(const std::string& source_file)>& archive_of) {
  const int source = level.find(names::kSourceFile);
  std::map<std::string, Places> archives;
  std::vector<std::optional<int64_t>> offsets, sizes;
  for (int64_t row = 0; row < level.num_rows(); ++row) {
    const std::string file = source < 0 ? "" : level.text(source, row).value_or("");
    auto found = archives.find(file);
    if (found == archives.end()) found = archives.emplace(file, data_places(*archive_of(file))).first;
    const std::string name = entry_name(path_of(row), sample_type(level, row));
    const auto place = found->second.find(name);
    if (place == found->second.end()) {
      throw FormatError("row " + std::to_string(row) + ": the ZIP has no entry " + quoted(name), level.where());
    }
    offsets.emplace_back(static_cast<int64_t>(place->second.offset));
    sizes.emplace_back(static_cast<int64_t>(place->second.size));
  }
  log::warning(level.where().path + ": level " + std::to_string(level.where().level.value_or(0)) +
               ": internal:offset is permuted; repaired from the central directory");
  return with_integers(
      level, {{std::string(names::kOffset), std::move(offsets)}, {std::string(names::kSize), std::move(sizes)}});
}

}  // namespace tacore
