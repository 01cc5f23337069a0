#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/byte_source.hpp"

/// Datasets of several files (dossier v1 1.8): the header says how many there are, their names say which is which.
namespace tacore::v1 {

/// `x.0003.part.taco`: "x", 3, ".taco".
struct PartitionName {
  std::string stem = {};  ///< with its folder
  uint64_t number = 0;
  std::string suffix = {};
};

/// nullopt for a name of another form.
std::optional<PartitionName> parse_partition_name(const std::string& path);
/// At least four digits.
std::string partition_name(const PartitionName& name);

/// The paths of all `count` partitions of the dataset that `path` is one of, numbered from 0 or from 1, in order; with
/// `allow_partial` those that are there. Throws FormatError for a name that does not tell its number, or one that does
/// not fit, and IoError, which lists them, when some are missing. One too many is a warning.
std::vector<std::string> partition_paths(const Storage& storage, const std::string& path, uint64_t count,
                                         bool allow_partial);

/// True when neither the first hundred of `count` partitions nor the neighbours of `path` are there, but `path`.
bool is_alone(const Storage& storage, const std::string& path, uint64_t count);

/// A local file whose name is that of one partition more than `count`, or "".
std::string left_over(const Storage& storage, const std::string& path, uint64_t count);

}  // namespace tacore::v1
