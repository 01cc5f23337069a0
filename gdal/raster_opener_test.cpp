#include <cpl_string.h>
#include <cpl_vsi.h>
#include <doctest/doctest.h>
#include <gdal_priv.h>
#include <ogr_spatialref.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/raster/gdal.hpp"
#include "tacore/raster/picture.hpp"
#include "tacore/raster/stac.hpp"

using namespace tacore;

namespace {

namespace fs = std::filesystem;

/// A temporary folder, removed with this object.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tacore-opener-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t num_files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

struct Made {
  int width = 70, height = 50, bands = 3;
  GDALDataType type = GDT_Byte;
  double nodata = -1;  ///< none
  const char* crs = nullptr;
  std::array<double, 6> geotransform = {0, 1, 0, 0, 0, 1};
};

/// Pixels that repeat after 251, a prime.
std::vector<double> pattern(const Made& made) {
  std::vector<double> out(static_cast<std::size_t>(made.width * made.height * made.bands));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(i * i % 251);
  return out;
}

using DatasetPtr = std::unique_ptr<GDALDataset>;

void set_nodata(GDALRasterBand& band, double value) {
  if (band.GetRasterDataType() == GDT_Int64) {
    band.SetNoDataValueAsInt64(static_cast<int64_t>(value));
  } else if (band.GetRasterDataType() == GDT_UInt64) {
    band.SetNoDataValueAsUInt64(static_cast<uint64_t>(value));
  } else {
    band.SetNoDataValue(value);
  }
}

/// A raster in memory, as a driver copies it to a file.
DatasetPtr in_memory(const Made& made) {
  GDALAllRegister();
  DatasetPtr out(GetGDALDriverManager()->GetDriverByName("MEM")->Create("", made.width, made.height, made.bands,
                                                                        made.type, nullptr));
  auto values = pattern(made);
  REQUIRE(out->RasterIO(GF_Write, 0, 0, made.width, made.height, values.data(), made.width, made.height, GDT_Float64,
                        made.bands, nullptr, 0, 0, 0, nullptr) == CE_None);
  if (made.nodata >= 0) {
    for (int i = 1; i <= made.bands; ++i) set_nodata(*out->GetRasterBand(i), made.nodata);
  }
  if (made.crs) {
    OGRSpatialReference crs;
    crs.SetFromUserInput(made.crs);
    crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    out->SetSpatialRef(&crs);
    auto to_crs = made.geotransform;
    out->SetGeoTransform(to_crs.data());
  }
  return out;
}

std::string write(const std::string& path, const char* driver, GDALDataset& pixels,
                  const std::vector<std::string>& options = {}) {
  CPLStringList list;
  for (const auto& option : options) list.AddString(option.c_str());
  auto* to = GetGDALDriverManager()->GetDriverByName(driver);
  REQUIRE(to);
  const DatasetPtr written(to->CreateCopy(path.c_str(), &pixels, 0, list.List(), nullptr, nullptr));
  REQUIRE(written);
  return path;
}

std::vector<int> all_bands(const Raster& raster) {
  std::vector<int> out(static_cast<std::size_t>(raster.info().bands));
  std::iota(out.begin(), out.end(), 1);
  return out;
}

Bytes read(const Raster& raster, const Window& window, const std::vector<int>& bands) {
  Bytes out(bands.size() * static_cast<std::size_t>(window.width * window.height) * size_of(raster.info().type));
  raster.read(bands, window, out);
  return out;
}

Bytes read_all(const Raster& raster) {
  return read(raster, {0, 0, raster.info().width, raster.info().height}, all_bands(raster));
}

/// What GDAL itself reads.
Bytes by_gdal(const std::string& path) {
  const DatasetPtr dataset(GDALDataset::Open(path.c_str(), GDAL_OF_RASTER));
  REQUIRE(dataset);
  const int width = dataset->GetRasterXSize(), height = dataset->GetRasterYSize(), bands = dataset->GetRasterCount();
  const GDALDataType type = dataset->GetRasterBand(1)->GetRasterDataType();
  Bytes out(static_cast<std::size_t>(width * height * bands * GDALGetDataTypeSizeBytes(type)));
  REQUIRE(dataset->RasterIO(GF_Read, 0, 0, width, height, out.data(), width, height, type, bands, nullptr, 0, 0, 0,
                            nullptr) == CE_None);
  return out;
}

void cut(const std::string& from, const std::string& to, std::size_t size) {
  std::ifstream in(from, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::ofstream(to, std::ios::binary) << bytes.substr(0, size);
}

/// `path` behind 100 bytes of something else, as it lies in a container.
std::string inside(const Folder& folder, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::string container = folder / "container.bin";
  std::ofstream(container, std::ios::binary) << std::string(100, 'x') << bytes << std::string(50, 'y');
  return "/vsisubfile/100_" + std::to_string(bytes.size()) + "," + container;
}

std::shared_ptr<const Raster> open(const std::string& path) { return gdal::raster_opener()->open(path); }

}  // namespace

TEST_CASE("formats that only GDAL decodes have the pixels that GDAL reads, from a file and from a container" *
          doctest::test_suite("external")) {
  const Folder folder;
  struct Case {
    const char *name, *driver;
    std::vector<std::string> options;
  };
  const Case cases[] = {
      {"a.jpg", "JPEG", {}},
      {"a.png", "PNG", {}},
      {"a.jp2", "JP2OpenJPEG", {"REVERSIBLE=YES", "QUALITY=100"}},
      {"jpeg.tif", "GTiff", {"COMPRESS=JPEG", "TILED=YES"}},
      {"packbits.tif", "GTiff", {"COMPRESS=PACKBITS"}},
      {"lerc.tif", "GTiff", {"COMPRESS=LERC"}},
      {"lzma.tif", "GTiff", {"COMPRESS=LZMA", "INTERLEAVE=BAND"}},
      {"webp.tif", "GTiff", {"COMPRESS=WEBP", "WEBP_LOSSLESS=YES"}},
  };
  const auto pixels = in_memory({});
  for (const Case& c : cases) {
    CAPTURE(c.name);
    if (!GetGDALDriverManager()->GetDriverByName(c.driver) && skip(std::string("GDAL has no ") + c.driver)) continue;
    const std::string path = write(folder / c.name, c.driver, *pixels, c.options);
    for (const std::string& at : {path, inside(folder, path)}) {
      const auto raster = open_raster(at, gdal::raster_opener().get());
      CHECK(raster->name() == at);
      CHECK(raster->info().width == 70);
      CHECK(raster->info().height == 50);
      CHECK(raster->info().bands == 3);
      CHECK(raster->info().format == c.driver);
      CHECK(read_all(*raster) == by_gdal(path));
    }
    CHECK_THROWS_WITH_AS(open_raster(path), doctest::Contains("GDAL is needed"), FormatError);
  }
}

TEST_CASE("bands of a window are returned in the requested order") {
  const Folder folder;
  const Made made;
  const auto raster = open(write(folder / "a.png", "PNG", *in_memory(made)));
  const Bytes found = read(*raster, {10, 20, 5, 3}, {3, 1, 1});
  const auto values = pattern(made);
  std::size_t at = 0;
  for (const int band : {3, 1, 1}) {
    for (int y = 20; y < 23; ++y) {
      for (int x = 10; x < 15; ++x) {
        const double expected = values[static_cast<std::size_t>(((band - 1) * made.height + y) * made.width + x)];
        CHECK(std::to_integer<int>(found[at++]) == static_cast<int>(expected));
      }
    }
  }
}

TEST_CASE("every tensor type is read, with its no-data value") {
  const Folder folder;
  const std::pair<GDALDataType, DataType> types[] = {
      {GDT_Byte, DataType::UInt8},    {GDT_UInt16, DataType::UInt16},   {GDT_Int16, DataType::Int16},
      {GDT_UInt32, DataType::UInt32}, {GDT_Int32, DataType::Int32},     {GDT_UInt64, DataType::UInt64},
      {GDT_Int64, DataType::Int64},   {GDT_Float32, DataType::Float32}, {GDT_Float64, DataType::Float64}};
  for (const auto& [type, expected] : types) {
    CAPTURE(to_string(expected));
    const auto pixels = in_memory({.type = type, .nodata = 250});
    const std::string path = write(folder / "a.tif", "GTiff", *pixels, {"COMPRESS=LZMA"});
    const auto raster = open(path);
    CHECK(raster->info().type == expected);
    CHECK(raster->info().nodata == 250);
    CHECK(raster->info().compression == "LZMA");
    CHECK(read_all(*raster) == by_gdal(path));
  }
  const std::string path = write(folder / "b.tif", "GTiff", *in_memory({}), {"PIXELTYPE=SIGNEDBYTE"});
  CHECK(open(path)->info().type == DataType::Int8);
  CHECK_FALSE(open(path)->info().nodata);
}

TEST_CASE("one-bit pixels are read as bytes and colour-mapped pixels as indices") {
  const Folder folder;
  auto pixels = in_memory({.bands = 1});
  GDALColorTable colours;
  const GDALColorEntry red{255, 0, 0, 255};
  for (int i = 0; i < 256; ++i) colours.SetColorEntry(i, &red);
  pixels->GetRasterBand(1)->SetColorTable(&colours);
  const std::string path = write(folder / "palette.png", "PNG", *pixels);
  const auto raster = open(path);
  CHECK(raster->info().bands == 1);
  CHECK(read_all(*raster) == by_gdal(path));
  const std::string bits = write(folder / "bits.tif", "GTiff", *pixels, {"NBITS=1", "COMPRESS=CCITTFAX4"});
  CHECK(open(bits)->info().type == DataType::UInt8);
  CHECK(read_all(*open(bits)) == by_gdal(bits));
}

TEST_CASE("complex pixels, bands of several types and files without bands are refused") {
  const Folder folder;
  const std::string complex = write(folder / "c.tif", "GTiff", *in_memory({.bands = 1, .type = GDT_CFloat32}));
  CHECK_THROWS_WITH_AS(open(complex), doctest::Contains("pixels of type CFloat32 are not read"), FormatError);
  std::ofstream(folder / "text.tif") << "no raster at all";
  CHECK_THROWS_WITH_AS(open(folder / "text.tif"), doctest::Contains("GDAL cannot read it"), FormatError);
  CHECK_THROWS_AS(open(folder / "missing.tif"), IoError);
  CHECK_THROWS_AS(open("/vsisubfile/0_10," + (folder / "missing.tif")), IoError);
}

TEST_CASE("a sample that refers to other files (VRT, WMS) is refused") {
  const Folder folder;
  const std::string secret = write(folder / "secret.tif", "GTiff", *in_memory({}));
  const DatasetPtr opened(GDALDataset::Open(secret.c_str()));
  const std::string vrt = write(folder / "sample.vrt", "VRT", *opened);
  REQUIRE(GDALDataset::Open(vrt.c_str()));
  CHECK_THROWS_AS(open(vrt), FormatError);
  std::ofstream(folder / "wms.xml") << "<GDAL_WMS><Service name=\"TMS\"><ServerUrl>http://127.0.0.1:9/</ServerUrl>"
                                       "</Service></GDAL_WMS>";
  CHECK_THROWS_AS(open(folder / "wms.xml"), FormatError);
}

TEST_CASE("sidecar files are neither written nor read") {
  const Folder folder;
  const std::string path = write(folder / "a.jpg", "JPEG", *in_memory({}));
  for (const auto& file : {folder / "a.jpg.aux.xml"}) {
    std::ofstream(file) << "<PAMDataset><SRS>EPSG:3857</SRS><GeoTransform>0,1,0,0,0,-1</GeoTransform></PAMDataset>";
  }
  const std::size_t before = folder.num_files();
  const auto raster = open(path);
  read_all(*raster);
  CHECK(raster->georeference().crs.empty());
  CHECK_FALSE(raster->georeference().geotransform);
  CHECK(folder.num_files() == before);
  CHECK(CPLGetThreadLocalConfigOption("GDAL_PAM_ENABLED", nullptr) == nullptr);
}

TEST_CASE("truncated pixel data is an error, although GDAL may fill it in") {
  const Folder folder;
  const auto pixels = in_memory({.width = 300, .height = 300});
  int num_refused = 0;
  for (const auto& [name, driver] : {std::pair{"a.jpg", "JPEG"}, {"a.png", "PNG"}, {"a.jp2", "JP2OpenJPEG"}}) {
    CAPTURE(name);
    const std::string path = write(folder / name, driver, *pixels);
    const Bytes whole = read_all(*open(path));
    for (const double part : {.3, .6, .9}) {
      CAPTURE(part);
      const std::string shorter = folder / (std::string("cut_") + name);
      cut(path, shorter, static_cast<std::size_t>(part * static_cast<double>(fs::file_size(path))));
      Bytes found = whole;
      try {
        found = read_all(*open(shorter));
      } catch (const Error&) {
        ++num_refused;
      }
      CHECK(found == whole);
    }
  }
  CHECK(num_refused == 9);
}

TEST_CASE("windows, bands and buffers that do not match the raster are refused") {
  const Folder folder;
  const auto raster = open(write(folder / "a.png", "PNG", *in_memory({})));
  Bytes out(12);
  const std::vector<int> one = {1};
  for (const Window& window :
       {Window{-1, 0, 4, 3}, {67, 0, 4, 3}, {0, 48, 4, 3}, {0, 0, 3, 3}, {0, 0, -4, -3}, {INT64_MAX, 0, 4, 3}}) {
    CHECK_THROWS_AS(raster->read(one, window, out), QueryError);
  }
  for (const int band : {0, 4, -1}) {
    CHECK_THROWS_AS(raster->read(std::vector<int>{band}, {0, 0, 4, 3}, out), QueryError);
  }
  raster->read(one, {0, 0, 4, 3}, out);
}

TEST_CASE("many threads read one raster") {
  const Folder folder;
  const auto raster = open(write(folder / "a.jp2", "JP2OpenJPEG", *in_memory({}), {"REVERSIBLE=YES", "QUALITY=100"}));
  const Bytes expected = read_all(*raster);
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (auto& count : wrong) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) count += read_all(*raster) != expected;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(8));
}

TEST_CASE("a forked child opens its own GDAL handles and leaves its parent's alone") {
  const Folder folder;
  const auto raster = open(write(folder / "a.png", "PNG", *in_memory({.width = 400, .height = 400})));
  const Bytes expected = read_all(*raster);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto mine = raster;
    ::_exit(read_all(*mine) == expected ? 0 : 1);
  }
  CHECK(read_all(*raster) == expected);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(read_all(*raster) == expected);
}

TEST_CASE("masks come from the no-data value, the alpha band and the mask band of a file") {
  const Folder folder;
  const Made made{.nodata = 9};
  const std::string path = write(folder / "a.tif", "GTiff", *in_memory(made));
  const Tensor mask = gdal::read_mask(path);
  CHECK(mask.shape() == std::vector<int64_t>{3, 50, 70});
  const auto values = pattern(made);
  std::size_t num_wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) num_wrong += mask.values<uint8_t>()[i] != (values[i] == 9 ? 0 : 255);
  CHECK(num_wrong == 0);
  const Tensor part = gdal::read_mask(path, {2}, Window{1, 2, 3, 4});
  CHECK(part.shape() == std::vector<int64_t>{1, 4, 3});

  auto with_mask = in_memory({});
  REQUIRE(with_mask->CreateMaskBand(GMF_PER_DATASET) == CE_None);
  with_mask->GetRasterBand(1)->GetMaskBand()->Fill(0);
  CPLSetThreadLocalConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES");
  const std::string masked = write(folder / "masked.tif", "GTiff", *with_mask);
  CPLSetThreadLocalConfigOption("GDAL_TIFF_INTERNAL_MASK", nullptr);
  CHECK(gdal::read_mask(masked, {1}).values<uint8_t>()[5] == 0);
  CHECK(read_all(*open(masked)) == by_gdal(masked));
}

TEST_CASE("geotransform and CRS of TIFFs equal GDAL's, rotated, pixel-is-point and without EPSG code included") {
  const Folder folder;
  const std::array<double, 6> turned = {600000, 8.66, 5, 4400040, 5, -8.66};
  struct Case {
    const char* crs;
    std::array<double, 6> geotransform;
    std::vector<std::string> options;
  };
  const Case cases[] = {{"EPSG:32630", {600000, 10, 0, 4400040, 0, -10}, {}},
                        {"EPSG:32630", turned, {}},
                        {"EPSG:4326", {-4, .25, 0, 40, 0, -.5}, {}},
                        {"EPSG:3857", {0, 1, 0, 0, 0, -1}, {"GEOTIFF_VERSION=1.1"}},
                        {"EPSG:2263", {900000, 3, 0, 200000, 0, -3}, {}},
                        {"EPSG:3035", {4321000, 10, 0, 3210000, 0, -10}, {}},
                        {"+proj=laea +lat_0=10 +lon_0=20 +datum=WGS84", {0, 10, 0, 0, 0, -10}, {}},
                        {"ESRI:54009", {0, 10, 0, 0, 0, -10}, {}},
                        {"EPSG:4979", {0, 1, 0, 0, 0, -1}, {}}};
  const auto opener = gdal::raster_opener();
  for (const Case& c : cases) {
    CAPTURE(c.crs);
    for (const bool is_point : {false, true}) {
      auto pixels = in_memory({.crs = c.crs, .geotransform = c.geotransform});
      if (is_point) pixels->SetMetadataItem(GDALMD_AREA_OR_POINT, GDALMD_AOP_POINT);
      const std::string path = write(folder / "a.tif", "GTiff", *pixels, c.options);
      const auto expected = opener->open(path)->georeference();
      const auto found = open_raster(path)->georeference();
      REQUIRE(found.geotransform);
      for (std::size_t i = 0; i < 6; ++i) {
        CHECK((*found.geotransform)[i] == doctest::Approx((*expected.geotransform)[i]).epsilon(1e-12));
      }
      if (std::string(c.crs).starts_with("EPSG:") && std::string(c.crs) != "EPSG:4979") {
        CHECK(found.crs == expected.crs);
        CHECK(found.crs == c.crs);
      } else {
        CHECK(found.crs.empty());
        CHECK_FALSE(expected.crs.empty());
        CHECK(extensions::to_stac(*open_raster(path), {.fallback = opener.get()}).crs == expected.crs);
      }
    }
  }
}

TEST_CASE("the georeference of real images is that of GDAL" * doctest::test_suite("external")) {
  const fs::path images = fs::path(TACORE_SHARED_DIR) / "imagery";
  if (missing(images)) return;
  int num_compared = 0;
  for (const auto& entry : fs::directory_iterator(images)) {
    const std::string path = entry.path().string();
    CAPTURE(path);
    std::shared_ptr<const Raster> ours, theirs;
    try {
      ours = open_raster(path);
      theirs = open(path);
    } catch (const Error&) {
      continue;
    }
    ++num_compared;
    const auto found = ours->georeference(), expected = theirs->georeference();
    CHECK(found.geotransform.has_value() == expected.geotransform.has_value());
    for (std::size_t i = 0; found.geotransform && i < 6; ++i) {
      CHECK((*found.geotransform)[i] == doctest::Approx((*expected.geotransform)[i]).epsilon(1e-12));
    }
    // GDAL has the CRS of ground control points elsewhere.
    if (!found.crs.empty() && found.geotransform) CHECK(found.crs == expected.crs);
    if (expected.crs.starts_with("EPSG:")) CHECK(found.crs == expected.crs);
  }
  CHECK(num_compared > 12);
}

TEST_CASE("PNGs that tacore writes have the same pixels in GDAL") {
  const Folder folder;
  std::mt19937 random(5);
  for (int channels = 1; channels <= 4; ++channels) {
    for (const DataType type : {DataType::UInt8, DataType::UInt16}) {
      for (const auto& [width, height] : {std::pair<int64_t, int64_t>{1, 1}, {7, 5}, {300, 200}}) {
        CAPTURE(channels);
        CAPTURE(to_string(type));
        Tensor pixels(type, {channels, height, width});
        // Smooth with some noise, so that all cases of the filter occur.
        std::size_t i = 0;
        for (std::byte& byte : pixels.bytes()) byte = static_cast<std::byte>(i++ / 9 + random() % 4);
        const Bytes png = encode_png(to_picture(pixels));
        const std::string path = folder / "a.png";
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
        const auto raster = open(path);
        CHECK(raster->info().type == type);
        CHECK(raster->info().bands == channels);
        CHECK(read_all(*raster) == Bytes(pixels.bytes().begin(), pixels.bytes().end()));
      }
    }
  }
}

TEST_CASE("tacore_gdal_raster_opener(), for programs that dlopen the library, opens rasters") {
  CHECK(gdal::tacore_gdal_raster_opener() != nullptr);
  CHECK_THROWS_AS(gdal::tacore_gdal_raster_opener()->open("/none/such.jpg"), IoError);
}
