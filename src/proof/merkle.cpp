#include "proof/merkle.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/checked_math.hpp"
#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr std::string_view kTreeMagic = "TACOTREE";
constexpr uint32_t kTreeVersion = 1;
constexpr uint32_t kMostLevels = names::kMaxLevel + 1;
constexpr std::size_t kHashSize = 32, kTreeStart = 16, kTreeLevel = 8 + kHashSize;
/// As many rows as a level may have (level_table.cpp).
constexpr uint64_t kMostRows = uint64_t{1} << 40;

/// The numbers of nodes of the layers that a file has of a level: each a sixteenth of the one before, down to the root,
/// which is not among them.
std::vector<uint64_t> layer_sizes(uint64_t num_rows) {
  std::vector<uint64_t> out;
  for (uint64_t size = num_rows; size > 1; size = (size + kSiblings - 1) / kSiblings) out.push_back(size);
  return out;
}

uint64_t size_of_layers(uint64_t num_rows) {
  uint64_t out = 0;
  for (const uint64_t size : layer_sizes(num_rows)) out += size * kHashSize;
  return out;
}

std::vector<Sha256> hashes_in(std::span<const std::byte> bytes) {
  std::vector<Sha256> out(bytes.size() / kHashSize);
  for (std::size_t i = 0; i < out.size(); ++i)
    std::ranges::copy(bytes.subspan(i * kHashSize, kHashSize), out[i].begin());
  return out;
}

/// The layer of which each node is the root of up to 16 neighbours.
std::vector<Sha256> next_layer(const std::vector<Sha256>& nodes) {
  std::vector<Sha256> out;
  for (std::size_t i = 0; i < nodes.size(); i += kSiblings) {
    const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(i);
    out.push_back(
        root_of({begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(kSiblings, nodes.size() - i))}));
  }
  return out;
}

}  // namespace

Sha256 leaf_hash(std::span<const std::byte> bytes) {
  const std::byte zero{0};
  int piece = 0;
  return sha256([&]() -> std::span<const std::byte> {
    return ++piece == 1 ? std::span(&zero, 1) : piece == 2 ? bytes : std::span<const std::byte>();
  });
}

Sha256 node_hash(const Sha256& left, const Sha256& right) {
  std::array<std::byte, 1 + 2 * kHashSize> bytes{std::byte{1}};
  std::ranges::copy(left, bytes.begin() + 1);
  std::ranges::copy(right, bytes.begin() + 1 + kHashSize);
  return sha256(bytes);
}

Sha256 root_of(std::vector<Sha256> nodes) {
  if (nodes.empty()) return sha256(std::span<const std::byte>());
  while (nodes.size() > 1) {
    std::size_t made = 0;
    for (std::size_t i = 0; i < nodes.size(); i += 2)
      nodes[made++] = i + 1 < nodes.size() ? node_hash(nodes[i], nodes[i + 1]) : nodes[i];
    nodes.resize(made);
  }
  return nodes.front();
}

Sha256 dataset_root(const Sha256& collection, const std::vector<LevelRoot>& levels) {
  FieldWriter out;
  out.u8(2);
  out.bytes(collection);
  out.u32(static_cast<uint32_t>(levels.size()));
  for (const LevelRoot& level : levels) {
    out.u64(level.num_rows);
    out.bytes(level.root);
  }
  return sha256(out.take());
}

Bytes encode_trees(const std::vector<std::vector<Sha256>>& leaves) {
  FieldWriter out;
  out.text(kTreeMagic);
  out.u32(kTreeVersion);
  out.u32(static_cast<uint32_t>(leaves.size()));
  std::vector<std::vector<std::vector<Sha256>>> trees;
  for (const auto& level : leaves) {
    auto& layers = trees.emplace_back();
    auto nodes = level;
    while (nodes.size() > 1) {
      auto next = next_layer(nodes);
      layers.push_back(std::move(nodes));
      nodes = std::move(next);
    }
    out.u64(level.size());
    out.bytes(root_of(std::move(nodes)));
  }
  for (const auto& layers : trees) {
    for (const auto& layer : layers) {
      for (const Sha256& hash : layer) out.bytes(hash);
    }
  }
  return out.take();
}

MerkleFile::MerkleFile(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {
  const auto fail = [&](const std::string& what) { throw FormatError(what, {.path = source_->name()}); };
  static_assert(kTreeStart + kMostLevels * kTreeLevel == kMostHeader);
  const uint64_t size = source_->size();
  const Bytes start = source_->read({0, std::min(size, kMostHeader)});
  Cursor in(start, "a file of Merkle trees");
  if (size < kTreeStart || in.text(kTreeMagic.size()) != kTreeMagic)
    fail("is not a file of Merkle trees: 'TACOTREE' at its start expected");
  if (const uint32_t version = in.u32(); version != kTreeVersion)
    fail("has version " + std::to_string(version) + ", " + std::to_string(kTreeVersion) + " expected");
  const uint32_t num_levels = in.u32();
  if (num_levels < 1 || num_levels > kMostLevels)
    fail("has " + std::to_string(num_levels) + " levels, 1 to " + std::to_string(kMostLevels) + " expected");
  uint64_t expected = kTreeStart + num_levels * kTreeLevel;
  for (uint32_t level = 0; level < num_levels; ++level) {
    LevelRoot& one = levels_.emplace_back();
    one.num_rows = in.u64();
    std::ranges::copy(in.take(kHashSize), one.root.begin());
    if (one.num_rows > kMostRows)
      fail("states " + std::to_string(one.num_rows) + " rows of level " + std::to_string(level));
    begins_.push_back(expected);
    expected += size_of_layers(one.num_rows);
  }
  if (size != expected) {
    fail("has " + std::to_string(size) + " bytes, " + std::to_string(expected) + " expected for its numbers of rows" +
         (size < expected ? ": it is truncated" : ""));
  }
}

std::vector<Sha256> MerkleFile::leaves(int level) const {
  const auto at = static_cast<std::size_t>(level);
  const uint64_t num_rows = levels_[at].num_rows;
  if (num_rows == 1) return {levels_[at].root};
  return hashes_in(source_->read({begins_[at], num_rows * kHashSize}));
}

std::vector<int64_t> MerkleFile::wrong_rows(int level, const std::map<int64_t, Sha256>& rows,
                                            uint64_t& num_bytes) const {
  const auto at = static_cast<std::size_t>(level);
  const auto sizes = layer_sizes(levels_[at].num_rows);
  // The siblings of all rows in each layer: groups of 16, each by the number of its ancestor.
  std::vector<std::map<uint64_t, std::vector<Sha256>>> groups(sizes.size());
  std::vector<ByteRange> ranges;
  std::set<uint64_t> numbers;
  for (const auto& [row, hash] : rows) {
    if (row < 0 || static_cast<uint64_t>(row) >= levels_[at].num_rows)
      throw FormatError("has no row " + std::to_string(row) + " of level " + std::to_string(level), {.path = name()});
    numbers.insert(static_cast<uint64_t>(row));
  }
  uint64_t begin = begins_[at];
  for (std::size_t layer = 0; layer < sizes.size(); ++layer) {
    std::set<uint64_t> parents;
    for (const uint64_t number : numbers) parents.insert(number / kSiblings);
    for (const uint64_t parent : parents) {
      const uint64_t first = parent * kSiblings, count = std::min(kSiblings, sizes[layer] - first);
      groups[layer][parent] = {};
      ranges.push_back({begin + first * kHashSize, count * kHashSize});
      num_bytes += count * kHashSize;
    }
    begin += sizes[layer] * kHashSize;
    numbers = std::move(parents);
  }
  const auto bytes = source_->read_ranges(ranges);
  auto next = bytes.begin();
  for (auto& layer : groups) {
    for (auto& [parent, hashes] : layer) hashes = hashes_in(*next++);
  }
  std::vector<int64_t> out;
  for (const auto& [row, hash] : rows) {
    Sha256 expected = hash;
    auto number = static_cast<uint64_t>(row);
    bool is_right = true;
    for (const auto& layer : groups) {
      const auto& siblings = layer.at(number / kSiblings);
      is_right = is_right && siblings[number % kSiblings] == expected;
      number /= kSiblings;
      expected = root_of(siblings);
    }
    if (!is_right || expected != levels_[at].root) out.push_back(row);
  }
  return out;
}

}  // namespace tacore
