#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.hpp"
#include "io/byte_source.hpp"

/// Merkle trees over the rows of each level, and the file beside a dataset that has them (docs/format.md, "Proof"):
/// from it a reader that has one row computes the root, reading a few hundred bytes for each factor of 16 in the number
/// of rows.
namespace tacore {

/// The suffixes that are added to the path of a dataset: the trees, the statement that is signed, its signature.
inline constexpr std::string_view kTreeSuffix = ".merkle", kStatementSuffix = ".proof",
                                  kSignatureSuffix = ".proof.minisig";

/// Nodes are kept of every fourth layer, so that siblings are read together: 16 of them give their ancestor.
inline constexpr uint64_t kSiblings = 16;

/// The hash of a leaf is that of these bytes after a 0.
Sha256 leaf_hash(std::span<const std::byte> bytes);
/// The hash of two nodes is that of both after a 1.
Sha256 node_hash(const Sha256& left, const Sha256& right);
/// The root of the tree over these nodes: two neighbours make a node of the next layer, a last one without a neighbour
/// is in it itself. That of none is the hash of no bytes.
Sha256 root_of(std::vector<Sha256> nodes);

/// A level: the number of its rows, and the root of the tree over them.
struct LevelRoot {
  uint64_t num_rows = 0;
  Sha256 root = {};

  bool operator==(const LevelRoot&) const = default;
};

/// The root of a dataset: `collection` is the hash of its COLLECTION.json.
Sha256 dataset_root(const Sha256& collection, const std::vector<LevelRoot>& levels);

/// The bytes of the file of trees over `leaves`, a list for each level.
Bytes encode_trees(const std::vector<std::vector<Sha256>>& leaves);

/// An open file of trees. Immutable; safe from several threads.
class MerkleFile {
 public:
  /// The bytes that are read to open it; a header of six levels has as many.
  static constexpr uint64_t kMostHeader = 256;
  /// Reads the beginning of the file, and nothing else. Throws FormatError, also for a file that is shorter or longer
  /// than its own numbers of rows require; IoError.
  explicit MerkleFile(std::shared_ptr<const ByteSource> source);

  const std::vector<LevelRoot>& levels() const noexcept { return levels_; }
  const std::string& name() const noexcept { return source_->name(); }
  /// The hashes of all rows of a level.
  std::vector<Sha256> leaves(int level) const;
  /// Which of `rows`, with their hashes, are not those of a tree with the root that levels() states; the siblings are
  /// read in one batch. `num_bytes` is increased by their size. Throws FormatError for a row that the level lacks;
  /// IoError.
  std::vector<int64_t> wrong_rows(int level, const std::map<int64_t, Sha256>& rows, uint64_t& num_bytes) const;

 private:
  std::shared_ptr<const ByteSource> source_;
  std::vector<LevelRoot> levels_;
  std::vector<uint64_t> begins_;  ///< offset of the leaves of each level
};

}  // namespace tacore
