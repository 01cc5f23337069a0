#include <gdal_priv.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gdal_error.hpp"
#include "gdal_types.hpp"
#include "one_file_only.hpp"
#include "sample_file.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/gdal.hpp"

namespace tacore::gdal {

namespace {

/// Keeps GDAL's first warning or error on this thread while an object exists. Pixels with a warning may be invented:
/// the missing rest of a truncated JPEG is grey.
class Complaints {
 public:
  Complaints() { CPLPushErrorHandlerEx(&Complaints::hear, this); }
  ~Complaints() { CPLPopErrorHandler(); }
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  const std::string& first() const noexcept { return first_; }

 private:
  static void hear(CPLErr kind, CPLErrorNum, const char* text) {
    auto& self = *static_cast<Complaints*>(CPLGetErrorHandlerUserData());
    if (kind < CE_Warning || !self.first_.empty()) return;
    self.first_ = text && *text ? text : "no reason given";
    while (self.first_.ends_with('\n')) self.first_.pop_back();
  }

  std::string first_ = {};
};

std::string text_or(const char* text, const char* otherwise) { return text && *text ? text : otherwise; }

std::optional<double> nodata_of(GDALRasterBand& band) {
  int has = 0;
  double out = 0;
  if (band.GetRasterDataType() == GDT_Int64) {
    out = static_cast<double>(band.GetNoDataValueAsInt64(&has));
  } else if (band.GetRasterDataType() == GDT_UInt64) {
    out = static_cast<double>(band.GetNoDataValueAsUInt64(&has));
  } else {
    out = band.GetNoDataValue(&has);
  }
  return has ? std::optional(out) : std::nullopt;
}

bool is_same(const std::optional<double>& a, const std::optional<double>& b) {
  return a == b || (a && b && std::isnan(*a) && std::isnan(*b));
}

/// `NETCDF:"x.nc":a, NETCDF:"x.nc":b`
std::string subdatasets(GDALDataset& dataset) {
  std::string out;
  char** items = dataset.GetMetadata("SUBDATASETS");
  for (int i = 1;; ++i) {
    const char* name = CSLFetchNameValue(items, ("SUBDATASET_" + std::to_string(i) + "_NAME").c_str());
    if (!name) return out;
    out += (out.empty() ? "" : ", ") + std::string(name);
  }
}

RasterInfo info_of(GDALDataset& dataset, const std::string& path) {
  const auto fail = [&](const std::string& what) { throw FormatError(what, {.path = path}); };
  const int bands = dataset.GetRasterCount();
  if (bands == 0) {
    const std::string inside = subdatasets(dataset);
    fail(inside.empty() ? "it has no bands" : "it has no bands of its own; open one of " + inside);
  }
  GDALRasterBand& first = *dataset.GetRasterBand(1);
  RasterInfo out{.width = dataset.GetRasterXSize(), .height = dataset.GetRasterYSize(), .bands = bands};
  const auto type = type_of(first);
  if (!type) fail(std::string("pixels of type ") + GDALGetDataTypeName(first.GetRasterDataType()) + " are not read");
  out.type = *type;
  out.nodata = nodata_of(first);
  for (int i = 2; i <= bands; ++i) {
    GDALRasterBand& band = *dataset.GetRasterBand(i);
    if (type_of(band) != type) fail("band " + std::to_string(i) + " has another type than band 1");
    if (!is_same(nodata_of(band), out.nodata))
      fail("band " + std::to_string(i) + " has another no data value than band 1");
  }
  out.format = dataset.GetDriver() ? dataset.GetDriver()->GetDescription() : "";
  int block_width = 0, block_height = 0;
  first.GetBlockSize(&block_width, &block_height);
  out.block_width = block_width;
  out.block_height = block_height;
  out.compression = text_or(dataset.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE"), "NONE");
  out.interleave = text_or(dataset.GetMetadataItem("INTERLEAVE", "IMAGE_STRUCTURE"), "BAND");
  const char* predictor = dataset.GetMetadataItem("PREDICTOR", "IMAGE_STRUCTURE");
  if (predictor) out.predictor = std::atoi(predictor);
  return out;
}

std::string crs_text(const OGRSpatialReference* crs) {
  if (!crs || crs->IsEmpty()) return "";
  const char* authority = crs->GetAuthorityName(nullptr);
  const char* code = crs->GetAuthorityCode(nullptr);
  if (authority && code) return std::string(authority) + ":" + code;
  char* wkt = nullptr;
  const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
  const bool written = crs->exportToWkt(&wkt, options) == OGRERR_NONE && wkt;
  const std::string out = written ? wkt : "";
  CPLFree(wkt);
  if (!written) throw FormatError("its CRS cannot be written as WKT");
  return out;
}

Georeference georeference_of(GDALDataset& dataset) {
  Georeference out{.crs = crs_text(dataset.GetSpatialRef())};
  std::array<double, 6> to_crs = {};
  if (dataset.GetGeoTransform(to_crs.data()) == CE_None) out.geotransform = to_crs;
  return out;
}

class GdalRaster : public tacore::Raster {
 public:
  explicit GdalRaster(const std::string& path) : file_(path) {
    DatasetPtr dataset = file_.open(GDAL_OF_RASTER);
    const OneFileOnly only;
    const Quiet quiet;
    info_ = info_of(*dataset, path);
    georeference_ = gdal::georeference_of(*dataset);
    idle_.push_back({std::move(dataset), ::getpid()});
  }

  ~GdalRaster() override {
    for (Handle& handle : idle_) {
      if (!handle.is_ours()) forget(handle);
    }
  }

  const std::string& name() const noexcept override { return file_.path(); }
  const RasterInfo& info() const noexcept override { return info_; }
  Georeference georeference() const override { return georeference_; }

  void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const override {
    check_read(info_, name(), bands, window, out.size());
    if (out.empty()) return;
    use([&](GDALDataset& dataset) {
      std::vector<int> list(bands.begin(), bands.end());
      const Pixels in(window);
      return dataset.RasterIO(GF_Read, in.x, in.y, in.width, in.height, out.data(), in.width, in.height,
                              dataset.GetRasterBand(1)->GetRasterDataType(), static_cast<int>(list.size()), list.data(),
                              0, 0, 0, nullptr);
    });
  }

  /// Reads the masks of bands, a byte for each pixel.
  void read_mask(std::span<const int> bands, const Window& window, std::span<std::byte> out) const {
    RasterInfo mask_info = info_;
    mask_info.type = DataType::UInt8;
    check_read(mask_info, name(), bands, window, out.size());
    if (out.empty()) return;
    const std::size_t plane = out.size() / bands.size();
    use([&](GDALDataset& dataset) {
      const Pixels in(window);
      for (std::size_t i = 0; i < bands.size(); ++i) {
        GDALRasterBand* mask = dataset.GetRasterBand(bands[i])->GetMaskBand();
        const CPLErr result = mask->RasterIO(GF_Read, in.x, in.y, in.width, in.height, out.data() + i * plane, in.width,
                                             in.height, GDT_Byte, 0, 0, nullptr);
        if (result != CE_None) return result;
      }
      return CE_None;
    });
  }

 private:
  /// A handle serves one thread at a time, and one process: files have one position for all that inherit them.
  struct Handle {
    DatasetPtr dataset;
    pid_t process;

    bool is_ours() const { return process == ::getpid(); }
  };

  /// Abandons a handle of the parent process: closing it would move the position in the file of the parent.
  static void forget(Handle& handle) { static_cast<void>(handle.dataset.release()); }

  /// A window that check_read() has checked.
  struct Pixels {
    int x, y, width, height;
    explicit Pixels(const Window& in)
        : x(static_cast<int>(in.x)),
          y(static_cast<int>(in.y)),
          width(static_cast<int>(in.width)),
          height(static_cast<int>(in.height)) {}
  };

  template <class Body>
  void use(const Body& body) const {
    DatasetPtr dataset = take();
    const OneFileOnly only;
    const Complaints complaints;
    // After a failure the handle may hold blocks that are wrong: it is not used again.
    if (body(*dataset) != CE_None || !complaints.first().empty()) {
      throw IoError("GDAL cannot read its pixels: " + text_or(complaints.first().c_str(), "no reason given"),
                    {.path = name()});
    }
    give_back(std::move(dataset));
  }

  DatasetPtr take() const {
    {
      const std::lock_guard lock(mutex_);
      while (!idle_.empty()) {
        Handle handle = std::move(idle_.back());
        idle_.pop_back();
        if (handle.is_ours()) return std::move(handle.dataset);
        forget(handle);
      }
    }
    return file_.open(GDAL_OF_RASTER);
  }
  void give_back(DatasetPtr dataset) const {
    const std::lock_guard lock(mutex_);
    idle_.push_back({std::move(dataset), ::getpid()});
  }

  SampleFile file_;
  RasterInfo info_ = {};
  Georeference georeference_ = {};
  mutable std::mutex mutex_;
  mutable std::vector<Handle> idle_;
};

class Opener : public RasterOpener {
 public:
  std::shared_ptr<const tacore::Raster> open(const std::string& vsi_path) const override {
    return std::make_shared<GdalRaster>(vsi_path);
  }
};

}  // namespace

std::shared_ptr<const RasterOpener> raster_opener() { return std::make_shared<Opener>(); }

Tensor read_mask(const std::string& path, std::vector<int> bands, const std::optional<Window>& window) {
  const GdalRaster raster(path);
  const RasterInfo& info = raster.info();
  if (bands.empty()) {
    bands.resize(static_cast<std::size_t>(info.bands));
    std::iota(bands.begin(), bands.end(), 1);
  }
  const Window part = window.value_or(Window{0, 0, info.width, info.height});
  Tensor out(DataType::UInt8, {static_cast<int64_t>(bands.size()), part.height, part.width});
  raster.read_mask(bands, part, out.bytes());
  return out;
}

const RasterOpener* tacore_gdal_raster_opener() {
  static const auto known = raster_opener();
  return known.get();
}

}  // namespace tacore::gdal
