#include "tortilla/partitions.hpp"

#include <algorithm>
#include <set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore::v1 {
namespace {

constexpr std::string_view kPart = ".part";
constexpr std::size_t kMinDigits = 4, kMaxDigits = 10;
constexpr std::size_t kMostNamed = 5;  // missing files, in a message

constexpr uint64_t kAtOnce = 100;  // number of files that are looked up together

/// Remote files are looked up in parallel.
std::vector<bool> are_there(const Storage& storage, const std::vector<std::string>& paths) {
  std::vector<bool> out;
  if (!is_remote(paths[0])) {
    for (const auto& path : paths) out.push_back(storage.exists(path));
    return out;
  }
  for (const auto& file : storage.open_all(paths)) out.push_back(file != nullptr);
  return out;
}

/// The number of the first partition: 1 if there is a number `count` but no number 0, else 0.
uint64_t first_number(const Storage& storage, PartitionName name, uint64_t count) {
  name.number = 0;
  if (storage.exists(partition_name(name))) return 0;
  name.number = count;
  return storage.exists(partition_name(name)) ? 1 : 0;
}

}  // namespace

std::optional<PartitionName> parse_partition_name(const std::string& path) {
  const std::size_t folder = parent_folder(path).size();
  const auto dot = path.rfind('.');
  if (dot == path.npos || dot <= folder) return std::nullopt;
  const std::string_view before = std::string_view(path).substr(0, dot);
  if (!before.ends_with(kPart)) return std::nullopt;
  const std::string_view numbered = before.substr(0, before.size() - kPart.size());
  std::size_t begin = numbered.size();
  while (begin > folder && is_digit(numbered[begin - 1])) --begin;
  const std::size_t digits = numbered.size() - begin;
  if (digits < kMinDigits || digits > kMaxDigits || begin <= folder + 1 || numbered[begin - 1] != '.')
    return std::nullopt;
  return PartitionName{std::string(numbered.substr(0, begin - 1)), std::stoull(std::string(numbered.substr(begin))),
                       path.substr(dot)};
}

std::string partition_name(const PartitionName& name) {
  std::string digits = std::to_string(name.number);
  digits.insert(0, kMinDigits - std::min(kMinDigits, digits.size()), '0');
  return name.stem + "." + digits + std::string(kPart) + name.suffix;
}

std::vector<std::string> partition_paths(const Storage& storage, const std::string& path, uint64_t count,
                                         bool allow_partial) {
  const auto given = parse_partition_name(path);
  if (!given) {
    if (allow_partial) return {path};
    throw FormatError("is one of " + std::to_string(count) +
                          " partitions, but has no partition number in its name; NAME.0000.part.EXTENSION, or the "
                          "paths of all partitions, expected",
                      {.path = path});
  }
  PartitionName name = *given;
  const uint64_t first = first_number(storage, name, count);
  if (given->number < first || given->number - first >= count) {
    throw FormatError("has the partition number " + std::to_string(given->number) + ", " + std::to_string(first) +
                          " to " + std::to_string(first + count - 1) + " expected",
                      {.path = path});
  }
  std::vector<std::string> out, missing;
  uint64_t num_missing = 0;
  for (uint64_t begin = first; begin < first + count; begin += kAtOnce) {
    std::vector<std::string> some;
    for (name.number = begin; name.number < std::min(begin + kAtOnce, first + count); ++name.number)
      some.push_back(partition_name(name));
    const std::vector<bool> there = are_there(storage, some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (there[i]) {
        out.push_back(std::move(some[i]));
      } else if (++num_missing <= kMostNamed) {
        missing.push_back(file_name(some[i]));
      }
    }
    if (num_missing > kMostNamed && !allow_partial) break;
  }
  if (num_missing > 0 && !allow_partial) {
    throw IoError("the dataset has " + std::to_string(count) + " partitions, of which " + join(missing, ", ") +
                      (num_missing > kMostNamed ? " and more are"
                       : missing.size() == 1    ? " is"
                                                : " are") +
                      " missing",
                  {.path = path}, 0);
  }
  if (const auto more = left_over(storage, path, count); !more.empty()) {
    log::warning(more + ": is an additional file beside the " + std::to_string(count) +
                 " partitions of this dataset, and is not read");
  }
  return out;
}

bool is_alone(const Storage& storage, const std::string& path, uint64_t count) {
  auto name = parse_partition_name(path);
  if (!name) return false;
  std::set<uint64_t> fallback{name->number - std::min<uint64_t>(name->number, 1), name->number + 1};
  for (uint64_t i = 0; i <= std::min(count, kAtOnce); ++i) fallback.insert(i);
  fallback.erase(name->number);
  std::vector<std::string> paths;
  for (const uint64_t other : fallback) {
    name->number = other;
    paths.push_back(partition_name(*name));
  }
  const auto there = are_there(storage, paths);
  return std::none_of(there.begin(), there.end(), [](bool is_there) { return is_there; });
}

std::string left_over(const Storage& storage, const std::string& path, uint64_t count) {
  auto name = parse_partition_name(path);
  if (!name || is_remote(path)) return "";
  name->number = first_number(storage, *name, count) + count;
  const std::string more = partition_name(*name);
  return storage.exists(more) ? more : "";
}

}  // namespace tacore::v1
