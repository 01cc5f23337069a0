#include "tortilla/chain.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "base/checked_math.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "format/tortilla_names.hpp"
#include "io/memory_source.hpp"
#include "io/prefetched_source.hpp"
#include "table/cells.hpp"
#include "table/level_write.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "table/rows.hpp"
#include "tortilla/footer_columns.hpp"
#include "tortilla/header.hpp"
#include "tortilla/pointer.hpp"

namespace tacore::v1 {
namespace {

constexpr std::size_t kMaxTables = kMaxLevels + 1;  // without the chunk table
constexpr uint64_t kReadWhole = uint64_t{1} << 22;  // larger tables are read on demand
constexpr std::string_view kMagic = "PAR1";

std::string text_of(ByteRange range) {
  return std::to_string(range.size) + " bytes at " + std::to_string(range.offset);
}

class ChainReader {
 public:
  ChainReader(std::shared_ptr<const ByteSource> source, const std::string& path)
      : source_(std::move(source)), path_(path) {}

  Chain run(const LevelTable& level0, ByteRange first) {
    seen_.insert(first.offset);
    prefetch(level0);
    Chain out;
    auto next = pointer_of(level0);
    if (!next) fail("ends at level 0: a table of chunks expected", first);
    while (next) {
      check(*next);
      const auto [table, after] = open(*next);
      if (after) {
        out.levels.push_back(table);
      } else {
        out.chunks = std::make_shared<const ChunkTable>(table);
      }
      next = after;
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& why, ByteRange at) const {
    throw FormatError("the chain of tables " + why, {.path = path_, .offset = at.offset});
  }

  bool is_inside(ByteRange range) const {
    return range.offset >= kHeaderSize && range.offset <= source_->size() &&
           range.size <= source_->size() - range.offset;
  }

  void prefetch(const LevelTable& level0) {
    const auto hint = parse_footer_hint(level0.key_value(kFooterKey).value_or(""));
    if (hint && is_inside(*hint) && hint->size <= kReadWhole) source_ = prefetched(source_, {*hint});
  }

  std::optional<ByteRange> pointer_of(const LevelTable& table) const {
    try {
      return parse_pointer(table.key_value(kPointer).value_or(""));
    } catch (const FormatError& error) {
      throw FormatError(error.message(), table.where());
    }
  }

  void check(ByteRange range) {
    if (!is_inside(range)) fail("goes beyond the end of the file: " + text_of(range), range);
    if (!seen_.insert(range.offset).second) fail("points back to byte " + std::to_string(range.offset), range);
    if (seen_.size() > kMaxTables) fail("has more than " + std::to_string(kMaxTables) + " tables", range);
  }

  std::pair<std::shared_ptr<const LevelTable>, std::optional<ByteRange>> open(ByteRange range) const {
    const ErrorContext where{.path = path_, .offset = range.offset, .level = static_cast<int>(seen_.size()) - 1};
    const auto bytes = slice(source_, range);
    const Bytes head = bytes->read({0, std::min<uint64_t>(range.size, kMagic.size())});
    if (std::string_view(reinterpret_cast<const char*>(head.data()), head.size()) != kMagic)
      throw FormatError("is not a Parquet table: it does not start with PAR1", where);
    // Whether a table is the last one is known only after opening it; only a level needs formats.
    const auto table = LevelTable::open(bytes, where, [&](const std::vector<Column>& stored) {
      const bool has_chunks = std::any_of(stored.begin(), stored.end(),
                                          [](const Column& column) { return column.name == chunk::kBandOffsets; });
      return footer_columns(stored, 0, has_chunks ? std::optional<std::string>("") : std::nullopt, where);
    });
    return {table, pointer_of(*table)};
  }

  std::shared_ptr<const ByteSource> source_;
  const std::string& path_;
  std::set<uint64_t> seen_ = {};
};

std::vector<int64_t> integers(const LevelTable& table, std::string_view name) {
  const int column = table.find(name);
  std::vector<int64_t> out;
  out.reserve(static_cast<std::size_t>(table.num_rows()));
  for (int group = 0; group < table.num_row_groups(); ++group) {
    const auto array = table.array(column, group);
    const int64_t count = table.group_begin(group + 1) - table.group_begin(group);
    for (int64_t i = 0; i < count; ++i) {
      const auto value = integer_cell(*array, i);
      if (!value) {
        throw FormatError("row " + std::to_string(table.group_begin(group) + i) + ": " + std::string(name) +
                              " is null or not an integer",
                          table.where());
      }
      out.push_back(*value);
    }
  }
  return out;
}

class Settler {
 public:
  Settler(const std::shared_ptr<const LevelTable>& level, const SettledLevel& above)
      : level_(level),
        above_(*above.table),
        places_(above.places),
        above_offsets_(integers(above_, tacore::names::kOffset)),
        above_sizes_(integers(above_, tacore::names::kSize)),
        offsets_(integers(*level, tacore::names::kOffset)),
        sizes_(integers(*level, tacore::names::kSize)) {}

  SettledLevel run() {
    const bool has_parents = level_->find(tacore::names::kParentId) >= 0;
    if (has_parents) {
      parents_ = placed(integers(*level_, tacore::names::kParentId));
    } else {
      parents_ = level_->find(columns::kRoot) >= 0 ? parents_by_root() : parents_by_place();
    }
    bool is_moved = false;
    for (std::size_t row = 0; row < parents_.size(); ++row) is_moved |= move_into_parent(row);
    const bool is_sorted = std::is_sorted(parents_.begin(), parents_.end());
    return has_parents && places_.empty() && is_sorted && !is_moved ? SettledLevel{level_} : rebuilt();
  }

 private:
  [[noreturn]] void fail(std::size_t row, const std::string& why) const {
    throw FormatError("row " + std::to_string(row) + " " + why, level_->where());
  }

  /// Rows of the stored level above, converted to their positions after sorting.
  std::vector<int64_t> placed(std::vector<int64_t> parents) const {
    for (std::size_t row = 0; row < parents.size(); ++row) {
      if (parents[row] < 0 || parents[row] >= above_.num_rows())
        fail(row, "has the parent " + std::to_string(parents[row]) + ", a row from 0 to " +
                      std::to_string(above_.num_rows() - 1) + " expected");
      if (!places_.empty()) parents[row] = places_[as_size(parents[row])];
    }
    return parents;
  }

  std::vector<int64_t> parents_by_root() const {
    const int root = level_->find(columns::kRoot);
    if (level_->num_rows() > 0 && !level_->text(root, 0)) return placed(integers(*level_, columns::kRoot));
    std::unordered_map<std::string, int64_t> rows;
    const int above_root = above_.find(columns::kRoot), id = above_.find(tacore::names::kId),
              parent = above_.find(tacore::names::kParentId);
    for (int64_t row = 0; row < above_.num_rows(); ++row) {
      std::string path = above_.text(id, row).value_or("");
      // At level 0 the root is the sample's own id.
      if (parent >= 0 && above_root >= 0) path = above_.text(above_root, row).value_or("") + "/" + path;
      rows.emplace(std::move(path), row);
    }
    std::vector<int64_t> out;
    for (int64_t row = 0; row < level_->num_rows(); ++row) {
      const auto found = rows.find(level_->text(root, row).value_or(""));
      if (found == rows.end())
        fail(as_size(row), "has the root " + in_quotes(level_->text(root, row).value_or("")) +
                               ", which is not a sample of the level above");
      out.push_back(found->second);
    }
    return out;
  }

  std::vector<int64_t> parents_by_place() const {
    std::vector<int64_t> rows(above_offsets_.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](int64_t a, int64_t b) { return above_offsets_[as_size(a)] < above_offsets_[as_size(b)]; });
    std::vector<int64_t> out;
    for (std::size_t row = 0; row < offsets_.size(); ++row) {
      const auto after = std::partition_point(
          rows.begin(), rows.end(), [&](int64_t other) { return above_offsets_[as_size(other)] <= offsets_[row]; });
      if (after == rows.begin()) fail(row, "lies in no sample of the level above");
      out.push_back(*std::prev(after));
    }
    return out;
  }

  bool is_in_parent(std::size_t row, int64_t offset) const {
    const std::size_t parent = as_size(parents_[row]);
    const int64_t from_begin = offset - above_offsets_[parent];
    return offset >= above_offsets_[parent] && from_begin <= above_sizes_[parent] &&
           sizes_[row] <= above_sizes_[parent] - from_begin;
  }

  /// True when the offset of a row has to change.
  bool move_into_parent(std::size_t row) {
    const int64_t begin = above_offsets_[as_size(parents_[row])];
    if (offsets_[row] < 0 || sizes_[row] < 0) fail(row, "has a negative offset or length");
    if (is_in_parent(row, offsets_[row])) return false;
    int64_t moved = 0;
    if (__builtin_add_overflow(begin, offsets_[row], &moved) || !is_in_parent(row, moved)) {
      fail(row, "(" + std::to_string(sizes_[row]) + " bytes at " + std::to_string(offsets_[row]) +
                    ") lies outside of its parent, " + std::to_string(above_sizes_[as_size(parents_[row])]) +
                    " bytes at " + std::to_string(begin));
    }
    offsets_[row] = moved;
    return true;
  }

  SettledLevel rebuilt() const {
    std::vector<int64_t> order(parents_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return parents_[as_size(a)] < parents_[as_size(b)]; });
    const auto ordered = [&](const std::vector<int64_t>& values) {
      std::vector<int64_t> out;
      for (const int64_t row : order) out.push_back(values[as_size(row)]);
      return out;
    };
    std::vector<std::pair<std::string, int>> columns;
    for (std::size_t c = 0; c < level_->columns().size(); ++c) {
      const std::string& name = level_->columns()[c].name;
      if (name != columns::kOffset && name != tacore::names::kParentId && name != tacore::names::kOffset)
        columns.emplace_back(name, static_cast<int>(c));
    }
    const auto rows = level_rows(level_, std::nullopt, 0, level_->num_rows());
    auto table = take_rows(*to_table(*rows, columns), order);
    const auto offsets = ordered(offsets_);
    table = add_column(add_column(table, columns::kOffset, offsets), tacore::names::kOffset, offsets);
    table = in_one_piece(add_column(table, tacore::names::kParentId, ordered(parents_)));
    const Bytes bytes = encode_parquet(*table, {.compression = "none", .use_content_defined_chunking = false});
    SettledLevel out{LevelTable::open(memory_source(level_->where().path, bytes), level_->where())};
    if (std::is_sorted(order.begin(), order.end())) return out;
    out.places.resize(order.size());
    for (std::size_t row = 0; row < order.size(); ++row) out.places[as_size(order[row])] = static_cast<int64_t>(row);
    return out;
  }

  const std::shared_ptr<const LevelTable>& level_;
  const LevelTable& above_;
  const std::vector<int64_t>& places_;
  std::vector<int64_t> above_offsets_, above_sizes_, offsets_, sizes_, parents_;
};

}  // namespace

Chain read_chain(std::shared_ptr<const ByteSource> source, const LevelTable& level0, ByteRange first,
                 const std::string& path) {
  return ChainReader(std::move(source), path).run(level0, first);
}

SettledLevel settled(const std::shared_ptr<const LevelTable>& level, const SettledLevel& above) {
  return Settler(level, above).run();
}

}  // namespace tacore::v1
