/*
  Opens one FILE of a dataset with GDAL, without extracting it, and prints its size and the mean of each band.

    read_one_sample PATH ID[/ID...]

  DEMONSTRATES:
  * the path with which GDAL reads a sample inside a ZIP
  * error classes

  SIMPLER EXAMPLES: list_samples, navigate
*/
#include <cpl_conv.h>
#include <gdal.h>

#include <cstdio>
#include <memory>
#include <variant>

#include <tacore/dataset.hpp>

namespace {

int print_raster(const char* path) {
  CPLSetConfigOption("GDAL_PAM_ENABLED", "NO");  // statistics are not kept in a file beside the dataset
  GDALAllRegister();
  const std::unique_ptr<void, decltype(&GDALClose)> raster(GDALOpen(path, GA_ReadOnly), GDALClose);
  if (!raster) return 1;  // GDAL has printed the reason
  std::printf("%d x %d pixels, bands: %d\n", GDALGetRasterXSize(raster.get()), GDALGetRasterYSize(raster.get()),
              GDALGetRasterCount(raster.get()));
  for (int i = 1; i <= GDALGetRasterCount(raster.get()); ++i) {
    double mean = 0;
    const auto band = GDALGetRasterBand(raster.get(), i);
    if (GDALComputeRasterStatistics(band, false, nullptr, nullptr, &mean, nullptr, nullptr, nullptr) != CE_None)
      return 1;
    std::printf("band %d: mean %.3f\n", i, mean);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return std::fputs("usage: read_one_sample PATH ID[/ID...]\n", stderr), 2;
  const tacore::Node node = tacore::load(argv[1]).data().read(argv[2]);
  if (const auto* file = std::get_if<tacore::VsiPath>(&node)) return print_raster(file->value.c_str());
  std::fprintf(stderr, "%s is a FOLDER\n", argv[2]);
  return 1;
} catch (const tacore::NavigationError& error) {
  std::fprintf(stderr, "no such sample: %s\n", error.message().c_str());
  return 1;
} catch (const tacore::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
