/*
  Navigates from the samples of a nested dataset to their children, and reads the bytes of a file.

    navigate PATH

  DEMONSTRATES:
  * a filter on level 1 (the files of each tile), which selects tiles
  * the children of a FOLDER, and the path that GDAL opens for a FILE
  * reading the bytes of a FILE by a path of ids, without GDAL
  * the tree, which is the same for every sample

  SIMPLER EXAMPLES: list_samples
*/
#include <cstdio>
#include <exception>
#include <variant>

#include <tacore/dataset.hpp>

namespace {

void print_children(const tacore::Dataset& dataset) {
  for (const auto& [level, patterns] : dataset.pit_schema().hierarchy) {
    for (const auto& pattern : patterns) {
      for (const auto& id : pattern.id) std::printf("level %d: %s\n", level, id.c_str());
    }
  }
}

void show_first(const char* path) {
  const tacore::Dataset dataset = tacore::load(path);
  const tacore::BBox box{.minx = -34.87, .miny = -8.01, .maxx = -34.84, .maxy = -7.98};
  const tacore::DataFrame rows =
      dataset.filter_bbox(box, {.level = 1}).sql("SELECT * FROM data WHERE vegetation > 0.2").data();
  // read() returns the children of a FOLDER, or the path of a FILE for GDAL; read_bytes() returns the bytes of a FILE.
  const auto children = std::get<tacore::DataFrame>(rows.read(0));
  const auto file = std::get<tacore::VsiPath>(children.read("optical"));
  const tacore::Bytes bytes = rows.read_bytes("tile_r1_c1/optical");
  std::printf("%lld samples: %s, %zu bytes\n", static_cast<long long>(rows.num_rows()), file.value.c_str(),
              bytes.size());
  print_children(dataset);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return std::fputs("usage: navigate PATH\n", stderr), 2;
  show_first(argv[1]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
