#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <parquet/arrow/reader.h>

#include <limits>

#include "bytes.hpp"
#include "edit.hpp"
#include "model/identifier.hpp"
#include "table/cells.hpp"
#include "table/arrow_error.hpp"
#include "table/level_table.hpp"
#include "table/parquet_write.hpp"

namespace tacore::mutate {
namespace {

bool is_navigation(const std::string& name) { return name == "id" || name == "type" || name.starts_with("internal:"); }

std::shared_ptr<arrow::Table> read_table(const Bytes& parquet) {
  const auto* begin = reinterpret_cast<const uint8_t*>(parquet.data());
  const auto buffer = std::make_shared<arrow::Buffer>(begin, static_cast<int64_t>(parquet.size()));
  const auto reader =
      check(parquet::arrow::OpenFile(std::make_shared<arrow::io::BufferReader>(buffer), arrow::default_memory_pool()));
  reader->set_use_threads(false);  // the process forks later
  return check(check(reader->ReadTable())->CombineChunks());
}

std::optional<std::string> changed_text(const arrow::Array& column, int64_t row, Kind kind) {
  const std::string old(text_cell(column, row).value_or(""));
  switch (kind) {
    case Kind::CellNull:
      return std::nullopt;
    case Kind::CellNext:
      return std::string(text_cell(column, (row + 1) % column.length()).value_or(""));
    case Kind::CellParent:
      return "../x";
    case Kind::CellRoot:
      return "/etc/passwd";
    case Kind::CellNul:
      return std::string("a\0b", 3);
    case Kind::CellEmpty:
      return "";
    case Kind::CellDot:
      return "..";
    default:
      return old == "FILE" ? "FOLDER" : old == "FOLDER" ? "FILE" : "another";
  }
}

std::optional<int64_t> changed_number(const arrow::Array& column, int64_t row, Kind kind) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto old = integer_cell(column, row);
  switch (kind) {
    case Kind::CellMinus:
      return -1;
    case Kind::Cell63:
      return kMost;
    case Kind::CellPlus:
      return old.value_or(0) + 1;
    case Kind::CellOther:
      return old.value_or(1) - 1;
    case Kind::CellNext:
      return integer_cell(column, (row + 1) % column.length());
    default:
      return std::nullopt;
  }
}

template <class Builder, class Cell>
std::shared_ptr<arrow::Array> rebuilt(int64_t length, const Cell& cell) {
  Builder builder;
  for (int64_t i = 0; i < length; ++i) {
    const auto value = cell(i);
    check(value ? builder.Append(*value) : builder.AppendNull());
  }
  return check(builder.Finish());
}

}  // namespace

EditableTable editable(const Bytes& parquet) {
  const auto table = read_table(parquet);
  EditableTable out{.columns = {}, .num_rows = static_cast<uint32_t>(table->num_rows())};
  for (const auto& field : table->schema()->fields()) {
    const bool number = field->type()->id() == arrow::Type::INT64;
    if (is_navigation(field->name()) && (number || field->type()->id() == arrow::Type::STRING)) {
      out.columns.push_back({field->name(), number});
    }
  }
  return out;
}

namespace {

/// An id that makes padding of a sample, or the reverse, says something else about the same rows.
bool is_about_padding(const arrow::Array& a, const arrow::Array& b, int64_t row) {
  return is_padding_id(text_cell(a, row).value_or("")) || is_padding_id(text_cell(b, row).value_or(""));
}

}  // namespace

std::optional<Bytes> edit_cell(const Bytes& parquet, const std::string& name, uint32_t row, Kind kind) {
  auto table = read_table(parquet);
  const int c = table->schema()->GetFieldIndex(name);
  const auto old = table->column(c)->chunk(0);
  std::shared_ptr<arrow::Array> now;
  if (old->type_id() == arrow::Type::INT64) {
    now = rebuilt<arrow::Int64Builder>(
        old->length(), [&](int64_t i) { return i == row ? changed_number(*old, i, kind) : integer_cell(*old, i); });
  } else {
    now = rebuilt<arrow::StringBuilder>(old->length(), [&](int64_t i) {
      const auto cell = text_cell(*old, i);
      return i == row ? changed_text(*old, i, kind) : cell ? std::optional<std::string>(*cell) : std::nullopt;
    });
  }
  if (now->Equals(old) || (name == "id" && is_about_padding(*old, *now, row))) return std::nullopt;
  table = check(table->SetColumn(c, table->field(c), std::make_shared<arrow::ChunkedArray>(now)));
  arrow::TableBatchReader batches(*table);
  Bytes out;
  write_parquet(
      batches, [&](std::span<const std::byte> more) { out.insert(out.end(), more.begin(), more.end()); },
      {.use_content_defined_chunking = false});
  return out;
}

}  // namespace tacore::mutate
