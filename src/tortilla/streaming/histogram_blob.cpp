#include "tortilla/streaming/histogram_blob.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/chunk_names.hpp"
#include "raster/band_counter.hpp"
#include "raster/count_tiff.hpp"
#include "raster/linear_histogram.hpp"
#include "raster/pixel_passes.hpp"
#include "raster/tiff_raster.hpp"
#include "table/metadata_columns.hpp"
#include "table/parquet_write.hpp"
#include "tacore/error.hpp"
#include "tortilla/header.hpp"
#include "writer/sample_source.hpp"

namespace tacore::v1 {
namespace {

constexpr auto kBins = LinearHistogram::kBins;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const Raster> open(const Tree& tree, const Togs& togs, int level, int64_t row) {
  const TreeLevel& rows = tree.levels[as_size(level)];
  const std::string& id = rows.ids[as_size(row)];
  return make_tiff_raster(source_of(rows.payloads[as_size(row)], id), *togs[as_size(level)][as_size(row)].layout, id);
}

/// Calls `body` with a band, counted from 0, and its valid values, piece by piece.
template <class Body>
void for_each_valid(const Raster& raster, const Body& body) {
  std::vector<int> bands(static_cast<std::size_t>(raster.info().bands));
  std::iota(bands.begin(), bands.end(), 1);
  std::vector<double> values;
  for_each_piece(raster, bands, [&](std::size_t band, std::span<const std::byte> pixels) {
    values.clear();
    append_valid(pixels, raster.info().type, raster.nodata(), values);
    body(band, values);
  });
}

struct Range {
  double low = kNone, high = kNone;

  void add(double a, double b) {
    low = std::fmin(low, a);
    high = std::fmax(high, b);
  }
};

std::vector<Range> ranges_of(const Raster& raster) {
  std::vector<Range> out(static_cast<std::size_t>(raster.info().bands));
  for_each_valid(raster, [&](std::size_t band, const std::vector<double>& values) {
    if (values.empty()) return;
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    out[band].add(*low, *high);
  });
  return out;
}

void find_range(Component& component, const Tree& tree, const Togs& togs, int jobs,
                const std::function<void()>& go_on) {
  std::vector<std::vector<Range>> found(component.rows.size());
  run_parallel(found.size(), jobs, [&](std::size_t i) {
    go_on();
    found[i] = ranges_of(*open(tree, togs, component.level, component.rows[i]));
  });
  std::vector<Range> all(found.front().size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].size() != all.size()) {
      throw ValidationError("sample " + quoted(tree.path(component.level, component.rows[i])) + " has " +
                            std::to_string(found[i].size()) + (found[i].size() == 1 ? " band, " : " bands, ") +
                            quoted(tree.path(component.level, component.rows[0])) + " has " +
                            std::to_string(all.size()) + "; histograms need the same number of bands in all samples");
    }
    for (std::size_t band = 0; band < all.size(); ++band) all[band].add(found[i][band].low, found[i][band].high);
  }
  for (const Range& range : all) {
    component.low.push_back(range.low);
    component.high.push_back(range.high);
  }
}

/// The counts of a raster, bands interleaved by bin.
std::vector<uint32_t> counts_of(const Raster& raster, const Component& component, const std::string& path) {
  std::vector<LinearHistogram> histograms;
  for (std::size_t band = 0; band < component.low.size(); ++band) {
    const bool is_empty = std::isnan(component.low[band]);
    histograms.emplace_back(is_empty ? 0 : component.low[band], is_empty ? 0 : component.high[band]);
  }
  for_each_valid(raster, [&](std::size_t band, const std::vector<double>& values) {
    for (const double value : values) histograms[band].add(value);
  });
  std::vector<uint32_t> out(kBins * histograms.size());
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    for (std::size_t band = 0; band < histograms.size(); ++band) {
      const uint64_t count = histograms[band].counts()[bin];
      if (count > UINT32_MAX) {
        throw ValidationError("sample " + quoted(path) + " has " + std::to_string(count) +
                              " pixels in one bin of its histogram; at most 2^32 - 1 can be counted");
      }
      out[bin * histograms.size() + band] = static_cast<uint32_t>(count);
    }
  }
  return out;
}

std::string component_name(const Tree& tree, int level, int64_t row) {
  if (level == 0) return ".";
  const std::string path = tree.path(level, row);
  return path.substr(path.find('/') + 1);
}

Value list_of(const std::vector<double>& numbers) { return Value::List(numbers.begin(), numbers.end()); }

}  // namespace

std::vector<Component> find_components(const Tree& tree, const Togs& togs, int jobs,
                                       const std::function<void()>& go_on) {
  std::vector<Component> out;
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level) {
    std::map<std::string, Component> by_name;
    std::vector<std::string> order;
    const auto num_rows = static_cast<int64_t>(tree.levels[as_size(level)].ids.size());
    for (int64_t row = 0; row < num_rows; ++row) {
      if (!togs[as_size(level)][as_size(row)].layout) continue;
      const std::string name = component_name(tree, level, row);
      auto& component = by_name[name];
      if (component.rows.empty()) order.push_back(name);
      component.rows.push_back(row);
    }
    for (const auto& name : order) {
      Component& component = by_name[name];
      if (component.rows.size() != tree.levels[0].ids.size()) continue;  // some of them cannot be decoded
      component.name = name;
      component.level = level;
      find_range(component, tree, togs, jobs, go_on);
      out.push_back(std::move(component));
    }
  }
  return out;
}

Bytes encode_histograms(const TortillaPart& part, const Togs& togs, const std::vector<Component>& components, int jobs,
                        const std::function<void()>& go_on) {
  if (components.empty()) return {};
  const Tree& tree = part.plan().tree();
  const auto [begin, end] = part.rows(0);
  Bytes out(kHeaderSize);
  std::vector<MetadataColumn> columns = {{.key = "tortilla:id", .type = "string"},
                                         {.key = "tortilla:file_format", .type = "string"},
                                         {.key = "tortilla:offset", .type = "int64"},
                                         {.key = "tortilla:length", .type = "int64"},
                                         {.key = hist::kBins, .type = "int32"},
                                         {.key = hist::kMin, .type = "list<item: double>"},
                                         {.key = hist::kMax, .type = "list<item: double>"},
                                         {.key = hist::kSamples, .type = "int64"}};
  for (const Component& component : components) {
    const Bytes tiff = encode_count_tiff(
        kBins, end - begin, static_cast<int>(component.low.size()), jobs, [&, first = begin](int64_t i) {
          go_on();
          const int64_t row = component.rows[as_size(first + i)];
          return counts_of(*open(tree, togs, component.level, row), component, tree.path(component.level, row));
        });
    const std::vector<Value> values = {component.name,
                                       "GTiff",
                                       static_cast<int64_t>(out.size()),
                                       static_cast<int64_t>(tiff.size()),
                                       static_cast<int64_t>(kBins),
                                       list_of(component.low),
                                       list_of(component.high),
                                       end - begin};
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].values.push_back(values[c]);
    out.insert(out.end(), tiff.begin(), tiff.end());
  }
  const Bytes footer = encode_parquet(*with_columns(nullptr, static_cast<int64_t>(components.size()), columns));
  const auto header = encode_header({.footer = {out.size(), footer.size()}});
  std::copy(header.begin(), header.end(), out.begin());
  out.insert(out.end(), footer.begin(), footer.end());
  return out;
}

}  // namespace tacore::v1
