#include "export/same_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.hpp"
#include "container/zip_directory.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_members.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr uint64_t kComparedPiece = 4 << 20;

/// The path of ids of an entry that is a sample; "" for others.
std::string sample_of(const std::string& entry) {
  const bool is_sample = entry.starts_with(names::kData) && file_name(entry) != names::kMeta;
  return is_sample ? entry.substr(names::kData.size()) : "";
}

void note(ReplayResult& out, ReplayDifference difference) {
  ++out.num_differences;
  difference.sample = sample_of(difference.entry);
  if (out.differences.size() < ReplayResult::kMaxListed) out.differences.push_back(std::move(difference));
}

std::string sizes_in_words(uint64_t made, uint64_t expected) {
  return "has " + std::to_string(made) + " bytes, " + std::to_string(expected) + " in the export";
}

/// Which members of COLLECTION.json differ.
std::string members_in_words(const ByteSource& made, const ByteSource& expected) {
  const auto text = [](const ByteSource& file) {
    const Bytes bytes = file.read_all();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  try {
    std::vector<std::string> keys;
    for (const auto& member : member_differences(text(made), text(expected))) keys.push_back(member.key);
    if (!keys.empty()) return "differs in " + join(keys, ", ");
  } catch (const FormatError&) {  // the export is damaged
  }
  return "is written in another way";
}

/// A ZIP and its entries, by name.
struct Archive {
  std::shared_ptr<const ByteSource> file;
  std::vector<zip::CentralEntry> entries = {};
  std::map<std::string, const zip::CentralEntry*> by_name = {};

  explicit Archive(std::shared_ptr<const ByteSource> source) : file(std::move(source)), entries(read_directory(*file)) {
    for (const auto& entry : entries) by_name.emplace(entry.name, &entry);
  }
  std::shared_ptr<const ByteSource> open(const zip::CentralEntry& entry) const {
    return slice(file, {payload_offsets(*file, std::span(&entry, 1), entries).at(0), entry.size});
  }
};

/// What the directories of two archives tell.
void note_entries(const Archive& made, const Archive& expected, const std::string& path, ReplayResult& out) {
  for (const auto& entry : made.entries) {
    const auto found = expected.by_name.find(entry.name);
    if (found == expected.by_name.end()) {
      note(out, {.path = path, .entry = entry.name, .what = "is missing in the export"});
      continue;
    }
    const zip::CentralEntry& other = *found->second;
    if (entry.name == names::kCollection && (entry.crc32 != other.crc32 || entry.size != other.size)) {
      note(out,
           {.path = path, .entry = entry.name, .what = members_in_words(*made.open(entry), *expected.open(other))});
    } else if (entry.size != other.size) {
      note(out, {.path = path, .entry = entry.name, .what = sizes_in_words(entry.size, other.size)});
    } else if (entry.crc32 != other.crc32) {
      note(out, {.path = path, .entry = entry.name, .what = "has other bytes than in the export"});
    }
  }
  for (const auto& entry : expected.entries) {
    if (!made.by_name.contains(entry.name))
      note(out, {.path = path, .entry = entry.name, .what = "is in the export alone"});
  }
}

/// The entry that has the byte `offset`, with its header; "" behind the last one.
std::string entry_with(const Archive& archive, uint64_t offset) {
  const zip::CentralEntry* out = nullptr;
  uint64_t end = archive.file->size();
  for (const auto& entry : archive.entries) {
    end = std::min(end, entry.record_offset);
    if (entry.local_offset <= offset && (!out || entry.local_offset > out->local_offset)) out = &entry;
  }
  return out && offset < end ? out->name : "";
}

std::string samples_first(const std::string& name) {
  return (name.starts_with(names::kData) ? "0" : name == names::kHeader ? "2" : "1") + name;
}

}  // namespace

std::shared_ptr<const ByteSource> SameBytes::open_or_null(const std::string& path) const {
  try {
    return storage_.open(path);
  } catch (const IoError& error) {
    if (!error.not_found()) throw;
    return nullptr;
  }
}

std::optional<uint64_t> SameBytes::first_difference(const ByteSource& a, const ByteSource& b) const {
  const uint64_t size = std::min(a.size(), b.size());
  for (uint64_t at = 0; at < size; at += kComparedPiece) {
    go_on_();
    const ByteRange piece{at, std::min(kComparedPiece, size - at)};
    const Bytes left = a.read(piece), right = b.read(piece);
    const auto where = std::mismatch(left.begin(), left.end(), right.begin()).first;
    if (where != left.end()) return at + static_cast<uint64_t>(where - left.begin());
  }
  return a.size() == b.size() ? std::nullopt : std::optional(size);
}

void SameBytes::compare_zip(const std::string& made, const std::string& expected, ReplayResult& out) const {
  const auto a = storage_.open(made), b = open_or_null(expected);
  out.num_bytes += a->size();
  if (!b) return note(out, {.path = expected, .what = "is missing, a ZIP of the export expected"});
  const auto at = first_difference(*a, *b);
  if (!at) return;
  const std::string where = "differs from byte " + std::to_string(*at) + " on";
  ReplayResult found;
  try {
    const Archive left(a), right(b);
    note_entries(left, right, expected, found);
    const std::string entry = entry_with(right, *at);
    const auto known = std::ranges::find(found.differences, entry, &ReplayDifference::entry);
    // The first bytes of a ZIP, TACO_HEADER, differ as soon as any table has another size.
    if (known != found.differences.end()) known->offset = at;
    else if (found.differences.empty() || entry != names::kHeader)
      note(found, {.path = expected, .entry = entry, .offset = at, .what = where});
  } catch (const FormatError&) {
    note(found, {.path = expected, .offset = at, .what = where + ", and is no ZIP that can be read"});
  }
  std::ranges::stable_sort(found.differences, {},
                           [](const ReplayDifference& each) { return samples_first(each.entry).substr(0, 1); });
  out.num_differences += found.num_differences;
  for (auto& each : found.differences) {
    if (out.differences.size() < ReplayResult::kMaxListed) out.differences.push_back(std::move(each));
  }
}

void SameBytes::compare_folder(const std::string& made, const std::string& expected, ReplayResult& out) const {
  const auto files_below = [&](const std::string& folder) {
    std::set<std::string> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, none)) {
      if (!entry.is_directory()) found.insert(entry.path().lexically_relative(folder).string());
    }
    return found;
  };
  const auto ours = files_below(made);
  for (const std::string& name : ours) {
    const auto a = storage_.open(path_join(made, name)), b = open_or_null(path_of_name(expected, name));
    out.num_bytes += a->size();
    ReplayDifference difference{.path = expected, .entry = name};
    if (!b) {
      difference.what = "is missing in the export";
    } else {
      difference.offset = first_difference(*a, *b);
      if (!difference.offset) continue;
      difference.what = file_name(name) == names::kCollection ? members_in_words(*a, *b)
                        : a->size() != b->size()              ? sizes_in_words(a->size(), b->size())
                                                              : "has other bytes than in the export";
    }
    note(out, std::move(difference));
  }
  if (is_remote(expected)) return;  // a server does not list its files; the tables name all that readers see
  for (const std::string& name : files_below(expected)) {
    const bool is_of_dataset = name.starts_with(names::kData) || name.starts_with(names::kMetadata);
    if (is_of_dataset && !ours.contains(name))
      note(out, {.path = expected, .entry = name, .what = "is in the export alone"});
  }
}

}  // namespace tacore
