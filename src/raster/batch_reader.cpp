#include <algorithm>
#include <numeric>
#include <string>

#include "base/threads.hpp"
#include "raster/sample_reader.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/loader.hpp"

namespace tacore {
namespace {

int threads_of_reader(int jobs, int num_processes, bool is_remote) {
  if (jobs < 0) throw QueryError("jobs is " + std::to_string(jobs) + ", 0 or more expected");
  if (num_processes < 1)
    throw QueryError("num_processes is " + std::to_string(num_processes) + ", at least 1 expected");
  if (jobs > 0) return jobs;
  return std::max(is_remote ? kRemoteThreads : 1, num_threads(0) / num_processes);
}

}  // namespace

struct BatchReader::Impl {
  SampleReader reader;
  int jobs;
  std::vector<TensorKind> kinds = {};

  /// Reads some of the positions, each into its slot.
  void read_slots(std::span<const int64_t> positions, std::span<const std::size_t> slots,
                  std::span<const std::span<std::byte>> out) const {
    std::vector<int64_t> wanted;
    for (const std::size_t slot : slots) wanted.push_back(positions[slot]);
    auto fetched = reader.fetch_count() > 0 ? reader.fetch(wanted) : std::vector<SampleReader::Fetched>(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      std::vector<std::span<std::byte>> places;
      for (std::size_t input = 0; input < out.size(); ++input) {
        const std::size_t size = reader.inputs()[input].sample_size();
        places.push_back(out[input].subspan(slots[i] * size, size));
      }
      reader.read(wanted[i], std::exchange(fetched[i], {}), places);
    }
  }
};

BatchReader::BatchReader(const DataFrame& rows, const std::vector<LoaderInput>& inputs, int jobs, int num_processes,
                         const RasterOpener* fallback) {
  SampleReader reader(rows, inputs, fallback);
  const int threads = threads_of_reader(jobs, num_processes, reader.is_remote());
  if (rows.num_rows() > 0) reader.learn_shapes(OnError::Throw);
  impl_ = std::make_unique<Impl>(Impl{std::move(reader), threads});
  for (const auto& input : impl_->reader.inputs()) impl_->kinds.push_back({input.type, input.shape});
}

BatchReader::~BatchReader() = default;
BatchReader::BatchReader(BatchReader&&) noexcept = default;
BatchReader& BatchReader::operator=(BatchReader&&) noexcept = default;

const std::vector<TensorKind>& BatchReader::kinds() const noexcept { return impl_->kinds; }

void BatchReader::read(std::span<const int64_t> positions, std::span<const std::span<std::byte>> out) const {
  const SampleReader& reader = impl_->reader;
  if (out.size() != reader.inputs().size()) {
    throw QueryError("there is memory for " + std::to_string(out.size()) + " inputs, " +
                     std::to_string(reader.inputs().size()) + " expected");
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t expected = positions.size() * reader.inputs()[i].sample_size();
    if (out[i].size() == expected) continue;
    throw QueryError("the memory for an input has " + std::to_string(out[i].size()) + " bytes, " +
                     std::to_string(expected) + " expected");
  }
  const auto outside = std::ranges::find_if(
      positions, [&](int64_t position) { return position < 0 || position >= reader.rows().num_rows(); });
  if (outside != positions.end()) {
    throw NavigationError(
        "there is no row " + std::to_string(*outside) + " among " + std::to_string(reader.rows().num_rows()),
        {.path = {}});
  }
  std::vector<std::size_t> slots(positions.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  // Neighbours in the file are requested together.
  if (reader.fetch_count() > 0) std::ranges::sort(slots, {}, [&](std::size_t slot) { return positions[slot]; });
  const std::size_t size = std::max<std::size_t>(reader.fetch_count(), 1);
  run_parallel((slots.size() + size - 1) / size, impl_->jobs, [&](std::size_t group) {
    const std::size_t begin = group * size;
    impl_->read_slots(positions, std::span(slots).subspan(begin, std::min(size, slots.size() - begin)), out);
  });
}

}  // namespace tacore
