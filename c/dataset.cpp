#include "tacore/dataset.hpp"

#include <string>
#include <vector>

#include "call.hpp"
#include "handles.hpp"
#include "json.hpp"
#include "options.hpp"
#include "tacore/ops/describe.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "tacore/remote.hpp"
#include "tacore/verbose.hpp"
#include "tacore/version.hpp"

namespace tacore::c {
namespace {

/// load() with the options of remote paths that are given; those of tacore_set_options() are the defaults of the
/// others.
Dataset open(const std::vector<std::string>& paths, const char* options) {
  LoadOptions how{.remote = remote_options()};
  std::string mode = "intersection";
  Options given(options, "options");
  given.fill(how);
  given.fill(*how.remote);
  given.take("mode", mode);
  given.finish();
  const ColumnMode columns = parse_column_mode(mode);
  if (paths.size() == 1) return load(paths.front(), how);
  if (columns == ColumnMode::Intersection) return load(paths, how);  // joins partitions of versions before 2.0, too
  std::vector<Dataset> all;
  for (const auto& path : paths) all.push_back(load(path, how));
  return concat(all, columns);
}

FilterOptions filter_of(const char* column, int32_t level) {
  FilterOptions out{.level = level};
  if (column != nullptr && *column != '\0') out.column = column;
  return out;
}

Json extent_json(const Extent& extent) {
  Json out = Json::object();
  if (const auto& box = extent.spatial) out["spatial"] = {box->minx, box->miny, box->maxx, box->maxy};
  if (const auto& time = extent.temporal) out["temporal"] = {time->start.to_string(), time->end.to_string()};
  return out;
}

Json about(const Dataset& dataset) {
  const PitSchema tree = dataset.pit_schema();
  Json levels = Json::array();
  for (int level = 0; level <= tree.max_depth(); ++level) {
    levels.push_back(
        {{"num_rows", dataset.level_rows(level)}, {"columns", columns_json(dataset.level_columns(level))}});
  }
  return {{"path", dataset.path()},
          {"format", to_string(dataset.format())},
          {"num_rows", tree.root_n},
          {"levels", levels},
          {"pit_schema", Json::parse(tree.to_json())},
          {"extent", extent_json(dataset.known_extent())},
          {"files", files_of(dataset)}};
}

using Form = std::string (*)(const Dataset&, const DescribeOptions&);

Form form_of(const std::string& name) {
  constexpr std::pair<const char*, Form> kForms[] = {
      {"stac", collection2stac},         {"croissant", collection2croissant}, {"datacite", collection2datacite},
      {"datacard", collection2datacard}, {"markdown", collection2markdown},   {"html", collection2html}};
  std::string known;
  for (const auto& [form, describe] : kForms) {
    if (name == form) return describe;
    known += (known.empty() ? "" : ", ") + std::string(form);
  }
  throw ArgumentError("form is \"" + name + "\"; " + known + " expected");
}

/// Makes a dataset handle of what `step` returns.
template <class Step>
tacore_status derive(tacore_dataset** out, tacore_error** error, Step&& step) noexcept {
  clear(out);
  return run(error, [&] {
    require(out, "out");
    *out = new tacore_dataset{step()};
  });
}

}  // namespace
}  // namespace tacore::c

using namespace tacore::c;

uint32_t tacore_abi_version() { return uint32_t{TACORE_ABI_MAJOR} << 16U | TACORE_ABI_MINOR; }

const char* tacore_version() { return tacore::version(); }

tacore_status tacore_set_options(const char* options, tacore_error** error) {
  return run(error, [&] {
    tacore::RemoteOptions remote = tacore::remote_options();
    Options given(options, "options");
    given.fill(remote);
    Json level;
    const bool has_level = given.take("verbose", level);
    given.finish();
    if (has_level && !level.is_boolean() && !level.is_string())
      throw ArgumentError("options: \"verbose\" is " + to_text(level) +
                          "; true, false, \"info\" or \"debug\" expected");
    set_remote_options(remote);
    if (has_level && level.is_boolean()) tacore::verbose(level.get<bool>());
    if (has_level && level.is_string()) tacore::verbose(level.get<std::string>().c_str());
  });
}

tacore_status tacore_open(const char* const* paths, size_t num_paths, const char* options, tacore_dataset** dataset,
                          tacore_error** error) {
  clear(dataset);
  return run_waiting(error, [&] {
    require(dataset, "dataset");
    require(paths, "paths");
    if (num_paths == 0) throw ArgumentError("num_paths is 0, at least one path expected");
    std::vector<std::string> all;
    for (size_t i = 0; i < num_paths; ++i) {
      require(paths[i], "a path");
      all.emplace_back(paths[i]);
    }
    *dataset = new tacore_dataset{open(all, options)};
  });
}

tacore_status tacore_concat(const tacore_dataset* const* datasets, size_t num_datasets, const char* mode,
                            tacore_dataset** dataset, tacore_error** error) {
  clear(dataset);
  return run_waiting(error, [&] {
    require(dataset, "dataset");
    require(datasets, "datasets");
    std::vector<tacore::Dataset> all;
    for (size_t i = 0; i < num_datasets; ++i) {
      require(datasets[i], "a dataset");
      all.push_back(datasets[i]->dataset);
    }
    *dataset = new tacore_dataset{tacore::concat(all, tacore::parse_column_mode(text_or(mode, "intersection")))};
  });
}

void tacore_dataset_free(tacore_dataset* dataset) { delete dataset; }

const char* tacore_dataset_collection(const tacore_dataset* dataset) {
  return dataset != nullptr ? dataset->dataset.collection().json.c_str() : "";
}

tacore_status tacore_dataset_about(const tacore_dataset* dataset, tacore_buffer** json, tacore_error** error) {
  clear(json);
  return run_waiting(error, [&] {
    require(dataset, "dataset");
    require(json, "json");
    *json = buffer_of(to_text(about(dataset->dataset)));
  });
}

tacore_status tacore_dataset_sql(const tacore_dataset* dataset, const char* query, tacore_dataset** out,
                                 tacore_error** error) {
  return derive(out, error, [&] {
    require(dataset, "dataset");
    require(query, "query");
    return dataset->dataset.sql(query);
  });
}

tacore_status tacore_dataset_filter_bbox(const tacore_dataset* dataset, const double box[4], const char* column,
                                         int32_t level, tacore_dataset** out, tacore_error** error) {
  return derive(out, error, [&] {
    require(dataset, "dataset");
    require(box, "box");
    return dataset->dataset.filter_bbox(box[0], box[1], box[2], box[3], filter_of(column, level));
  });
}

tacore_status tacore_dataset_filter_datetime(const tacore_dataset* dataset, const char* range, const char* column,
                                             int32_t level, tacore_dataset** out, tacore_error** error) {
  return derive(out, error, [&] {
    require(dataset, "dataset");
    require(range, "range");
    return dataset->dataset.filter_datetime(range, filter_of(column, level));
  });
}

tacore_status tacore_dataset_rows(const tacore_dataset* dataset, int32_t flags, tacore_frame** rows,
                                  tacore_error** error) {
  clear(rows);
  return run_waiting(error, [&] {
    require(dataset, "dataset");
    require(rows, "rows");
    if ((flags & ~TACORE_RAW) != 0) throw ArgumentError("flags: 0 or TACORE_RAW expected");
    *rows = new tacore_frame{flags == TACORE_RAW ? dataset->dataset.data_raw() : dataset->dataset.data()};
  });
}

tacore_status tacore_dataset_flatten(const tacore_dataset* dataset, int32_t level, tacore_frame** rows,
                                     tacore_error** error) {
  clear(rows);
  return run_waiting(error, [&] {
    require(dataset, "dataset");
    require(rows, "rows");
    *rows = new tacore_frame{level == -1 ? dataset->dataset.flatten() : dataset->dataset.flatten(level)};
  });
}

tacore_status tacore_dataset_statistics(const tacore_dataset* dataset, const char* options, tacore_buffer** json,
                                        tacore_error** error) {
  clear(json);
  return run_waiting(error, [&] {
    require(dataset, "dataset");
    require(json, "json");
    tacore::StatsOptions how;
    std::vector<double> quantiles;
    Options given(options, "options");
    given.fill(how);
    given.take("quantiles", quantiles);
    given.finish();
    *json = buffer_of(to_text(summary_json(tacore::stored_summary(dataset->dataset, how, quantiles))));
  });
}

tacore_status tacore_dataset_describe(const tacore_dataset* dataset, const char* form, const char* options,
                                      tacore_buffer** text, tacore_error** error) {
  clear(text);
  return run_polled(error, [&](Call&) {
    require(dataset, "dataset");
    require(form, "form");
    require(text, "text");
    const Form describe = form_of(form);
    tacore::DescribeOptions how;
    Options given(options, "options");
    given.fill(how);
    given.finish();
    *text = buffer_of(describe(dataset->dataset, how));
  });
}

tacore_status tacore_export(const tacore_dataset* dataset, const char* output, const char* options,
                            tacore_buffer** paths, tacore_error** error) {
  clear(paths);
  return run_polled(error, [&](Call& call) {
    require(dataset, "dataset");
    require(output, "output");
    require(paths, "paths");
    tacore::ExportOptions how;
    Options given(options, "options");
    given.fill(how);
    given.finish();
    call.watch(how.create.task);
    *paths = buffer_of(to_text(tacore::export_dataset(dataset->dataset, output, how)));
  });
}
