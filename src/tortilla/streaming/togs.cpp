#include "tortilla/streaming/togs.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/crc32.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/tortilla_names.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tog.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/tog.hpp"
#include "tortilla/streaming/faults.hpp"
#include "tortilla/streaming/mrio_axes.hpp"
#include "writer/sample_source.hpp"
#include "writer/whole_payloads.hpp"

namespace tacore::v1 {
namespace {

uint64_t size_of_file(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) throw IoError("cannot open", {.path = path}, errno);
  return static_cast<uint64_t>(status.st_size);
}

/// The block size of the source if it is tiled. A small image gets one tile, with no more padding than necessary.
int64_t block_size(const RasterInfo& info) {
  const bool has_tiles =
      info.block_width == info.block_height && info.block_width % 16 == 0 && info.block_width != info.width;
  return std::min<int64_t>(has_tiles ? info.block_width : TogOptions().block_size,
                           (std::max(info.width, info.height) + 15) / 16 * 16);
}

class TogMaker {
 public:
  TogMaker(Tree& tree, int level, const StagingDir& staging, const TogRules& rules)
      : tree_(tree), level_(level), rows_(tree.levels[as_size(level)]), draft_(staging), rules_(rules) {}

  std::vector<Tog> run() {
    const auto formats = text_column(*rows_.columns, std::string(columns::kFileFormat), "");
    std::vector<Tog> out(rows_.ids.size());
    run_parallel(out.size(), rules_.jobs, [&](std::size_t row) {
      if (rows_.types[row] == SampleType::Folder) return;
      rules_.go_on();
      const bool is_geotiff = formats[row] == "GTiff" || formats[row] == "COG";
      if (!is_geotiff) return leave(row, "has the format " + formats[row].value_or("") + ", GTiff expected");
      try {
        out[row] = tog_of(row);
      } catch (const FormatError& error) {
        leave(row, "cannot be converted to a TOG: " + error.message());
      } catch (const SchemaError& error) {
        leave(row, "cannot be converted to a TOG: " + error.message());
      }
    });
    return out;
  }

 private:
  void leave(std::size_t row, const std::string& why) const {
    if (rules_.allow_others) return;
    throw ValidationError("sample " + in_quotes(tree_.path(level_, static_cast<int64_t>(row))) + " " + why +
                          "; the samples of a streaming TACO are TACO Optimized GeoTIFFs");
  }

  Tog tog_of(std::size_t row) {
    const bool is_tog = check_tacotiff(*source(row)).empty();
    const auto has_tiles = [&] {
      return rules_.block_size == 0 || read_tiff_directory(*source(row)).layout.block_width == rules_.block_size;
    };
    if (!is_tog || !has_tiles()) encode(row);
    auto directory = read_tiff_directory(*source(row));
    Tog out{.axes = mrio_axes(directory.gdal_metadata, directory.layout.bands)};
    out.layout = std::make_shared<const TiffLayout>(std::move(directory.layout));
    return out;
  }

  std::shared_ptr<const ByteSource> source(std::size_t row) const {
    return source_of(rows_.payloads[row], rows_.ids[row]);
  }

  static uint32_t crc32_of(const ByteSource& source) {
    constexpr uint64_t kPiece = 1 << 20;
    uint32_t out = 0;
    for (uint64_t at = 0; at < source.size(); at += kPiece) {
      const std::span part = scratch(std::min(kPiece, source.size() - at));
      source.read(at, part);
      out = crc32(part, out);
    }
    return out;
  }

  void encode(std::size_t row) {
    Payload& payload = rows_.payloads[row];
    const std::string name = std::to_string(level_) + "_" + std::to_string(row) + ".tif";
    std::string from = payload.part ? vsi_subfile({payload.offset, payload.size}, payload.path) : payload.path;
    if (payload.held || payload.is_remote()) {  // opening by path would ignore the options of the dataset
      from = draft_.path("held_" + name);
      StagedFile held(draft_, "held_" + name);
      const Bytes bytes = source(row)->read_all();
      check_crc32(tree_, level_, static_cast<int64_t>(row), crc32(bytes));
      held.write(bytes);
      held.close();
    } else if (payload.crc32) {  // the last time that these bytes are read
      check_crc32(tree_, level_, static_cast<int64_t>(row), crc32_of(*source(row)));
    }
    Payload tog{.path = draft_.path(name)};
    const RasterInfo info = open_raster(from, rules_.fallback)->info();
    const int64_t side = rules_.block_size > 0 ? rules_.block_size : block_size(info);
    make_tog(from, tog.path, {.task = {.jobs = 1}, .block_size = side, .zstd_level = rules_.zstd_level},
             rules_.fallback);
    tog.size = size_of_file(tog.path);
    payload = std::move(tog);
  }

  Tree& tree_;
  int level_;
  TreeLevel& rows_;
  const StagingDir& draft_;
  const TogRules& rules_;
};

}  // namespace

std::vector<std::string> tog_faults(const ByteSource& source) { return check_tacotiff(source); }

Togs make_togs(Tree& tree, const StagingDir& staging, const TogRules& rules) {
  Togs out;
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level)
    out.push_back(TogMaker(tree, level, staging, rules).run());
  return out;
}

}  // namespace tacore::v1
