#include <string>
#include <utility>
#include <vector>

#include <tacore/ops/site.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "extent_text.hpp"
#include "info_text.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

std::string name_and_version(const DatasetSummary& dataset) {
  const bool is_known = !dataset.version.empty() && dataset.version != "unknown";
  const std::string id = printable(dataset.id) + (is_known ? " " + printable(dataset.version) : "");
  return dataset.title == dataset.id ? id : printable(dataset.title) + " (" + id + ")";
}

std::string lines(const DatasetSummary& dataset) {
  const auto& [box, time] = dataset.extent;
  std::string samples = grouped(static_cast<uint64_t>(dataset.num_samples));
  if (dataset.num_bytes) samples += ", " + bytes_text(static_cast<double>(*dataset.num_bytes));
  return name_and_version(dataset) + "\n" + labelled("Path", {printable(dataset.path)}) +
         labelled("Samples", {samples}) + labelled("Extent", {box ? cli::in_words(*box) : "unknown"}) +
         labelled("Time", {time ? cli::in_words(*time) : "unknown"}) + listed("Licence", dataset.licenses) +
         listed("Tasks", dataset.tasks) + "\n";
}

std::string object(const DatasetSummary& dataset) {
  const auto list = [](const std::vector<std::string>& texts) {
    std::vector<std::string> out;
    for (const auto& text : texts) out.push_back(json_string(text));
    return json_array(out);
  };
  return json_object({{"path", json_string(dataset.path)},
                      {"format", json_string(to_string(dataset.format))},
                      {"id", json_string(dataset.id)},
                      {"title", json_string(dataset.title)},
                      {"version", json_string(dataset.version)},
                      {"samples", std::to_string(dataset.num_samples)},
                      {"size", dataset.num_bytes ? std::to_string(*dataset.num_bytes) : "null"},
                      {"extent", extent_json(dataset.extent)},
                      {"licenses", list(dataset.licenses)},
                      {"tasks", list(dataset.tasks)},
                      {"keywords", list(dataset.keywords)}});
}

}  // namespace

int list_listing(const InfoOptions& options) {
  const auto all = list_datasets(options.path, {.load = options.load});
  std::string text;
  std::vector<std::string> objects;
  for (const auto& dataset : all) {
    if (options.json) objects.push_back(object(dataset));
    else text += lines(dataset);
  }
  print(options.json ? json_array_lines(objects) : text + count_of(all.size(), "dataset") + "\n");
  return 0;
}

int run_site(const SiteCommandOptions& options) {
  SiteOptions how = options.how;
  how.transformer = transformer();
  how.fallback = raster_opener();
  check_output(options.output, how.overwrite);
  std::vector<DatasetSummary> made;
  run_copy(
      how.list.task, [&] { made = write_site(options.datasets, options.output, how); }, "datasets");
  if (!made.empty() && is_terminal_error()) complain(options.output + ": " + count_of(made.size(), "dataset"));
  return 0;
}

}  // namespace tacore::cli
