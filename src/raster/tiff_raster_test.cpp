#include "raster/tiff_raster.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/memory_source.hpp"
#include "raster/tiff_directory.hpp"
#include "support/plain_tiff.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

/// 2 x 2 pixels of one band of 8 bits in one strip at byte 8, the directory behind it.
Bytes small_tiff() {
  return bytes_of({'I', 'I', 42, 0,  12, 0, 0, 0,              //
                   10,  20,  30, 40,                           //
                   6,   0,                                     //
                   0,   1,   3,  0,  1,  0, 0, 0, 2, 0, 0, 0,  // width
                   1,   1,   3,  0,  1,  0, 0, 0, 2, 0, 0, 0,  // height
                   2,   1,   3,  0,  1,  0, 0, 0, 8, 0, 0, 0,  // bits
                   17,  1,   4,  0,  1,  0, 0, 0, 8, 0, 0, 0,  // strip offset
                   22,  1,   3,  0,  1,  0, 0, 0, 2, 0, 0, 0,  // rows of a strip
                   23,  1,   4,  0,  1,  0, 0, 0, 4, 0, 0, 0,  // bytes of the strip
                   0,   0,   0,  0});
}

std::shared_ptr<const Raster> open(Bytes bytes) {
  auto source = memory_source("a.tif", std::move(bytes));
  auto directory = read_tiff_directory(*source);
  return make_tiff_raster(source, std::move(directory.layout), "a.tif");
}

}  // namespace

TEST_CASE("a TIFF of one strip, written byte by byte, is read") {
  const auto raster = open(small_tiff());
  CHECK(raster->info().width == 2);
  CHECK(raster->info().height == 2);
  CHECK(raster->info().type == DataType::UInt8);
  const int band = 1;
  Bytes out(4);
  raster->read({&band, 1}, {0, 0, 2, 2}, out);
  CHECK(out == bytes_of({10, 20, 30, 40}));
  out.resize(2);
  raster->read({&band, 1}, {1, 0, 1, 2}, out);
  CHECK(out == bytes_of({20, 40}));
}

TEST_CASE("bands and windows outside the raster are refused") {
  const auto raster = open(small_tiff());
  Bytes out(4);
  const int band = 2;
  CHECK_THROWS_WITH_AS(raster->read({&band, 1}, {0, 0, 2, 2}, out), "a.tif: band 2 is not one of 1 to 1", QueryError);
  const int first = 1;
  CHECK_THROWS_WITH_AS(raster->read({&first, 1}, {1, 0, 2, 2}, out),
                       "a.tif: window 1,0,2,2 is not inside the raster of 2 x 2", QueryError);
}

namespace {

/// A local file that records what is read of it.
class RecordingSource final : public ByteSource {
 public:
  explicit RecordingSource(Bytes bytes) : bytes_(std::move(bytes)) {}

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return bytes_.size(); }
  bool is_local() const noexcept override { return true; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    reads.push_back({offset, out.size(), out.data()});
  }

  struct Read {
    uint64_t offset;
    uint64_t size;
    const std::byte* to;
  };
  mutable std::vector<Read> reads = {};

 private:
  const std::string name_ = "plain.tif";
  const Bytes bytes_;
};

}  // namespace

TEST_CASE("uncompressed bands of a local file are read into their place, neighbours at once") {
  constexpr int kBands = 5, kWidth = 7, kHeight = 4;
  std::vector<uint16_t> pixels(kBands * kWidth * kHeight);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint16_t>(i * 251);
  const auto source = std::make_shared<const RecordingSource>(plain_tiff<uint16_t>(kWidth, kHeight, pixels));
  const auto raster = make_tiff_raster(source, read_tiff_directory(*source).layout, "plain.tif");
  const std::vector<std::vector<int>> choices{{1, 2, 3, 4, 5}, {2, 3}, {5, 1, 2}, {3, 3}, {4}};
  const std::vector<std::size_t> expected_reads{1, 1, 2, 2, 1};
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    for (const Window& window : {Window{0, 0, 7, 4}, Window{0, 1, 7, 2}, Window{1, 0, 6, 4}, Window{3, 2, 1, 1}}) {
      CAPTURE(choice);
      CAPTURE(window.x);
      std::vector<uint16_t> out(choices[choice].size() * static_cast<std::size_t>(window.width * window.height));
      source->reads.clear();
      raster->read(choices[choice], window, std::as_writable_bytes(std::span(out)));
      std::size_t at = 0;
      for (const int band : choices[choice]) {
        for (int64_t y = window.y; y < window.y + window.height; ++y) {
          for (int64_t x = window.x; x < window.x + window.width; ++x)
            REQUIRE(out[at++] == pixels[static_cast<std::size_t>((band - 1) * kWidth * kHeight + y * kWidth + x)]);
        }
      }
      if (window.height != kHeight || window.width != kWidth) continue;
      REQUIRE(source->reads.size() == expected_reads[choice]);
      CHECK(source->reads[0].to == std::as_bytes(std::span(out)).data());
    }
  }
}
