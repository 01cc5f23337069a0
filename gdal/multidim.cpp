#include <gdal_priv.h>

#include <algorithm>
#include <utility>

#include "gdal_error.hpp"
#include "gdal_types.hpp"
#include "one_file_only.hpp"
#include "sample_file.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/gdal.hpp"

namespace tacore::gdal {

namespace {

using Array = std::shared_ptr<GDALMDArray>;

/// The deepest nesting of groups that is read: a file may state any.
constexpr int kMostGroups = 32;
/// The most arrays of a file.
constexpr std::size_t kMostArrays = 100'000;

void gather(const GDALGroup& group, int depth, std::vector<Array>& out) {
  for (const auto& name : group.GetMDArrayNames()) {
    if (out.size() >= kMostArrays) throw FormatError("more than " + std::to_string(kMostArrays) + " arrays");
    if (auto array = group.OpenMDArray(name)) out.push_back(std::move(array));
  }
  for (const auto& name : group.GetGroupNames()) {
    if (depth >= kMostGroups) throw FormatError("groups nested deeper than " + std::to_string(kMostGroups));
    if (const auto below = group.OpenGroup(name)) gather(*below, depth + 1, out);
  }
}

std::vector<Array> arrays_of(GDALDataset& dataset, const std::string& path) {
  const auto root = dataset.GetRootGroup();
  if (!root) throw FormatError("it has no arrays" + Quiet::reason(), {.path = path});
  std::vector<Array> out;
  gather(*root, 0, out);
  return out;
}

std::optional<DataType> type_of(const GDALMDArray& array) {
  const auto& type = array.GetDataType();
  if (type.GetClass() != GEDTC_NUMERIC) return std::nullopt;
  return gdal::type_of(type.GetNumericDataType());
}

std::string type_name(const GDALMDArray& array) {
  if (const auto type = type_of(array)) return to_string(*type);
  const auto& type = array.GetDataType();
  if (type.GetClass() == GEDTC_NUMERIC) return GDALGetDataTypeName(type.GetNumericDataType());
  return type.GetClass() == GEDTC_STRING ? "string" : "compound";
}

/// True for a coordinate variable: it has one dimension, with its own name.
bool is_coordinate(const GDALMDArray& array) {
  const auto& dimensions = array.GetDimensions();
  return dimensions.size() == 1 && dimensions[0]->GetName() == array.GetName();
}

Variable describe(const GDALMDArray& array, const std::string& path) {
  Variable out{.name = array.GetFullName(), .type = type_name(array), .unit = array.GetUnit()};
  for (const auto& dimension : array.GetDimensions()) {
    if (dimension->GetSize() > INT64_MAX) throw FormatError("a dimension is too long", {.path = path});
    out.dimensions.push_back({dimension->GetName(), static_cast<int64_t>(dimension->GetSize())});
  }
  bool has = false;
  const double nodata = array.GetNoDataValueAsDouble(&has);
  if (has) out.nodata = nodata;
  const double factor = array.GetScale(&has);
  if (has) out.scale.factor = factor;
  const double offset = array.GetOffset(&has);
  if (has) out.scale.offset = offset;
  return out;
}

std::string names_of(const std::vector<Array>& arrays) {
  std::string out;
  for (const auto& array : arrays) out += (out.empty() ? "" : ", ") + array->GetFullName();
  return out.empty() ? "none" : out;
}

/// The array of a name with or without its groups: "/a/b" or "b".
Array find(const std::vector<Array>& arrays, const std::string& name, const std::string& path) {
  std::vector<Array> found;
  for (const auto& array : arrays) {
    const bool is_data = type_of(*array) && array->GetDimensionCount() > 0 && !is_coordinate(*array);
    if (name.empty() ? is_data : array->GetFullName() == name || array->GetName() == name) found.push_back(array);
  }
  if (found.size() == 1) return found[0];
  if (name.empty()) throw QueryError("name a variable; there are: " + names_of(arrays), {.path = path});
  const std::string what = found.empty() ? "no variable" : "several variables";
  throw QueryError(what + " '" + name + "'; there are: " + names_of(arrays), {.path = path});
}

/// The first position and the number of positions of each dimension.
struct Part {
  std::vector<GUInt64> start = {};
  std::vector<std::size_t> count = {};
  std::vector<int64_t> shape = {};
};

Part part_of(const Variable& variable, const MultidimOptions& options, const std::string& path) {
  const auto& dimensions = variable.dimensions;
  for (const auto* given : {&options.start, &options.count}) {
    if (!given->empty() && given->size() != dimensions.size()) {
      throw QueryError("variable '" + variable.name + "' has " + std::to_string(dimensions.size()) +
                           " dimensions, found " + std::to_string(given->size()) + " numbers",
                       {.path = path});
    }
  }
  Part out;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t size = dimensions[i].size;
    const int64_t start = options.start.empty() ? 0 : options.start[i];
    const int64_t count = options.count.empty() ? size - std::clamp<int64_t>(start, 0, size) : options.count[i];
    if (start < 0 || count < 1 || start >= size || count > size - start) {
      throw QueryError("dimension '" + dimensions[i].name + "': " + std::to_string(count) + " values from position " +
                           std::to_string(start) + " on, but its length is " + std::to_string(size),
                       {.path = path});
    }
    out.start.push_back(static_cast<GUInt64>(start));
    out.count.push_back(static_cast<std::size_t>(count));
    out.shape.push_back(count);
  }
  return out;
}

}  // namespace

std::vector<Variable> variables(const std::string& path) {
  const SampleFile file(path);
  const DatasetPtr dataset = file.open(GDAL_OF_MULTIDIM_RASTER);
  const OneFileOnly only;
  const Quiet quiet;
  std::vector<Variable> out;
  for (const auto& array : arrays_of(*dataset, path)) out.push_back(describe(*array, path));
  return out;
}

Tensor read_multidim(const std::string& path, const MultidimOptions& options) {
  const SampleFile file(path);
  const DatasetPtr dataset = file.open(GDAL_OF_MULTIDIM_RASTER);
  const OneFileOnly only;
  const Quiet quiet;
  const auto array = find(arrays_of(*dataset, path), options.variable, path);
  const auto type = type_of(*array);
  if (!type) {
    throw FormatError("variable '" + array->GetFullName() + "' holds " + type_name(*array) + ", which is not read",
                      {.path = path});
  }
  const Part part = part_of(describe(*array, path), options, path);
  Tensor out(*type, part.shape);
  CPLErrorReset();
  if (!array->Read(part.start.data(), part.count.data(), nullptr, nullptr, array->GetDataType(), out.bytes().data())) {
    throw IoError("GDAL cannot read '" + array->GetFullName() + "'" + Quiet::reason(), {.path = path});
  }
  return out;
}

}  // namespace tacore::gdal
