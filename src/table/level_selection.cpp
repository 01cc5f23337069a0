#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>
#include <parquet/schema.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/little_endian.hpp"
#include "table/arrow_error.hpp"
#include "table/level_table_impl.hpp"
#include "table/parquet_footer.hpp"

// Some pages of a level as a Parquet file of their own, which exists in its footer alone: its bytes are those of the
// level. Readers such as DuckDB then read nothing else.

namespace tacore {
namespace {

constexpr std::string_view kMagic = "PAR1";

/// Pieces of a file one behind the other, and a last piece in memory.
class PiecedSource final : public ByteSource {
 public:
  explicit PiecedSource(std::shared_ptr<const ByteSource> whole) : whole_(std::move(whole)) {}

  /// Appends a range of the file; returns where it begins here.
  uint64_t add(ByteRange range) {
    const uint64_t begin = size_;
    if (!pieces_.empty() && pieces_.back().range.offset + pieces_.back().range.size == range.offset) {
      pieces_.back().range.size += range.size;
    } else if (range.size > 0) {
      pieces_.push_back({begin, range});
    }
    size_ += range.size;
    return begin;
  }
  bool is_in_file(int64_t offset, int64_t size) const {
    const uint64_t end = whole_->size();
    return static_cast<uint64_t>(offset) <= end && static_cast<uint64_t>(size) <= end - static_cast<uint64_t>(offset);
  }
  void finish(Bytes tail) {
    tail_begin_ = size_;
    size_ += tail.size();
    tail_ = std::move(tail);
  }

  const std::string& name() const noexcept override { return whole_->name(); }
  uint64_t size() const override { return size_; }
  bool is_local() const noexcept override { return whole_->is_local(); }
  uint64_t bytes_of_round_trip() const override { return whole_->bytes_of_round_trip(); }
  bool has(ByteRange range) const override {
    if (range.offset > size_ || range.size > size_ - range.offset) return false;
    return std::ranges::all_of(parts_of(range),
                               [&](const Part& part) { return part.is_tail || whole_->has(part.range); });
  }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    for (const Part& part : parts_of({offset, out.size()})) {
      const auto here = out.first(part.range.size);
      out = out.subspan(part.range.size);
      if (part.is_tail) {
        std::ranges::copy(std::span(tail_).subspan(part.range.offset, part.range.size), here.begin());
      } else {
        whole_->read(part.range.offset, here);
      }
    }
  }
  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    const auto bytes = whole_->read_ranges(in_file(ranges));
    std::vector<Bytes> out;
    std::size_t next = 0;
    for (const ByteRange& range : ranges) {
      Bytes& one = out.emplace_back();
      for (const Part& part : parts_of(range)) {
        const auto here =
            part.is_tail ? std::span(tail_).subspan(part.range.offset, part.range.size) : std::span(bytes[next++]);
        one.insert(one.end(), here.begin(), here.end());
      }
    }
    return out;
  }
  ReadCost cost_of(std::span<const ByteRange> ranges) const override { return whole_->cost_of(in_file(ranges)); }

 private:
  struct Piece {
    uint64_t begin = 0;  ///< here
    ByteRange range = {};
  };
  /// A part of a range: in the file, or in the last piece.
  struct Part {
    ByteRange range = {};
    bool is_tail = false;
  };

  std::vector<Part> parts_of(ByteRange range) const {
    std::vector<Part> out;
    const uint64_t end = range.offset + range.size;
    auto piece = std::ranges::upper_bound(pieces_, range.offset, {}, &Piece::begin);
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->begin < end; ++piece) {
      const uint64_t first = std::max(range.offset, piece->begin),
                     last = std::min(end, piece->begin + piece->range.size);
      if (first < last) out.push_back({{piece->range.offset + (first - piece->begin), last - first}, false});
    }
    if (end > tail_begin_) {
      const uint64_t first = std::max(range.offset, tail_begin_);
      out.push_back({{first - tail_begin_, end - first}, true});
    }
    return out;
  }
  std::vector<ByteRange> in_file(std::span<const ByteRange> ranges) const {
    std::vector<ByteRange> out;
    for (const ByteRange& range : ranges) {
      require_inside(range);
      for (const Part& part : parts_of(range)) {
        if (!part.is_tail) out.push_back(part.range);
      }
    }
    return out;
  }

  std::shared_ptr<const ByteSource> whole_;
  std::vector<Piece> pieces_ = {};
  uint64_t size_ = 0;
  uint64_t tail_begin_ = 0;
  Bytes tail_ = {};
};

/// The rows in a row group at which all columns begin a page; its end is the last.
std::vector<int64_t> common_begins(const PageIndex& index, int64_t num_rows) {
  std::vector<int64_t> out;
  for (std::size_t leaf = 0; leaf < index.pages.size(); ++leaf) {
    std::vector<int64_t> begins, both;
    for (const auto& page : index.pages[leaf]) begins.push_back(page.first_row);
    if (leaf == 0) {
      out = std::move(begins);
    } else {
      std::ranges::set_intersection(out, begins, std::back_inserter(both));
      out = std::move(both);
    }
  }
  out.push_back(num_rows);
  return out;
}

/// True when pages are in the file and follow each other, each has rows, and the numbers of their values are known.
bool is_usable(const PageIndex& index, int64_t num_rows, const ByteSource& file) {
  for (const auto& pages : index.pages) {
    if (pages.empty() || pages.front().first_row != 0) return false;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const int64_t end = i + 1 < pages.size() ? pages[i + 1].first_row : num_rows;
      if (pages[i].first_row >= end || pages[i].num_values < 0) return false;
      const ByteRange range = pages[i].range;
      if (range.offset > file.size() || range.size > file.size() - range.offset) return false;
      if (i > 0 && pages[i].range.offset != pages[i - 1].range.offset + pages[i - 1].range.size) return false;
    }
  }
  return true;
}

/// `rows` grown to the nearest of `begins`.
RowSpans grown(const RowSpans& rows, const std::vector<int64_t>& begins) {
  RowSpans out;
  for (const RowSpan& range : rows) {
    const RowSpan more{*std::prev(std::ranges::upper_bound(begins, range.begin)),
                       *std::ranges::lower_bound(begins, range.end)};
    if (!out.empty() && more.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, more.end);
    } else {
      out.push_back(more);
    }
  }
  return out;
}

/// The footer and the bytes of a selection, row group by row group.
class SelectedFile {
 public:
  SelectedFile(const parquet::FileMetaData& from, std::shared_ptr<const ByteSource> whole)
      : from_(from), source_(std::make_shared<PiecedSource>(std::move(whole))) {
    parquet::WriterProperties::Builder properties;
    for (int leaf = 0; leaf < from.num_columns() && from.num_row_groups() > 0; ++leaf)
      properties.compression(from.schema()->Column(leaf)->path(), codec(0, leaf));
    footer_ = parquet::FileMetaDataBuilder::Make(from.schema(), properties.build());
    source_->add({0, kMagic.size()});
  }

  /// False for a row group that this footer cannot describe, or whose bytes are not in the file.
  bool can_take(int group) const {
    for (int leaf = 0; leaf < from_.num_columns(); ++leaf) {
      const auto chunk = from_.RowGroup(group)->ColumnChunk(leaf);
      const auto first = first_page(*chunk), size = chunk->total_compressed_size();
      if (chunk->compression() != codec(0, leaf) || chunk->crypto_metadata() || first < 0 || size < 0 ||
          chunk->data_page_offset() > first + size || !source_->is_in_file(first, size))
        return false;
    }
    return true;
  }

  /// Adds the pages of `rows`, counted in the row group, where `index` is not null; else all.
  void add(int group, const RowSpans& rows, int64_t num_rows, const PageIndex* index) {
    auto* const builder = footer_->AppendRowGroup();
    builder->set_num_rows(num_rows);
    for (int leaf = 0; leaf < from_.num_columns(); ++leaf) {
      const auto chunk = from_.RowGroup(group)->ColumnChunk(leaf);
      const int64_t first = first_page(*chunk), head = chunk->data_page_offset() - first;
      const bool has_dictionary = head > 0;
      // A dictionary goes before the first page, whichever that is.
      const int64_t begin = take(first, index ? head : chunk->total_compressed_size());
      int64_t size = index ? head : chunk->total_compressed_size(), num_values = index ? 0 : chunk->num_values();
      for (const RowSpan& range : index ? rows : RowSpans()) {
        for (const auto& page : index->pages[static_cast<std::size_t>(leaf)]) {
          if (page.first_row < range.begin || page.first_row >= range.end) continue;
          source_->add(page.range);
          size += static_cast<int64_t>(page.range.size);
          num_values += page.num_values;
        }
      }
      builder->NextColumnChunk()->Finish(num_values, has_dictionary ? begin : -1, -1, begin + head, size,
                                         chunk->total_uncompressed_size(), has_dictionary, false, {}, {});
    }
    builder->Finish(0);
  }

  /// Ends the file; returns its footer, with length and magic.
  Bytes finish(std::shared_ptr<parquet::FileMetaData>& metadata) {
    metadata = footer_->Finish(from_.key_value_metadata());
    const auto buffer = check(arrow::io::BufferOutputStream::Create());
    metadata->WriteTo(buffer.get());
    const auto encoded = check(buffer->Finish());
    FieldWriter tail;
    tail.bytes(std::as_bytes(std::span(encoded->data(), static_cast<std::size_t>(encoded->size()))));
    tail.u32(static_cast<uint32_t>(encoded->size()));
    tail.text(kMagic);
    Bytes out = tail.take();
    source_->finish(out);
    return out;
  }

  const std::shared_ptr<PiecedSource>& source() const { return source_; }

 private:
  parquet::Compression::type codec(int group, int leaf) const {
    return from_.RowGroup(group)->ColumnChunk(leaf)->compression();
  }
  int64_t take(int64_t offset, int64_t size) {
    return static_cast<int64_t>(source_->add({static_cast<uint64_t>(offset), static_cast<uint64_t>(size)}));
  }

  const parquet::FileMetaData& from_;
  std::shared_ptr<PiecedSource> source_;
  std::unique_ptr<parquet::FileMetaDataBuilder> footer_;
};

}  // namespace

bool LevelTable::is_selection() const noexcept { return impl_->is_selection; }

LevelTable::Selection LevelTable::select(const RowSpans& wanted) const {
  const Impl& from = *impl_;
  if (!from.made.empty()) return {};
  // The rows of each row group, counted in it.
  std::map<int, RowSpans> by_group;
  for (const RowSpan& range : wanted) {
    for (int64_t begin = range.begin; begin < range.end;) {
      const int group = group_of(begin);
      const int64_t end = std::min(range.end, group_begin(group + 1));
      by_group[group].push_back({begin - group_begin(group), end - group_begin(group)});
      begin = end;
    }
  }
  std::vector<int> divided;
  for (const auto& [group, rows] : by_group) {
    if (rows != RowSpans{{0, group_begin(group + 1) - group_begin(group)}}) divided.push_back(group);
  }
  from.read_page_indexes(divided);

  SelectedFile file(*from.metadata, from.source);
  Selection out;
  auto impl = std::make_unique<Impl>();
  impl->group_begin = {0};
  for (auto& [group, rows] : by_group) {
    if (!file.can_take(group)) return {};
    const int64_t begin = group_begin(group), num_rows = group_begin(group + 1) - begin;
    auto index = std::ranges::find(divided, group) == divided.end() ? nullptr : from.page_index(group);
    if (index && !is_usable(*index, num_rows, *from.source)) index = nullptr;
    rows = index ? grown(rows, common_begins(*index, num_rows)) : RowSpans{{0, num_rows}};
    int64_t num_selected = 0;
    for (const RowSpan& range : rows) {
      num_selected += range.end - range.begin;
      append(out.rows, {begin + range.begin, begin + range.end});
    }
    file.add(group, rows, num_selected, index.get());
    impl->group_begin.push_back(impl->group_begin.back() + num_selected);
  }
  impl->tail = file.finish(impl->metadata);
  impl->source = file.source();
  impl->where = from.where;
  impl->pool = from.pool;
  impl->columns = from.columns;
  impl->schema = from.schema;
  impl->positions = from.positions;
  impl->leaf_columns = from.leaf_columns;
  impl->file_columns = from.file_columns;
  impl->file_leaves = from.file_leaves;
  impl->from.resize(from.from.size(), nullptr);
  impl->may_have_padding = from.may_have_padding;
  impl->is_local = from.is_local;
  impl->is_selection = true;
  out.table = std::shared_ptr<const LevelTable>(new LevelTable(std::move(impl)));
  return out;
}

}  // namespace tacore
