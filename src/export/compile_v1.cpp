#include "base/text.hpp"
#include "export/dataset_tree.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tacore/v1/convert.hpp"
#include "tacore/v1/create.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore::v1 {

std::vector<std::string> compile(const Dataset& view, const std::string& output, const CreateTacoOptions& options) {
  require_apart(output, files_of(view));
  Tree tree = has_whole_tortillas(view) && !options.streaming ? roots_of_view(view) : tree_of_view(view);
  const Tortilla samples = tortilla_of(std::move(tree));
  CreateTacoOptions how = options;
  how.split_size = options.split_size.value_or(0);
  how.stats = false;  // a subset of the existing statistics
  if (!ends_with_ignoring_case(output, ".taco")) return create_tortilla(samples, output, how);
  return create_taco(Taco{samples, view.collection()}, output, how);
}

}  // namespace tacore::v1
