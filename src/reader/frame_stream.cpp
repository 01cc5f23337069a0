#include "reader/frame_stream.hpp"

namespace tacore {

StreamColumn stream_column(const std::shared_ptr<const DataFrame::Impl>& frame, std::size_t column) {
  const std::string& name = frame->columns[column].name;
  if (frame->sources[column] >= 0) return {name, frame->sources[column]};
  return {name, -1, [frame](int64_t row) { return frame->path(row); }};
}

std::shared_ptr<arrow::RecordBatchReader> frame_batches(const DataFrame& frame) {
  const auto& impl = frame.impl();
  std::vector<StreamColumn> columns;
  for (std::size_t c = 0; c < impl->columns.size(); ++c) {
    // Paths of a whole level: proving it once is cheaper than proving row by row.
    if (impl->sources[c] < 0 && impl->rows->num_rows() > 0) {
      if (const auto key = impl->rows->key(0)) impl->dataset->leaf(key->part)->level(key->level);
    }
    columns.push_back(stream_column(impl, c));
  }
  return batch_reader(impl->rows, std::move(columns));
}

}  // namespace tacore
