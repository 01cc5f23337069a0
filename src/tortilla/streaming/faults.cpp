#include "tortilla/streaming/faults.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "format/names.hpp"
#include "format/tortilla_names.hpp"
#include "tacore/error.hpp"
#include "tortilla/chain.hpp"
#include "tortilla/container.hpp"
#include "tortilla/footer_columns.hpp"
#include "tortilla/pointer.hpp"
#include "tortilla/streaming/chunk_layout.hpp"

namespace tacore::v1 {
namespace {

constexpr std::size_t kMostNamed = 5;  // rows with the same fault, in a message

/// Collects the rows of a table that have one fault, and the reason for each.
class Fault {
 public:
  void add(int64_t row, const std::string& why = "") {
    if (rows_.size() < kMostNamed) rows_.push_back(std::to_string(row) + (why.empty() ? "" : " (" + why + ")"));
    ++count_;
  }
  void tell(std::vector<std::string>& out, const std::string& table, const std::string& what) const {
    if (count_ == 0) return;
    out.push_back(table + ": " + what + ": " + std::to_string(count_) + (count_ == 1 ? " row, " : " rows, ") +
                  join(rows_, ", ") + (rows_.size() < static_cast<std::size_t>(count_) ? ", ..." : ""));
  }

 private:
  std::vector<std::string> rows_ = {};
  int64_t count_ = 0;
};

std::string id_of(const LevelTable& table, int64_t row) {
  return table.text(table.find(tacore::names::kId), row).value_or("");
}

/// An integer in a row, -1 where there is none.
int64_t number_of(const LevelTable& table, std::string_view name, int64_t row) {
  const int column = table.find(name);
  return column < 0 ? -1 : table.integer(column, row).value_or(-1);
}

ByteRange range_of(const LevelTable& table, int64_t row) {
  return {static_cast<uint64_t>(number_of(table, tacore::names::kOffset, row)),
          static_cast<uint64_t>(number_of(table, tacore::names::kSize, row))};
}

bool is_inside(ByteRange part, ByteRange whole) {
  return part.offset >= whole.offset && part.offset - whole.offset <= whole.size &&
         part.size <= whole.size - (part.offset - whole.offset);
}

class FaultFinder {
 public:
  FaultFinder(const std::shared_ptr<const ByteSource>& source, std::vector<std::shared_ptr<const LevelTable>> levels,
              const ChunkTable& chunks)
      : source_(source), levels_(std::move(levels)), table_(chunks), chunks_(*chunks.table()) {}

  std::vector<std::string> run() {
    check_keys(*levels_[0], "level 0");
    Fault roots;
    for (int64_t row = 0; row < levels_[0]->num_rows(); ++row) {
      if (root(*levels_[0], row) != id_of(*levels_[0], row)) roots.add(row);
    }
    roots.tell(out_, "level 0", "tortilla:root is not the sample's own id");
    for (std::size_t level = 1; level < levels_.size(); ++level) check_level(level);
    check_chunks();
    check_rasters();
    return std::move(out_);
  }

 private:
  static std::optional<std::string> root(const LevelTable& table, int64_t row) {
    const int column = table.find(names::kRoot);
    return column < 0 ? std::nullopt : table.text(column, row);
  }

  /// The value of `tortilla:root` in the rows below a sample.
  std::string path(std::size_t level, int64_t row) const {
    const std::string id = id_of(*levels_[level], row);
    return level == 0 ? id : root(*levels_[level], row).value_or("") + "/" + id;
  }

  void check_keys(const LevelTable& table, const std::string& name) {
    std::set<std::pair<std::string, std::string>> seen;
    Fault twice;
    for (int64_t row = 0; row < table.num_rows(); ++row) {
      if (!seen.emplace(root(table, row).value_or(""), id_of(table, row)).second) twice.add(row);
    }
    twice.tell(out_, name, "a duplicate of tortilla:root and tortilla:id");
  }

  void check_level(std::size_t level) {
    const LevelTable &table = *levels_[level], &above = *levels_[level - 1];
    const std::string name = "level " + std::to_string(level);
    check_keys(table, name);
    Fault no_parent, other_root, outside, is_file, childless;
    std::vector<bool> has_children(static_cast<std::size_t>(above.num_rows()));
    for (int64_t row = 0; row < table.num_rows(); ++row) {
      const int64_t parent = number_of(table, tacore::names::kParentId, row);
      if (parent < 0 || parent >= above.num_rows()) {
        no_parent.add(row);
        continue;
      }
      has_children[static_cast<std::size_t>(parent)] = true;
      if (root(table, row) != path(level - 1, parent)) other_root.add(row);
      if (!is_inside(range_of(table, row), range_of(above, parent))) outside.add(row);
      if (sample_type(above, parent) == SampleType::File) is_file.add(row);
    }
    for (int64_t row = 0; row < above.num_rows(); ++row) {
      if (sample_type(above, row) == SampleType::Folder && !has_children[static_cast<std::size_t>(row)])
        childless.add(row);
    }
    no_parent.tell(out_, name, "tortilla:parent is not a row of the level above");
    other_root.tell(out_, name, "tortilla:root is not the path of the parent");
    outside.tell(out_, name, "bytes outside of the parent");
    is_file.tell(out_, name, "the parent is not a TORTILLA");
    childless.tell(out_, "level " + std::to_string(level - 1), "a TORTILLA without rows in the level below");
  }

  void check_chunks() {
    Fault no_owner, other_id, other_root, outside;
    for (int64_t row = 0; row < chunks_.num_rows(); ++row) {
      const int64_t level = number_of(chunks_, chunk::kLevel, row),
                    owner = number_of(chunks_, tacore::names::kParentId, row);
      if (level < 0 || level >= static_cast<int64_t>(levels_.size()) || owner < 0 ||
          owner >= levels_[static_cast<std::size_t>(level)]->num_rows()) {
        no_owner.add(row);
        continue;
      }
      const LevelTable& owners = *levels_[static_cast<std::size_t>(level)];
      const auto id = split_chunk_id(id_of(chunks_, row));
      if (!id || id->first != id_of(owners, owner)) other_id.add(row);
      else listed_[{level, owner}].emplace_back(row, id->second);
      if (root(chunks_, row) != root(owners, owner)) other_root.add(row);
      if (!is_inside(range_of(chunks_, row), range_of(owners, owner))) outside.add(row);
    }
    check_keys(chunks_, "chunk table");
    no_owner.tell(out_, "chunk table", "tortilla:parent and chunk:level refer to no sample");
    other_id.tell(out_, "chunk table", "the id is not the id of the raster, :: and a number");
    other_root.tell(out_, "chunk table", "tortilla:root is not that of the raster");
    outside.tell(out_, "chunk table", "bytes outside of the raster");
  }

  /// A row of the chunk table, and the number of the chunk.
  using Listed = std::pair<int64_t, uint64_t>;

  /// Each row of the chunk table must agree with the TIFF, and each block of the TIFF must have a row.
  void check_rasters() {
    Fault lying;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const LevelTable& owners = *levels_[level];
      Fault lacking;
      for (int64_t row = 0; row < owners.num_rows(); ++row) {
        const ByteRange range = range_of(owners, row);
        if (sample_type(owners, row) == SampleType::Folder || !is_inside(range, {0, source_->size()})) continue;
        const auto listed = listed_.find({static_cast<int64_t>(level), row});
        if (listed == listed_.end()) {
          if (is_tog(owners, row)) lacking.add(row, "none");
          continue;
        }
        const auto why = check_raster(range, listed->second, lying);
        if (!why.empty()) lacking.add(row, why);
      }
      lacking.tell(out_, "level " + std::to_string(level), "the chunk table lacks chunks of the raster");
    }
    lying.tell(out_, "chunk table", "the row differs from the TIFF");
  }

  /// "3 of 4" where the chunk table has fewer chunks than the TIFF in `owner`.
  std::string check_raster(ByteRange owner, const std::vector<Listed>& listed, Fault& lying) const {
    try {
      const TiffDirectory file = read_tiff_directory(*slice(source_, owner));
      std::set<uint64_t> numbers;
      for (const auto& [row, number] : listed) {
        numbers.insert(number);
        if (!is_inside(range_of(chunks_, row), owner)) continue;  // reported by check_chunks()
        if (const auto why = why_wrong(row, number, owner, file); !why.empty()) lying.add(row, why);
      }
      const auto places = static_cast<uint64_t>(file.layout.blocks_per_band());
      if (!file.unsupported.empty() || numbers.size() >= places) return "";
      return std::to_string(numbers.size()) + " of " + std::to_string(places);
    } catch (const FormatError& error) {
      lying.add(listed.front().first, error.message());
      return "";
    }
  }

  std::string why_wrong(int64_t row, uint64_t number, ByteRange owner, const TiffDirectory& file) const {
    try {
      return why_wrong_chunk(table_.chunk(row, owner.offset), file, number);
    } catch (const FormatError& error) {
      return error.message();
    } catch (const SchemaError& error) {
      return error.message();
    }
  }

  bool is_tog(const LevelTable& level, int64_t row) const {
    const auto format = lower(level.text(level.find(names::kFileFormat), row).value_or(""));
    return (format == "gtiff" || format == "cog") && tog_faults(*slice(source_, range_of(level, row))).empty();
  }

  std::shared_ptr<const ByteSource> source_;
  std::vector<std::shared_ptr<const LevelTable>> levels_;
  const ChunkTable& table_;
  const LevelTable& chunks_;
  std::map<std::pair<int64_t, int64_t>, std::vector<Listed>> listed_ = {};  ///< by level and row of their rasters
  std::vector<std::string> out_ = {};
};

}  // namespace

std::vector<std::string> streaming_faults(const std::shared_ptr<const ByteSource>& source, const std::string& path) {
  const Header header = read_header(*source, path);
  const ErrorContext where{.path = path, .offset = {}, .level = 0};
  auto level0 = LevelTable::open(slice(source, header.footer), where, [&](const std::vector<Column>& stored) {
    return footer_columns(stored, 0, header.file_format, where);
  });
  if (!level0->key_value(kPointer)) return {};
  const Chain chain = read_chain(source, *level0, header.footer, path);
  std::vector<std::shared_ptr<const LevelTable>> levels{std::move(level0)};
  levels.insert(levels.end(), chain.levels.begin(), chain.levels.end());
  return FaultFinder(source, std::move(levels), *chain.chunks).run();
}

}  // namespace tacore::v1
