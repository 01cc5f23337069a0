#include "tacore/ops/validate.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "interruptible.hpp"
#include "options.hpp"
#include "others.hpp"
#include "path.hpp"
#include "tacore/ops/doctor.hpp"
#include "tacore/ops/report.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

/// Longitude and latitude.
using Place = std::optional<std::tuple<double, double>>;

nb::tuple tuple_of(const Issue& issue) {
  nb::list rows, places;
  for (const auto& [row, place] : issue.samples) {
    rows.append(row);
    places.append(nb::cast(place ? Place(std::tuple(place->lon, place->lat)) : std::nullopt));
  }
  const auto& [path, offset, level] = issue.where;
  return nb::make_tuple(text(issue.rule), issue.severity == Severity::Error, text(issue.message), text(path),
                        nb::cast(offset), nb::cast(level), issue.num_issues, rows, places);
}

/// The inverse of tuple_of().
Issue issue_of(nb::handle given) {
  const auto tuple = nb::cast<nb::tuple>(given);
  if (tuple.size() != 9) throw nb::type_error("an issue of tacore.validator.validate() is expected");
  Issue out{.rule = bytes_in(nb::cast<nb::str>(tuple[0])),
            .severity = nb::cast<bool>(tuple[1]) ? Severity::Error : Severity::Warning,
            .message = bytes_in(nb::cast<nb::str>(tuple[2])),
            .where = {.path = bytes_in(nb::cast<nb::str>(tuple[3])),
                      .offset = nb::cast<std::optional<uint64_t>>(tuple[4]),
                      .level = nb::cast<std::optional<int>>(tuple[5])},
            .num_issues = nb::cast<int64_t>(tuple[6])};
  const auto rows = nb::cast<std::vector<int64_t>>(tuple[7]);
  const auto places = nb::cast<std::vector<Place>>(tuple[8]);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    FaultySample& sample = out.samples.emplace_back(FaultySample{.row = rows[i]});
    if (i < places.size() && places[i]) sample.place = LonLat{std::get<0>(*places[i]), std::get<1>(*places[i])};
  }
  return out;
}

/// nullptr without rasterio: files that nobody decodes have no fault.
const RasterOpener* installed_raster_opener() {
  const nb::object found = nb::module_::import_("importlib.util").attr("find_spec")("rasterio");
  return found.is_none() ? nullptr : raster_opener();
}

std::vector<Issue> issues_of(const nb::list& given) {
  std::vector<Issue> out;
  for (const nb::handle each : given) out.push_back(issue_of(each));
  return out;
}

ValidateOptions validate_options(bool deep, const std::vector<std::string>& profiles, const Keywords& given) {
  return options_of<ValidateOptions>(
      given,
      {.deep = deep, .profiles = profiles, .transformer = crs_transformer(), .fallback = installed_raster_opener()});
}

/// `parts`: results of check_part().
nb::list check_dataset(const Path& path, bool deep, const std::vector<std::string>& profiles, const Keywords& given,
                       nb::handle callback, const std::vector<nb::bytes>& parts) {
  auto options = validate_options(deep, profiles, given);
  for (const nb::bytes& part : parts) options.parts.emplace_back(part.c_str(), part.size());
  Progress progress(callback, options.task);
  std::vector<Issue> issues;
  progress.run([&] { issues = validate(path.value, options); });
  nb::list out;
  for (const Issue& issue : issues) out.append(tuple_of(issue));
  return out;
}

nb::bytes check_part(const Path& path, int64_t part, int64_t num_parts, bool deep, const Keywords& given) {
  const auto options = validate_options(deep, {}, given);
  std::string out;
  {
    const nb::gil_scoped_release release;
    out = validate_part(path.value, part, num_parts, options);
  }
  return nb::bytes(out.data(), out.size());
}

nb::str sarif(const nb::list& given, const Path& path) { return text(issues2sarif(issues_of(given), path.value)); }

nb::str page(const nb::list& given, const Path& path, int pictures) {
  const auto issues = issues_of(given);
  const ReportOptions options{.pictures = pictures, .transformer = crs_transformer(), .fallback = raster_opener()};
  const std::string out = [&] {
    const nb::gil_scoped_release release;
    return issues2html(issues, path.value, options);
  }();
  return text(out);
}

/// The report card as JSON, its issues as tuples, and, if wanted, as HTML.
nb::tuple examine_dataset(const Path& path, const Keywords& given, bool with_page, nb::handle callback) {
  auto options =
      options_of<DoctorOptions>(given, {.transformer = crs_transformer(), .fallback = installed_raster_opener()});
  Progress progress(callback, options.task);
  ReportCard card;
  std::string page;
  progress.run([&] {
    card = examine(path.value, options);
    if (with_page) page = card2html(card, options);
  });
  nb::list issues;
  for (const Issue& issue : card.issues) issues.append(tuple_of(issue));
  return nb::make_tuple(text(card2json(card)), issues, text(page));
}

}  // namespace

void bind_validate(nb::module_& m) {
  m.def("validate_dataset", &check_dataset, nb::arg("path"), nb::arg("deep"), nb::arg("profiles"), nb::arg("options"),
        nb::arg("progress").none(), nb::arg("parts") = nb::list());
  m.def("validate_part", &check_part, nb::arg("path"), nb::arg("part"), nb::arg("num_parts"), nb::arg("deep"),
        nb::arg("options"));
  m.def("examine_dataset", &examine_dataset, nb::arg("path"), nb::arg("options"), nb::arg("with_page"),
        nb::arg("progress").none());
  m.def("issues2sarif", &sarif);
  m.def("issues2html", &page);
}

}  // namespace tacore::python
