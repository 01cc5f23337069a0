#include "tacore/raster/loader.hpp"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "call.hpp"
#include "handles.hpp"
#include "json.hpp"
#include "options.hpp"

namespace tacore::c {
namespace {

/// "optical/4,3,2": the path of ids, then bands, if the last part is numbers. "4,3" are bands of the sample itself.
LoaderInput input_of(const std::string& text) {
  LoaderInput out{.path = text};
  const std::size_t slash = text.rfind('/');
  const std::string last = slash == text.npos ? text : text.substr(slash + 1);
  if (last.empty() || last.find_first_not_of("0123456789,") != last.npos) return out;
  const char* at = last.data();
  const char* end = at + last.size();
  std::vector<int> bands;
  while (at <= end) {
    const auto [stop, failure] = std::from_chars(at, end, bands.emplace_back());
    if (failure != std::errc() || (stop < end && *stop != ',')) return out;  // a name that looks like numbers
    at = stop + 1;
  }
  out.tensor.bands = std::move(bands);
  out.path = slash == text.npos ? "" : text.substr(0, slash);
  return out;
}

LoaderInput input_of(const Json& json) {
  if (json.is_string()) return input_of(json.get<std::string>());
  Options given(json, "an input");
  LoaderInput out;
  given.take("path", out.path);
  out.tensor = take_tensor(given);
  given.finish();
  return out;
}

LoaderOptions options_of(const char* text) {
  LoaderOptions out;
  Options given(text, "options");
  given.fill(out);
  given.take("shard", out.shard);
  given.take("num_shards", out.num_shards);
  if (const Json* inputs = given.find("inputs")) {
    out.inputs.clear();
    if (inputs->is_array()) {
      for (const Json& each : *inputs) out.inputs.push_back(input_of(each));
    } else {
      out.inputs.push_back(input_of(*inputs));
    }
  }
  given.finish();
  return out;
}

}  // namespace
}  // namespace tacore::c

using namespace tacore::c;

tacore_status tacore_loader_new(const tacore_frame* rows, const char* options, tacore_loader** loader,
                                tacore_error** error) {
  clear(loader);
  return run_waiting(error, [&] {
    require(rows, "rows");
    require(loader, "loader");
    const tacore::LoaderOptions how = options_of(options);
    tacore::Loader made(rows->rows, how);  // checks the options
    *loader =
        new tacore_loader{std::move(made), std::make_shared<BatchPool>(static_cast<std::size_t>(how.prefetch) + 1)};
  });
}

void tacore_loader_free(tacore_loader* loader) { delete loader; }

int64_t tacore_loader_num_batches(const tacore_loader* loader) {
  return loader != nullptr ? loader->loader.num_batches() : 0;
}

tacore_status tacore_loader_next(tacore_loader* loader, tacore_batch** batch, tacore_error** error) {
  clear(batch);
  return run_waiting(error, [&] {
    require(loader, "loader");
    require(batch, "batch");
    tacore::Batch next = loader->pool->take();
    if (!loader->loader.next(next)) return;
    Json failures = Json::array();
    for (const auto& failure : next.failures)
      failures.push_back({{"position", failure.position}, {"message", failure.message}});
    *batch = new tacore_batch{std::move(next), to_text(failures), loader->pool};
  });
}

void tacore_batch_free(tacore_batch* batch) {
  if (batch == nullptr) return;
  batch->pool->put(std::move(batch->batch));
  delete batch;
}

size_t tacore_batch_num_tensors(const tacore_batch* batch) {
  return batch != nullptr ? batch->batch.tensors.size() : 0;
}

void tacore_batch_tensor(const tacore_batch* batch, size_t input, const void** data, int64_t shape[4], int32_t* type) {
  const bool is_there = input < tacore_batch_num_tensors(batch);
  const tacore::Tensor* tensor = is_there ? &batch->batch.tensors[input] : nullptr;
  if (data != nullptr) *data = is_there ? tensor->bytes().data() : nullptr;
  if (type != nullptr) *type = is_there ? static_cast<int32_t>(tensor->type()) : 0;
  for (std::size_t axis = 0; shape != nullptr && axis < 4; ++axis)
    shape[axis] = is_there && axis < tensor->shape().size() ? tensor->shape()[axis] : 0;
}

void tacore_batch_positions(const tacore_batch* batch, const int64_t** positions, size_t* num_positions,
                            int64_t* next_start) {
  if (positions != nullptr) *positions = batch != nullptr ? batch->batch.positions.data() : nullptr;
  if (num_positions != nullptr) *num_positions = batch != nullptr ? batch->batch.positions.size() : 0;
  if (next_start != nullptr) *next_start = batch != nullptr ? batch->batch.next_start : 0;
}

const char* tacore_batch_failures(const tacore_batch* batch) { return batch != nullptr ? batch->failures.c_str() : ""; }
