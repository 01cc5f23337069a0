// How long does opening a dataset take, what does it read, and how much memory does it keep?
//
// load() and the columns of every level, in a new process each time, after the library has opened another, tiny
// dataset.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include <tacore/dataset.hpp>

#include "measure.hpp"

namespace {

struct Opening {
  double seconds;
  uint64_t reads, bytes;
  int64_t resident_bytes;
  int64_t rows;
};

/// Returned, so that its memory counts and its end does not.
tacore::Dataset open_with_schema(const std::string& path) {
  tacore::Dataset dataset = tacore::load(path);
  for (int level = 0; level <= dataset.pit_schema().max_depth(); ++level) (void)dataset.level_columns(level);
  return dataset;
}

Opening open_once(const std::string& path, const std::string& tiny) {
  Opening out{};
  bench::in_new_process(&out, sizeof out, [&] {
    (void)open_with_schema(tiny).num_rows();
    // What the counters cost themselves.
    const auto calibration = bench::Counters::now(), before = bench::Counters::now();
    std::optional<tacore::Dataset> dataset;
    out.seconds = bench::seconds_of([&] { dataset = open_with_schema(path); });
    const auto after = bench::Counters::now();
    out.rows = dataset->num_rows();
    out.reads = (after.reads - before.reads) - (before.reads - calibration.reads);
    out.bytes = (after.bytes - before.bytes) - (before.bytes - calibration.bytes);
    out.resident_bytes = after.resident_bytes - before.resident_bytes;
  });
  return out;
}

void measure(const std::string& path, const std::string& tiny, int count, int reference_count) {
  const char* reference = std::getenv("TACORE_BENCH_REFERENCE");
  bench::Timings ours, theirs, spatial;
  Opening last = open_once(path, tiny);
  int64_t most_resident = last.resident_bytes;
  double their_resident = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < count; ++i) {
    last = open_once(path, tiny);
    ours.add(last.seconds);
    most_resident = std::max(most_resident, last.resident_bytes);
    if (!reference || i >= reference_count) continue;
    const std::string out = bench::output_of(std::string(reference) + " open " + path);
    theirs.add(bench::number_in(out, "load"));
    spatial.add(bench::number_in(out, "spatial"));
    their_resident = bench::number_in(out, "resident");
  }
  const bool both = theirs.count() > 0;
  bench::print_row(
      {path.substr(path.rfind('/') + 1), std::to_string(last.rows), bench::time_text(ours.best()),
       bench::time_text(ours.median()), std::to_string(last.reads), bench::bytes_text(static_cast<double>(last.bytes)),
       bench::bytes_text(static_cast<double>(most_resident)), both ? bench::time_text(theirs.best()) : "-",
       both ? bench::time_text(theirs.median()) : "-", both ? bench::time_text(spatial.median()) : "-",
       bench::bytes_text(their_resident), both ? bench::fixed(theirs.median() / ours.median(), 0) + " x" : "-"});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_open TINY DATASET...\nTACORE_BENCH_REFERENCE: command that runs reference.py\n");
    return 2;
  }
  bench::print_environment("open: load() and the schema");
  bench::print_heading({"dataset", "rows", "ours best", "median", "reads", "bytes", "memory (most)", "reference best",
                        "median", "of it offline wait", "memory", "faster"});
  for (int i = 2; i < argc; ++i) measure(argv[i], argv[1], 41, 3);
}
