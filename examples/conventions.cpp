/*
  Makes a small dataset for each of four common tasks, following the convention for that task, and reads it back.

    conventions

  DEMONSTRATES:
  * samples in memory, their metadata, and samples of samples
  * the conventions for land cover, change detection, methane and floods: constructors and checks
  * user-defined members of COLLECTION.json

  SIMPLER EXAMPLES: list_samples, navigate
*/
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <tacore/dataset.hpp>
#include <tacore/extensions/conventions.hpp>
#include <tacore/write/create.hpp>

namespace {

using namespace tacore;
using namespace tacore::extensions;

/// A placeholder for a raster file.
Sample raster(const std::string& id) { return {id, Bytes(16)}; }

Sample folder(const std::string& id, const std::vector<std::string>& rasters) {
  std::vector<Sample> children;
  for (const auto& name : rasters) children.push_back(raster(name));
  return {id, Tortilla(std::move(children))};
}

Sample land_cover(const std::string& id, double water) {
  Sample out = folder(id, {"image", "target"});
  out.extend_with(LandCover({.fractions = std::vector<double>{water, 1 - water}}));
  return out;
}

Sample change(const std::string& id) {
  const Sample imagery = folder("imagery", {"before", "after"});
  Sample out(id, Tortilla({imagery, raster("label")}));
  out.extend_with(Change({Timestamp::parse("2023-02-01"), Timestamp::parse("2023-02-11")}));
  return out;
}

Sample methane(const std::string& id, bool isplume) {
  Sample out = folder(id, {"emission", "background", "cloudmask", "ch4", "plume"});
  out.extend_with(Methane({.isplume = isplume,
                           .ch4_fluxrate = isplume ? 1200.0 : 0.0,
                           .wind_u = 3.5,
                           .wind_v = -1.0,
                           .wind_source = "ERA5",
                           .sector = "oil and gas",
                           .offshore = false}));
  return out;
}

Sample flood(const std::string& id, double water) {
  Sample out = raster(id);
  out.extend_with(
      Flood({.event_id = "EMSR600", .source = "Sentinel-1", .water_fraction = water, .cloud_fraction = 0.1}));
  return out;
}

/// Prints the faults of a dataset, writes it, and prints the rows that a reader finds.
void make(const std::string& id, Convention convention, std::vector<Sample> samples, const Labels* labels,
          const char* query) {
  Taco taco{Tortilla(std::move(samples)),
            {.id = id, .dataset_version = "1.0.0", .description = "An example", .licenses = {"CC0-1.0"}}};
  taco.collection.providers = {{.name = "tacore contributors"}};
  taco.collection.tasks = {"other"};
  if (labels) taco.extend_with(*labels);
  const auto faults = check_convention(convention, taco);
  std::printf("%s: %zu faults\n", id.c_str(), faults.size());
  for (const auto& fault : faults) std::printf("  %s\n", fault.c_str());

  const std::string path = std::filesystem::temp_directory_path() / (id + ".tacozip");
  create(taco, path, {.output = {.overwrite = true}});
  const DataFrame rows = load(path).sql(query).data();
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    for (const auto& column : rows.columns()) {
      if (column.name != "internal:gdal_vsi") std::printf("  %s", rows.text(row, column.name).value_or("null").c_str());
    }
    std::printf("\n");
  }
  std::filesystem::remove(path);
}

}  // namespace

int main() try {
  const Labels cover({{.name = "water", .category = "0"}, {.name = "land", .category = "1"}});
  const Labels floods = flood_labels();
  make("land_cover", Convention::LandCover, {land_cover("a", 0.25), land_cover("b", 0.5)}, &cover,
       "SELECT id, \"landcover:fractions\" FROM data");
  make("change", Convention::Change, {change("valencia")}, nullptr,
       "SELECT id, \"change:time_before\", \"change:time_after\" FROM data");
  make("methane", Convention::Methane, {methane("site_1", true), methane("site_2", false)}, nullptr,
       "SELECT id, \"methane:isplume\", \"methane:ch4_fluxrate\", \"methane:sector\" FROM data");
  make("flood", Convention::Flood, {flood("chip_1", 0.4), flood("chip_2", 0.0)}, &floods,
       "SELECT id, \"flood:event_id\", \"flood:water_fraction\" FROM data");
  make("unfinished", Convention::LandCover, {folder("a", {"image"})}, nullptr, "SELECT id FROM data");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
