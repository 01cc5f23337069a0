#include "raster/sample_reader.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "container/zip_samples.hpp"
#include "dataset/dataframe_impl.hpp"
#include "format/names.hpp"
#include "io/coalesce.hpp"
#include "io/vsi_path.hpp"
#include "raster/about_sample.hpp"
#include "raster/tiff_raster.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

std::string shape_text(DataType type, const std::vector<int64_t>& shape) {
  std::vector<std::string> lengths;
  for (const int64_t length : shape) lengths.push_back(std::to_string(length));
  return std::string(to_string(type)) + " (" + join(lengths, ", ") + ")";
}

}  // namespace

std::size_t SampleReader::Input::sample_size() const {
  std::size_t size = size_of(type);
  for (const int64_t length : shape) size *= static_cast<std::size_t>(length);
  return size;
}

SampleReader::SampleReader(const DataFrame& rows, const std::vector<LoaderInput>& inputs, const RasterOpener* fallback)
    : rows_(rows), fallback_(fallback) {
  if (inputs.empty()) throw QueryError("a loader needs at least one input");
  for (const auto& input : inputs) {
    inputs_.push_back({input.path.empty() ? std::vector<std::string>() : split(input.path, '/'), input.tensor});
  }
}

bool SampleReader::is_remote() const { return tacore::is_remote(impl_of(rows_)->dataset->leaf(0)->path()); }

std::string SampleReader::name_of(int64_t position) const {
  const auto& all = *impl_of(rows_)->rows;
  const int column = all.find(names::kId);
  const auto id = column < 0 ? std::nullopt : all.text(column, position);
  return "sample " + (id ? in_quotes(*id) + " " : "") + "(row " + std::to_string(position) + "): ";
}

std::shared_ptr<const Raster> SampleReader::open(const Input& input, int64_t position) const {
  return again_if_moved([&] { return open_raster(open_row(rows_, position, input.ids), fallback_); });
}

void SampleReader::learn_shapes(OnError on_error) {
  for (int64_t position = 0;; ++position) {
    try {
      uint64_t size = 1;
      std::size_t num_fetched = 0;
      for (auto& input : inputs_) {
        const uint64_t fetched =
            again_if_moved([&] { return learn_shape(input, open_row(rows_, position, input.ids)); });
        size += fetched;
        num_fetched += input.is_fetched ? 1 : 0;
      }
      if (num_fetched > 0) {
        fetch_size_ = size;
        fetch_count_ = static_cast<std::size_t>(std::clamp<uint64_t>(kFetchSize / size, 1, kMostRanges / num_fetched));
      }
      return;
    } catch (const Error&) {
      if (on_error == OnError::Throw || position + 1 == rows_.num_rows()) rethrow_naming(name_of(position));
    }
  }
}

/// Takes the shape of an input from a sample, and decides whether its samples are fetched: those of a remote dataset
/// that lie in a larger file, and are needed whole or are so small that a second request would take longer. Returns
/// the bytes to be fetched of the sample.
uint64_t SampleReader::learn_shape(Input& input, const RowSource& source) const {
  const auto raster = open_raster(source, fallback_);
  input.type = tensor_type(raster->info(), input.options);
  input.shape = tensor_shape(raster->info(), input.options);
  const bool is_whole = input.options.bands.empty() && !input.options.window;
  const uint64_t most = is_whole ? kMostFetched : kRemoteCoalesceGap;
  input.is_fetched =
      !source.container->is_local() && source.address.offset && source.bytes->size() <= most && is_tiff_raster(*raster);
  return input.is_fetched ? source.bytes->size() : 0;
}

/// Samples that cannot be found are left out.
SampleReader::Wanted SampleReader::wanted(std::span<const int64_t> positions) const {
  Wanted out;
  for (std::size_t number = 0; number < positions.size(); ++number) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].is_fetched) continue;
      try {
        RowSource row = open_row(rows_, positions[number], inputs_[i].ids);
        if (row.bytes->size() > kMostFetched) continue;
        out.rows.push_back(std::move(row));
        out.places.emplace_back(number, i);
      } catch (const Error&) {}
    }
  }
  return out;
}

std::vector<std::shared_ptr<const ByteSource>> SampleReader::sources(std::span<const int64_t> positions) const {
  std::vector<std::shared_ptr<const ByteSource>> out;
  const Wanted found = wanted(positions);
  for (const RowSource& row : found.rows) out.push_back(row.bytes);
  return out;
}

std::vector<SampleReader::Fetched> SampleReader::fetch(std::span<const int64_t> positions) const {
  std::vector<Fetched> out(positions.size());
  try {
    auto [places, rows] = wanted(positions);
    fetch_together(rows);
    for (Fetched& fetched : out) fetched.resize(inputs_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) out[places[i].first][places[i].second] = std::move(rows[i]);
  } catch (...) {
    for (Fetched& fetched : out) fetched.clear();
  }
  return out;
}

void SampleReader::read(int64_t position, std::span<const RowSource> fetched,
                        std::span<const std::span<std::byte>> out) const {
  try {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      const bool is_here = !fetched.empty() && fetched[i].bytes;
      const auto raster = is_here ? open_raster(fetched[i], fallback_) : open(input, position);
      const auto type = tensor_type(raster->info(), input.options);
      const auto shape = tensor_shape(raster->info(), input.options);
      if (type != input.type || shape != input.shape) {
        throw SchemaError("gives " + shape_text(type, shape) + "; " + shape_text(input.type, input.shape) +
                              " expected, as of the other samples",
                          {.path = raster->name()});
      }
      read_tensor(*raster, input.options, out[i]);
    }
  } catch (const Error&) {
    rethrow_naming(name_of(position));
  }
}

void SampleReader::read_unfetched(int64_t position) const {
  for (const Input& input : inputs_) {
    if (!input.is_fetched) read_tensor(*open(input, position), input.options);
  }
}

}  // namespace tacore
