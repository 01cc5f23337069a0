#include "sources.hpp"

#include <string>
#include <vector>

#include <tacore/dataset.hpp>

#include "extent_text.hpp"
#include "json.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

bool meets(const Extent& extent, const Where& where) {
  if (where.bbox && extent.spatial && !extent.spatial->intersects(*where.bbox)) return false;
  if (!where.datetime || !extent.temporal) return true;
  return extent.temporal->start <= where.datetime->end && where.datetime->start <= extent.temporal->end;
}

std::string line(const Source& source) {
  const auto& [spatial, temporal] = source.extent;
  return printable(source.file) + "\t" + printable(source.id) + "\t" + (spatial ? bbox_argument(*spatial) : "") + "\t" +
         (temporal ? datetime_argument(*temporal) : "") + "\n";
}

std::string object(const Source& source) {
  return json_object(
      {{"file", json_string(source.file)}, {"id", json_string(source.id)}, {"extent", extent_json(source.extent)}});
}

}  // namespace

int list_sources(const InfoOptions& options) {
  const Collection collection = read_collection(options.path);
  if (collection.sources.empty()) {
    throw QueryError("names no partitions (taco:sources), as a TACOCAT or TACOLLECTION.json does",
                     {.path = options.path});
  }
  std::string lines;
  std::vector<std::string> objects;
  for (const Source& source : collection.sources) {
    if (!meets(source.extent, options.where)) continue;
    if (options.json) objects.push_back(object(source));
    else lines += line(source);
  }
  print(options.json ? json_array_lines(objects) : lines);
  return 0;
}

}  // namespace tacore::cli
