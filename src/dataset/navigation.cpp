#include "dataset/navigation.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "dataset/dataframe_impl.hpp"
#include "format/names.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// The position of the id, -1 when there is none.
int64_t find_id(const DataFrame::Impl& frame, std::string_view id) {
  const int column = frame.rows->find(names::kId);
  if (column < 0)
    throw NavigationError("Cannot search by ID: the rows have no column 'id'", {.path = frame.dataset->path});
  return frame.ids.find(*frame.rows, column, id);
}

int64_t position_of(const DataFrame::Impl& frame, std::string_view id) {
  const int64_t row = find_id(frame, id);
  if (row >= 0) return row;
  // A program may try ids that are not there: more ids would take longer than the search.
  constexpr int64_t kMostIds = 10'000;
  std::vector<std::string> ids;
  const int column = frame.rows->find(names::kId);
  for (int64_t i = 0; i < std::min(frame.rows->num_rows(), kMostIds); ++i)
    ids.push_back(frame.rows->text(column, i).value_or(""));
  throw NavigationError("ID " + in_quotes(id) + " not found" + did_you_mean(std::string(id), ids),
                        {.path = frame.dataset->path});
}

}  // namespace

std::pair<DataFrame, int64_t> locate(const DataFrame& frame, std::string_view path) {
  // Before 2.0 an id may look like a path; an existing id is preferred.
  if (is_v1(impl_of(frame)->dataset->format) && path.find('/') != path.npos) {
    if (const int64_t row = find_id(*impl_of(frame), path); row >= 0) return {frame, row};
  }
  std::vector<std::string> ids = split(path, '/');
  if (ids.size() > 1 && ids.back().empty()) ids.pop_back();  // "a/b/" means "a/b"
  return locate_below(frame, position_of(*impl_of(frame), ids[0]), std::span(ids).subspan(1));
}

std::pair<DataFrame, int64_t> locate_below(DataFrame frame, int64_t row, std::span<const std::string> ids) {
  for (const auto& id : ids) {
    if (impl_of(frame)->type(row) == SampleType::File) {
      const int column = impl_of(frame)->rows->find(names::kId);
      const auto name = column < 0 ? std::nullopt : impl_of(frame)->rows->text(column, row);
      const bool is_column = impl_of(frame)->rows->find(id) >= 0;
      throw NavigationError(in_quotes(name.value_or("")) + " is a FILE and has no child " + in_quotes(id) +
                                (is_column ? ", which is the name of a column" : ""),
                            {.path = impl_of(frame)->dataset->path});
    }
    frame = impl_of(frame)->children(row);
    row = position_of(*impl_of(frame), id);
  }
  return {std::move(frame), row};
}

}  // namespace tacore
