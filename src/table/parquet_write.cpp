#include "table/parquet_write.hpp"

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <exception>

#include "table/arrow_error.hpp"
#include "table/arrow_stream.hpp"

namespace tacore {
namespace {

constexpr int64_t kRowGroup = 65536;

/// Passes Arrow's writes on, and keeps what the consumer throws.
class ConsumerStream : public arrow::io::OutputStream {
 public:
  explicit ConsumerStream(const ByteConsumer& out) : out_(out) {}
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Write(const void* data, int64_t count) override {
    try {
      out_({static_cast<const std::byte*>(data), static_cast<std::size_t>(count)});
    } catch (...) {
      failure = std::current_exception();
      return arrow::Status::IOError("write stopped");
    }
    position_ += count;
    return arrow::Status::OK();
  }

  std::exception_ptr failure;

 private:
  const ByteConsumer& out_;
  int64_t position_ = 0;
  bool closed_ = false;
};

arrow::Status write(arrow::RecordBatchReader& batches, const std::shared_ptr<ConsumerStream>& stream) {
  const auto properties = parquet::WriterProperties::Builder()
                              .compression(arrow::Compression::ZSTD)
                              ->max_row_group_length(kRowGroup)
                              ->build();
  const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  ARROW_ASSIGN_OR_RAISE(auto writer, parquet::arrow::FileWriter::Open(*batches.schema(), arrow::default_memory_pool(),
                                                                      stream, properties, arrow_properties));
  while (const auto batch = read_batch(batches)) ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  return writer->Close();
}

}  // namespace

void write_parquet(arrow::RecordBatchReader& batches, const ByteConsumer& out) {
  const auto stream = std::make_shared<ConsumerStream>(out);
  arrow::Status status;
  try {
    status = write(batches, stream);
  } catch (const parquet::ParquetException& error) {
    status = arrow::Status::Invalid(error.what());
  }
  if (stream->failure) std::rethrow_exception(stream->failure);
  check(status);
}

}  // namespace tacore
