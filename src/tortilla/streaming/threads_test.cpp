#include <latch>
#include <thread>

#include "support/raster_data.hpp"
#include "support/v1_files.hpp"
#include "tacore/v1/chunks.hpp"
#include "tacore/v1/histograms.hpp"

// A dataset of v1 is a value that any number of threads may use at once, the first time, too. The tsan preset runs
// these.
namespace tacore::v1 {
namespace {

constexpr std::size_t kThreads = 8;

using Question = std::function<std::string(const Dataset&)>;

std::string rows_of(const DataFrame& frame) {
  std::string out;
  for (int64_t row = 0; row < frame.num_rows(); ++row) {
    for (const auto& column : frame.columns()) out += frame.text(row, column.name).value_or("null") + ",";
    out += "\n";
  }
  return out;
}

std::string bytes_below(const DataFrame& frame) {
  std::string out;
  for (int64_t row = 0; row < frame.num_rows(); ++row) {
    const Node node = frame.read(row);
    if (const auto* children = std::get_if<DataFrame>(&node)) {
      out += rows_of(*children) + bytes_below(*children);
    } else {
      const Bytes bytes = frame.read_bytes(row);
      out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
  }
  return out;
}

const Question kRead = [](const Dataset& dataset) { return bytes_below(dataset.data()); };
const Question kLevel = [](const Dataset& dataset) {
  return rows_of(
      dataset.sql("SELECT count(*) AS n, min(id) AS first, sum(\"internal:size\") AS size FROM level1").data());
};
const Question kTree = [](const Dataset& dataset) {
  return dataset.pit_schema().to_json() + std::to_string(dataset.level_columns(1).size());
};
const Question kFilter = [](const Dataset& dataset) {
  const DataFrame rows = dataset.filter_bbox({0, 0, 5.5, 5}, {.level = 1}).data();
  return rows_of(rows) + bytes_below(rows);
};

/// All questions to one dataset, which nobody asked before, from all threads, each of which begins with another. The
/// answers are those that a thread alone is given.
void check_at_once(const std::string& path, const std::vector<Question>& questions) {
  std::vector<std::string> expected;
  for (const auto& question : questions) expected.push_back(question(load(path)));
  const Dataset dataset = load(path);
  std::latch start(kThreads);
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      for (std::size_t i = 0; i < questions.size(); ++i) {
        const std::size_t q = (t + i) % questions.size();
        wrong[t] += error_of([&] {
          if (questions[q](dataset) != expected[q]) throw Error("another answer to question " + std::to_string(q));
        });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == std::vector<std::string>(kThreads));
}

/// `count` images, each of what `content` says of `a` and `b`, with a place.
template <class Content>
Tortilla images(int count, const Content& content) {
  std::vector<Sample> out;
  for (int i = 0; i < count; ++i) {
    const std::vector<MetadataField> place{{"stac:centroid", "POINT (" + std::to_string(i) + " 2)"}};
    out.emplace_back("img" + std::to_string(i),
                     Tortilla({Sample("a", content(i, "a"), place), Sample("b", content(i, "b"), place)}));
  }
  return Tortilla(out);
}

TEST_SUITE("threads") {
  TEST_CASE("eight threads read one nested Tortilla, and assemble its level once") {
    const TemporaryFolder folder;
    const auto path = folder.path("x.tortilla");
    create_tortilla(images(40, [](int i, const char* id) { return to_bytes(id + std::to_string(i)); }), path, plain());
    check_at_once(path, {kRead, kTree, kLevel, kFilter});
  }

  TEST_CASE("eight threads read the parts of one set") {
    const TemporaryFolder folder;
    const auto parts =
        create_tortilla(images(40, [](int i, const char* id) { return to_bytes(id + std::to_string(i)); }),
                        folder.path("x.tortilla"), plain({.split_size = 20000}));
    REQUIRE(parts.size() > 1);
    check_at_once(parts[0], {kFilter, kTree, kRead, kLevel});
  }

  TEST_CASE("eight threads read tables, chunks and histograms of one streaming TACO") {
    const TemporaryFolder folder;
    const auto path = folder.path("x.taco");
    const Tortilla samples = images(6, [&](int i, const char* id) {
      const auto tiff = folder.path(id + std::to_string(i) + ".tif");
      write_plain_tiff(tiff, 64, 64, 2, i, DataType::UInt16);
      return tiff;
    });
    create_taco({samples, demo_collection()}, path, plain({.streaming = true}));
    const Question chunks = [](const Dataset& dataset) {
      std::string out;
      for (const char* id : {"img0/a::0", "img3/b::0", "img5/b::0"}) {
        const Tensor chunk = read_chunk(dataset.data(), id);
        out.append(reinterpret_cast<const char*>(chunk.bytes().data()), chunk.bytes().size());
      }
      return out;
    };
    const Question quantiles = [](const Dataset& dataset) {
      std::string out;
      for (const auto& component : histograms(dataset)) {
        for (const auto& band : component.bands) out += component.component + std::to_string(band.quantile(0.5));
      }
      return out;
    };
    check_at_once(path, {chunks, kTree, kLevel, quantiles, kRead, kFilter});
  }
}

}  // namespace
}  // namespace tacore::v1
