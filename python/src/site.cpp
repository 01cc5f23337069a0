#include "tacore/ops/site.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "interruptible.hpp"
#include "options.hpp"
#include "others.hpp"
#include "path.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

/// Summaries as keyword arguments of the Python class.
nb::typed<nb::list, nb::dict> summaries(const std::vector<DatasetSummary>& all) {
  const auto end = [](Timestamp time, int64_t open) -> nb::object {
    return time.microseconds == open ? nb::none() : nb::object(text(time.to_string()));
  };
  nb::list out;
  for (const auto& each : all) {
    nb::dict one, extent;
    one["path"] = Path{each.path};
    one["format"] = to_string(each.format);
    one["id"] = text(each.id);
    one["title"] = text(each.title);
    one["version"] = text(each.version);
    one["description"] = text(each.description);
    one["licenses"] = texts(each.licenses);
    one["tasks"] = texts(each.tasks);
    one["keywords"] = texts(each.keywords);
    one["num_samples"] = each.num_samples;
    one["num_bytes"] = each.num_bytes ? nb::object(nb::int_(*each.num_bytes)) : nb::none();
    if (const auto& box = each.extent.spatial)
      extent["spatial"] = nb::list(nb::make_tuple(box->minx, box->miny, box->maxx, box->maxy));
    if (const auto& time = each.extent.temporal) {
      extent["temporal"] = nb::list(nb::make_tuple(end(time->start, std::numeric_limits<int64_t>::min()),
                                                   end(time->end, std::numeric_limits<int64_t>::max())));
    }
    one["extent"] = extent;
    out.append(one);
  }
  return out;
}

/// Ctrl-C in the main thread is noticed here, and not by the check of the library, which asks Python in that thread
/// only.
nb::typed<nb::list, nb::dict> list_datasets(const Path& path, const Keywords& given, nb::handle callback) {
  auto options = options_of<ListOptions>(given);
  Progress progress(callback, options.task);
  return summaries(progress.run([&] { return tacore::list_datasets(path.value, options); }));
}

nb::typed<nb::list, nb::dict> write_site(const Path& path, const Path& output, const Keywords& given,
                                         nb::handle callback) {
  nb::dict others;
  others.update(given);
  SiteOptions options;
  options.fallback = raster_opener();
  if (nb::cast<bool>(others["transformer"])) options.transformer = crs_transformer();
  nb::del(others["transformer"]);
  fill(options, others);
  Progress progress(callback, options.list.task);
  return summaries(progress.run([&] { return tacore::write_site(path.value, output.value, options); }));
}

}  // namespace

void bind_site(nb::module_& m) {
  m.def("list_datasets", &list_datasets, nb::arg("path"), nb::arg("options"), nb::arg("progress").none());
  m.def("write_site", &write_site, nb::arg("path"), nb::arg("output"), nb::arg("options"), nb::arg("progress").none());
}

}  // namespace tacore::python
