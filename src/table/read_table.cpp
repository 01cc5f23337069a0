#include "table/read_table.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/buffer_builder.h>
#include <arrow/extension_type.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/json/api.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/config.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <optional>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "model/geojson.hpp"
#include "model/json_text.hpp"
#include "table/arrow_error.hpp"
#include "table/bounded_pool.hpp"
#include "table/cells.hpp"
#include "table/plain_types.hpp"
#include "table/read_csv.hpp"
#include "table/sample_table.hpp"

namespace tacore {
namespace {

std::shared_ptr<arrow::Table> read_parquet(const std::shared_ptr<arrow::io::RandomAccessFile>& file) {
  std::unique_ptr<parquet::arrow::FileReader> reader =
      check(parquet::arrow::OpenFile(file, bounded_pool(static_cast<uint64_t>(check(file->GetSize())))));
#if ARROW_VERSION_MAJOR >= 24
  return check(reader->ReadTable());
#else
  std::shared_ptr<arrow::Table> out;
  check(reader->ReadTable(&out));
  return out;
#endif
}

std::shared_ptr<arrow::Table> read_json_lines(const std::shared_ptr<arrow::Buffer>& text) {
  const std::string_view view(*text);
  // Arrow parses nested JSON by recursion, without a limit.
  if (const auto where = where_too_nested(view)) {
    throw FormatError("JSON is nested deeper than " + std::to_string(kMaxJsonNesting), {.path = {}, .offset = *where});
  }
  std::size_t block = 1 << 20;  // at least twice the longest line: an object may not reach into a third block
  for (std::size_t begin = 0; begin < view.size();) {
    const std::size_t end = std::min(view.find('\n', begin), view.size());
    block = std::max(block, 2 * (end - begin + 1));
    begin = end + 1;
  }
  if (block > INT32_MAX) throw FormatError("has a line of more than 1 GiB");
  auto read = arrow::json::ReadOptions::Defaults();
  read.use_threads = false;
  read.block_size = static_cast<int32_t>(block);
  const auto stream = std::make_shared<arrow::io::BufferReader>(text);
  return check(check(arrow::json::TableReader::Make(arrow::default_memory_pool(), stream, read,
                                                    arrow::json::ParseOptions::Defaults()))
                   ->Read());
}

std::shared_ptr<arrow::Buffer> text_of(arrow::io::RandomAccessFile& file) {
  return check(file.Read(check(file.GetSize())));
}

/// The properties as JSON lines, and after them the geometries, in the column that filters use by default.
std::shared_ptr<arrow::Table> read_geojson_table(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                                                 const std::string& path) {
  arrow::BinaryBuilder geometries;
  arrow::BufferBuilder lines;
  {
    const auto text = text_of(*file);
    read_geojson(std::string_view(*text), path, [&](GeoFeature feature) {
      feature.line += '\n';
      check(lines.Append(feature.line));
      if (feature.geometry) {
        check(geometries.Append(reinterpret_cast<const uint8_t*>(feature.geometry->data()),
                                static_cast<int32_t>(feature.geometry->size())));
      } else {
        check(geometries.AppendNull());
      }
    });
  }
  const auto column = check(geometries.Finish());
  if (column->length() == 0) throw FormatError("the FeatureCollection has no features");
  const auto table = read_json_lines(check(lines.Finish()));
  if (table->num_columns() == 0) throw FormatError("the features have neither ids nor properties");
  return check(table->AddColumn(table->num_columns(), arrow::field("istac:geometry", column->type()),
                                std::make_shared<arrow::ChunkedArray>(column)));
}

/// Converts times that the text gives in seconds to microseconds: Parquet has no seconds, and would store another type.
std::shared_ptr<arrow::Array> in_microseconds(const arrow::TimestampArray& seconds) {
  const auto& type = static_cast<const arrow::TimestampType&>(*seconds.type());
  arrow::TimestampBuilder out(arrow::timestamp(arrow::TimeUnit::MICRO, type.timezone()), arrow::default_memory_pool());
  for (int64_t row = 0; row < seconds.length(); ++row) {
    int64_t microseconds = 0;
    if (!seconds.IsNull(row) && __builtin_mul_overflow(seconds.Value(row), int64_t{1'000'000}, &microseconds)) {
      throw SchemaError("row " + std::to_string(row) + " has a time outside of the range of timestamp[us]");
    }
    check(seconds.IsNull(row) ? out.AppendNull() : out.Append(microseconds));
  }
  return check(out.Finish());
}

std::shared_ptr<arrow::io::RandomAccessFile> open_table(const std::string& path) {
  const auto file = arrow::io::ReadableFile::Open(path);
  if (!file.ok()) throw IoError("cannot open", {.path = path}, ENOENT);
  return *file;
}

bool is_csv(const std::string& path) {
  return ends_with_ignoring_case(path, ".csv") || ends_with_ignoring_case(path, ".tsv");
}

const arrow::Array& array_of(const arrow::Table& table, int column) { return *table.column(column)->chunk(0); }

}  // namespace

std::shared_ptr<arrow::Table> in_one_piece(const std::shared_ptr<arrow::Table>& table) {
  auto out = check(table->CombineChunks());
  for (int c = 0; c < out->num_columns(); ++c) {
    auto values = out->column(c)->num_chunks() == 1 ? out->column(c)->chunk(0)
                                                    : check(arrow::MakeEmptyArray(out->column(c)->type()));
    if (values->type_id() == arrow::Type::EXTENSION) {
      values = static_cast<const arrow::ExtensionArray&>(*values).storage();
    }
    if (values->type_id() == arrow::Type::TIMESTAMP) {
      const auto& times = static_cast<const arrow::TimestampArray&>(*values);
      const auto unit = static_cast<const arrow::TimestampType&>(*times.type()).unit();
      if (unit == arrow::TimeUnit::SECOND) values = in_microseconds(times);
    }
    values = without_views(values);
    const auto field = out->field(c)->WithType(values->type());
    out = check(out->SetColumn(c, field, std::make_shared<arrow::ChunkedArray>(values)));
  }
  return out;
}

std::shared_ptr<arrow::Table> read_table(const std::string& path, const TableOptions& options,
                                         const std::vector<std::string>& text) {
  return read_table(open_table(path), path, options, text);
}

std::shared_ptr<arrow::Table> read_table(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                                         const std::string& path, const TableOptions& options,
                                         const std::vector<std::string>& text) {
  if (!options.separator.empty() && !is_csv(path)) {
    throw ValidationError("a separator is given, which only .csv and .tsv tables have", {.path = path});
  }
  try {
    std::shared_ptr<arrow::Table> out;
    if (ends_with_ignoring_case(path, ".parquet")) {
      out = read_parquet(file);
    } else if (is_csv(path)) {
      std::vector<std::string> names;
      for (const auto& name : text) names.push_back(name_in_file(name, options));
      out = read_csv(file, path, options.separator, names);
    } else if (ends_with_ignoring_case(path, ".jsonl")) {
      out = read_json_lines(text_of(*file));
    } else if (ends_with_ignoring_case(path, ".geojson")) {
      out = read_geojson_table(file, path);
    } else {
      throw FormatError("unknown format, expected a folder or a .parquet, .csv, .tsv, .jsonl or .geojson file",
                        {.path = path});
    }
    return in_one_piece(out);
  } catch (const parquet::ParquetException& error) {
    throw FormatError(std::string("Parquet: ") + error.what(), {.path = path});
  } catch (const FormatError& error) {
    std::string what = error.message();
    if (what.starts_with("Parquet: ") && !ends_with_ignoring_case(path, ".parquet")) what.erase(0, 9);
    throw FormatError(what, {.path = path, .offset = error.context().offset});
  }
}

std::vector<uint64_t> lines_of_rows(const std::string& path, const TableOptions& options,
                                    const std::vector<int64_t>& rows) {
  if (is_csv(path)) return lines_of_csv(open_table(path), path, options.separator, rows);
  std::vector<uint64_t> out;
  if (!ends_with_ignoring_case(path, ".jsonl")) return out;
  const auto text = text_of(*open_table(path));
  uint64_t line = 0;
  int64_t row = -1;
  for (const auto& each : split(std::string_view(*text), '\n')) {
    ++line;
    if (!trimmed(each).empty()) ++row;
    while (out.size() < rows.size() && rows[out.size()] == row) out.push_back(line);
  }
  return out;
}

std::shared_ptr<arrow::Array> find_column(const arrow::Table& table, const std::string& name, const std::string& path) {
  const int column = table.schema()->GetFieldIndex(name);
  if (column >= 0) return table.column(column)->chunk(0);
  throw SchemaError(no_column(in_quotes(name), name, column_names(table)), {.path = path});
}

std::vector<std::optional<std::string>> text_column(const arrow::Table& table, const std::string& name,
                                                    const std::string& path) {
  const auto column = find_column(table, name, path);
  const auto& values = *column;
  if (!is_text(*values.type()) && values.null_count() < values.length()) {
    throw SchemaError("column " + in_quotes(name) + " has type " + type_name(*values.type()) + ", text expected",
                      {.path = path});
  }
  std::vector<std::optional<std::string>> out;
  out.reserve(static_cast<std::size_t>(values.length()));
  for (int64_t row = 0; row < values.length(); ++row) {
    const auto cell = text_cell(values, row);
    out.push_back(cell ? std::optional<std::string>(*cell) : std::nullopt);
  }
  return out;
}

std::shared_ptr<arrow::Table> take_rows(const arrow::Table& table, const std::vector<int64_t>& rows,
                                        const std::vector<int>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const int c : columns) {
    const auto& values = array_of(table, c);
    auto builder = check(arrow::MakeBuilder(values.type()));
    check(builder->Reserve(static_cast<int64_t>(rows.size())));
    const arrow::ArraySpan span(*values.data());
    for (std::size_t i = 0; i < rows.size();) {
      if (rows[i] < 0) {
        check(builder->AppendNull());
        ++i;
        continue;
      }
      std::size_t end = i + 1;  // consecutive rows together
      while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
      check(builder->AppendArraySlice(span, rows[i], static_cast<int64_t>(end - i)));
      i = end;
    }
    arrays.push_back(check(builder->Finish()));
    fields.push_back(table.field(c));
  }
  return arrow::Table::Make(arrow::schema(std::move(fields)), std::move(arrays), static_cast<int64_t>(rows.size()));
}

std::shared_ptr<arrow::Table> take_rows(const arrow::Table& table, const std::vector<int64_t>& rows) {
  std::vector<int> columns(static_cast<std::size_t>(table.num_columns()));
  std::iota(columns.begin(), columns.end(), 0);
  return take_rows(table, rows, columns);
}

std::shared_ptr<arrow::Table> select_columns(const std::shared_ptr<arrow::Table>& table,
                                             const std::vector<std::string>& names) {
  std::vector<int> columns;
  for (const auto& name : names) columns.push_back(table->schema()->GetFieldIndex(name));
  return check(table->SelectColumns(columns));
}

bool has_value(const arrow::Table& table, int column, const std::vector<int64_t>& rows) {
  const auto& values = array_of(table, column);
  return std::any_of(rows.begin(), rows.end(), [&](int64_t row) { return row >= 0 && !values.IsNull(row); });
}

bool has_value(const arrow::Table& table, int column) { return table.column(column)->null_count() < table.num_rows(); }

std::vector<std::string> column_names(const arrow::Table& table) { return table.schema()->field_names(); }

}  // namespace tacore
