#include "columns.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "capsule.hpp"
#include "tacore/ops/inspect.hpp"
#include "text.hpp"
#include "value.hpp"

namespace tacore::python {
namespace {

using Field = std::tuple<std::string, std::string, std::string>;  // name, type, description

Columns of_table(nb::handle table) {
  const Stream stream = stream_of(table);
  const nb::gil_scoped_release release;
  return {read_metadata(stream.get())};
}

Columns of_values(const nb::dict& columns) {
  Columns out;
  for (const auto& [key, values] : columns) out.all.push_back(column_of(nb::cast<std::string>(key), values));
  return out;
}

Columns of_row(const nb::dict& values) {
  Columns out;
  for (const auto& [key, value] : values) {
    MetadataField field = metadata_of(nb::cast<std::string>(key), value);
    out.all.push_back({field.key, {std::move(field.value)}, field.type});
  }
  return out;
}

/// An empty table with the columns of a schema.
Columns of_schema(nb::handle schema) {
  struct Empty {
    static int get_schema(ArrowArrayStream* self, ArrowSchema* out) {
      auto* from = static_cast<ArrowSchema*>(self->private_data);
      *out = *from;
      from->release = nullptr;
      return 0;
    }
    static int get_next(ArrowArrayStream*, ArrowArray* out) {
      *out = {};
      return 0;
    }
    static const char* get_last_error(ArrowArrayStream*) { return nullptr; }
    static void release(ArrowArrayStream* self) { self->release = nullptr; }
  };
  const nb::object capsule = schema.attr("__arrow_c_schema__")();
  auto* from = static_cast<ArrowSchema*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_schema"));
  if (from == nullptr) throw nb::python_error();
  ArrowArrayStream stream{Empty::get_schema, Empty::get_next, Empty::get_last_error, Empty::release, from};
  return {read_metadata(&stream)};
}

int64_t microseconds_each(const std::string& type) {
  if (type.starts_with("timestamp[us")) return 1;
  if (type.starts_with("timestamp[ms")) return 1000;
  return type.starts_with("timestamp[s") ? 1000000 : 0;
}

/// Converts integers of a column of timestamps to times, in the unit of its type.
void make_times(MetadataColumn& column) {
  const int64_t each = microseconds_each(column.type);
  for (auto& value : column.values) {
    const auto* ticks = value.get<int64_t>();
    Timestamp at;
    if (each == 0 || ticks == nullptr) continue;
    if (__builtin_mul_overflow(*ticks, each, &at.microseconds))
      throw nb::value_error("a time is beyond 64 bits of microseconds");
    value = at;
  }
}

/// The columns with the types and descriptions of a schema; those of the schema come first, in its order.
Columns typed(const Columns& columns, const std::vector<Field>& schema) {
  Columns out = columns;
  for (auto field = schema.rbegin(); field != schema.rend(); ++field) {
    const auto& [name, type, description] = *field;
    const auto is_it = [&](const MetadataColumn& column) { return column.key == std::get<0>(*field); };
    const auto found = std::find_if(out.all.begin(), out.all.end(), is_it);
    if (found == out.all.end()) continue;
    if (!type.empty()) found->type = type;
    found->description = description;
    make_times(*found);
    std::rotate(out.all.begin(), found, found + 1);
  }
  return out;
}

Columns of_nulls(const std::vector<Field>& schema, std::size_t num_rows) {
  Columns out;
  for (const auto& [name, type, description] : schema)
    out.all.push_back({name, std::vector<Value>(num_rows), type, description});
  return out;
}

/// The rows of several tables, one after the other; missing columns are null.
Columns joined(const std::vector<Columns>& parts) {
  Columns out;
  std::size_t rows = 0;
  for (const auto& part : parts) {
    for (const auto& column : part.all) {
      const auto is_it = [&](const MetadataColumn& known) { return known.key == column.key; };
      auto found = std::find_if(out.all.begin(), out.all.end(), is_it);
      if (found == out.all.end()) {
        out.all.push_back({column.key, {}, column.type, column.description});
        found = out.all.end() - 1;
      }
      if (found->type != column.type) found->type.clear();
      found->values.resize(rows);
      found->values.insert(found->values.end(), column.values.begin(), column.values.end());
    }
    rows += static_cast<std::size_t>(part.num_rows());
  }
  for (auto& column : out.all) column.values.resize(rows);
  return out;
}

Columns only(const Columns& columns, const std::string& name) {
  Columns out;
  for (const auto& column : columns.all) {
    if (column.key == name) out.all.push_back(column);
  }
  return out;
}

nb::list objects(const Columns& columns, const std::string& name) {
  nb::list out;
  for (const auto& column : columns.all) {
    if (column.key != name) continue;
    for (const auto& value : column.values) out.append(object_of(value, column.type));
  }
  return out;
}

}  // namespace

std::vector<MetadataField> Columns::row(std::size_t at) const {
  std::vector<MetadataField> out;
  for (const auto& column : all) out.push_back({column.key, column.values.at(at), column.type, column.description});
  return out;
}

nb::list descriptions_of(const std::vector<FieldDescription>& fields) {
  nb::list out;
  for (const auto& field : fields)
    out.append(nb::make_tuple(text(field.name), text(field.type), text(field.description)));
  return out;
}

void bind_columns(nb::module_& m) {
  nb::class_<Columns>(m, "Columns")
      .def(nb::init<>())
      .def_static("of_table", &of_table)
      .def_static("of_values", &of_values)
      .def_static("of_row", &of_row)
      .def_static("of_schema", &of_schema)
      .def_static("of_nulls", &of_nulls)
      .def_static("joined", &joined)
      .def("typed", &typed)
      .def(
          "__arrow_c_stream__",
          [](const Columns& self, nb::handle) {
            return stream_capsule([&](ArrowArrayStream* out) { export_metadata(self.all, out); });
          },
          nb::arg("requested_schema") = nb::none())
      .def("__len__", &Columns::num_rows)
      .def("only", &only)
      .def("objects", &objects)
      .def("fields", [](const Columns& self) {
        std::vector<FieldDescription> out;
        for (const auto& column : self.all) out.push_back({column.key, column.type, column.description});
        return descriptions_of(out);
      });
}

}  // namespace tacore::python
