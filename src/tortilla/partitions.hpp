#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/byte_source.hpp"

/// Datasets of several files (partitions): the header states their number, the file names say which is which.
namespace tacore::v1 {

/// The parts of a file name: `x.0003.part.taco` is "x", 3, ".taco".
struct PartitionName {
  std::string stem = {};  ///< with its folder
  uint64_t number = 0;
  std::string suffix = {};
};

/// nullopt for a name of another form.
std::optional<PartitionName> parse_partition_name(const std::string& path);
/// The file name, with at least four digits.
std::string partition_name(const PartitionName& name);

/// The paths of all `count` partitions of the dataset that `path` belongs to, numbered from 0 or from 1, in order; with
/// `allow_partial` the existing ones. Throws FormatError for a name without a number, or with one that does not fit,
/// and IoError, which lists them, when some are missing. An additional partition is a warning.
std::vector<std::string> partition_paths(const Storage& storage, const std::string& path, uint64_t count,
                                         bool allow_partial);

/// True when `path` is the only existing file among the first hundred of `count` partitions and its own neighbours.
bool is_alone(const Storage& storage, const std::string& path, uint64_t count);

/// A local file with the name of one partition more than `count`, or "".
std::string left_over(const Storage& storage, const std::string& path, uint64_t count);

}  // namespace tacore::v1
