#include <filesystem>

#include <tacore/error.hpp>
#include <tacore/ops/describe.hpp>
#include <tacore/plumbing/apart.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "loaded_library.hpp"
#include "output.hpp"

namespace tacore::cli {
namespace {

bool is_parquet(Description as) { return as == Description::Geoparquet || as == Description::StacGeoparquet; }

std::string text_of(Description as, const Dataset& dataset, const DescribeOptions& options) {
  switch (as) {
    case Description::Stac: return collection2stac(dataset, options);
    case Description::Croissant: return collection2croissant(dataset, options);
    case Description::Datacite: return collection2datacite(dataset, options);
    case Description::Card: return collection2datacard(dataset, options);
    case Description::Markdown: return collection2markdown(dataset, options);
    default: return collection2html(dataset, options);
  }
}

void check(const DescribeCommandOptions& options) {
  const bool has_output = !options.output.path.empty();
  if (options.as == Description::All && !has_output) throw UsageError("--as all is a folder: add -o DIR");
  if (is_parquet(options.as) && !has_output) throw UsageError("--as: Parquet is not for standard output: add -o FILE");
  const bool has_level = is_parquet(options.as) || (options.as == Description::Stac && has_output);
  if (options.level && !has_level) {
    throw UsageError("--level is that of STAC Items (with -o DIR) and of the Parquet forms, and none is asked for");
  }
  const bool has_page = options.as == Description::Html || options.as == Description::All;
  if (!options.viewer_url.empty() && !has_page) throw UsageError("--viewer is for the html page, and none is asked for");
  const std::string& tables = options.viewer_tables;
  if (tables.empty()) return;
  if (options.as != Description::Card || !has_output) {
    throw UsageError("--viewer-tables are named by a card in a file, and none is asked for: add --as card -o FILE");
  }
  if (tables.find('/') != tables.npos || tables == "." || tables == "..") {
    throw UsageError("--viewer-tables: '" + tables + "' is not the name of a folder beside the card, such as table");
  }
}

/// The CRS transformer of GDAL, which is loaded for the first CRS that tacore does not know by itself.
class LazyTransformer final : public CrsTransformer {
 public:
  bool is_geographic(const std::string& crs) const override { return loaded(crs).is_geographic(crs); }
  LonLat to_wgs84(const std::string& crs, double x, double y) const override { return loaded(crs).to_wgs84(crs, x, y); }

 private:
  static const CrsTransformer& loaded(const std::string& crs) {
    if (const CrsTransformer* found = transformer()) return *found;
    throw SchemaError("Invalid CRS: '" + crs + "' is not known without tacore_gdal, which is not installed");
  }
};

}  // namespace

int run_describe(const DescribeCommandOptions& options) {
  check(options);
  const std::string& output = options.output.path;
  const int level = options.level.value_or(0);
  const Dataset dataset = load(options.path, options.load);
  const LazyTransformer systems;
  DescribeOptions how{.base_url = options.base_url,
                      .transformer = &systems,
                      .published = options.published,
                      .thumbnails = options.thumbnails,
                      .fallback = raster_opener(),
                      .viewer_url = options.viewer_url,
                      .checksums = options.checksums,
                      .overwrite = options.output.overwrite};
  if (options.as == Description::Geoparquet) {
    run_interruptibly([&] { footer2geoparquet(dataset, level, output, how); });
  } else if (options.as == Description::StacGeoparquet) {
    run_interruptibly([&] { footer2geoparquetstac(dataset, level, output, how); });
  } else if (options.as == Description::All) {
    run_interruptibly([&] { write_descriptions(dataset, output, how); });
  } else if (options.as == Description::Stac && !output.empty()) {
    run_interruptibly([&] { write_stac(dataset, output, level, how); });
  } else {
    const auto inputs = described_files(files_of(dataset));
    if (!options.viewer_tables.empty()) {
      check_output(output, options.output.overwrite);  // before the tables are written, which comes first
      require_apart(output, inputs);
      const auto folder = std::filesystem::path(output).parent_path() / options.viewer_tables;
      run_interruptibly([&] { how.viewer_tables = write_viewer_tables(dataset, folder.string(), how); });
    }
    with_output(options.output, inputs, [&](tabular::Output& to) { to.write(text_of(options.as, dataset, how)); });
  }
  return 0;
}

}  // namespace tacore::cli
