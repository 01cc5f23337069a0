#include "report/reading.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "describe/pit_tree.hpp"
#include "describe/summaries.hpp"
#include "io/byte_source.hpp"
#include "io/vsi_path.hpp"
#include "raster/codecs.hpp"
#include "tacore/ops/view.hpp"
#include "tacore/plan.hpp"
#include "tacore/raster/loader.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/raster/tog.hpp"
#include "view/served_files.hpp"

namespace tacore::report {
namespace {

using descriptions::if_possible;

constexpr std::size_t kMostInputs = 16;
constexpr int kBatchSize = 16;
constexpr int64_t kCrop = 256;              // pixels: what training on crops reads at once
constexpr double kMostCompressed = 64e6;    // values of a raster that is compressed to see how small it becomes
constexpr int64_t kLeastForPlace = 10'000;  // rows, from which an order by place is worth its trouble
constexpr int64_t kLeastForIds = 100'000;

/// 60 of 100 for what saves everything.
int benefit_of(double saved_share) { return static_cast<int>(std::lround(60 * std::clamp(saved_share, 0., 1.))); }

std::string number(double value) { return rounded_number_text(value, 2); }

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

/// A raster below a sample.
struct Input {
  std::string path = {};  ///< of ids below the sample
  std::shared_ptr<const Raster> raster = {};
  uint64_t size = 0;  ///< bytes of the file
};

/// The rasters of a sample: itself, or those below it.
std::vector<Input> inputs_of(const DataFrame& frame, int64_t row, const RasterOpener* fallback) {
  std::vector<Input> out;
  const std::function<void(const DataFrame&, int64_t, const std::string&)> add = [&](const DataFrame& rows, int64_t at,
                                                                                     const std::string& path) {
    if (out.size() == kMostInputs) return;
    if_possible([&] {
      const Node node = rows.read(at);
      if (const auto* children = std::get_if<DataFrame>(&node)) {
        for (int64_t child = 0; child < children->num_rows(); ++child) {
          add(*children, child, (path.empty() ? "" : path + "/") + children->text(child, "id").value_or(""));
        }
        return;
      }
      auto raster = open_raster(rows, at, fallback);
      out.push_back({path, std::move(raster), static_cast<uint64_t>(rows.read_bytes(at).size())});
    });
  };
  add(frame, row, "");
  return out;
}

LoaderOptions loader_options(const std::vector<Input>& inputs, const RasterOpener* fallback) {
  LoaderOptions out{.inputs = {}, .batch_size = kBatchSize, .on_error = OnError::Skip, .fallback = fallback};
  for (const Input& input : inputs) out.inputs.push_back({.path = input.path});
  return out;
}

/// A dataset as a server gives it out: of a local one, the requests that a remote one would take.
class Served {
 public:
  explicit Served(const Dataset& dataset) {
    if (is_remote(dataset.path())) {
      dataset_ = dataset;
      return;
    }
    server_.emplace(dataset);
    dataset_ = load(server_->url() + std::string(kServedFiles) +
                    percent_encoded(ServedFiles(dataset).datasets().front(), true));
  }
  const Dataset& dataset() const { return *dataset_; }

 private:
  std::optional<ViewServer> server_ = {};  // outlives the dataset
  std::optional<Dataset> dataset_ = {};
};

/// Distinct rows, in random order.
std::vector<int64_t> random_rows(int64_t num_rows, int64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> out;
  std::set<int64_t> seen;
  while (static_cast<int64_t>(out.size()) < std::min(count, num_rows)) {
    const auto row = static_cast<int64_t>(random() % static_cast<uint64_t>(num_rows));
    if (seen.insert(row).second) out.push_back(row);
  }
  return out;
}

class Measurement {
 public:
  Measurement(const Dataset& dataset, const DoctorOptions& options) : dataset_(dataset), options_(options) {}

  Reading all() {
    const int64_t num_rows = dataset_.num_rows();
    if (num_rows == 0 || options_.read_size <= 0) return {};
    const auto start = std::chrono::steady_clock::now();
    const DataFrame frame = dataset_.data();
    shuffled_ = random_rows(frame.num_rows(), options_.read_size, options_.seed);
    inputs_ = inputs_of(frame, shuffled_[0], options_.fallback);
    if (!inputs_.empty()) {
      measure_speed(frame.take(shuffled_), start);
      if (out_.speed) {
        if_possible([&] { count_requests(); });
        judge_compression();
      }
      judge_tiles();
      judge_statistics();
    }
    if_possible([&] { judge_filters(num_rows); });
    return std::move(out_);
  }

 private:
  void add(std::string what, bool is_met, std::string found, std::string advice, int benefit) {
    out_.items.push_back({.part = CardPart::Reading,
                          .what = std::move(what),
                          .is_met = is_met,
                          .found = std::move(found),
                          .advice = is_met ? "" : std::move(advice),
                          .benefit = is_met ? 0 : benefit});
  }

  void measure_speed(const DataFrame& frame, std::chrono::steady_clock::time_point start) {
    const auto seconds_since = [](auto begin) {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    ReadingSpeed speed;
    for (const Input& input : inputs_) speed.inputs.push_back(input.path);
    std::string failure;
    int64_t num_failed = 0;
    const auto begin = std::chrono::steady_clock::now();
    Loader loader(frame, loader_options(inputs_, options_.fallback));
    for (Batch batch; loader.next(batch);) {
      if (speed.num_samples == 0 && !batch.positions.empty()) speed.seconds_to_first = seconds_since(start);
      speed.num_samples += static_cast<int64_t>(batch.positions.size());
      for (const Tensor& tensor : batch.tensors) speed.num_bytes += tensor.bytes().size();
      num_failed += static_cast<int64_t>(batch.failures.size());
      if (failure.empty() && !batch.failures.empty()) failure = batch.failures.front().message;
    }
    if (speed.num_samples > 0) {
      speed.samples_per_second = static_cast<double>(speed.num_samples) / seconds_since(begin);
      out_.speed = std::move(speed);
    }
    const auto num_all = static_cast<double>(frame.num_rows());
    add("All samples have one shape and type, as batches need it", num_failed == 0,
        num_failed == 0 ? "in all " + std::to_string(frame.num_rows()) + " samples that were read"
                        : percent(static_cast<double>(num_failed) / num_all) + " differ or cannot be read: " + failure,
        "cut the rasters to one size before create, or let the loader read a window of each",
        benefit_of(static_cast<double>(num_failed) / num_all));
  }

  void count_requests() {
    const Served served(dataset_);
    const Dataset& remote = served.dataset();
    const DataFrame frame = remote.data();
    const auto count = static_cast<int64_t>(shuffled_.size());
    std::vector<int64_t> in_order;
    for (int64_t row = 0; row < count; ++row) in_order.push_back(row);
    const auto requests = [&](const std::vector<int64_t>& rows) {
      const RequestPlan plan = Loader::plan(frame.take(rows), loader_options(inputs_, options_.fallback));
      return static_cast<double>(plan.requests) / static_cast<double>(count);
    };
    ReadingSpeed& speed = *out_.speed;
    speed.requests_in_order = requests(in_order);
    speed.requests_shuffled = requests(shuffled_);
    const auto num_files = static_cast<double>(inputs_.size());
    const double most = speed.requests_shuffled;
    const std::string found = number(most) + " requests for each sample in random order, " +
                              number(speed.requests_in_order) + " in the order of the rows";
    // The first sample is opened once more.
    const double room = 1 + 2 / static_cast<double>(count);
    add("One request for each file", most <= num_files * room, found,
        "taco index-tiffs " + (is_remote(dataset_.path()) ? "PATH" : dataset_.path()) +
            ": the headers of all TIFFs in one file, " + number(num_files) +
            (num_files == 1 ? " request" : " requests") + " for each sample",
        benefit_of(1 - num_files / most));
    if (inputs_.size() == 1) return;
    add("One file for each sample", most <= room, std::to_string(inputs_.size()) + " files for each sample",
        "store the bands of a sample in one file, where they have one grid: up to " + number(most) +
            " times fewer requests",
        benefit_of((1 - 1 / most) / 2));
  }

  /// The bytes of a raster as a TOG stores it, without its directory.
  static uint64_t compressed_size(const Raster& raster) {
    const RasterInfo& info = raster.info();
    const bool is_real = info.type == DataType::Float32 || info.type == DataType::Float64;
    Tensor pixels = read_tensor(raster);
    const std::size_t size = tacore::size_of(info.type);
    const std::size_t row = static_cast<std::size_t>(info.width) * size;
    std::vector<std::byte> scratch(row);
    for (std::size_t at = 0; row > 0 && at < pixels.bytes().size(); at += row)
      apply_predictor(is_real ? 3 : 2, pixels.bytes().subspan(at, row), size, scratch);
    return compress_zstd(pixels.bytes(), TogOptions().zstd_level).size();
  }

  void judge_compression() {
    uint64_t stored = 0, plain = 0, compressed = 0;  // all files; files without compression; as they could be
    for (const Input& input : inputs_) {
      stored += input.size;
      const RasterInfo& info = input.raster->info();
      const auto num_pixels = static_cast<double>(info.width) * static_cast<double>(info.height) * info.bands;
      const bool is_plain = info.compression == "NONE" && num_pixels <= kMostCompressed;
      if (!is_plain) continue;
      plain += input.size;
      const auto pixels = static_cast<uint64_t>(num_pixels) * tacore::size_of(info.type);
      // What is no pixel stays.
      compressed += input.size - std::min(input.size, pixels) + compressed_size(*input.raster);
    }
    const double saved = 1 - static_cast<double>(stored - plain + std::min(compressed, plain)) /
                                 static_cast<double>(std::max<uint64_t>(stored, 1));
    add("The pixels are compressed", plain == 0 || saved < 0.1,
        descriptions::grouped(plain) + " of " + descriptions::grouped(stored) + " bytes of a sample are not compressed",
        "taco create --tog, or taco tog for single files: ZSTD tiles, " + percent(saved) + " fewer bytes",
        benefit_of(saved));
  }

  /// The bytes of blocks that a crop meets, of those that it has.
  static double crop_cost(const RasterInfo& info) {
    const auto blocks = [](int64_t length, int64_t block) {
      const int64_t part = std::min(length, kCrop);
      const double met = std::min(static_cast<double>(length) / static_cast<double>(block),
                                  1 + static_cast<double>(part) / static_cast<double>(block));
      return std::max(met * static_cast<double>(block), static_cast<double>(part)) / static_cast<double>(part);
    };
    return blocks(info.width, std::max<int64_t>(1, info.block_width)) *
           blocks(info.height, std::max<int64_t>(1, info.block_height));
  }

  void judge_tiles() {
    const auto largest = std::ranges::max_element(
        inputs_, {}, [](const Input& input) { return input.raster->info().width * input.raster->info().height; });
    const RasterInfo& info = largest->raster->info();
    if (std::max(info.width, info.height) < 2 * kCrop) return;  // read whole
    const double cost = crop_cost(info);
    RasterInfo tiled = info;
    tiled.block_width = tiled.block_height = 256;
    const double best = crop_cost(tiled);
    add("Crops of 256 pixels are read without much around them", cost <= 1.5 * best,
        "blocks of " + std::to_string(info.block_width) + " x " + std::to_string(info.block_height) + " in " +
            std::to_string(info.width) + " x " + std::to_string(info.height) + " pixels: " + number(cost) +
            " times the pixels of a crop",
        "taco create --tog, or taco tog --block-size 256: " + number(best) + " times", benefit_of(1 - best / cost));
  }

  void judge_statistics() {
    bool has_statistics = false;
    for (int level = 0; level <= dataset_.pit_schema().max_depth(); ++level) {
      const auto columns = dataset_.level_columns(level);
      has_statistics = has_statistics || std::ranges::find(columns, "geotiff:stats", &Column::name) != columns.end();
    }
    add("Statistics of the bands are stored, so that nobody reads all pixels to normalise them", has_statistics,
        has_statistics ? "geotiff:stats" : "no column geotiff:stats", "taco create --extensions geotiff_stats", 20);
  }

  /// What a filter by place, and one by id, read.
  void judge_filters(int64_t num_rows) {
    if (num_rows < kLeastForPlace) return;
    const Served served(dataset_);
    const Dataset& remote = served.dataset();
    const auto all = static_cast<double>(std::max<uint64_t>(1, plan_rows(remote).bytes));
    const auto extent = remote.known_extent().spatial;
    if (extent && extent->minx <= extent->maxx) {
      // A hundredth of the area, in the middle.
      const double x = (extent->minx + extent->maxx) / 2, y = (extent->miny + extent->maxy) / 2;
      const double width = (extent->maxx - extent->minx) / 20, height = (extent->maxy - extent->miny) / 20;
      const auto bytes =
          static_cast<double>(plan_rows(remote.filter_bbox(x - width, y - height, x + width, y + height)).bytes);
      add("A box of a hundredth of the area reads a small part of the metadata", bytes <= 0.3 * all,
          percent(std::min(1., bytes / all)) + " of " + descriptions::grouped(static_cast<uint64_t>(all)) + " bytes",
          "taco export --order hilbert --parquet covering=true, or taco index --sidecar, which changes nothing",
          benefit_of(std::min(1., bytes / all) - 0.05));
    }
    if (num_rows < kLeastForIds) return;
    const std::string id = remote.data().text(num_rows / 2, "id").value_or("");
    std::string quoted = "'";
    for (const char c : id) quoted += c == '\'' ? "''" : std::string(1, c);
    const auto bytes =
        static_cast<double>(plan_rows(remote.sql("SELECT * FROM data WHERE id = " + quoted + "'")).bytes);
    add("A sample is found by its id without reading all ids", bytes <= 0.1 * all,
        percent(std::min(1., bytes / all)) + " of " + descriptions::grouped(static_cast<uint64_t>(all)) + " bytes",
        "taco export --parquet id_index=true, or taco index --sidecar", benefit_of(std::min(1., bytes / all) - 0.01));
  }

  const Dataset& dataset_;
  const DoctorOptions& options_;
  std::vector<int64_t> shuffled_ = {};  ///< rows
  std::vector<Input> inputs_ = {};
  Reading out_ = {};
};

}  // namespace

Reading measure_reading(const Dataset& dataset, const DoctorOptions& options) {
  return Measurement(dataset, options).all();
}

}  // namespace tacore::report
