#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_math.hpp"
#include "io/byte_source.hpp"
#include "tacore/pit_schema.hpp"
#include "writer/spill_buffer.hpp"

namespace tacore {

/// Where remote files are read. One for all FILEs of a file, or of a folder.
struct RemoteFiles {
  std::shared_ptr<const ByteSource> source = {};  ///< the file that all of them are in; nullptr: each is one of its own
  std::shared_ptr<const Storage> storage = {};    ///< opens those, when they are copied
};

/// Where the bytes of a FILE are: `size` of them from `offset` on in a file, or held.
struct Payload {
  std::string path = {};                           ///< "" for bytes that came without a file
  std::shared_ptr<const SpillBuffer> held = {};      ///< all of them, whatever file they are of
  std::shared_ptr<const RemoteFiles> remote = {};  ///< nullptr for a local file
  uint64_t offset = 0;
  uint64_t size = 0;
  int64_t time = 0;                    ///< of the last change, seconds since 1970
  bool part = false;                   ///< the file may go on behind them
  std::optional<uint32_t> crc32 = {};  ///< what they are known to have, from a ZIP

  /// True when reading them takes a request.
  bool is_remote() const noexcept { return remote != nullptr && !held; }
};

/// All samples of one level, in columns of equal length. The children of a sample are next to each other, in the order
/// of their parents.
struct TreeLevel {
  std::vector<std::string> ids = {};
  std::vector<SampleType> types = {};
  std::vector<int64_t> parents = {};                     ///< row in the level above; empty at level 0
  std::vector<Payload> payloads = {};                    ///< empty ones for FOLDER
  std::shared_ptr<arrow::Table> columns = {};            ///< metadata; null: none
  std::map<std::string, std::string> descriptions = {};  ///< of some columns
};

/// A dataset to be written: what all ways to state samples become. A million samples are a few large vectors.
struct Tree {
  std::vector<TreeLevel> levels = {};

  /// The first child of each row of `level` in the level below, and one more: the end of the last.
  std::vector<int64_t> first_children(int level) const;
  /// The path of a row from DATA/, `a/b`.
  std::string path(int level, int64_t row) const;
  /// The bytes of all FILEs.
  uint64_t num_bytes() const;
  /// The files that these are in, each once but for neighbours.
  std::vector<std::string> files() const;
  /// The bytes of each root, those of its descendants for a FOLDER.
  std::vector<uint64_t> root_sizes() const;
};

/// Checks what §5.5 and §5.6 ask of a tree and gives its pattern. Throws SchemaError for no samples, more than six
/// levels, an id that may not be, two siblings of one id, a FOLDER without children, roots of both types, and PIT-1:
/// FOLDERs at one position whose children differ in number, type or id, padding aside. Each names the path of the first
/// sample that is wrong; PIT-1 the first few, and how many more there are.
PitSchema check_tree(const Tree& tree);

/// Parts of it. At most six levels (§6.2). Throws SchemaError, which names a sample below them.
void check_depth(const Tree& tree);
/// The rows [begin, end) of `level`, which are siblings: their ids are legal, each there once. Throws
/// SchemaError.
void check_siblings(const Tree& tree, int level, int64_t begin, int64_t end);
/// Padding has no bytes, and only padding below it. Throws SchemaError.
void check_padding(const Tree& tree);

/// The same tree with the children of each FOLDER in the code-point order of `<id>/`. Roots stay where they are.
Tree sort_siblings(const Tree& tree);

}  // namespace tacore
