#include "tortilla/streaming/tables.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "format/tortilla_names.hpp"
#include "raster/tiff_fields.hpp"
#include "table/chunk_rows.hpp"
#include "table/level_write.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "tortilla/pointer.hpp"
#include "tortilla/streaming/chunk_layout.hpp"

namespace tacore::v1 {
namespace {

/// The ids of the ancestors of a row, `a/b`; at level 0 its own id.
std::string root_of(const Tree& tree, int level, int64_t row) {
  return level == 0 ? tree.levels[0].ids[as_size(row)]
                    : tree.path(level - 1, tree.levels[as_size(level)].parents[as_size(row)]);
}

std::shared_ptr<arrow::Table> level_table(const TortillaPart& part, int level) {
  const Tree& tree = part.plan().tree();
  const auto [begin, end] = part.rows(level);
  std::vector<std::string> roots;
  std::vector<int64_t> parents;
  for (int64_t row = begin; row < end; ++row) {
    roots.push_back(root_of(tree, level, row));
    if (level > 0) parents.push_back(tree.levels[as_size(level)].parents[as_size(row)] - part.rows(level - 1).first);
  }
  auto out = add_column(nullptr, names::kRoot, roots);
  if (level > 0) out = add_column(out, names::kParent, parents);
  return in_one_piece(beside(out, part.footer_table(level)));
}

/// The values that all chunks of a raster share.
ChunkRow first_row(const TortillaPart& part, const Tog& tog, int level, int64_t row) {
  const TiffLayout& layout = *tog.layout;
  return {.root = root_of(part.plan().tree(), level, row),
          .parent = row - part.rows(level).first,
          .level = level,
          .shape = {layout.bands, static_cast<int32_t>(layout.block_height), static_cast<int32_t>(layout.block_width)},
          .dtype = to_string(layout.type),
          .interleave = layout.is_tile_interleaved ? "tile"
                        : layout.is_planar         ? "band"
                                                   : "pixel",
          .compression = tiff_compression(layout.compression),
          .predictor = layout.predictor,
          .nodata = layout.nodata,
          .axes = std::vector<int32_t>(tog.axes.begin(), tog.axes.end())};
}

/// The byte ranges of the blocks of a chunk; blocks that are not stored have none.
void place(ChunkRow& to, const TiffLayout& chunk, uint64_t begin) {
  uint64_t first = UINT64_MAX, end = 0;
  for (const ByteRange& block : chunk.blocks) {
    if (block.size == 0) continue;
    first = std::min(first, block.offset);
    end = std::max(end, block.offset + block.size);
  }
  if (end == 0) first = 0;
  to.offset = static_cast<int64_t>(begin + first);
  to.length = static_cast<int64_t>(end - first);
  to.band_offsets.clear();
  to.band_lengths.clear();
  for (const ByteRange& block : chunk.blocks) {
    to.band_offsets.push_back(block.size == 0 ? 0 : static_cast<int64_t>(block.offset - first));
    to.band_lengths.push_back(static_cast<int64_t>(block.size));
  }
}

std::shared_ptr<arrow::Table> chunk_rows(const TortillaPart& part, const Togs& togs) {
  ChunkRows out;
  for (int level = 0; level < part.plan().num_levels(); ++level) {
    const auto& ids = part.plan().tree().levels[as_size(level)].ids;
    const auto [begin, end] = part.rows(level);
    for (int64_t row = begin; row < end; ++row) {
      const Tog& tog = togs[as_size(level)][as_size(row)];
      if (!tog.layout) continue;
      ChunkRow to = first_row(part, tog, level, row);
      for (int64_t k = 0; k < tog.layout->blocks_per_band(); ++k) {
        const TiffLayout chunk = chunk_layout(*tog.layout, static_cast<uint64_t>(k), false, ids[as_size(row)]);
        to.id = ids[as_size(row)] + "::" + std::to_string(k);
        to.row = static_cast<int32_t>(k / tog.layout->blocks_across());
        to.col = static_cast<int32_t>(k % tog.layout->blocks_across());
        to.valid = {static_cast<int32_t>(chunk.height), static_cast<int32_t>(chunk.width)};
        place(to, chunk, part.offset(level, row));
        out.append(to);
      }
    }
  }
  return out.finish();
}

/// The structure below a sample as text, which is equal for samples of equal structure.
std::string structure_of(const Tree& tree, const std::vector<std::vector<int64_t>>& first_children, int level,
                         int64_t row) {
  if (tree.levels[as_size(level)].types[as_size(row)] == SampleType::File) return "";
  std::string out = "(";
  const auto& first = first_children[as_size(level)];
  for (int64_t child = first[as_size(row)]; child < first[as_size(row) + 1]; ++child) {
    const std::string& id = tree.levels[as_size(level) + 1].ids[as_size(child)];
    out += id + structure_of(tree, first_children, level + 1, child) + "/";
  }
  return out + ")";
}

/// Adds the hint with the range of all tables, from `first` on, the last of which is `table` at `begin`. The size of
/// that table includes the hint, whose length is fixed.
void add_hint(std::map<std::string, std::string>& metadata, const arrow::Table& table, uint64_t first, uint64_t begin,
              const ParquetOptions& parquet) {
  const auto hint = [&](uint64_t size) { return encode_footer_hint({first, begin + size - first}); };
  metadata[kFooterKey] = hint(0);
  metadata[kFooterKey] = hint(encode_parquet(table, parquet, metadata).size());
}

}  // namespace

void check_streamable(const Tree& tree) {
  std::vector<std::vector<int64_t>> first_children;
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level) {
    const auto& ids = tree.levels[as_size(level)].ids;
    for (std::size_t row = 0; row < ids.size(); ++row) {
      if (ids[row].find('/') == std::string::npos && ids[row].find("::") == std::string::npos) continue;
      throw ValidationError("sample " + quoted(tree.path(level, static_cast<int64_t>(row))) +
                            ": an id in a streaming TACO must not contain / or ::");
    }
    if (level + 1 < static_cast<int>(tree.levels.size())) first_children.push_back(tree.first_children(level));
  }
  const std::string expected = structure_of(tree, first_children, 0, 0);
  for (int64_t row = 1; row < static_cast<int64_t>(tree.levels[0].ids.size()); ++row) {
    if (structure_of(tree, first_children, 0, row) == expected) continue;
    throw ValidationError("samples " + quoted(tree.levels[0].ids[0]) + " and " +
                          quoted(tree.levels[0].ids[as_size(row)]) +
                          " have different children; all samples of a streaming TACO must have the same structure");
  }
}

Tables streaming_tables(const TortillaPart& part, const Togs& togs, const ParquetOptions& parquet, Bytes histograms) {
  Tables out{.before = std::move(histograms)};
  if (!out.before.empty()) out.metadata[kHistogram] = encode_pointer(ByteRange{part.end(), out.before.size()});
  const uint64_t tables_begin = part.end() + out.before.size();
  std::optional<ByteRange> next;
  const auto append = [&](const std::shared_ptr<arrow::Table>& table, const std::string& level) {
    const Bytes bytes = encode_parquet(*table, parquet, {{kPointer, encode_pointer(next)}, {kLevelKey, level}});
    next = ByteRange{part.end() + out.before.size(), bytes.size()};
    out.before.insert(out.before.end(), bytes.begin(), bytes.end());
  };
  append(chunk_rows(part, togs), "chunk");
  for (int level = part.plan().num_levels() - 1; level > 0; --level)
    append(level_table(part, level), std::to_string(level));

  out.footer = level_table(part, 0);
  out.metadata[kPointer] = encode_pointer(next);
  out.metadata[kLevelKey] = "0";
  add_hint(out.metadata, *out.footer, tables_begin, part.end() + out.before.size(), parquet);
  return out;
}

}  // namespace tacore::v1
