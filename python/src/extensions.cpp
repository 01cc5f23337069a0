#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "columns.hpp"
#include "others.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/constant.hpp"
#include "tacore/extensions/conventions.hpp"
#include "tacore/extensions/geo_layers.hpp"
#include "tacore/extensions/geotiff_stats.hpp"
#include "tacore/extensions/majortom.hpp"
#include "tacore/extensions/optical_data.hpp"
#include "tacore/extensions/sha256.hpp"
#include "tacore/extensions/spatial_grouping.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/extensions/tiff_index.hpp"
#include "tacore/raster/stac.hpp"
#include "tacore/write/create.hpp"
#include "text.hpp"
#include "value.hpp"

namespace tacore::python {
namespace {

using namespace extensions;

/// A time from microseconds, text in RFC 3339, or a time object of Python or NumPy.
Timestamp time_of(nb::handle object) {
  if (PyLong_Check(object.ptr()) && !PyBool_Check(object.ptr())) return {nb::cast<int64_t>(object)};
  if (PyUnicode_Check(object.ptr())) return Timestamp::parse(nb::cast<std::string>(object));
  const Value value = value_of(object);
  const auto* at = value.get<Timestamp>();
  if (at != nullptr) return *at;
  const auto* number = value.get<int64_t>();
  if (number != nullptr) return {*number};
  throw nb::type_error(
      "a time has another type; microseconds since 1970, a datetime, a date, or text in RFC 3339 expected");
}

std::optional<Timestamp> time_or_none(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return time_of(object);
}

Binary binary_of(nb::handle object) {
  const Value value = value_of(object);
  const auto* binary = value.get<Binary>();
  if (binary == nullptr) throw nb::type_error("a geometry has another type; bytes (WKB) expected");
  return *binary;
}

std::optional<Binary> binary_or_none(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return binary_of(object);
}

using SamplePtr = std::unique_ptr<SampleExtension>;
using TortillaPtr = std::unique_ptr<TortillaExtension>;
using TacoPtr = std::unique_ptr<TacoExtension>;

/// A number. Throws next_overload for an object of another type, so that the TypeError of the call lists the arguments.
double number_of(nb::handle object) {
  double out = 0;
  if (!nb::try_cast(object, out)) throw nb::next_overload();
  return out;
}

/// A Python object as a value of a column of `type`.
Value column_value(const std::string& type, nb::handle object) {
  if (object.is_none()) return {};
  if (type == "timestamp[us]") return time_of(object);
  if (type == "binary") return binary_of(object);
  if (type == "double") return number_of(object);
  if (type == "list<item: double>") {
    Value::List out;
    for (const nb::handle each : nb::list(object)) out.push_back(number_of(each));
    return out;
  }
  Value out = value_of(object);
  if (type == "bool" ? !out.get<bool>() : !out.get<std::string>()) throw nb::next_overload();
  return out;
}

/// The columns of a built-in extension of `src/extensions/columns.inc`, from a Python object for each.
std::vector<MetadataField> columns_from(const char* extension, const nb::args& given) {
  const auto columns = extension_columns(extension);
  if (given.size() != columns.size()) throw nb::next_overload();
  std::vector<Value> values;
  for (std::size_t i = 0; i < columns.size(); ++i) values.push_back(column_value(columns[i].field.type, given[i]));
  return make_columns(extension, std::move(values));
}

/// Releases the GIL during `make`; a transformer acquires it when it needs it.
template <class Make>
auto freely(Make&& make) {
  const nb::gil_scoped_release release;
  return make();
}

SamplePtr stac(const std::string& crs, const std::vector<int64_t>& tensor_shape,
               const std::array<double, 6>& geotransform, nb::handle time_start, nb::handle centroid,
               nb::handle time_end, nb::handle time_middle, const std::optional<std::string>& sample_id) {
  const StacOptions options{.sample_id = sample_id.value_or(""),
                            .crs = crs,
                            .tensor_shape = tensor_shape,
                            .geotransform = geotransform,
                            .time_start = time_of(time_start),
                            .time_end = time_or_none(time_end),
                            .time_middle = time_or_none(time_middle),
                            .centroid = binary_or_none(centroid),
                            .transformer = crs_transformer()};
  return freely([&] { return std::make_unique<STAC>(options); });
}

SamplePtr istac(const std::string& crs, nb::handle geometry, nb::handle time_start, nb::handle time_end,
                nb::handle time_middle, nb::handle centroid, bool check_antimeridian,
                const std::optional<std::string>& sample_id) {
  const IstacOptions options{.sample_id = sample_id.value_or(""),
                             .crs = crs,
                             .geometry = binary_of(geometry),
                             .time_start = time_of(time_start),
                             .time_end = time_or_none(time_end),
                             .time_middle = time_or_none(time_middle),
                             .centroid = binary_or_none(centroid),
                             .check_antimeridian = check_antimeridian,
                             .transformer = crs_transformer()};
  return freely([&] { return std::make_unique<ISTAC>(options); });
}

/// The arguments of STAC from a raster: (crs, tensor_shape, geotransform).
nb::tuple raster_stac(const std::string& path) {
  const StacOptions found = freely([&] {
    return to_stac(*open_raster(path, raster_opener()),
                   {.transformer = crs_transformer(), .fallback = raster_opener()});
  });
  return nb::make_tuple(text(found.crs), found.tensor_shape, found.geotransform);
}

/// The arguments of ISTAC from a raster: (crs, geometry, centroid).
nb::tuple raster_istac(const std::string& path) {
  const IstacOptions found = freely([&] {
    return to_istac(*open_raster(path, raster_opener()),
                    {.transformer = crs_transformer(), .fallback = raster_opener()});
  });
  return nb::make_tuple(text(found.crs), object_of(found.geometry),
                        found.centroid ? object_of(*found.centroid) : nb::object(nb::none()));
}

PerBand per_band(nb::handle object) {
  if (object.is_none()) return {};
  const Value value = value_of(object);
  if (const auto* number = value.get<double>()) return *number;
  if (const auto* number = value.get<int64_t>()) return static_cast<double>(*number);
  const auto* items = value.get<Value::List>();
  if (items == nullptr) throw nb::type_error("a value has another type; a number or a list of numbers expected");
  std::vector<double> out;
  for (const auto& item : *items) {
    const auto* number = item.get<double>();
    const auto* whole = item.get<int64_t>();
    if (!number && !whole) throw nb::type_error("a value has another type; a number or a list of numbers expected");
    out.push_back(number ? *number : static_cast<double>(*whole));
  }
  return out;
}

GeotiffStatsOptions stats_options(bool categorical, const std::optional<std::vector<int64_t>>& class_values,
                                  bool approx, bool histograms) {
  return {.categorical = categorical,
          .class_values = class_values.value_or(std::vector<int64_t>()),
          .approx = approx,
          .histograms = histograms,
          .fallback = raster_opener()};
}

/// A layer written in Python: an object with `value(crs, geometry)`, `source` and `version`.
class PythonLayer : public GeoLayer {
 public:
  explicit PythonLayer(nb::object layer)
      : source_(nb::cast<std::string>(layer.attr("source"))),
        version_(nb::cast<std::string>(layer.attr("version"))),
        layer_(std::move(layer)) {}
  ~PythonLayer() override {
    const nb::gil_scoped_acquire acquire;
    layer_.reset();
  }
  PythonLayer(const PythonLayer&) = delete;
  PythonLayer& operator=(const PythonLayer&) = delete;

  Value value(const Footprint& footprint) const override {
    const nb::gil_scoped_acquire acquire;
    const Value found = value_of(layer_.attr("value")(text(footprint.crs), object_of(footprint.geometry)));
    const auto* whole = found.get<int64_t>();
    return whole ? Value(static_cast<double>(*whole)) : found;
  }
  const std::string& source() const noexcept override { return source_; }
  const std::string& version() const noexcept override { return version_; }

 private:
  std::string source_, version_;
  nb::object layer_;
};

GeoLayers layers_of(const nb::dict& given) {
  GeoLayers out;
  for (const auto& [name, layer] : given)
    out[nb::cast<std::string>(name)] = std::make_shared<const PythonLayer>(nb::borrow(layer));
  return out;
}

void bind_samples(nb::module_& m) {
  nb::class_<SampleExtension>(m, "SampleExtension")
      .def("schema", [](const SampleExtension& self) { return descriptions_of(self.schema()); })
      .def("compute", [](const SampleExtension& self, const Sample& sample) {
        const nb::gil_scoped_release release;
        const auto schema = self.schema();
        auto values = self.compute(sample);
        Columns out;
        for (std::size_t i = 0; i < schema.size(); ++i)
          out.all.push_back({schema[i].name, {std::move(values.at(i))}, schema[i].type, schema[i].description});
        return out;
      });
  m.def("stac", &stac, nb::arg("crs"), nb::arg("tensor_shape"), nb::arg("geotransform"), nb::arg("time_start"),
        nb::arg("centroid").none(), nb::arg("time_end").none(), nb::arg("time_middle").none(),
        nb::arg("sample_id").none());
  m.def("istac", &istac, nb::arg("crs"), nb::arg("geometry"), nb::arg("time_start"), nb::arg("time_end").none(),
        nb::arg("time_middle").none(), nb::arg("centroid").none(), nb::arg("check_antimeridian"),
        nb::arg("sample_id").none());
  m.def("raster_stac", &raster_stac);
  m.def("raster_istac", &raster_istac);
  m.def(
      "geotiff_stats",
      [](bool categorical, const std::optional<std::vector<int64_t>>& class_values, bool approx, bool histograms) {
        return SamplePtr(new GeotiffStats(stats_options(categorical, class_values, approx, histograms)));
      },
      nb::arg("categorical"), nb::arg("class_values").none(), nb::arg("approx"), nb::arg("histograms"));
  m.def("stats", [] { return SamplePtr(new Stats(raster_opener())); });
  m.def(
      "scaling",
      [](nb::handle factor, nb::handle offset, const std::optional<std::vector<int32_t>>& padding) {
        return SamplePtr(
            new Scaling({.scale_factor = per_band(factor), .scale_offset = per_band(offset), .padding = padding}));
      },
      nb::arg("factor").none(), nb::arg("offset").none(), nb::arg("padding").none());
  m.def("rai", [](const nb::dict& layers) { return SamplePtr(new RAI(layers_of(layers))); });
  m.def("header", [] { return SamplePtr(new TiffIndex()); });
  for (const char* name : {"split", "land_cover", "change", "methane", "flood"}) {
    m.def(name, [name](const nb::args& values) { return SamplePtr(new SampleColumns(columns_from(name, values))); });
  }
}

MajorTomOptions majortom_options(double dist_km, std::pair<double, double> latitude_range,
                                 std::pair<double, double> longitude_range, const std::string& sep,
                                 double equator_radius_km) {
  return {.dist_km = dist_km,
          .min_latitude = latitude_range.first,
          .max_latitude = latitude_range.second,
          .min_longitude = longitude_range.first,
          .max_longitude = longitude_range.second,
          .sep = sep,
          .equator_radius_km = equator_radius_km};
}

FromRasters from_rasters(nb::handle time_start, int jobs) {
  return {.with = {.transformer = crs_transformer(), .fallback = raster_opener()},
          .time_start = time_or_none(time_start),
          .jobs = jobs};
}

void bind_tortillas(nb::module_& m) {
  nb::class_<TortillaExtension>(m, "TortillaExtension")
      .def("schema", [](const TortillaExtension& self) { return descriptions_of(self.schema()); })
      .def("compute", [](const TortillaExtension& self, const Tortilla& tortilla) {
        const nb::gil_scoped_release release;
        const auto schema = self.schema();
        auto values = self.compute(tortilla);
        Columns out;
        for (std::size_t i = 0; i < schema.size(); ++i)
          out.all.push_back({schema[i].name, std::move(values.at(i)), schema[i].type, schema[i].description});
        return out;
      });
  nb::class_<MajorTomGrid>(m, "MajorTomGrid")
      .def("__init__", [](MajorTomGrid* self, double dist_km, std::pair<double, double> lat,
                          std::pair<double, double> lon, const std::string& sep,
                          double radius) { new (self) MajorTomGrid(majortom_options(dist_km, lat, lon, sep, radius)); })
      .def_prop_ro("first_row", [](const MajorTomGrid& self) { return self.rows().first; })
      .def("first_column", [](const MajorTomGrid& self, int64_t row) { return self.columns(row).first; })
      .def("latlon2rowcol",
           [](const MajorTomGrid& self, double lat, double lon) {
             const MajorTomCell cell = self.latlon2rowcol(lat, lon);
             return nb::make_tuple(self.row_label(cell), self.column_label(cell), cell.row, cell.column);
           })
      .def("rowcol2latlon",
           [](const MajorTomGrid& self, int64_t row, int64_t column) {
             const LonLat at = self.rowcol2latlon({.row = row, .column = column});
             return nb::make_tuple(at.lat, at.lon);
           })
      .def("rowcol2latlon",
           [](const MajorTomGrid& self, std::string_view row, std::string_view column) {
             const LonLat at = self.rowcol2latlon(row, column);
             return nb::make_tuple(at.lat, at.lon);
           })
      .def("code", [](const MajorTomGrid& self, int64_t row, int64_t column) {
        return text(self.code({.row = row, .column = column}));
      });
  m.def("majortom",
        [](double dist_km, std::pair<double, double> lat, std::pair<double, double> lon, const std::string& sep,
           double radius) { return TortillaPtr(new MajorTOM(majortom_options(dist_km, lat, lon, sep, radius))); });
  m.def(
      "spatial_grouping",
      [](std::optional<int64_t> target_count, std::optional<std::string> target_size) {
        return TortillaPtr(new SpatialGrouping({.target_count = target_count, .target_size = std::move(target_size)}));
      },
      nb::arg("target_count").none(), nb::arg("target_size").none());
  m.def("zorder", [](double lon, double lat) { return zorder({.lon = lon, .lat = lat}); });
  m.def("geo_enrich",
        [](const nb::dict& layers, double scale_m) { return TortillaPtr(new GeoEnrich(layers_of(layers), scale_m)); });
  // with_*: add the columns of an extension to all samples of a tree.
  m.def(
      "with_geotiff_stats",
      [](const Tortilla& samples, bool categorical, const std::optional<std::vector<int64_t>>& class_values,
         bool approx, bool histograms, int jobs) {
        const auto options = stats_options(categorical, class_values, approx, histograms);
        return freely([&] { return with_geotiff_stats(samples, options, jobs); });
      },
      nb::arg("samples"), nb::arg("categorical"), nb::arg("class_values").none(), nb::arg("approx"),
      nb::arg("histograms"), nb::arg("jobs"));
  m.def("with_tiff_index", [](const Tortilla& samples, bool skip_others, int jobs) {
    return freely([&] { return with_tiff_index(samples, {.skip_others = skip_others, .jobs = jobs}); });
  });
  m.def("with_sha256",
        [](const Tortilla& samples, int jobs) { return freely([&] { return with_sha256(samples, jobs); }); });
  m.def(
      "with_stac",
      [](const Tortilla& samples, nb::handle time_start, int jobs) {
        const FromRasters from = from_rasters(time_start, jobs);
        return freely([&] { return with_stac(samples, from); });
      },
      nb::arg("samples"), nb::arg("time_start").none(), nb::arg("jobs"));
  m.def(
      "with_istac",
      [](const Tortilla& samples, nb::handle time_start, int jobs) {
        const FromRasters from = from_rasters(time_start, jobs);
        return freely([&] { return with_istac(samples, from); });
      },
      nb::arg("samples"), nb::arg("time_start").none(), nb::arg("jobs"));
  m.def("with_folder_places",
        [](const Tortilla& samples) { return freely([&] { return with_folder_places(samples, crs_transformer()); }); });
}

using BandTuple =
    std::tuple<std::string, std::optional<int32_t>, std::optional<std::string>, std::optional<std::string>,
               std::optional<std::string>, std::optional<double>, std::optional<double>>;
using ClassTuple = std::tuple<std::string, std::variant<std::string, int64_t>, std::optional<std::string>>;
using PublicationTuple = std::tuple<std::string, std::string, std::optional<std::string>>;

Convention convention_of(std::string_view name) {
  if (name == "land-cover") return Convention::LandCover;
  if (name == "change") return Convention::Change;
  if (name == "methane") return Convention::Methane;
  if (name == "flood") return Convention::Flood;
  throw SchemaError("unknown convention '" + std::string(name) + "'; land-cover, change, methane or flood expected");
}

/// Labels of (name, category, description).
TacoPtr labels(const std::vector<ClassTuple>& classes, std::optional<std::string> description) {
  std::vector<LabelClass> all;
  for (const auto& [name, category, text] : classes) all.push_back({name, category, text});
  return std::make_unique<Labels>(std::move(all), std::move(description));
}

TacoPtr optical_data(const std::string& sensor, const std::vector<BandTuple>& bands) {
  OpticalDataOptions options{.sensor = sensor};
  for (const auto& [name, index, common, description, unit, center, width] : bands)
    options.bands.push_back({name, index, common, description, unit, center, width});
  return std::make_unique<OpticalData>(options);
}

TacoPtr publications(const std::vector<PublicationTuple>& given) {
  std::vector<Publication> all;
  for (const auto& [doi, citation, summary] : given) all.push_back({doi, citation, summary});
  return std::make_unique<Publications>(std::move(all));
}

nb::list bands_of(std::string_view sensor) {
  nb::list out;
  for (const auto& band : optical_bands(sensor)) {
    out.append(nb::cast(BandTuple(band.name, band.index, band.common_name, band.description, band.unit,
                                  band.center_wavelength, band.full_width_half_max)));
  }
  return out;
}

}  // namespace

/// Called after bind_create(), which binds the class Taco.
void bind_extensions(nb::module_& m) {
  bind_samples(m);
  bind_tortillas(m);
  nb::class_<TacoExtension>(m, "TacoExtension")
      .def("schema", [](const TacoExtension& self) { return descriptions_of(self.schema()); })
      .def("compute", [](const TacoExtension& self, const Taco& taco) {
        const auto schema = self.schema();
        const auto values = self.compute(taco);
        nb::dict out;
        for (std::size_t i = 0; i < schema.size(); ++i)
          out[text(schema[i].name)] = object_of(values.at(i), schema[i].type);
        return out;
      });
  m.def("labels", &labels, nb::arg("classes"), nb::arg("description").none());
  m.def("optical_data", &optical_data);
  m.def("optical_sensors", &optical_sensors);
  m.def("optical_bands", &bands_of);
  m.def("publications", &publications);
  for (const char* name : {"split_strategy", "rai_statement"}) {
    m.def(name, [name](const nb::args& values) { return TacoPtr(new TacoColumns(columns_from(name, values))); });
  }
  m.def("extension_columns", [](std::string_view extension) {
    nb::list out;
    for (const auto& [field, allowed] : extension_columns(extension))
      out.append(nb::make_tuple(text(field.name), text(field.type), text(field.description), text(allowed)));
    return out;
  });
  m.def("check_convention", [](std::string_view name, const Tortilla& tortilla) {
    return texts(check_convention(convention_of(name), tortilla));
  });
  m.def("check_convention",
        [](std::string_view name, const Taco& taco) { return texts(check_convention(convention_of(name), taco)); });
}

}  // namespace tacore::python
