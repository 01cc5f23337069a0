#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "container/container.hpp"
#include "io/byte_source.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore {

/// The source of a raster: the bytes of one FILE row.
struct RowSource {
  std::shared_ptr<const ByteSource> bytes;
  std::string vsi_path = {};  ///< as in its table: for messages
  std::string header = {};  ///< of `taco:header`, `internal:header` or a file beside the dataset; empty: there is none
  std::shared_ptr<const Container> container = {};
  RowAddress address = {};
};

/// Samples of a remote dataset are requested together, about kFetchSize bytes at once. A sample of more than
/// kMostFetched bytes is not: only its tiles that are needed are read.
inline constexpr uint64_t kFetchSize = 2 << 20, kMostFetched = 4 << 20;
/// A server answers at most so many ranges with one response (see HttpFile).
inline constexpr std::size_t kMostRanges = 100;

/// Opens a local file, or a part of one as GDAL writes it ("/vsisubfile/OFFSET_SIZE,PATH"). Throws IoError.
std::shared_ptr<const ByteSource> open_bytes(const std::string& path);
/// True for a path, or a part of one, that only GDAL can read.
bool is_of_gdal(const std::string& path);

/// The raster of a row, as open_raster() opens it. Throws SampleMoved where its bytes are read from a ZIP again.
std::shared_ptr<const Raster> open_raster(const RowSource& row, const RasterOpener* fallback);

/// The source of the FILE at a position of a frame. Throws NavigationError as DataFrame::read does, and for a FOLDER.
RowSource open_row(const DataFrame& frame, int64_t position);
/// The source of the FILE that a path of ids leads to from the sample at a position. Without ids it is the sample
/// itself. Throws as open_row() of a position, and for an id that is not there.
RowSource open_row(const DataFrame& frame, int64_t position, std::span<const std::string> ids);

/// Requests all bytes of these FILEs together and keeps them in memory, as their new sources. After an error the
/// sources are the old ones, so that each FILE can be read by itself. Throws as reading them.
void fetch_together(std::vector<RowSource>& rows);

}  // namespace tacore
