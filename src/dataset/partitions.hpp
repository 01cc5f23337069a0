#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/source_bounds.hpp"
#include "query/view.hpp"
#include "table/rows.hpp"
#include "tacore/collection.hpp"

namespace tacore {

/// The fact that the bounds in the TACOLLECTION.json `json` are those of its partitions, as remember_proved() takes it;
/// nullopt where a partition is not local, so that no stamp tells of a change.
std::optional<std::string> fact_of_bounds(const std::string& json, const std::string& folder,
                                          std::span<const Source> sources);

/// The columns of a level, sorted: equal for tables whose columns differ in their order alone.
std::vector<Column> sorted_columns(const LevelTable& level);

/// The partitions of a TACOLLECTION.json, opened on first use.
///
/// The document may state the bounds of the rows of each partition (model/source_bounds.hpp). They are used if this
/// user has proved them on this machine, or trusts them: then a partition is opened only if a filter may find rows in
/// it, or if one of its rows is read, and few partitions stay open. Otherwise all partitions are opened, since nothing
/// verifies the bounds, nor the extents in taco:sources.
class Partitions : public std::enable_shared_from_this<Partitions> {
 public:
  Partitions(std::shared_ptr<const Storage> storage, std::shared_ptr<const Collection> collection, std::string folder,
             bool verify, bool trust_bounds, bool trust_sidecar);

  const std::vector<Source>& sources() const noexcept { return collection_->sources; }
  /// The folder of the partitions.
  const std::string& folder() const noexcept { return folder_; }
  const std::shared_ptr<const Storage>& storage() const noexcept { return storage_; }

  /// True if the document states bounds, proved or not.
  bool states_bounds() const { return !bounds().empty(); }
  /// True where bounds are stated, and proved or trusted.
  bool has_bounds() const;
  /// The union of all partitions.
  View all(const std::vector<Step>& steps) const;
  /// The union of the partitions in which rows may pass the filters that come first in `steps`; of all without bounds.
  /// Where no partition may have such rows, the first one, with an additional first step that selects no row.
  View chosen(const std::vector<Step>& steps) const;
  /// The union of the first partition alone, whose columns are those of all. For has_bounds().
  View first(const std::vector<Step>& steps) const;
  /// The view that chosen() gives when the bounds are proved. It does not depend on whether they are, so it is the same
  /// in every process.
  View as_stated(const std::vector<Step>& steps) const { return joined(stated(steps), steps); }
  /// The number of rows of a level. For has_bounds().
  int64_t num_rows(int level) const;
  /// All rows of level 0, with the columns of all(). `is_raw`: with verified offsets. For has_bounds().
  std::shared_ptr<const Rows> rows(bool is_raw) const;

  /// One partition, opened if it is not open.
  std::shared_ptr<const View> open(std::size_t i) const;
  int num_opened() const;

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const View> view;  ///< nullptr where it is not open
    std::shared_ptr<const Rows> rows, raw_rows;
    std::atomic<bool> is_open = false;
    std::atomic<uint64_t> last_use = 0;
  };

  const std::vector<SourceBounds>& bounds() const;
  std::vector<std::size_t> stated(const std::vector<Step>& steps) const;
  std::vector<std::shared_ptr<const View>> open_all(const std::vector<std::size_t>& which) const;
  std::shared_ptr<const View> open_anew(std::size_t i) const;
  void check_stated(std::size_t i, const View& view) const;
  std::shared_ptr<const Rows> rows_of(std::size_t i, bool is_raw) const;
  void close_least_used() const;
  View joined(std::vector<std::size_t> which, const std::vector<Step>& steps) const;

  std::shared_ptr<const Storage> storage_;
  std::shared_ptr<const Collection> collection_;
  std::string folder_;
  bool verify_, trust_sidecar_;
  bool trust_bounds_;
  mutable std::once_flag bounds_read_, decided_;
  mutable std::vector<SourceBounds> bounds_;
  mutable std::vector<std::string> stamps_;           ///< of each partition, where these prove the bounds
  mutable std::vector<std::vector<Column>> columns_;  ///< of each level of the first partition, sorted
  mutable std::atomic<bool> has_bounds_ = false;
  mutable std::atomic<uint64_t> clock_ = 0;
  mutable std::atomic<int> num_open_ = 0;
  mutable std::mutex all_mutex_;  ///< so that two threads do not open all at once
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace tacore
