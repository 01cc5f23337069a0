#include "container/zip_offsets.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

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
  throw NavigationError("sample " + in_quotes(row.id) + " has no internal:offset and internal:size", {.path = path});
}

ZipEntry entry_of(const RowAddress& row, const std::string& path) {
  return {entry_name(row.relative_path, row.type), row.id, place_of(row, path)};
}

std::shared_ptr<const LevelTable> with_proved_places(
    const LevelTable& level, const std::function<std::string(int64_t row)>& path_of,
    const std::function<OpenDirectory(const std::string& source_file)>& open, bool& is_proved) {
  const int offset = level.find(names::kOffset), size = level.find(names::kSize), type = level.find(names::kType);
  const int source = level.find(names::kSourceFile);
  if (offset < 0 || size < 0) return nullptr;
  // Most indexes have the rows of each ZIP together. Where a ZIP is needed again after it was closed, the rows are
  // mixed: from then on the open ZIPs stay open, and the rows of all other ZIPs are left to the next pass over the
  // level.
  constexpr std::size_t kMostOpen = 64;
  struct Archive {
    OpenDirectory opened;
    std::size_t near = 0;
  };
  std::map<std::string, Archive, std::less<>> archives;
  std::set<std::string, std::less<>> closed;
  bool is_mixed = false;
  std::vector<std::optional<int64_t>> offsets, sizes;
  std::vector<int64_t> rows_left;  // the ones of the next pass
  bool is_right = true;
  auto last = archives.end();  // the archive of the row before, which most rows share
  const auto archive_of = [&](std::string_view file) -> Archive* {
    if (last != archives.end() && last->first == file) return &last->second;
    last = archives.find(file);
    if (last != archives.end()) return &last->second;
    if (archives.size() == kMostOpen) {
      is_mixed = is_mixed || closed.contains(file);
      if (is_mixed) return nullptr;
      for (const auto& [name, archive] : archives) closed.insert(name);
      archives.clear();
    }
    last = archives.emplace(std::string(file), Archive{open(std::string(file))}).first;
    return &last->second;
  };
  // Proves the rows of a group: all of them in the first pass, later the given ones.
  const auto prove = [&](int g, std::optional<std::span<const int64_t>> given) {
    const auto offset_cells = level.array(offset, g), size_cells = level.array(size, g), types = level.array(type, g);
    const auto sources = source < 0 ? nullptr : level.array(source, g);
    const int64_t first = level.group_begin(g);
    const auto num_rows = given ? given->size() : static_cast<std::size_t>(level.group_begin(g + 1) - first);
    for (std::size_t k = 0; k < num_rows; ++k) {
      const int64_t row = given ? (*given)[k] : first + static_cast<int64_t>(k), i = row - first;
      if (!given) {
        offsets.push_back(integer_cell(*offset_cells, i));
        sizes.push_back(integer_cell(*size_cells, i));
      }
      auto& row_offset = offsets[static_cast<std::size_t>(row)];
      auto& row_size = sizes[static_cast<std::size_t>(row)];
      if (!row_offset || !row_size) continue;  // a padding FILE has no bytes
      Archive* archive = archive_of(sources ? text_cell(*sources, i).value_or("") : std::string_view());
      if (!archive) {
        rows_left.push_back(row);
        continue;
      }
      auto& [opened, near] = *archive;
      const std::string name =
          entry_name(path_of(row), text_cell(*types, i) == "FOLDER" ? SampleType::Folder : SampleType::File);
      const ByteRange range{static_cast<uint64_t>(*row_offset), static_cast<uint64_t>(*row_size)};
      if (opened.directory->holds(*opened.archive, name, range, near)) continue;
      std::optional<ZipPlace> place;
      std::string why = "the ZIP has no entry " + in_quotes(name);
      try {
        place = opened.directory->find(*opened.archive, name);
      } catch (const FormatError& error) {
        why = error.message();
      }
      if (!place) {
        if (std::exchange(is_proved, false)) warn_unproved(level, "row " + std::to_string(row) + ": " + why);
        continue;
      }
      row_offset = static_cast<int64_t>(place->range.offset);
      row_size = static_cast<int64_t>(place->range.size);
      is_right = false;
    }
  };
  for (int g = 0, ahead = 0; g < level.num_row_groups(); ++g) {
    if (g == ahead) {
      std::vector<int> columns{offset, size, type};
      for (const auto name : {names::kSourceFile, names::kRelativePath, names::kId}) {
        if (const int column = level.find(name); column >= 0) columns.push_back(column);
      }
      ahead = level.read_ahead(columns, g, level.num_row_groups());
    }
    prove(g, std::nullopt);
  }
  while (!rows_left.empty()) {
    archives.clear();
    last = archives.end();
    const auto rows = std::exchange(rows_left, {});
    for (auto begin = rows.begin(); begin != rows.end();) {
      const int g = level.group_of(*begin);
      const auto end = std::lower_bound(begin, rows.end(), level.group_begin(g + 1));
      prove(g, std::span(begin, end));
      begin = end;
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
