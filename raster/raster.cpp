#include "tacore/raster.hpp"

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
  throw QueryError("type '" + std::string(name) + "' is none of " + known);
}

Raster::~Raster() = default;
std::optional<double> Raster::nodata() const { return info().nodata; }
RasterOpener::~RasterOpener() = default;

}  // namespace tacore
