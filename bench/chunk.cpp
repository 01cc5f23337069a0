// What does one chunk of a streaming TACO cost, in reads, bytes and time, and what does GDAL need for the same block?
//
// Draws chunks of the samples of level 0 with a fixed seed: rasters, or FOLDERs of rasters, the first of which is
// read. GDAL opens the raster anew for each, as who draws samples at random does. The files are in the page cache.
#include <gdal.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <tacore/dataset.hpp>
#include <tacore/v1/chunks.hpp>

#include "measure.hpp"

namespace {

constexpr int kDraws = 200, kRounds = 15;

struct Drawn {
  std::string id, path;  ///< of the raster: from the root down, and for GDAL
  int64_t number = 0;    ///< of the chunk
  tacore::Window window = {};
};

struct Close {
  void operator()(void* dataset) const { GDALClose(dataset); }
};

std::vector<Drawn> draw(const tacore::DataFrame& rows) {
  std::mt19937_64 random(6);
  std::vector<Drawn> out;
  for (int i = 0; i < kDraws; ++i) {
    const auto row = static_cast<int64_t>(random() % static_cast<uint64_t>(rows.num_rows()));
    Drawn drawn;
    drawn.id = *rows.text(row, "id");
    const tacore::Node node = rows.read(row);
    if (const auto* children = std::get_if<tacore::DataFrame>(&node)) drawn.id += "/" + *children->text(0, "id");
    drawn.path = std::get<tacore::VsiPath>(rows.read(drawn.id)).value;
    const tacore::RasterInfo info = tacore::open_raster(drawn.path)->info();
    const int64_t across = (info.width + info.block_width - 1) / info.block_width;
    const int64_t down = (info.height + info.block_height - 1) / info.block_height;
    drawn.number = static_cast<int64_t>(random() % static_cast<uint64_t>(across * down));
    const int64_t x = drawn.number % across * info.block_width, y = drawn.number / across * info.block_height;
    drawn.window = {x, y, std::min(info.block_width, info.width - x), std::min(info.block_height, info.height - y)};
    out.push_back(std::move(drawn));
  }
  return out;
}

tacore::Tensor by_gdal(const Drawn& drawn, const tacore::Tensor& like) {
  const std::unique_ptr<void, Close> dataset(GDALOpenEx(drawn.path.c_str(), GDAL_OF_RASTER, nullptr, nullptr, nullptr));
  if (!dataset) throw std::runtime_error("GDAL cannot open " + drawn.path);
  tacore::Tensor out(like.type(), like.shape());
  const auto x = static_cast<int>(drawn.window.x), y = static_cast<int>(drawn.window.y);
  const auto width = static_cast<int>(drawn.window.width), height = static_cast<int>(drawn.window.height);
  const GDALDataType type = GDALGetRasterDataType(GDALGetRasterBand(dataset.get(), 1));
  if (GDALDatasetRasterIO(dataset.get(), GF_Read, x, y, width, height, out.bytes().data(), width, height, type,
                          GDALGetRasterCount(dataset.get()), nullptr, 0, 0, 0) != CE_None) {
    throw std::runtime_error("GDAL cannot read " + drawn.path);
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench_chunk DATASET.taco, made with taco create --streaming\n");
    return 2;
  }
  GDALAllRegister();
  const tacore::DataFrame rows = tacore::load(argv[1]).data();
  const auto drawn = draw(rows);
  std::vector<tacore::Tensor> expected;
  for (const Drawn& one : drawn) {
    expected.push_back(tacore::v1::read_chunk(rows, one.id + "::" + std::to_string(one.number)));
    const tacore::Tensor theirs = by_gdal(one, expected.back());
    if (!std::equal(theirs.bytes().begin(), theirs.bytes().end(), expected.back().bytes().begin()))
      throw std::runtime_error("different pixels in " + one.path);
  }
  const auto before = bench::Counters::now();
  for (const Drawn& one : drawn) tacore::v1::read_chunk(rows, one.id + "::" + std::to_string(one.number));
  const auto after = bench::Counters::now();
  const auto times = bench::alternate(
      kRounds,
      [&] {
        for (const Drawn& one : drawn) tacore::v1::read_chunk(rows, one.id + "::" + std::to_string(one.number));
      },
      [&] {
        for (std::size_t i = 0; i < drawn.size(); ++i) by_gdal(drawn[i], expected[i]);
      });
  bench::print_environment("chunk: one chunk of a streaming TACO");
  bench::print_heading({"who", "reads of a chunk", "bytes", "median", "time / tacore's", "N"});
  const double reads = static_cast<double>(after.reads - before.reads) / kDraws;
  const double bytes = static_cast<double>(after.bytes - before.bytes) / kDraws;
  const std::string count = std::to_string(times.ours.count());
  bench::print_row({"tacore", bench::fixed(reads), bench::bytes_text(bytes),
                    bench::time_text(times.ours.median() / kDraws), "1", count});
  bench::print_row({std::string("GDAL ") + GDALVersionInfo("RELEASE_NAME"), "", "",
                    bench::time_text(times.peer.median() / kDraws), bench::fixed(1 / times.ratio()), count});
}
