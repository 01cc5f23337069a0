#include "container/zip_offsets.hpp"

#include <map>
#include <set>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "table/cells.hpp"

namespace tacore {

std::string entry_name(std::string_view relative_path, SampleType type) {
  std::string out = std::string(names::kData).append(relative_path);
  if (type == SampleType::Folder) out.append("/").append(names::kMeta);
  return out;
}

ByteRange place_of(const RowAddress& row, const std::string& path) {
  if (row.offset && row.size) return {static_cast<uint64_t>(*row.offset), static_cast<uint64_t>(*row.size)};
  throw NavigationError("sample " + quoted(row.id) + " has no internal:offset and internal:size", {.path = path});
}

ZipEntry entry_of(const RowAddress& row, const std::string& path) {
  return {entry_name(row.relative_path, row.type), row.id, place_of(row, path)};
}

zip::Directory directory_of(const ByteSource& archive) {
  // The end records, with the last entries; a longer tail is read only when a comment follows the end record.
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
  return read_directory(archive, directory_of(archive));
}

std::vector<zip::CentralEntry> read_directory(const ByteSource& archive, const zip::Directory& where) {
  try {
    return zip::parse_directory(archive.read({where.offset, where.size}), where);
  } catch (const FormatError& error) {
    throw FormatError(error.message(), {.path = archive.name(), .offset = error.context().offset});
  }
}

std::vector<uint64_t> payload_offsets(const ByteSource& archive, std::span<const zip::CentralEntry> entries,
                                      std::span<const zip::CentralEntry> all) {
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
    const auto header_size = zip::local_header_size_at(headers[i], entries[i].name);
    if (!header_size) {
      throw FormatError("no local header of " + quoted(entries[i].name),
                        {.path = archive.name(), .offset = entries[i].local_offset});
    }
    const uint64_t payload = entries[i].local_offset + *header_size;
    const auto next = limits.upper_bound(entries[i].local_offset);
    const uint64_t end = next == limits.end() ? archive.size() : *next;
    if (payload > end || entries[i].size > end - payload) {
      throw FormatError("entry " + quoted(entries[i].name) +
                            (end == archive.size() ? " ends behind the end of the file" : " overlaps the next entry"),
                        {.path = archive.name(), .offset = payload});
    }
    out.push_back(payload);
  }
  return out;
}

std::shared_ptr<const LevelTable> with_proved_places(
    const LevelTable& level, const std::function<std::string(int64_t row)>& path_of,
    const std::function<OpenDirectory(const std::string& source_file)>& open, bool& is_proved) {
  const int offset = level.find(names::kOffset), size = level.find(names::kSize), type = level.find(names::kType);
  const int source = level.find(names::kSourceFile);
  if (offset < 0 || size < 0) return nullptr;
  // Rows of an index are sorted by ZIP in most files: for others, some ZIPs stay open.
  constexpr std::size_t kMostOpen = 64;
  struct Archive {
    OpenDirectory opened;
    std::size_t near = 0;
  };
  std::map<std::string, Archive> archives;
  auto archive = archives.end();
  std::vector<std::optional<int64_t>> offsets, sizes;
  bool is_right = true;
  for (int g = 0, ahead = 0; g < level.num_row_groups(); ++g) {
    if (g == ahead) {
      std::vector<int> columns{offset, size, type};
      for (const auto name : {names::kSourceFile, names::kRelativePath, names::kId}) {
        if (const int column = level.find(name); column >= 0) columns.push_back(column);
      }
      ahead = level.read_ahead(columns, g, level.num_row_groups());
    }
    const auto offset_cells = level.array(offset, g), size_cells = level.array(size, g), types = level.array(type, g);
    const auto sources = source < 0 ? nullptr : level.array(source, g);
    const int64_t rows = level.group_begin(g + 1) - level.group_begin(g);
    for (int64_t i = 0; i < rows; ++i) {
      offsets.push_back(integer_cell(*offset_cells, i));
      sizes.push_back(integer_cell(*size_cells, i));
      if (!offsets.back() || !sizes.back()) continue;  // a padding FILE has no bytes
      const auto file = sources ? text_cell(*sources, i).value_or("") : std::string_view();
      if (archive == archives.end() || archive->first != file) {
        archive = archives.find(std::string(file));
        if (archive == archives.end()) {
          if (archives.size() == kMostOpen) archives.clear();
          archive = archives.emplace(std::string(file), Archive{open(std::string(file))}).first;
        }
      }
      auto& [opened, near] = archive->second;
      const int64_t row = level.group_begin(g) + i;
      const std::string name =
          entry_name(path_of(row), text_cell(*types, i) == "FOLDER" ? SampleType::Folder : SampleType::File);
      const ByteRange range{static_cast<uint64_t>(*offsets.back()), static_cast<uint64_t>(*sizes.back())};
      if (opened.directory->holds(*opened.archive, name, range, near)) continue;
      std::optional<ZipPlace> place;
      std::string why = "the ZIP has no entry " + quoted(name);
      try {
        place = opened.directory->find(*opened.archive, name);
      } catch (const FormatError& error) {
        why = error.message();
      }
      if (!place) {
        if (std::exchange(is_proved, false)) warn_unproved(level, "row " + std::to_string(row) + ": " + why);
        continue;
      }
      offsets.back() = static_cast<int64_t>(place->range.offset);
      sizes.back() = static_cast<int64_t>(place->range.size);
      is_right = false;
    }
  }
  if (is_right) return nullptr;
  log::warning(level.where().path + ": level " + std::to_string(level.where().level.value_or(0)) +
               ": internal:offset is permuted or stale; repaired from the central directory");
  return with_integers(
      level, {{std::string(names::kOffset), std::move(offsets)}, {std::string(names::kSize), std::move(sizes)}});
}

void warn_unproved(const LevelTable& level, const std::string& why) {
  log::warning(level.where().path + ": level " + std::to_string(level.where().level.value_or(0)) +
               ": offsets of samples are not verified, and used as the table states them: " + why);
}

}  // namespace tacore
