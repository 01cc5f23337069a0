#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/pit_schema.hpp"
#include "validate/report.hpp"

namespace tacore::validator {

/// The tree that all samples of the root share (§5.5, PIT-1), derived from the rows: the first FOLDER at a position is
/// the model, and differences from it are reported. Padding matches anything. Shared by all containers of an index.
class PitShape {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint32_t kRoot = 0;  ///< the node of every FOLDER of level 0

  struct Child {
    std::string id = {};
    std::optional<SampleType> type = {};  ///< empty while only padding was seen
    uint32_t node = kNone;                ///< of its own children, when it is a FOLDER
  };
  /// A position of the tree with FOLDERs, and the children that all FOLDERs at this position have.
  struct Node {
    int level = 0;  ///< of the children
    std::vector<Child> children = {};
    std::optional<std::size_t> num_children = {};
    std::string model = {};  ///< the path of the first FOLDER seen
  };

  PitShape() { nodes_.push_back({.level = 1}); }
  const std::vector<Node>& nodes() const noexcept { return nodes_; }

  /// Begins the FOLDER `path`; its children follow, then end().
  void begin(uint32_t node, std::string_view path);
  /// Adds the next child. Returns its node, kNone for a FILE.
  uint32_t add(Report& report, std::string_view id, SampleType type, const ErrorContext& where);
  void end(Report& report, const ErrorContext& where);

 private:
  std::vector<Node> nodes_;
  uint32_t node_ = kNone;
  std::string path_;
  std::size_t position_ = 0;
};

struct Checked;

/// LVL-1, PIT-3 to PIT-5: the tree of the rows against that of the collection; SCH-5 for levels that only
/// taco:field_schema has.
void check_pit_schema(Report& report, const PitSchema& schema, const PitShape& shape, const Checked& checked,
                      const std::string& path);

}  // namespace tacore::validator
