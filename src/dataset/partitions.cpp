#include "dataset/partitions.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "format/names.hpp"
#include "io/proved_here.hpp"
#include "io/vsi_path.hpp"
#include "model/wkb.hpp"
#include "table/stacked_rows.hpp"

namespace tacore {
namespace {

/// With bounds, no more partitions than these stay open: memory does not grow with their number. To open a remote one
/// again takes requests.
constexpr int kMostOpen = 64;
constexpr int kMostOpenRemote = 1024;
constexpr const char* kNotUsed = "; the bounds are not used";

/// The local files that hold the tables of a partition.
std::vector<std::string> table_files(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> out{path_join(path, names::kCollection)};
  for (const auto& name : names::kLevelFiles) {
    std::string file = path_join(path_join(path, names::kMetadata), name);
    if (!std::filesystem::exists(file, error)) break;
    out.push_back(std::move(file));
  }
  return out;
}

/// True unless no row within these bounds passes the filter. `columns`: those of its level.
bool may_pass(const Filter& filter, const LevelBounds& bounds, const std::vector<Column>& columns) {
  if (is_footprint(filter, columns)) return true;
  const auto tested = tested_columns(filter, columns);  // none: the query will say so
  if (tested.empty()) return true;
  if (const auto* box = std::get_if<BBox>(&filter.test)) {
    const auto place = bounds.places.find(tested[0].name);
    return place == bounds.places.end() || (place->second && BoxTest(*box).may_meet(*place->second));
  }
  const auto& range = std::get<TimeRange>(filter.test);
  const auto times = bounds.times.find(tested[0].name);
  return times == bounds.times.end() ||
         (times->second && times->second->start <= range.end && times->second->end >= range.start);
}

bool may_have(const LevelBounds& bounds, const std::string& id) {
  return !bounds.ids || (bounds.ids->first <= id && id <= bounds.ids->second);
}

/// True unless no row of a partition passes the filters that come before the first query or limit, and that query.
bool may_pass(const std::vector<Step>& steps, const SourceBounds& bounds,
              const std::vector<std::vector<Column>>& columns) {
  for (const Step& step : steps) {
    if (const auto* sql = std::get_if<SqlStep>(&step)) {
      const auto& ids = sql->select.ids;
      return ids.empty() || std::ranges::any_of(ids, [&](const auto& id) { return may_have(bounds[0], id); });
    }
    if (std::holds_alternative<LimitStep>(step)) return true;
    const auto* filter = std::get_if<Filter>(&step);
    if (!filter || filter->level < 0 || static_cast<std::size_t>(filter->level) >= bounds.size()) continue;
    const auto level = static_cast<std::size_t>(filter->level);
    if (!may_pass(*filter, bounds[level], columns[level])) return false;
  }
  return true;
}

/// The stamp of each partition; nullopt where one is not local.
std::optional<std::vector<std::string>> stamps_of(const std::string& folder, std::span<const Source> sources) {
  std::vector<std::string> out;
  for (const Source& source : sources) {
    const std::string path = path_of_name(folder, source.file);
    auto stamp = is_remote(path) ? std::nullopt : stamp_of(table_files(path));
    if (!stamp) return std::nullopt;
    out.push_back(std::move(*stamp));
  }
  return out;
}

std::string fact_of(const std::string& json, const std::vector<std::string>& stamps) {
  return "bounds of\n" + json + "\n" + join(stamps, "\n");
}

std::vector<std::size_t> numbers_to(std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

}  // namespace

std::vector<Column> sorted_columns(const LevelTable& level) {
  auto out = level.columns();
  std::ranges::sort(out, {}, [](const Column& column) { return std::tie(column.name, column.type); });
  return out;
}

std::optional<std::string> fact_of_bounds(const std::string& json, const std::string& folder,
                                          std::span<const Source> sources) {
  const auto stamps = stamps_of(folder, sources);
  return stamps ? std::optional(fact_of(json, *stamps)) : std::nullopt;
}

Partitions::Partitions(std::shared_ptr<const Storage> storage, std::shared_ptr<const Collection> collection,
                       std::string folder, bool verify, bool trust_bounds, bool trust_sidecar)
    : storage_(std::move(storage)),
      collection_(std::move(collection)),
      folder_(std::move(folder)),
      verify_(verify),
      trust_sidecar_(trust_sidecar),
      trust_bounds_(trust_bounds),
      slots_(std::make_unique<Slot[]>(collection_->sources.size())) {}

const std::vector<SourceBounds>& Partitions::bounds() const {
  std::call_once(bounds_read_, [&] {
    try {
      bounds_ = bounds_of(*collection_);
    } catch (const FormatError& error) {
      log::warning(path_join(folder_, names::kTacollection) + ": its bounds are not used: " + error.message());
    }
  });
  return bounds_;
}

bool Partitions::has_bounds() const {
  std::call_once(decided_, [&] {
    if (bounds().empty()) return;
    const auto stamps = trust_bounds_ ? std::nullopt : stamps_of(folder_, sources());
    const bool is_proved = stamps && is_proved_here(fact_of(collection_->json, *stamps));
    const std::string path = path_join(folder_, names::kTacollection);
    if (trust_bounds_ || is_proved) {
      if (is_proved) stamps_ = *stamps;
      const auto first = open(0);  // which every use needs
      std::vector<std::vector<Column>> columns;
      for (int level = 0; level < first->num_levels(); ++level)
        columns.push_back(sorted_columns(*first->container()->stored_level(level)));
      columns_ = std::move(columns);
      try {
        check_stated(0, *first);
        has_bounds_ = true;
      } catch (const FormatError& error) {
        log::warning(std::string(error.what()) + kNotUsed);
      }
      return;
    }
    if (stamps) {
      log::warning(path +
                   ": its bounds are not used, because nothing proves that they are those of its datasets as they "
                   "are now; `taco validate` proves them, trust_bounds uses them without a proof");
    } else {
      log::info(path + ": its bounds are not used without trust_bounds, because its datasets are not local");
    }
  });
  return has_bounds_;
}

View Partitions::joined(std::vector<std::size_t> which, const std::vector<Step>& steps) const {
  // The order of columns is that of the first partition, whether or not its rows are wanted.
  const bool is_first_wanted = !which.empty() && which.front() == 0;
  if (!is_first_wanted) which.insert(which.begin(), 0);
  const auto opened = open_all(which);
  std::vector<UnionPart> parts;
  for (std::size_t i = 0; i < which.size(); ++i) {
    const std::string& file = sources()[which[i]].file;
    parts.push_back({opened[i], static_cast<int>(which[i]), path_join(folder_, file), file});
  }
  Union joined = unite(std::move(parts), ColumnMode::FillMissing);  // a part may lack columns that others have
  if (!is_first_wanted && joined.parts.size() > 1) joined.parts.erase(joined.parts.begin());
  return {.base = std::move(joined), .steps = steps, .num_leaves = static_cast<int>(sources().size())};
}

View Partitions::all(const std::vector<Step>& steps) const { return joined(numbers_to(sources().size()), steps); }

View Partitions::first(const std::vector<Step>& steps) const { return joined({0}, steps); }

std::vector<std::size_t> Partitions::stated(const std::vector<Step>& steps) const {
  if (bounds().empty() || steps.empty()) return numbers_to(sources().size());
  const auto* limit = std::get_if<LimitStep>(&steps[0]);
  const View one = first({});
  std::vector<std::vector<Column>> columns;
  for (int level = 0; level < one.num_levels(); ++level) columns.push_back(stored_columns(one, level));
  std::vector<std::size_t> out;
  int64_t num_before = 0;
  for (std::size_t i = 0; i < sources().size(); ++i) {
    const SourceBounds& here = bounds()[i];
    if (limit ? num_before < limit->count : here.size() != columns.size() || may_pass(steps, here, columns))
      out.push_back(i);
    num_before += here[0].num_rows;
  }
  return out;
}

View Partitions::chosen(const std::vector<Step>& steps) const {
  if (!has_bounds()) return all(steps);
  try {
    const auto which = stated(steps);
    if (which.size() < sources().size()) {
      log::info(path_join(folder_, names::kTacollection) + ": filters open " + std::to_string(which.size()) + " of " +
                std::to_string(sources().size()) + " datasets, by their bounds");
    }
    if (!which.empty()) return joined(which, steps);
    // The first one has the columns; its rows are not read.
    View none = first(steps);
    none.steps.insert(none.steps.begin(), LimitStep{0});
    return none;
  } catch (const FormatError& error) {
    if (has_bounds_) throw;
    log::warning(std::string(error.what()) + kNotUsed);
    return all(steps);
  }
}

int64_t Partitions::num_rows(int level) const {
  int64_t out = 0;
  for (const auto& source : bounds()) out += source[static_cast<std::size_t>(level)].num_rows;
  return out;
}

std::shared_ptr<const Rows> Partitions::rows(bool is_raw) const {
  const View one = first({});
  const auto& shape = std::get<Union>(one.base);
  const LevelTable& table = *shape.parts[0].view->container()->stored_level(0);
  Stack stack;
  for (std::size_t c = 0; c < shape.columns[0].size(); ++c) {
    StackedColumn column{.column = shape.columns[0][c], .name = shape.names[0][c]};
    const bool is_path = column.name == names::kSourcePath, is_file = column.name == names::kSourceFile;
    if (is_path || is_file) {
      column.from = StackedColumn::From::Text;
      for (const Source& source : sources())
        column.texts.push_back(is_path ? path_join(folder_, source.file) : source.file);
    } else if (table.find(column.name) < 0 && column.name == names::kCurrentId) {
      column.from = StackedColumn::From::StoredRow;
    } else if (table.find(column.name) < 0 && column.name == names::kRelativePath) {
      column.name = names::kId;
    }
    stack.columns.push_back(std::move(column));
  }
  stack.begins.push_back(0);
  for (const auto& source : bounds()) stack.begins.push_back(stack.begins.back() + source[0].num_rows);
  stack.open = [self = shared_from_this(), is_raw](std::size_t part) { return self->rows_of(part, is_raw); };
  stack.may_have_id = [self = shared_from_this()](std::size_t part, std::string_view id) {
    return may_have(self->bounds()[part][0], std::string(id));
  };
  return stacked_rows(std::move(stack));
}

int Partitions::num_opened() const { return num_open_; }

std::shared_ptr<const View> Partitions::open(std::size_t i) const {
  Slot& slot = slots_[i];
  std::shared_ptr<const View> out;
  bool is_new = false;
  {
    const std::lock_guard lock(slot.mutex);
    slot.last_use = ++clock_;
    if (!slot.view) {
      slot.view = open_anew(i);
      slot.is_open = is_new = true;
      ++num_open_;
    }
    out = slot.view;
  }
  if (is_new && has_bounds_ && num_open_ > (is_remote(folder_) ? kMostOpenRemote : kMostOpen)) close_least_used();
  return out;
}

void Partitions::close_least_used() const {
  Slot* least = nullptr;
  for (std::size_t i = 0; i < sources().size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.is_open && (!least || slot.last_use < least->last_use)) least = &slot;
  }
  if (!least) return;
  std::shared_ptr<const View> closed;  // destroyed without the lock
  const std::lock_guard lock(least->mutex);
  if (!least->view) return;
  closed = std::move(least->view);
  least->view.reset();
  least->rows.reset();
  least->raw_rows.reset();
  least->is_open = false;
  --num_open_;
}

std::vector<std::shared_ptr<const View>> Partitions::open_all(const std::vector<std::size_t>& which) const {
  constexpr int kAtOnce = 16;  // a remote partition takes several requests in sequence
  if (which.size() == 1) return {open(which[0])};
  const std::lock_guard lock(all_mutex_);
  std::vector<std::size_t> closed;
  std::ranges::copy_if(which, std::back_inserter(closed), [&](std::size_t i) { return !slots_[i].is_open; });
  OrderedWork<std::shared_ptr<const View>> work(std::vector<uint64_t>(closed.size()), 0, kAtOnce,
                                                [&](std::size_t i) { return open(closed[i]); });
  std::vector<std::shared_ptr<const View>> out;
  for (auto next = closed.begin(); const std::size_t i : which) {
    const bool was_closed = next != closed.end() && *next == i;
    if (was_closed) ++next;
    out.push_back(was_closed ? *work.next() : open(i));
  }
  return out;
}

std::shared_ptr<const View> Partitions::open_anew(std::size_t i) const {
  const std::string path = path_of_name(folder_, sources()[i].file);
  const Detected at = detect(*storage_, path);
  if (at.format == Format::Tacocat) throw FormatError("an index of datasets, not a dataset", {.path = path});
  View out;
  out.base = open_container(storage_, at, path, "", verify_, trust_sidecar_);
  if (has_bounds_) check_stated(i, out);
  return std::make_shared<const View>(std::move(out));
}

/// Throws FormatError if a partition contradicts its bounds: trusted bounds may be wrong, and a file may have changed
/// since has_bounds() compared the stamps.
void Partitions::check_stated(std::size_t i, const View& view) const {
  const Container& container = *view.container();
  const SourceBounds& stated = bounds_[i];
  if (!stamps_.empty() && stamp_of(table_files(container.path())) != stamps_[i]) {
    has_bounds_ = false;
    throw FormatError("changed since the dataset was opened", {.path = container.path()});
  }
  const auto fail = [&](const std::string& what, int64_t found, int64_t expected) {
    has_bounds_ = false;
    throw FormatError("has " + std::to_string(found) + " " + what + ", but its TACOLLECTION.json states " +
                          std::to_string(expected) + "; `taco collect --bounds` makes it anew",
                      {.path = container.path()});
  };
  if (container.num_levels() != static_cast<int>(stated.size()))
    fail("levels", container.num_levels(), static_cast<int64_t>(stated.size()));
  for (int level = 0; level < container.num_levels(); ++level) {
    const int64_t found = container.stored_level(level)->num_visible_rows();
    const int64_t expected = stated[static_cast<std::size_t>(level)].num_rows;
    if (found != expected) fail("rows in level " + std::to_string(level), found, expected);
    if (sorted_columns(*container.stored_level(level)) != columns_[static_cast<std::size_t>(level)]) {
      has_bounds_ = false;
      throw FormatError("has other columns than " + in_quotes(sources()[0].file) + ", though its TACOLLECTION.json " +
                            "states bounds, which need the same columns",
                        {.path = container.path(), .offset = {}, .level = level});
    }
  }
}

std::shared_ptr<const Rows> Partitions::rows_of(std::size_t i, bool is_raw) const {
  Slot& slot = slots_[i];
  {
    const std::lock_guard lock(slot.mutex);
    slot.last_use = ++clock_;
    if (const auto& known = is_raw ? slot.raw_rows : slot.rows) return known;
  }
  const auto view = open(i);
  check_stated(i, *view);  // also after another partition contradicted its bounds: these rows have their places by them
  const Container& container = *view->container();
  auto out = visible_rows(is_raw ? container.level(0) : container.known_level(0), RowKey{static_cast<int>(i), 0, 0});
  const std::lock_guard lock(slot.mutex);
  if (slot.view == view) (is_raw ? slot.raw_rows : slot.rows) = out;
  return out;
}

}  // namespace tacore
