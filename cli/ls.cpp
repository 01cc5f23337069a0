#include <cstdint>
#include <string>
#include <variant>

#include <tacore/dataset.hpp>
#include <tacore/write/tabular.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

DataFrame children(const Dataset& dataset, const std::string& id) {
  const Node node = dataset.data().read(id);
  if (const auto* frame = std::get_if<DataFrame>(&node)) return *frame;
  throw NavigationError(in_quotes(id) + " is a FILE, which has no children; read it with taco read",
                        {.path = dataset.path()});
}

}  // namespace

int run_ls(const LsOptions& options) {
  const Dataset dataset = load(options.path, options.load);
  const DataFrame rows = options.id ? children(dataset, *options.id) : dataset.data();
  with_output({}, {}, [&](tabular::Output& output) {
    if (options.json) return tabular::encode(rows.select({"id", "type"}), tabular::Encoding::Json, output);
    for (int64_t row = 0; row < rows.num_rows(); ++row) {
      output.write(printable(rows.text(row, "id").value_or("")) + "\t" +
                   printable(rows.text(row, "type").value_or("")) + "\n");
    }
  });
  return 0;
}

}  // namespace tacore::cli
