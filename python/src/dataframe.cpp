#include "tacore/dataframe.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "capsule.hpp"
#include "path.hpp"
#include "rows.hpp"
#include "statistics.hpp"
#include "tacore/plumbing/serialize.hpp"
#include "tacore/write/tabular.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

nb::object object_of(Node&& node) {
  if (auto* frame = std::get_if<DataFrame>(&node)) return nb::cast(std::move(*frame));
  if (const auto* bytes = std::get_if<Bytes>(&node)) return bytes_of(*bytes);
  return text(std::get<VsiPath>(node).value);
}

template <class Key>
nb::object read(const DataFrame& frame, Key key) {
  Node node = [&] {
    const nb::gil_scoped_release release;
    return frame.read(key);
  }();
  return object_of(std::move(node));
}

template <class Key>
nb::bytes read_bytes(const DataFrame& frame, Key key) {
  const Bytes bytes = [&] {
    const nb::gil_scoped_release release;
    return frame.read_bytes(key);
  }();
  return bytes_of(bytes);
}

nb::list read_many(const DataFrame& frame, const std::vector<int64_t>& positions) {
  const auto all = [&] {
    const nb::gil_scoped_release release;
    return frame.read_bytes(std::span<const int64_t>(positions));
  }();
  nb::list out;
  for (const auto& bytes : all) out.append(bytes_of(bytes));
  return out;
}

struct Text : tabular::Output {
  void write(std::string_view bytes) override { all += bytes; }
  std::string all;
};

nb::bytes encode(const DataFrame& frame, std::string_view encoding) {
  Text out;
  {
    const nb::gil_scoped_release release;
    tabular::encode(frame, tabular::parse_encoding(encoding), out);
  }
  return nb::bytes(out.all.data(), out.all.size());
}

/// The (path, version) of each file of a dataset.
template <class T>
std::vector<std::pair<Path, std::string>> versions(const T& self) {
  std::vector<std::pair<Path, std::string>> out;
  const nb::gil_scoped_release release;
  for (auto& file : file_versions(self)) out.emplace_back(Path{std::move(file.path)}, std::move(file.version));
  return out;
}

}  // namespace

void bind_dataframe(nb::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> free;
  nb::class_<DataFrame> frame(m, "DataFrame");
  frame.def("__len__", &DataFrame::num_rows)
      .def_prop_ro("columns", [](const DataFrame& self) { return columns_of(self.columns()); })
      .def_prop_ro("level", &DataFrame::level)
      .def("fit",
           [](const DataFrame& self, std::size_t line_width) {
             const nb::gil_scoped_release release;
             auto [lines, left_out] = tabular::fit(self, line_width);
             return std::pair(std::move(lines), std::move(left_out));
           })
      .def("text",
           [](const DataFrame& self, int64_t position, std::string_view column) {
             const auto cell = [&] {
               const nb::gil_scoped_release release;
               return self.text(position, column);
             }();
             return text_or_none(cell);
           })
      .def("read", &read<int64_t>)
      .def("read", [](const DataFrame& self, const nb::str& id) { return read<std::string_view>(self, bytes_in(id)); })
      .def("vsi_path", [](const DataFrame& self, const nb::str& id) { return text(self.vsi_path(bytes_in(id)).value); })
      .def("read_bytes", &read_bytes<int64_t>)
      .def("read_bytes",
           [](const DataFrame& self, const nb::str& id) { return read_bytes<std::string_view>(self, bytes_in(id)); })
      .def("read_bytes", &read_many)
      .def("filter", &DataFrame::filter, free)
      .def("select", &DataFrame::select, free)
      .def("sort", &DataFrame::sort, nb::arg("column"), nb::arg("descending") = false, free)
      .def("limit", &DataFrame::limit, nb::arg("count"), nb::arg("offset") = 0, free)
      .def("tail", &DataFrame::tail, nb::arg("count") = 5, free)
      .def(
          "take", [](const DataFrame& self, const std::vector<int64_t>& positions) { return self.take(positions); },
          free)
      .def("with_column", &DataFrame::with_column, free)
      .def("encode", &encode)
      .def("serialize",
           [](const DataFrame& self) {
             const Bytes bytes = [&] {
               const nb::gil_scoped_release release;
               return serialize(self);
             }();
             return bytes_of(bytes);
           })
      .def("file_versions", &versions<DataFrame>)
      .def(
          "__arrow_c_stream__",
          [](const DataFrame& self, nb::handle) {
            return stream_capsule([&](ArrowArrayStream* out) { self.export_stream(out); });
          },
          nb::arg("requested_schema") = nb::none());
  bind_statistics(frame);
  m.def("file_versions", &versions<Dataset>);
  m.def("deserialize", [](const Dataset& dataset, const nb::bytes& bytes) {
    const std::span all(static_cast<const std::byte*>(bytes.data()), bytes.size());
    const nb::gil_scoped_release release;
    return deserialize(dataset, all);
  });
  m.def("varies", &varies);
  m.def("serialize_drawn", [](const Dataset& dataset) {
    const Bytes bytes = [&] {
      const nb::gil_scoped_release release;
      return serialize_drawn(dataset);
    }();
    return bytes_of(bytes);
  });
  m.def("with_drawn", [](const Dataset& dataset, const nb::bytes& bytes) {
    const std::span all(static_cast<const std::byte*>(bytes.data()), bytes.size());
    const nb::gil_scoped_release release;
    return with_drawn(dataset, all);
  });
  m.def("geoarrow_stream", [](nb::handle table, Geometries geometries) {
    return capsule_of(marks_geometries(stream_of(table), std::move(geometries)));
  });
  m.def("rows", [](nb::handle table) { return rows_of(*stream_of(table)); });
}

}  // namespace tacore::python
