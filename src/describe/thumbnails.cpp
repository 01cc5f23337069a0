#include "describe/thumbnails.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/text.hpp"
#include "dataset/frame_stream.hpp"
#include "describe/document.hpp"
#include "describe/items.hpp"
#include "describe/summaries.hpp"
#include "table/arrow_stream.hpp"
#include "tacore/raster/picture.hpp"

namespace tacore::descriptions {
namespace {

constexpr std::size_t kMostBytes = 1'200'000;  // of all pictures in base64
constexpr int64_t kLongest = 160;              // pixels of a picture
constexpr int64_t kLargestRaster = 1024;       // pixels on a side; the middle of a larger one is shown
constexpr int64_t kLargestBlock = 64 << 20;    // bytes that are decoded at once
constexpr int64_t kMostTried = 8;              // that are opened to find image and label
constexpr std::size_t kMostClasses = 32;
constexpr std::string_view kLabelWords[] = {"label", "mask", "target", "annotation", "class", "segment", "truth"};

/// Colours of classes, as far apart as a dozen can be, on light and dark; the first one is for 0.
constexpr std::array<uint32_t, 13> kClassColours = {0x3b4252, 0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442,
                                                    0x0072b2, 0xd55e00, 0xcc79a7, 0x8c564b, 0xb2df8a,
                                                    0x6a3d9a, 0xbcbd22, 0x17becf};

uint32_t colour_of(uint32_t number) {
  return number == 0 ? kClassColours[0] : kClassColours[1 + (number - 1) % (kClassColours.size() - 1)];
}

/// The middle of a raster, as a raster.
class Middle final : public Raster {
 public:
  Middle(std::shared_ptr<const Raster> whole, int64_t longest) : whole_(std::move(whole)), info_(whole_->info()) {
    info_.width = std::min(info_.width, longest);
    info_.height = std::min(info_.height, longest);
    x_ = (whole_->info().width - info_.width) / 2;
    y_ = (whole_->info().height - info_.height) / 2;
  }
  bool is_part() const { return info_.width < whole_->info().width || info_.height < whole_->info().height; }
  const std::string& name() const noexcept override { return whole_->name(); }
  const RasterInfo& info() const noexcept override { return info_; }
  std::optional<double> nodata() const override { return whole_->nodata(); }
  Georeference georeference() const override { return whole_->georeference(); }
  void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const override {
    whole_->read(bands, {window.x + x_, window.y + y_, window.width, window.height}, out);
  }

 private:
  std::shared_ptr<const Raster> whole_;
  RasterInfo info_;
  int64_t x_ = 0, y_ = 0;
};

/// A raster of a sample, and its name.
struct Named {
  std::shared_ptr<const Middle> raster = {};
  std::string id = {};

  const RasterInfo& info() const { return raster->info(); }
};

bool is_called_label(const std::string& path) {
  const std::string name = lower(path.substr(path.rfind('/') + 1));
  return name == "gt" || name == "y" ||
         std::ranges::any_of(kLabelWords, [&](std::string_view word) { return name.find(word) != name.npos; });
}

bool may_be_label(const Named& one) {
  return one.info().bands == 1 && (one.info().type == DataType::UInt8 || one.info().type == DataType::Int8);
}

class SampleRasters {
 public:
  explicit SampleRasters(const RasterOpener* fallback) : fallback_(fallback) {}

  /// Adds the raster of a row, or those of its children.
  void add(const DataFrame& rows, int64_t row, const std::string& path) {
    if_possible([&] {
      const Node node = rows.read(row);
      if (const auto* children = std::get_if<DataFrame>(&node)) {
        const int64_t count = std::min(children->num_rows(), kMostTried);
        for (int64_t child = 0; child < count; ++child) {
          if (found_.size() == kMostTried) return;
          add(*children, child, path + "/" + children->text(child, "id").value_or(""));
        }
        return;
      }
      auto raster = open_raster(rows, row, fallback_);
      const RasterInfo& info = raster->info();
      const double block = static_cast<double>(info.block_width) * static_cast<double>(info.block_height) *
                           static_cast<double>(tacore::size_of(info.type)) *
                           (info.interleave == "PIXEL" ? info.bands : 1);
      if (info.width < 1 || info.height < 1 || info.bands < 1 || block > static_cast<double>(kLargestBlock)) return;
      found_.push_back({std::make_shared<const Middle>(std::move(raster), kLargestRaster), path});
    });
  }

  /// The first raster that is no label, and the first label.
  std::vector<Named> image_and_label() const {
    if (found_.empty()) return {};
    auto image = std::ranges::find_if_not(found_, [](const Named& one) { return is_called_label(one.id); });
    if (image == found_.end()) image = found_.begin();
    auto label = std::ranges::find_if(
        found_, [&](const Named& one) { return &one != &*image && is_called_label(one.id) && one.info().bands == 1; });
    if (label == found_.end()) {
      label = std::ranges::find_if(
          found_, [&](const Named& one) { return &one != &*image && may_be_label(one) && image->info().bands > 1; });
    }
    std::vector<Named> out;
    out.reserve(2);
    out.push_back(*image);
    if (label != found_.end()) out.push_back(*label);
    return out;
  }

 private:
  const RasterOpener* fallback_;
  std::vector<Named> found_ = {};
};

/// Red, green and blue of the collection's bands, counted from 1; none where it does not say which these are.
std::vector<int> true_colour(const Facts& facts, const RasterInfo& info) {
  std::vector<int> out;
  for (const char* wanted : {"red", "green", "blue"}) {
    const auto band =
        std::ranges::find_if(facts.bands, [&](const Band& each) { return lower(each.common_name) == wanted; });
    if (band != facts.bands.end()) out.push_back(static_cast<int>(band - facts.bands.begin()) + 1);
  }
  return out.size() == 3 && static_cast<int>(facts.bands.size()) == info.bands ? out : std::vector<int>{};
}

/// A raster of few whole numbers in a colour for each; nullopt for any other.
std::optional<Picture> classes(const Raster& raster, int64_t longest) {
  const RasterInfo& info = raster.info();
  const Tensor pixels = read_tensor(raster, {.bands = {1}, .type = DataType::Float64, .fill = std::nan("")});
  const std::span<const double> values = pixels.values<double>();
  const int64_t step = (std::max(info.width, info.height) + longest - 1) / longest;
  Picture out{.width = (info.width + step - 1) / step, .height = (info.height + step - 1) / step, .channels = 4};
  std::set<double> seen;
  for (int64_t y = 0; y < info.height; y += step) {
    for (int64_t x = 0; x < info.width; x += step) {
      const double value = values[static_cast<std::size_t>(y * info.width + x)];
      const bool is_class = std::isfinite(value);
      if (is_class && (value != std::floor(value) || std::abs(value) > 65535)) return std::nullopt;
      if (is_class) seen.insert(value);
      if (seen.size() > kMostClasses) return std::nullopt;
      const uint32_t colour = colour_of(is_class ? static_cast<uint32_t>(std::abs(value)) : 0);
      for (const int shift : {16, 8, 0}) out.samples.push_back(static_cast<std::byte>(colour >> shift));
      out.samples.push_back(std::byte{static_cast<uint8_t>(is_class ? 255 : 0)});
    }
  }
  return out;
}

/// The PNG of a raster, made smaller until it has at most `most` bytes in base64.
Thumbnail thumbnail(const Named& from, const Facts& facts, bool is_label, std::size_t most) {
  for (int64_t longest = kLongest;; longest = longest * 3 / 4) {
    std::optional<Picture> picture = is_label ? classes(*from.raster, longest) : std::nullopt;
    if (!picture) picture = preview(*from.raster, {.bands = true_colour(facts, from.info()), .size = longest});
    std::string png = base64(encode_png(*picture));
    if (png.size() > most && longest > 8) continue;
    return {std::move(png), picture->width, picture->height, from.id, from.raster->is_part()};
  }
}

PicturedSample described(const Item& item, int64_t row) {
  PicturedSample out{.id = item.path, .row = row};
  if (const auto& time = item.start ? item.start : item.middle ? item.middle : item.end) out.time = day_in_words(*time);
  if (item.footprint) out.place = centre_in_words(item.footprint->box);
  return out;
}

}  // namespace

std::string class_colour(uint32_t number) {
  char text[8];
  std::snprintf(text, sizeof text, "#%06x", colour_of(number));
  return text;
}

PicturedSamples pictured_samples(const Dataset& dataset, const Facts& facts, const DescribeOptions& options) {
  PicturedSamples out;
  const int64_t num_rows = facts.levels.empty() ? 0 : facts.levels[0].num_rows;
  out.num_chosen = std::min<int64_t>(num_rows, options.thumbnails);
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < out.num_chosen; ++i) rows.push_back((2 * i + 1) * num_rows / (2 * out.num_chosen));
  out.samples = pictured_samples(dataset, facts, rows, options);
  return out;
}

std::vector<PicturedSample> pictured_samples(const Dataset& dataset, const Facts& facts,
                                             const std::vector<int64_t>& rows, const DescribeOptions& options) {
  std::vector<PicturedSample> out;
  if (rows.empty()) return out;
  if_possible([&] {
    const DataFrame frame = dataset.data().take(rows);
    LevelItems items(frame_batches(frame), dataset, facts, 0, options, Columns::All);
    std::vector<PicturedSample> samples;
    items.for_each(false, [&](const Item& item) { samples.push_back(described(item, rows[samples.size()])); });
    const std::size_t share = kMostBytes / samples.size();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      SampleRasters rasters(options.fallback);
      rasters.add(frame, static_cast<int64_t>(i), samples[i].id);
      const auto shown = rasters.image_and_label();
      for (const Named& each : shown) {
        if_possible([&] {
          samples[i].pictures.push_back(
              thumbnail(each, facts, is_called_label(each.id) || &each != &shown.front(), share / shown.size()));
        });
      }
      if (!samples[i].pictures.empty()) out.push_back(std::move(samples[i]));
    }
  });
  return out;
}

}  // namespace tacore::descriptions
