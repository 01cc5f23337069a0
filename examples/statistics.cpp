/*
  Aggregates the stored statistics of samples, without reading pixels.

    statistics FLAT_PATH NESTED_PATH

  DEMONSTRATES:
  * statistics of a dataset, of a filtered one, and of a frame
  * statistics of continuous bands, and class shares of a categorical band

  SIMPLER EXAMPLES: list_samples
*/
#include <cstdio>
#include <exception>
#include <vector>

#include <tacore/dataset.hpp>

using tacore::Statistic;

namespace {

void print(const char* what, const std::vector<double>& values) {
  std::printf("%-24s", what);
  for (const double value : values) std::printf(" %8.3f", value);
  std::printf("\n");
}

void flat(const char* path) {
  const tacore::Dataset dataset = tacore::load(path);
  print("mean of every band", dataset.stats(Statistic::Mean));
  print("std of every band", dataset.stats(Statistic::Std));
  print("max of bands 4 and 1", dataset.stats(Statistic::Max, {.bands = {4, 1}}));
  print("mean, training tiles", dataset.sql("SELECT * FROM data WHERE split = 'train'").stats(Statistic::Mean));
}

void nested(const char* path) {
  const tacore::Dataset dataset = tacore::load(path);
  // The FILEs of a level have different bands: aggregate the FILEs with one id.
  const tacore::DataFrame heights = dataset.sql("SELECT * FROM level1 WHERE id = 'dem'").data();
  const tacore::DataFrame masks = dataset.sql("SELECT * FROM level1 WHERE id = 'mask'").data();
  print("lowest and highest, m", {heights.stats(Statistic::Min)[0], heights.stats(Statistic::Max)[0]});
  print("other, vegetation, water", masks.stats_categorical()[0]);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return std::fputs("usage: statistics FLAT_PATH NESTED_PATH\n", stderr), 2;
  flat(argv[1]);
  nested(argv[2]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
