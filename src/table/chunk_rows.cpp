#include "table/chunk_rows.hpp"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "format/chunk_names.hpp"
#include "table/arrow_error.hpp"

namespace tacore {
namespace {

namespace chunk = v1::chunk;

template <class Builder>
class Lists {
 public:
  template <class T>
  void append(const std::vector<T>& values) {
    check(lists_.Append());
    check(values_->AppendValues(values));
  }
  void append_null() { check(lists_.AppendNull()); }
  arrow::ArrayBuilder& builder() { return lists_; }

 private:
  std::shared_ptr<Builder> values_ = std::make_shared<Builder>();
  arrow::ListBuilder lists_{arrow::default_memory_pool(), values_};
};

}  // namespace

struct ChunkRows::Builders {
  arrow::StringBuilder root, id, dtype, interleave;
  arrow::Int64Builder parent, offset, length;
  Lists<arrow::Int64Builder> band_offsets, band_lengths;
  arrow::Int32Builder level, row, col, compression, predictor;
  Lists<arrow::Int32Builder> shape, valid, axes;
  arrow::DoubleBuilder nodata;
  bool has_axes = false;
};

ChunkRows::ChunkRows() : builders_(std::make_unique<Builders>()) {}
ChunkRows::~ChunkRows() = default;

void ChunkRows::append(const ChunkRow& row) {
  Builders& to = *builders_;
  check(to.root.Append(row.root));
  check(to.parent.Append(row.parent));
  check(to.id.Append(row.id));
  check(to.offset.Append(row.offset));
  check(to.length.Append(row.length));
  to.band_offsets.append(row.band_offsets);
  to.band_lengths.append(row.band_lengths);
  check(to.level.Append(row.level));
  check(to.row.Append(row.row));
  check(to.col.Append(row.col));
  to.shape.append(row.shape);
  to.valid.append(row.valid);
  check(to.dtype.Append(row.dtype));
  check(to.compression.Append(row.compression));
  check(to.predictor.Append(row.predictor));
  check(to.interleave.Append(row.interleave));
  check(row.nodata ? to.nodata.Append(*row.nodata) : to.nodata.AppendNull());
  row.axes.empty() ? to.axes.append_null() : to.axes.append(row.axes);
  to.has_axes = to.has_axes || !row.axes.empty();
}

std::shared_ptr<arrow::Table> ChunkRows::finish() {
  Builders& from = *builders_;
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  const auto add = [&](const char* name, arrow::ArrayBuilder& builder) {
    arrays.push_back(check(builder.Finish()));
    fields.push_back(arrow::field(name, arrays.back()->type()));
  };
  add("tortilla:root", from.root);
  add("tortilla:parent", from.parent);
  add("tortilla:id", from.id);
  add("tortilla:offset", from.offset);
  add("tortilla:length", from.length);
  add(chunk::kBandOffsets, from.band_offsets.builder());
  add(chunk::kBandLengths, from.band_lengths.builder());
  add(chunk::kLevel, from.level);
  add(chunk::kRow, from.row);
  add(chunk::kCol, from.col);
  add(chunk::kShape, from.shape.builder());
  add(chunk::kValid, from.valid.builder());
  add(chunk::kDtype, from.dtype);
  add(chunk::kCompression, from.compression);
  add(chunk::kPredictor, from.predictor);
  add(chunk::kInterleave, from.interleave);
  add(chunk::kNodata, from.nodata);
  if (from.has_axes) add(chunk::kAxes, from.axes.builder());
  return arrow::Table::Make(arrow::schema(std::move(fields)), std::move(arrays));
}

}  // namespace tacore
