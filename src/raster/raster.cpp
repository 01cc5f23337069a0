#include "tacore/raster/raster.hpp"

#include <string>

#include "tacore/error.hpp"

namespace tacore {
namespace {

struct TypeName {
  DataType type;
  const char* name;
  std::size_t size;
};

constexpr TypeName kTypes[] = {
    {DataType::UInt8, "uint8", 1},     {DataType::Int8, "int8", 1},     {DataType::UInt16, "uint16", 2},
    {DataType::Int16, "int16", 2},     {DataType::UInt32, "uint32", 4}, {DataType::Int32, "int32", 4},
    {DataType::UInt64, "uint64", 8},   {DataType::Int64, "int64", 8},   {DataType::Float32, "float32", 4},
    {DataType::Float64, "float64", 8},
};

const TypeName& row_of(DataType type) noexcept { return kTypes[static_cast<std::size_t>(type)]; }

}  // namespace

const char* to_string(DataType type) noexcept { return row_of(type).name; }

std::size_t size_of(DataType type) noexcept { return row_of(type).size; }

DataType parse_data_type(std::string_view name) {
  std::string known;
  for (const auto& row : kTypes) {
    if (row.name == name) return row.type;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw QueryError("type '" + std::string(name) + "' is not one of " + known);
}

void check_read(const RasterInfo& info, const std::string& name, std::span<const int> bands, const Window& window,
                std::size_t out_size) {
  const auto refuse = [&](const std::string& why) { throw QueryError(why, {.path = name}); };
  for (const int band : bands) {
    if (band < 1 || band > info.bands) {
      refuse("band " + std::to_string(band) + " is not one of 1 to " + std::to_string(info.bands));
    }
  }
  // Compared by differences, because the sums of a caller's numbers may overflow.
  if (window.x < 0 || window.y < 0 || window.width < 0 || window.height < 0 || window.x > info.width ||
      window.y > info.height || window.width > info.width - window.x || window.height > info.height - window.y) {
    refuse("window " + std::to_string(window.x) + "," + std::to_string(window.y) + "," + std::to_string(window.width) +
           "," + std::to_string(window.height) + " is not inside the raster of " + std::to_string(info.width) + " x " +
           std::to_string(info.height));
  }
  std::size_t expected = bands.size() * size_of(info.type);
  if (__builtin_mul_overflow(expected, static_cast<std::size_t>(window.width), &expected) ||
      __builtin_mul_overflow(expected, static_cast<std::size_t>(window.height), &expected) || expected != out_size) {
    refuse("a buffer of " + std::to_string(out_size) + " bytes for " + std::to_string(bands.size()) + " bands of " +
           std::to_string(window.width) + " x " + std::to_string(window.height) + " " + to_string(info.type));
  }
}

Raster::~Raster() = default;
std::optional<double> Raster::nodata() const { return info().nodata; }
RasterOpener::~RasterOpener() = default;

}  // namespace tacore
