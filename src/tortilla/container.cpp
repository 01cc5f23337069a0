#include "tortilla/container.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "io/document.hpp"
#include "io/memory_source.hpp"
#include "io/prefetched_source.hpp"
#include "io/vsi_path.hpp"
#include "table/level_write.hpp"
#include "table/parquet_footer.hpp"
#include "table/parquet_write.hpp"
#include "table/rows.hpp"
#include "table/stack_tables.hpp"
#include "tortilla/chain.hpp"
#include "tortilla/collection.hpp"
#include "tortilla/footer_columns.hpp"
#include "tortilla/pointer.hpp"

namespace tacore::v1 {
namespace {

// Samples of a tree have the same children, so the tree is derived from at most this many nested Tortillas of a level.
constexpr std::size_t kMaxPatterns = 64;

/// The name of a dataset without one: that of its file, without suffixes and partition number. Text after ? in a URL
/// may be a signature, which must not be stored, so it is dropped.
std::string dataset_name(const std::string& path) {
  std::string out = file_name(path.find("://") == path.npos ? path : path.substr(0, path.find('?')));
  for (const std::string_view suffix : {".tortilla", ".taco", ".part"}) {
    if (ends_with_ignoring_case(out, suffix)) out.resize(out.size() - suffix.size());
  }
  const auto dot = out.rfind('.');
  const bool numbered = dot != out.npos && dot + 4 < out.size() && dot > 0 &&
                        std::all_of(out.begin() + static_cast<std::ptrdiff_t>(dot) + 1, out.end(),
                                    [](char c) { return c >= '0' && c <= '9'; });
  if (numbered) out.resize(dot);
  return out;
}

Collection collection_of(const ByteSource& source, const Header& header, const std::string& path) {
  if (!header.collection) return {.id = dataset_name(path), .dataset_version = "", .json = "{}"};
  const Bytes text = read_document(source, *header.collection);
  Collection out = parse_stored_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path);
  if (out.id.empty()) out.id = dataset_name(path);
  return out;
}

class TortillaContainer : public Container {
 public:
  TortillaContainer(std::shared_ptr<const ByteSource> source, const std::string& path, const Header& header)
      : Container(path, collection_of(*source, header, path),
                  {open_footer(source, {0, source->size()}, header, {.path = path, .offset = {}, .level = 0})}),
        source_(std::move(source)),
        root_(to_vsi(path)),
        header_(header) {
    if (stored_level(0)->key_value(kPointer)) chain_ = read_chain(source_, *stored_level(0), header_.footer, path);
    if (chain_) {
      const auto most = std::min<std::size_t>(chain_->levels.size(), names::kMaxLevel);
      add_levels(static_cast<int>(most));
      places_.resize(most + 1);
    } else {
      add_levels_of_tree();
    }
  }

  const ChunkTable* chunks() const { return chain_ ? chain_->chunks.get() : nullptr; }
  std::shared_ptr<const ByteSource> bytes(ByteRange range) const { return slice(source_, range); }

  std::optional<Chunk> find_chunk(const std::string& id, ByteRange owner, int level, int64_t row) const {
    if (!chain_) return std::nullopt;
    if (level >= 0 && level < num_levels() && row >= 0) {
      stored_level(level);
      const auto& places = places_[static_cast<std::size_t>(level)];
      if (!places.empty()) row = std::find(places.begin(), places.end(), row) - places.begin();
    }
    return chain_->chunks->find(id, owner, level, row);
  }

  Format format() const noexcept override { return header_.kind == Kind::Taco ? Format::Taco : Format::Tortilla; }

  std::optional<uint64_t> file_size() const override { return source_->size(); }

  std::string vsi_path(const RowAddress& row) const override { return vsi_subfile(range_of(row), root_); }

  std::string vsi_sql(int) const override { return subfile_sql(sql_literal("," + root_)); }

  std::shared_ptr<const ByteSource> open_data(const RowAddress& row) const override {
    return slice(source_, range_of(row));
  }

  std::shared_ptr<const LevelTable> open_meta(const RowAddress& row, int level) const override {
    return open_nested(range_of(row), level + 1);
  }

  std::optional<RowRange> children(int level, int64_t row) const override {
    // For a nested Tortilla, reading its own footer costs less than reading the footers of a level, or the tree.
    if (chain_ ? level + 1 >= num_levels() : !is_assembled(level + 1)) return std::nullopt;
    // Rows are sorted by parent.
    const auto& below = stored_level(level + 1);
    const int parent = below->find(names::kParentId);
    const auto first_not_below = [&](int64_t value) {
      int64_t begin = 0, end = below->num_rows();
      while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (below->integer(parent, middle).value_or(-1) < value) {
          begin = middle + 1;
        } else {
          end = middle;
        }
      }
      return begin;
    };
    const int64_t begin = first_not_below(row);
    return RowRange{begin, first_not_below(row + 1) - begin};
  }

 protected:
  PitSchema find_tree() const override { return chain_ ? tree_of_chain() : look_at_tree(); }

  std::shared_ptr<const LevelTable> assemble(int level) const override { return known_level(level); }

 private:
  /// A level, as stored_level(), but without asking the tree whether it exists: the tree is derived from these levels.
  const std::shared_ptr<const LevelTable>& known_level(int level) const {
    if (level == 0) return stored_level(0);
    Known& known = known_[static_cast<std::size_t>(level) - 1];
    std::call_once(known.once, [&] { known.table = make_level(level); });
    return known.table;
  }

  std::shared_ptr<const LevelTable> make_level(int level) const {
    const auto& above = known_level(level - 1);
    if (chain_) {
      const auto number = static_cast<std::size_t>(level);
      auto out = settled(chain_->levels[number - 1], {above, places_[number - 1]});
      places_[number] = std::move(out.places);
      return out.table;
    }
    std::vector<int64_t> parents;
    for (int64_t row = 0; row < above->num_rows(); ++row) {
      if (sample_type(*above, row) == SampleType::Folder) parents.push_back(row);
    }
    if (parents.empty())
      throw FormatError("no sample is nested, but the Parquet statistics of the level state that some are",
                        where(level - 1));
    log::info(path() + ": level " + std::to_string(level) + " is assembled from " + std::to_string(parents.size()) +
              (parents.size() == 1 ? " nested footer" : " nested footers"));
    std::vector<TablePart> parts;
    std::vector<int64_t> parent_of;  // of each row
    for (std::size_t begin = 0; begin < parents.size(); begin += kFootersAtOnce) {
      std::vector<TablePart> some(std::min(parents.size() - begin, kFootersAtOnce));
      run_parallel(some.size(), num_threads(0),
                   [&](std::size_t i) { some[i] = nested_rows(range_of(*above, parents[begin + i]), level); });
      const std::size_t before = parent_of.size();
      for (std::size_t i = 0; i < some.size(); ++i)
        parent_of.insert(parent_of.end(), static_cast<std::size_t>(some[i].num_rows), parents[begin + i]);
      parts.push_back({stack_tables(some), static_cast<int64_t>(parent_of.size() - before)});
    }
    const auto rows = add_column(stack_tables(parts), names::kParentId, parent_of);
    const Bytes bytes = encode_parquet(*rows, {.compression = "none", .use_content_defined_chunking = false});
    return LevelTable::open(memory_source(path(), bytes), where(level));
  }

  TablePart nested_rows(ByteRange range, int level) const {
    const auto nested = open_nested(range, level);
    std::vector<std::pair<std::string, int>> columns;
    for (std::size_t c = 0; c < nested->columns().size(); ++c) {
      const std::string& name = nested->columns()[c].name;
      if (name != names::kParentId) columns.emplace_back(name, static_cast<int>(c));
    }
    return {to_table(*level_rows(nested, std::nullopt, 0, nested->num_rows()), columns), nested->num_rows()};
  }

  ByteRange range_of(const RowAddress& row) const {
    if (!row.offset || !row.size)
      throw FormatError("sample " + in_quotes(row.id) + " has no offset and length", {.path = path()});
    return checked_range(row.id, *row.offset, *row.size);
  }

  ByteRange range_of(const LevelTable& level, int64_t row) const {
    const auto offset = level.integer(level.find(names::kOffset), row);
    const auto size = level.integer(level.find(names::kSize), row);
    const std::string id = level.text(level.find(names::kId), row).value_or("");
    if (!offset || !size) throw FormatError("sample " + in_quotes(id) + " has no offset and length", {.path = path()});
    return checked_range(id, *offset, *size);
  }

  ByteRange checked_range(const std::string& id, int64_t offset, int64_t size) const {
    // The tables of a streaming file may lie anywhere.
    const auto end = static_cast<int64_t>(chain_ ? source_->size() : header_.footer.offset);
    if (offset < static_cast<int64_t>(kHeaderSize) || size < 0 || offset > end || size > end - offset) {
      throw FormatError("sample " + in_quotes(id) + ": " + std::to_string(size) + " bytes at " +
                            std::to_string(offset) + " are outside of the data, bytes " + std::to_string(kHeaderSize) +
                            " to " + std::to_string(end),
                        {.path = path()});
    }
    return {static_cast<uint64_t>(offset), static_cast<uint64_t>(size)};
  }

  /// Opens the table of the container in `range`; its samples must lie in it.
  std::shared_ptr<const LevelTable> open_nested(ByteRange range, int level) const {
    const Header header = read_header(*source_, range, {.path = path()});
    const auto out = open_footer(source_, range, header, where(level));
    const int offsets = out->find(names::kOffset), sizes = out->find(names::kSize);
    const auto begin = static_cast<int64_t>(range.offset), end = static_cast<int64_t>(header.footer.offset) + begin;
    for (int64_t row = 0; row < out->num_rows(); ++row) {
      const int64_t offset = out->integer(offsets, row).value_or(-1), size = out->integer(sizes, row).value_or(-1);
      if (offset >= begin + static_cast<int64_t>(kHeaderSize) && size >= 0 && offset <= end && size <= end - offset)
        continue;
      throw FormatError("row " + std::to_string(row) + ": " + std::to_string(size) + " bytes at " +
                            std::to_string(offset) + " are outside of the nested Tortilla's data, bytes " +
                            std::to_string(begin + static_cast<int64_t>(kHeaderSize)) + " to " + std::to_string(end),
                        where(level));
    }
    return out;
  }

  /// A nested Tortilla of level 0: any, where the footer shows without decoding that all are nested, else the first.
  std::optional<ByteRange> some_nested() const {
    const LevelTable& level = *stored_level(0);
    const int type = level.find(names::kType), offset = level.find(names::kOffset);
    for (int group = 0; group < level.num_row_groups(); ++group) {
      if (!level.may_hold(type, group, "FOLDER")) continue;
      if (const auto begin = level.smallest(offset, group); begin && level.holds_only(type, group, "FOLDER")) {
        // Its length is unknown; it ends before the end of the data, and its header states where.
        const auto first = checked_range("", *begin, 0);
        return ByteRange{first.offset, header_.footer.offset - first.offset};
      }
      for (int64_t row = level.group_begin(group); row < level.group_begin(group + 1); ++row) {
        if (sample_type(level, row) == SampleType::Folder) return range_of(level, row);
      }
    }
    return std::nullopt;
  }

  struct Children {
    std::shared_ptr<const LevelTable> table;
    std::vector<int64_t> rows = {};
  };

  /// The children of a row in its level table. If the table is sorted, only its first rows are read.
  Children children_in_chain(int level, int64_t row) const {
    const auto& below = chain_->levels[static_cast<std::size_t>(level)];
    const int parent = below->find(names::kParentId);
    Children out{below};
    if (parent >= 0 && below->num_row_groups() > 0) {
      const int64_t end = below->group_begin(1);
      int64_t at = 0;
      while (at < end && below->integer(parent, at).value_or(row) < row) ++at;
      for (; at < end && below->integer(parent, at) == row; ++at) out.rows.push_back(at);
      if (!out.rows.empty() && at < end && below->integer(parent, at).value_or(row) > row) return out;
    }
    out = {stored_level(level + 1)};
    const auto range = children(level, row);
    for (int64_t i = 0; range && i < range->count; ++i) out.rows.push_back(range->begin + i);
    return out;
  }

  static bool has_folders(const LevelTable& level) {
    const int type = level.find(names::kType);
    for (int group = 0; group < level.num_row_groups(); ++group) {
      if (!level.may_hold(type, group, "FOLDER")) continue;
      for (int64_t row = level.group_begin(group); row < level.group_begin(group + 1); ++row) {
        if (sample_type(level, row) == SampleType::Folder) return true;
      }
    }
    return false;
  }

  /// The rows of levels 0 to `level` - 1 that are ancestors of the first row of `level`.
  std::vector<int64_t> above_first(int level) const {
    std::vector<int64_t> out(static_cast<std::size_t>(level));
    for (int64_t row = 0; level > 0; --level) {
      const LevelTable& table = *known_level(level);
      row = table.integer(table.find(names::kParentId), row).value_or(0);
      out[static_cast<std::size_t>(level) - 1] = row;
    }
    return out;
  }

  /// The tree of the first sample, or, if it is not of full depth, of the first sample that is.
  PitSchema tree_of_chain() const {
    std::vector<int64_t> first;
    for (int64_t row = 0; row < stored_level(0)->num_rows() && first.empty(); ++row) {
      if (sample_type(*stored_level(0), row) == SampleType::Folder) first.push_back(row);
    }
    PitSchema out = tree_of_chain(std::move(first));
    const int deepest = num_levels() - 1;
    if (out.max_depth() == deepest || stored_level(deepest)->num_rows() == 0) return out;
    return tree_of_chain({above_first(deepest)[0]});
  }

  /// The tree below these rows of level 0.
  PitSchema tree_of_chain(std::vector<int64_t> here) const {
    PitSchema out{.root_n = static_cast<uint64_t>(stored_level(0)->num_rows())};
    if (!here.empty()) out.root_type = SampleType::Folder;
    for (int level = 1; level < num_levels() && !here.empty(); ++level) {
      std::vector<int64_t> below;
      for (const int64_t row : here) {
        const auto [table, rows] = children_in_chain(level - 1, row);
        PitPattern pattern{.n = out.root_n * static_cast<uint64_t>(rows.size())};
        for (const int64_t child : rows) {
          pattern.type.push_back(sample_type(*table, child));
          pattern.id.push_back(table->text(table->find(names::kId), child).value_or(""));
          if (pattern.type.back() == SampleType::Folder && below.size() < kMaxPatterns) below.push_back(child);
        }
        if (!pattern.id.empty()) out.hierarchy[level].push_back(std::move(pattern));
      }
      here = std::move(below);
    }
    return out;
  }

  /// The tree of a sample of full depth. In v1 samples may differ: the tree of the first one is verified by the footers
  /// of all, down to a level without FOLDERs.
  PitSchema look_at_tree() const {
    const auto first = some_nested();
    if (!first) return {.root_n = static_cast<uint64_t>(stored_level(0)->num_rows())};
    PitSchema out = tree_of_sample(*first);
    int deepest = out.max_depth();
    while (deepest < names::kMaxLevel && has_folders(*known_level(deepest))) ++deepest;
    if (deepest == out.max_depth()) return out;
    std::vector<ByteRange> deep;
    for (const int64_t row : above_first(deepest))
      deep.push_back(range_of(*known_level(static_cast<int>(deep.size())), row));
    return tree_of_sample(deep[0], deep);
  }

  /// The containers in `deep` that are in the sample are all followed.
  PitSchema tree_of_sample(ByteRange sample, const std::vector<ByteRange>& deep = {}) const {
    PitSchema out{.root_n = static_cast<uint64_t>(stored_level(0)->num_rows())};
    out.root_type = SampleType::Folder;
    std::vector<ByteRange> here{sample};
    for (int level = 1; level <= names::kMaxLevel && !here.empty(); ++level) {
      std::vector<ByteRange> below;
      for (const ByteRange& range : here) {
        const auto table = open_nested(range, level);
        PitPattern pattern{.n = out.root_n * static_cast<uint64_t>(table->num_rows())};
        for (int64_t row = 0; row < table->num_rows(); ++row) {
          pattern.type.push_back(sample_type(*table, row));
          pattern.id.push_back(table->text(table->find(names::kId), row).value_or(""));
          if (pattern.type.back() != SampleType::Folder) continue;
          const ByteRange nested = range_of(*table, row);
          if (below.size() < kMaxPatterns || std::find(deep.begin(), deep.end(), nested) != deep.end())
            below.push_back(nested);
        }
        out.hierarchy[level].push_back(std::move(pattern));
      }
      here = std::move(below);
    }
    return out;
  }

  std::shared_ptr<const ByteSource> source_;
  std::string root_;
  Header header_;
  std::optional<Chain> chain_ = {};
  struct Known {
    std::once_flag once = {};
    std::shared_ptr<const LevelTable> table = {};
  };
  mutable std::array<Known, names::kMaxLevel> known_ = {};
  mutable std::vector<std::vector<int64_t>> places_ = {};  ///< SettledLevel::places of assembled levels
};

}  // namespace

Header read_header(const ByteSource& source, ByteRange range, const ErrorContext& where) {
  const Bytes head = source.read({range.offset, std::min(range.size, kHeaderUsed)});
  try {
    return parse_header(head, range.size, range.offset);
  } catch (const FormatError& error) {
    throw FormatError(error.message(), {.path = where.path, .offset = error.context().offset, .level = where.level});
  }
}

std::shared_ptr<const LevelTable> open_footer(const std::shared_ptr<const ByteSource>& source, ByteRange range,
                                              const Header& header, const ErrorContext& where) {
  const auto footer = slice(source, {range.offset + header.footer.offset, header.footer.size});
  return LevelTable::open(footer, where, [&](const std::vector<Column>& stored) {
    return footer_columns(stored, static_cast<int64_t>(range.offset), header.file_format, where);
  });
}

Header read_header(const ByteSource& source, const std::string& path) {
  return read_header(source, {0, source.size()}, {.path = path});
}

std::shared_ptr<Container> open_tortilla(std::shared_ptr<const ByteSource> source, const std::string& path) {
  const Header header = read_header(*source, path);
  const uint64_t tail = std::min(header.footer.size, kFooterGuess);
  std::vector<ByteRange> ranges{{header.footer.offset + header.footer.size - tail, tail}};
  if (header.collection) ranges.push_back(*header.collection);
  const auto near = prefetched(source, std::move(ranges));
  return std::make_shared<TortillaContainer>(near, path, header);
}

const ChunkTable* chunk_table(const Container& container) {
  const auto* tortilla = dynamic_cast<const TortillaContainer*>(&container);
  return tortilla ? tortilla->chunks() : nullptr;
}

std::optional<Chunk> find_chunk(const Container& container, const std::string& id, ByteRange owner, int level,
                                int64_t row) {
  const auto* tortilla = dynamic_cast<const TortillaContainer*>(&container);
  return tortilla ? tortilla->find_chunk(id, owner, level, row) : std::nullopt;
}

std::shared_ptr<const ByteSource> bytes_of(const Container& container, ByteRange range) {
  const auto* tortilla = dynamic_cast<const TortillaContainer*>(&container);
  return tortilla ? tortilla->bytes(range) : nullptr;
}

Collection read_tortilla_collection(const ByteSource& source, const std::string& path) {
  return collection_of(source, read_header(source, path), path);
}

}  // namespace tacore::v1
