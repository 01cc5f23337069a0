#include "tacore/write/sample.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>

#include "capsule.hpp"
#include "columns.hpp"
#include "options.hpp"
#include "tacore/ops/inspect.hpp"
#include "text.hpp"
#include "value.hpp"

namespace tacore::python {
namespace {

std::vector<MetadataField> fields_of(const nb::dict& metadata) {
  std::vector<MetadataField> out;
  for (const auto& [key, value] : metadata) out.push_back(metadata_of(nb::cast<std::string>(key), value));
  return out;
}

void init_of_path(Sample* self, std::string id, const std::string& path, const nb::dict& metadata) {
  auto fields = fields_of(metadata);
  const nb::gil_scoped_release release;
  new (self) Sample(std::move(id), path, std::move(fields));
}

void init_of_bytes(Sample* self, std::string id, const nb::bytes& data, const nb::dict& metadata,
                   const std::string& temp_dir) {
  // Other threads run only while more is copied than they would keep the lock for: after each release they keep it for
  // milliseconds.
  constexpr std::size_t kMostLocked = 1 << 20;
  auto fields = fields_of(metadata);
  std::optional<nb::gil_scoped_release> release;
  if (data.size() > kMostLocked) release.emplace();
  Bytes bytes(data.size());
  std::memcpy(bytes.data(), data.c_str(), bytes.size());
  new (self) Sample(std::move(id), std::move(bytes), std::move(fields), temp_dir);
}

void init_of_children(Sample* self, std::string id, const Tortilla& children, const nb::dict& metadata) {
  new (self) Sample(std::move(id), children, fields_of(metadata));
}

nb::object get(const Sample& sample, std::string_view key) {
  for (const auto& field : sample.metadata()) {
    if (field.key == key) return object_of(field.value, field.type);
  }
  throw nb::key_error(std::string(key).c_str());
}

Columns metadata(const Sample& sample) {
  Columns out;
  for (const auto& field : sample.metadata())
    out.all.push_back({field.key, {field.value}, field.type, field.description});
  return out;
}

nb::list keys(const Sample& sample) {
  nb::list out;
  for (const auto& field : sample.metadata()) out.append(text(field.key));
  return out;
}

Columns popped(Sample& sample, std::string_view key) {
  MetadataField field = sample.pop(key);
  return {{{std::move(field.key), {std::move(field.value)}, std::move(field.type), std::move(field.description)}}};
}

nb::list types(const Tortilla& tortilla, int level) {
  nb::list out;
  for (const auto type : tortilla.types(level)) out.append(to_string(type));
  return out;
}

nb::list column(const Tortilla& tortilla, std::string_view key, int level) {
  std::string type;
  for (const auto& field : tortilla.fields(level)) {
    if (field.name == key) type = field.type;
  }
  const auto values = [&] {
    const nb::gil_scoped_release release;
    return tortilla.column(key, level);
  }();
  nb::list out;
  for (const auto& value : values) out.append(object_of(value, type));
  return out;
}

/// The metadata of a level, without paths and byte ranges of its samples.
Columns columns(const Tortilla& tortilla, int level) {
  ArrowArrayStream stream = {};
  tortilla.export_metadata(&stream, level);
  Columns out{read_metadata(&stream)};
  std::erase_if(out.all, [](const MetadataColumn& column) {
    return column.key == "id" || column.key == "type" || column.key == "path" || column.key.starts_with("internal:");
  });
  const auto fields = tortilla.fields(level);
  for (std::size_t i = 0; i < out.all.size(); ++i) out.all[i].description = fields.at(i).description;
  return out;
}

nb::dict extent(const Tortilla& tortilla) {
  const Extent found = [&] {
    const nb::gil_scoped_release release;
    return compute_extent(tortilla);
  }();
  nb::dict out;
  out["spatial"] = nb::none();
  out["temporal"] = nb::none();
  if (const auto& box = found.spatial) {
    nb::list edges;
    for (const double edge : {box->minx, box->miny, box->maxx, box->maxy}) edges.append(edge);
    out["spatial"] = edges;
  }
  if (const auto& range = found.temporal) {
    nb::list times;
    for (const auto at : {range->start, range->end}) times.append(text(at.to_string()));
    out["temporal"] = times;
  }
  return out;
}

/// A sample of level 0, and its children if it is a FOLDER.
nb::tuple sample_of(const Tortilla& tortilla, int64_t row) {
  std::optional<Tortilla> children;
  const Sample sample = [&] {
    const nb::gil_scoped_release release;
    auto fields = tacore::metadata(tortilla, row);
    const auto at = static_cast<std::size_t>(row);
    if (tortilla.types()[at] == SampleType::File) return tortilla.sample(row);
    children = tacore::children(tortilla, row);
    return Sample(tortilla.ids()[at], *children, std::move(fields));
  }();
  return nb::make_tuple(nb::cast(sample), children ? nb::cast(*children) : nb::object(nb::none()));
}

void bind_tortilla(nb::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> free;
  nb::class_<Tortilla>(m, "Tortilla")
      .def(nb::init<const std::vector<Sample>&, bool>(), free)
      .def_static(
          "from_columns",
          [](std::vector<std::string> ids, const std::vector<std::string>& paths, const Columns& columns) {
            return Tortilla(std::move(ids), paths, columns.all);
          },
          free)
      .def_static("from_folder", &Tortilla::from_folder, free)
      .def_static("from_table",
                  [](const std::string& path, const nb::dict& given) {
                    const auto options = options_of<TableOptions>(given);
                    const nb::gil_scoped_release release;
                    return Tortilla::from_table(path, options);
                  })
      .def_static("from_arrow",
                  [](nb::handle table, const nb::dict& given) {
                    const auto options = options_of<TableOptions>(given);
                    const Stream stream = stream_of(table);
                    const nb::gil_scoped_release release;
                    return Tortilla::from_arrow(stream.get(), options);
                  })
      .def("pad", &Tortilla::pad, free)
      .def("pad_to", &Tortilla::pad_to, free)
      .def("num_samples", &Tortilla::num_samples, nb::arg("level") = 0)
      .def_prop_ro("depth", &Tortilla::depth)
      .def_prop_ro("num_bytes", &Tortilla::num_bytes)
      .def("sizes", &Tortilla::sizes, free)
      .def(
          "ids", [](const Tortilla& self, int level) { return texts(self.ids(level)); }, nb::arg("level") = 0)
      .def("types", &types, nb::arg("level") = 0)
      .def("sample", &sample_of)
      .def(
          "fields", [](const Tortilla& self, int level) { return descriptions_of(self.fields(level)); },
          nb::arg("level") = 0)
      .def("column", &column, nb::arg("key"), nb::arg("level") = 0)
      .def("columns", &columns, nb::arg("level") = 0, free)
      .def("extent", &extent)
      .def(
          "extend_with",
          [](const Tortilla& self, const Columns& columns, int level) { return self.extend_with(columns.all, level); },
          nb::arg("columns"), nb::arg("level") = 0, free)
      .def(
          "extend_by", [](const Tortilla& self, const TortillaExtension& by) { return self.extend_with(by); }, free)
      .def("pop", &Tortilla::pop, nb::arg("key"), nb::arg("level") = 0, free)
      .def("export_metadata", [](const Tortilla& self, int deep) {
        return stream_capsule([&](ArrowArrayStream* out) { self.export_metadata(out, deep); });
      });
}

}  // namespace

void bind_columns(nb::module_& m);

void bind_sample(nb::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> free;
  bind_columns(m);
  bind_tortilla(m);
  nb::class_<Sample>(m, "Sample")
      .def("__init__", &init_of_path)
      .def("__init__", &init_of_bytes, nb::arg("id"), nb::arg("data"), nb::arg("metadata"), nb::arg("temp_dir") = "")
      .def("__init__", &init_of_children)
      .def("__copy__", [](const Sample& self) { return Sample(self); })
      .def_prop_ro("id", [](const Sample& self) { return text(self.id()); })
      .def_prop_ro("is_folder", [](const Sample& self) { return self.type() == SampleType::Folder; })
      .def_prop_ro("path", [](const Sample& self) { return text(self.path()); })
      .def_prop_ro("vsi_path", [](const Sample& self) { return text(self.vsi_path()); })
      .def_prop_ro("size", &Sample::size)
      .def("read_bytes",
           [](const Sample& self) {
             const Bytes bytes = [&] {
               const nb::gil_scoped_release release;
               return self.read_bytes();
             }();
             return bytes_of(bytes);
           })
      .def("cleanup", &Sample::cleanup)
      .def("get", &get)
      .def("keys", &keys)
      .def("has", [](const Sample& self, std::string_view key) { return self.find(key) != nullptr; })
      .def("metadata", &metadata)
      .def(
          "extend_with", [](Sample& self, const Columns& columns) { self.extend_with(columns.row(0)); }, free)
      .def(
          "extend_by", [](Sample& self, const SampleExtension& by) { self.extend_with(by); }, free)
      .def("pop", &popped)
      .def("export_metadata", [](const Sample& self) {
        return stream_capsule([&](ArrowArrayStream* out) { self.export_metadata(out); });
      });
}

}  // namespace tacore::python
