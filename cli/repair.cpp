#include <string>
#include <string_view>

#include <tacore/error.hpp>
#include <tacore/ops/repair.hpp>
#include <tacore/verbose.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "copying.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "output.hpp"

namespace tacore::cli {
namespace {

void propose(const RepairCommandOptions& options) {
  ProposeOptions how{.task = options.how.task, .transformer = transformer()};
  std::string plan;
  run_copy(
      how.task, [&] { plan = propose_repairs(options.path, how); }, "files");
  with_output(options.output, {options.path}, [&](tabular::Output& out) { out.write(plan); });
}

ApplyOptions accepted(const RepairCommandOptions& options) {
  ApplyOptions out{.edit = options.how};
  for (const auto& text : options.accept) {
    if (text == "all") out.accept_all = true;
    else out.accept.push_back(parse_count("--accept", text));
  }
  return out;
}

}  // namespace

int run_repair(const RepairCommandOptions& options) {
  if (!options.apply.empty() && !options.undo.empty()) throw UsageError("--apply and --undo exclude each other");
  const std::string file = options.apply.empty() ? options.undo : options.apply;
  if (file.empty()) {
    if (!options.accept.empty()) throw UsageError("--accept is for --apply and --undo");
    propose(options);
    return 0;
  }
  if (!options.output.path.empty())
    throw UsageError("--output is for a plan; --apply and --undo change the dataset in place");
  ApplyOptions how = accepted(options);
  std::string plan = read_text(file);
  if (!options.undo.empty()) plan = inverse_repairs(plan, how);
  RepairResult done;
  run_copy(how.edit.task, [&] {
    // What is undone is accepted already, under other numbers.
    done = apply_repairs(options.path, plan, options.undo.empty() ? how : ApplyOptions{.edit = how.edit});
  });
  if (log_level() != LogLevel::Off) {
    complain(options.path + ": " + count_of(static_cast<uint64_t>(done.num_repairs), "repair") + " made, " +
             count_of(static_cast<uint64_t>(done.num_values), "value") + " changed, " +
             count_of(static_cast<uint64_t>(done.num_left), "repair") + " not accepted");
  }
  return 0;
}

}  // namespace tacore::cli
