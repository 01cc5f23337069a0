#include "table/arrow_source.hpp"

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <algorithm>

#include "base/checked_math.hpp"

namespace tacore {

ArrowSource::ArrowSource(std::shared_ptr<const ByteSource> source)
    : source_(std::move(source)), size_(narrow<int64_t>(source_->size(), "file size")) {}

void ArrowSource::rethrow() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

arrow::Status ArrowSource::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

arrow::Status ArrowSource::Seek(int64_t position) {
  if (position < 0) return arrow::Status::Invalid("seek before the start");
  position_ = position;
  return arrow::Status::OK();
}

arrow::Result<int64_t> ArrowSource::GetSize() { return size_; }

arrow::Result<int64_t> ArrowSource::Read(int64_t count, void* out) {
  ARROW_ASSIGN_OR_RAISE(const int64_t n, ReadAt(position_, count, out));
  position_ += n;
  return n;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ArrowSource::Read(int64_t count) {
  ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, count));
  position_ += buffer->size();
  return buffer;
}

int64_t ArrowSource::available(int64_t position, int64_t count) const {
  if (position < 0 || position >= size_) return 0;
  return std::clamp<int64_t>(count, 0, size_ - position);
}

arrow::Result<int64_t> ArrowSource::ReadAt(int64_t position, int64_t count, void* out) {
  const int64_t n = available(position, count);
  try {
    source_->read(static_cast<uint64_t>(position), {static_cast<std::byte*>(out), static_cast<std::size_t>(n)});
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    return arrow::Status::IOError(error.what());
  }
  return n;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ArrowSource::ReadAt(int64_t position, int64_t count) {
  // Allocates by what the file holds, never by what its footer states.
  const int64_t n = available(position, count);
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(n));
  ARROW_RETURN_NOT_OK(ReadAt(position, n, buffer->mutable_data()).status());
  return std::shared_ptr<arrow::Buffer>(std::move(buffer));
}

}  // namespace tacore
