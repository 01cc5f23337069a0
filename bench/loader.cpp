// How many samples a second does the loader give, and does its memory stay as it is?
//
//     bench_loader PATH THREADS [float32]     one epoch in shuffled batches of 32; with float32, scaled to it
//
// Run by bench/loader.py, a process for each epoch.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include <tacore/raster/loader.hpp>

#include "measure.hpp"

int main(int argc, char** argv) try {
  if (argc < 3) return std::fputs("usage: bench_loader PATH THREADS [float32]\n", stderr), 2;
  tacore::LoaderOptions options{.batch_size = 32, .seed = 1, .jobs = std::atoi(argv[2])};
  if (argc > 3) options.inputs[0].tensor.scale = {{.factor = 1e-4}};
  int64_t num_samples = 0, num_batches = 0, early = 0, most = 0;
  const std::clock_t cpu = std::clock();
  const double seconds = bench::seconds_of([&] {
    tacore::Loader loader(tacore::load(argv[1]), options);
    for (tacore::Batch batch; loader.next(batch);) {
      num_samples += static_cast<int64_t>(batch.positions.size());
      const int64_t resident = bench::Counters::now().resident_bytes;
      if (++num_batches == 10) early = resident;
      most = std::max(most, resident);
    }
  });
  const double cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  const auto count = static_cast<double>(num_samples);
  std::printf("samples_per_second %.1f\nsamples_per_cpu_second %.1f\nearly_mb %.1f\nmost_mb %.1f\n", count / seconds,
              count / cpu_seconds, static_cast<double>(early) / 1e6, static_cast<double>(most) / 1e6);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
