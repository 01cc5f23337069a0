#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "support/raster_data.hpp"
#include "support/support.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/geotiff_stats.hpp"
#include "tacore/extensions/tiff_index.hpp"
#include "tacore/raster/tog.hpp"
#include "tacore/write/create.hpp"

using namespace tacore;

namespace {

/// Three TIFFs without compression, one as TOG in tiles of 16 pixels, and a text.
struct Sources {
  TemporaryFolder folder, temporary;
  std::string a = write_plain_tiff(folder.path("a.tif"), 40, 20, 3, 1),
              b = write_plain_tiff(folder.path("b.tif"), 9, 9, 1),
              large = write_plain_tiff(folder.path("large.tif"), 600, 530, 1, 2, DataType::Float32),
              tog = folder.path("tog.tif"), text = folder.path("about.txt");

  Sources() {
    make_tog(a, tog, {.block_size = 16});
    std::ofstream(text) << "no raster";
  }

  Tortilla samples() const {
    const auto scene = [&](const char* id, const std::string& image) {
      return Sample(id, Tortilla({Sample("image", image, {{"k", id}}), Sample("about", text, {{"k", "t"}})}));
    };
    const Bytes bytes = local_storage()->open(b)->read_all();
    return Tortilla(
        {scene("a", a), scene("large", large), scene("tog", tog),
         Sample("held", Tortilla({Sample("image", bytes, {{"k", "held"}}), Sample("about", text, {{"k", "t"}})}))});
  }
  TogSamplesOptions options() const { return {.temp_dir = temporary.path("")}; }
  bool is_clean() const { return std::filesystem::is_empty(temporary.path("")); }
};

Bytes pixels_of(const Raster& raster) {
  const auto& info = raster.info();
  std::vector<int> bands(static_cast<std::size_t>(info.bands));
  std::iota(bands.begin(), bands.end(), 1);
  Bytes out(static_cast<std::size_t>(info.width * info.height * info.bands) * size_of(info.type));
  raster.read(bands, {0, 0, info.width, info.height}, out);
  return out;
}

Bytes pixels_of(const Tortilla& samples, int64_t row) { return pixels_of(*open_raster(samples.sample(row, 1))); }

}  // namespace

TEST_CASE("GeoTIFFs of a tree become TOGs of the same pixels, and all else stays as it is") {
  const Sources sources;
  const Bytes before = local_storage()->open(sources.a)->read_all();
  const Tortilla given = sources.samples();
  {
    const TogSamples made = with_togs(given, sources.options());
    CHECK(made.num_converted == 3);
    CHECK(made.num_unchanged == 1);
    CHECK(made.num_others == 4);
    CHECK(made.samples.ids(1) == given.ids(1));
    CHECK(made.samples.column("k", 1) == given.column("k", 1));
    for (const int64_t row : {0, 2, 4, 6}) {
      CAPTURE(row);
      CHECK(pixels_of(made.samples, row) == pixels_of(given, row));
      CHECK(check_tacotiff(made.samples.sample(row, 1).path()).empty());
      CHECK(open_raster(made.samples.sample(row, 1))->info().nodata ==
            open_raster(given.sample(row, 1))->info().nodata);
    }
    // One tile of a small image is hardly larger; a large one gets tiles of 512.
    CHECK(open_raster(made.samples.sample(0, 1))->info().block_width == 48);
    CHECK(open_raster(made.samples.sample(2, 1))->info().block_width == 512);
    CHECK(made.samples.sample(4, 1).path() == sources.tog);
    CHECK(made.samples.sample(1, 1).path() == sources.text);
    CHECK_FALSE(sources.is_clean());
  }
  CHECK(sources.is_clean());
  CHECK(local_storage()->open(sources.a)->read_all() == before);
}

TEST_CASE("a TOG with other tiles than requested is converted again") {
  const Sources sources;
  TogSamplesOptions options = sources.options();
  options.block_size = 32;
  const TogSamples made = with_togs(sources.samples(), options);
  CHECK(made.num_converted == 4);
  CHECK(made.num_unchanged == 0);
  CHECK(open_raster(made.samples.sample(4, 1))->info().block_width == 32);
  CHECK(pixels_of(made.samples, 4) == pixels_of(*open_raster(sources.a)));
}

TEST_CASE("a dataset of TOGs has their TIFF index, and statistics and pixels of the sources") {
  const Sources sources;
  const Tortilla given = sources.samples();
  Tortilla togs = with_togs(given, sources.options()).samples;
  togs = extensions::with_tiff_index(extensions::with_geotiff_stats(togs));
  CHECK(togs.column("geotiff:stats", 1) == extensions::with_geotiff_stats(given).column("geotiff:stats", 1));
  const std::string path = sources.folder.path("set.tacozip");
  create({togs, made_collection()}, path);
  const DataFrame rows = load(path).data();
  CHECK(pixels_of(*open_raster(rows, "large/image")) == pixels_of(given, 2));
  CHECK(rows.read_bytes("a/about").size() == 9);
}

TEST_CASE("a sample that cannot be converted is named, and nothing is left behind") {
  const Sources sources;
  std::filesystem::resize_file(sources.large, 5000);
  CHECK_THROWS_WITH_AS(with_togs(sources.samples(), sources.options()), doctest::Contains("sample 'large/image': "),
                       FormatError);
  CHECK(sources.is_clean());
  TogSamplesOptions options = sources.options();
  options.block_size = 17;
  CHECK_THROWS_WITH_AS(with_togs(Tortilla({Sample("a", sources.a)}), options),
                       doctest::Contains("block size 17: a multiple of 16"), QueryError);
  options = {.temp_dir = sources.folder.path("none")};
  CHECK_THROWS_AS(with_togs(Tortilla({Sample("a", sources.a)}), options), IoError);
  CHECK(sources.is_clean());
}

TEST_CASE("a conversion is cancelled by its progress, also within a raster, and leaves nothing behind") {
  const Sources sources;
  for (const int calls : {0, 2}) {
    CAPTURE(calls);
    int left = calls;
    TogSamplesOptions options = sources.options();
    options.task = {.jobs = 2,
                    .progress = [](uint64_t, uint64_t, void* user) { return (*static_cast<int*>(user))-- > 0; },
                    .user = &left};
    CHECK_THROWS_WITH_AS(with_togs(sources.samples(), options), doctest::Contains("stopped"), IoError);
    CHECK(sources.is_clean());
  }
}

TEST_SUITE("threads") {
  TEST_CASE("TOGs are the same, whatever the number of threads") {
    const Sources sources;
    TogSamplesOptions one = sources.options(), four = sources.options();
    one.task.jobs = 1;
    four.task.jobs = 4;
    const TogSamples a = with_togs(sources.samples(), one), b = with_togs(sources.samples(), four);
    for (const int64_t row : {0, 2, 4, 6})
      CHECK(a.samples.sample(row, 1).read_bytes() == b.samples.sample(row, 1).read_bytes());
  }
}
