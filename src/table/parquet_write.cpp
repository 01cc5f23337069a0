#include "table/parquet_write.hpp"

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type_traits.h>
#include <arrow/util/compression.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include <exception>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "table/arrow_error.hpp"
#include "table/arrow_stream.hpp"
#include "table/cells.hpp"
#include "table/covering.hpp"
#include "table/id_index.hpp"
#include "table/parquet_proof.hpp"

namespace tacore {
namespace {

constexpr int kZstdLevel = 3;       // by measurement (bench/RESULTS.md)
constexpr int64_t kFewRows = 1000;  // the number of rows up to which dictionaries cost more bytes than they save
// The number of rows of a page in tables with a page index: smaller pages make whole scans slower (bench/RESULTS.md).
constexpr int64_t kRowsOfPage = kRowsOfBlock;

/// Passes Arrow's writes on, and stores an exception of the consumer.
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
    const std::span bytes(static_cast<const std::byte*>(data), static_cast<std::size_t>(count));
    try {
      if (is_holding_) {
        held_.insert(held_.end(), bytes.begin(), bytes.end());
      } else {
        out_(bytes);
      }
    } catch (...) {
      failure = std::current_exception();
      return arrow::Status::IOError("write stopped");
    }
    position_ += count;
    return arrow::Status::OK();
  }

  /// Keeps what is written from now on, until release().
  void hold() { is_holding_ = true; }
  Bytes& held() { return held_; }
  uint64_t position() const { return static_cast<uint64_t>(position_); }
  arrow::Status release() {
    is_holding_ = false;
    position_ -= static_cast<int64_t>(held_.size());
    return Write(held_.data(), static_cast<int64_t>(held_.size()));
  }

  std::exception_ptr failure;

 private:
  const ByteConsumer& out_;
  bool is_holding_ = false;
  Bytes held_ = {};
  int64_t position_ = 0;
  bool closed_ = false;
};

arrow::Compression::type compression_of(const std::string& name) {
  using arrow::Compression;
  static const std::map<std::string, Compression::type> types = {
      {"zstd", Compression::ZSTD},     {"snappy", Compression::SNAPPY}, {"gzip", Compression::GZIP},
      {"brotli", Compression::BROTLI}, {"lz4", Compression::LZ4},       {"none", Compression::UNCOMPRESSED}};
  const auto found = types.find(name);
  if (found == types.end() || !arrow::util::Codec::IsAvailable(found->second)) {
    throw ValidationError("Parquet compression " + in_quotes(name) +
                          "; zstd, snappy, gzip, brotli, lz4 or none expected");
  }
  return found->second;
}

void check_compression(const ParquetOptions& options) {
  const auto type = compression_of(options.compression);
  if (!options.compression_level) return;
  const std::string what = "Parquet compression level " + std::to_string(*options.compression_level);
  if (!arrow::util::Codec::SupportsCompressionLevel(type)) {
    throw ValidationError(what + "; " + options.compression + " has no levels");
  }
  const int least = check(arrow::util::Codec::MinimumCompressionLevel(type));
  const int most = check(arrow::util::Codec::MaximumCompressionLevel(type));
  if (*options.compression_level < least || *options.compression_level > most) {
    throw ValidationError(what + "; " + std::to_string(least) + " to " + std::to_string(most) + " expected of " +
                          options.compression);
  }
}

void check_positive(const char* what, int64_t value, const char* unit) {
  if (value >= 1) return;
  throw ValidationError("Parquet " + std::string(what) + " of " + std::to_string(value) + " " + unit +
                        "; at least 1 expected");
}

/// True for columns whose values repeat: numbers, ids and paths take less space and time unencoded (bench/RESULTS.md).
bool repeats(const arrow::Field& field) {
  const auto type = field.type()->id();
  if (type == arrow::Type::DICTIONARY) return true;
  return arrow::is_string(type) && field.name() != names::kId && field.name() != names::kRelativePath;
}

template <class Builder>
void limit_rows_of_page(Builder& out) {
  if constexpr (requires { out.max_rows_per_page(kRowsOfPage); }) {
    out.max_rows_per_page(kRowsOfPage)->write_batch_size(kRowsOfPage);
  } else {
    out.data_pagesize(1)->write_batch_size(kRowsOfPage);  // a page ends with each batch
  }
}

std::shared_ptr<parquet::WriterProperties> properties_of(const ParquetOptions& options, const arrow::Schema& schema,
                                                         int64_t num_rows) {
  parquet::WriterProperties::Builder out;
  if (options.use_dictionary.value_or(false)) out.enable_dictionary();
  else out.disable_dictionary();
  for (const auto& field : schema.fields()) {
    if (!options.use_dictionary && num_rows > kFewRows && repeats(*field)) out.enable_dictionary(field->name());
  }
  const auto compression = compression_of(options.compression);
  out.compression(compression);
  if (options.compression_level || compression == arrow::Compression::ZSTD) {
    out.compression_level(options.compression_level.value_or(kZstdLevel));
  }
  out.max_row_group_length(options.row_group_size)->data_pagesize(options.data_page_size);
  if (!options.write_statistics) out.disable_statistics();
  if (options.covering || options.id_index) {
    out.enable_write_page_index();
    // All columns begin a page with the same row, so that some rows can be read without the others.
    limit_rows_of_page(out);
    for (const Covering& covering : options.covering ? coverings_of(schema) : std::vector<Covering>()) {
      for (const char* side : kBoxSides)
        out.encoding(covering.boxes + "." + side, parquet::Encoding::BYTE_STREAM_SPLIT);
    }
  } else if (options.use_content_defined_chunking) {
    parquet::CdcOptions chunks;
    chunks.min_chunk_size = options.min_chunk_size;
    chunks.max_chunk_size = options.max_chunk_size;
    out.enable_content_defined_chunking()->content_defined_chunking_options(chunks);
  }
  return out.build();
}

arrow::Status add_metadata(parquet::arrow::FileWriter& writer, const std::map<std::string, std::string>& metadata) {
  if (metadata.empty()) return arrow::Status::OK();
  std::vector<std::string> keys, values;
  for (const auto& [key, value] : metadata) keys.push_back(key), values.push_back(value);
  return writer.AddKeyValueMetadata(arrow::key_value_metadata(std::move(keys), std::move(values)));
}

/// Calls `body` with a writer for about `num_rows` rows; its bytes go to `out`.
template <class Body>
void with_writer(const arrow::Schema& schema, int64_t num_rows, const ByteConsumer& out, const ParquetOptions& options,
                 const Body& body) {
  const auto stream = std::make_shared<ConsumerStream>(out);
  const auto write = [&]() -> arrow::Status {
    const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
    ARROW_ASSIGN_OR_RAISE(auto writer,
                          parquet::arrow::FileWriter::Open(schema, arrow::default_memory_pool(), stream,
                                                           properties_of(options, schema, num_rows), arrow_properties));
    return body(*writer, *stream);
  };
  arrow::Status status;
  try {
    status = write();
  } catch (const parquet::ParquetException& error) {
    status = arrow::Status::Invalid(error.what());
  }
  if (stream->failure) std::rethrow_exception(stream->failure);
  check(status);
}

/// The options that the table has columns for.
ParquetOptions usable(const arrow::Schema& schema, ParquetOptions options) {
  options.covering = options.covering && has_coverings(schema);
  const auto id = schema.GetFieldByName(std::string(names::kId));
  options.id_index = options.id_index && id && is_text(*id->type());
  return options;
}

/// Writes batches with a page index and a proof, and as the options say with the bounding boxes of their geometries and
/// an id index.
void write_proved(arrow::RecordBatchReader& batches, int64_t num_rows, const ByteConsumer& out,
                  const ParquetOptions& options, const std::function<std::map<std::string, std::string>()>& metadata) {
  const auto schema = batches.schema();
  with_writer(*schema, num_rows, out, options,
              [&](parquet::arrow::FileWriter& writer, ConsumerStream& stream) -> arrow::Status {
                int64_t num_written = 0;
                IdIndexBuilder ids;
                while (const auto batch = read_batch(batches)) {
                  ARROW_RETURN_NOT_OK(writer.WriteRecordBatch(
                      options.covering ? *with_coverings(*batch, schema, num_written) : *batch));
                  if (options.id_index) ids.add(*batch->GetColumnByName(std::string(names::kId)));
                  num_written += batch->num_rows();
                }
                const int64_t num_groups = (num_written + options.row_group_size - 1) / options.row_group_size;
                auto keys = metadata ? metadata() : std::map<std::string, std::string>();
                if (options.covering) keys[kGeoKey] = geoparquet_metadata(*schema);
                if (options.id_index && num_written > 0) {
                  // The writer still holds the last row group, which comes behind.
                  if (const auto index = ids.finish(stream.position())) {
                    keys[kIdsKey] = index->first.encode();
                    ARROW_RETURN_NOT_OK(stream.Write(index->second.data(), static_cast<int64_t>(index->second.size())));
                  } else {
                    log::warning("too many samples have the same id for an id index, which is left out");
                  }
                }
                keys[kProofKey] = unproved(options.covering, static_cast<int>(num_groups));
                ARROW_RETURN_NOT_OK(add_metadata(writer, keys));
                stream.hold();  // the last row group, page index and footer
                ARROW_RETURN_NOT_OK(writer.Close());
                prove(stream.held(), stream.position() - stream.held().size());
                return stream.release();
              });
}

bool is_proved(const ParquetOptions& options) { return options.covering || options.id_index; }

}  // namespace

void check_parquet_options(const ParquetOptions& options) {
  check_compression(options);
  check_positive("row groups", options.row_group_size, "rows");
  check_positive("pages", options.data_page_size, "bytes");
  check_positive("chunks", options.min_chunk_size, "bytes");
  if (options.max_chunk_size <= options.min_chunk_size) {
    throw ValidationError("Parquet chunks of " + std::to_string(options.min_chunk_size) + " to " +
                          std::to_string(options.max_chunk_size) + " bytes; the most greater than the least expected");
  }
}

void check_v1_parquet_options(const ParquetOptions& options) {
  check_parquet_options(options);
  if (options.covering || options.id_index)
    throw ValidationError(std::string("Parquet option ") + (options.covering ? "covering" : "id_index") +
                          " does not exist for files of a version before 2.0");
}

ParquetOptions options_of_level(ParquetOptions options, int level) {
  options.id_index = options.id_index && level == 0;
  return options;
}

ParquetOptions options_of_meta(ParquetOptions options) {
  options.covering = options.id_index = false;
  return options;
}

void write_parquet(arrow::RecordBatchReader& batches, const ByteConsumer& out, const ParquetOptions& asked,
                   const std::function<std::map<std::string, std::string>()>& metadata) {
  const int64_t unknown = std::numeric_limits<int64_t>::max();
  const ParquetOptions options = usable(*batches.schema(), asked);
  if (is_proved(options)) return write_proved(batches, unknown, out, options, metadata);
  with_writer(*batches.schema(), unknown, out, options, [&](parquet::arrow::FileWriter& writer, ConsumerStream&) {
    while (const auto batch = read_batch(batches)) ARROW_RETURN_NOT_OK(writer.WriteRecordBatch(*batch));
    if (metadata) ARROW_RETURN_NOT_OK(add_metadata(writer, metadata()));
    return writer.Close();
  });
}

Bytes encode_parquet(const arrow::Table& table, const ParquetOptions& asked,
                     const std::map<std::string, std::string>& metadata) {
  Bytes out;
  const ByteConsumer append = [&](std::span<const std::byte> more) { out.insert(out.end(), more.begin(), more.end()); };
  const ParquetOptions options = usable(*table.schema(), asked);
  if (is_proved(options)) {
    arrow::TableBatchReader batches(table);
    write_proved(batches, table.num_rows(), append, options, [&] { return metadata; });
    return out;
  }
  with_writer(*table.schema(), table.num_rows(), append, options,
              [&](parquet::arrow::FileWriter& writer, ConsumerStream&) {
                ARROW_RETURN_NOT_OK(writer.WriteTable(table, options.row_group_size));
                ARROW_RETURN_NOT_OK(add_metadata(writer, metadata));
                return writer.Close();
              });
  return out;
}

}  // namespace tacore
