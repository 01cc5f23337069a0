#include "tacore/raster/loader.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <latch>
#include <numeric>
#include <set>
#include <thread>

#include "dataset/dataset_impl.hpp"
#include "support/counting.hpp"
#include "support/plain_tiff.hpp"
#include "support/raster_data.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/write/create.hpp"

using namespace tacore;

namespace {

using Positions = std::vector<int64_t>;

/// Two bands of 3 x 2 pixels: the number of the sample, and that plus 1000.
Bytes image(int64_t number) {
  std::vector<uint16_t> pixels(6, static_cast<uint16_t>(number));
  pixels.resize(12, static_cast<uint16_t>(number + 1000));
  return plain_tiff<uint16_t>(3, 2, pixels);
}

Bytes label(int64_t number) {
  return plain_tiff<uint8_t>(3, 2, std::vector<uint8_t>(6, static_cast<uint8_t>(number % 7)));
}

Sample pair(int64_t number, Bytes data) {
  return {"scene_" + std::to_string(1000 + number),
          Tortilla({Sample("image", std::move(data)), Sample("label", label(number))})};
}

std::string write(const TemporaryFolder& folder, const std::vector<Sample>& samples) {
  Taco taco{Tortilla(samples), {.id = "test", .dataset_version = "1.0.0", .description = "x", .licenses = {"CC0-1.0"}}};
  taco.collection.providers = {{.name = "tests"}};
  taco.collection.tasks = {"other"};
  return create(taco, folder.path("test.tacozip"), {.output = {.overwrite = true}})[0];
}

std::string write_pairs(const TemporaryFolder& folder, int64_t count) {
  std::vector<Sample> samples;
  for (int64_t i = 0; i < count; ++i) samples.push_back(pair(i, image(i)));
  return write(folder, samples);
}

std::string write_flat(const TemporaryFolder& folder, int64_t count) {
  std::vector<Sample> samples;
  for (int64_t i = 0; i < count; ++i) samples.emplace_back("s" + std::to_string(1000 + i), image(i));
  return write(folder, samples);
}

/// `samples` with the image of one replaced.
std::string write_with(const TemporaryFolder& folder, int64_t count, int64_t bad, Bytes data) {
  std::vector<Sample> samples;
  for (int64_t i = 0; i < count; ++i) samples.push_back(pair(i, i == bad ? data : image(i)));
  return write(folder, samples);
}

const std::vector<LoaderInput> kImageAndLabel{{.path = "image"}, {.path = "label"}};

/// The rows of one epoch, batch after batch; the pixels have to be theirs.
Positions rows_of(Loader loader) {
  Positions out;
  for (Batch batch; loader.next(batch);) {
    const auto pixels = batch.tensors[0].values<uint16_t>();
    REQUIRE(batch.tensors[0].shape()[0] == static_cast<int64_t>(batch.positions.size()));
    REQUIRE(batch.failures.empty());
    for (std::size_t i = 0; i < batch.positions.size(); ++i) {
      for (std::size_t pixel = 0; pixel < 12; ++pixel) {
        REQUIRE(pixels[i * 12 + pixel] == batch.positions[i] + (pixel < 6 ? 0 : 1000));
      }
      out.push_back(batch.positions[i]);
    }
  }
  return out;
}

Positions counted(int64_t count) {
  Positions out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

TEST_CASE("batches are in the order of the rows, and the last may be shorter") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_pairs(folder, 10)).data();
  Loader loader(rows, {.inputs = kImageAndLabel, .batch_size = 4, .jobs = 2});
  CHECK(loader.num_batches() == 3);
  Batch batch;
  REQUIRE(loader.next(batch));
  CHECK(batch.positions == Positions{0, 1, 2, 3});
  CHECK(batch.next_start == 4);
  REQUIRE(batch.tensors.size() == 2);
  CHECK(batch.tensors[0].type() == DataType::UInt16);
  CHECK(batch.tensors[0].shape() == std::vector<int64_t>{4, 2, 2, 3});
  CHECK(batch.tensors[1].type() == DataType::UInt8);
  CHECK(batch.tensors[1].shape() == std::vector<int64_t>{4, 1, 2, 3});
  CHECK(batch.tensors[0].values<uint16_t>()[2 * 12 + 6] == 1002);
  CHECK(batch.tensors[1].values<uint8_t>()[3 * 6 + 5] == 3);
  REQUIRE(loader.next(batch));
  REQUIRE(loader.next(batch));
  CHECK(batch.positions == Positions{8, 9});
  CHECK(batch.next_start == 10);
  CHECK(batch.tensors[0].shape() == std::vector<int64_t>{2, 2, 2, 3});
  CHECK(batch.tensors[1].values<uint8_t>()[6] == 9 % 7);
  CHECK_FALSE(loader.next(batch));
  CHECK(batch.tensors.empty());
  CHECK_FALSE(loader.next(batch));
}

TEST_CASE("an input without a path reads the samples themselves") {
  const TemporaryFolder folder;
  const Dataset dataset = load(write_flat(folder, 5));
  CHECK(rows_of(Loader(dataset, {.batch_size = 2})) == counted(5));
}

TEST_CASE("bands, window, type and scale of an input are applied as by read_tensor") {
  const TemporaryFolder folder;
  const Dataset dataset = load(write_pairs(folder, 3));
  const TensorOptions tensor{.bands = {2}, .window = Window{1, 0, 1, 2}, .scale = {{2, -1000}}};
  Loader loader(dataset, {.inputs = {{.path = "image", .tensor = tensor}}, .batch_size = 3});
  Batch batch;
  REQUIRE(loader.next(batch));
  CHECK(batch.tensors[0].type() == DataType::Float32);
  CHECK(batch.tensors[0].shape() == std::vector<int64_t>{3, 1, 2, 1});
  const auto values = batch.tensors[0].values<float>();
  CHECK(std::vector<float>(values.begin(), values.end()) == std::vector<float>{1000, 1000, 1002, 1002, 1004, 1004});
}

TEST_CASE("a view is loaded in its own order and without filtered rows") {
  const TemporaryFolder folder;
  const Dataset view = load(write_pairs(folder, 6)).sql("SELECT * FROM data WHERE id <> 'scene_1002' ORDER BY id DESC");
  Loader loader(view, {.inputs = {{.path = "image"}}, .batch_size = 8});
  Batch batch;
  REQUIRE(loader.next(batch));
  CHECK(batch.positions == counted(5));
  std::vector<int> numbers;
  for (std::size_t i = 0; i < 5; ++i) numbers.push_back(batch.tensors[0].values<uint16_t>()[i * 12]);
  CHECK(numbers == std::vector<int>{5, 4, 3, 1, 0});
}

TEST_CASE("a shuffled epoch has every sample once, in an order that depends only on seed and epoch") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_flat(folder, 50)).data();
  const auto order = [&](std::optional<uint64_t> seed, int64_t epoch) {
    return rows_of(Loader(rows, {.batch_size = 7, .seed = seed, .epoch = epoch, .jobs = 3}));
  };
  const Positions first = order(1, 0);
  Positions sorted = first;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == counted(50));
  CHECK(first != sorted);
  CHECK(order(1, 0) == first);
  CHECK(order(1, 1) != first);
  CHECK(order(2, 0) != first);
  // This order must never change: resumed trainings rely on it.
  CHECK(Positions(first.begin(), first.begin() + 8) == Positions{0, 36, 17, 34, 40, 39, 15, 23});
}

TEST_CASE("ranks and shards divide one global order, for any number of them") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_flat(folder, 41)).data();
  const Positions expected = rows_of(Loader(rows, {.batch_size = 41, .seed = 9}));
  for (const int world_size : {1, 2, 3}) {
    for (const int num_shards : {1, 2}) {
      std::vector<std::vector<Loader>> ranks(static_cast<std::size_t>(world_size));
      for (int rank = 0; rank < world_size; ++rank) {
        for (int shard = 0; shard < num_shards; ++shard) {
          ranks[static_cast<std::size_t>(rank)].emplace_back(rows, LoaderOptions{.batch_size = 4,
                                                                                 .seed = 9,
                                                                                 .rank = rank,
                                                                                 .world_size = world_size,
                                                                                 .shard = shard,
                                                                                 .num_shards = num_shards,
                                                                                 .jobs = 1});
        }
      }
      Positions all;
      for (std::size_t step = 0; all.size() < 41; ++step) {
        for (auto& shards : ranks) {
          Batch batch;
          if (!shards[step % static_cast<std::size_t>(num_shards)].next(batch)) continue;
          all.insert(all.end(), batch.positions.begin(), batch.positions.end());
        }
      }
      CAPTURE(world_size);
      CAPTURE(num_shards);
      CHECK(all == expected);
    }
  }
}

TEST_CASE("a loader resumes from one integer, with another number of ranks and another batch size as well") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_flat(folder, 30)).data();
  const Positions expected = rows_of(Loader(rows, {.batch_size = 30, .seed = 4, .epoch = 2}));
  for (int num_steps = 0; num_steps <= 3; ++num_steps) {
    Loader one(rows, {.batch_size = 3, .seed = 4, .epoch = 2, .rank = 1, .world_size = 2, .jobs = 1});
    Batch batch;
    for (int i = 0; i < num_steps; ++i) REQUIRE(one.next(batch));
    CAPTURE(num_steps);
    CHECK(batch.next_start == 6 * num_steps);
    const Positions rest(expected.begin() + 6 * num_steps, expected.end());
    CHECK(rows_of(Loader(rows, {.batch_size = 5, .seed = 4, .epoch = 2, .start = batch.next_start})) == rest);
  }
}

TEST_CASE("drop_last omits an incomplete batch") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_flat(folder, 10)).data();
  CHECK(rows_of(Loader(rows, {.batch_size = 4, .drop_last = true})) == counted(8));
  CHECK(rows_of(Loader(rows, {.batch_size = 11, .drop_last = true})).empty());
}

TEST_CASE("no rows, and a start at the end, give no batches") {
  const TemporaryFolder folder;
  const Dataset dataset = load(write_flat(folder, 4));
  CHECK(rows_of(Loader(dataset.sql("SELECT * FROM data WHERE false"), {})).empty());
  CHECK(rows_of(Loader(dataset, {.start = 4})).empty());
}

TEST_CASE("an unreadable sample is an error with its name when its batch is due, on every retry") {
  const TemporaryFolder folder;
  Bytes broken = image(5);
  broken.resize(20);
  const Dataset dataset = load(write_with(folder, 8, 5, broken));
  Loader loader(dataset, {.inputs = kImageAndLabel, .batch_size = 2, .jobs = 2});
  Batch batch;
  REQUIRE(loader.next(batch));
  REQUIRE(loader.next(batch));
  for (int i = 0; i < 2; ++i) {
    try {
      loader.next(batch);
      FAIL("no error");
    } catch (const FormatError& error) {
      CHECK(error.message().starts_with("sample 'scene_1005' (row 5): "));
    }
    CHECK(batch.tensors.empty());
  }
}

TEST_CASE("a skipped unreadable sample is missing from its batch, which reports it") {
  const TemporaryFolder folder;
  Bytes broken = image(5);
  broken.resize(20);
  const Dataset dataset = load(write_with(folder, 8, 5, broken));
  Loader loader(dataset, {.inputs = kImageAndLabel, .batch_size = 4, .jobs = 2, .on_error = OnError::Skip});
  Batch batch;
  REQUIRE(loader.next(batch));
  CHECK(batch.failures.empty());
  REQUIRE(loader.next(batch));
  CHECK(batch.positions == Positions{4, 6, 7});
  CHECK(batch.tensors[0].shape() == std::vector<int64_t>{3, 2, 2, 3});
  CHECK(batch.tensors[1].shape() == std::vector<int64_t>{3, 1, 2, 3});
  CHECK(batch.next_start == 8);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(batch.tensors[0].values<uint16_t>()[i * 12 + 7] == batch.positions[i] + 1000);
    CHECK(batch.tensors[1].values<uint8_t>()[i * 6 + 5] == batch.positions[i] % 7);
  }
  REQUIRE(batch.failures.size() == 1);
  CHECK(batch.failures[0].position == 5);
  CHECK(has_text(batch.failures[0].message, "sample 'scene_1005' (row 5): "));
  CHECK_FALSE(loader.next(batch));
}

TEST_CASE("a batch may lose all of its samples") {
  const TemporaryFolder folder;
  const Dataset dataset = load(write_with(folder, 3, 1, Bytes(4)));
  Loader loader(dataset, {.inputs = {{.path = "image"}}, .on_error = OnError::Skip});
  Batch batch;
  REQUIRE(loader.next(batch));
  REQUIRE(loader.next(batch));
  CHECK(batch.positions.empty());
  CHECK(batch.failures.size() == 1);
  CHECK(batch.tensors[0].shape() == std::vector<int64_t>{0, 2, 2, 3});
  REQUIRE(loader.next(batch));
  CHECK(batch.positions == Positions{2});
  CHECK_FALSE(loader.next(batch));
}

TEST_CASE("the first readable row fixes shape and type, and samples of another are unreadable") {
  const TemporaryFolder folder;
  const auto error_of_row_1 = [&](const Bytes& data) {
    Loader loader(load(write_with(folder, 3, 1, data)), {.inputs = {{.path = "image"}}, .batch_size = 3});
    Batch batch;
    try {
      loader.next(batch);
    } catch (const SchemaError& error) {
      return error.message();
    }
    return std::string();
  };
  CHECK(error_of_row_1(plain_tiff<uint16_t>(2, 3, std::vector<uint16_t>(12))) ==
        "sample 'scene_1001' (row 1): gives uint16 (2, 3, 2); uint16 (2, 2, 3) expected, as of the other samples");
  CHECK(error_of_row_1(plain_tiff<uint8_t>(3, 2, std::vector<uint8_t>(12))) ==
        "sample 'scene_1001' (row 1): gives uint8 (2, 2, 3); uint16 (2, 2, 3) expected, as of the other samples");
  CHECK(error_of_row_1(plain_tiff<uint16_t>(3, 2, std::vector<uint16_t>(6))) ==
        "sample 'scene_1001' (row 1): gives uint16 (1, 2, 3); uint16 (2, 2, 3) expected, as of the other samples");
}

TEST_CASE("properties fixed by the options of an input may differ from file to file") {
  const TemporaryFolder folder;
  const Dataset dataset = load(write_with(folder, 2, 1, plain_tiff<uint8_t>(5, 4, std::vector<uint8_t>(60, 9))));
  const TensorOptions tensor{.bands = {1}, .window = Window{0, 0, 2, 2}, .type = DataType::Int32};
  Loader loader(dataset, {.inputs = {{.path = "image", .tensor = tensor}}, .batch_size = 2});
  Batch batch;
  REQUIRE(loader.next(batch));
  const auto values = batch.tensors[0].values<int32_t>();
  CHECK(std::vector<int32_t>(values.begin(), values.end()) == std::vector<int32_t>{0, 0, 0, 0, 9, 9, 9, 9});
}

TEST_CASE("an unreadable first row is an error, or skipped like any other") {
  const TemporaryFolder folder;
  const Dataset dataset = load(write_with(folder, 3, 0, Bytes(4)));
  CHECK_THROWS_AS(Loader(dataset, {.inputs = {{.path = "image"}}}), FormatError);
  Loader loader(dataset, {.inputs = {{.path = "image"}}, .batch_size = 3, .on_error = OnError::Skip});
  Batch batch;
  REQUIRE(loader.next(batch));
  CHECK(batch.positions == Positions{1, 2});
  CHECK_THROWS_AS(
      Loader(load(write(folder, {Sample("a", Bytes(4)), Sample("b", Bytes(4))})), {.on_error = OnError::Skip}),
      FormatError);  // the shape of the batch is unknown
}

TEST_CASE("a missing child, a FOLDER as child and a FILE as parent are errors of the sample") {
  const TemporaryFolder folder;
  const Dataset dataset = load(write_pairs(folder, 2));
  const auto error_of = [&](const std::string& path) {
    try {
      Loader(dataset, {.inputs = {{.path = path}}});
    } catch (const NavigationError& error) {
      return error.message();
    }
    return std::string();
  };
  CHECK(error_of("dem") == "sample 'scene_1000' (row 0): ID 'dem' not found");
  CHECK(error_of("image/x") == "sample 'scene_1000' (row 0): 'image' is a FILE and has no child 'x'");
  CHECK(
      error_of("") ==
      "sample 'scene_1000' (row 0): position 0 is a FOLDER, which has no pixels of its own; name one of its children");
}

TEST_CASE("a failing request is an error, and no partial batch is returned") {
  const TemporaryFolder folder;
  const std::string path = write_pairs(folder, 4);
  const CountingStorage storage;
  const Dataset dataset = load(path, {}, std::shared_ptr<const Storage>(&storage, [](const Storage*) {}));
  const DataFrame rows = dataset.data();
  CHECK(rows_of(Loader(rows, {.inputs = {{.path = "image"}}, .batch_size = 4, .jobs = 1})) == counted(4));
  int num_failed = 0;
  for (bool is_failing = true; is_failing; ++num_failed) {
    storage.fail_at(num_failed);
    Positions read;
    std::string thrown;
    try {
      read = rows_of(Loader(rows, {.inputs = {{.path = "image"}}, .batch_size = 4, .jobs = 1}));
    } catch (const IoError& error) {
      thrown = error.message();
    }
    is_failing = !storage.thrown().empty();  // else none was left to fail
    CAPTURE(num_failed);
    CHECK(thrown.ends_with(is_failing ? "the line is down: Input/output error" : ""));
    CHECK(read == (is_failing ? Positions() : counted(4)));
  }
  CHECK(num_failed >= 5);
  storage.fail_at(-1);
}

TEST_CASE("batches that are passed back are reused") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_flat(folder, 60)).data();
  Loader loader(rows, {.batch_size = 3, .jobs = 2, .prefetch = 3});
  std::set<const std::byte*> places;
  for (Batch batch; loader.next(batch);) places.insert(std::as_const(batch.tensors[0]).bytes().data());
  CHECK(places.size() <= 4);  // those being made, and the caller's
}

TEST_CASE("a batch of another loader may be passed in for reuse") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_pairs(folder, 9)).data();
  Batch batch;
  batch.tensors.emplace_back(DataType::Float64, std::vector<int64_t>{1});
  batch.tensors.emplace_back();
  batch.tensors.emplace_back(DataType::UInt16, std::vector<int64_t>{2, 2, 2, 3});
  Loader loader(rows, {.inputs = kImageAndLabel, .batch_size = 2, .jobs = 1, .prefetch = 1});
  int64_t count = 0;
  while (loader.next(batch)) {
    REQUIRE(batch.tensors.size() == 2);
    CHECK(batch.tensors[0].values<uint16_t>()[0] == count);
    count += static_cast<int64_t>(batch.positions.size());
    if (count == 4) batch.tensors.pop_back();
  }
  CHECK(count == 9);
}

TEST_CASE("a reader reads the rows that the caller chooses, in any order and repeatedly") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_pairs(folder, 10)).data();
  for (const int jobs : {0, 1, 3}) {
    CAPTURE(jobs);
    const BatchReader reader(rows, kImageAndLabel, jobs);
    CHECK(reader.kinds() == std::vector<TensorKind>{{DataType::UInt16, {2, 2, 3}}, {DataType::UInt8, {1, 2, 3}}});
    const Positions wanted{7, 2, 7, 0};
    Tensor images(DataType::UInt16, {4, 2, 2, 3}), labels(DataType::UInt8, {4, 1, 2, 3});
    const std::vector<std::span<std::byte>> out{images.bytes(), labels.bytes()};
    reader.read(wanted, out);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(images.values<uint16_t>()[i * 12 + 6] == wanted[i] + 1000);
      CHECK(labels.values<uint8_t>()[i * 6 + 5] == wanted[i] % 7);
    }
    reader.read({}, std::vector<std::span<std::byte>>(2));
    CHECK_THROWS_WITH_AS(reader.read(Positions{1, 10, 2, 3}, out), doctest::Contains("no row 10 among 10"), NavigationError);
    CHECK_THROWS_WITH_AS(reader.read(Positions{1}, out), doctest::Contains("96 bytes, 24 expected"), QueryError);
    CHECK_THROWS_WITH_AS(reader.read(wanted, std::span(out).first(1)), doctest::Contains("1 inputs, 2 expected"),
                         QueryError);
  }
  CHECK_THROWS_AS(BatchReader(rows, {}), QueryError);
  CHECK_THROWS_AS(BatchReader(rows, kImageAndLabel, -1), QueryError);
  CHECK_THROWS_AS(BatchReader(rows, kImageAndLabel, 0, 0), QueryError);
  CHECK_THROWS_WITH_AS(BatchReader(rows, {{"dem"}}), doctest::Contains("scene_1000"), NavigationError);
}

TEST_CASE("a reader names samples of another shape, and those that cannot be read") {
  const TemporaryFolder folder;
  const auto message_of = [&](const Bytes& bad) {
    const BatchReader reader(load(write_with(folder, 6, 3, bad)).data(), {{.path = "image"}}, 2);
    Tensor images(DataType::UInt16, {3, 2, 2, 3});
    try {
      reader.read(Positions{2, 3, 4}, std::vector<std::span<std::byte>>{images.bytes()});
    } catch (const Error& error) {
      return error.message();
    }
    return std::string();
  };
  CHECK(message_of(label(3)).starts_with("sample 'scene_1003' (row 3): gives uint8 (1, 2, 3); uint16 (2, 2, 3)"));
  CHECK(message_of(Bytes(10)).starts_with("sample 'scene_1003' (row 3): "));
}

// Every rank and shard, with any options: the samples of the epoch exactly once, and as many batches for each rank.
TEST_CASE("ranks and shards divide an order of blocks, from any start") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_flat(folder, 61)).data();
  const Positions whole = rows_of(Loader(rows, {.batch_size = 5, .seed = 4, .shuffle_block = 4, .shuffle_window = 3}));
  CHECK(std::is_permutation(whole.begin(), whole.end(), counted(61).begin()));
  for (const int world_size : {1, 2, 5}) {
    for (const int num_shards : {1, 3}) {
      for (const int64_t start : {0, 17}) {
        Positions all;
        std::set<int64_t> lengths;
        for (int rank = 0; rank < world_size; ++rank) {
          int64_t length = 0;
          for (int shard = 0; shard < num_shards; ++shard) {
            Loader loader(rows, {.batch_size = 3,
                                 .seed = 4,
                                 .shuffle_block = 4,
                                 .shuffle_window = 3,
                                 .start = start,
                                 .rank = rank,
                                 .world_size = world_size,
                                 .shard = shard,
                                 .num_shards = num_shards});
            length += loader.num_batches();
            const Positions some = rows_of(std::move(loader));
            all.insert(all.end(), some.begin(), some.end());
          }
          lengths.insert(length);
        }
        CHECK(lengths.size() == 1);
        CHECK(std::is_permutation(all.begin(), all.end(), whole.begin() + start, whole.end()));
      }
    }
  }
}

TEST_CASE("neighbours of a view that is in another order are those of the file") {
  const TemporaryFolder folder;
  const Dataset dataset = load(write_flat(folder, 40));
  const LoaderOptions options{.batch_size = 8, .seed = 4, .shuffle_block = 8, .shuffle_window = 1};
  const Dataset view = dataset.sql("SELECT * FROM data ORDER BY hash(id)");
  std::set<std::set<int64_t>> blocks[2];
  Loader plain(dataset, options), sorted(view, options);
  for (Batch batch; plain.next(batch);) blocks[0].insert({batch.positions.begin(), batch.positions.end()});
  for (Batch batch; sorted.next(batch);) {
    std::set<int64_t> numbers;
    for (std::size_t i = 0; i < 8; ++i) numbers.insert(batch.tensors[0].values<uint16_t>()[i * 12]);
    blocks[1].insert(numbers);
  }
  CHECK(blocks[0].size() == 5);
  CHECK(blocks[0] == blocks[1]);
}

TEST_CASE("a loader is destroyed and moved in the middle of an epoch") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_flat(folder, 40)).data();
  for (int num_batches = 0; num_batches < 4; ++num_batches) {
    Loader loader(rows, {.batch_size = 2, .jobs = 3, .prefetch = 4});
    Batch batch;
    for (int i = 0; i < num_batches; ++i) REQUIRE(loader.next(batch));
    Loader moved(std::move(loader));
    REQUIRE(moved.next(batch));
    CHECK(batch.positions[0] == 2 * num_batches);
    moved = Loader(rows, {.batch_size = 5});
    REQUIRE(moved.next(batch));
    CHECK(batch.positions == counted(5));
  }
}

TEST_CASE("without prefetch the calling thread reads, and an unreadable batch fails again on retry") {
  const TemporaryFolder folder;
  CHECK(rows_of(Loader(load(write_flat(folder, 7)), {.batch_size = 3, .prefetch = 0})) == counted(7));
  Loader loader(load(write_with(folder, 6, 3, Bytes(10))), {.inputs = kImageAndLabel, .batch_size = 2, .prefetch = 0});
  Batch batch;
  REQUIRE(loader.next(batch));
  for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(loader.next(batch), Error);
}

TEST_CASE("invalid loader options are refused") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_flat(folder, 3)).data();
  CHECK_THROWS_WITH_AS(Loader(rows, {.inputs = {}}), "a loader needs at least one input", QueryError);
  CHECK_THROWS_WITH_AS(Loader(rows, {.jobs = -1}), "jobs is -1, 0 or more expected", QueryError);
  CHECK_THROWS_WITH_AS(Loader(rows, {.prefetch = -1}), "prefetch is -1, 0 or more expected", QueryError);
  CHECK_THROWS_AS(Loader(rows, {.batch_size = 0}), QueryError);
  CHECK_THROWS_AS(Loader(rows, {.inputs = {{.tensor = {.bands = {3}}}}}), QueryError);
}

/// Exit code 0 when `body` is true in a forked child.
int in_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // No test framework in here: it would report twice.
    int code = 1;
    try {
      code = body() ? 0 : 2;
    } catch (...) {
      code = 3;
    }
    ::_exit(code);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a forked child can use its own loaders, and those that had not started" * doctest::test_suite("fork")) {
  const TemporaryFolder folder;
  const std::string path = write_flat(folder, 6);
  const DataFrame rows = load(path).data();
  Loader not_started(rows, {.batch_size = 6, .jobs = 2});
  CHECK(in_child([&] {
          Batch batch;
          return not_started.next(batch) && batch.positions == counted(6) && !not_started.next(batch);
        }) == 0);
  Batch batch;
  CHECK(not_started.next(batch));  // the parent's own
  CHECK(in_child([&] {
          Batch in_child;
          Loader loader(load(path), {.batch_size = 6, .jobs = 2});
          return loader.next(in_child) && in_child.positions == counted(6);
        }) == 0);
}

TEST_CASE("a running loader refuses to work in a forked child, and can be destroyed there") {
  const TemporaryFolder folder;
  const DataFrame rows = load(write_flat(folder, 20)).data();
  auto loader = std::make_unique<Loader>(rows, LoaderOptions{.batch_size = 2, .jobs = 2, .prefetch = 3});
  Batch batch;
  REQUIRE(loader->next(batch));
  CHECK(in_child([&] {
          try {
            loader->next(batch);
          } catch (const QueryError&) {
            loader.reset();
            return true;
          }
          return false;
        }) == 0);
  REQUIRE(loader->next(batch));
  CHECK(batch.positions == Positions{2, 3});
}

}  // namespace

TEST_SUITE("threads") {
  TEST_CASE("a loader with eight threads gives the batches of one thread") {
    const TemporaryFolder folder;
    const DataFrame rows = load(write_pairs(folder, 64)).data();
    for (const int prefetch : {0, 1, 5}) {
      const LoaderOptions options{
          .inputs = {{.path = "image"}}, .batch_size = 5, .seed = 3, .jobs = 8, .prefetch = prefetch};
      LoaderOptions one = options;
      one.jobs = 1;
      CHECK(rows_of(Loader(rows, options)) == rows_of(Loader(rows, one)));
    }
  }

  TEST_CASE("loaders with eight threads share a frame, and read one raster") {
    const TemporaryFolder folder;
    const DataFrame rows = load(write_pairs(folder, 12)).data();
    const auto raster = open_raster(std::get<DataFrame>(rows.read(3)), 0);
    std::latch start(8);
    std::vector<int> wrong(8);
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < 8; ++t) {
      all.emplace_back([&, t] {
        start.arrive_and_wait();
        const Tensor tensor = read_tensor(*raster, {.bands = {2}, .scale = {{1, 0}}});
        for (const float value : tensor.values<float>()) wrong[t] += value != 1003;
        Loader loader(rows, {.inputs = kImageAndLabel, .batch_size = 4, .seed = t, .jobs = 2});
        for (Batch batch; loader.next(batch);) {
          for (std::size_t i = 0; i < batch.positions.size(); ++i) {
            wrong[t] += batch.tensors[0].values<uint16_t>()[i * 12] != batch.positions[i];
          }
        }
      });
    }
    for (auto& thread : all) thread.join();
    CHECK(wrong == std::vector<int>(8));
  }

  TEST_CASE("unreadable samples in many threads are all reported, and loaders can be destroyed meanwhile") {
    const TemporaryFolder folder;
    std::vector<Sample> samples;
    for (int64_t i = 0; i < 40; ++i) samples.emplace_back("s" + std::to_string(1000 + i), i % 3 ? image(i) : Bytes(9));
    const DataFrame rows = load(write(folder, samples)).data();
    Loader loader(rows, {.batch_size = 6, .jobs = 8, .on_error = OnError::Skip});
    std::size_t num_failures = 0, num_read = 0;
    for (Batch batch; loader.next(batch);) {
      num_failures += batch.failures.size();
      num_read += batch.positions.size();
    }
    CHECK(num_failures == 14);
    CHECK(num_read == 26);
    for (int i = 0; i < 10; ++i) {
      Loader dying(rows, {.batch_size = 3, .jobs = 4, .prefetch = 4, .on_error = OnError::Skip});
      Batch batch;
      dying.next(batch);
    }
  }
}
