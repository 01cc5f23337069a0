#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/dataframe.hpp"

/// The mutator: good datasets, the places where they can be broken, and the ways to do it.
namespace tacore::mutate {

/// What "the same data" means after a mutation that raised no error.
enum class Rule {
  /// Structure outside the tables (records of a ZIP, headers, files that are missing): everything is as before.
  Exact,
  /// COLLECTION.json, which has no checksum that a reader sees: its own texts may differ, and so may what filters
  /// of an index over several ZIPs find (they trust its extents). Rows, cells, trees and bytes are as before.
  Collection,
  /// The bytes of a sample: they may differ, nothing else does.
  Pixels,
  /// Tables: a cell is what its bytes say, so cells, and what filters and statistics make of them, may differ, ids
  /// among them. As before are the number of levels, the rows of each, the children of every sample that keeps its
  /// path, and the bytes that a path leads to; a path that was not there before leads to those of some sample, whole.
  Cells,
  /// Cells that were changed on purpose, in a file that is otherwise right: as Cells.
  Edited,
  /// Tables of a Tortilla, where nothing proves the places that they give: as Cells, and a path may lead to any bytes,
  /// and to any children. As before are the rows of the root.
  Places,
};

/// What a case does to the bytes of a file.
enum class Kind : uint8_t {
  // One byte.
  Flip, Zero, Ones, Cut, Drop,
  // A little-endian field: all ones, its top bit alone, one more, one less, the size of the file.
  Max, Half, Plus, Minus, File,
  // A whole region: zeroed, removed, twice, swapped with the next of its sort, given the next one's offset.
  Blank, Gone, Twice, Swap, Overlap,
  // The name in a local header and its central entry.
  NameParent, NameRoot, NameNul,
  // An integer or a length of a Thrift structure.
  Thrift0, Thrift1, ThriftMinus, Thrift30, Thrift31, Thrift63,
  // A value of a JSON document.
  JsonGone, JsonNull, JsonMinus, Json63, JsonText, JsonParent, JsonObject, JsonArray, JsonDeep,
  // A cell of a level.
  CellNull, CellMinus, Cell63, CellPlus, CellNext, CellParent, CellRoot, CellNul, CellEmpty, CellDot, CellOther,
  // A whole file.
  Missing, Empty, Folder, Noise,
  Count
};

const char* to_string(Kind kind);
Kind parse_kind(const std::string& text);

/// A file of a dataset, by its path below the dataset's scratch folder.
struct File {
  std::string path = {};
  Bytes bytes = {};
};

/// A place to break.
struct Region {
  std::string name = {};  ///< such as "local3" or "METADATA/level0.parquet.footer"
  std::string sort = {};  ///< its class, for an even choice: "local", "footer", ...
  Rule rule = Rule::Exact;
  std::size_t file = 0;
  uint64_t begin = 0;
  uint64_t size = 0;
  std::string part = {};  ///< the part of the file (a ZIP entry) that the region belongs to
};

/// A dataset that opens, in memory.
struct Source {
  std::string name = {};
  std::string open = {};  ///< what is given to load(), below the scratch folder
  std::vector<File> files = {};
  std::vector<Region> regions = {};
};

/// One mutation. Written NAME:REGION:OFFSET:KIND; the offset counts bytes, Thrift integers, JSON values or cells
/// from the start of the region.
struct Case {
  uint32_t source = 0;
  uint32_t region = 0;
  uint32_t offset = 0;
  Kind kind = Kind::Flip;
};

std::string to_string(const Case& one, const std::vector<Source>& sources);
/// Throws std::invalid_argument for text that names no case.
Case parse_case(const std::string& text, const std::vector<Source>& sources);

/// Every golden dataset that is there, with its regions.
std::vector<Source> load_sources(const std::string& golden, const std::string& examples, const std::string& shared);

/// Every case of a source.
std::vector<Case> all_cases(const std::vector<Source>& sources, uint32_t source);

/// The file that a case changes: its new bytes.
struct Changed {
  std::size_t file = 0;
  enum class Form { Bytes, Missing, Folder } form = Form::Bytes;
  Bytes bytes = {};
};
Changed apply(const Case& one, const std::vector<Source>& sources);

/// A number that depends on its arguments alone.
uint64_t mix(uint64_t a, uint64_t b);

}  // namespace tacore::mutate
