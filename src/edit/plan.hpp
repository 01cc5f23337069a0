#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "container/container.hpp"
#include "model/collection_members.hpp"
#include "tacore/ops/edit.hpp"
#include "writer/write_options.hpp"

namespace tacore {

/// What an edit makes of a dataset.
struct EditPlan {
  std::string collection = {};               ///< the new COLLECTION.json
  int level = -1;                            ///< whose columns change, -1: none
  std::shared_ptr<arrow::Table> table = {};  ///< that level, but for the places in a ZIP
};

/// Checks all that edit() promises to. `collection` is the one there is; the levels are `container`'s, which is null
/// where columns cannot be edited.
EditPlan plan_edit(const Edit& edit, const Collection& collection, const Container* container, const std::string& path);

/// Why a member or a column cannot be edited, reading on from its name; "" when it can.
using WhyFixed = std::function<std::string(std::string_view)>;

/// What `edit` changes in the collection, each member once. Throws ValidationError for one that is fixed and for what
/// is no JSON.
std::vector<MemberChange> member_changes(const Edit& edit, const WhyFixed& why_fixed);

/// `level`, that of `edit`, without the columns that go and with those of tables. `samples` are the paths of its rows,
/// which tables look for. Throws SchemaError as edit() does.
std::shared_ptr<arrow::Table> edited_columns(std::shared_ptr<arrow::Table> level, const Edit& edit,
                                             const std::vector<std::string>& samples, const std::string& path,
                                             const WhyFixed& why_fixed);

/// The samples of a container by level: paths from DATA/ without a slash at the end, and the rows of their children.
/// Levels are looked at when they are asked for, once.
class SamplePaths {
 public:
  explicit SamplePaths(const Container& container) : container_(container) {}
  const std::vector<std::string>& of(int level);
  /// The rows of `level` + 1 below each row of `level`, in order. Throws FormatError for one below none.
  const std::vector<std::vector<int64_t>>& children(int level);
  bool is_folder(int level, int64_t row) const;

 private:
  const Container& container_;
  std::deque<std::vector<std::string>> paths_ = {};  ///< a deque: what was handed out stays where it is
  std::deque<std::vector<std::vector<int64_t>>> children_ = {};
};

/// The `__meta__` of some FOLDERs of one level, in the order of `rows`. `table` is the level below them.
std::vector<Bytes> encode_metas(const std::shared_ptr<arrow::Table>& table,
                                const std::vector<std::vector<int64_t>>& children, std::span<const int64_t> rows,
                                const WriteOptions& options);

/// A file or folder as it was when this was made.
class Unchanged {
 public:
  explicit Unchanged(std::string path);
  /// Throws IoError when there is another at its name, or it was written to.
  void check() const;

 private:
  std::string path_;
  std::vector<int64_t> facts_;
};

/// All of edit() for a Tortilla or TACO 0.2.0, and for the whole set that it is a part of.
void edit_v1(const Edit& edit, const std::string& path, const EditOptions& options);

/// The act. `path` leads to the file or folder itself; what is `unchanged` must be so just before the new one takes its
/// place.
void edit_zip(const EditPlan& plan, const Container& container, const std::string& path, const Unchanged& unchanged,
              const WriteOptions& options);
void edit_folder(const EditPlan& plan, const Container& container, const std::string& path,
                 const std::vector<Unchanged>& unchanged, const WriteOptions& options);

}  // namespace tacore
