#include "tacore/ops/export.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "interruptible.hpp"
#include "options.hpp"
#include "path.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/diff.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/sync.hpp"

namespace tacore::python {
namespace {

nb::str create_tacocat(const std::vector<Path>& inputs, const Path& output, bool validate_schema, bool single_file,
                       bool overwrite, int jobs, const Keywords& parquet, nb::handle callback) {
  const auto paths = values_of(inputs);
  TacocatOptions options{.output = output.value,
                         .validate_schema = validate_schema,
                         .single_file = single_file,
                         .overwrite = overwrite,
                         .jobs = jobs,
                         .parquet = parquet_options(parquet)};
  Progress progress(callback);
  progress.attach(options);
  return text(progress.run([&] { return tacore::create_tacocat(paths, options); }));
}

nb::str create_tacollection(const std::vector<Path>& inputs, const Path& output, bool validate_schema, bool overwrite,
                            int jobs, nb::handle callback) {
  const auto paths = values_of(inputs);
  TacollectionOptions options{
      .output = output.value, .validate_schema = validate_schema, .overwrite = overwrite, .jobs = jobs};
  Progress progress(callback);
  progress.attach(options);
  return text(progress.run([&] { return tacore::create_tacollection(paths, options); }));
}

nb::typed<nb::list, nb::str> export_dataset(const Dataset& dataset, const Path& output, const Keywords& create,
                                            bool strict, const std::string& id, nb::handle callback) {
  ExportOptions options{.create = create_options(create), .strict = strict, .id = id};
  Progress progress(callback);
  progress.attach(options.create);
  return texts(progress.run([&] { return tacore::export_dataset(dataset, output.value, options); }));
}

/// convert() and its two strict forms, which take the same.
template <void (*Convert)(const std::string&, const std::string&, const CreateOptions&)>
void convert_by(const Path& input, const Path& output, const Keywords& create, nb::handle callback) {
  CreateOptions options = create_options(create);
  Progress progress(callback);
  progress.attach(options);
  progress.run([&] { Convert(input.value, output.value, options); });
}

void edit(const Path& path, std::vector<std::pair<std::string, std::string>> set, std::vector<std::string> unset,
          int level, std::vector<std::string> drop, const std::vector<Path>& columns, int jobs, const Keywords& parquet,
          const Path& temp_dir, nb::handle callback) {
  const Edit changes{.set = std::move(set),
                     .unset = std::move(unset),
                     .level = level,
                     .drop = std::move(drop),
                     .columns = values_of(columns)};
  EditOptions options{.jobs = jobs, .parquet = parquet_options(parquet), .temp_dir = temp_dir.value};
  Progress progress(callback);
  progress.attach(options);
  progress.run([&] { tacore::edit(path.value, changes, options); });
}

nb::tuple value_change(const ValueChange& from) {
  return nb::make_tuple(text(from.name), text_or_none(from.a), text_or_none(from.b));
}

nb::list value_changes(const std::vector<ValueChange>& all) {
  nb::list out;
  for (const auto& each : all) out.append(value_change(each));
  return out;
}

nb::tuple sample_change(const SampleChange& from) {
  return nb::make_tuple(to_string(from.change), from.level, text(from.path), value_changes(from.fields),
                        text(from.bytes));
}

Keywords diff(const Path& a, const Path& b, bool quick, int jobs, nb::handle callback) {
  DiffOptions options{.quick = quick, .jobs = jobs};
  Progress progress(callback);
  progress.attach(options);
  const Diff found = progress.run([&] { return tacore::diff(a.value, b.value, options); });
  nb::list columns, samples;
  for (const auto& each : found.columns) columns.append(nb::make_tuple(each.level, value_change(each.type)));
  for (const auto& each : found.samples) samples.append(sample_change(each));
  Keywords out;
  out["collection"] = value_changes(found.collection);
  out["columns"] = columns;
  out["num_added"] = found.num_added;
  out["num_removed"] = found.num_removed;
  out["num_changed"] = found.num_changed;
  out["samples"] = samples;
  return out;
}

template <SyncResult (*Sync)(const std::string&, const std::string&, const SyncOptions&)>
nb::tuple sync_by(const Path& from, const Path& to, bool overwrite, int jobs, nb::handle callback) {
  SyncOptions options{.overwrite = overwrite, .jobs = jobs};
  Progress progress(callback);
  progress.attach(options);
  const SyncResult result = progress.run([&] { return Sync(from.value, to.value, options); });
  return nb::make_tuple(result.num_chunks_moved, result.num_bytes_moved, result.num_chunks_reused,
                        result.num_bytes_reused, result.replaced);
}

/// The samples, where and when they are, and COLLECTION.json with what is said of a subset.
nb::tuple taco_of(const Dataset& dataset, bool strict) {
  Taco taco = [&] {
    const nb::gil_scoped_release release;
    return tacore::to_taco(dataset, strict);
  }();
  nb::dict extent;
  if (const auto& box = taco.collection.extent.spatial)
    extent["spatial"] = nb::make_tuple(box->minx, box->miny, box->maxx, box->maxy);
  if (const auto& times = taco.collection.extent.temporal)
    extent["temporal"] = nb::make_tuple(times->start.to_string(), times->end.to_string());
  return nb::make_tuple(nb::cast(std::move(taco.tortilla)), extent, text(taco.collection.json));
}

}  // namespace

void bind_transform(nb::module_& m) {
  using nb::arg;
  const auto progress = arg("progress").none() = nb::none();
  m.def("create_tacocat", &create_tacocat, arg("inputs"), arg("output"), arg("validate_schema"), arg("single_file"),
        arg("overwrite"), arg("jobs"), arg("parquet"), progress);
  m.def("create_tacollection", &create_tacollection, arg("inputs"), arg("output"), arg("validate_schema"),
        arg("overwrite"), arg("jobs"), progress);
  m.def("to_dataset", &to_dataset, arg("frame"));
  m.def("export_dataset", &export_dataset, arg("dataset"), arg("output"), arg("create"), arg("strict"), arg("id"),
        progress);
  m.def("convert", &convert_by<tacore::convert>, arg("input"), arg("output"), arg("create"), progress);
  m.def("zip2folder", &convert_by<tacore::zip2folder>, arg("zip"), arg("folder"), arg("create"), progress);
  m.def("folder2zip", &convert_by<tacore::folder2zip>, arg("folder"), arg("zip"), arg("create"), progress);
  m.def("edit", &edit, arg("path"), arg("set"), arg("unset"), arg("level"), arg("drop"), arg("columns"), arg("jobs"),
        arg("parquet"), arg("temp_dir"), progress);
  m.def("diff", &diff, arg("a"), arg("b"), arg("quick"), arg("jobs"), progress);
  m.def("sync_to_store", &sync_by<sync_to_store>, arg("dataset"), arg("store"), arg("overwrite"), arg("jobs"),
        progress);
  m.def("sync_from_store", &sync_by<sync_from_store>, arg("store"), arg("dataset"), arg("overwrite"), arg("jobs"),
        progress);
  m.def("is_store", [](const Path& path) {
    const nb::gil_scoped_release release;
    return is_store(path.value);
  });
  m.def("taco_of", &taco_of, arg("dataset"), arg("strict"));
}

}  // namespace tacore::python
