// How close does decoding a sample come to zstd itself, and what do GDAL and rasterio need for the same?
//
// 13 x 256 x 256 uint16 samples of generate.py --kind imagery, drawn with a fixed seed, one thread. The bound is
// ZSTD_decompressDCtx from mapped memory and a scalar predictor: it opens nothing, and knows where all blocks lie.
#include <fcntl.h>
#include <gdal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tacore/dataset.hpp>
#include <tacore/raster/raster.hpp>

#include "measure.hpp"

namespace {

constexpr int kBands = 13, kSide = 256, kSamples = 100, kRounds = 15;
constexpr std::size_t kBandBytes = std::size_t{kSide} * kSide * 2;

template <class T>
T at(const char* from) {
  T out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

/// A dataset in memory, and where the blocks of its samples lie. Knows the one kind of BigTIFF that imagery.py writes.
class Mapped {
 public:
  explicit Mapped(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY);
    struct stat status{};
    if (file < 0 || ::fstat(file, &status) != 0) throw std::runtime_error("cannot open " + path);
    size_ = static_cast<std::size_t>(status.st_size);
    void* data = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    ::close(file);
    if (data == MAP_FAILED) throw std::runtime_error("cannot map " + path);
    data_ = static_cast<const char*>(data);
  }
  ~Mapped() { ::munmap(const_cast<char*>(data_), size_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  std::vector<std::string_view> blocks(std::size_t sample) const {
    const char* tiff = data_ + sample;
    const char* offsets = nullptr;
    const char* sizes = nullptr;
    for (uint64_t i = 0; i < at<uint64_t>(tiff + 16); ++i) {
      const char* entry = tiff + 24 + 20 * i;
      if (at<uint16_t>(entry) == 324) offsets = tiff + at<uint64_t>(entry + 12);
      if (at<uint16_t>(entry) == 325) sizes = tiff + at<uint64_t>(entry + 12);
    }
    std::vector<std::string_view> out;
    for (int band = 0; band < kBands; ++band) {
      out.emplace_back(tiff + at<uint64_t>(offsets + 8 * band), at<uint64_t>(sizes + 8 * band));
    }
    return out;
  }

 private:
  const char* data_;
  std::size_t size_;
};

struct Sample {
  int64_t position;
  std::string path;  ///< /vsisubfile/
  std::vector<std::string_view> blocks;
};

std::vector<Sample> draw(const tacore::DataFrame& frame, const Mapped& mapped) {
  std::mt19937_64 random(1);
  std::vector<Sample> out;
  for (int i = 0; i < kSamples; ++i) {
    const auto position = static_cast<int64_t>(random() % static_cast<uint64_t>(frame.num_rows()));
    const std::string path = std::get<tacore::VsiPath>(frame.read(position)).value;
    out.push_back({position, path, mapped.blocks(std::stoull(path.substr(std::strlen("/vsisubfile/"))))});
  }
  return out;
}

using Pixels = std::vector<std::byte>;

void by_zstd(const Sample& sample, int bands, Pixels& out) {
  static ZSTD_DCtx* const context = ZSTD_createDCtx();
  for (int band = 0; band < bands; ++band) {
    std::byte* to = out.data() + static_cast<std::size_t>(band) * kBandBytes;
    const std::string_view block = sample.blocks[static_cast<std::size_t>(band)];
    if (ZSTD_decompressDCtx(context, to, kBandBytes, block.data(), block.size()) != kBandBytes) {
      throw std::runtime_error("zstd failed");
    }
    auto* values = reinterpret_cast<uint16_t*>(to);
    for (int row = 0; row < kSide; ++row, values += kSide) {
      for (int i = 1; i < kSide; ++i) values[i] = static_cast<uint16_t>(values[i] + values[i - 1]);
    }
  }
}

std::vector<int> first_bands(int count) {
  std::vector<int> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), 1);
  return out;
}

void by_tacore(const tacore::DataFrame& frame, const Sample& sample, int bands, Pixels& out) {
  const auto raster = tacore::open_raster(frame, sample.position);
  if (bands > 0) {
    raster->read(first_bands(bands), {0, 0, kSide, kSide},
                 std::span(out).first(kBandBytes * static_cast<std::size_t>(bands)));
  }
}

struct Close {
  void operator()(void* dataset) const { GDALClose(dataset); }
};
using Open = std::unique_ptr<void, Close>;

Open open_by_gdal(const std::string& path) {
  const char* const drivers[] = {"GTiff", nullptr};
  Open out(GDALOpenEx(path.c_str(), GDAL_OF_RASTER | GDAL_OF_INTERNAL, drivers, nullptr, nullptr));
  if (!out) throw std::runtime_error("GDAL cannot open " + path);
  return out;
}

void by_gdal(const Sample& sample, int bands, Pixels& out) {
  const Open dataset = open_by_gdal(sample.path);
  if (bands > 0 && GDALDatasetRasterIO(dataset.get(), GF_Read, 0, 0, kSide, kSide, out.data(), kSide, kSide, GDT_UInt16,
                                       bands, first_bands(bands).data(), 0, 0, 0) != CE_None) {
    throw std::runtime_error("GDAL cannot read " + sample.path);
  }
}

void row(const std::string& what, const std::string& who, const bench::Timings& time, double ours) {
  bench::print_row({what, who, bench::time_text(time.best()), bench::time_text(time.median()),
                    bench::fixed(1 / time.median(), 0), bench::fixed(time.median() / ours),
                    std::to_string(time.count())});
}

/// The rasterio of a Python, over the same samples: seconds a sample.
double by_rasterio(const std::string& command, const std::string& paths, int bands) {
  return bench::number_in(bench::output_of(command + " " + paths + " " + std::to_string(bands)), "mean");
}

void compare(const std::string& what, int bands, const tacore::DataFrame& frame, const std::vector<Sample>& samples,
             const std::string& paths) {
  Pixels out(kBandBytes * kBands);
  const auto mean = [&](auto&& body) {
    return bench::seconds_of([&] {
             for (const Sample& sample : samples) body(sample);
           }) /
           kSamples;
  };
  const char* python = std::getenv("TACORE_BENCH_RASTERIO");
  bench::Timings bound, ours, gdal, rasterio;
  for (int round = 0; round < kRounds; ++round) {
    ours.add(mean([&](const Sample& sample) { by_tacore(frame, sample, bands, out); }));
    if (bands > 0) bound.add(mean([&](const Sample& sample) { by_zstd(sample, bands, out); }));
    gdal.add(mean([&](const Sample& sample) { by_gdal(sample, bands, out); }));
    if (python && round % 3 == 0) rasterio.add(by_rasterio(python, paths, bands));
  }
  row(what, "tacore", ours, ours.median());
  if (bands > 0) row(what, "zstd and a scalar predictor", bound, ours.median());
  row(what, std::string("GDAL ") + GDALVersionInfo("RELEASE_NAME") + " GTiff", gdal, ours.median());
  if (python) row(what, "rasterio", rasterio, ours.median());
}

/// All bands of a file, opened each time.
void compare_file(const std::filesystem::path& path) {
  Pixels ours, gdal;
  const auto by_us = [&] {
    const auto raster = tacore::open_raster(path);
    const tacore::RasterInfo& info = raster->info();
    ours.resize(static_cast<std::size_t>(info.width * info.height * info.bands) * tacore::size_of(info.type));
    raster->read(first_bands(info.bands), {0, 0, info.width, info.height}, ours);
  };
  const auto by_them = [&] {
    const Open dataset = open_by_gdal(path);
    const int width = GDALGetRasterXSize(dataset.get()), height = GDALGetRasterYSize(dataset.get());
    const GDALDataType type = GDALGetRasterDataType(GDALGetRasterBand(dataset.get(), 1));
    if (GDALDatasetRasterIO(dataset.get(), GF_Read, 0, 0, width, height, gdal.data(), width, height, type,
                            GDALGetRasterCount(dataset.get()), nullptr, 0, 0, 0) != CE_None) {
      throw std::runtime_error("GDAL cannot read " + path.string());
    }
  };
  by_us();
  gdal.resize(ours.size());
  by_them();
  if (ours != gdal) throw std::runtime_error("different pixels in " + path.string());
  const bench::Pair pair = bench::alternate(21, by_us, by_them);
  const std::string compression = tacore::open_raster(path)->info().compression;
  row(path.filename().string() + ", " + compression, "tacore", pair.ours, pair.ours.median());
  row(path.filename().string() + ", " + compression, "GDAL", pair.peer, pair.ours.median());
}

void compare_folder(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    try {
      compare_file(path);
    } catch (const tacore::FormatError&) {
      continue;  // JPEG
    }
  }
}

/// What is fast and wrong is of no use.
void check(const tacore::DataFrame& frame, const Sample& sample) {
  Pixels bound(kBandBytes * kBands), ours = bound, gdal = bound;
  by_zstd(sample, kBands, bound);
  by_tacore(frame, sample, kBands, ours);
  by_gdal(sample, kBands, gdal);
  if (bound != ours || bound != gdal) throw std::runtime_error("different pixels in " + sample.path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(
        stderr,
        "usage: bench_decode DATASET [FOLDER of TIFFs]\nTACORE_BENCH_RASTERIO: command that runs rasterio_read.py\n");
    return 2;
  }
  const std::string dataset = argv[1], paths = dataset + ".paths";
  GDALAllRegister();
  const Mapped mapped(dataset);
  const tacore::DataFrame frame = tacore::load(dataset).data();
  const std::vector<Sample> samples = draw(frame, mapped);
  check(frame, samples[0]);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(paths.c_str(), "w"), std::fclose);
  for (const Sample& sample : samples) std::fprintf(file.get(), "%s\n", sample.path.c_str());
  file.reset();
  bench::print_environment("decode: from a sample to its pixels");
  bench::print_heading({"what", "who", "best", "median", "samples/s", "time / tacore's", "N"});
  compare("13 bands", kBands, frame, samples, paths);
  compare("1 band", 1, frame, samples, paths);
  compare("open", 0, frame, samples, paths);
  if (argc == 3) compare_folder(argv[2]);
}
