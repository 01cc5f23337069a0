#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/exception.h>
#include <parquet/page_index.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/crc32.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "table/cells.hpp"
#include "table/covering.hpp"
#include "table/level_table_impl.hpp"
#include "table/parquet_footer.hpp"
#include "table/parquet_proof.hpp"

// Which rows of a level cannot be in a place, by its bounding boxes, or have an id, by its id index.

namespace tacore {
namespace {

/// The leaf columns of a bounding box.
constexpr std::size_t kSides = 4;
/// Page indexes are kept for so many row groups: a few megabytes.
constexpr std::size_t kMostIndexes = 256;

/// A warning that names the level as errors do.
void warn(const std::string& message, const ErrorContext& where) { log::warning(FormatError(message, where).what()); }

float decoded(const std::string& value) {
  float out = std::numeric_limits<float>::quiet_NaN();
  if (value.size() == sizeof out) std::memcpy(&out, value.data(), sizeof out);
  return out;
}

}  // namespace

std::optional<std::string> LevelTable::covering_of(std::string_view geometry) const {
  const auto coverings = coverings_of(*impl_->schema);
  const auto found = std::ranges::find(coverings, geometry, &Covering::geometry);
  if (found == coverings.end() || !impl_->schema->GetFieldByName(found->boxes)) return std::nullopt;
  const std::lock_guard lock(impl_->pruning_mutex);
  impl_->check_proof();
  const auto& proved = impl_->proved;
  return proved && proved->has_covering ? std::optional(found->boxes) : std::nullopt;
}

void LevelTable::Impl::check_proof() const {
  if (is_proof_checked) return;
  is_proof_checked = true;
  const auto& keys = metadata->key_value_metadata();
  const auto value_of = [&](const char* key) {
    const auto value = keys ? keys->Get(key) : arrow::Status::KeyError(key);
    return value.ok() ? std::optional(*value) : std::nullopt;
  };
  try {
    proved = proved_by(std::span(tail).last(footer_size(tail)), value_of(kProofKey), metadata->num_row_groups());
    const auto stated = value_of(kIdsKey);
    if (!proved || !stated) return;
    ids = IdIndex::parse(*stated);
    if (ids->num_rows == metadata->num_rows()) return;
    const std::string found = std::to_string(ids->num_rows);
    ids.reset();
    throw FormatError("its id index is one of " + found + " rows");
  } catch (const FormatError& error) {
    warn(error.message() + "; bounding boxes and id index are not used, and filters read all rows", where);
  }
}

bool LevelTable::has_covering() const {
  const auto coverings = coverings_of(*impl_->schema);
  return std::ranges::any_of(coverings, [&](const Covering& one) { return covering_of(one.geometry).has_value(); });
}

bool LevelTable::has_coordinates(int column) const {
  const auto& leaves = impl_->leaf_columns[static_cast<std::size_t>(column)];
  const auto is_side = [&](std::size_t number, const char* name) {
    const auto* leaf = impl_->metadata->schema()->Column(leaves[number]);
    const auto type = leaf->physical_type();
    return leaf->name() == name && leaf->max_repetition_level() == 0 &&
           (type == parquet::Type::DOUBLE || type == parquet::Type::FLOAT);
  };
  return leaves.size() >= 2 && leaves.size() < kSides && is_side(0, "x") && is_side(1, "y");
}

namespace {

/// The bounds that a footer states of numbers; nullopt without any. NaN is not among them.
std::optional<std::pair<double, double>> stated_bounds(const parquet::Statistics& statistics) {
  if (!statistics.HasMinMax()) return std::nullopt;
  std::pair<double, double> out;
  if (const auto* floats = dynamic_cast<const parquet::FloatStatistics*>(&statistics)) {
    out = {floats->min(), floats->max()};
  } else if (const auto* doubles = dynamic_cast<const parquet::DoubleStatistics*>(&statistics)) {
    out = {doubles->min(), doubles->max()};
  } else {
    return std::nullopt;
  }
  return std::isnan(out.first) || std::isnan(out.second) ? std::nullopt : std::optional(out);
}

}  // namespace

const std::vector<std::optional<BBox>>& LevelTable::Impl::boxes_of_groups(const std::string& boxes) const {
  const std::lock_guard lock(pruning_mutex);
  const auto [at, is_new] = group_boxes.try_emplace(boxes);
  if (!is_new) return at->second;
  const auto& leaves_of_box = leaf_columns[static_cast<std::size_t>(positions.find(boxes)->second)];
  const bool is_point = leaves_of_box.size() < kSides;
  for (int group = 0; group < metadata->num_row_groups(); ++group) {
    const auto chunks = metadata->RowGroup(group);
    // Unknown bounds are infinite.
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double sides[] = {-kInfinity, -kInfinity, kInfinity, kInfinity};
    bool has_box = true;
    for (std::size_t i = 0; i < kSides; ++i) {
      const auto stated = statistics_of(leaves_of_box[is_point ? i % 2 : i], group);
      if (!stated) continue;
      if (stated->HasNullCount() && stated->null_count() == chunks->num_rows()) has_box = false;
      if (const auto bounds = stated_bounds(*stated)) sides[i] = i < 2 ? bounds->first : bounds->second;
    }
    at->second.push_back(has_box ? std::optional(BBox{sides[0], sides[1], sides[2], sides[3]}) : std::nullopt);
  }
  return at->second;
}

std::shared_ptr<const PageIndex> LevelTable::Impl::parse_page_index(int group, const Bytes& bounds_bytes,
                                                                    const Bytes& offset_bytes) const {
  const auto chunks = metadata->RowGroup(group);
  const auto ranges = *page_index_ranges(*metadata, group);
  const parquet::ReaderProperties properties(pool);
  auto out = std::make_shared<PageIndex>();
  for (int leaf = 0; leaf < metadata->num_columns(); ++leaf) {
    const auto chunk = chunks->ColumnChunk(leaf);
    const auto* descriptor = metadata->schema()->Column(leaf);
    std::shared_ptr<parquet::ColumnIndex> bounds;
    if (const auto at = chunk->GetColumnIndexLocation()) {
      bounds = parquet::ColumnIndex::Make(
          *descriptor, bounds_bytes.data() + (static_cast<uint64_t>(at->offset) - ranges.columns.offset),
          static_cast<uint32_t>(at->length), properties);
    }
    const auto at = chunk->GetOffsetIndexLocation();
    const auto index =
        parquet::OffsetIndex::Make(offset_bytes.data() + (static_cast<uint64_t>(at->offset) - ranges.offsets.offset),
                                   static_cast<uint32_t>(at->length), properties);
    const auto& locations = index->page_locations();
    std::vector<PageIndex::Page> here;
    for (std::size_t i = 0; i < locations.size(); ++i) {
      const int64_t end = i + 1 < locations.size() ? locations[i + 1].first_row_index : chunks->num_rows();
      PageIndex::Page page{.range = {static_cast<uint64_t>(locations[i].offset),
                                     static_cast<uint64_t>(locations[i].compressed_page_size)},
                           .first_row = locations[i].first_row_index};
      if (descriptor->max_repetition_level() == 0) {
        page.num_values = end - page.first_row;
      } else if (bounds && bounds->has_definition_level_histograms()) {
        const auto& counts = bounds->definition_level_histograms();
        const auto width = static_cast<std::size_t>(descriptor->max_definition_level()) + 1;
        if (counts.size() == width * locations.size()) {
          const auto first = counts.begin() + static_cast<std::ptrdiff_t>(i * width);
          page.num_values = std::accumulate(first, first + static_cast<std::ptrdiff_t>(width), int64_t{0});
        }
      }
      here.push_back(page);
    }
    out->pages.push_back(std::move(here));
    out->bounds.push_back(std::move(bounds));
  }
  return out;
}

void LevelTable::Impl::read_page_indexes(const std::vector<int>& groups) const {
  std::vector<int> missing;
  std::vector<ByteRange> ranges;
  const std::lock_guard lock(pruning_mutex);
  if (!proved) return;
  if (page_indexes.size() + groups.size() > kMostIndexes) page_indexes.clear();
  for (const int group : groups) {
    if (page_indexes.contains(group)) continue;
    const auto found = page_index_ranges(*metadata, group);
    const auto is_inside = [&](ByteRange range) {
      return range.offset <= source->size() && range.size <= source->size() - range.offset;
    };
    if (!found || !is_inside(found->columns) || !is_inside(found->offsets)) {
      page_indexes[group] = nullptr;
      continue;
    }
    missing.push_back(group);
    ranges.push_back(found->columns);
    ranges.push_back(found->offsets);
  }
  const auto bytes = source->read_ranges(ranges);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const int group = missing[i];
    auto& index = page_indexes[group];
    if (crc32(bytes[2 * i + 1], crc32(bytes[2 * i])) != proved->page_indexes[static_cast<std::size_t>(group)]) {
      warn("the page index of row group " + std::to_string(group) +
               " is not the one that was proved when the table was written; all its pages are read",
           where);
      continue;
    }
    try {
      index = parse_page_index(group, bytes[2 * i], bytes[2 * i + 1]);
    } catch (const parquet::ParquetException& error) {
      warn("the page index of row group " + std::to_string(group) + " cannot be read: " + error.what(), where);
    }
  }
}

std::shared_ptr<const PageIndex> LevelTable::Impl::page_index(int group) const {
  const std::lock_guard lock(pruning_mutex);
  const auto found = page_indexes.find(group);
  return found == page_indexes.end() ? nullptr : found->second;
}

namespace {

/// The rows, counted in the row group, of pages whose box `may_meet` accepts, by the bounds of the four leaf columns;
/// nullopt where these do not tell.
std::optional<RowSpans> rows_of_pages(const PageIndex& index, const std::vector<int>& leaves, int64_t num_rows,
                                      const std::function<bool(const BBox&)>& may_meet) {
  const auto& pages = index.pages[static_cast<std::size_t>(leaves[0])];
  const parquet::ColumnIndex* sides[kSides] = {};
  for (std::size_t side = 0; side < kSides; ++side) {
    const auto leaf = static_cast<std::size_t>(leaves[side]);
    sides[side] = index.bounds[leaf].get();
    if (!sides[side] || sides[side]->null_pages().size() != pages.size() ||
        !std::ranges::equal(pages, index.pages[leaf], {}, &PageIndex::Page::first_row, &PageIndex::Page::first_row))
      return std::nullopt;
  }
  RowSpans out;
  for (std::size_t page = 0; page < pages.size(); ++page) {
    if (sides[0]->null_pages()[page]) continue;
    const BBox box{decoded(sides[0]->encoded_min_values()[page]), decoded(sides[1]->encoded_min_values()[page]),
                   decoded(sides[2]->encoded_max_values()[page]), decoded(sides[3]->encoded_max_values()[page])};
    const bool is_bounded = !std::isnan(box.minx + box.miny + box.maxx + box.maxy);
    if (is_bounded && !may_meet(box)) continue;
    append(out, {pages[page].first_row, page + 1 < pages.size() ? pages[page + 1].first_row : num_rows});
  }
  return out;
}

}  // namespace

RowSpans LevelTable::rows_in(const std::string& boxes, const std::function<bool(const BBox&)>& may_meet) const {
  const auto& leaves = impl_->leaf_columns[static_cast<std::size_t>(find(boxes))];
  const auto& group_boxes = impl_->boxes_of_groups(boxes);
  std::vector<int> groups;
  for (int group = 0; group < num_row_groups(); ++group) {
    const auto& box = group_boxes[static_cast<std::size_t>(group)];
    if (box && may_meet(*box)) groups.push_back(group);
  }
  // Many row groups are left of a box that is large: then nearly all of their pages are in it.
  const bool reads_index = groups.size() <= kMostIndexes && leaves.size() == kSides;
  if (reads_index) impl_->read_page_indexes(groups);
  RowSpans out;
  for (const int group : groups) {
    const int64_t begin = group_begin(group), num_rows = group_begin(group + 1) - begin;
    const auto index = reads_index ? impl_->page_index(group) : nullptr;
    const auto found = index ? rows_of_pages(*index, leaves, num_rows, may_meet) : std::nullopt;
    for (const RowSpan& rows : found.value_or(RowSpans{{0, num_rows}}))
      append(out, {begin + rows.begin, begin + rows.end});
  }
  return out;
}

std::optional<IdIndex> LevelTable::Impl::id_index() const {
  const std::lock_guard lock(pruning_mutex);
  check_proof();
  return ids;
}

bool LevelTable::has_id_index() const { return impl_->id_index().has_value(); }

std::optional<RowSpans> LevelTable::rows_with_ids(std::span<const std::string> ids) const {
  const auto index = impl_->id_index();
  if (!index) return std::nullopt;
  if (ids.empty()) return RowSpans();
  std::vector<uint64_t> hashes;
  for (const auto& id : ids) hashes.push_back(hash_of_id(id));
  std::ranges::sort(hashes);
  std::vector<ByteRange> buckets;
  for (const uint64_t hash : hashes) {
    const ByteRange bucket = index->bucket_of(hash);
    if (buckets.empty() || buckets.back().offset != bucket.offset) buckets.push_back(bucket);
  }
  std::vector<int64_t> blocks;
  try {
    const uint64_t size = impl_->source->size();
    if (buckets.back().offset > size || buckets.back().size > size - buckets.back().offset)
      throw FormatError("its id index is outside of the file");
    const auto bytes = impl_->source->read_ranges(buckets);
    std::size_t bucket = 0;
    for (const uint64_t hash : hashes) {
      while (buckets[bucket].offset != index->bucket_of(hash).offset) ++bucket;
      std::ranges::copy(index->blocks_of(hash, bytes[bucket]), std::back_inserter(blocks));
    }
  } catch (const FormatError& error) {
    warn(error.message() + "; it is not used, and all rows are read", impl_->where);
    const std::lock_guard lock(impl_->pruning_mutex);
    impl_->ids.reset();
    return std::nullopt;
  }
  std::ranges::sort(blocks);
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  RowSpans out;
  for (const int64_t block : blocks) {
    if (const int64_t begin = block * kRowsOfBlock; begin < num_rows())
      append(out, {begin, std::min(begin + kRowsOfBlock, num_rows())});
  }
  return out;
}

std::optional<std::vector<int64_t>> LevelTable::find_id(std::string_view id) const {
  const std::string text_of_id(id);
  const auto wanted = rows_with_ids(std::span(&text_of_id, 1));
  if (!wanted) return std::nullopt;
  std::vector<int64_t> out;
  if (wanted->empty()) return out;
  auto found = select(*wanted);
  if (!found.table) return std::nullopt;
  const LevelTable& table = *found.table;
  std::vector<int> columns;
  for (const auto name : {names::kId, names::kType, names::kCurrentId, names::kParentId, names::kOffset, names::kSize,
                          names::kSourceFile, names::kRelativePath}) {
    if (const int column = table.find(name); column >= 0) columns.push_back(column);
  }
  table.read_ahead(columns, 0, table.num_row_groups());
  auto rows = found.rows.begin();
  int64_t row = rows->begin;
  for (int group = 0; group < table.num_row_groups(); ++group) {
    const auto texts = table.array(columns[0], group);
    for (int64_t i = 0; i < texts->length(); ++i, ++row) {
      if (row == rows->end) row = (++rows)->begin;
      if (text_cell(*texts, i) == id) out.push_back(row);
    }
  }
  if (!out.empty() && !is_local()) {
    constexpr std::size_t kMostKept = 16;
    const std::lock_guard lock(impl_->pruning_mutex);
    impl_->kept.push_front(std::move(found));
    if (impl_->kept.size() > kMostKept) impl_->kept.pop_back();
  }
  return out;
}

std::pair<std::shared_ptr<const LevelTable>, int64_t> LevelTable::Impl::kept_row(int64_t row) const {
  if (is_local) return {};
  const std::lock_guard lock(pruning_mutex);
  for (const Selection& selection : kept) {
    int64_t before = 0;
    for (const RowSpan& rows : selection.rows) {
      if (row >= rows.begin && row < rows.end) return {selection.table, before + row - rows.begin};
      before += rows.end - rows.begin;
    }
  }
  return {};
}

namespace {

/// The box around bounding boxes of some rows; nullopt where all are null.
std::optional<BBox> box_around(const arrow::Array& boxes, RowSpan rows) {
  const auto& sides = static_cast<const arrow::StructArray&>(boxes);
  std::optional<BBox> out;
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    if (boxes.IsNull(row)) continue;
    const auto side = [&](int number) { return number_cell(*sides.field(number), row).value_or(0); };
    const BBox box{side(0), side(1), side(2), side(3)};
    out = !out ? box
               : BBox{std::min(out->minx, box.minx), std::min(out->miny, box.miny), std::max(out->maxx, box.maxx),
                      std::max(out->maxy, box.maxy)};
  }
  return out;
}

}  // namespace

std::string LevelTable::why_wrong_pages(int group) const {
  const int64_t begin = group_begin(group), end = group_begin(group + 1);
  impl_->read_page_indexes({group});
  const auto index = impl_->page_index(group);
  if (!index) return "";
  const std::string which = "the page index of row group " + std::to_string(group);
  // Half of the pages, and the other half, must be the rows that the index says.
  std::vector<Selection> halves;
  for (const int64_t half : {0, 1}) {
    RowSpans wanted;
    for (int64_t row = begin + half * kRowsOfBlock; row < end; row += 2 * kRowsOfBlock)
      wanted.push_back({row, std::min(end, row + kRowsOfBlock)});
    if (!wanted.empty()) halves.push_back(select(wanted));
  }
  for (std::size_t c = 0; c < columns().size(); ++c) {
    const int column = static_cast<int>(c);
    const auto whole = decode(column, group);
    for (const Selection& half : halves) {
      if (!half.table) continue;
      std::shared_ptr<arrow::Array> part;
      try {
        part = half.table->decode(column, 0);
      } catch (const FormatError& error) {
        return which + " is wrong about column " + in_quotes(columns()[c].name) + ": " + error.message();
      }
      int64_t at = 0;
      for (const RowSpan& rows : half.rows) {
        const int64_t count = rows.end - rows.begin;
        if (at + count > part->length() || !part->RangeEquals(*whole, at, at + count, rows.begin - begin,
                                                              arrow::EqualOptions::Defaults().nans_equal(true)))
          return which + " is wrong about column " + in_quotes(columns()[c].name);
        at += count;
      }
    }
  }
  for (const auto& [geometry, boxes] : coverings_of(*impl_->schema)) {
    if (!covering_of(geometry)) continue;
    const auto& leaves = impl_->leaf_columns[static_cast<std::size_t>(find(boxes))];
    const auto stored = decode(find(boxes), group);
    const auto& pages = index->pages[static_cast<std::size_t>(leaves[0])];
    for (std::size_t page = 0; page < pages.size(); ++page) {
      const RowSpan rows{pages[page].first_row, page + 1 < pages.size() ? pages[page + 1].first_row : end - begin};
      const auto around = box_around(*stored, rows);
      const auto found = around ? rows_of_pages(*index, leaves, end - begin,
                                                [&](const BBox& box) {
                                                  return box.minx <= around->minx && box.miny <= around->miny &&
                                                         box.maxx >= around->maxx && box.maxy >= around->maxy;
                                                })
                                : std::nullopt;
      if (found && std::ranges::none_of(
                       *found, [&](const RowSpan& one) { return one.begin <= rows.begin && one.end >= rows.end; }))
        return which + " is wrong about the bounds of " + in_quotes(boxes);
    }
  }
  return "";
}

std::string LevelTable::why_wrong_proof() const {
  for (int group = 0; group < num_row_groups() && (has_covering() || has_id_index()); ++group) {
    if (auto why = why_wrong_pages(group); !why.empty()) return why;
  }
  for (const auto& [geometry, boxes] : coverings_of(*impl_->schema)) {
    if (!covering_of(geometry)) continue;
    for (int group = 0; group < num_row_groups(); ++group) {
      const auto shapes = decode(find(geometry), group), stored = decode(find(boxes), group);
      const auto alone = arrow::schema({arrow::field(geometry, shapes->type())});
      const auto rows = arrow::RecordBatch::Make(alone, shapes->length(), {shapes});
      const int64_t first = group_begin(group);
      const auto computed = with_coverings(*rows, with_coverings(alone), first, where())->column(1);
      if (stored->Equals(*computed)) continue;
      for (int64_t row = 0; row < stored->length(); ++row) {
        if (stored->RangeEquals(*computed, row, row + 1, row)) continue;
        return "the bounding box of row " + std::to_string(first + row) + " in " + in_quotes(boxes) +
               " is not that of its " + in_quotes(geometry);
      }
    }
  }
  const auto index = impl_->id_index();
  if (!index) return "";
  IdIndexBuilder ids;
  for (int group = 0; group < num_row_groups(); ++group) ids.add(*decode(find(names::kId), group));
  const auto made = ids.finish(index->offset);
  if (!made || made->first.encode() != index->encode()) return "the id index is not that of the ids";
  const ByteRange all{index->offset, made->second.size()};
  if (all.offset > impl_->source->size() || all.size > impl_->source->size() - all.offset ||
      impl_->source->read(all) != made->second)
    return "the id index is damaged";
  return "";
}

}  // namespace tacore
