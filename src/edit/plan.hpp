#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "container/container.hpp"
#include "model/collection_members.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/value.hpp"
#include "writer/write_options.hpp"

namespace tacore {

/// The result of planning an edit: the new parts of the dataset.
struct EditPlan {
  std::string collection = {};  ///< the new COLLECTION.json
  /// The levels whose columns change, with offsets and sizes in a ZIP still to be set.
  std::map<int, std::shared_ptr<arrow::Table>> tables = {};

  /// The deepest level whose columns change; -1: none.
  int last_level() const { return tables.empty() ? -1 : tables.rbegin()->first; }
};

/// New values of a column in some rows of a level.
struct ColumnValues {
  int level = 0;
  std::string column = {};
  std::vector<int64_t> rows = {};  ///< of the level, each once
  std::vector<Value> values = {};  ///< of these rows; they fit the type of the column
};

/// A new description of a column.
struct ColumnDescription {
  int level = 0;
  std::string column = {}, text = {};
};

/// New values and descriptions.
struct ValueEdit {
  std::vector<ColumnValues> values = {};
  std::vector<ColumnDescription> descriptions = {};
};

/// Changes values and descriptions in a ZIP or FOLDER, as edit() does, in one step. `make` is called with the container
/// that is to be changed, before anything is written. Throws as edit(), and what `make` throws; ValidationError for
/// other datasets. `warns`: of an index that has the values from before.
void edit_values(const std::string& path, const EditOptions& options,
                 const std::function<ValueEdit(const std::shared_ptr<const Container>&)>& make, bool warns = true);

/// Checks everything that edit() promises to check. `collection` is the existing one; the levels are those of
/// `container`, which is null where columns cannot be edited.
EditPlan plan_edit(const Edit& edit, const Collection& collection, const Container* container, const std::string& path);

/// The plan of edit_values().
EditPlan plan_values(const ValueEdit& edit, const Container& container, const std::string& path);

/// Why a member or a column cannot be edited, a clause after its name; "" when it can.
using WhyFixed = std::function<std::string(std::string_view)>;

/// The changes of `edit` to the collection, each member once. Throws ValidationError for a member that cannot be edited
/// and for invalid JSON.
std::vector<MemberChange> member_changes(const Edit& edit, const WhyFixed& why_fixed);

/// `level`, that of `edit`, without the dropped columns and with those of the joined tables. `samples` are the paths of
/// its rows, which are looked up in the tables. Throws SchemaError as edit() does.
std::shared_ptr<arrow::Table> edited_columns(std::shared_ptr<arrow::Table> level, const Edit& edit,
                                             const std::vector<std::string>& samples, const std::string& path,
                                             const WhyFixed& why_fixed);

/// The samples of a container by level: paths below DATA/ without a final slash, and the rows of their children. Each
/// level is read once, on first use.
class SamplePaths {
 public:
  explicit SamplePaths(const Container& container) : container_(container) {}
  const std::vector<std::string>& of(int level);
  /// The rows of `level` + 1 below each row of `level`, in order. Throws FormatError for a row without a parent.
  const std::vector<std::vector<int64_t>>& children(int level);
  bool is_folder(int level, int64_t row) const;

 private:
  const Container& container_;
  std::deque<std::vector<std::string>> paths_ = {};  ///< a deque: references to elements stay valid
  std::deque<std::vector<std::vector<int64_t>>> children_ = {};
};

/// The `__meta__` of some FOLDERs of one level, in the order of `rows`. `table` is the level below them.
std::vector<Bytes> encode_metas(const std::shared_ptr<arrow::Table>& table,
                                const std::vector<std::vector<int64_t>>& children, std::span<const int64_t> rows,
                                const WriteOptions& options);

/// The state of a file or folder when this object was made.
class Unchanged {
 public:
  explicit Unchanged(std::string path);
  /// Throws IoError when the path names another file now, or the file was written to.
  void check() const;

 private:
  std::string path_;
  std::vector<int64_t> facts_;
};

/// Implements edit() for a Tortilla or TACO 0.2.0, and for all partitions of its dataset.
void edit_v1(const Edit& edit, const std::string& path, const EditOptions& options);

/// Writes the edited ZIP. `path` is the file itself, not a link; `unchanged` is checked just before the new file
/// replaces the old one.
void edit_zip(const EditPlan& plan, const Container& container, const std::string& path, const Unchanged& unchanged,
              const WriteOptions& options);
void edit_folder(const EditPlan& plan, const Container& container, const std::string& path,
                 const std::vector<Unchanged>& unchanged, const WriteOptions& options);

}  // namespace tacore
