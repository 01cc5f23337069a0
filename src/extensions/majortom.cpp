#include "tacore/extensions/majortom.hpp"

#include "extensions/tortilla_centroids.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

MajorTOM::MajorTOM(const MajorTomOptions& options) : grid_(options) {}

std::vector<FieldDescription> MajorTOM::schema() const {
  return {{"majortom:code", "string", "Cell of the Major TOM grid: distance, row and column of its anchor"}};
}

std::vector<std::vector<Value>> MajorTOM::compute(const Tortilla& tortilla) const {
  std::vector<std::vector<Value>> out(1);
  for (const auto& at : centroids_of(tortilla)) {
    out[0].push_back(at ? Value(grid_.code(grid_.latlon2rowcol(at->lat, at->lon))) : Value());
  }
  return out;
}

}  // namespace tacore::extensions
