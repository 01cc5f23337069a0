#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "container/tiff_index_file.hpp"
#include "dataset/dataset_impl.hpp"
#include "support/counting.hpp"
#include "support/raster_data.hpp"
#include "support/support.hpp"
#include "table/level_write.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/tiff_index.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/ops/validate.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/raster/tiff_index.hpp"
#include "tacore/raster/tog.hpp"
#include "tacore/write/create.hpp"

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
    create({.tortilla = of, .collection = made_collection()}, path, {.output = {.overwrite = true}});
    return path;
  }
};

}  // namespace

TEST_CASE("a sample with a TIFF header column is opened without a request and read with one") {
  const Scenes scenes;
  const std::string path = scenes.make(extensions::with_tiff_index(Tortilla(scenes.samples)));
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

TEST_CASE("the no-data value of a sample with a TIFF header is looked up in its TIFF, once") {
  const Scenes scenes;
  const std::string path = scenes.make(extensions::with_tiff_index(Tortilla(scenes.samples)));
  const auto storage = std::make_shared<CountingStorage>(false);
  const auto raster = open_raster(load(path, {}, storage).data(), 1);
  storage->reset();
  CHECK_FALSE(raster->info().nodata);
  CHECK(raster->nodata() == 7);
  CHECK(raster->nodata() == 7);
  CHECK(storage->num_reads() == 1);
}

TEST_CASE("a tensor of a sample with a TIFF header has its fill value at no-data pixels") {
  const Scenes scenes;
  const DataFrame rows = load(scenes.make(extensions::with_tiff_index(Tortilla(scenes.samples)))).data();
  const TensorOptions options{.type = DataType::Int16, .fill = -1};
  const Tensor tensor = read_tensor(*open_raster(rows, 1), options);
  const auto values = tensor.values<int16_t>();
  CHECK(std::count(values.begin(), values.end(), -1) > 0);
  CHECK(std::count(values.begin(), values.end(), 7) == 0);
}

TEST_CASE("the TIFF header of another sample is an error that names the sample, and gives no pixels") {
  const Scenes scenes;
  Tortilla samples = extensions::with_tiff_index(Tortilla(scenes.samples));
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

TEST_CASE("invalid bytes as TIFF header are an error that names the sample") {
  const Scenes scenes;
  Tortilla samples(scenes.samples);
  samples = samples.extend_with({{"taco:header", std::vector<Value>(4, Binary{"garbage"}), "binary"}});
  const DataFrame rows = load(scenes.make(samples)).data();
  CHECK_THROWS_WITH_AS(open_raster(rows, 0), doctest::Contains("does not start with \"LOVE\""), FormatError);
  CHECK_THROWS_WITH_AS(open_raster(rows, 0), doctest::Contains("/vsisubfile/"), FormatError);
}

TEST_CASE("a sample whose TIFF header is null is opened by its own directory") {
  const Scenes scenes;
  Tortilla samples = extensions::with_tiff_index(Tortilla(scenes.samples));
  auto headers = samples.column("taco:header");
  headers[2] = {};
  samples = samples.pop("taco:header").extend_with({{"taco:header", headers, "binary"}});
  const DataFrame rows = load(scenes.make(samples)).data();
  CHECK(pixels_of(*open_raster(rows, 2)) == pixels_of(*open_raster(scenes.tog(2))));
  CHECK(open_raster(rows, 2)->info().nodata == 7);
}

TEST_CASE("validation compares tile indexes with their samples") {
  const Scenes scenes;
  const Tortilla samples = extensions::with_tiff_index(Tortilla(scenes.samples));
  const auto headers = samples.column("taco:header");
  const auto issues = [&](std::vector<Value> values, bool deep) {
    const Tortilla changed = samples.pop("taco:header").extend_with({{"taco:header", std::move(values), "binary"}});
    const std::string path = scenes.make(changed), folder = path + ".folder";
    zip2folder(path, folder, {.output = {.overwrite = true}});
    std::string out;
    for (const auto& issue : validate(path, {.deep = deep})) out += issue.rule + ' ' + issue.message + '\n';
    std::string of_folder;
    for (const auto& issue : validate(folder, {.deep = deep})) of_folder += issue.rule + ' ' + issue.message + '\n';
    CHECK(out == of_folder);
    return out;
  };
  CHECK(issues(headers, true).empty());
  auto changed = headers;
  changed[1] = Binary{"garbage"};
  CHECK(issues(changed, false).find("TIF-1 row 1 ('s1'): ") == 0);
  changed = headers;
  std::swap(changed[2], changed[3]);
  CHECK_FALSE(has_text(issues(changed, false), "TIF-2"));
  const auto deep = issues(changed, true);
  CHECK(has_text(deep, " row 2 ('s2'): "));  // leaves the sample, or is not its own
  CHECK(has_text(deep, "TIF-2 row 3 ('s3'): the TIFF index is not that of the sample's TIFF"));
}

namespace {

/// TIFFs that a TacoTIFF header cannot describe, and a file that is none, in two ZIPs with an index.
struct Published {
  TemporaryFolder folder;
  std::string a = folder.path("a.tacozip"), b = folder.path("b.tacozip"), flat = folder.path("flat");

  Published() {
    for (const int i : {0, 1}) write_plain_tiff(file(i), 50 + i, 30, 2, i);
    make(a, 0);
    make(b, 1);
    zip2folder(a, flat);
    create_tacocat({a, b}, {});
  }

  std::string file(int i) const { return folder.path("in" + std::to_string(i) + ".tif"); }
  void make(const std::string& path, int i, bool overwrite = false) const {
    const auto tile = [&](const char* id, int of) {
      return Sample(id, Tortilla({Sample("image", file(of)), Sample("notes", Bytes(10, std::byte{'x'}))}));
    };
    create({.tortilla = Tortilla({tile(i == 0 ? "t0" : "u0", i), tile(i == 0 ? "t1" : "u1", 1 - i)}),
            .collection = made_collection()},
           path, {.output = {.overwrite = overwrite}});
  }
};

DataFrame children(const Dataset& dataset, int64_t row) { return std::get<DataFrame>(dataset.data().read(row)); }

}  // namespace

TEST_CASE("a file of TIFF headers replaces reading the directory of every TIFF, for a ZIP and an index") {
  const Published published;
  CHECK_THROWS_WITH_AS(write_tiff_index(published.flat), doctest::Contains("whose checksums verify it"),
                       ValidationError);
  for (const std::string& path : {published.a, published.folder.path(".tacocat")}) {
    CAPTURE(path);
    const auto written = write_tiff_index(path, {.task = {.jobs = 2}});
    CHECK(written.path == path + ".headers");
    const int num_zips = path.ends_with(".tacocat") ? 2 : 1;
    CHECK(written.num_headers == 2 * num_zips);
    CHECK(written.num_others == 2 * num_zips);
    CHECK(written.num_broken == 0);
    const auto storage = std::make_shared<CountingStorage>(false);
    const Dataset dataset = load(path, {}, storage);
    CHECK(storage->count(Request::Kind::Open, ".headers") == 0);
    pixels_of(*open_raster(children(dataset, 0), 0));
    CHECK(storage->count(Request::Kind::Open, ".headers") == 1);
    for (const int64_t row : {1, 2 * num_zips - 1}) {
      const DataFrame tile = children(dataset, row);
      const auto notes = tile.read_bytes(1);  // its ZIP is open from now on
      storage->reset();
      const auto raster = open_raster(tile, 0);
      CHECK(raster->info().nodata == 7);
      CHECK(storage->num_reads() == 0);
      CHECK(pixels_of(*raster) == pixels_of(*open_raster(published.file(row == 3 ? 0 : 1))));
      CHECK(storage->num_reads() == 1);
      CHECK_THROWS_AS(open_raster(tile, 1), FormatError);
    }
  }
}

TEST_CASE("a file of TIFF headers of another version of the dataset is ignored") {
  const Published published;
  write_tiff_index(published.a);
  published.make(published.a, 1, true);
  const auto storage = std::make_shared<CountingStorage>(false);
  const DataFrame tile = children(load(published.a, {}, storage), 0);
  CHECK(pixels_of(*open_raster(tile, 0)) == pixels_of(*open_raster(published.file(1))));
  CHECK(storage->num_reads(".headers") > 0);
}

namespace {

/// The rules that a dataset breaks, and why, a line for each.
std::string faults_of(const std::string& path) {
  std::string out;
  for (const auto& issue : validate(path, {.deep = true})) {
    if (issue.severity == Severity::Error) out += issue.rule + " " + issue.message + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("validate reports a file of TIFF headers of another version of the dataset, and the header of another TIFF") {
  const Published published;
  for (const std::string& path : {published.a, published.folder.path(".tacocat")}) {
    CAPTURE(path);
    CHECK(faults_of(path) == "");
    write_tiff_index(path);
    CHECK(faults_of(path) == "");
  }
  const std::string file = published.a + ".headers", copy = published.folder.path("copy.parquet");
  std::filesystem::copy(file, copy);
  const auto whole = read_table(copy);
  auto names = column_names(*whole);
  std::erase(names, "taco:header");
  const auto headers = take_rows(*select_columns(whole, {"taco:header"}), {1, 0});
  const Bytes swapped = encode_parquet(*in_one_piece(beside(select_columns(whole, names), headers)));
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(swapped.data()), static_cast<std::streamsize>(swapped.size()));
  CHECK(has_text(faults_of(published.a), "the TIFF index is not that of the sample's TIFF"));
  published.make(published.a, 1, true);
  CHECK(faults_of(published.a).find("TIF-6 it was made for another dataset than ") == 0);
  std::ofstream(published.a + ".headers") << "<html>404</html>";
  CHECK(faults_of(published.a).find("TIF-6 it is not a TIFF index of this version") == 0);
  std::filesystem::remove(published.a + ".headers");
  CHECK(faults_of(published.a) == "");
}

TEST_CASE("the TIFF header of a file that was replaced by one of equal length gives no wrong pixels") {
  const TemporaryFolder folder;
  const std::string path = folder.path("set.tacozip");
  const std::string first = write_plain_tiff(folder.path("first.tif"), 50, 30, 2);
  const std::string now = write_plain_tiff(folder.path("now.tif"), 15, 100, 2, 5);
  const auto make = [&](const std::string& tiff) {
    create({.tortilla = Tortilla({Sample("image", tiff)}), .collection = made_collection()}, path,
           {.output = {.overwrite = true}});
  };
  make(first);
  write_tiff_index(path);
  make(now);  // with the same tables
  const auto raster = open_raster(load(path).data(), 0);
  CHECK(raster->info().width == 15);
  CHECK(pixels_of(*raster) == pixels_of(*open_raster(now)));
  // Of a server the CRC-32 comes with the pixels.
  const DataFrame far = load(path, {}, std::make_shared<CountingStorage>(false)).data();
  CHECK_THROWS_WITH_AS(pixels_of(*open_raster(far, 0)), doctest::Contains("does not match the file"), FormatError);
  CHECK(faults_of(path).find("TIF-6 the TIFF index of 'image' was made from ") == 0);
  write_tiff_index(path, {.overwrite = true});
  CHECK(faults_of(path) == "");
  const DataFrame again = load(path, {}, std::make_shared<CountingStorage>(false)).data();
  CHECK(pixels_of(*open_raster(again, 0)) == pixels_of(*open_raster(now)));
}

TEST_CASE("the file of TIFF headers has its suffix before the query of a URL, and other content is ignored") {
  CHECK(header_file_path("/data/a.tacozip") == "/data/a.tacozip.headers");
  CHECK(header_file_path("/data/a?.tacozip") == "/data/a?.tacozip.headers");
  CHECK(header_file_path("https://host/a.tacozip") == "https://host/a.tacozip.headers");
  CHECK(header_file_path("https://host/a.tacozip?download=1") == "https://host/a.tacozip.headers?download=1");
  CHECK(header_file_path("https://host/a.tacozip?X-Amz-Signature=12&X-Amz-Expires=9") == "");
  CHECK(header_file_path("https://host/a.tacozip?sv=2&sig=abc") == "");
  const Published published;
  const std::string path = published.a;
  std::ofstream(path + ".headers") << "<html>404</html>";
  CHECK(pixels_of(*open_raster(children(load(path), 0), 0)) == pixels_of(*open_raster(published.file(0))));
}

TEST_CASE("a file of TIFF headers is written once, under the name of its dataset, and for TIFFs only") {
  const Published published;
  write_tiff_index(published.a);
  CHECK_THROWS_AS(write_tiff_index(published.a), Error);
  CHECK_NOTHROW(write_tiff_index(published.a, {.overwrite = true}));
  CHECK(write_tiff_index(published.a, {.output = published.folder.path("x")}).path == published.folder.path("x"));
  const std::string none = published.folder.path("none.tacozip");
  create({.tortilla = Tortilla({Sample("a", Bytes(10))}), .collection = made_collection()}, none);
  CHECK_THROWS_WITH_AS(write_tiff_index(none), doctest::Contains("no TIFF"), ValidationError);
  const auto stop = [](uint64_t, uint64_t, void*) { return false; };
  CHECK_THROWS_AS(write_tiff_index(published.b, {.task = {.progress = stop}}), IoError);
  CHECK_FALSE(std::filesystem::exists(published.b + ".headers"));
}

TEST_CASE("a broken TIFF is left out of a file of TIFF headers, and reported") {
  const Published published;
  const std::string path = published.folder.path("broken.tacozip");
  create({.tortilla = Tortilla({Sample("good", published.file(0)),
                                Sample("cut", Bytes{std::byte{'I'}, std::byte{'I'}, std::byte{42}, std::byte{0}})}),
          .collection = made_collection()},
         path);
  const auto written = write_tiff_index(path);
  CHECK(written.num_headers == 1);
  CHECK(written.num_broken == 1);
  CHECK_THROWS_AS(open_raster(load(path).data(), 1), FormatError);
}

TEST_CASE("damage to a file of TIFF headers is a FormatError or leaves the pixels unchanged") {
  const Published published;
  const std::string path = write_tiff_index(published.a).path;
  const Bytes whole = local_storage()->open(path)->read_all();
  const Bytes expected = pixels_of(*open_raster(published.file(0)));
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    Bytes damaged = whole;
    damaged[at] ^= std::byte{0x41};
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(damaged.data()), static_cast<std::streamsize>(damaged.size()));
    CAPTURE(at);
    try {
      const DataFrame tile = children(load(published.a), 0);
      const auto raster = open_raster(tile, 0);
      if (raster->info().width == 50) CHECK(pixels_of(*raster).size() == expected.size());
    } catch (const FormatError& error) {
      CHECK(!error.message().empty());
    } catch (const SchemaError& error) {
      CHECK(!error.message().empty());
    }
  }
}

TEST_SUITE("threads") {
  TEST_CASE("threads read TIFF headers beside a dataset, and no-data values of TIFFs, concurrently") {
    const Scenes scenes;
    const std::string with_column = scenes.make(extensions::with_tiff_index(Tortilla(scenes.samples)));
    const Bytes expected = pixels_of(*open_raster(scenes.tog(2)));
    const auto raster = open_raster(load(with_column).data(), 2);
    const std::string path = scenes.folder.path("plain.tacozip");
    create({.tortilla = Tortilla(scenes.samples), .collection = made_collection()}, path);
    write_tiff_index(path, {.task = {.jobs = 4}});
    const DataFrame rows = load(path).data();
    std::atomic<int> num_right = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const auto own = open_raster(rows, 2);
        num_right += raster->nodata() == 7 && own->info().nodata == 7 && pixels_of(*own) == expected;
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(num_right == 8);
  }
}
