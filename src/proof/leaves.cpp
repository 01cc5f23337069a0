#include "proof/leaves.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checked_math.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/zip_samples.hpp"
#include "format/names.hpp"
#include "io/output_file.hpp"
#include "model/identifier.hpp"
#include "proof/merkle.hpp"
#include "table/canonical_rows.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr int64_t kRowsAtOnce = 512;
/// Smaller samples are read together, up to so many bytes; larger ones in pieces of that size.
constexpr uint64_t kBytesAtOnce = 8 << 20;

/// Some rows of a level, of which a remote table reads no other pages.
class SomeRows {
 public:
  SomeRows(const LevelTable& level, RowRange rows, bool is_whole) : table_(&level), first_(rows.begin) {
    if (is_whole || level.is_local() || rows.count == 0) return;
    auto some = level.select({{rows.begin, rows.begin + rows.count}});
    if (!some.table) return;
    int64_t before = 0;
    for (const RowSpan& span : some.rows) {
      if (rows.begin >= span.begin && rows.begin + rows.count <= span.end) {
        first_ = before + rows.begin - span.begin;
        selected_ = some.table;
        table_ = selected_.get();
        return;
      }
      before += span.end - span.begin;
    }
  }

  const LevelTable& table() const noexcept { return *table_; }
  /// The row of table() that is the i-th of these.
  int64_t row(int64_t i) const noexcept { return first_ + i; }
  std::vector<std::string> metadata(int64_t count) const { return canonical_rows(*table_, first_, first_ + count); }
  std::optional<int64_t> integer(std::string_view column, int64_t i) const {
    const int found = table_->find(column);
    return found < 0 ? std::nullopt : table_->integer(found, row(i));
  }

 private:
  std::shared_ptr<const LevelTable> selected_ = {};
  const LevelTable* table_;
  int64_t first_;
};

/// Calls `work`; what it finds wrong with the dataset is a fault of the row. A server or disk that fails is none, but a
/// file that is not there.
template <class Work>
void find_fault(int level, int64_t row, std::vector<RowFault>& faults, const Work& work) {
  const auto add = [&](const Error& error) { faults.push_back({level, row, error.message()}); };
  try {
    work();
  } catch (const IoError& error) {
    if (!error.not_found()) throw;
    faults.push_back({level, row, error.what()});
  } catch (const FormatError& error) {
    add(error);
  } catch (const SchemaError& error) {
    add(error);
  } catch (const NavigationError& error) {
    add(error);
  }
}

Sha256 hash_of(const ByteSource& source) {
  const uint64_t size = source.size();
  uint64_t offset = 0;
  return sha256([&]() -> std::span<const std::byte> {
    if (offset == size) return {};
    throw_if_interrupted();
    const auto piece = scratch(std::min(kBytesAtOnce, size - offset));
    source.read(offset, piece);
    offset += piece.size();
    return piece;
  });
}

/// Throws FormatError where a program that trusts the tables would read other bytes.
void check_place(const Container& container, const RowAddress& address) {
  const RowAddress proved = container.proved(address);
  if (proved.offset == address.offset && proved.size == address.size) return;
  const auto text = [](const RowAddress& at) {
    return std::to_string(at.size.value_or(0)) + " bytes at " + std::to_string(at.offset.value_or(0));
  };
  throw FormatError("internal:offset and internal:size state " + text(address) + ", but the ZIP has it as " +
                    text(proved));
}

/// A FILE that waits to be read with others.
struct WaitingFile {
  std::size_t number = 0;
  RowAddress address = {};
  std::shared_ptr<const ByteSource> source = {};
};

/// The hashes of the data of FILEs; those that are not added have none.
class DataHashes {
 public:
  DataHashes(const Container& container, int level, int64_t first, std::size_t count, std::vector<RowFault>& faults)
      : container_(container),
        level_(level),
        first_(first),
        hashes_(count, sha256(std::span<const std::byte>())),
        faults_(faults) {}

  void add(std::size_t number) {
    const int64_t row = first_ + static_cast<int64_t>(number);
    find_fault(level_, row, faults_, [&] {
      WaitingFile file{number, container_.address(level_, row), nullptr};
      file.source = container_.open_data(file.address);
      const uint64_t size = file.source->size();
      if (size > kBytesAtOnce) return read_one(file);
      if (num_waiting_ + size > kBytesAtOnce) read_waiting();
      num_waiting_ += size;
      waiting_.push_back(std::move(file));
    });
  }
  std::vector<Sha256> run() && {
    read_waiting();
    return std::move(hashes_);
  }

 private:
  void read_one(const WaitingFile& file) {
    again_if_moved([&] {
      const auto source = container_.open_data(file.address);
      hashes_[file.number] = hash_of(*source);
      return true;
    });
    check_place(container_, file.address);
  }

  void read_waiting() {
    const auto files = std::exchange(waiting_, {});
    num_waiting_ = 0;
    std::vector<std::shared_ptr<const ByteSource>> sources;
    for (const WaitingFile& file : files) sources.push_back(file.source);
    std::vector<Bytes> bytes;
    try {
      bytes = read_samples(sources);
    } catch (const FormatError&) {  // one of them is damaged: each by itself tells which
      bytes.clear();
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      find_fault(level_, first_ + static_cast<int64_t>(files[i].number), faults_, [&] {
        if (bytes.empty()) return read_one(files[i]);
        hashes_[files[i].number] = sha256(bytes[i]);
        check_place(container_, files[i].address);
      });
    }
  }

  const Container& container_;
  int level_;
  int64_t first_;
  std::vector<Sha256> hashes_;
  std::vector<RowFault>& faults_;
  std::vector<WaitingFile> waiting_ = {};
  uint64_t num_waiting_ = 0;
};

/// Compares rows of a level with those of a `__meta__`.
class MetaRows {
 public:
  MetaRows(const Container& container, int level, int64_t folder, bool is_whole)
      : container_(container), level_(level), is_whole_(is_whole) {
    const RowAddress address = container.address(level, folder);
    again_if_moved([&] {
      meta_ = container.open_meta(address, level);
      return true;
    });
    check_place(container, address);
  }

  /// Throws FormatError unless its rows from `first` on are `rows` of the level below.
  void check(int64_t first, RowRange rows) const {
    if (first + rows.count > meta_->num_rows())
      throw FormatError("its __meta__ has " + std::to_string(meta_->num_rows()) + " rows, " +
                        std::to_string(first + rows.count) + " expected");
    const SomeRows there(*container_.stored_level(level_ + 1), rows, is_whole_);
    const auto expected = there.metadata(rows.count);
    const auto found = canonical_rows(*meta_, first, first + rows.count);
    const int offset = meta_->find(names::kOffset), size = meta_->find(names::kSize);
    for (int64_t i = 0; i < rows.count; ++i) {
      const auto at = as_size(i);
      const auto stored = [&](int column) { return column < 0 ? std::nullopt : meta_->integer(column, first + i); };
      if (found[at] == expected[at] && stored(offset) == there.integer(names::kOffset, i) &&
          stored(size) == there.integer(names::kSize, i)) {
        continue;
      }
      throw FormatError("row " + std::to_string(first + i) + " of its __meta__ differs from row " +
                        std::to_string(rows.begin + i) + " of level " + std::to_string(level_ + 1));
    }
  }
  int64_t num_rows() const { return meta_->num_rows(); }

 private:
  const Container& container_;
  int level_;
  bool is_whole_;
  std::shared_ptr<const LevelTable> meta_;
};

/// The numbers of internal:parent_id of a level. Throws FormatError for text and null.
int64_t parent_id(const LevelTable& table, int column, int64_t row) {
  const auto out = column < 0 ? std::nullopt : table.integer(column, row);
  if (out) return *out;
  throw FormatError("row " + std::to_string(row) +
                        ": internal:parent_id is not a number, by which it could be proved "
                        "where the row belongs; taco convert writes it",
                    table.where());
}

void put(std::string& out, uint64_t number) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(number >> (8 * i));
}

/// The path of ids of a row.
std::string sample_name(const Container& container, int level, int64_t row) {
  try {
    return in_quotes(container.relative_path(level, row));
  } catch (const Error&) {  // what is wrong with its parents is another fault
    return "row " + std::to_string(row) + " of level " + std::to_string(level);
  }
}

}  // namespace

const std::vector<int64_t>& Leaves::parents(int level) const {
  Parents& out = parents_[as_size(level)];
  std::call_once(out.found, [&] {
    const LevelTable& table = *container_.stored_level(level);
    const int column = table.find(names::kParentId);
    std::vector<int64_t> rows;
    for (int64_t row = 0, near = 0; row < table.num_rows(); ++row) {
      const int64_t id = parent_id(table, column, row);
      // Nearly always the number of a row is its current_id.
      if (rows.empty() || container_.current_id(level - 1, near) != id) near = container_.row_of(level - 1, id, id);
      rows.push_back(near);
      if (rows.size() > 1 && near < rows[rows.size() - 2]) {
        throw FormatError("row " + std::to_string(row) +
                              ": its parent is before that of the row before, in order "
                              "expected",
                          table.where());
      }
    }
    out.rows = std::move(rows);
  });
  return out.rows;
}

int64_t Leaves::parent(int level, int64_t row) const {
  if (level == 0) return 0;
  if (is_whole_) return parents(level)[as_size(row)];
  const LevelTable& table = *container_.stored_level(level);
  const int64_t id = parent_id(table, table.find(names::kParentId), row);
  return container_.row_of(level - 1, id, id);
}

RowRange Leaves::children(int level, int64_t row) const {
  if (level + 1 >= container_.num_levels()) return {};
  if (!is_whole_) {
    if (const auto found = container_.children(level, row)) return found->count > 0 ? *found : RowRange{};
  }
  const auto [begin, end] = std::ranges::equal_range(parents(level + 1), row);
  if (begin == end) return {};
  return {begin - parents(level + 1).begin(), end - begin};
}

void Leaves::check_in_parent(int level, int64_t row, std::vector<RowFault>& faults) const {
  find_fault(level, row, faults, [&] {
    const int64_t folder = parent(level, row);
    const RowRange siblings = children(level - 1, folder);
    MetaRows(container_, level - 1, folder, is_whole_).check(row - siblings.begin, {row, 1});
  });
}

std::vector<Sha256> Leaves::of(int level, RowRange rows, std::vector<RowFault>& faults) const {
  const auto count = as_size(rows.count);
  const SomeRows here(*container_.stored_level(level), rows, is_whole_);
  const auto metadata = here.metadata(rows.count);
  const int id = here.table().find(names::kId), stated = here.table().find(kHashColumn);
  std::vector<SampleType> types;
  DataHashes data(container_, level, rows.begin, count, faults);
  for (std::size_t i = 0; i < count; ++i) {
    const int64_t row = here.row(static_cast<int64_t>(i));
    types.push_back(sample_type(here.table(), row));
    const bool is_empty = is_padding_id(here.table().text(id, row).value_or(""));
    if (types[i] == SampleType::File && !is_empty) data.add(i);
  }
  const auto hashes = std::move(data).run();
  std::vector<Sha256> out;
  for (std::size_t i = 0; i < count; ++i) {
    const int64_t row = rows.begin + static_cast<int64_t>(i);
    std::string bytes;
    put(bytes, static_cast<uint64_t>(parent(level, row)));
    bytes += metadata[i];
    if (types[i] == SampleType::File) {
      const auto claim = stated < 0 ? std::nullopt : here.table().binary(stated, here.row(static_cast<int64_t>(i)));
      const std::string_view found(reinterpret_cast<const char*>(hashes[i].data()), hashes[i].size());
      if (claim && *claim != found) {
        const auto text = claim->size() == hashes[i].size() ? "another one" : "no SHA-256";
        faults.push_back({level, row, "its data have the SHA-256 " + hex(hashes[i]) + ", taco:sha256 is " + text});
      }
      bytes += found;
    } else {
      const RowRange below = children(level, row);
      put(bytes, static_cast<uint64_t>(below.begin));
      put(bytes, static_cast<uint64_t>(below.count));
      find_fault(level, row, faults, [&] {
        const MetaRows meta(container_, level, row, is_whole_);
        meta.check(0, below);
        if (meta.num_rows() != below.count)
          throw FormatError("its __meta__ has " + std::to_string(meta.num_rows()) + " rows, " +
                            std::to_string(below.count) + " expected");
      });
    }
    out.push_back(leaf_hash(bytes_of(bytes)));
  }
  return out;
}

std::vector<std::vector<Sha256>> all_leaves(const Container& container, int jobs, std::vector<RowFault>& faults,
                                            const std::function<void(uint64_t num_done, uint64_t num_total)>& tell) {
  struct Chunk {
    int level;
    RowRange rows;
  };
  struct Result {
    std::vector<Sha256> leaves = {};
    std::vector<RowFault> faults = {};
  };
  std::vector<Chunk> chunks;
  std::vector<std::vector<Sha256>> out;
  uint64_t num_total = 0, num_done = 0;
  for (int level = 0; level < container.num_levels(); ++level) {
    const int64_t num_rows = container.stored_level(level)->num_rows();
    num_total += static_cast<uint64_t>(num_rows);
    out.emplace_back().reserve(as_size(num_rows));
    for (int64_t row = 0; row < num_rows; row += kRowsAtOnce)
      chunks.push_back({level, {row, std::min(kRowsAtOnce, num_rows - row)}});
  }
  const Leaves leaves(container, true);
  OrderedWork<Result> work(std::vector<uint64_t>(chunks.size(), 1), 256, jobs, [&](std::size_t i) {
    Result made;
    made.leaves = leaves.of(chunks[i].level, chunks[i].rows, made.faults);
    return made;
  });
  for (const Chunk& chunk : chunks) {
    auto made = work.next();
    auto& level = out[as_size(chunk.level)];
    level.insert(level.end(), made->leaves.begin(), made->leaves.end());
    faults.insert(faults.end(), made->faults.begin(), made->faults.end());
    num_done += static_cast<uint64_t>(chunk.rows.count);
    tell(num_done, num_total);
  }
  return out;
}

std::string list_faults(const Container& container, std::vector<RowFault> faults) {
  constexpr std::size_t kMostShown = 10;
  const auto place = [](const RowFault& fault) { return std::pair(fault.level, fault.row); };
  std::ranges::stable_sort(faults, {}, place);
  const auto repeated = std::ranges::unique(faults, {}, place);
  faults.erase(repeated.begin(), repeated.end());
  std::string out;
  for (std::size_t i = 0; i < std::min(faults.size(), kMostShown); ++i)
    out += (i == 0 ? "" : "; ") + sample_name(container, faults[i].level, faults[i].row) + ": " + faults[i].why;
  if (faults.size() > kMostShown) out += "; and " + std::to_string(faults.size() - kMostShown) + " more samples";
  return out;
}

}  // namespace tacore
