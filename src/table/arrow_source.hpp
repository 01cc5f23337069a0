#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <exception>
#include <memory>
#include <mutex>

#include "io/byte_source.hpp"

namespace tacore {

/// A ByteSource as an Arrow file. Arrow knows only Status, so the exception of a failed read is stored here, and
/// rethrow() throws it unchanged.
class ArrowSource : public arrow::io::RandomAccessFile {
 public:
  explicit ArrowSource(std::shared_ptr<const ByteSource> source);

  /// Throws the stored exception of a failed read, if there is one.
  void rethrow() const;

  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override;
  arrow::Result<int64_t> GetSize() override;
  arrow::Result<int64_t> Read(int64_t count, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* out) override;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override;

 private:
  /// `count`, cut at the end of the file as Arrow expects.
  int64_t available(int64_t position, int64_t count) const;

  std::shared_ptr<const ByteSource> source_;
  int64_t size_;
  int64_t position_ = 0;
  bool closed_ = false;
  mutable std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace tacore
