#include "table/ipc.hpp"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/table.h>
#include <arrow/util/key_value_metadata.h>

#include "table/arrow_error.hpp"

namespace tacore {

Bytes encode_ipc(const DescribedTable& from) {
  auto about = std::make_shared<arrow::KeyValueMetadata>();
  for (const auto& [key, value] : from.about) about->Append(key, value);
  const auto table = from.table->ReplaceSchemaMetadata(about);
  const auto out = check(arrow::io::BufferOutputStream::Create());
  const auto writer = check(arrow::ipc::MakeStreamWriter(out, table->schema()));
  check(writer->WriteTable(*table));
  check(writer->Close());
  const auto buffer = check(out->Finish());
  const auto* begin = reinterpret_cast<const std::byte*>(buffer->data());
  return {begin, begin + buffer->size()};
}

DescribedTable decode_ipc(std::span<const std::byte> bytes) {
  // A copy: the arrays keep the memory.
  const auto buffer = arrow::Buffer::FromString(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const auto reader =
      check(arrow::ipc::RecordBatchStreamReader::Open(std::make_shared<arrow::io::BufferReader>(buffer)));
  DescribedTable out{.table = check(reader->ToTable()), .about = {}};
  check(out.table->ValidateFull());
  if (const auto& about = reader->schema()->metadata()) {
    for (int64_t i = 0; i < about->size(); ++i) out.about[about->key(i)] = about->value(i);
  }
  return out;
}

}  // namespace tacore
