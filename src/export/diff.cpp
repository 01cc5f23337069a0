#include "tacore/ops/diff.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/report.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/read_hints.hpp"
#include "container/zip_directory.hpp"
#include "container/zip_offsets.hpp"
#include "dataset/open_container.hpp"
#include "format/names.hpp"
#include "format/tortilla_names.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_members.hpp"
#include "model/identifier.hpp"
#include "net/storage.hpp"
#include "table/compare_columns.hpp"
#include "table/encode.hpp"
#include "tortilla/container.hpp"
#include "writer/remote_payloads.hpp"

namespace tacore {
namespace {

constexpr uint64_t kPiece = 1 << 20;
constexpr uint64_t kShare = 64 << 20;  // bytes of one file that a thread compares before it takes another
constexpr std::size_t kSamplesAtOnce = 1 << 14;

/// Columns of a container before 2.0 that identify a row and locate its bytes, as `internal:*` do.
bool says_where(const LevelTable& table, std::string_view column) {
  const bool is_before_2 = table.derived(table.find(names::kId)) != nullptr;
  return is_before_2 &&
         (column == v1::columns::kId || column == v1::columns::kOffset || column == v1::columns::kLength);
}

/// A row of one of the containers of a dataset.
struct Place {
  const Container* container = nullptr;
  int64_t row = 0;
};

/// The rows of a streaming file's chunk table for a raster, by chunk ids and columns, offsets counted from the first
/// byte of the raster; nullopt for other files.
std::optional<std::map<std::string, std::string>> chunk_cells(const Place& place, int level) {
  const v1::ChunkTable* chunks = v1::chunk_table(*place.container);
  if (!chunks) return std::nullopt;
  std::map<std::string, std::string> out;
  const RowAddress at = place.container->address(level, place.row);
  if (at.type == SampleType::Folder) return out;
  const LevelTable& table = *chunks->table();
  const int64_t begin = at.offset.value_or(0), size = at.size.value_or(0);
  for (const int64_t row : chunks->rows_in({static_cast<uint64_t>(begin), static_cast<uint64_t>(size)})) {
    const int group = table.group_of(row);
    const std::string id = table.text(table.find(names::kId), row).value_or("");
    for (int column = 0; column < static_cast<int>(table.columns().size()); ++column) {
      const std::string& name = table.columns()[static_cast<std::size_t>(column)].name;
      if (table.derived(column) || name == v1::columns::kId || name == v1::columns::kParent) continue;
      auto text = cell_as_text(*table.array(column, group), row - table.group_begin(group)).value_or("null");
      if (name == v1::columns::kOffset) text = std::to_string(table.integer(column, row).value_or(0) - begin);
      std::string& cell = out[id + " " + name];
      cell += (cell.empty() ? "" : " and ") + text;  // of a chunk that is listed twice
    }
  }
  return out;
}

/// A dataset as its containers: one, or the partitions of a TACOLLECTION.json.
class Side {
 public:
  explicit Side(const std::string& path) : storage_(any_storage()) {
    const OpenedOnce files(*storage_);
    const Detected at = detect(files, path);
    if (at.num_partitions > 1) {
      for (const auto& part : partition_paths(files, at, false)) open(detect(files, part), part);
      collection_ = containers_[0]->collection();
      return;
    }
    if (at.format != Format::Tacollection) {
      open(at, path);
      collection_ = containers_[0]->collection();
      return;
    }
    collection_ = read_collection(*storage_, at, path);
    for (const auto& source : collection_.sources) {
      const std::string file = path_of_name(at.folder, source.file);
      open(detect(*storage_, file), file);
    }
  }

  bool is_local() const {
    return std::ranges::all_of(containers_, [](const auto& container) { return container->is_local(); });
  }
  const Collection& collection() const { return collection_; }
  int num_levels() const { return num_levels_; }
  int64_t num_rows(int level) const { return level < num_levels_ ? num_rows_[static_cast<std::size_t>(level)] : 0; }
  std::vector<std::shared_ptr<const LevelTable>> tables(int level) const {
    std::vector<std::shared_ptr<const LevelTable>> out;
    for (const auto& container : containers_) {
      if (level < container->num_levels()) out.push_back(container->stored_level(level));
    }
    return out;
  }
  /// The row of tables(level), which are stacked.
  Place place(int level, int64_t row) const {
    const auto& begins = begins_.at(static_cast<std::size_t>(level));
    const auto next =
        std::upper_bound(begins.begin(), begins.end(), row, [](int64_t r, const Begin& b) { return r < b.row; });
    return {std::prev(next)->container, row - std::prev(next)->row};
  }

  /// The bytes of a FILE according to the central directory of its ZIP; nullopt where there is none.
  std::optional<uint32_t> crc32_of(const Place& place, const RowAddress& address) {
    if (place.container->format() == Format::Folder || is_v1(place.container->format())) return std::nullopt;
    const auto& directory = directory_of(*place.container, address.source_file);
    const auto found = directory.find(entry_name(address.relative_path, address.type));
    return found == directory.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  using Checksums = std::unordered_map<std::string, uint32_t>;

  /// The first row of a level that belongs to a container.
  struct Begin {
    int64_t row = 0;
    const Container* container = nullptr;
  };

  void open(const Detected& at, const std::string& path) {
    containers_.push_back(open_container(storage_, at, path, ""));
    const Container& container = *containers_.back();
    for (int level = 0; level < container.num_levels(); ++level) {
      if (level == num_levels_) {
        ++num_levels_;
        begins_.emplace_back();
        num_rows_.push_back(0);
      }
      auto& num_rows = num_rows_[static_cast<std::size_t>(level)];
      const int64_t more = container.stored_level(level)->num_rows();
      if (more > 0) begins_[static_cast<std::size_t>(level)].push_back({num_rows, &container});
      num_rows += more;
    }
    folders_[containers_.back().get()] = at.folder;
  }

  const Checksums& directory_of(const Container& container, const std::string& source_file) {
    const std::string path =
        container.format() == Format::Zip ? container.path() : path_of_name(folders_.at(&container), source_file);
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = directories_.try_emplace(path);
    if (is_new) {
      for (auto& entry : read_directory(*storage_->open(path, kReadZip)))
        found->second.emplace(std::move(entry.name), entry.crc32);
    }
    return found->second;
  }

  std::shared_ptr<const Storage> storage_;
  Collection collection_;
  std::vector<std::shared_ptr<const Container>> containers_;
  int num_levels_ = 0;
  std::vector<std::vector<Begin>> begins_;  ///< by level
  std::vector<int64_t> num_rows_;
  std::map<const Container*, std::string> folders_;  ///< the folders of the ZIPs of an index
  std::mutex mutex_;
  std::map<std::string, Checksums> directories_;
};

/// The rows of a level without padding, by their paths.
struct Level {
  std::vector<std::string> paths = {};
  std::vector<int64_t> order = {};

  Level(const Side& side, int level) {
    for (int64_t row = 0; row < side.num_rows(level); ++row) {
      const Place place = side.place(level, row);
      paths.push_back(place.container->relative_path(level, place.row));
      const auto parts = split(paths.back(), '/');
      if (std::none_of(parts.begin(), parts.end(), [](const auto& part) { return is_padding_id(part); }))
        order.push_back(row);
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return path(a) < path(b); });
  }
  const std::string& path(int64_t row) const { return paths[static_cast<std::size_t>(row)]; }
};

class Comparison {
 public:
  Comparison(const std::string& a, const std::string& b, const DiffOptions& options)
      : a_(a),
        b_(b),
        name_(a),
        options_(options),
        jobs_(a_.is_local() && b_.is_local() ? num_threads(options.task.jobs) : kMaxReaders) {}

  Diff run() {
    compare_collections();
    tell(0);
    const int num_levels = std::max(a_.num_levels(), b_.num_levels());
    for (int level = 0; level < num_levels; ++level) compare_level(level);
    return std::move(out_);
  }

 private:
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;

  void compare_collections() {
    const bool both_are_indexes = !a_.collection().sources.empty() && !b_.collection().sources.empty();
    for (auto& member : member_differences(a_.collection().json, b_.collection().json)) {
      if (!both_are_indexes && (member.key == "taco:sources" || member.key == "_tacocat")) continue;
      out_.collection.push_back({.name = std::move(member.key), .a = std::move(member.a), .b = std::move(member.b)});
    }
  }

  void compare_level(int level) {
    const Level a(a_, level), b(b_, level);
    Pairs pairs;
    changes_.clear();
    std::size_t i = 0, j = 0;
    while (i < a.order.size() || j < b.order.size()) {
      const std::string* left = i < a.order.size() ? &a.path(a.order[i]) : nullptr;
      const std::string* right = j < b.order.size() ? &b.path(b.order[j]) : nullptr;
      if (!right || (left && *left < *right)) {
        note({.change = ChangeKind::Removed, .level = level, .path = *left}, out_.num_removed);
        ++i;
      } else if (!left || *right < *left) {
        note({.change = ChangeKind::Added, .level = level, .path = *right}, out_.num_added);
        ++j;
      } else {
        pairs.emplace_back(a.order[i++], b.order[j++]);
      }
    }
    compare_columns_of(level, pairs);
    compare_chunks(level, pairs);
    compare_data(level, pairs);
    out_.num_changed += changes_.size();
    for (auto& [pair, change] : changes_) {
      if (out_.samples.size() == Diff::kMaxListed) break;
      change.path = a.path(pairs[pair].first);
      out_.samples.push_back(std::move(change));
    }
  }

  void note(SampleChange change, uint64_t& count) {
    ++count;
    if (out_.samples.size() < Diff::kMaxListed) out_.samples.push_back(std::move(change));
  }

  /// The names of visible columns, and their types where tables differ in them. A table may lack a column.
  static std::map<std::string, std::string> columns_of(const std::vector<std::shared_ptr<const LevelTable>>& tables) {
    std::map<std::string, std::set<std::string>> types;
    for (const auto& table : tables) {
      for (const auto& column : table->columns()) {
        if (column.name != names::kId && !names::is_internal(column.name) && !says_where(*table, column.name))
          types[column.name].insert(column.type);
      }
    }
    std::map<std::string, std::string> out;
    for (const auto& [name, all] : types) out[name] = join(std::vector(all.begin(), all.end()), ", ");
    return out;
  }

  void compare_columns_of(int level, const Pairs& pairs) {
    const auto a = a_.tables(level), b = b_.tables(level);
    if (a.empty() || b.empty()) return;  // all their samples are reported
    const auto in_a = columns_of(a), in_b = columns_of(b);
    auto all = in_a;
    all.insert(in_b.begin(), in_b.end());
    for (const auto& [name, type] : all) {
      const auto left = in_a.find(name), right = in_b.find(name);
      const auto type_of = [](const auto& found, const auto& columns) {
        return found == columns.end() ? std::nullopt : std::optional(found->second);
      };
      ValueChange change{.name = name, .a = type_of(left, in_a), .b = type_of(right, in_b)};
      const bool in_both = change.a && change.b;
      // `type` is FILE or FOLDER, in any text type.
      if (change.a != change.b && name != names::kType) out_.columns.push_back({level, std::move(change)});
      if (in_both) compare_values(level, name, {a, name}, {b, name}, pairs);
    }
  }

  void compare_values(int level, const std::string& name, const ComparedColumn& a, const ComparedColumn& b,
                      const Pairs& pairs) {
    compare_columns(a, b, pairs, [&](std::size_t i) {
      SampleChange& change = changed(i, level);
      if (out_.samples.size() + changes_.size() <= Diff::kMaxListed)
        change.fields.push_back({.name = name, .a = a.text(pairs[i].first), .b = b.text(pairs[i].second)});
    });
    tell(0);
  }

  /// The first cell that differs in the chunks of a raster: where the data differ, so do all offsets.
  void compare_chunks(int level, const Pairs& pairs) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto a = chunk_cells(a_.place(level, pairs[i].first), level);
      const auto b = a ? chunk_cells(b_.place(level, pairs[i].second), level) : std::nullopt;
      if (!b || *a == *b) continue;
      const auto [left, right] = std::mismatch(a->begin(), a->end(), b->begin(), b->end());
      const bool in_a = left != a->end() && (right == b->end() || left->first <= right->first);
      const bool in_b = right != b->end() && (left == a->end() || right->first <= left->first);
      changed(i, level).fields.push_back({.name = in_a ? left->first : right->first,
                                          .a = in_a ? std::optional(left->second) : std::nullopt,
                                          .b = in_b ? std::optional(right->second) : std::nullopt});
      tell(0);
    }
  }

  SampleChange& changed(std::size_t pair, int level) {
    SampleChange& out = changes_[pair];
    out.level = level;
    return out;
  }

  /// Compares some bytes of a sample whose data have the same size in both datasets.
  struct Piece {
    std::size_t pair = 0;
    uint64_t begin = 0, end = 0;
  };

  void compare_data(int level, const Pairs& pairs) {
    for (std::size_t begin = 0; begin < pairs.size(); begin += kSamplesAtOnce) {
      const std::size_t end = std::min(pairs.size(), begin + kSamplesAtOnce);
      std::vector<std::size_t> to_read;
      std::vector<uint64_t> sizes(end - begin);
      run_parallel(end - begin, jobs_, [&](std::size_t i) {
        if (needs_reading(level, begin + i, pairs[begin + i], sizes[i])) {
          const std::lock_guard lock(mutex_);
          to_read.push_back(begin + i);
          num_bytes_ += sizes[i];
        }
        tell(0);
      });
      std::sort(to_read.begin(), to_read.end());
      std::vector<Piece> pieces;
      for (const std::size_t pair : to_read) {
        const uint64_t size = sizes[pair - begin];
        for (uint64_t at = 0; at < size; at += kShare)
          pieces.push_back({.pair = pair, .begin = at, .end = std::min(size, at + kShare)});
      }
      read(level, pairs, pieces);
    }
  }

  static RowAddress address_of(const Place& place, int level) {
    return place.container->proved(place.container->address(level, place.row));
  }

  /// False when the result is known without reading: no bytes, different sizes or CRC-32s, or a quick comparison.
  bool needs_reading(int level, std::size_t pair, const std::pair<int64_t, int64_t>& rows, uint64_t& size) {
    const Place a = a_.place(level, rows.first), b = b_.place(level, rows.second);
    const RowAddress in_a = address_of(a, level), in_b = address_of(b, level);
    // Before 2.0 containers may be nested more deeply: what is below the last level is compared as bytes.
    const bool is_deep = level == names::kMaxLevel && is_v1(a.container->format()) && is_v1(b.container->format());
    if (in_a.type != in_b.type || (in_a.type == SampleType::Folder && !is_deep)) return false;
    size = a.container->open_data(in_a)->size();
    const uint64_t other = b.container->open_data(in_b)->size();
    if (size != other) {
      tell_bytes(
          level, pair,
          "has " + std::to_string(other) + (other == 1 ? " byte, " : " bytes, ") + std::to_string(size) + " before");
      return false;
    }
    const auto crc_a = a_.crc32_of(a, in_a), crc_b = b_.crc32_of(b, in_b);
    if (crc_a && crc_b && crc_a != crc_b) {
      tell_bytes(level, pair, "has a different CRC-32");
      return false;
    }
    return size > 0 && !options_.quick;
  }

  void read(int level, const Pairs& pairs, const std::vector<Piece>& pieces) {
    std::map<std::size_t, uint64_t> first;  // the first byte in which a pair differs
    run_parallel(pieces.size(), jobs_, [&](std::size_t i) {
      const Piece& piece = pieces[i];
      const auto found = first_difference(level, pairs[piece.pair], piece);
      if (!found) return;
      const std::lock_guard lock(mutex_);
      const auto [known, is_new] = first.emplace(piece.pair, *found);
      if (!is_new) known->second = std::min(known->second, *found);
    });
    for (const auto& [pair, byte] : first) tell_bytes(level, pair, "differs at byte " + std::to_string(byte));
  }

  std::optional<uint64_t> first_difference(int level, const std::pair<int64_t, int64_t>& rows, const Piece& piece) {
    const Place a = a_.place(level, rows.first), b = b_.place(level, rows.second);
    const auto left = a.container->open_data(address_of(a, level));
    const auto right = b.container->open_data(address_of(b, level));
    const std::span both = scratch(2 * kPiece);
    for (uint64_t at = piece.begin; at < piece.end;) {
      const std::size_t size = std::min(kPiece, piece.end - at);
      const std::span mine = both.first(size), theirs = both.subspan(kPiece, size);
      left->read(at, mine);
      right->read(at, theirs);
      if (std::memcmp(mine.data(), theirs.data(), size) != 0) {
        const auto differing = std::mismatch(mine.begin(), mine.end(), theirs.begin()).first;
        tell(piece.end - at);
        return at + static_cast<uint64_t>(differing - mine.begin());
      }
      at += size;
      tell(size);
    }
    return std::nullopt;
  }

  void tell_bytes(int level, std::size_t pair, std::string how) {
    const std::lock_guard lock(mutex_);
    changed(pair, level).bytes = std::move(how);
  }

  void tell(uint64_t num_bytes) {
    if (!options_.task.progress) return;
    const std::lock_guard lock(mutex_);
    num_done_ += num_bytes;
    report(options_.task, num_done_, num_bytes_, name_);
  }

  Side a_, b_;
  std::string name_;
  const DiffOptions& options_;
  int jobs_;
  Diff out_;
  std::map<std::size_t, SampleChange> changes_;  ///< of the level, by pair
  std::mutex mutex_;
  uint64_t num_done_ = 0, num_bytes_ = 0;
};

}  // namespace

const char* to_string(ChangeKind change) noexcept {
  switch (change) {
    case ChangeKind::Added: return "added";
    case ChangeKind::Removed: return "removed";
    case ChangeKind::Changed: break;
  }
  return "changed";
}

bool Diff::equal() const noexcept {
  return collection.empty() && columns.empty() && num_added + num_removed + num_changed == 0;
}

Diff diff(const std::string& a, const std::string& b, const DiffOptions& options) {
  return Comparison(a, b, options).run();
}

}  // namespace tacore
