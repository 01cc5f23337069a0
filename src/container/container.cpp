#include "container/container.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/text.hpp"
#include "container/child_rows.hpp"
#include "container/read_hints.hpp"
#include "container/sidecar_file.hpp"
#include "container/tiff_index_file.hpp"
#include "container/zip_samples.hpp"
#include "format/names.hpp"
#include "io/prefetched_source.hpp"
#include "model/identifier.hpp"
#include "table/cells.hpp"
#include "table/parquet_footer.hpp"

namespace tacore {

Container::Container(std::string path, Collection collection, std::vector<std::shared_ptr<const LevelTable>> levels)
    : path_(std::move(path)), collection_(std::move(collection)), levels_(std::move(levels)) {
  for (std::size_t i = 0; i < levels_.size(); ++i) proofs_.push_back(std::make_unique<Proof>());
}

void Container::add_levels(int count) {
  for (int i = 0; i < count; ++i) {
    levels_.push_back(nullptr);
    proofs_.push_back(std::make_unique<Proof>());
  }
}

void Container::add_levels_of_tree() {
  add_levels(names::kMaxLevel);
  has_levels_of_tree_ = true;
}

const PitSchema& Container::tree() const {
  std::call_once(tree_found_, [this] { tree_ = find_tree(); });
  return tree_;
}

PitSchema Container::find_tree() const { return collection_.pit_schema; }

int Container::num_levels() const {
  return has_levels_of_tree_ ? tree().max_depth() + 1 : static_cast<int>(levels_.size());
}

Container::~Container() = default;

const std::shared_ptr<const LevelTable>& Container::stored_level(int level) const {
  if (level != 0 && (level < 0 || level >= num_levels())) {  // level 0 exists in every tree
    throw QueryError(
        "Level " + std::to_string(level) + " does not exist: the deepest is " + std::to_string(num_levels() - 1),
        {.path = path_});
  }
  auto& table = levels_[static_cast<std::size_t>(level)];
  Proof& proof = *proofs_[static_cast<std::size_t>(level)];
  std::call_once(proof.assembled, [&] {
    if (!table) table = assemble(level);
    proof.is_there = true;
  });
  return table;
}

bool Container::is_assembled(int level) const {
  const auto number = static_cast<std::size_t>(level);
  return number < proofs_.size() && proofs_[number]->is_there;
}

std::shared_ptr<const LevelTable> Container::assemble(int level) const {
  throw FormatError("level " + std::to_string(level) + " is missing", where(level));
}

std::string Container::subfile_sql(const std::string& root) {
  return "'/vsisubfile/' || " + sql_identifier(names::kOffset) + " || '_' || " + sql_identifier(names::kSize) + " || " +
         root;
}

std::optional<RowRange> Container::children(int level, int64_t row) const {
  return computed_children(*this, level, row);
}

std::shared_ptr<const LevelTable> Container::level(int level) const {
  const auto& stored = stored_level(level);
  Proof& proof = *proofs_[static_cast<std::size_t>(level)];
  const std::lock_guard lock(proof.mutex);
  if (!proof.level) {
    auto repaired = repair(level, proof.is_proved);
    proof.level = repaired ? std::move(repaired) : stored;
  }
  return proof.level;
}

std::shared_ptr<const LevelTable> Container::known_level(int level) const {
  const auto& stored = stored_level(level);
  Proof& proof = *proofs_[static_cast<std::size_t>(level)];
  const std::lock_guard lock(proof.mutex);
  return proof.level ? proof.level : stored;
}

void Container::look_for_headers(std::shared_ptr<const Storage> storage, std::string path) {
  storage_ = std::move(storage);
  headers_path_ = std::move(path);
}

const TiffIndexFile* Container::headers() const {
  // Only a ZIP has the checksums that verify them. The header of a TIFF that is a file by itself is read as quickly.
  if (!storage_ || headers_path_.empty() || (format() != Format::Zip && format() != Format::Tacocat)) return nullptr;
  std::call_once(headers_opened_, [this] { headers_ = TiffIndexFile::open(*storage_, headers_path_, *this); });
  return headers_.get();
}

void Container::look_for_sidecars(std::string path, bool trust) {
  sidecars_path_ = std::move(path);
  trusts_sidecars_ = trust;
}

std::shared_ptr<const LevelTable> Container::sidecar(int level) const {
  if (!storage_ || sidecars_path_.empty() || is_v1(format())) return nullptr;
  const auto& stored = stored_level(level);
  Proof& proof = *proofs_[static_cast<std::size_t>(level)];
  std::call_once(proof.sidecar_found,
                 [&] { proof.sidecar = find_sidecar(*storage_, sidecars_path_, level, *stored, trusts_sidecars_); });
  return proof.sidecar;
}

std::shared_ptr<const LevelTable> Container::repair(int, bool&) const { return nullptr; }

RowAddress Container::address(int level, int64_t row) const {
  const auto table = known_level(level);
  RowAddress out = stored_address(*table, row);
  out.type = sample_type(*table, row);
  {
    Proof& proof = *proofs_[static_cast<std::size_t>(level)];
    const std::lock_guard lock(proof.mutex);
    out.is_proved = proof.level && proof.is_proved;
  }
  out.relative_path = relative_path(level, row);
  return out;
}

std::shared_ptr<const LevelTable> Container::meta(const RowAddress& row, int level) const {
  constexpr std::size_t kMaxKept = 64;
  const std::string key = row.source_file + '\n' + std::to_string(row.offset.value_or(-1)) + '\n' + row.relative_path;
  const auto take = [&]() -> std::shared_ptr<const LevelTable> {
    const auto found = std::find_if(metas_.begin(), metas_.end(), [&](const auto& kept) { return kept.first == key; });
    if (found == metas_.end()) return nullptr;
    metas_.splice(metas_.begin(), metas_, found);
    return found->second;
  };
  {
    const std::lock_guard lock(metas_mutex_);
    if (auto kept = take()) return kept;
  }
  // Outside the lock: two threads may open the same table, and one of the two is kept.
  auto opened = again_if_moved([&] { return open_meta(row, level); });
  const std::lock_guard lock(metas_mutex_);
  if (auto kept = take()) return kept;
  metas_.emplace_front(key, opened);
  if (metas_.size() > kMaxKept) metas_.pop_back();
  return opened;
}

std::shared_ptr<const LevelTable> Container::open_meta_table(std::shared_ptr<const ByteSource> source,
                                                             const ErrorContext& where) {
  constexpr uint64_t kSmall = 64 * 1024;
  const uint64_t size = source->size();
  if (size <= kSmall) source = prefetched(std::move(source), {{0, size}});
  return LevelTable::open(std::move(source), where);
}

const std::vector<Container::Bounds>& Container::parent_bounds(int level) const {
  const auto& table = stored_level(level);
  Proof& proof = *proofs_[static_cast<std::size_t>(level)];
  std::call_once(proof.bounded, [&] {
    const int parent = table->find(names::kParentId);
    for (int group = 0; group < table->num_row_groups(); ++group)
      proof.bounds.push_back(parent < 0 ? std::nullopt : table->bounds(parent, group));
  });
  return proof.bounds;
}

const std::optional<Container::ParentRuns>& Container::parent_runs(int level, int group) const {
  const auto& table = stored_level(level);
  Proof& proof = *proofs_[static_cast<std::size_t>(level)];
  {
    const std::lock_guard lock(proof.mutex);
    if (const auto known = proof.runs.find(group); known != proof.runs.end()) return known->second;
  }
  const int parent = table->find(names::kParentId), source = table->find(names::kSourceFile);
  std::optional<ParentRuns> out;
  if (parent >= 0) {
    out.emplace();
    const auto parents = table->array(parent, group);
    const auto sources = source < 0 ? nullptr : table->array(source, group);
    auto run = out->end();
    const int64_t rows = table->group_begin(group + 1) - table->group_begin(group);
    for (int64_t i = 0; i < rows; ++i) {
      const auto file = sources ? text_cell(*sources, i).value_or("") : std::string_view();
      const auto value = integer_cell(*parents, i);
      if (run == out->end() || file != run->first) {
        bool is_new = false;
        std::tie(run, is_new) = out->emplace(file, std::pair{value.value_or(0), value.value_or(0)});
        if (!is_new) out.reset();
      }
      if (!out || !value || *value < run->second.second) {
        out.reset();
        break;
      }
      run->second.second = *value;
    }
  }
  const std::lock_guard lock(proof.mutex);
  return proof.runs.emplace(group, std::move(out)).first->second;
}

const std::vector<int>& Container::groups_of_source(int level, const std::string& file) const {
  const auto& table = stored_level(level);
  Proof& proof = *proofs_[static_cast<std::size_t>(level)];
  const std::lock_guard lock(proof.mutex);
  const auto [found, is_new] = proof.source_groups.try_emplace(file);
  if (is_new) {
    const int source = table->find(names::kSourceFile);
    for (int group = 0; group < table->num_row_groups(); ++group) {
      if (table->may_hold(source, group, file)) found->second.push_back(group);
    }
  }
  return found->second;
}

std::optional<int64_t> Container::first_row_of_source(int level, const std::string& file) const {
  const auto& table = stored_level(level);
  Proof& proof = *proofs_[static_cast<std::size_t>(level)];
  {
    const std::lock_guard lock(proof.mutex);
    if (const auto known = proof.source_firsts.find(file); known != proof.source_firsts.end()) return known->second;
  }
  const auto find = [&]() -> std::optional<int64_t> {
    const int source = table->find(names::kSourceFile);
    if (source < 0) return std::nullopt;
    for (const int group : groups_of_source(level, file)) {
      const auto files = table->array(source, group);
      const int64_t begin = table->group_begin(group), rows = table->group_begin(group + 1) - begin;
      for (int64_t i = 0; i < rows; ++i) {
        if (text_cell(*files, i) == file) return begin + i;
      }
    }
    return std::nullopt;
  };
  const auto first = find();
  const std::lock_guard lock(proof.mutex);
  return proof.source_firsts.emplace(file, first).first->second;
}

std::atomic<bool>& Container::is_in_own_order(int level) const {
  return proofs_[static_cast<std::size_t>(level)]->is_in_own_order;
}

std::string Container::relative_path(int level, int64_t row) const {
  const auto& table = stored_level(level);
  const int column = table->find(names::kRelativePath);
  if (level > 0 && column >= 0) {
    if (auto stored = table->text(column, row)) {
      if (stored->ends_with('/')) stored->pop_back();
      for (const auto& part : split(*stored, '/')) {
        if (const auto why = why_unsafe_id(part); !why.empty()) {
          throw FormatError("row " + std::to_string(row) + ": internal:relative_path " + in_quotes(*stored) +
                                " has a part that " + why,
                            where(level));
        }
      }
      const auto name = table->text(table->find(names::kId), row).value_or("");
      if (stored->substr(stored->rfind('/') + 1) != name) {
        throw FormatError("row " + std::to_string(row) + ": internal:relative_path " + in_quotes(*stored) +
                              " does not end with its id " + in_quotes(name),
                          where(level));
      }
      return *stored;
    }
  }
  std::string id = table->text(table->find(names::kId), row).value_or("");
  if (level == 0) return id;
  const int parent = table->find(names::kParentId);
  const auto parent_id = parent < 0 ? std::nullopt : table->integer(parent, row);
  if (!parent_id) {
    throw NavigationError("row " + std::to_string(row) + " has neither internal:relative_path nor internal:parent_id",
                          where(level));
  }
  return relative_path(level - 1, row_of(level - 1, *parent_id, *parent_id)) + "/" + id;
}

std::optional<int64_t> Container::current_id(int level, int64_t row) const {
  const auto& table = stored_level(level);
  if (const int column = table->find(names::kCurrentId); column >= 0) return table->integer(column, row);
  const int source = table->find(names::kSourceFile);
  if (source < 0) return row;
  Proof& proof = *proofs_[static_cast<std::size_t>(level)];
  std::call_once(proof.numbered, [&] {
    std::map<std::string, int64_t> next;
    for (int64_t i = 0; i < table->num_rows(); ++i)
      proof.numbers.push_back(next[table->text(source, i).value_or("")]++);
  });
  return proof.numbers[static_cast<std::size_t>(row)];
}

int64_t Container::row_of(int level, int64_t current_id, int64_t near) const {
  const int64_t num_rows = stored_level(level)->num_rows();
  const auto matches = [&](int64_t row) { return this->current_id(level, row) == current_id; };
  if (near >= 0 && near < num_rows && matches(near)) return near;
  for (int64_t row = 0; row < num_rows; ++row) {
    if (matches(row)) return row;
  }
  throw FormatError("no row has internal:current_id " + std::to_string(current_id), where(level));
}

SampleType sample_type(const LevelTable& level, int64_t row) {
  const auto type = level.text(level.find(names::kType), row);
  if (type == "FILE") return SampleType::File;
  if (type == "FOLDER") return SampleType::Folder;
  throw FormatError("row " + std::to_string(row) + ": type is " + (type ? in_quotes(*type) : "null") +
                        ", 'FILE' or 'FOLDER' expected",
                    level.where());
}

std::shared_ptr<const ByteSource> with_metadata(std::shared_ptr<const ByteSource> file, ByteRange collection,
                                                std::span<const ByteRange> levels) {
  // Whole tables where all of them together are no larger than the first read of a level that is a file of its own.
  constexpr uint64_t kAll = kReadLevel.suffix;
  uint64_t size = collection.size;
  for (const ByteRange& level : levels) size += std::min(level.size, kAll);
  const uint64_t most = !file->is_local() && size <= kAll ? kAll : kFooterGuess;
  std::vector<ByteRange> ranges{collection};
  for (const ByteRange& level : levels) {
    const uint64_t length = std::min(level.size, most);
    ranges.push_back({level.offset + level.size - length, length});
  }
  return prefetched(std::move(file), std::move(ranges));
}

ParquetOptions with_indexes_of(const Container& container, ParquetOptions options) {
  for (int level = 0; level < container.num_levels(); ++level)
    options.covering = options.covering || container.stored_level(level)->has_covering();
  options.id_index = options.id_index || container.stored_level(0)->has_id_index();
  return options;
}

void check_levels(const Collection& collection, std::size_t num_levels, const std::string& path) {
  const int depth = collection.pit_schema.max_depth();
  if (num_levels < static_cast<std::size_t>(depth) + 1) {
    throw FormatError("taco:pit_schema has levels 0 to " + std::to_string(depth) + ", but only " +
                          std::to_string(num_levels) + " level tables exist",
                      {.path = path});
  }
}

}  // namespace tacore
