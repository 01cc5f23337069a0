#include <numeric>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "container/zip_samples.hpp"
#include "dataset/dataframe_impl.hpp"
#include "dataset/navigation.hpp"
#include "io/prefetched_source.hpp"
#include "raster/about_sample.hpp"
#include "raster/row_source.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "raster/tiff_structure.hpp"
#include "tacore/error.hpp"
#include "tacore/v1/chunks.hpp"
#include "tortilla/chunk_table.hpp"
#include "tortilla/container.hpp"
#include "tortilla/streaming/chunk_layout.hpp"
#include "tortilla/streaming/mrio_axes.hpp"

namespace tacore::v1 {
namespace {

constexpr int64_t kMostAlong = 8 << 20;

/// The layout to decode, and the axes that the bands are unfolded into.
struct ChunkPlan {
  TiffLayout layout;
  std::vector<int64_t> axes = {};
};

/// Without a chunk table, blocks are located by the TIFF index or the directory of the file.
ChunkPlan plan_of_file(const RowSource& row, uint64_t number, bool keep_padding) {
  if (!row.header.empty()) {
    const auto whole = layout_from_header(row.header, row.bytes->size(), row.vsi_path);
    return {chunk_layout(whole, number, keep_padding, row.vsi_path)};
  }
  const auto directory = read_tiff_directory(*row.bytes);
  if (!directory.unsupported.empty())
    throw FormatError("a chunk of a TIFF with " + directory.unsupported + " cannot be decoded", {.path = row.vsi_path});
  return {chunk_layout(directory.layout, number, keep_padding, row.vsi_path),
          mrio_axes(directory.gdal_metadata, directory.layout.bands)};
}

/// A chunk in the chunk table. Nothing else of the file is needed.
struct ListedChunk {
  ChunkPlan plan;
  RowSource row;
};

/// nullopt when the dataset has no chunk table, or it does not list the raster.
std::optional<ListedChunk> find_listed(const DataFrame::Impl& frame, int64_t position, uint64_t number,
                                       bool keep_padding) {
  frame.check_position(position);
  const auto container = frame.container_of(position);
  const ChunkTable* chunks = chunk_table(*container);
  if (!chunks || frame.type(position) == SampleType::Folder) return std::nullopt;
  const RowAddress at = frame.address(position);
  const auto key = frame.rows->key(position);
  RowSource row{.bytes = container->open_data(at), .vsi_path = container->vsi_path(at)};
  const ByteRange owner{static_cast<uint64_t>(at.offset.value_or(0)), row.bytes->size()};
  const auto find = [&](uint64_t k) {
    return find_chunk(*container, at.id + "::" + std::to_string(k), owner, key ? key->level : -1,
                      key ? key->row : int64_t{-1});
  };
  if (const auto chunk = find(number)) {
    const auto file = chunks->directory(owner.offset, [&] {
      // The chunk is prefetched where the table locates it; its stated length may be wrong, so it is limited.
      if (chunk->offset >= 0 && chunk->length >= 0 && chunk->length <= kMostAlong) {
        row.bytes = prefetched(
            row.bytes,
            {{0, kTiffHeadSize}, {static_cast<uint64_t>(chunk->offset), static_cast<uint64_t>(chunk->length)}});
      }
      return std::make_shared<const TiffDirectory>(read_tiff_directory(*row.bytes));
    });
    if (const std::string why = why_wrong_chunk(*chunk, *file, number); !why.empty()) {
      throw FormatError("chunk table: " + at.id + "::" + std::to_string(number) + ": " + why,
                        {.path = frame.dataset->path});
    }
    ChunkPlan plan{chunk_layout(*chunk, keep_padding, row.bytes->size(), row.vsi_path),
                   mrio_axes(file->gdal_metadata, file->layout.bands)};
    return ListedChunk{std::move(plan), std::move(row)};
  }
  if (number > 0 && find(0))
    throw QueryError("there is no chunk " + std::to_string(number), {.path = frame.dataset->path});
  return std::nullopt;
}

std::vector<int64_t> shape_of(const ChunkPlan& plan) {
  std::vector<int64_t> out{plan.layout.bands};
  if (!plan.axes.empty()) {
    int64_t product = 1;
    bool is_right = true;
    for (const int64_t length : plan.axes)
      is_right = is_right && length > 0 && !__builtin_mul_overflow(product, length, &product);
    if (!is_right || product != plan.layout.bands)
      throw FormatError("chunk: the product of its axis lengths is not the number of bands, " +
                        std::to_string(plan.layout.bands));
    out = plan.axes;
  }
  out.push_back(plan.layout.height);
  out.push_back(plan.layout.width);
  return out;
}

Tensor decode(ChunkPlan plan, const RowSource& row) {
  check_chunk_bytes(plan.layout, row.vsi_path);
  Tensor out(plan.layout.type, shape_of(plan));
  std::vector<int> bands(static_cast<std::size_t>(plan.layout.bands));
  std::iota(bands.begin(), bands.end(), 1);
  const Window window{0, 0, plan.layout.width, plan.layout.height};
  make_tiff_raster(row.bytes, std::move(plan.layout), row.vsi_path)->read(bands, window, out.bytes());
  return out;
}

/// True when a row is at the end of a path of ids.
bool is_there(const DataFrame& frame, std::string_view id) {
  try {
    locate(frame, id);
    return true;
  } catch (const NavigationError&) {
    return false;
  }
}

}  // namespace

Tensor read_chunk(const DataFrame& frame, std::string_view id, const ChunkOptions& options) {
  const auto part = split_chunk_id(id);
  if (!part) throw QueryError("chunk " + in_quotes(id) + "; ID::NUMBER expected, such as lrf::2");
  return about_sample(part->first, [&] {
    const auto [rows, position] = locate(frame, part->first);
    if (auto listed = find_listed(*impl_of(rows), position, part->second, options.keep_padding))
      return decode(std::move(listed->plan), listed->row);
    return again_if_moved([&, &in = rows, at = position] {
      const RowSource row = open_row(in, at);
      return decode(plan_of_file(row, part->second, options.keep_padding), row);
    });
  });
}

Datum read(const DataFrame& frame, std::string_view id) {
  if (split_chunk_id(id) && !is_there(frame, id)) return read_chunk(frame, id);
  const auto [rows, position] = locate(frame, id);
  if (impl_of(rows)->is_bytes(position)) return rows.read_bytes(position);
  Node node = rows.read(position);
  if (auto* children = std::get_if<DataFrame>(&node)) return std::move(*children);
  return std::get<VsiPath>(std::move(node));
}

}  // namespace tacore::v1
