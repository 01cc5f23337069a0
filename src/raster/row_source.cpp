#include "raster/row_source.hpp"

#include <utility>

#include "container/tiff_index_file.hpp"
#include "container/zip_samples.hpp"
#include "dataset/dataframe_impl.hpp"
#include "dataset/navigation.hpp"
#include "io/memory_source.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// The TIFF index of a row: from its level table where the row has its key, else from the rows themselves.
std::string header_of(const DataFrame::Impl& frame, int64_t row) {
  if (const auto key = frame.rows->key(row); key && !frame.holds_stored) {
    const auto level = frame.dataset->leaf(key->part)->stored_level(key->level);
    for (const auto name : kHeaderColumns) {
      if (const int column = level->find(name); column >= 0) return level->binary(column, key->row).value_or("");
    }
    return {};
  }
  for (const auto name : kHeaderColumns) {
    if (const int column = frame.rows->find(name); column >= 0) return frame.rows->binary(column, row).value_or("");
  }
  return {};
}

}  // namespace

RowSource open_row(const DataFrame& frame, int64_t position) {
  const auto& impl = *impl_of(frame);
  impl.check_position(position);
  if (impl.type(position) == SampleType::Folder) {
    throw NavigationError("position " + std::to_string(position) +
                              " is a FOLDER, which has no pixels of its own; name one of its children",
                          {.path = impl.dataset->path});
  }
  const auto container = impl.container_of(position);
  const RowAddress address = impl.address(position);
  RowSource out{.bytes = container->open_data(address),
                .vsi_path = container->vsi_path(address),
                .header = header_of(impl, position),
                .container = container,
                .address = address};
  if (!out.header.empty()) return out;
  if (const TiffIndexFile* beside = container->headers()) out.header = beside->find(address, *out.bytes);
  return out;
}

RowSource open_row(const DataFrame& frame, int64_t position, std::span<const std::string> ids) {
  const auto [rows, row] = locate_below(frame, position, ids);
  return open_row(rows, row);
}

void fetch_together(std::vector<RowSource>& rows) {
  std::vector<std::shared_ptr<const ByteSource>> sources;
  for (const RowSource& row : rows) sources.push_back(row.bytes);
  auto bytes = read_samples(sources);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].bytes = memory_source(sources[i]->name(), std::move(bytes[i]));
}

}  // namespace tacore
