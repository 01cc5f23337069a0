#include <doctest/doctest.h>
#include <gdal_priv.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "tacore/error.hpp"
#include "tacore/raster/gdal.hpp"

using namespace tacore;

namespace {

namespace fs = std::filesystem;

/// A netCDF file: `temperature` (time 4, y 3, x 5) of int16 with scale and no data, its coordinate `x`, and with
/// `second` also `/group/wind` (y, x) of float32. In a folder that is removed with this object.
class MadeFile {
 public:
  explicit MadeFile(const char* format = "FORMAT=NC4", bool second = false) {
    std::string name = (fs::temp_directory_path() / "tacore-multidim-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    GDALAllRegister();
    auto* driver = GetGDALDriverManager()->GetDriverByName("netCDF");
    REQUIRE(driver);
    const char* const options[] = {format, nullptr};
    const std::unique_ptr<GDALDataset> file(driver->CreateMultiDimensional(path().c_str(), nullptr, options));
    REQUIRE(file);
    const auto root = file->GetRootGroup();
    const auto time = root->CreateDimension("time", "", "", 4), y = root->CreateDimension("y", "", "", 3),
               x = root->CreateDimension("x", "", "", 5);
    const auto temperature = root->CreateMDArray("temperature", {time, y, x}, GDALExtendedDataType::Create(GDT_Int16));
    temperature->SetNoDataValue(-99.0);
    temperature->SetScale(0.5);
    temperature->SetOffset(273);
    temperature->SetUnit("K");
    std::vector<int16_t> values(60);
    std::iota(values.begin(), values.end(), int16_t{0});
    put(*temperature, values, {4, 3, 5}, GDT_Int16);
    const auto along = root->CreateMDArray("x", {x}, GDALExtendedDataType::Create(GDT_Float64));
    put(*along, std::vector<double>{0, 1, 2, 3, 4}, {5}, GDT_Float64);
    if (!second) return;
    const auto group = root->CreateGroup("group");
    const auto wind = group->CreateMDArray("wind", {y, x}, GDALExtendedDataType::Create(GDT_Float32));
    put(*wind, std::vector<float>(15, 1.5F), {3, 5}, GDT_Float32);
  }
  ~MadeFile() { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "made.nc").string(); }
  /// The same in the middle of another file.
  std::string in_container() const {
    std::ifstream in(path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::string container = (folder_ / "container").string();
    std::ofstream(container, std::ios::binary) << std::string(77, 'x') << bytes << "behind";
    return "/vsisubfile/77_" + std::to_string(bytes.size()) + "," + container;
  }
  std::string cut(std::size_t size) const {
    std::ifstream in(path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::string out = (folder_ / "cut.nc").string();
    std::ofstream(out, std::ios::binary) << bytes.substr(0, size);
    return out;
  }

 private:
  template <class T>
  static void put(GDALMDArray& array, const std::vector<T>& values, const std::vector<std::size_t>& count,
                  GDALDataType type) {
    const std::vector<GUInt64> start(count.size());
    REQUIRE(
        array.Write(start.data(), count.data(), nullptr, nullptr, GDALExtendedDataType::Create(type), values.data()));
  }

  fs::path folder_;
};

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  return {tensor.values<T>().begin(), tensor.values<T>().end()};
}

}  // namespace

TEST_CASE("an array of a file is a tensor with its dimensions, in a container as well") {
  const MadeFile file;
  std::vector<int16_t> expected(60);
  std::iota(expected.begin(), expected.end(), int16_t{0});
  for (const std::string& path : {file.path(), file.in_container()}) {
    CAPTURE(path);
    const Tensor all = gdal::read_multidim(path);
    CHECK(all.type() == DataType::Int16);
    CHECK(all.shape() == std::vector<int64_t>{4, 3, 5});
    CHECK(values_of<int16_t>(all) == expected);
  }
}

TEST_CASE("classic netCDF is read from a container as well") {
  const MadeFile file("FORMAT=NC");
  const Tensor all = gdal::read_multidim(file.in_container());
  CHECK(all.shape() == std::vector<int64_t>{4, 3, 5});
  CHECK(values_of<int16_t>(all).back() == 59);
}

TEST_CASE("a subset of an array has the values of that part of the array") {
  const MadeFile file;
  const Tensor part =
      gdal::read_multidim(file.path(), {.variable = "temperature", .start = {2, 0, 1}, .count = {1, 2, 3}});
  CHECK(part.shape() == std::vector<int64_t>{1, 2, 3});
  CHECK(values_of<int16_t>(part) == std::vector<int16_t>{31, 32, 33, 36, 37, 38});
  const Tensor rest = gdal::read_multidim(file.path(), {.start = {3, 2, 3}});
  CHECK(values_of<int16_t>(rest) == std::vector<int16_t>{58, 59});
}

TEST_CASE("variables are listed with dimensions, type, unit, scale and no-data value") {
  const MadeFile file("FORMAT=NC4", true);
  const auto found = gdal::variables(file.path());
  const auto named = [&](const std::string& name) {
    const auto at = std::find_if(found.begin(), found.end(), [&](const auto& v) { return v.name == name; });
    REQUIRE(at != found.end());
    return *at;
  };
  CHECK(found.size() == 3);
  const auto temperature = named("/temperature");
  CHECK(temperature.type == "int16");
  REQUIRE(temperature.dimensions.size() == 3);
  CHECK(temperature.dimensions[0].name == "time");
  CHECK(temperature.dimensions[2].size == 5);
  CHECK(temperature.unit == "K");
  CHECK(temperature.nodata == -99);
  CHECK(temperature.scale.factor == 0.5);
  CHECK(temperature.scale.offset == 273);
  CHECK(named("/group/wind").type == "float32");
  CHECK_FALSE(named("/group/wind").nodata);
  CHECK(named("/x").dimensions.size() == 1);
}

TEST_CASE("a variable is found by its name with or without groups, and none is chosen where several exist") {
  const MadeFile file("FORMAT=NC4", true);
  CHECK(gdal::read_multidim(file.path(), {.variable = "wind"}).shape() == std::vector<int64_t>{3, 5});
  CHECK(values_of<float>(gdal::read_multidim(file.path(), {.variable = "/group/wind"})).front() == 1.5F);
  CHECK_THROWS_WITH_AS(gdal::read_multidim(file.path()),
                       doctest::Contains("name a variable; there are: /temperature, /x, /group/wind"), QueryError);
  CHECK_THROWS_WITH_AS(gdal::read_multidim(file.path(), {.variable = "rain"}),
                       doctest::Contains("no variable 'rain'; there are: "), QueryError);
}

TEST_CASE("ranges outside an array are refused") {
  const MadeFile file;
  const auto refused = [&](std::vector<int64_t> start, std::vector<int64_t> count, const char* why) {
    CHECK_THROWS_WITH_AS(gdal::read_multidim(file.path(), {.start = std::move(start), .count = std::move(count)}),
                         doctest::Contains(why), QueryError);
  };
  refused({0, 0}, {}, "has 3 dimensions, found 2 numbers");
  refused({}, {1, 1, 1, 1}, "has 3 dimensions, found 4 numbers");
  refused({4, 0, 0}, {}, "dimension 'time': 0 values from position 4 on, but its length is 4");
  refused({-1, 0, 0}, {}, "4 values from position -1 on");
  refused({0, 0, 0}, {1, 1, 6}, "dimension 'x': 6 values from position 0 on, but its length is 5");
  refused({0, 0, 0}, {1, 0, 1}, "dimension 'y': 0 values from position 0 on");
  refused({0, 0, INT64_MAX}, {1, 1, INT64_MAX}, "dimension 'x'");
}

TEST_CASE("a file without arrays and a truncated file are errors") {
  const MadeFile file;
  CHECK_THROWS_AS(gdal::read_multidim("/none/such.nc"), IoError);
  CHECK_THROWS_AS(gdal::variables("/vsisubfile/0_9,/none/such.nc"), IoError);
  CHECK_THROWS_AS(gdal::variables(std::string(TACORE_SOURCE_DIR) + "/README.md"), FormatError);
  const auto size = fs::file_size(file.path());
  for (const std::size_t part : {size / 4, size / 2, size - 1}) {
    CAPTURE(part);
    CHECK_THROWS_AS(gdal::read_multidim(file.cut(part)), Error);
  }
}

TEST_CASE("a netCDF file with one variable in a container is read as a raster") {
  GDALAllRegister();
  const MadeFile file;
  const auto raster = gdal::raster_opener()->open(file.in_container());
  CHECK(raster->info().width == 5);
  CHECK(raster->info().bands == 4);
  Bytes out(15 * 2);
  raster->read(std::vector<int>{1}, {0, 0, 5, 3}, out);
}
