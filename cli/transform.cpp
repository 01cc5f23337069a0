#include <tacore/plumbing/apart.hpp>
#include <tacore/ops/export.hpp>
#include <tacore/v1/create.hpp>
#include <tacore/v1/convert.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "selection.hpp"

namespace tacore::cli {
int run_export(const ExportCommandOptions& options) {
  check_selection(options.selection);
  check_ending(options.output);
  check_output(options.output, options.writing);
  const Dataset dataset = select(options.selection);
  run_copy({}, options.writing, [&](const CreateOptions& how) {
    export_dataset(dataset, options.output, {.create = how, .strict = options.strict, .id = options.id});
  });
  return 0;
}

int run_convert(const ConvertOptions& options) {
  check_ending(options.output);
  if (options.split_size == 0) check_output(options.output, options.writing);
  require_apart(options.output, {options.collection});
  const Collection collection = collection_of(options, options.output);
  run_copy({.split_size = options.split_size}, options.writing,
           [&](const CreateOptions& how) { v1::convert(options.input, options.output, collection, how); });
  return 0;
}

namespace {

void compile(const Dataset& dataset, const std::string& output, uint64_t split_size, const CreateOptions& how) {
  v1::compile(dataset, output,
              {.overwrite = how.overwrite,
               .split_size = split_size,
               .jobs = how.jobs,
               .parquet = how.parquet,
               .temp_dir = how.temp_dir,
               .progress = how.progress,
               .user = how.user});
}

}  // namespace

int run_compile(const CompileCommandOptions& options) {
  check_selection(options.selection);
  if (options.split_size == 0) check_output(options.output, options.writing);
  const Dataset dataset = select(options.selection);
  run_copy({}, options.writing,
           [&](const CreateOptions& how) { compile(dataset, options.output, options.split_size, how); });
  return 0;
}

int run_concat(const ConcatOptions& options) {
  if (options.paths.size() < 3) throw UsageError("at least two datasets and the name of the new one expected");
  const std::string& output = options.paths.back();
  const bool is_v1 = ends_with(output, ".taco") || ends_with(output, ".tortilla");
  if (is_v1 && !options.id.empty()) throw UsageError("--id is of datasets of 2.0; taco edit sets that of a .taco");
  check_ending(output);
  check_output(output, options.writing);
  std::vector<Dataset> datasets;
  for (std::size_t i = 0; i + 1 < options.paths.size(); ++i) datasets.push_back(load(options.paths[i]));
  const Dataset all = concat(datasets, options.mode);
  run_copy({}, options.writing,
           [&](const CreateOptions& how) {
             if (is_v1) compile(all, output, 0, how);
             else export_dataset(all, output, {.create = how, .id = options.id});
           });
  return 0;
}

}  // namespace tacore::cli
