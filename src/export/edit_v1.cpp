#include <algorithm>
#include <deque>
#include <set>

#include "base/report.hpp"
#include "base/text.hpp"
#include "edit/plan.hpp"
#include "format/tortilla_names.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_members.hpp"
#include "model/json_text.hpp"
#include "table/level_write.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "table/stack_tables.hpp"
#include "tacore/error.hpp"
#include "tortilla/collection.hpp"
#include "tortilla/partitions.hpp"
#include "tortilla/write/footer_tree.hpp"
#include "tortilla/write/stored_file.hpp"
#include "writer/staging.hpp"

namespace tacore {
namespace {

using v1::Header;
using v1::Kind;
using v1::StoredFile;

/// The range of all tables of a streaming file: a hint in the first table, which a footer of another size outdates.
constexpr const char* kTablesHint = "taco:footer";

std::string why_fixed(std::string_view key) {
  if (key == "id") return "identifies the dataset in other files";
  if (key == "taco_version") return "states the format of the dataset";
  return "";
}

std::string why_fixed_column(std::string_view name) {
  const bool is_fixed = name.starts_with(v1::names::kPrefix) && name != v1::names::kDataSplit;
  return is_fixed ? "identifies the sample of a row, or locates its bytes" : "";
}

/// A file of the dataset, and its changes.
struct Target {
  explicit Target(const std::string& path) : file(path), unchanged(path) { v1::check_generation(file); }

  StoredFile file;
  Unchanged unchanged;
  v1::Header header = file.header();
  std::shared_ptr<arrow::Table> footer = {};  ///< null: unchanged
  std::map<std::string, std::string> metadata = {};
  uint64_t kept = 0;  ///< number of bytes from the start that are copied unchanged
};

class V1Editor {
 public:
  V1Editor(const Edit& edit, const std::string& path, const EditOptions& options)
      : edit_(edit), path_(path), options_(options) {
    const Header header = StoredFile(path).header();
    std::vector<std::string> paths{path};
    if (header.num_partitions > 1) paths = v1::partition_paths(*local_storage(), path, header.num_partitions, false);
    for (const auto& each : paths) targets_.emplace_back(each);
  }

  void plan() {
    const auto changes = member_changes(edit_, why_fixed);
    has_columns_ = !edit_.columns.empty() || !edit_.drop.empty();
    if (changes.empty() && !has_columns_) throw ValidationError("nothing is to change", {.path = path_});
    if (!changes.empty()) plan_collection(changes);
    if (has_columns_) plan_footers();
    for (auto& target : targets_) num_bytes_ += target.kept = kept_of(target);
  }

  void run() {
    tell(0);
    if (targets_.size() == 1) return write(targets_[0], targets_[0].file.path(), options_.temp_dir, true);
    // All files are written to a staging directory, and replace the old ones together.
    const StagingDir staging(path_, options_.temp_dir);
    std::vector<std::string> names;
    for (const auto& target : targets_) {
      names.push_back(file_name(target.file.path()));
      write(target, path_join(staging.path(), names.back()), "", false);
    }
    publish(staging.path(), parent_folder(path_), names, true);
  }

 private:
  void plan_collection(const std::vector<MemberChange>& changes) {
    const std::string old = targets_[0].file.collection();
    for (const auto& target : targets_) {
      if (target.header.kind == Kind::Tortilla)
        throw ValidationError("is a Tortilla, which has no collection", {.path = target.file.path()});
      if (target.file.collection() != old)
        throw ValidationError("has another collection than " + targets_[0].file.path(), {.path = target.file.path()});
    }
    collection_ = reformat_json(with_members(old, changes), -1);
    // Published collections break rules; an edit may keep what it does not change.
    const auto before = v1::collection_faults(old);
    auto faults = v1::collection_faults(collection_);
    const std::set<std::string> known(before.begin(), before.end());
    std::erase_if(faults, [&](const std::string& fault) { return known.contains(fault); });
    if (faults.empty()) return;
    throw ValidationError("the edited collection breaks " + std::to_string(faults.size()) +
                              (faults.size() == 1 ? " rule" : " rules") + " of TACO 0.2.0: " + join(faults, "; "),
                          {.path = path_});
  }

  /// One table of all parts, so that a column has one type in all of them.
  void plan_footers() {
    if (edit_.level != 0) {
      throw ValidationError(
          "level " + std::to_string(edit_.level) + " is in nested Tortillas; only columns of level 0 can be edited",
          {.path = path_});
    }
    std::vector<TablePart> parts;
    std::vector<std::string> ids;
    for (auto& target : targets_) {
      auto stored = target.file.footer();
      stored.metadata.erase(kTablesHint);
      target.metadata = std::move(stored.metadata);
      parts.push_back({stored.table, 0});
      for (auto& id : text_column(*stored.table, std::string(v1::names::kId), target.file.path())) {
        ids.push_back(std::move(id).value_or(""));
        ++parts.back().num_rows;
      }
    }
    auto table = edited_columns(stack_tables(parts), edit_, ids, path_, why_fixed_column);
    check_splits(*table, ids);
    int64_t begin = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      targets_[i].footer = in_one_piece(slice_rows(table, begin, begin + parts[i].num_rows));
      begin += parts[i].num_rows;
    }
  }

  void check_splits(const arrow::Table& table, const std::vector<std::string>& ids) const {
    const std::string name(v1::names::kDataSplit);
    const auto names = column_names(table);
    if (std::find(names.begin(), names.end(), name) == names.end()) return;
    const auto splits = text_column(table, name, path_);
    for (std::size_t row = 0; row < splits.size(); ++row) {
      if (!splits[row] || v1::spelled_split(*splits[row])) continue;
      throw ValidationError("sample " + quoted(ids[row]) + " has the split " + quoted(*splits[row]) +
                                "; train, validation or test expected",
                            {.path = path_});
    }
  }

  /// The number of bytes before the first rewritten one. Old tables after them stay as unused bytes.
  static uint64_t kept_of(const Target& target) {
    const Header& header = target.header;
    uint64_t out = target.file.size();
    const uint64_t footer_end = header.footer.offset + header.footer.size;
    if (header.collection && header.collection->offset >= footer_end &&
        header.collection->offset + header.collection->size == out)
      out = header.collection->offset;
    if (target.footer && footer_end == out) out = header.footer.offset;
    return out;
  }

  void write(const Target& target, const std::string& to, const std::string& temp_dir, bool overwrite) {
    OutputFile file(to, overwrite, temp_dir);
    target.file.give_permissions(file);
    target.file.copy({0, target.kept}, file, 0, [&](uint64_t num_bytes) { tell(num_bytes); });
    Header header = target.header;
    uint64_t end = target.kept;
    const auto append = [&](std::span<const std::byte> bytes) {
      const ByteRange out{end, bytes.size()};
      file.write(end, bytes);
      end += bytes.size();
      return out;
    };
    if (target.footer) header.footer = append(encode_parquet(*target.footer, options_.parquet, target.metadata));
    const bool is_kept = header.collection && header.collection->offset < target.kept;
    if (header.collection && (!is_kept || !collection_.empty())) {
      const std::string text = collection_.empty() ? target.file.collection() : collection_;
      header.collection = append(std::as_bytes(std::span(text)));
    }
    file.write(0, target.file.with_free_space(v1::encode_header(header)));
    tell(0);
    file.sync();
    tell(0);
    target.unchanged.check();
    file.commit();
  }

  void tell(uint64_t num_bytes) {
    num_done_ += num_bytes;
    report(options_.task, num_done_, num_bytes_, path_);
  }

  const Edit& edit_;
  const std::string& path_;
  const EditOptions& options_;
  std::deque<Target> targets_;
  bool has_columns_ = false;
  std::string collection_;  ///< "": unchanged
  uint64_t num_bytes_ = 0, num_done_ = 0;
};

}  // namespace

void edit_v1(const Edit& edit, const std::string& path, const EditOptions& options) {
  V1Editor editor(edit, path, options);
  editor.plan();
  editor.run();
}

}  // namespace tacore
