#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "options.hpp"
#include "others.hpp"
#include "path.hpp"
#include "tacore/dataset.hpp"
#include "tacore/plumbing/places.hpp"
#include "tacore/plumbing/remote_use.hpp"
#include "tacore/plumbing/stored_files.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

/// Statistics of the rows [begin, end) of a frame, counted in parts of `part_rows`: for each part that has a sample the
/// moments of its bands, in the order of the state of BandStatistics; the histograms of all; number of samples;
/// failures with their position in the frame.
nb::tuple compute_partial_statistics(const DataFrame& frame, int64_t begin, int64_t end, int64_t part_rows,
                                     const Keywords& given) {
  const ComputeOptions options =
      options_of<ComputeOptions>(given, {.task = {.jobs = 1}, .part_rows = part_rows, .fallback = raster_opener()});
  PartialStatistics made = [&] {
    const nb::gil_scoped_release release;
    std::vector<int64_t> rows(static_cast<std::size_t>(end - begin));
    std::iota(rows.begin(), rows.end(), begin);
    return tacore::compute_partial_statistics(frame.take(rows), options);
  }();
  nb::list moments, histograms, failures;
  for (const auto& part : made.parts) {
    nb::list bands;
    for (const BandStatistics& band : part) {
      const Moments& of = band.moments;
      bands.append(nb::make_tuple(band.num_pixels, of.count, of.min, of.max, of.mean, of.sum_of_squares));
    }
    moments.append(bands);
  }
  for (Histogram& histogram : made.histograms) histograms.append(nb::cast(std::move(histogram)));
  for (const auto& failure : made.failures)
    failures.append(nb::make_tuple(begin + failure.position, text(failure.message)));
  return nb::make_tuple(moments, histograms, made.num_samples, failures);
}

/// Size and SHA-256 of the file `path`, which is stored as `name`.
std::pair<uint64_t, std::string> store_file(const std::string& root, const std::string& name, const Path& path) {
  const nb::gil_scoped_release release;
  const StoredFile stored = tacore::store_file(root, name, path.value);
  return {stored.size, stored.sha256};
}

/// Whether the store has each of the files (name, size, SHA-256).
std::vector<bool> has_stored_files(const std::string& root,
                                   const std::vector<std::tuple<std::string, uint64_t, std::string>>& files) {
  const nb::gil_scoped_release release;
  std::vector<StoredFile> all;
  for (const auto& [name, size, sha256] : files) all.push_back({name, size, sha256});
  return tacore::has_stored_files(root, all);
}

std::optional<nb::bytes> read_stored_file(const std::string& root, const std::string& name, uint64_t offset,
                                          uint64_t size) {
  std::optional<std::string> read;
  {
    const nb::gil_scoped_release release;
    read = tacore::read_stored_file(root, name, offset, size);
  }
  if (!read) return std::nullopt;
  return nb::bytes(read->data(), read->size());
}

void discard_unfinished_uploads(const std::string& root) {
  const nb::gil_scoped_release release;
  tacore::discard_unfinished_uploads(root);
}

/// Requests, bytes and refused requests of this process.
std::tuple<int64_t, uint64_t, int64_t> remote_use() {
  const RemoteUse use = tacore::remote_use();
  return {use.num_requests, use.num_bytes, use.num_refused};
}

void set_remote_limits(std::optional<int64_t> requests, std::optional<uint64_t> bytes, std::optional<double> per_second,
                       std::optional<int64_t> concurrent) {
  RemoteLimits limits;
  if (requests) limits.max_requests = *requests;
  if (bytes) limits.max_bytes = *bytes;
  if (per_second) limits.requests_per_second = *per_second;
  if (concurrent) limits.max_concurrent_requests = *concurrent;
  tacore::set_remote_limits(limits);
}

void remove_stored_file(const std::string& root, const std::string& name) {
  const nb::gil_scoped_release release;
  tacore::remove_stored_file(root, name);
}

/// Name, size in bytes and version of each file.
std::vector<std::tuple<std::string, uint64_t, std::string>> list_stored_files(const std::string& root) {
  const nb::gil_scoped_release release;
  std::vector<std::tuple<std::string, uint64_t, std::string>> out;
  for (ListedFile& file : tacore::list_stored_files(root))
    out.emplace_back(std::move(file.name), file.size, std::move(file.version));
  return out;
}

/// Numbers of 64 bits in the byte order of the machine, for array("Q").
nb::bytes hilbert_positions(const std::vector<std::optional<nb::bytes>>& geometries) {
  std::vector<std::optional<std::string_view>> views;
  views.reserve(geometries.size());
  for (const auto& each : geometries)
    views.push_back(each ? std::optional(std::string_view(each->c_str(), each->size())) : std::nullopt);
  std::vector<uint64_t> out;
  {
    const nb::gil_scoped_release release;
    out = tacore::hilbert_positions(views);
  }
  return nb::bytes(out.data(), out.size() * sizeof(uint64_t));
}

}  // namespace

void bind_distributed(nb::module_& m) {
  using nb::arg;
  m.def("part_rows", &part_rows, arg("num_rows"));
  m.def("compute_partial_statistics", &compute_partial_statistics, arg("frame"), arg("begin"), arg("end"),
        arg("part_rows"), arg("options"));
  m.def("store_file", &store_file, arg("root"), arg("name"), arg("path"));
  m.def("has_stored_files", &has_stored_files, arg("root"), arg("files"));
  m.def("read_stored_file", &read_stored_file, arg("root"), arg("name"), arg("offset"), arg("size"));
  m.def("remote_use", &remote_use);
  m.def("set_remote_limits", &set_remote_limits, arg("requests").none(), arg("bytes").none(), arg("per_second").none(),
        arg("concurrent").none());
  m.def("remove_stored_file", &remove_stored_file, arg("root"), arg("name"));
  m.def("list_stored_files", &list_stored_files, arg("root"));
  m.def("hilbert_positions", &hilbert_positions, arg("geometries"));
  m.def("discard_unfinished_uploads", &discard_unfinished_uploads, arg("root"));
}

}  // namespace tacore::python
