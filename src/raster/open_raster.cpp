#include "container/read_hints.hpp"
#include "container/zip_samples.hpp"
#include "dataset/dataframe_impl.hpp"
#include "dataset/navigation.hpp"
#include "io/byte_source.hpp"
#include "io/vsi_path.hpp"
#include "net/remote_address.hpp"
#include "net/storage.hpp"
#include "raster/row_source.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "raster/tiff_structure.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/raster.hpp"
#include "writer/sample_source.hpp"

namespace tacore {
namespace {

constexpr std::string_view kSubfile = "/vsisubfile/";

/// `row`: the row that the bytes belong to, so that its path for GDAL is verified.
std::shared_ptr<const Raster> open_source(std::shared_ptr<const ByteSource> bytes, const std::string& vsi_path,
                                          const RasterOpener* fallback, const RowSource* row = nullptr) {
  std::string why = "it is not a TIFF";
  if (auto directory = find_tiff_directory(*bytes)) {
    if (directory->unsupported.empty())
      return make_tiff_raster(std::move(bytes), std::move(directory->layout), vsi_path);
    why = "TIFF with " + directory->unsupported;
  }
  if (fallback) return fallback->open(row ? row->container->vsi_path(row->container->proved(row->address)) : vsi_path);
  throw UnsupportedError(why + ": GDAL is needed to decode it", {.path = vsi_path});
}

TiffLayout layout_of(const RowSource& row) {
  try {
    return layout_from_header(row.header, row.bytes->size(), row.vsi_path);
  } catch (const FormatError&) {
    // Whether the stated file size, against which blocks are checked, is right shows when a byte is read.
    if (row.bytes->size() > 0) (void)row.bytes->read({0, 1});
    throw;
  }
}

}  // namespace

std::shared_ptr<const ByteSource> open_bytes(const std::string& path) {
  if (!path.starts_with(kSubfile)) return any_storage()->open(path, hint_of(path));
  const VsiSubfile part = parse_vsi_subfile(path);
  return slice(any_storage()->open(part.root, hint_of(part.root)), part.range);
}

bool is_of_gdal(const std::string& path) {
  const std::string file = path.starts_with(kSubfile) ? parse_vsi_subfile(path).root : path;
  return is_remote(file) && !net::is_http_path(file);
}

std::shared_ptr<const Raster> open_raster(const std::string& path, const RasterOpener* fallback) {
  if (fallback && is_of_gdal(path)) return fallback->open(to_vsi(path));
  return open_source(open_bytes(path), path, fallback);
}

std::shared_ptr<const Raster> open_raster(const Sample& sample, const RasterOpener* fallback) {
  const std::string path = sample.vsi_path();
  if (path.empty()) return open_source(source_of(sample), sample.id(), nullptr);  // a sample in memory has no path
  if (fallback && is_of_gdal(path)) return fallback->open(to_vsi(path));
  return open_source(source_of(sample), path, fallback);
}

std::shared_ptr<const Raster> open_raster(const DataFrame& frame, int64_t position, const RasterOpener* fallback) {
  return again_if_moved([&] { return open_raster(open_row(frame, position), fallback); });
}

std::shared_ptr<const Raster> open_raster(const RowSource& row, const RasterOpener* fallback) {
  if (row.header.empty()) return open_source(row.bytes, row.vsi_path, fallback, &row);
  return make_tiff_raster(row.bytes, layout_of(row), row.vsi_path);
}

std::shared_ptr<const Raster> open_raster(const DataFrame& frame, std::string_view id, const RasterOpener* fallback) {
  const auto [rows, position] = locate(frame, id);
  return open_raster(rows, position, fallback);
}

}  // namespace tacore
