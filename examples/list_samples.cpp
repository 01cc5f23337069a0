/*
  Lists the levels of a dataset, their columns, and the samples of level 0.

    list_samples PATH

  DEMONSTRATES:
  * opening a dataset of any container
  * the collection and the levels, which cost no query
  * rows printed as CSV

  SIMPLER EXAMPLES: none; start here
*/
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <tacore/dataset.hpp>
#include <tacore/write/tabular.hpp>

namespace {

struct StandardOutput : tacore::tabular::Output {
  void write(std::string_view bytes) override { std::fwrite(bytes.data(), 1, bytes.size(), stdout); }
};

void print_level(const tacore::Dataset& dataset, int level) {
  std::printf("level%d: %lld rows\n", level, static_cast<long long>(dataset.level_rows(level)));
  for (const tacore::Column& column : dataset.level_columns(level)) {
    std::printf("  %s: %s\n", column.name.c_str(), column.type.c_str());
  }
}

void list(const char* path) {
  const tacore::Dataset dataset = tacore::load(path);
  std::printf("%s %s (%s)\n", dataset.id().c_str(), dataset.version().c_str(), tacore::to_string(dataset.format()));
  for (int level = 0; level <= dataset.pit_schema().max_depth(); ++level) print_level(dataset, level);

  const tacore::DataFrame rows = dataset.data();
  const std::vector<std::string> shown{"id", "type", "split"};
  StandardOutput out;
  tacore::tabular::encode(rows.select(shown), tacore::tabular::Encoding::Csv, out);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return std::fputs("usage: list_samples PATH\n", stderr), 2;
  list(argv[1]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
