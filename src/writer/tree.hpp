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
#include "io/spill_buffer.hpp"
#include "tacore/pit_schema.hpp"

namespace tacore {

/// The source of remote files, shared by all FILEs of a file or of a folder.
struct RemoteFiles {
  std::shared_ptr<const ByteSource> source = {};  ///< the file that contains all FILEs; nullptr: each has its own file
  std::shared_ptr<const Storage> storage = {};    ///< opens those, when they are copied
};

/// The location of the bytes of a FILE: `size` of them from `offset` on, in a file or in a SpillBuffer.
struct Payload {
  std::string path = {};                           ///< "" for bytes that have no file
  std::shared_ptr<const SpillBuffer> held = {};    ///< the bytes, if they have no file or were read already
  std::shared_ptr<const RemoteFiles> remote = {};  ///< nullptr for a local file
  uint64_t offset = 0;
  uint64_t size = 0;
  int64_t time = 0;                       ///< of the last change, seconds since 1970
  bool part = false;                      ///< the file may continue after them
  std::optional<uint32_t> crc32 = {};     ///< the CRC-32 that a source ZIP states
  std::shared_ptr<const void> keep = {};  ///< what the file needs to exist, such as its temporary folder

  /// True when reading the bytes takes a request.
  bool is_remote() const noexcept { return remote != nullptr && !held; }
};

/// All samples of one level, in columns of equal length. The children of a sample are consecutive, in the order of
/// their parents.
struct TreeLevel {
  std::vector<std::string> ids = {};
  std::vector<SampleType> types = {};
  std::vector<int64_t> parents = {};                     ///< row in the level above; empty at level 0
  std::vector<Payload> payloads = {};                    ///< empty ones for FOLDER
  std::shared_ptr<arrow::Table> columns = {};            ///< metadata; null: none
  std::map<std::string, std::string> descriptions = {};  ///< of some columns
};

/// A dataset to be written: every input is converted to it. A million samples take a few large vectors.
struct Tree {
  std::vector<TreeLevel> levels = {};

  /// The first child of each row of `level` in the level below, and the number of rows there.
  std::vector<int64_t> first_children(int level) const;
  /// The path of a row below DATA/, `a/b`.
  std::string path(int level, int64_t row) const;
  /// The size of all FILEs in bytes.
  uint64_t num_bytes() const;
  /// The files that the FILEs are in, without consecutive repetitions.
  std::vector<std::string> files() const;
  /// The size of each root in bytes, for a FOLDER that of its descendants.
  std::vector<uint64_t> root_sizes() const;
};

/// Checks the rules of §5.5 and §5.6 and returns the pattern of the tree. Throws SchemaError for no samples, more than
/// six levels, an illegal id, siblings of one id, a FOLDER without children, roots of both types, and PIT-1: FOLDERs at
/// one position whose children differ in number, type or id, except for padding. Each message names the path of the
/// first wrong sample; that of PIT-1 the first few, and the number of others.
PitSchema check_tree(const Tree& tree);

/// A part of check_tree(): at most six levels (§6.2). Throws SchemaError that names a sample below them.
void check_depth(const Tree& tree);
/// A part of check_tree(): the rows [begin, end) of `level`, which are siblings, have legal and distinct ids. Throws
/// SchemaError.
void check_siblings(const Tree& tree, int level, int64_t begin, int64_t end);
/// A part of check_tree(): padding has no bytes, and only padding below it. Throws SchemaError.
void check_padding(const Tree& tree);

/// The same tree with the children of each FOLDER in the code-point order of `<id>/`. Roots keep their order.
Tree sort_siblings(const Tree& tree);

}  // namespace tacore
