#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "call.hpp"
#include "handles.hpp"
#include "json.hpp"
#include "options.hpp"
#include "place.hpp"
#include "plain_stream.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/error.hpp"
#include "tacore/interrupt.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "tacore/write/tabular.hpp"

namespace tacore::c {
namespace {

std::span<const int64_t> span_of(const int64_t* positions, size_t count) {
  if (count > 0) require(positions, "positions");
  return {positions, count};
}

std::vector<std::unique_ptr<tacore_buffer>> read(const DataFrame& frame, std::span<const int64_t> positions,
                                                 const char* child) {
  std::vector<std::unique_ptr<tacore_buffer>> out;
  const auto add = [&](const Bytes& bytes) {
    throw_if_interrupted();
    out.emplace_back(buffer_of(bytes));
  };
  if (is_below(child)) {
    for (const int64_t position : positions) add(bytes_at(frame, position, child));
  } else {
    for (const Bytes& bytes : frame.read_bytes(positions)) add(bytes);
  }
  return out;
}

Json computed_json(const FrameStatistics& found, const std::vector<int>& bands, const std::vector<double>& quantiles) {
  Json all = Json::array();
  for (std::size_t i = 0; i < found.bands.size(); ++i) {
    const BandStatistics& band = found.bands[i];
    const bool has_pixels = band.moments.count > 0;
    const auto or_null = [&](double value) { return has_pixels ? number(value) : Json(); };
    Json of_quantiles = Json::array();
    for (const double q : quantiles) of_quantiles.push_back(or_null(has_pixels ? band.histogram.quantile(q) : 0));
    all.push_back({{"band", bands.empty() ? static_cast<int>(i) + 1 : bands[i]},
                   {"num_pixels", band.num_pixels},
                   {"num_valid", band.moments.count},
                   {"valid_percent", band.valid_percent()},
                   {"min", or_null(band.moments.min)},
                   {"max", or_null(band.moments.max)},
                   {"mean", or_null(band.moments.mean)},
                   {"std", or_null(band.moments.standard_deviation())},
                   {"quantiles", of_quantiles},
                   {"quantile_error", or_null(band.histogram.error_bound())}});
  }
  Json failures = Json::array();
  for (const auto& failure : found.failures)
    failures.push_back({{"position", failure.position}, {"message", failure.message}});
  return {{"num_samples", found.num_samples}, {"bands", all}, {"failures", failures}};
}

Json statistics(const DataFrame& frame, const char* options, Call& call) {
  bool compute = false;
  std::vector<double> quantiles;
  Options given(options, "options");
  given.take("compute", compute);
  given.take("quantiles", quantiles);
  if (!compute) {
    StatsOptions how;
    given.take("bands", how.bands);
    given.finish();
    return summary_json(stored_summary(frame, how, quantiles));
  }
  ComputeOptions how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  if (quantiles.empty()) quantiles = {0.25, 0.5, 0.75, 0.95};
  return computed_json(compute_statistics(frame, how), how.bands, quantiles);
}

}  // namespace
}  // namespace tacore::c

using namespace tacore::c;

void tacore_frame_free(tacore_frame* frame) { delete frame; }

int64_t tacore_frame_num_rows(const tacore_frame* frame) { return frame != nullptr ? frame->rows.num_rows() : 0; }

tacore_status tacore_frame_about(const tacore_frame* frame, tacore_buffer** json, tacore_error** error) {
  clear(json);
  return run(error, [&] {
    require(frame, "frame");
    require(json, "json");
    const tacore::DataFrame& rows = frame->rows;
    *json = buffer_of(
        to_text({{"num_rows", rows.num_rows()}, {"level", rows.level()}, {"columns", columns_json(rows.columns())}}));
  });
}

tacore_status tacore_frame_stream(const tacore_frame* frame, int32_t flags, struct ArrowArrayStream* stream,
                                  tacore_error** error) {
  if (stream != nullptr) *stream = {};
  return run_polled(error, [&](Call&) {
    require(frame, "frame");
    require(stream, "stream");
    export_rows([&](ArrowArrayStream* out) { frame->rows.export_stream(out); }, flags, stream);
  });
}

tacore_status tacore_frame_ipc(const tacore_frame* frame, int32_t flags, tacore_buffer** bytes, tacore_error** error) {
  clear(bytes);
  return run_polled(error, [&](Call&) {
    require(frame, "frame");
    require(bytes, "bytes");
    ArrowArrayStream stream = {};
    export_rows([&](ArrowArrayStream* out) { frame->rows.export_stream(out); }, flags, &stream);
    *bytes = buffer_of(tacore::tabular::encode_ipc(&stream));
  });
}

tacore_status tacore_frame_take(const tacore_frame* frame, const int64_t* positions, size_t num_positions,
                                tacore_frame** rows, tacore_error** error) {
  clear(rows);
  return run(error, [&] {
    require(frame, "frame");
    require(rows, "rows");
    *rows = new tacore_frame{frame->rows.take(span_of(positions, num_positions))};
  });
}

tacore_status tacore_frame_dataset(const tacore_frame* frame, tacore_dataset** dataset, tacore_error** error) {
  clear(dataset);
  return run(error, [&] {
    require(frame, "frame");
    require(dataset, "dataset");
    *dataset = new tacore_dataset{to_dataset(frame->rows)};
  });
}

tacore_status tacore_frame_children(const tacore_frame* frame, int64_t position, const char* child, tacore_frame** rows,
                                    tacore_error** error) {
  clear(rows);
  return run_waiting(error, [&] {
    require(frame, "frame");
    require(rows, "rows");
    *rows = new tacore_frame{children_at(frame->rows, position, child)};
  });
}

tacore_status tacore_frame_path(const tacore_frame* frame, int64_t position, const char* child, tacore_buffer** path,
                                tacore_error** error) {
  clear(path);
  return run_waiting(error, [&] {
    require(frame, "frame");
    require(path, "path");
    *path = buffer_of(path_at(frame->rows, position, child));
  });
}

tacore_status tacore_frame_read(const tacore_frame* frame, const int64_t* positions, size_t num_positions,
                                const char* child, tacore_buffer** buffers, tacore_error** error) {
  if (buffers != nullptr) std::fill_n(buffers, num_positions, nullptr);
  return run_polled(error, [&](Call&) {
    require(frame, "frame");
    if (num_positions > 0) require(buffers, "buffers");
    auto all = read(frame->rows, span_of(positions, num_positions), child);
    for (size_t i = 0; i < num_positions; ++i) buffers[i] = all[i].release();
  });
}

tacore_status tacore_frame_statistics(const tacore_frame* frame, const char* options, tacore_buffer** json,
                                      tacore_error** error) {
  clear(json);
  return run_polled(error, [&](Call& call) {
    require(frame, "frame");
    require(json, "json");
    *json = buffer_of(to_text(statistics(frame->rows, options, call)));
  });
}
