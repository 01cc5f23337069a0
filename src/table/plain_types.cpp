#include "table/plain_types.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/type.h>

#include <algorithm>

#include "table/arrow_error.hpp"

namespace tacore {
namespace {

using Data = std::shared_ptr<arrow::ArrayData>;
using Type = std::shared_ptr<arrow::DataType>;

bool has_views(const arrow::DataType& type) {
  if (type.id() == arrow::Type::STRING_VIEW || type.id() == arrow::Type::BINARY_VIEW) return true;
  return std::any_of(type.fields().begin(), type.fields().end(), [](const auto& f) { return has_views(*f->type()); });
}

template <class Views, class Builder>
Data copied(const Data& data) {
  const Views views(data);
  Builder builder;
  for (int64_t i = 0; i < views.length(); ++i) {
    check(views.IsNull(i) ? builder.AppendNull() : builder.Append(views.GetView(i)));
  }
  return check(builder.Finish())->data();
}

Type with_items(const Type& type, const std::vector<Data>& items) {
  arrow::FieldVector fields;
  for (std::size_t i = 0; i < items.size(); ++i)
    fields.push_back(type->field(static_cast<int>(i))->WithType(items[i]->type));
  switch (type->id()) {
    case arrow::Type::LIST: return arrow::list(fields[0]);
    case arrow::Type::LARGE_LIST: return arrow::large_list(fields[0]);
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(fields[0], static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    case arrow::Type::STRUCT: return arrow::struct_(fields);
    default: return nullptr;
  }
}

Data without_views(const Data& data) {
  if (data->type->id() == arrow::Type::STRING_VIEW) return copied<arrow::StringViewArray, arrow::StringBuilder>(data);
  if (data->type->id() == arrow::Type::BINARY_VIEW) return copied<arrow::BinaryViewArray, arrow::BinaryBuilder>(data);
  if (!has_views(*data->type)) return data;
  Data out = data->Copy();
  for (auto& child : out->child_data) child = without_views(child);
  Type type = with_items(data->type, out->child_data);
  if (!type) return data;  // check_column() refuses other types with views
  out->type = std::move(type);
  return out;
}

}  // namespace

std::shared_ptr<arrow::Array> without_views(const std::shared_ptr<arrow::Array>& array) {
  return has_views(*array->type()) ? arrow::MakeArray(without_views(array->data())) : array;
}

}  // namespace tacore
