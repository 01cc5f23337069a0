#include "tortilla/streaming/togs.hpp"

#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/tortilla_names.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tog.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "tortilla/streaming/faults.hpp"
#include "tortilla/streaming/mrio_axes.hpp"
#include "writer/sample_source.hpp"

namespace tacore::v1 {
namespace {

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
    if (!is_tog(*source(row), rules_.block_size)) {
      rows_.payloads[row] = encode_payload(
          tree_, level_, row, draft_,
          {.task = {.jobs = 1}, .block_size = rules_.block_size, .zstd_level = rules_.zstd_level}, rules_.fallback);
    }
    auto directory = read_tiff_directory(*source(row));
    Tog out{.axes = mrio_axes(directory.gdal_metadata, directory.layout.bands)};
    out.layout = std::make_shared<const TiffLayout>(std::move(directory.layout));
    return out;
  }

  std::shared_ptr<const ByteSource> source(std::size_t row) const {
    return source_of(rows_.payloads[row], rows_.ids[row]);
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
