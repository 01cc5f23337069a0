#include <string_view>
#include <variant>

#include <tacore/dataset.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

std::string gdal_path(const DataFrame& rows, const ReadOptions& options) {
  const Node node = rows.read(options.id);
  if (const auto* path = std::get_if<VsiPath>(&node)) return path->value;
  throw NavigationError(in_quotes(options.id) + " is a FOLDER, which has no data; see taco ls", {.path = options.path});
}

}  // namespace

int run_read(const ReadOptions& options) {
  const Dataset dataset = load(options.path, {.base_path = options.base_path});
  const DataFrame rows = dataset.data();
  const std::string path = gdal_path(rows, options);
  with_output(options.output, [&](tabular::Output& output) {
    if (options.vsi) return output.write(path + "\n");
    const Bytes bytes = rows.read_bytes(options.id);
    output.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
  return 0;
}

}  // namespace tacore::cli
