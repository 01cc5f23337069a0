#include <doctest/doctest.h>

#include <numeric>

#include "base/temporary_folder.hpp"
#include "header_test_files.hpp"
#include "reader/counting_storage.hpp"
#include "reader/dataset_impl.hpp"
#include "tacore/create.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/header.hpp"
#include "tacore/tog.hpp"
#include "tacore/transform.hpp"
#include "tacore/validator.hpp"

using namespace tacore;

namespace {

Bytes pixels_of(const Raster& raster) {
  const auto& info = raster.info();
  std::vector<int> bands(static_cast<std::size_t>(info.bands));
  std::iota(bands.begin(), bands.end(), 1);
  Bytes out(static_cast<std::size_t>(info.width * info.height * info.bands) * size_of(info.type));
  raster.read(bands, {0, 0, info.width, info.height}, out);
  return out;
}

/// Four TOGs of different pixels and sizes, one after another.
struct Scenes {
  TemporaryFolder folder;
  std::vector<Sample> samples;

  Scenes() {
    for (const int i : {0, 1, 2, 3}) {
      const std::string name = "s" + std::to_string(i);
      write_plain_tiff(folder.path("in.tif"), 70 + i, 40, 3, i);
      make_tog(folder.path("in.tif"), tog(i), {.block_size = 32});
      samples.emplace_back(name, tog(i));
    }
  }

  std::string tog(int i) const { return folder.path("s" + std::to_string(i) + ".tif"); }
  std::string make(const Tortilla& of) const {
    std::string path = folder.path("scenes.tacozip");
    create({.tortilla = of, .collection = made_collection()}, path, {.overwrite = true});
    return path;
  }
};

}  // namespace

TEST_CASE("a sample with a header is read in one request, and opened without any") {
  const Scenes scenes;
  const std::string path = scenes.make(extensions::with_header(Tortilla(scenes.samples)));
  const auto storage = std::make_shared<CountingStorage>(false);  // an object store
  const DataFrame rows = load(path, {}, storage).data();
  pixels_of(*open_raster(rows, 3));  // the column of headers is there from now on
  for (const int i : {0, 1, 2}) {
    CAPTURE(i);
    storage->reset();
    const auto raster = open_raster(rows, i);
    CHECK(storage->requests().empty());
    CHECK(pixels_of(*raster) == pixels_of(*open_raster(scenes.tog(i))));
    CHECK(storage->num_reads() == 1);
    CHECK(storage->requests().size() == 1);
  }
}

TEST_CASE("no data of a sample with a header is looked up in its TIFF, once") {
  const Scenes scenes;
  const std::string path = scenes.make(extensions::with_header(Tortilla(scenes.samples)));
  const auto storage = std::make_shared<CountingStorage>(false);
  const auto raster = open_raster(load(path, {}, storage).data(), 1);
  storage->reset();
  CHECK_FALSE(raster->info().nodata);
  CHECK(raster->nodata() == 7);
  CHECK(raster->nodata() == 7);
  CHECK(storage->num_reads() == 1);
}

TEST_CASE("the header of another sample is an error that names the sample, and gives no pixels") {
  const Scenes scenes;
  Tortilla samples = extensions::with_header(Tortilla(scenes.samples));
  auto headers = samples.column("taco:header");
  std::rotate(headers.begin(), headers.begin() + 1, headers.end());
  samples = samples.pop("taco:header").extend_with({{"taco:header", headers, "binary"}});
  const DataFrame rows = load(scenes.make(samples)).data();
  for (const int i : {0, 1, 2, 3}) {
    CAPTURE(i);
    try {
      pixels_of(*open_raster(rows, i));
      FAIL("no error");
    } catch (const FormatError& error) {
      CHECK(error.context().path.find("/vsisubfile/") == 0);
    }
  }
}

TEST_CASE("a header that is none is an error that names the sample") {
  const Scenes scenes;
  Tortilla samples(scenes.samples);
  samples = samples.extend_with({{"taco:header", std::vector<Value>(4, Binary{"garbage"}), "binary"}});
  const DataFrame rows = load(scenes.make(samples)).data();
  CHECK_THROWS_WITH_AS(open_raster(rows, 0), doctest::Contains("lacks \"LOVE\""), FormatError);
  CHECK_THROWS_WITH_AS(open_raster(rows, 0), doctest::Contains("/vsisubfile/"), FormatError);
}

TEST_CASE("a sample whose header is null is opened by its own directory") {
  const Scenes scenes;
  Tortilla samples = extensions::with_header(Tortilla(scenes.samples));
  auto headers = samples.column("taco:header");
  headers[2] = {};
  samples = samples.pop("taco:header").extend_with({{"taco:header", headers, "binary"}});
  const DataFrame rows = load(scenes.make(samples)).data();
  CHECK(pixels_of(*open_raster(rows, 2)) == pixels_of(*open_raster(scenes.tog(2))));
  CHECK(open_raster(rows, 2)->info().nodata == 7);
}

TEST_CASE("validation holds headers against their samples") {
  const Scenes scenes;
  const Tortilla samples = extensions::with_header(Tortilla(scenes.samples));
  const auto headers = samples.column("taco:header");
  const auto issues = [&](std::vector<Value> values, bool deep) {
    const Tortilla changed = samples.pop("taco:header").extend_with({{"taco:header", std::move(values), "binary"}});
    const std::string path = scenes.make(changed), folder = path + ".folder";
    zip2folder(path, folder, {.overwrite = true});
    std::string out;
    for (const auto& issue : validator::validate(path, {.deep = deep})) out += issue.rule + ' ' + issue.message + '\n';
    std::string of_folder;
    for (const auto& issue : validator::validate(folder, {.deep = deep}))
      of_folder += issue.rule + ' ' + issue.message + '\n';
    CHECK(out == of_folder);
    return out;
  };
  CHECK(issues(headers, true).empty());
  auto changed = headers;
  changed[1] = Binary{"garbage"};
  CHECK(issues(changed, false).find("TIF-1 row 1 ('s1'): ") == 0);
  changed = headers;
  std::swap(changed[2], changed[3]);
  CHECK(issues(changed, false).find("TIF-2") == std::string::npos);
  const auto deep = issues(changed, true);
  CHECK(deep.find(" row 2 ('s2'): ") != std::string::npos);  // leaves the sample, or is not its own
  CHECK(deep.find("TIF-2 row 3 ('s3'): the header is not that of the sample's TIFF") != std::string::npos);
}
