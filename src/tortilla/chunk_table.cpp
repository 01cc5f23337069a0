#include "tortilla/chunk_table.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/text.hpp"
#include "format/names.hpp"
#include "table/cells.hpp"
#include "tacore/error.hpp"

namespace tacore::v1 {
namespace {

std::string at_row(int64_t row) { return "chunk table: row " + std::to_string(row) + ": "; }

/// The value that `read` finds in a cell.
template <class Read>
auto cell(const LevelTable& table, std::string_view name, int64_t row, const Read& read) {
  const int column = table.find(name), group = table.group_of(row);
  const auto array = table.array(column, group);
  auto value = read(*array, row - table.group_begin(group));
  if (!value) throw FormatError(at_row(row).append(name) + " is null or of another type", table.where());
  return *std::move(value);
}

std::string text(const LevelTable& table, const char* name, int64_t row) {
  return std::string(cell(table, name, row, text_cell));
}

}  // namespace

std::optional<std::pair<std::string, uint64_t>> split_chunk_id(std::string_view id) {
  const auto at = id.rfind("::");
  if (at == id.npos || at + 2 == id.size()) return std::nullopt;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data() + at + 2, id.data() + id.size(), number);
  if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
  return std::pair(std::string(id.substr(0, at)), number);
}

ChunkTable::ChunkTable(std::shared_ptr<const LevelTable> table) : table_(std::move(table)) {
  std::vector<std::string> missing;
  for (const char* name : {chunk::kBandOffsets, chunk::kBandLengths, chunk::kShape, chunk::kValid, chunk::kDtype,
                           chunk::kCompression, chunk::kPredictor, chunk::kInterleave}) {
    if (table_->find(name) < 0) missing.emplace_back(name);
  }
  if (!missing.empty()) throw SchemaError("the chunk table lacks " + join(missing, ", "), table_->where());
}

ChunkTable::Directory ChunkTable::directory(uint64_t owner, const std::function<Directory()>& read) const {
  constexpr std::size_t kMostKept = 4096;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = directories_.find(owner); known != directories_.end()) return known->second;
  }
  Directory out = read();  // outside the lock: two threads may read the same, one result is kept
  const std::lock_guard lock(mutex_);
  if (directories_.size() == kMostKept) directories_.clear();
  return directories_.emplace(owner, std::move(out)).first->second;
}

const std::vector<int64_t>& ChunkTable::by_offset() const {
  std::call_once(sorted_, [this] {
    const int column = table_->find(names::kOffset);
    std::vector<int64_t> offsets;
    offsets.reserve(static_cast<std::size_t>(table_->num_rows()));
    for (int64_t row = 0; row < table_->num_rows(); ++row) offsets.push_back(table_->integer(column, row).value_or(-1));
    by_offset_.resize(offsets.size());
    std::iota(by_offset_.begin(), by_offset_.end(), 0);
    const auto before = [&](int64_t a, int64_t b) {
      return offsets[static_cast<std::size_t>(a)] < offsets[static_cast<std::size_t>(b)];
    };
    if (!std::is_sorted(by_offset_.begin(), by_offset_.end(), before))
      std::stable_sort(by_offset_.begin(), by_offset_.end(), before);
  });
  return by_offset_;
}

std::vector<int64_t> ChunkTable::rows_in(ByteRange owner) const {
  const int offsets = table_->find(names::kOffset);
  const auto offset = [&](int64_t row) { return static_cast<uint64_t>(table_->integer(offsets, row).value_or(0)); };
  const auto& rows = by_offset();
  const auto begin = std::partition_point(rows.begin(), rows.end(), [&](int64_t row) {
    return table_->integer(offsets, row).value_or(-1) < 0 || offset(row) < owner.offset;
  });
  auto end = begin;
  while (end != rows.end() && offset(*end) - owner.offset < owner.size) ++end;
  return {begin, end};
}

std::optional<int64_t> ChunkTable::row_inside(const std::string& id, ByteRange owner) const {
  const int ids = table_->find(names::kId);
  for (const int64_t row : rows_in(owner)) {
    if (table_->text(ids, row) == id) return row;
  }
  return std::nullopt;
}

std::optional<int64_t> ChunkTable::row_named(const std::string& id, ByteRange owner, int level, int64_t row) const {
  const int parents = table_->find(names::kParentId), levels = table_->find(chunk::kLevel);
  if (parents < 0) return std::nullopt;
  const int offsets = table_->find(names::kOffset), ids = table_->find(names::kId);
  for (int64_t at = 0; at < table_->num_rows(); ++at) {
    if (table_->integer(parents, at) != row || table_->text(ids, at) != id) continue;
    if (levels >= 0 && table_->integer(levels, at) != level) continue;
    const int64_t offset = table_->integer(offsets, at).value_or(-1);
    if (offset >= 0 && static_cast<uint64_t>(offset) < owner.size) return at;
    throw FormatError(at_row(at) + in_quotes(id) + " lies at byte " + std::to_string(offset) +
                          ", outside of its raster (" + std::to_string(owner.size) + " bytes at " +
                          std::to_string(owner.offset) + ")",
                      table_->where());
  }
  return std::nullopt;
}

std::optional<Chunk> ChunkTable::find(const std::string& id, ByteRange owner, int level, int64_t row) const {
  if (const auto at = row_inside(id, owner)) return chunk(*at, owner.offset);
  if (const auto at = row_named(id, owner, level, row)) return chunk(*at, 0);
  return std::nullopt;
}

Chunk ChunkTable::chunk(int64_t row, uint64_t owner) const {
  Chunk out{.offset = cell(*table_, names::kOffset, row, integer_cell) - static_cast<int64_t>(owner),
            .band_offsets = cell(*table_, chunk::kBandOffsets, row, integers_cell),
            .band_lengths = cell(*table_, chunk::kBandLengths, row, integers_cell),
            .shape = cell(*table_, chunk::kShape, row, integers_cell),
            .valid = cell(*table_, chunk::kValid, row, integers_cell),
            .dtype = text(*table_, chunk::kDtype, row),
            .interleave = text(*table_, chunk::kInterleave, row),
            .compression = cell(*table_, chunk::kCompression, row, integer_cell),
            .predictor = cell(*table_, chunk::kPredictor, row, integer_cell),
            .length = cell(*table_, names::kSize, row, integer_cell)};
  const int group = table_->group_of(row);
  const auto optional_cell = [&](const char* name, const auto& read) -> decltype(read(*table_->array(0, 0), 0)) {
    const int column = table_->find(name);
    if (column < 0) return std::nullopt;
    return read(*table_->array(column, group), row - table_->group_begin(group));
  };
  out.nodata = optional_cell(chunk::kNodata, number_cell);
  out.axes = optional_cell(chunk::kAxes, integers_cell).value_or(std::vector<int64_t>());
  out.row = optional_cell(chunk::kRow, integer_cell);
  out.col = optional_cell(chunk::kCol, integer_cell);
  return out;
}

}  // namespace tacore::v1
