#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

/// Repair of metadata that contradicts the files, or itself.
namespace tacore {

/// Options of propose_repairs().
struct ProposeOptions {
  Task task = {};                               ///< progress counts files
  std::string base_path = {};                   ///< as in LoadOptions
  const CrsTransformer* transformer = nullptr;  ///< for CRS that tacore does not know. Not owned
};

/// Compares the metadata of the dataset at `path` with the headers of its files, as validate() does with `assets`, and
/// proposes what would repair it: a plan in JSON (docs/format.md) with the old value, the new
/// value, the reason and a confidence from 0 to 1 for each row. The dataset is not changed. Repairs that no file proves
/// are not accepted: apply_repairs() leaves them out unless they are, by their number or in the plan.
///
///     const std::string plan = propose_repairs("chips.tacozip");
///     apply_repairs("chips.tacozip", plan);
///     apply_repairs("chips.tacozip", inverse_repairs(plan));  // as it was
///
/// Throws as load(); IoError when `progress` returned false. ValidationError for a TACOLLECTION.json, whose datasets
/// are repaired one by one.
TACORE_EXPORT std::string propose_repairs(const std::string& path, const ProposeOptions& options = {});

/// Options of apply_repairs() and inverse_repairs().
struct ApplyOptions {
  EditOptions edit = {};
  bool accept_all = false;       ///< also what the plan does not accept
  std::vector<int> accept = {};  ///< numbers of repairs to accept in addition
};

/// What apply_repairs() has done.
struct RepairResult {
  int num_repairs = 0;     ///< repairs of the plan that were made
  int num_left = 0;        ///< repairs that were not accepted
  int64_t num_values = 0;  ///< values that are now others
};

/// Makes the accepted repairs of a plan as one edit(): the data of samples is neither read nor changed, and after any
/// failure the dataset is the old or the complete new one. Each old value must be the one in the dataset.
///
/// The plan of an index (TACOCAT) is applied to its ZIPs: all old values are compared first, then the ZIPs are changed
/// one by one. After a failure each of them is the old or the complete new one. The index itself has the old values
/// until create_tacocat() makes a new one, of which a warning tells.
///
/// Throws as edit(); FormatError for a plan that is not one; ValidationError when nothing is accepted, and for a
/// dataset whose values are not the old ones of the plan, with the row and both values.
TACORE_EXPORT RepairResult apply_repairs(const std::string& path, std::string_view plan,
                                         const ApplyOptions& options = {});

/// The plan that undoes the repairs of `plan` that apply_repairs() makes with these options: old and new values
/// exchanged, in the opposite order. Throws FormatError as apply_repairs().
TACORE_EXPORT std::string inverse_repairs(std::string_view plan, const ApplyOptions& options = {});

}  // namespace tacore
