// Opens a dataset through GDAL by options of its own, while others are set that would never give up.
//
//     load_gdal PATH MAX_TRIES TIMEOUT     prints the number of samples, or the error (exit status 1)

#include <cstdio>
#include <cstdlib>

#include <tacore/dataset.hpp>
#include <tacore/raster/gdal.hpp>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto opener = tacore::gdal::remote_opener();
  tacore::set_remote_options({.max_tries = 1000, .timeout = 86400, .fallback = opener.get()});
  const tacore::RemoteOptions own{
      .max_tries = std::atoi(argv[2]), .timeout = std::atof(argv[3]), .fallback = opener.get()};
  try {
    std::printf("%lld samples\n", static_cast<long long>(tacore::load(argv[1], {.remote = own}).num_rows()));
  } catch (const tacore::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
