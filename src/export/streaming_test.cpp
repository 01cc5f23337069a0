#include <cmath>
#include <filesystem>
#include <limits>

#include "dataset/dataset_impl.hpp"
#include "io/memory_source.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tog.hpp"
#include "support/counting.hpp"
#include "support/raster_data.hpp"
#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "support/v1_files.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/raster/tiff_index.hpp"
#include "tacore/raster/tog.hpp"
#include "tacore/v1/chunks.hpp"
#include "tacore/v1/convert.hpp"
#include "tacore/v1/histograms.hpp"
#include "tortilla/pointer.hpp"
#include "tortilla/streaming/faults.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore::v1 {
namespace {

using Integers = std::vector<int64_t>;

/// Two samples, img1 and img2, each of lrf (256 x 128) and hrf (256 x 256), 3 bands of uint16.
class Images {
 public:
  explicit Images(const TogOptions& options = {.block_size = 128}) {
    int seed = 1;
    for (const std::string image : {"img1", "img2"}) {
      std::vector<Sample> parts;
      for (const std::string part : {"lrf", "hrf"}) {
        const std::string name = image + "_" + part;
        write_plain_tiff(plain(name), 256, part == "lrf" ? 128 : 256, 3, seed++, DataType::UInt16);
        make_tog(plain(name), tog(name), options);
        parts.emplace_back(part, tog(name));
      }
      images_.emplace_back(image, Tortilla(std::move(parts)));
    }
  }

  std::string plain(const std::string& name) const { return folder.path(name + ".tif"); }
  std::string tog(const std::string& name) const { return folder.path(name + ".tog.tif"); }
  Tortilla samples() const { return Tortilla(images_); }
  Taco taco() const { return {samples(), demo_collection()}; }
  /// Written, and its bytes.
  std::string write(CreateTacoOptions options = {}) const {
    options.stats = false;
    options.streaming = true;
    options.output.overwrite = true;
    create_taco(taco(), path(), options);
    return file_text(path());
  }
  std::string path() const { return folder.path("demo.taco"); }

  TemporaryFolder folder;

 private:
  std::vector<Sample> images_;
};

/// A sample whose id no Sample of v2 may have.
Tortilla called(const std::string& id, const Bytes& bytes) {
  Tree tree = tree_of({id});
  tree.levels[0].payloads[0] = {.held = std::make_shared<const SpillBuffer>(bytes, ""), .size = bytes.size()};
  return tortilla_of(std::move(tree));
}

struct Object {
  ByteRange range;
  std::shared_ptr<arrow::Table> table;
  std::shared_ptr<const LevelTable> level;  ///< for key-values
};

Object object_at(const std::string& bytes, ByteRange range) {
  const std::string text = bytes.substr(range.offset, range.size);
  REQUIRE(text.substr(0, 4) == "PAR1");
  REQUIRE(text.substr(text.size() - 4) == "PAR1");
  const TemporaryFolder folder;
  const auto derive = [](const std::vector<Column>&) {
    return std::vector<DerivedColumn>{{.name = "id", .kind = DerivedColumn::Kind::Copy, .from = "tortilla:id"},
                                      {.name = "type", .kind = DerivedColumn::Kind::Constant, .text = "FILE"}};
  };
  return {range, read_table(folder.write("object.parquet", text)),
          LevelTable::open(memory_source("object", to_bytes(text)), {}, derive)};
}

/// The tables of a file by its header and pointers: level 0, ..., chunks.
std::vector<Object> objects_of(const std::string& bytes) {
  const Fields header = fields_of(bytes);
  std::vector<Object> out{object_at(bytes, {header.footer, header.footer_size})};
  while (const auto next = parse_pointer(out.back().level->key_value("pointer").value_or("?")))
    out.push_back(object_at(bytes, *next));
  return out;
}

Integers list_of(const arrow::Table& table, const std::string& name, std::size_t row) {
  Integers out;
  const auto values = read_values(*find_column(table, name));
  for (const auto& value : *values.at(row).get<Value::List>()) out.push_back(*value.get<int64_t>());
  return out;
}

TEST_CASE("tiles keep the size of the source, or get the requested size") {
  const auto side = [](const Images& images, const CreateTacoOptions& options) {
    images.write(options);
    const auto raster = open_raster(load(images.path()).data(), "img1/hrf");
    CHECK(raster->info().block_width == raster->info().block_height);
    return raster->info().block_width;
  };
  CHECK(side(Images({.block_size = 64}), {}) == 64);
  CHECK(side(Images({.block_size = 64}), {.block_size = 32, .zstd_level = 1}) == 32);
  CHECK_THROWS_AS(Images().write({.block_size = 20}), QueryError);
  // Tiles of a GeoTIFF that is no TOG stay, too.
  const TemporaryFolder folder;
  write_plain_tiff(folder.path("plain.tif"), 96, 96, 1, 1, DataType::UInt8);
  make_tog(folder.path("plain.tif"), folder.path("tog.tif"), {.block_size = 32});
  std::string bytes = file_text(folder.path("tog.tif"));
  const auto item = bytes.find("name=\"INTERLEAVE\"");
  REQUIRE(item != bytes.npos);
  bytes.replace(item, 17, "name=\"INTERLEFT_\"");  // which makes it a TIFF like fallback
  const Tortilla one({Sample("a", folder.write("other.tif", bytes))});
  create_tortilla(one, folder.path("x.tortilla"), {.stats = false, .streaming = true});
  CHECK(open_raster(load(folder.path("x.tortilla")).data(), 0)->info().block_width == 32);
}

TEST_CASE("a streaming file is header, samples, footers, stream tables and collection, in this order") {
  const Images images;
  const std::string bytes = images.write({.histograms = false});
  const Fields header = fields_of(bytes);
  const auto objects = objects_of(bytes);
  REQUIRE(objects.size() == 3);
  const auto &level0 = objects[0], &level1 = objects[1], &chunks = objects[2];

  CHECK(header.magic == "WX");
  CHECK(header.collection == header.footer + header.footer_size);
  CHECK(header.collection + header.collection_size == bytes.size());
  CHECK(level1.range.offset + level1.range.size == level0.range.offset);
  CHECK(chunks.range.offset + chunks.range.size == level1.range.offset);
  CHECK(*level0.level->key_value("pointer") == encode_pointer(level1.range));
  CHECK(*level1.level->key_value("pointer") == encode_pointer(chunks.range));
  CHECK(*chunks.level->key_value("pointer") == "\"NULL\"");
  CHECK(*level0.level->key_value("taco:level") == "0");
  CHECK(*level1.level->key_value("taco:level") == "1");
  CHECK(*chunks.level->key_value("taco:level") == "chunk");
  CHECK(parse_footer_hint(*level0.level->key_value("taco:footer")) ==
        ByteRange{chunks.range.offset, header.collection - chunks.range.offset});
  CHECK(!level0.level->key_value("histogram"));

  CHECK(column_names(*level0.table) ==
        Strings{"tortilla:root", "tortilla:id", "tortilla:file_format", "tortilla:offset", "tortilla:length"});
  CHECK(texts(*level0.table, "tortilla:root") == Strings{"img1", "img2"});
  CHECK(integers(*level0.table, "tortilla:offset")[0] == 200);
  CHECK(column_names(*level1.table) == Strings{"tortilla:root", "tortilla:parent", "tortilla:id",
                                               "tortilla:file_format", "tortilla:offset", "tortilla:length"});
  CHECK(texts(*level1.table, "tortilla:root") == Strings{"img1", "img1", "img2", "img2"});
  CHECK(integers(*level1.table, "tortilla:parent") == Integers{0, 0, 1, 1});
  CHECK(texts(*level1.table, "tortilla:id") == Strings{"lrf", "hrf", "lrf", "hrf"});
  const auto offsets = integers(*level1.table, "tortilla:offset"), lengths = integers(*level1.table, "tortilla:length");
  const auto image = integers(*level0.table, "tortilla:offset"), size = integers(*level0.table, "tortilla:length");
  CHECK(offsets == Integers{400, 400 + lengths[0], image[1] + 200, image[1] + 200 + lengths[2]});
  CHECK(chunks.range.offset == static_cast<uint64_t>(image[1] + size[1]));
  // The nested samples are whole Tortillas still.
  const auto nested = footer_of(bytes, static_cast<std::size_t>(image[1]));
  CHECK(integers(*nested, "tortilla:offset") == Integers{200, 200 + lengths[2]});
  CHECK(texts(*chunks.table, "tortilla:root") ==
        Strings{"img1", "img1", "img1", "img1", "img1", "img1", "img2", "img2", "img2", "img2", "img2", "img2"});
  CHECK(texts(*chunks.table, "tortilla:id") == Strings{"lrf::0", "lrf::1", "hrf::0", "hrf::1", "hrf::2", "hrf::3",
                                                       "lrf::0", "lrf::1", "hrf::0", "hrf::1", "hrf::2", "hrf::3"});
  CHECK(integers(*chunks.table, "tortilla:parent") == Integers{0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3});
  CHECK(column_names(*chunks.table) == Strings{"tortilla:root", "tortilla:parent", "tortilla:id", "tortilla:offset",
                                               "tortilla:length", "chunk:band_offsets", "chunk:band_lengths",
                                               "chunk:level", "chunk:row", "chunk:col", "chunk:shape", "chunk:valid",
                                               "chunk:dtype", "chunk:compression", "chunk:predictor",
                                               "chunk:interleave", "chunk:nodata"});
}

TEST_CASE("a row of the chunk table says what the directory of the TIFF does") {
  const Images images;
  const std::string bytes = images.write();
  const auto chunks = objects_of(bytes).back().table;
  const auto rasters = objects_of(bytes)[1].table;
  const auto rows = integers(*chunks, "tortilla:parent"), offsets = integers(*chunks, "tortilla:offset");
  const auto lengths = integers(*chunks, "tortilla:length");
  const std::size_t row = 9;  // img2/hrf::1
  const auto begin = integers(*rasters, "tortilla:offset")[3], size = integers(*rasters, "tortilla:length")[3];
  const auto layout = read_tiff_directory(*memory_source("hrf", to_bytes(bytes.substr(static_cast<std::size_t>(begin),
                                                                                      static_cast<std::size_t>(size)))))
                          .layout;
  const ByteRange first = layout.blocks[1], second = layout.blocks[4 + 1], third = layout.blocks[8 + 1];
  CHECK(offsets[row] == begin + static_cast<int64_t>(first.offset));
  CHECK(list_of(*chunks, "chunk:band_lengths", row) == Integers{static_cast<int64_t>(first.size),
                                                                static_cast<int64_t>(second.size),
                                                                static_cast<int64_t>(third.size)});
  const auto band_offsets = list_of(*chunks, "chunk:band_offsets", row);
  CHECK(band_offsets ==
        Integers{0, static_cast<int64_t>(first.size) + 8, static_cast<int64_t>(first.size + second.size) + 16});
  CHECK(lengths[row] == band_offsets[2] + static_cast<int64_t>(third.size));
  CHECK(list_of(*chunks, "chunk:shape", row) == Integers{3, 128, 128});
  CHECK(list_of(*chunks, "chunk:valid", row) == Integers{128, 128});
  CHECK(integers(*chunks, "chunk:level")[row] == 1);
  CHECK(integers(*chunks, "chunk:row")[row] == 0);
  CHECK(integers(*chunks, "chunk:col")[row] == 1);
  CHECK(integers(*chunks, "chunk:col")[11] == 1);
  CHECK(integers(*chunks, "chunk:row")[11] == 1);
  CHECK(texts(*chunks, "chunk:dtype")[row] == "uint16");
  CHECK(texts(*chunks, "chunk:interleave")[row] == "tile");
  CHECK(integers(*chunks, "chunk:compression")[row] == 50000);
  CHECK(integers(*chunks, "chunk:predictor")[row] == 2);
  CHECK(read_values(*find_column(*chunks, "chunk:nodata"))[row] == Value(7.0));
}

bool equal(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() &&
         std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin());
}

TEST_CASE("read gives a table, a path, or a chunk; a chunk takes one read, plus its TIFF's directory the first time") {
  const Images images({.block_size = 112});  // the last tiles end behind the image
  images.write();
  const auto storage = std::make_shared<CountingStorage>();
  const DataFrame rows = load(images.path(), {}, storage).data();
  const auto children = std::get<DataFrame>(read(rows, "img2"));
  CHECK(children.num_rows() == 2);
  const auto path = std::get<VsiPath>(read(children, "hrf")).value;
  const auto raster = open_raster(images.plain("img2_hrf"));
  storage->reset();
  for (int k = 0; k < 9; ++k) {
    CAPTURE(k);
    const int before = storage->num_reads();
    const Tensor chunk = std::get<Tensor>(read(children, "hrf::" + std::to_string(k)));
    CHECK(storage->num_reads() == before + 1);  // the first comes with the directory of the TIFF
    const Window window{k % 3 * 112, k / 3 * 112, k % 3 == 2 ? 32 : 112, k / 3 == 2 ? 32 : 112};
    CHECK(chunk.shape() == Integers{3, window.height, window.width});
    CHECK(equal(chunk, read_tensor(*raster, {.window = window})));
    CHECK(equal(chunk, read_chunk(rows, "img2/hrf::" + std::to_string(k))));
  }
  const auto requests = storage->requests();
  const auto chunks = objects_of(file_text(images.path())).back().table;
  std::size_t row = 0;
  while (texts(*chunks, "tortilla:root")[row] != "img2" || texts(*chunks, "tortilla:id")[row] != "hrf::0") ++row;
  CHECK(requests[1].offset == static_cast<uint64_t>(integers(*chunks, "tortilla:offset")[row]));
  CHECK(requests[1].size == static_cast<uint64_t>(integers(*chunks, "tortilla:length")[row]));
  CHECK(read_chunk(rows, "img2/hrf::8", {.keep_padding = true}).shape() == Integers{3, 112, 112});
  CHECK(path.starts_with("/vsisubfile/"));
}

TEST_CASE("a file without chunk table gives the same chunks from its directories") {
  const Images images;
  images.write();
  const std::string plain_path = images.folder.path("plain.taco");
  create_taco(images.taco(), plain_path, plain());
  const DataFrame streaming = load(images.path()).data(), other = load(plain_path).data();
  for (const std::string id : {"img1/lrf::0", "img1/lrf::1", "img2/hrf::3"})
    CHECK(equal(read_chunk(streaming, id), read_chunk(other, id)));
  CHECK_THROWS_WITH_AS(read_chunk(streaming, "img1/lrf::2"), doctest::Contains("there is no chunk 2"), QueryError);
  CHECK_THROWS_WITH_AS(read_chunk(other, "img1/lrf::2"),
                       doctest::Contains("there is no chunk 2; chunks 0 to 1 expected"), QueryError);
  for (const DataFrame& rows : {streaming, other}) {
    CHECK_THROWS_AS(read(rows, "img1/nothing::0"), NavigationError);
    CHECK_THROWS_AS(read(rows, "img1::0"), NavigationError);
    CHECK_THROWS_AS(read_chunk(rows, "img1/lrf"), QueryError);
  }
}

TEST_CASE("an id that ends like a chunk id is read as that sample") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.tortilla");
  create_tortilla(called("a::1", to_bytes("one")), path, plain());
  CHECK(std::get<Bytes>(read(load(path).data(), "a::1")) == to_bytes("one"));
}

TEST_CASE("rasters that are not TOGs are re-encoded with the same pixels") {
  const TemporaryFolder folder;
  const std::string tiff = write_plain_tiff(folder.path("a.tif"), 300, 200, 2);
  const std::string path = folder.path("flat.taco");
  std::vector<std::byte> held = to_bytes(file_text(tiff));
  create_taco({Tortilla({Sample("a", tiff), Sample("b", held)}), demo_collection()}, path, {.streaming = true});
  const DataFrame rows = load(path).data();
  for (const std::string id : {"a", "b"}) {
    CAPTURE(id);
    CHECK(check_tacotiff(std::get<VsiPath>(rows.read(id)).value).empty());
    CHECK(equal(read_chunk(rows, id + "::0"), read_tensor(*open_raster(tiff))));
  }
  CHECK(objects_of(file_text(path)).size() == 2);
  const Dataset twice = load(path);
  CHECK(twice.level_rows(0) == 2);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);  // no draft stays
}

TEST_CASE("a raster of a ZIP is verified against its CRC-32 before it is encoded anew") {
  const TemporaryFolder folder;
  const std::string tiff = write_plain_tiff(folder.path("a.tif"), 300, 200, 1), zip = folder.path("a.tacozip");
  Collection about = demo_collection();
  about.tasks = {"other"};
  tacore::create({Tortilla({Sample("a", tiff)}), about}, zip);
  std::string bytes = file_text(zip);
  bytes[1000 + 20'000] ^= 1;  // a pixel
  std::ofstream(zip, std::ios::binary) << bytes;
  says(error_of([&] { compile(load(zip), folder.path("a.taco"), {.stats = false, .streaming = true}); }),
       "sample 'a' is damaged: 61000 bytes have CRC-32 ");
  CHECK(!std::filesystem::exists(folder.path("a.taco")));
}

TEST_CASE("a sample that cannot be streamed is refused by its id, or copied unchanged where that is allowed") {
  const TemporaryFolder folder;
  const std::string tiff = write_plain_tiff(folder.path("a.tif"), 32, 32, 1);
  const auto why = [&](const Tortilla& samples, CreateTacoOptions options = {.stats = false}) {
    options.streaming = true;
    return error_of([&] { create_taco({samples, demo_collection()}, folder.path("x.taco"), options); });
  };
  says(why(Tortilla({Sample("a", tiff), Sample("b", to_bytes("no raster"))})),
       "ValidationError: sample 'b' has the format BYTES, GTiff expected");
  says(why(called("a::b", to_bytes(file_text(tiff)))), "'a::b': an id in a streaming TACO must not contain / or ::");
  const Tortilla one({Sample("x", tiff)}), other({Sample("y", tiff)});
  says(why(Tortilla({Sample("a", one), Sample("b", other)})), "samples 'a' and 'b' have different children");
  says(why(Tortilla({Sample("a", to_bytes("II*\x01 is no TIFF"))})), "sample 'a'");
  CHECK(!std::filesystem::exists(folder.path("x.taco")));
  CHECK(why(Tortilla({Sample("a", tiff), Sample("b", to_bytes("no raster"))}),
            {.stats = false, .allow_non_tog = true}) == "");
  const DataFrame rows = load(folder.path("x.taco")).data();
  CHECK(std::get<Bytes>(read(rows, "b")) == to_bytes("no raster"));
  CHECK(std::get<Tensor>(read(rows, "a::0")).shape() == Integers{1, 32, 32});
}

TEST_CASE("leaves at any depth have chunks, and each part has its own chain of tables") {
  const TemporaryFolder folder;
  const std::string tiff = write_plain_tiff(folder.path("a.tif"), 40, 30, 1);
  std::vector<Sample> samples;
  for (const std::string id : {"s0", "s1", "s2"})
    samples.emplace_back(id, Tortilla({Sample("deep", Tortilla({Sample("x", tiff)})), Sample("shallow", tiff)}));
  const auto paths = create_taco({Tortilla(samples), demo_collection()}, folder.path("d.taco"),
                                 {.split_size = 1, .stats = false, .streaming = true});
  REQUIRE(paths.size() == 3);
  const auto objects = objects_of(file_text(paths[2]));
  REQUIRE(objects.size() == 4);
  CHECK(texts(*objects[2].table, "tortilla:root") == Strings{"s2/deep"});
  CHECK(texts(*objects[3].table, "tortilla:root") == Strings{"s2", "s2/deep"});
  CHECK(integers(*objects[3].table, "chunk:level") == Integers{1, 2});
  CHECK(integers(*objects[3].table, "tortilla:parent") == Integers{1, 0});
  const DataFrame rows = load(paths[0]).data();
  CHECK(rows.num_rows() == 3);
  const Tensor pixels = read_tensor(*open_raster(tiff));
  CHECK(equal(read_chunk(rows, "s2/deep/x::0"), pixels));
  CHECK(equal(read_chunk(rows, "s0/shallow::0"), pixels));
  const auto all = histograms(load(paths[0]));
  REQUIRE(all.size() == 2);
  CHECK(all[0].component == "shallow");
  CHECK(all[1].component == "deep/x");
  CHECK(all[1].num_samples == 3);
}

TEST_CASE("a streaming file that tacore writes breaks no rule") {
  const Images images;
  images.write();
  CHECK(streaming_faults(local_storage()->open(images.path()), images.path()).empty());
  create_taco(images.taco(), images.path(), plain({.output = {.overwrite = true}}));
  CHECK(streaming_faults(local_storage()->open(images.path()), images.path()).empty());
}

TEST_CASE("the bytes do not depend on the number of threads") {
  const Images images;
  const std::string one = images.write({.task = {.jobs = 1}});
  CHECK(images.write({.task = {.jobs = 2}}) == one);
}

/// The counts of the valid pixels of a raster between `low` and `high`, as 4.6 has them.
std::vector<uint64_t> expected_counts(const Tensor& pixels, std::size_t band, double low, double high) {
  std::vector<uint64_t> out(100);
  const auto size = static_cast<std::size_t>(pixels.shape()[1] * pixels.shape()[2]);
  for (const uint16_t value : pixels.values<uint16_t>().subspan(band * size, size)) {
    if (value == 7) continue;  // no data
    const auto bin = static_cast<std::size_t>((value - low) * 100 / (high - low));
    ++out[std::min<std::size_t>(bin, 99)];
  }
  return out;
}

TEST_CASE("histograms of any selection of samples are the sums of theirs") {
  const Images images;
  images.write();
  const Dataset dataset = load(images.path());
  const auto all = histograms(dataset);
  REQUIRE(all.size() == 2);
  CHECK(all[0].component == "lrf");
  CHECK(all[1].component == "hrf");
  CHECK(all[1].num_samples == 2);
  CHECK(!all[1].is_relative);
  const auto one = histograms(dataset.data().filter("id = 'img2'"));
  const Tensor first = read_tensor(*open_raster(images.plain("img1_hrf")));
  const Tensor second = read_tensor(*open_raster(images.plain("img2_hrf")));
  for (std::size_t band = 0; band < 3; ++band) {
    CAPTURE(band);
    const BandHistogram &here = all[1].bands[band], &of_one = one[1].bands[band];
    CHECK(of_one.min == here.min);
    CHECK(of_one.max == here.max);
    const auto a = expected_counts(first, band, here.min, here.max);
    const auto b = expected_counts(second, band, here.min, here.max);
    CHECK(of_one.counts == b);
    for (std::size_t bin = 0; bin < 100; ++bin) CHECK(here.counts[bin] == a[bin] + b[bin]);
    const double width = (here.max - here.min) / 100;
    CHECK(std::abs(here.quantile(0.5) - 32768) < 3 * width);
    CHECK(here.quantile(0) >= here.min);
    CHECK(here.quantile(1) == here.max);
    CHECK(std::abs(here.mean() - 32768) < 3 * width);
    const Scale scale = here.scale();
    CHECK(std::abs(here.quantile(0.025) * scale.factor + scale.offset) < 1e-9);
    CHECK(std::abs(here.quantile(0.985) * scale.factor + scale.offset - 1) < 1e-9);
  }
  CHECK(histograms(dataset.data().filter("id = 'none'")).empty());
  CHECK_THROWS_AS(histograms(std::get<DataFrame>(dataset.data().read("img1"))), QueryError);
}

TEST_CASE("a band without valid pixels has no histogram, and one of one value has one bin") {
  const TemporaryFolder folder;
  const auto tiff_of = [&](const std::string& name, int value) {
    const std::string path = write_plain_tiff(folder.path(name), 16, 16, 1);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(1000);
    file << std::string(256, static_cast<char>(value));
    return path;
  };
  const std::string empty = folder.path("empty.taco"), flat = folder.path("flat.taco");
  create_taco({Tortilla({Sample("a", tiff_of("none.tif", 7))}), demo_collection()}, empty,
              {.stats = false, .streaming = true});
  create_taco({Tortilla({Sample("a", tiff_of("nine.tif", 9))}), demo_collection()}, flat,
              {.stats = false, .streaming = true});
  const auto none = histograms(load(empty)).at(0).bands.at(0), nine = histograms(load(flat)).at(0).bands.at(0);
  CHECK(std::isnan(none.min));
  CHECK(none.count() == 0);
  CHECK(std::isnan(none.quantile(0.5)));
  CHECK(std::isnan(none.mean()));
  CHECK_THROWS_AS(none.scale(), QueryError);
  CHECK(nine.counts[0] == 256);
  CHECK(nine.quantile(0.5) == 9);
  CHECK(nine.mean() == 9);
  CHECK_THROWS_AS(nine.quantile(1.5), QueryError);
  CHECK(histograms(load(flat)).at(0).component == ".");
}

TEST_CASE("a dataset without histograms returns none") {
  const Images images;
  images.write({.histograms = false});
  CHECK(histograms(load(images.path())).empty());
}

TEST_CASE("a tree deeper than six levels has a table for each level, and chunks of the deepest") {
  const TemporaryFolder folder;
  write_plain_tiff(folder.path("leaf.tif"), 64, 64, 1, 7, DataType::UInt16);
  Sample sample("leaf", folder.path("leaf.tif"));
  std::string id = "leaf::0";
  for (int i = 0; i < 9; ++i) {
    const std::string above = "f" + std::to_string(i);
    sample = Sample(above, Tortilla({sample}));
    id = above + "/" + id;
  }
  const auto path = folder.path("x.taco"), again = folder.path("y.taco");
  create_taco({Tortilla({sample}), demo_collection()}, path, plain({.streaming = true}));
  compile(load(path), again, {.streaming = true});
  for (const auto& file : {path, again}) {
    CHECK(objects_of(file_text(file)).size() == 11);
    CHECK(streaming_faults(local_storage()->open(file), file).empty());
    CHECK(read_chunk(load(file).data(), id).shape() == Integers{1, 64, 64});
  }
}

TEST_CASE("a streaming file that is truncated or has a byte changed gives the same data or a typed error") {
  const Images images;
  const std::string bytes = images.write();
  const auto visit = [&](const std::string& changed) {
    const TemporaryFolder folder;
    try {
      const Dataset dataset = load(folder.write("a.taco", changed));
      const DataFrame rows = dataset.data();
      read(rows, "img1");
      read_chunk(rows, "img2/hrf::3");
      histograms(dataset);
    } catch (const Error& error) {
      CHECK(!error.message().empty());
    }
  };
  const auto objects = objects_of(bytes);
  const std::size_t begin = objects.back().range.offset;
  for (std::size_t at = begin; at < bytes.size(); at += 37) {
    visit(bytes.substr(0, at));
    std::string changed = bytes;
    changed[at] = static_cast<char>(~changed[at]);
    visit(changed);
  }
}

}  // namespace
}  // namespace tacore::v1
