#include "dataset/dataframe_impl.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "format/names.hpp"
#include "format/tortilla_names.hpp"
#include "model/identifier.hpp"
#include "table/cells.hpp"

/// From a row to its data and its children.
namespace tacore {
namespace {

// The number of scans before a hash table is built: to scan a million ids takes 1 to 2 ms, to build the table 50 ms.
constexpr int kScansBeforeMap = 4;
// Of a remote table with an id index, where each takes up to three requests, and the table all ids.
constexpr int kLookupsBeforeMap = 100;
// A hash table of more rows would take more than a gigabyte.
constexpr int64_t kMostMapped = int64_t{1} << 26;

/// A frame with the columns of data(), over rows that may have no key.
std::shared_ptr<DataFrame::Impl> child_frame(const DataFrame::Impl& parent, std::shared_ptr<const Rows> rows) {
  auto out = std::make_shared<DataFrame::Impl>();
  out->dataset = parent.dataset;
  out->rows = std::move(rows);
  out->is_stored = true;
  for (std::size_t c = 0; c < out->rows->columns().size(); ++c) {
    const Column& column = out->rows->columns()[c];
    if (names::is_internal(column.name)) continue;
    out->columns.push_back(column);
    out->sources.push_back(static_cast<int>(c));
  }
  add_paths(*out);
  return out;
}

/// `rows` without padding.
std::vector<int64_t> without_padding(const LevelTable& level, const RowRange& range) {
  std::vector<int64_t> out;
  const int id = level.find(names::kId);
  const bool may_show = level.may_have_padding();
  for (int64_t row = range.begin; row < range.begin + range.count; ++row) {
    if (!may_show || !is_padding_id(level.text(id, row).value_or(""))) out.push_back(row);
  }
  return out;
}

}  // namespace

bool is_path_column(std::string_view name) { return name == names::kGdalVsi || name == names::kSubfile; }

void add_paths(DataFrame::Impl& frame) {
  const auto add = [&](std::string_view name) {
    frame.columns.push_back({std::string(name), "string"});
    frame.sources.push_back(-1);
  };
  if (is_v1(frame.dataset->format)) add(names::kSubfile);
  add(names::kGdalVsi);
}

int64_t IdMap::find(const Rows& rows, int column, std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const bool is_small = rows.num_rows() < 1024;
  const int most = rows.has_remote_id_index() ? kLookupsBeforeMap : kScansBeforeMap;
  if (slots_.empty() && (is_small || rows.num_rows() > kMostMapped || ++scans_ <= most))
    return rows.find_text(column, id);
  if (slots_.empty()) build(rows, column);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = std::hash<std::string_view>()(id) & mask; slots_[at] != 0; at = (at + 1) & mask) {
    const int64_t row = slots_[at] - 1;
    const Rows::Cell cell = rows.cell(column, row);
    if (text_cell(*cell.array, cell.position) == id) return row;
  }
  return -1;
}

void IdMap::build(const Rows& rows, int column) const {
  std::size_t size = 16;
  while (size < static_cast<std::size_t>(rows.num_rows()) * 2) size *= 2;
  slots_.assign(size, 0);
  for (int64_t begin = 0; begin < rows.num_rows();) {
    const int64_t count = rows.run(begin);
    const auto ids = rows.array(column, begin, count);
    for (int64_t i = 0; i < count; ++i) {
      const auto id = text_cell(*ids, i);
      if (!id) continue;
      std::size_t at = std::hash<std::string_view>()(*id) & (size - 1);
      while (slots_[at] != 0) at = (at + 1) & (size - 1);  // rows come in order: of equal ids the first is found
      slots_[at] = begin + i + 1;
    }
    begin += count;
  }
}

void DataFrame::Impl::check_position(int64_t row) const {
  if (row >= 0 && row < rows->num_rows()) return;
  throw NavigationError(
      "Position " + std::to_string(row) + " out of range [0, " + std::to_string(rows->num_rows() - 1) + "]",
      {.path = dataset->path});
}

SampleType DataFrame::Impl::type(int64_t row) const {
  if (const auto key = rows->key(row); key && !holds_stored) {
    return sample_type(*dataset->leaf(key->part)->stored_level(key->level), key->row);
  }
  const int column = rows->find(names::kType);
  if (column < 0) throw NavigationError("the rows have no column 'type': a query dropped it", {.path = dataset->path});
  const auto text = rows->text(column, row);
  if (text == "FILE") return SampleType::File;
  if (text == "FOLDER") return SampleType::Folder;
  throw FormatError("row " + std::to_string(row) + ": type is " + (text ? in_quotes(*text) : "null") +
                        ", 'FILE' or 'FOLDER' expected",
                    {.path = dataset->path});
}

bool DataFrame::Impl::is_bytes(int64_t row) const {
  const auto key = rows->key(row);
  if (!key && !container) return false;
  if (container_of(row)->names_files()) return false;
  std::optional<std::string> format;
  if (key && !holds_stored) {
    const auto& table = container_of(row)->stored_level(key->level);
    format = table->text(table->find(v1::columns::kFileFormat), key->row);
  } else if (const int column = rows->find(v1::columns::kFileFormat); column >= 0) {
    format = rows->text(column, row);
  }
  return format && lower(*format) == lower(v1::columns::kBytes);
}

std::shared_ptr<const Container> DataFrame::Impl::container_of(int64_t row) const {
  if (const auto key = rows->key(row)) return dataset->leaf(key->part);
  if (container) return container;
  throw NavigationError("the query dropped the internal:* columns that locate the data; SELECT * keeps them",
                        {.path = dataset->path});
}

RowAddress DataFrame::Impl::address(int64_t row) const {
  if (const auto key = rows->key(row); key && !holds_stored)
    return dataset->leaf(key->part)->address(key->level, key->row);
  if (!container) (void)container_of(row);
  RowAddress out = stored_address(*rows, row);
  const bool names_files = container_of(row)->names_files();
  if (const auto why = names_files ? why_unsafe_id(out.id) : std::string(); !why.empty()) {
    throw FormatError("row " + std::to_string(row) + ": id " + in_quotes(out.id) + " " + why, {.path = dataset->path});
  }
  out.type = type(row);
  if (!holds_stored || rows->find(names::kSourceFile) < 0) out.source_file = source_file;
  out.relative_path = parent_path.empty() ? out.id : parent_path + "/" + out.id;
  return out;
}

std::optional<std::string> DataFrame::Impl::path(int64_t row, bool must_prove) const {
  if (!rows->key(row) && !container) {
    const int column = rows->find(names::kGdalVsi);
    return column < 0 ? std::nullopt : rows->text(column, row);
  }
  const auto in = container_of(row);
  return in->vsi_path(must_prove ? in->proved(address(row)) : address(row));
}

DataFrame DataFrame::Impl::children(int64_t row) const {
  const auto key = rows->key(row);
  const auto in = container_of(row);
  if (key) {
    const int below = key->level + 1;
    const RowKey first{key->part, below, 0};
    const auto table_below = [&] { return in->known_level(below); };
    if (auto left = dataset->survivors(*key))
      return DataFrame(child_frame(*this, level_rows(table_below(), first, std::move(*left))));
    if (const auto range = in->children(key->level, key->row)) {
      const auto table = table_below();
      if (!table->may_have_padding())
        return DataFrame(child_frame(*this, level_rows(table, first, range->begin, range->count)));
      return DataFrame(child_frame(*this, level_rows(table, first, without_padding(*table, *range))));
    }
  }
  // The tree has gaps here, or is deeper than the levels: the FOLDER's own `__meta__` is read.
  const RowAddress at = address(row);
  const int at_level = key ? key->level : level;
  std::shared_ptr<const LevelTable> meta;
  try {
    meta = in->meta(at, at_level);
  } catch (const FormatError& error) {
    throw NavigationError("children of " + in_quotes(at.id) + ": " + error.what(),
                          {.path = dataset->path, .offset = {}, .level = at_level});
  } catch (const SchemaError& error) {
    throw NavigationError("children of " + in_quotes(at.id) + ": " + error.what(),
                          {.path = dataset->path, .offset = {}, .level = at_level});
  }
  auto out = child_frame(*this, visible_rows(std::move(meta), std::nullopt));
  out->container = in;
  out->level = at_level + 1;
  out->parent_path = at.relative_path;
  out->source_file = at.source_file;
  return DataFrame(std::move(out));
}

}  // namespace tacore
