#include "net/file_cache.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <thread>

#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/verbose.hpp"

namespace {

using namespace tacore;
using namespace tacore::net;

constexpr uint64_t kFirst = 100;  // bytes that come when a file is opened

/// Files of a server, which records the requests.
struct Server {
  struct File {
    Bytes bytes;
    std::string validator = "\"1\"";
  };

  std::map<std::string, File> files;
  bool is_up = true;
  std::atomic<int> num_opened = 0;
  std::mutex mutex = {};
  std::vector<ByteRange> asked = {};   ///< after opening
  std::chrono::milliseconds pause{0};  ///< of each request

  Bytes& add(const std::string& url, std::size_t size, int seed = 0) {
    std::mt19937 random(static_cast<unsigned>(seed));
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    return files.insert_or_assign(url, File{std::move(bytes)}).first->second.bytes;
  }
  std::vector<ByteRange> take_asked() {
    const std::lock_guard lock(mutex);
    return std::exchange(asked, {});
  }
};

class ServerFile final : public HttpSource {
 public:
  ServerFile(Server& server, std::string name, Server::File file)
      : server_(server), name_(std::move(name)), file_(std::move(file)) {
    const uint64_t count = std::min<uint64_t>(kFirst, size());
    const uint64_t offset = name_.ends_with(".parquet") ? size() - count : 0;
    const auto part = std::span(file_.bytes).subspan(offset, count);
    first_.add(offset, {part.begin(), part.end()});
  }

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return file_.bytes.size(); }
  bool is_local() const noexcept override { return false; }
  const std::string& copy_validator() const noexcept override { return file_.validator; }
  const RangeMap& first() const noexcept override { return first_; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    std::this_thread::sleep_for(server_.pause);
    const std::lock_guard lock(server_.mutex);
    if (!server_.is_up) throw Unreachable("no connection", {.path = name_, .offset = offset});
    server_.asked.push_back({offset, out.size()});
    std::copy_n(file_.bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  }

 private:
  Server& server_;
  std::string name_;
  Server::File file_;
  RangeMap first_;
};

FileCache::Opener opener(Server& server) {
  return [&server](std::span<const RemoteAddress> addresses) {
    FileCache::Files out;
    for (const RemoteAddress& address : addresses) {
      ++server.num_opened;
      if (!server.is_up) throw Unreachable("no connection", {.path = address.name, .offset = 0});
      const auto found = server.files.find(address.url);
      if (found == server.files.end()) {
        out.push_back({.status = 404});
      } else {
        out.push_back({.file = std::make_shared<ServerFile>(server, address.name, found->second), .status = 206});
      }
    }
    return out;
  };
}

RemoteAddress address(const std::string& url) { return {.name = url, .url = url}; }

/// One run of a program.
std::vector<std::shared_ptr<const ByteSource>> open(const TemporaryFolder& folder, Server& server,
                                                    const std::vector<std::string>& urls) {
  std::vector<RemoteAddress> addresses;
  for (const auto& url : urls) addresses.push_back(address(url));
  std::vector<std::shared_ptr<const ByteSource>> out;
  for (auto& opened : FileCache(folder.path(), 64 << 20).open(addresses, opener(server))) out.push_back(opened.file);
  return out;
}

Bytes part(const Bytes& whole, ByteRange range) {
  const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(range.offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(range.size)};
}

const std::string kUrl = "https://host/data/a.tacozip";

TEST_CASE("bytes read once are not requested again, nor any part of them") {
  const TemporaryFolder folder;
  Server server;
  const Bytes whole = server.add(kUrl, 5000);
  const auto first = open(folder, server, {kUrl})[0];
  CHECK(first->size() == 5000);
  CHECK(first->read({1000, 500}) == part(whole, {1000, 500}));
  CHECK(server.take_asked() == std::vector<ByteRange>{{1000, 500}});
  CHECK(first->read({1000, 500}) == part(whole, {1000, 500}));
  const auto again = open(folder, server, {kUrl})[0];
  CHECK(again->read({1000, 500}) == part(whole, {1000, 500}));
  CHECK(again->read({1200, 300}) == part(whole, {1200, 300}));
  CHECK(again->read({0, kFirst}) == part(whole, {0, kFirst}));
  CHECK(again->read({700, 0}).empty());
  CHECK(server.take_asked().empty());
  CHECK(server.num_opened == 2);
}

TEST_CASE("only the gaps between cached pieces are requested, in one call") {
  const TemporaryFolder folder;
  Server server;
  const Bytes whole = server.add(kUrl, 5000);
  const auto file = open(folder, server, {kUrl})[0];
  for (const ByteRange range : {ByteRange{1000, 500}, {2000, 500}, {1400, 200}}) file->read(range);
  CHECK(server.take_asked() == std::vector<ByteRange>{{1000, 500}, {2000, 500}, {1500, 100}});
  const ByteRange ranges[] = {{50, 1000}, {1450, 1100}, {0, 10}, {4999, 1}, {3000, 0}};
  const auto bytes = file->read_ranges(ranges);
  for (std::size_t i = 0; i < std::size(ranges); ++i) CHECK(bytes[i] == part(whole, ranges[i]));
  // ServerFile merges like the default.
  CHECK(server.take_asked() == std::vector<ByteRange>{{100, 4900}});
  CHECK(file->read_all() != Bytes{});
  CHECK(file->read_all() == whole);
  server.take_asked();
  CHECK(open(folder, server, {kUrl})[0]->read_all() == whole);
  CHECK(server.take_asked().empty());
}

TEST_CASE("any sequence of cached reads gives the bytes of the file") {
  const TemporaryFolder folder;
  Server server;
  const Bytes whole = server.add(kUrl, 3'000'000);
  std::mt19937 random(1);
  for (int run = 0; run < 10; ++run) {
    const auto file = open(folder, server, {kUrl})[0];
    for (int i = 0; i < 20; ++i) {
      std::vector<ByteRange> ranges;
      for (unsigned n = random() % 4 + 1; n > 0; --n) {
        const uint64_t offset = random() % whole.size();
        const uint64_t longest = random() % 8 == 0 ? 2'500'000 : 3000;
        ranges.push_back({offset, random() % std::min<uint64_t>(whole.size() - offset + 1, longest)});
      }
      const auto bytes = file->read_ranges(ranges);
      for (std::size_t k = 0; k < ranges.size(); ++k) REQUIRE(bytes[k] == part(whole, ranges[k]));
    }
  }
  CHECK(open(folder, server, {kUrl})[0]->read_all() == whole);
}

/// How often the server was asked for each byte.
std::vector<int> times_asked(Server& server, std::size_t size) {
  std::vector<int> out(size);
  for (const ByteRange& range : server.take_asked()) {
    for (uint64_t at = range.offset; at < range.offset + range.size; ++at) ++out[at];
  }
  return out;
}

/// Four runs at the same time that read all of a file, in parts that begin where `size_of` says; how often the server
/// was asked for each byte behind the first ones.
std::vector<int> asked_by_four(int seed, const std::function<uint64_t(std::mt19937&, int)>& size_of) {
  const TemporaryFolder folder;
  Server server;
  const Bytes whole = server.add("https://x/a", 200'000, seed);
  server.pause = std::chrono::milliseconds(1);
  std::vector<std::thread> threads;
  std::atomic<int> num_wrong = 0;
  for (int run = 0; run < 4; ++run) {
    threads.emplace_back([&, run] {
      const auto file = open(folder, server, {"https://x/a"})[0];
      std::mt19937 random(static_cast<unsigned>(100 * seed + run));
      std::vector<ByteRange> all;
      for (uint64_t at = kFirst; at < whole.size();) {
        all.push_back({at, std::min<uint64_t>(size_of(random, static_cast<int>(all.size())), whole.size() - at)});
        at += all.back().size;
      }
      std::shuffle(all.begin(), all.end(), random);
      for (std::size_t i = 0; i < all.size(); i += 3) {
        const auto some = std::span(all).subspan(i, std::min<std::size_t>(3, all.size() - i));
        const auto bytes = file->read_ranges(some);
        for (std::size_t k = 0; k < some.size(); ++k) num_wrong += bytes[k] == part(whole, some[k]) ? 0 : 1;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(num_wrong == 0);
  auto times = times_asked(server, whole.size());
  times.erase(times.begin(), times.begin() + kFirst);
  return times;
}

TEST_CASE("several runs at the same time request each byte once") {
  for (int seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    // Of the same samples, in another order: gaps between them are too large to be read along.
    const auto times = asked_by_four(seed, [](std::mt19937&, int number) { return 5000 + 977 * (number % 13); });
    CHECK(std::count(times.begin(), times.end(), 1) == static_cast<int64_t>(times.size()));
    // Of other parts, some are requested again, when they were stored since pieces were listed.
    const auto others = asked_by_four(seed, [](std::mt19937& random, int) { return 500 + random() % 20'000; });
    CHECK(*std::min_element(others.begin(), others.end()) >= 1);
    CHECK(std::accumulate(others.begin(), others.end(), 0) < 2 * static_cast<int>(others.size()));
  }
}

TEST_CASE("a run that does not go on with its reading holds others up for a while, and one that ended does not") {
  const TemporaryFolder folder;
  const DiskCache other(folder.path(), 64 << 20), cache(folder.path(), 64 << 20, std::chrono::milliseconds(50));
  const auto pieces = cache.pieces_of("https://x/a", {.size = 1000, .validator = "\"1\""});
  const std::vector<ByteRange> ranges{{500, 100}, {0, 100}}, beside{{100, 400}, {600, 400}};
  REQUIRE(other.store(pieces, 990, Bytes(10)));  // makes the folder
  {
    const auto reading = other.begin_reading(pieces, ranges);
    CHECK_FALSE(reading.had_to_wait());
    CHECK_FALSE(cache.begin_reading(pieces, beside).had_to_wait());
    const auto began = std::chrono::steady_clock::now();
    CHECK(cache.begin_reading(pieces, ranges).had_to_wait());
    CHECK(std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(50));
    CHECK_FALSE(cache.begin_reading(pieces + "other", ranges).had_to_wait());
  }
  CHECK_FALSE(cache.begin_reading(pieces, ranges).had_to_wait());
}

TEST_CASE("a read past the end fails with the cache as without it") {
  const TemporaryFolder folder;
  Server server;
  server.add(kUrl, 5000);
  const auto file = open(folder, server, {kUrl})[0];
  CHECK(text_of<Error>([&] {
          file->read({4000, 1001});
        }) == kUrl + ": read of 1001 bytes at 4000 passes the end at 5000");
}

TEST_CASE("no old bytes of a changed file are read, whether its validator or only its size changed") {
  for (const bool by_size : {false, true}) {
    const TemporaryFolder folder;
    Server server;
    server.add(kUrl, 5000, 1);
    open(folder, server, {kUrl})[0]->read_all();
    const Bytes now = server.add(kUrl, by_size ? 4000 : 5000, 2);
    if (!by_size) server.files[kUrl].validator = "\"2\"";
    server.take_asked();
    CHECK(open(folder, server, {kUrl})[0]->read_all() == now);
    CHECK(server.take_asked().size() == 1);
  }
}

TEST_CASE("a file without a usable validator is not cached") {
  const TemporaryFolder folder;
  Server server;
  const Bytes whole = server.add(kUrl, 5000);
  for (const char* validator : {"", "two\nlines"}) {
    server.files[kUrl].validator = validator;
    CHECK(open(folder, server, {kUrl})[0]->read_all() == whole);
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      CHECK((entry.is_directory() || entry.path().filename() == "lock"));
    }
  }
}

TEST_CASE("damaged pieces are fetched again and replaced") {
  const TemporaryFolder folder;
  Server server;
  const Bytes whole = server.add(kUrl, 5000);
  open(folder, server, {kUrl})[0]->read_all();
  const auto damage = [&] {
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() / 2);
    }
  };
  damage();
  server.take_asked();
  CHECK(open(folder, server, {kUrl})[0]->read_all() == whole);
  CHECK(server.take_asked().size() == 1);
  server.is_up = false;  // even for the bytes of the first response
  CHECK(open(folder, server, {kUrl})[0]->read_all() == whole);
  damage();
  CHECK(text_of<Error>([&] { open(folder, server, {kUrl}); }) == kUrl + ": no connection (byte 0)");
}

TEST_CASE("cached bytes are read offline, and others are the connection error") {
  const TemporaryFolder folder;
  Server server;
  const Bytes whole = server.add(kUrl, 5000);
  open(folder, server, {kUrl})[0]->read({1000, 500});
  server.is_up = false;
  std::vector<std::string> warnings;
  set_log_sink([](LogLevel, std::string_view text,
                  void* user) { static_cast<std::vector<std::string>*>(user)->emplace_back(text); },
               &warnings);
  const FileCache cache(folder.path(), 64 << 20);
  const RemoteAddress at = address(kUrl);
  const auto file = cache.open({&at, 1}, opener(server))[0].file;
  const int tried = server.num_opened;
  cache.open({&at, 1}, opener(server));
  set_log_sink(nullptr);
  CHECK(server.num_opened == tried);  // it was known already that there is no connection
  CHECK(warnings ==
        std::vector<std::string>{
            kUrl + ": the server cannot be reached; reading from the cache, which may be outdated (no connection)"});
  CHECK(file->size() == 5000);
  CHECK(file->read({0, kFirst}) == part(whole, {0, kFirst}));
  CHECK(file->read({1100, 100}) == part(whole, {1100, 100}));
  CHECK(text_of<Error>([&] { file->read({1400, 200}); }) == kUrl + ": not in the cache: no connection (byte 1500)");
  CHECK(text_of<Error>([&] { open(folder, server, {"https://host/data/b.tacozip"}); }) ==
        "https://host/data/b.tacozip: no connection (byte 0)");
}

TEST_CASE("errors other than a lost connection do not fall back to the cache") {
  const TemporaryFolder folder;
  Server server;
  server.add(kUrl, 5000);
  open(folder, server, {kUrl});
  const RemoteAddress at = address(kUrl);
  const auto refuse = [](std::span<const RemoteAddress>) -> FileCache::Files {
    throw IoError("HTTP status 403", {.path = kUrl});
  };
  CHECK(text_of<Error>([&] {
          FileCache(folder.path(), 64 << 20).open({&at, 1}, refuse);
        }) == kUrl + ": HTTP status 403");
}

TEST_CASE("a file cached as missing is missing offline as well") {
  const TemporaryFolder folder;
  Server server;
  CHECK(open(folder, server, {kUrl})[0] == nullptr);
  server.is_up = false;
  CHECK(open(folder, server, {kUrl})[0] == nullptr);
  server.is_up = true;
  server.add(kUrl, 10);
  CHECK(open(folder, server, {kUrl})[0] != nullptr);
  server.is_up = false;
  CHECK(open(folder, server, {kUrl})[0] != nullptr);
}

TEST_CASE("a 403 response does not remove a file from the cache") {
  const TemporaryFolder folder;
  Server server;
  server.add(kUrl, 10);
  open(folder, server, {kUrl});
  const RemoteAddress at = address(kUrl);
  const auto forbid = [](std::span<const RemoteAddress>) { return FileCache::Files{{.status = 403}}; };
  CHECK(FileCache(folder.path(), 64 << 20).open({&at, 1}, forbid)[0].status == 403);
  server.is_up = false;
  CHECK(open(folder, server, {kUrl})[0] != nullptr);
}

const std::string kRoot = "https://host/set/";
const std::vector<std::string> kLevels{kRoot + "METADATA/level0.parquet", kRoot + "METADATA/level1.parquet"};

TEST_CASE("files that are opened together are all kept or all dropped") {
  for (const bool fails : {false, true}) {
    const TemporaryFolder folder;
    Server server;
    const Bytes level = server.add(kLevels[0], 5000);
    if (fails) {
      const FileCache cache(folder.path(), 64 << 20);
      std::vector<RemoteAddress> all{address(kLevels[0]), address(kLevels[1])};
      CHECK(text_of<Error>([&] {
              cache.open(all, [&](std::span<const RemoteAddress>) -> FileCache::Files {
                throw IoError("HTTP status 500, 5 times", {.path = kLevels[1]});
              });
            }) == kLevels[1] + ": HTTP status 500, 5 times");
    } else {
      const auto files = open(folder, server, kLevels);
      CHECK(files[1] == nullptr);
      CHECK(files[0]->read_all() == level);  // the one that is there can be read
    }
    CHECK_FALSE(fs::exists(folder.path("files")));
    server.is_up = false;
    CHECK(text_of<Error>([&] { open(folder, server, kLevels); }) == kLevels[0] + ": no connection (byte 0)");
  }
}

TEST_CASE("a set of files of which one is not cached is not opened offline") {
  const TemporaryFolder folder;
  Server server;
  server.add(kLevels[0], 500);
  server.add(kLevels[1], 500);
  open(folder, server, {kLevels[0]});
  server.is_up = false;
  CHECK(text_of<Error>([&] { open(folder, server, kLevels); }) == kLevels[0] + ": no connection (byte 0)");
  server.is_up = true;
  open(folder, server, kLevels);
  server.is_up = false;
  CHECK(open(folder, server, kLevels).size() == 2);
}

TEST_CASE("levels of the old version are not read with a new collection") {
  const TemporaryFolder folder;
  Server server;
  const std::string collection = kRoot + "COLLECTION.json";
  const auto add = [&](int version) {
    for (const auto& url : {collection, kLevels[0], kLevels[1]}) {
      server.add(url, 500, version);
      server.files[url].validator = "\"" + std::to_string(version) + "\"";
    }
  };
  add(1);
  open(folder, server, {collection});
  open(folder, server, kLevels);
  server.is_up = false;
  CHECK(open(folder, server, {collection})[0]->size() == 500);
  CHECK(open(folder, server, kLevels).size() == 2);
  server.is_up = true;
  add(2);
  open(folder, server, {collection});  // and then the connection is lost
  server.is_up = false;
  CHECK(open(folder, server, {collection})[0]->size() == 500);
  CHECK(text_of<Error>([&] { open(folder, server, kLevels); }) == kLevels[0] + ": no connection (byte 0)");
  server.is_up = true;
  open(folder, server, kLevels);
  server.is_up = false;
  CHECK(open(folder, server, {collection})[0] != nullptr);
  CHECK(open(folder, server, kLevels).size() == 2);
}

TEST_CASE("the cache key of a file does not depend on credentials and contains none") {
  struct Case {
    std::string url, name;
  };
  const Case cases[] = {
      {"https://h/a.tacozip", "https://h/a.tacozip"},
      {"https://user:secret@h:8/a", "https://h:8/a"},
      {"https://h/a@b", "https://h/a@b"},
      {"https://h/a?X-Amz-Signature=s&X-Amz-Date=d&versionId=3", "https://h/a?versionId=3"},
      {"https://h/a?X-Goog-Signature=s&X-Goog-Expires=9", "https://h/a"},
      {"https://h/a?sv=2022&st=x&se=y&sr=c&sp=rl&sig=secret", "https://h/a"},
      {"https://h/a?AWSAccessKeyId=k&Expires=3&Signature=secret", "https://h/a"},
      {"https://h/a?Policy=p&Signature=secret&Key-Pair-Id=k&part=2", "https://h/a?part=2"},
      {"https://h/get?id=7&token=secret&access_token=secret", "https://h/get?id=7"},
      {"https://h/get?sp=3&se=4&policy=x",
       "https://h/get?sp=3&se=4&policy=x"},  // not signed: what they mean is not known
      {"https://h/get?a=1&&b=2", "https://h/get?a=1&b=2"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.url);
    CHECK(cache_name(address(c.url)) == c.name);
  }
  RemoteAddress s3{.name = "s3://b/k e"};
  s3.bucket = "b";
  s3.key = "d/k e";
  CHECK(cache_name(s3) == "s3://b/d/k%20e");
  s3.endpoint = "https://user:secret@store:9000";
  CHECK(cache_name(s3) == "https://store:9000/b/d/k%20e");
}

TEST_SUITE("threads") {
  TEST_CASE("threads share a cached file") {
    const TemporaryFolder folder;
    Server server;
    const Bytes whole = server.add(kUrl, 200'000);
    const FileCache cache(folder.path(), 1 << 20);
    const RemoteAddress at = address(kUrl);
    const auto shared = cache.open({&at, 1}, opener(server))[0].file;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(static_cast<unsigned>(t));
        const auto own = cache.open({&at, 1}, opener(server))[0].file;
        for (int i = 0; i < 100; ++i) {
          const uint64_t offset = random() % whole.size();
          const ByteRange range{offset, random() % std::min<uint64_t>(whole.size() - offset + 1, 20'000)};
          if ((i % 2 == 0 ? shared : own)->read(range) != part(whole, range)) ++wrong;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}

}  // namespace
