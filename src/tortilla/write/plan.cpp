#include "tortilla/write/plan.hpp"

#include <algorithm>
#include <iterator>

#include "base/checked_math.hpp"
#include "base/threads.hpp"
#include "format/tortilla_names.hpp"
#include "table/level_write.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "tortilla/header.hpp"

namespace tacore::v1 {
namespace {

constexpr int64_t kFirstSample = kHeaderSize;

/// The footer columns of rows [begin, end) of a level.
std::shared_ptr<arrow::Table> with_places(const TreeLevel& level, int64_t begin, int64_t end,
                                          const std::vector<int64_t>& offsets, const std::vector<int64_t>& sizes) {
  auto fallback = column_names(*level.columns);
  const auto is_leading = [](const auto& name) { return name == columns::kFileFormat || name == columns::kDataSplit; };
  std::vector<std::string> leading;
  std::copy_if(fallback.begin(), fallback.end(), std::back_inserter(leading), is_leading);
  std::erase_if(fallback, is_leading);
  const auto columns = slice_rows(level.columns, begin, end);
  auto out = add_column(nullptr, columns::kId, std::vector(level.ids.begin() + begin, level.ids.begin() + end));
  out = beside(out, select_columns(columns, leading));
  out = add_column(add_column(out, columns::kOffset, offsets), columns::kLength, sizes);
  return beside(out, select_columns(columns, fallback));
}

}  // namespace

TortillaPlan::TortillaPlan(const Tree& tree, const ParquetOptions& parquet, int jobs, const std::string& temp_dir,
                           const std::function<void()>& go_on)
    : tree_(tree), levels_(tree.levels.size()) {
  for (int level = num_levels() - 1; level >= 0; --level) {
    for (const auto& payload : tree.levels[as_size(level)].payloads)
      levels_[as_size(level)].sizes.push_back(narrow<int64_t>(payload.size, "size of a sample"));
    if (level + 1 < num_levels()) encode_footers(level, parquet, jobs, temp_dir, go_on);
    place_among_siblings(level);
  }
  for (int level = 1; level < num_levels(); ++level) {
    const auto& parents = tree.levels[as_size(level)].parents;
    auto& offsets = levels_[as_size(level)].offsets;
    for (std::size_t row = 0; row < offsets.size(); ++row)
      offsets[row] += levels_[as_size(level) - 1].offsets[as_size(parents[row])];
  }
}

/// Offsets count from the first byte of the container.
void TortillaPlan::place_among_siblings(int level) {
  auto& here = levels_[as_size(level)];
  const auto& parents = tree_.levels[as_size(level)].parents;
  int64_t next = kFirstSample;
  for (std::size_t row = 0; row < here.sizes.size(); ++row) {
    if (row > 0 && level > 0 && parents[row] != parents[row - 1]) next = kFirstSample;
    here.offsets.push_back(next);
    next = checked_add(next, here.sizes[row], "size of a Tortilla");
  }
}

void TortillaPlan::encode_footers(int level, const ParquetOptions& parquet, int jobs, const std::string& temp_dir,
                                  const std::function<void()>& go_on) {
  auto& here = levels_[as_size(level)];
  const auto& below = levels_[as_size(level) + 1];
  here.first_children = tree_.first_children(level);
  here.footers.resize(here.sizes.size());
  const auto& children = tree_.levels[as_size(level) + 1];
  const auto table = with_places(children, 0, static_cast<int64_t>(children.ids.size()), below.offsets, below.sizes);
  run_parallel(here.sizes.size(), jobs, [&](std::size_t row) {
    if (tree_.levels[as_size(level)].types[row] == SampleType::File) return;
    go_on();
    const int64_t begin = here.first_children[row], end = here.first_children[row + 1];
    auto footer = encode_parquet(*slice_rows(table, begin, end), parquet);
    const int64_t data =
        checked_add(below.offsets[as_size(end) - 1], below.sizes[as_size(end) - 1], "size of a Tortilla");
    here.sizes[row] = checked_add(data, static_cast<int64_t>(footer.size()), "size of a Tortilla");
    here.footers[row] = std::make_shared<const SpillBuffer>(std::move(footer), temp_dir);
  });
}

TortillaPart::TortillaPart(const TortillaPlan& plan, int64_t begin, int64_t end) : plan_(plan) {
  for (int level = 0; level < plan.num_levels(); ++level) {
    rows_.emplace_back(begin, end);
    if (level + 1 == plan.num_levels()) break;
    const auto& first = plan.first_children(level);
    begin = first[as_size(begin)];
    end = first[as_size(end)];
  }
  shift_ = plan.offsets(0)[as_size(rows_[0].first)] - kFirstSample;
}

uint64_t TortillaPart::offset(int level, int64_t row) const {
  return static_cast<uint64_t>(plan_.offsets(level)[as_size(row)] - shift_);
}

uint64_t TortillaPart::end() const {
  const int64_t last = rows_[0].second - 1;
  return offset(0, last) + static_cast<uint64_t>(plan_.sizes(0)[as_size(last)]);
}

uint64_t TortillaPart::num_bytes() const {
  uint64_t out = 0;
  for (int level = 0; level < plan_.num_levels(); ++level) {
    const auto [begin, end] = rows(level);
    const auto& payloads = plan_.tree().levels[as_size(level)].payloads;
    for (int64_t row = begin; row < end; ++row) out += payloads[as_size(row)].size;
  }
  return out;
}

std::shared_ptr<arrow::Table> TortillaPart::footer_table(int level) const {
  const auto [begin, end] = rows(level);
  const auto& all = plan_.offsets(level);
  const auto& sizes = plan_.sizes(level);
  std::vector<int64_t> offsets(all.begin() + begin, all.begin() + end);
  for (auto& offset : offsets) offset -= shift_;
  return in_one_piece(with_places(plan_.tree().levels[as_size(level)], begin, end, offsets,
                                  std::vector(sizes.begin() + begin, sizes.begin() + end)));
}

}  // namespace tacore::v1
