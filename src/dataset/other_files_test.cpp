#include "net/other_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>

#include "tacore/dataset.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

using Asked = std::vector<std::pair<uint64_t, uint64_t>>;

/// 200,000 bytes that repeat after 251; notes what is read of them.
class File final : public RemoteFile {
 public:
  explicit File(Asked& asked, std::mutex& mutex) : asked_(asked), mutex_(mutex) {}

  uint64_t size() const override { return 200'000; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (offset == 13) throw IoError("bad luck", {.path = "/vsigs/b/file", .offset = 13}, EIO);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>((offset + i) % 251);
    const std::lock_guard lock(mutex_);
    asked_.emplace_back(offset, out.size());
  }

 private:
  Asked& asked_;
  std::mutex& mutex_;
};

/// A store that has `/vsigs/b/file...`, refuses `/vsigs/b/secret` and fails for `/vsigs/b/broken`.
class Store final : public RemoteOpener {
 public:
  std::unique_ptr<RemoteFile> open(const std::string& vsi_path, const RemoteOptions& options) const override {
    max_tries = options.max_tries;
    if (vsi_path == "/vsigs/b/secret") throw IoError("HTTP status 403", {.path = vsi_path}, EACCES);
    if (vsi_path == "/vsigs/b/broken") throw IoError("HTTP status 500", {.path = vsi_path}, EIO);
    if (!vsi_path.starts_with("/vsigs/b/file")) return nullptr;
    return std::make_unique<File>(asked, mutex);
  }

  mutable Asked asked;
  mutable std::mutex mutex;
  mutable std::atomic<int> max_tries = 0;  ///< of the last that was opened
};

bool is_right(const Bytes& bytes, ByteRange range) {
  if (bytes.size() != range.size) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != static_cast<std::byte>((range.offset + i) % 251)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a file that another library reads keeps the user's name, in errors as well") {
  const Store store;
  const auto file = net::open_other_file(store, "gs://b/file", {.max_concurrent_requests = 4});
  REQUIRE(file);
  CHECK(file->name() == "gs://b/file");
  CHECK(file->size() == 200'000);
  CHECK_FALSE(file->is_local());
  CHECK_THROWS_WITH_AS(file->read({13, 1}), doctest::Contains("gs://b/file: bad luck"), IoError);
  CHECK_THROWS_WITH_AS(file->read({199'999, 2}),
                       doctest::Contains("gs://b/file: read of 2 bytes at 199999 passes the end"), IoError);
  CHECK_THROWS_WITH_AS(net::open_other_file(store, "gs://b/secret", {.max_concurrent_requests = 4}),
                       doctest::Contains("gs://b/secret: HTTP status 403"), IoError);
  CHECK(net::open_other_file(store, "gs://b/none", {.max_concurrent_requests = 4}) == nullptr);
}

TEST_CASE("the fallback opener gets the remote options of the call") {
  const Store store;
  REQUIRE(net::open_other_file(store, "gs://b/file", {.max_tries = 3}));
  CHECK(store.max_tries == 3);
  REQUIRE(net::open_other_files(store, std::vector<std::string>{"gs://b/file"}, {.max_tries = 2})[0]);
  CHECK(store.max_tries == 2);
  // Those that are given to load, not those that are set for all.
  set_remote_options({.max_tries = 7, .fallback = &store});
  CHECK_THROWS_AS(load("gs://b/file.tacozip", {.remote = RemoteOptions{.max_tries = 4, .fallback = &store}}), Error);
  CHECK(store.max_tries == 4);
  CHECK_THROWS_AS(load("gs://b/file.tacozip"), Error);
  CHECK(store.max_tries == 7);
  set_remote_options({});
}

TEST_CASE("open_other_files returns null for files that the fallback reports as missing, and rethrows other failures") {
  const Store store;
  const std::vector<std::string> paths = {"gs://b/file1", "gs://b/none", "gs://b/secret", "gs://b/file2"};
  for (const int limit : {1, 100}) {
    const auto files = net::open_other_files(store, paths, {.max_concurrent_requests = limit});
    REQUIRE(files.size() == 4);
    CHECK((files[0] && files[0]->name() == "gs://b/file1"));
    CHECK(files[1] == nullptr);
    CHECK(files[2] == nullptr);
    CHECK((files[3] && files[3]->name() == "gs://b/file2"));
  }
  const std::vector<std::string> broken = {"gs://b/file1", "gs://b/broken"};
  CHECK_THROWS_WITH_AS(net::open_other_files(store, broken, {.max_concurrent_requests = 4}),
                       doctest::Contains("gs://b/broken: HTTP status 500"), IoError);
}

TEST_CASE("ranges of a file are returned in the requested order, and close ranges share one request") {
  const Store store;
  const auto file = net::open_other_file(store, "gs://b/file", {.max_concurrent_requests = 8});
  const std::vector<ByteRange> ranges = {{150'000, 100}, {0, 10}, {20, 5}, {150'050, 100}, {7, 0}};
  const auto bytes = file->read_ranges(ranges);
  REQUIRE(bytes.size() == ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    CAPTURE(i);
    CHECK(is_right(bytes[i], ranges[i]));
  }
  std::sort(store.asked.begin(), store.asked.end());
  CHECK(store.asked == Asked{{0, 25}, {150'000, 150}});
  CHECK_THROWS_AS(file->read_ranges(std::vector<ByteRange>{{0, 1}, {200'000, 1}}), IoError);
  CHECK_THROWS_WITH_AS(file->read_ranges(std::vector<ByteRange>{{13, 1}, {100'000, 1}}), doctest::Contains("bad luck"),
                       IoError);
}
