#include "table/merge_levels.hpp"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include "base/text.hpp"
#include "format/names.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/level_table.hpp"
#include "table/parquet_footer.hpp"

namespace tacore {
namespace {

/// The columns as they are named in the file; a LevelTable has them in the same order.
std::shared_ptr<arrow::Schema> schema_of(const LevelTable& level) {
  try {
    const auto footer = parse_parquet_footer(level.tail(), level.where());
    std::shared_ptr<arrow::Schema> out;
    check(parquet::arrow::FromParquetSchema(footer->schema(), parquet::default_arrow_reader_properties(),
                                            footer->key_value_metadata(), &out),
          level.where());
    return out->RemoveMetadata();
  } catch (const parquet::ParquetException& error) {
    throw FormatError(std::string("Parquet schema: ") + error.what(), level.where());
  }
}

class MergedLevels : public arrow::RecordBatchReader {
 public:
  MergedLevels(const std::vector<std::string>& files, int level, const OpenLevel& open)
      : files_(files), level_(level), open_(open) {
    open_part();
    const auto source = arrow::field(std::string(names::kSourceFile), arrow::utf8());
    first_ = schema_of(*part_);
    schema_ = check(first_->AddField(first_->num_fields(), source));
    find_columns();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  /// A row group of a part. Throws, which read_batch() passes on.
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = nullptr;
    while (group_ == part_->num_row_groups()) {
      if (++number_ == files_.size()) return arrow::Status::OK();
      open_part();
      find_columns();
    }
    const int64_t rows = part_->group_begin(group_ + 1) - part_->group_begin(group_);
    arrow::ArrayVector arrays;
    for (const int c : columns_) arrays.push_back(part_->decode(c, group_));
    arrays.push_back(check(arrow::MakeArrayFromScalar(arrow::StringScalar(files_[number_]), rows)));
    *batch = arrow::RecordBatch::Make(schema_, rows, std::move(arrays));
    ++group_;
    return arrow::Status::OK();
  }

 private:
  void open_part() {
    part_ = LevelTable::open(open_(number_), {.path = files_[number_], .offset = {}, .level = level_});
    group_ = 0;
  }

  /// Where the columns of the first part are in this one.
  void find_columns() {
    const auto here = number_ == 0 ? first_ : schema_of(*part_);
    columns_.clear();
    std::vector<std::string> faults;
    for (const auto& field : first_->fields()) {
      const int c = here->GetFieldIndex(field->name());
      columns_.push_back(c);
      if (c < 0) {
        faults.push_back("column " + described(*field) + " is missing");
      } else if (!here->field(c)->type()->Equals(field->type())) {
        faults.push_back("column " + described(*here->field(c)) + " is " + type_name(*field->type()) + " there");
      }
    }
    for (const auto& field : here->fields()) {
      if (first_->GetFieldIndex(field->name()) < 0) faults.push_back("column " + described(*field) + " is not there");
    }
    if (faults.empty()) return;
    throw SchemaError("other columns than in " + quoted(files_[0]) + ": " + join(faults, "; "), part_->where());
  }

  static std::string described(const arrow::Field& field) {
    return quoted(field.name()) + " (" + type_name(*field.type()) + ")";
  }

  const std::vector<std::string>& files_;
  int level_;
  const OpenLevel& open_;
  std::shared_ptr<arrow::Schema> first_, schema_;
  std::size_t number_ = 0;  ///< of the part
  std::shared_ptr<const LevelTable> part_;
  int group_ = 0;
  std::vector<int> columns_;
};

}  // namespace

void merge_levels(const std::vector<std::string>& files, int level, const OpenLevel& open, const ByteConsumer& out,
                  const ParquetOptions& options) {
  MergedLevels batches(files, level, open);
  write_parquet(batches, out, options);
}

}  // namespace tacore
