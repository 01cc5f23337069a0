#include "container/zip_offsets.hpp"

#include <map>
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
