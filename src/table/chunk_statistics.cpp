#include "table/chunk_statistics.hpp"

#include <parquet/column_reader.h>
#include <parquet/statistics.h>
#include <parquet/types.h>

#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/text.hpp"

namespace tacore {
namespace {

template <class Type>
std::string shown(const typename Type::c_type& value, int length) {
  if constexpr (std::is_arithmetic_v<typename Type::c_type>) return std::to_string(value);
  else if constexpr (std::is_same_v<Type, parquet::ByteArrayType>) return in_quotes(std::string_view(value));
  else return in_quotes(std::string_view(reinterpret_cast<const char*>(value.ptr), static_cast<std::size_t>(length)));
}

template <class Type>
std::string compare(parquet::ColumnReader& any_values, const parquet::Statistics& any_stated) {
  constexpr int64_t kBatch = 4096;
  auto& reader = static_cast<parquet::TypedColumnReader<Type>&>(any_values);
  const auto& stated = static_cast<const parquet::TypedStatistics<Type>&>(any_stated);
  const auto found = parquet::MakeStatistics<Type>(reader.descr());
  std::vector<int16_t> levels(kBatch);
  const auto values = std::make_unique<typename Type::c_type[]>(kBatch);
  while (reader.HasNext()) {
    int64_t num_values = 0;
    const int64_t count = reader.ReadBatch(kBatch, levels.data(), nullptr, values.get(), &num_values);
    if (count == 0) break;
    found->Update(values.get(), num_values, count - num_values);
  }
  if (stated.HasNullCount() && stated.null_count() != found->null_count())
    return "null_count is " + std::to_string(stated.null_count()) + ", the values have " +
           std::to_string(found->null_count());
  if (!stated.HasMinMax() || !found->HasMinMax()) return "";
  const auto order = parquet::MakeComparator<Type>(reader.descr());
  const auto text = [&](const auto& value) { return shown<Type>(value, reader.descr()->type_length()); };
  if (order->Compare(found->min(), stated.min()))
    return "min is " + text(stated.min()) + ", the values have " + text(found->min());
  if (order->Compare(stated.max(), found->max()))
    return "max is " + text(stated.max()) + ", the values have " + text(found->max());
  return "";
}

}  // namespace

std::string why_wrong_statistics(parquet::ColumnReader& values, const parquet::Statistics& stated) {
  switch (stated.physical_type()) {
    case parquet::Type::BOOLEAN: return compare<parquet::BooleanType>(values, stated);
    case parquet::Type::INT32: return compare<parquet::Int32Type>(values, stated);
    case parquet::Type::INT64: return compare<parquet::Int64Type>(values, stated);
    case parquet::Type::FLOAT: return compare<parquet::FloatType>(values, stated);
    case parquet::Type::DOUBLE: return compare<parquet::DoubleType>(values, stated);
    case parquet::Type::BYTE_ARRAY: return compare<parquet::ByteArrayType>(values, stated);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY: return compare<parquet::FLBAType>(values, stated);
    default: return "";  // INT96 has no defined order
  }
}

}  // namespace tacore
