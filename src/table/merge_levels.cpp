#include "table/merge_levels.hpp"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/values.hpp"

namespace tacore {
namespace {

/// The number of rows that may wait to be written, for each thread.
constexpr uint64_t kRowsAhead = 65536;

/// A row group of a part.
struct Piece {
  std::size_t part = 0;
  int group = 0;
  uint64_t num_rows = 0;
  uint64_t num_bytes = 0;  ///< approximate size in its file
};

std::string described(const arrow::Field& field) {
  return in_quotes(field.name()) + " (" + type_name(*field.type()) + ")";
}

/// The rank of a column in the order `id`, `type`, others, `internal:*`.
int rank(const std::string& name) {
  if (name == names::kId) return 0;
  if (name == names::kType) return 1;
  return name.starts_with(names::kInternal) ? 3 : 2;
}

/// True for columns that say which file a row is from: the index and its readers set them.
bool is_skipped(const std::string& name, const MergeRules& rules) {
  return name == names::kSourceFile || name == names::kSourcePath || name == names::kGdalVsi ||
         (!rules.has_internal && name.starts_with(names::kInternal));
}

}  // namespace

struct MergedLevel::Impl {
  MergeRules rules = {};
  std::size_t num_parts = 0;
  std::string first = {};  ///< the path of the first part
  std::shared_ptr<arrow::Schema> last = {};
  arrow::FieldVector fields = {};
  std::map<std::string, std::size_t, std::less<>> positions = {};
  std::vector<Piece> pieces = {};
  int64_t num_rows = 0;
  uint64_t num_bytes = 0;

  void add_columns(const LevelTable& part);
  void add_column(const std::shared_ptr<arrow::Field>& field, std::vector<std::string>& faults);
  void add_pieces(const LevelTable& part);
};

/// Parts of one writer mostly have the same schema as the part before, which one comparison shows.
void MergedLevel::Impl::add_columns(const LevelTable& part) {
  const auto& schema = part.stored_schema();
  if (last && last->Equals(*schema)) return;
  std::map<std::string, const arrow::Field*> here;
  std::vector<std::string> faults;
  for (const auto& field : schema->fields()) {
    if (is_skipped(field->name(), rules)) continue;
    if (!here.emplace(field->name(), field.get()).second) {
      throw SchemaError("column " + in_quotes(field->name()) + " occurs twice", part.where());
    }
    add_column(field, faults);
  }
  for (const auto& field : fields) {
    if (rules.same_columns && !here.contains(field->name()))
      faults.push_back("column " + described(*field) + " is missing");
  }
  if (!faults.empty()) {
    throw SchemaError(
        (rules.same_columns ? "columns differ from those of " : "columns do not fit those of the inputs from ") +
            in_quotes(first) + (rules.same_columns ? ": " : " on: ") + join(faults, "; "),
        part.where());
  }
  last = schema;
}

void MergedLevel::Impl::add_column(const std::shared_ptr<arrow::Field>& field, std::vector<std::string>& faults) {
  const auto [at, is_new] = positions.emplace(field->name(), fields.size());
  if (is_new && rules.same_columns && num_parts > 0) {
    positions.erase(at);
    faults.push_back("column " + described(*field) + " is additional");
  } else if (is_new) {
    fields.push_back(field->WithNullable(true)->RemoveMetadata());
  } else {
    auto& known = fields[at->second];
    const auto both = rules.same_columns ? known->type() : common_type(known->type(), field->type());
    if (!both || (rules.same_columns && !both->Equals(field->type()))) {
      faults.push_back("column " + in_quotes(field->name()) + " is " + type_name(*field->type()) + ", expected " +
                       type_name(*known->type()));
    } else {
      known = known->WithType(both);
    }
  }
}

void MergedLevel::Impl::add_pieces(const LevelTable& part) {
  const int groups = part.num_row_groups();
  const uint64_t size = part.source()->size();
  for (int g = 0; g < groups; ++g) {
    pieces.push_back({.part = num_parts,
                      .group = g,
                      .num_rows = static_cast<uint64_t>(part.group_begin(g + 1) - part.group_begin(g)),
                      .num_bytes = size / static_cast<uint64_t>(groups)});
    num_bytes += pieces.back().num_bytes;
  }
  num_rows += part.num_rows();
}

MergedLevel::MergedLevel(const MergeRules& rules) : impl_(std::make_unique<Impl>()) { impl_->rules = rules; }
MergedLevel::~MergedLevel() = default;
MergedLevel::MergedLevel(MergedLevel&&) noexcept = default;

void MergedLevel::add(const LevelTable& part) {
  if (impl_->num_parts == 0) impl_->first = part.where().path;
  impl_->add_columns(part);
  impl_->add_pieces(part);
  ++impl_->num_parts;
}

std::shared_ptr<arrow::Schema> MergedLevel::schema() const {
  arrow::FieldVector fields = impl_->fields;
  std::ranges::stable_sort(fields, {}, [](const auto& field) { return rank(field->name()); });
  fields.push_back(arrow::field(std::string(names::kSourceFile), arrow::utf8()));
  auto out = arrow::schema(fields);
  return impl_->rules.has_covering ? with_coverings(out) : out;
}

std::vector<Covering> MergedLevel::coverings() const {
  return impl_->rules.has_covering ? coverings_of(*schema()) : std::vector<Covering>();
}

std::string MergedLevel::type_of(std::string_view column) const {
  const auto found = impl_->positions.find(column);
  return found == impl_->positions.end() ? "" : lower(type_name(*impl_->fields[found->second]->type()));
}

int64_t MergedLevel::num_rows() const noexcept { return impl_->num_rows; }
uint64_t MergedLevel::num_bytes() const noexcept { return impl_->num_bytes; }

class MergedRows : public arrow::RecordBatchReader {
 public:
  MergedRows(const MergedLevel& level, const std::vector<std::string>& files, const OpenLevel& open,
             const MergeOptions& options)
      : pieces_(level.impl_->pieces),
        same_columns_(level.impl_->rules.same_columns),
        coverings_(level.coverings()),
        files_(files),
        open_(open),
        options_(options),
        schema_(level.schema()),
        work_(weights(), kRowsAhead * static_cast<uint64_t>(std::max(options.jobs, 1)), options.jobs,
              [this](std::size_t number) { return decode(pieces_[number]); }) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  /// May throw; read_batch() passes the exception on.
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = work_.next().value_or(nullptr);
    if (*batch) num_bytes_ += pieces_[number_++].num_bytes;
    if (options_.progress) options_.progress(num_bytes_);
    return arrow::Status::OK();
  }

 private:
  /// A part that is being read.
  struct Part {
    std::shared_ptr<const LevelTable> level = {};
    std::vector<int> columns = {};  ///< for each field of the schema, -1 where the part lacks it
  };
  struct Slot {
    std::once_flag opened = {};
    std::shared_ptr<const Part> part = {};
    int num_begun = 0;  ///< number of row groups
  };

  std::vector<uint64_t> weights() const {
    std::vector<uint64_t> out;
    for (const auto& piece : pieces_) out.push_back(piece.num_rows + 1);
    return out;
  }

  std::shared_ptr<arrow::RecordBatch> decode(const Piece& piece) {
    const auto part = part_of(piece);
    const auto& level = *part->level;
    if (piece.group >= level.num_row_groups() ||
        level.group_begin(piece.group + 1) - level.group_begin(piece.group) != static_cast<int64_t>(piece.num_rows)) {
      throw changed(level);
    }
    const auto num_rows = static_cast<int64_t>(piece.num_rows);
    arrow::ArrayVector arrays;
    for (std::size_t c = 0; c < part->columns.size(); ++c) {
      arrays.push_back(decode(level, part->columns[c], *schema_->field(static_cast<int>(c)), piece.group, num_rows));
    }
    arrays.push_back(check(arrow::MakeArrayFromScalar(arrow::StringScalar(files_[piece.part]), num_rows)));
    return arrow::RecordBatch::Make(schema_, num_rows, std::move(arrays));
  }

  static SchemaError changed(const LevelTable& level) {
    return SchemaError("was changed while it was read", level.where());
  }

  static std::shared_ptr<arrow::Array> decode(const LevelTable& level, int column, const arrow::Field& field, int group,
                                              int64_t num_rows) {
    if (column < 0) return check(arrow::MakeArrayOfNull(field.type(), num_rows));
    auto out = level.decode(column, group);
    if (out->type()->Equals(field.type())) return out;
    auto cast = arrow::compute::Cast(*out, field.type());
    if (cast.ok()) return cast.MoveValueUnsafe();
    throw SchemaError("column " + in_quotes(field.name()) + " has " + type_name(*out->type()) + " values that " +
                          type_name(*field.type()) + " does not hold: " + cast.status().message(),
                      level.where());
  }

  /// Opens a part once, whichever of its row groups is read first.
  std::shared_ptr<const Part> part_of(const Piece& piece) {
    std::unique_lock lock(mutex_);
    auto& slot = parts_[piece.part];
    if (!slot) slot = std::make_shared<Slot>();
    const auto here = slot;
    lock.unlock();
    std::call_once(here->opened, [&] { here->part = open(piece.part); });
    const auto out = here->part;
    lock.lock();
    if (++here->num_begun == out->level->num_row_groups()) parts_.erase(piece.part);
    return out;
  }

  std::shared_ptr<const Part> open(std::size_t number) const {
    auto out = std::make_shared<Part>();
    out->level = open_(number);
    const auto& here = *out->level->stored_schema();
    for (int c = 0; c + 1 < schema_->num_fields(); ++c) {
      out->columns.push_back(here.GetFieldIndex(schema_->field(c)->name()));
      const bool is_computed =
          std::ranges::find(coverings_, schema_->field(c)->name(), &Covering::boxes) != coverings_.end();
      if (same_columns_ && !is_computed && out->columns.back() < 0) throw changed(*out->level);
    }
    return out;
  }

  const std::vector<Piece>& pieces_;
  bool same_columns_;
  std::vector<Covering> coverings_;  ///< computed when the rows are written
  const std::vector<std::string>& files_;
  const OpenLevel& open_;
  const MergeOptions& options_;
  std::shared_ptr<arrow::Schema> schema_;
  std::mutex mutex_;
  std::map<std::size_t, std::shared_ptr<Slot>> parts_;
  std::size_t number_ = 0;
  uint64_t num_bytes_ = 0;
  OrderedWork<std::shared_ptr<arrow::RecordBatch>> work_;  // the last member: its threads use the others
};

void merge_levels(const MergedLevel& level, const std::vector<std::string>& files, const OpenLevel& open,
                  const ByteConsumer& out, const MergeOptions& options) {
  MergedRows rows(level, files, open, options);
  write_parquet(rows, out, options.parquet);
}

}  // namespace tacore
