#include "tacore/raster/raster.hpp"

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "call.hpp"
#include "handles.hpp"
#include "json.hpp"
#include "options.hpp"
#include "place.hpp"
#include "tacore/raster/picture.hpp"
#include "tacore/raster/tensor.hpp"

namespace tacore::c {
namespace {

static_assert(TACORE_UINT8 == static_cast<int>(DataType::UInt8) &&
              TACORE_FLOAT64 == static_cast<int>(DataType::Float64));

std::shared_ptr<const Raster> open(const DataFrame& frame, int64_t position, const char* child) {
  if (is_below(child)) return open_raster(rows_above(frame, position), std::string_view(child));
  if (position == -1) throw ArgumentError("position is -1, for which the path of ids `child` is needed");
  return open_raster(frame, position);
}

Json about(const Raster& raster) {
  const RasterInfo& info = raster.info();
  const Georeference place = raster.georeference();
  const auto nodata = raster.nodata();
  Json out = {{"name", raster.name()},
              {"width", info.width},
              {"height", info.height},
              {"bands", info.bands},
              {"dtype", to_string(info.type)},
              {"nodata", nodata ? number(*nodata) : Json()},
              {"crs", place.crs.empty() ? Json() : Json(place.crs)},
              {"geotransform", place.geotransform ? Json(*place.geotransform) : Json()},
              {"format", info.format},
              {"block_width", info.block_width},
              {"block_height", info.block_height},
              {"compression", info.compression},
              {"interleave", info.interleave},
              {"predictor", info.predictor}};
  // JSON has no word for these numbers, and a no-data value of NaN is common.
  if (nodata && std::isnan(*nodata)) out["nodata"] = "nan";
  else if (nodata && std::isinf(*nodata)) out["nodata"] = *nodata > 0 ? "inf" : "-inf";
  return out;
}

TensorOptions tensor_of(const int32_t* bands, size_t num_bands, const int64_t* window, int32_t type,
                        const char* options) {
  TensorOptions out;
  Options given(options, "options");
  take_scale(given, out);
  given.finish();
  if (num_bands > 0) {
    require(bands, "bands");
    out.bands.assign(bands, bands + num_bands);
  }
  if (window != nullptr) out.window = Window{window[0], window[1], window[2], window[3]};
  if (type < TACORE_AS_STORED || type > TACORE_FLOAT64)
    throw ArgumentError("type is " + std::to_string(type) + "; TACORE_AS_STORED or a type of pixels expected");
  if (type != TACORE_AS_STORED) out.type = static_cast<DataType>(type);
  return out;
}

}  // namespace
}  // namespace tacore::c

using namespace tacore::c;

tacore_status tacore_raster_open(const tacore_frame* frame, int64_t position, const char* child, tacore_raster** raster,
                                 tacore_error** error) {
  clear(raster);
  return run_waiting(error, [&] {
    require(frame, "frame");
    require(raster, "raster");
    *raster = new tacore_raster{open(frame->rows, position, child)};
  });
}

tacore_status tacore_raster_open_path(const char* path, tacore_raster** raster, tacore_error** error) {
  clear(raster);
  return run_waiting(error, [&] {
    require(path, "path");
    require(raster, "raster");
    *raster = new tacore_raster{tacore::open_raster(path)};
  });
}

void tacore_raster_free(tacore_raster* raster) { delete raster; }

void tacore_raster_shape(const tacore_raster* raster, int64_t shape[3], int32_t* type) {
  const tacore::RasterInfo info = raster != nullptr ? raster->raster->info() : tacore::RasterInfo();
  if (shape != nullptr) {
    shape[0] = info.bands;
    shape[1] = info.height;
    shape[2] = info.width;
  }
  if (type != nullptr) *type = static_cast<int32_t>(info.type);
}

tacore_status tacore_raster_about(const tacore_raster* raster, tacore_buffer** json, tacore_error** error) {
  clear(json);
  return run_waiting(error, [&] {
    require(raster, "raster");
    require(json, "json");
    *json = buffer_of(to_text(about(*raster->raster)));
  });
}

tacore_status tacore_raster_read(const tacore_raster* raster, const int32_t* bands, size_t num_bands,
                                 const int64_t* window, int32_t type, const char* options, void* out, size_t size,
                                 tacore_error** error) {
  // Decoding a chip takes less than starting a thread is worth.
  constexpr size_t kLarge = size_t{1} << 20;
  const auto work = [&] {
    require(raster, "raster");
    require(out, "out");
    read_tensor(*raster->raster, tensor_of(bands, num_bands, window, type, options),
                std::span(static_cast<std::byte*>(out), size));
  };
  return size < kLarge ? run_waiting(error, work) : run_polled(error, [&](Call&) { work(); });
}

tacore_status tacore_raster_preview(const tacore_raster* raster, const char* options, tacore_buffer** png,
                                    tacore_error** error) {
  clear(png);
  return run_polled(error, [&](Call&) {
    require(raster, "raster");
    require(png, "png");
    tacore::PreviewOptions how;
    Options given(options, "options");
    given.fill(how);
    given.finish();
    *png = buffer_of(encode_png(preview(*raster->raster, how)));
  });
}
