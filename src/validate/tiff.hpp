#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "container/container.hpp"
#include "io/byte_source.hpp"
#include "validate/report.hpp"

/// The TIFF indexes of a dataset, and the bytes of its FILEs.
namespace tacore::validator {

/// The TIFF index in a row.
struct HeaderCell {
  std::string row = {};  ///< for messages
  std::string_view header = {};
  uint64_t size = 0;                              ///< bytes of the sample
  std::shared_ptr<const ByteSource> source = {};  ///< the sample; nullptr where it is not to be read
};
/// TIF-1, and TIF-2 with a source.
void check_tiff_header(Report& report, const HeaderCell& cell, const ErrorContext& where);

/// TIF-6, and TIF-1 and TIF-2 for its contents: the file of TIFF indexes beside the ZIP or index at `path`, whose ZIPs
/// are in `base`. Throws IoError.
void check_header_file(Report& report, const Storage& storage, const Container& container, const std::string& path,
                       const std::string& base, bool deep);

/// A fault of the bytes of a sample, and where it is.
struct PlacedFault {
  std::string rule = {};
  std::string message = {};
  std::string sample = {};  ///< path of ids
  int level = 0;
};

/// TIF-3 to TIF-5: the bytes of all FILEs of a part of the samples of the dataset at `path`, in their order. Throws as
/// load().
std::vector<PlacedFault> faults_of_samples(const std::string& path, const std::string& base_path, int jobs,
                                           std::size_t part = 0, std::size_t num_parts = 1);
void tell_faults(Report& report, const std::string& path, std::span<const PlacedFault> faults);

}  // namespace tacore::validator
