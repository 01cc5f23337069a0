#include "dataset/frame_stream.hpp"

#include <utility>

namespace tacore {
namespace {

/// A whole level is verified when more than one in this many of its rows is read.
constexpr int64_t kRowsPerProof = 16;

/// The paths of rows, which are mostly read in order. For few rows of a local level each row is verified alone, which
/// is cheaper than verifying the level; a remote level is never verified row by row.
class PathColumn {
 public:
  explicit PathColumn(std::shared_ptr<const DataFrame::Impl> frame) : frame_(std::move(frame)) {}

  std::optional<std::string> operator()(int64_t row) {
    const auto key = frame_->rows->key(row);
    if (!key) return frame_->path(row, !frame_->container || frame_->container->is_local());  // of a `__meta__`
    if (part_ != key->part || level_ != key->level) {
      part_ = key->part;
      level_ = key->level;
      must_prove_ = prepare(*frame_->dataset->leaf(part_));
    }
    return frame_->path(row, must_prove_);
  }

 private:
  bool prepare(const Container& container) const {
    const bool has_many = frame_->rows->num_rows() > container.stored_level(level_)->num_rows() / kRowsPerProof;
    if (has_many || !container.is_local()) container.level(level_);
    return container.is_local();
  }

  std::shared_ptr<const DataFrame::Impl> frame_;
  int part_ = -1, level_ = -1;
  bool must_prove_ = true;
};

}  // namespace

StreamColumn stream_column(const std::shared_ptr<const DataFrame::Impl>& frame, std::size_t column) {
  const std::string& name = frame->columns[column].name;
  if (frame->sources[column] >= 0) return {name, frame->sources[column]};
  return {name, -1, PathColumn(frame)};
}

std::shared_ptr<arrow::RecordBatchReader> frame_batches(const DataFrame& frame) {
  const auto& impl = impl_of(frame);
  std::vector<StreamColumn> columns;
  for (std::size_t c = 0; c < impl->columns.size(); ++c) columns.push_back(stream_column(impl, c));
  return batch_reader(impl->rows, std::move(columns));
}

}  // namespace tacore
