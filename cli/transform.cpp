#include <tacore/ops/export.hpp>
#include <tacore/plumbing/apart.hpp>
#include <tacore/v1/convert.hpp>
#include <tacore/v1/create.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "selection.hpp"

namespace tacore::cli {

int run_export(const ExportCommandOptions& options) {
  check_selection(options.selection);
  check_ending(options.output);
  ExportOptions how = options.how;
  if (how.create.split_size.value_or(0) == 0 && how.create.group_by.empty())
    check_output(options.output, how.create.output.overwrite);
  how.create = completed(how.create);
  const Dataset dataset = select(options.selection);
  run_writer(how.create.task, [&] { return export_dataset(dataset, options.output, how); });
  return 0;
}

int run_convert(const ConvertOptions& options) {
  check_ending(options.output);
  CreateOptions how = completed(options.how);
  if (how.split_size.value_or(0) == 0) check_output(options.output, how.output.overwrite);
  require_apart(options.output, {options.collection});
  const Collection collection = collection_of(options, options.output);
  run_writer(how.task, [&] { return convert(options.input, options.output, how, collection); });
  return 0;
}

int run_compile(const CompileCommandOptions& options) {
  check_selection(options.selection);
  v1::CreateTacoOptions how = options.how;
  if (how.split_size.value_or(0) == 0) check_output(options.output, how.output.overwrite);
  const Dataset dataset = select(options.selection);
  run_writer(how.task, [&] { return v1::compile(dataset, options.output, how); });
  return 0;
}

int run_concat(const ConcatOptions& options) {
  if (options.paths.size() < 3) throw UsageError("at least two datasets and the name of the new one expected");
  const std::string& output = options.paths.back();
  ExportOptions how = options.how;
  how.create = completed(how.create);
  if (!how.id.empty() && (ends_with(output, ".taco") || ends_with(output, ".tortilla")))
    throw UsageError("--id is of datasets of 2.0; taco edit sets that of a .taco");
  check_ending(output);
  check_output(output, how.create.output.overwrite);
  std::vector<Dataset> datasets;
  for (std::size_t i = 0; i + 1 < options.paths.size(); ++i) datasets.push_back(load(options.paths[i]));
  const Dataset all = concat(datasets, options.mode);
  run_writer(how.create.task, [&] { return export_dataset(all, output, how); });
  return 0;
}

}  // namespace tacore::cli
