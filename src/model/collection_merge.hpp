#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tacore/collection.hpp"

namespace tacore {

/// The collection of one part of an index.
struct PartCollection {
  std::string file = {};  ///< its name in the index
  Collection collection = {};
  std::string path = {};  ///< for messages; "": `file`
};

/// The collection of an index over parts, given one after another: that of the first, with the counts of
/// all trees, the extent that holds those of all, and a source for each part. Of the others only sums are kept.
class CollectionMerge {
 public:
  /// `same_fields`: every part has the fields of the first; order, descriptions and `internal:*` may differ. Else the
  /// result has those of all, new ones behind those known and before `internal:*`, each as the first that has it.
  explicit CollectionMerge(bool same_fields) : same_fields_(same_fields) {}

  /// Throws SchemaError, with the path, for a part with another tree (padding matches anything) or other fields.
  /// Parts without an extent do not change that of the index.
  void add(PartCollection part);
  /// The merged collection of one part or more.
  Collection result() const;

 private:
  using Fields = std::set<std::pair<std::string, std::string>>;  ///< level, and name with type

  void add_source(const PartCollection& part);
  void add_fields(const PartCollection& part);

  bool same_fields_;
  PartCollection first_;  ///< as it came
  Fields fields_;
  Collection sum_;
  std::vector<BBox> boxes_;
};

/// The smallest box that holds all `boxes`, at least one; it crosses the antimeridian (minx > maxx) where that is
/// shorter. Each side is exactly a side of one of them.
BBox merge_boxes(const std::vector<BBox>& boxes);

/// Whether `inner` lies in `box`, within a millionth of a degree: extents are often rounded.
bool contains(const BBox& box, const BBox& inner);
bool contains(const TimeRange& times, const TimeRange& inner);

}  // namespace tacore
