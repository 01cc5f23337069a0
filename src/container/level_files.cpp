#include "container/level_files.hpp"

#include <algorithm>

#include "container/read_hints.hpp"
#include "format/names.hpp"
#include "io/document.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "table/parquet_footer.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// Compares the footers, which describe the contents of a Parquet file.
bool is_same_level(const ByteSource& before, const ByteSource& now) {
  if (now.size() != before.size()) return false;
  const uint64_t size = std::min(before.size(), kFooterGuess);  // in memory since both were opened
  const ByteRange end{before.size() - size, size};
  return now.read(end) == before.read(end);
}

/// How many bytes to request from the end of a level below level 0 when it is opened: the whole table, where it
/// probably arrives in the time of a round trip, else those of kReadLevel. Its size is estimated from its number of
/// rows and the size of level 0.
ReadHint hint_of_level(const PitSchema& schema, int level, const ByteSource* level0) {
  ReadHint out = kReadLevel;
  const auto patterns = schema.hierarchy.find(level);
  if (!level0 || patterns == schema.hierarchy.end() || schema.root_n == 0) return out;
  double num_rows = 0;
  for (const PitPattern& pattern : patterns->second) num_rows += static_cast<double>(pattern.n);
  const double expected = num_rows / static_cast<double>(schema.root_n) * static_cast<double>(level0->size());
  const auto most = static_cast<double>(level0->bytes_of_round_trip());
  if (1.25 * expected <= most) out.suffix = std::max(out.suffix, static_cast<uint64_t>(1.25 * expected));
  return out;
}

}  // namespace

LevelFiles::LevelFiles(std::shared_ptr<const Storage> storage, const std::string& folder, const std::string& levels,
                       FolderFiles opened, const std::string& path)
    : storage_(std::move(storage)),
      paths_{path_join(folder, names::kCollection)},
      hints_{ReadHint()},
      level0_(std::move(opened.level0)) {
  const auto document = opened.collection ? std::move(opened.collection) : storage_->open(paths_[0]);
  Bytes text = read_document(*document);
  collection_ = parse_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path);
  if (level0_) document_ = std::move(text);
  for (int k = 0; k <= collection_.pit_schema.max_depth(); ++k) {
    paths_.push_back(path_join(levels, names::kLevelFiles[k]));
    hints_.push_back(hint_of_level(collection_.pit_schema, k, level0_.get()));
  }
}

std::shared_ptr<const ByteSource> LevelFiles::open(int level) const {
  if (level == 0 && level0_) return level0_;
  std::call_once(opened_, [this] { levels_ = level0_ ? open_below() : open_from(1); });
  return levels_[static_cast<std::size_t>(level)];
}

std::vector<std::shared_ptr<const ByteSource>> LevelFiles::open_from(std::size_t first) const {
  return storage_->open_all(std::span(paths_).subspan(first), std::span(hints_).subspan(first));
}

std::vector<std::shared_ptr<const ByteSource>> LevelFiles::open_below() const {
  constexpr std::size_t kKnown = 2;  // COLLECTION.json and level 0
  const bool is_late = std::chrono::steady_clock::now() - began_ > kMoment;
  auto out = open_from(is_late ? 0 : kKnown);
  if (is_late) {
    const bool is_same[kKnown] = {out[0] && read_document(*out[0]) == document_,
                                  out[1] && is_same_level(*level0_, *out[1])};
    for (std::size_t i = 0; i < kKnown; ++i) {
      if (is_same[i]) continue;
      throw IoError("changed since the dataset was opened; load it again", {.path = paths_[i]});
    }
    out.erase(out.begin(), out.begin() + kKnown);
  }
  out.insert(out.begin(), level0_);
  return out;
}

}  // namespace tacore
