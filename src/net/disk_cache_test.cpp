#include "net/disk_cache.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/support.hpp"
#include "tacore/verbose.hpp"

namespace {

using namespace tacore;
using namespace tacore::net;

constexpr uint64_t kSize = 64 << 20;
const FileFacts kFacts{.size = 1000, .validator = "\"abc\""};

Bytes pattern(std::size_t size, int seed = 0) {
  Bytes out(size);
  for (std::size_t i = 0; i < size; ++i)
    out[i] = static_cast<std::byte>(i * 7 + i / 251 + static_cast<std::size_t>(seed));
  return out;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) out.push_back(entry.path());
  }
  return out;
}

uint64_t bytes_on_disk(const fs::path& folder) {
  uint64_t out = 0;
  struct stat info = {};
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (::lstat(entry.path().c_str(), &info) == 0) out += static_cast<uint64_t>(info.st_blocks) * 512;
  }
  return out;
}

/// The messages of the library.
class Messages {
 public:
  Messages() {
    set_log_sink(
        [](LogLevel, std::string_view text, void* user) { static_cast<Messages*>(user)->all.emplace_back(text); },
        this);
  }
  ~Messages() { set_log_sink(nullptr); }
  std::vector<std::string> all;
};

bool is_current(const DiskCache& cache, const std::string& name) {
  const auto known = cache.find(name);
  return known && known->is_current;
}

void keep(const DiskCache& cache, const std::string& name, const std::string& validator = "\"1\"") {
  const LearntFile file{name, FileFacts{.size = 10, .validator = validator}};
  cache.keep({&file, 1});
}

TEST_CASE("facts stored about a file are found again, by another cache object as well") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path("a/cache"), kSize);
  CHECK_FALSE(cache.find("https://x/y"));
  const LearntFile all[] = {{"https://x/y", kFacts}, {"https://x/z?v=1", FileFacts{.exists = false}}};
  cache.keep(all);
  const DiskCache other(folder.path("a/cache/"), kSize);
  REQUIRE(other.find("https://x/y"));
  CHECK(other.find("https://x/y")->facts == kFacts);
  CHECK(other.find("https://x/y")->is_current);
  CHECK_FALSE(other.find("https://x/z?v=1")->facts.exists);
  CHECK_FALSE(other.find("https://x/z"));
  const LearntFile none{"https://x/y", std::nullopt};
  cache.keep({&none, 1});
  CHECK_FALSE(other.find("https://x/y"));
}

TEST_CASE("the cache folder is readable by its owner only") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path("new/cache"), kSize);
  keep(cache, "https://x/y");
  REQUIRE(cache.store(cache.pieces_of("https://x/y", kFacts), 0, pattern(10)));
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    CAPTURE(entry.path().string());
    CHECK((entry.status().permissions() & fs::perms::all) ==
          (entry.is_directory() ? fs::perms::owner_all : fs::perms::owner_read | fs::perms::owner_write));
    ++count;
  }
  CHECK(count >= 6);
}

TEST_CASE("a cached piece belongs to one version of one file") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path(), kSize);
  const auto pieces = cache.pieces_of("https://x/y", kFacts);
  const Bytes bytes = pattern(500);
  REQUIRE(cache.store(pieces, 100, bytes));
  CHECK(cache.load(pieces, {100, 500}) == bytes);
  CHECK(cache.list(pieces) == std::vector<ByteRange>{{100, 500}});
  CHECK_FALSE(cache.load(pieces, {100, 499}));
  CHECK_FALSE(cache.load(pieces, {0, 500}));
  for (const FileFacts& other :
       {FileFacts{.size = 1001, .validator = "\"abc\""}, FileFacts{.size = 1000, .validator = "\"abd\""}}) {
    CHECK(cache.list(cache.pieces_of("https://x/y", other)).empty());
    CHECK_FALSE(cache.load(cache.pieces_of("https://x/y", other), {100, 500}));
  }
  CHECK(cache.list(cache.pieces_of("https://x/z", kFacts)).empty());
}

TEST_CASE("cached pieces of an older version are removed when a file changed, and kept when it did not") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path(), kSize);
  keep(cache, "https://x/y", "\"1\"");
  const auto first = cache.pieces_of("https://x/y", {.size = 10, .validator = "\"1\""});
  REQUIRE(cache.store(first, 0, pattern(10)));
  keep(cache, "https://x/y", "\"1\"");
  CHECK(cache.list(first).size() == 1);
  const LearntFile gone{"https://x/y", FileFacts{.exists = false}};  // perhaps for those without credentials only
  cache.keep({&gone, 1});
  CHECK(cache.list(first).size() == 1);
  keep(cache, "https://x/y", "\"2\"");
  CHECK(cache.list(first).empty());
}

TEST_CASE("a damaged piece of the cache is treated as missing") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path(), kSize);
  const auto pieces = cache.pieces_of("https://x/y", kFacts);
  const Bytes bytes = pattern(500);
  const auto damage = [&](const auto& change) {
    REQUIRE(cache.store(pieces, 0, bytes));
    REQUIRE(cache.load(pieces, {0, 500}) == bytes);
    const auto all = files_in(folder.path("files"));
    REQUIRE(all.size() == 1);
    std::ifstream in(all[0], std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    change(text);
    std::ofstream(all[0], std::ios::binary) << text;
    CHECK_FALSE(cache.load(pieces, {0, 500}));
    CHECK(cache.list(pieces).empty());  // removed, so that a whole one takes its place
  };
  for (std::size_t at = 0; at < 524; at += at < 30 ? 1 : 97) {
    CAPTURE(at);
    damage([&](std::string& text) { text[at] = static_cast<char>(text[at] ^ 1); });
  }
  for (const std::size_t size : {0U, 1U, 23U, 24U, 523U}) damage([&](std::string& text) { text.resize(size); });
  damage([](std::string& text) { text += 'x'; });
  damage([](std::string& text) { std::fill(text.begin(), text.end(), '\0'); });
}

TEST_CASE("a cached piece stored under another piece's name is not used") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path(), kSize);
  const auto pieces = cache.pieces_of("https://x/y", kFacts);
  REQUIRE(cache.store(pieces, 0, pattern(100)));
  fs::rename(pieces + "0-100", pieces + "200-100");
  CHECK_FALSE(cache.load(pieces, {200, 100}));
}

TEST_CASE("a damaged record and a record of another file are ignored") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path(), kSize);
  keep(cache, "https://x/y");
  const auto about = files_in(folder.path("files"))[0];
  std::ifstream in(about);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  CHECK(has_text(text, "name: https://x/y\n"));
  REQUIRE(cache.find("https://x/y"));
  for (std::size_t i = 0; i < text.size(); ++i) {
    CAPTURE(i);
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    std::ofstream(about) << other;
    CHECK_FALSE(cache.find("https://x/y"));
    std::ofstream(about) << text.substr(0, i);
    CHECK_FALSE(cache.find("https://x/y"));
  }
  keep(cache, "https://x/y");
  CHECK(cache.find("https://x/y"));
}

TEST_CASE("a changed metadata file makes the older cached records of its dataset stale") {
  const std::string root = "https://x/set/";
  struct Case {
    std::string name;
    std::vector<std::string> before;  ///< in the order of the calls
    std::string changed;
    std::vector<std::string> current;  ///< of `before`
  };
  const Case cases[] = {
      {"a collection, and the levels below",
       {root + "COLLECTION.json", root + "METADATA/level0.parquet", root + "DATA/a.tif"},
       root + "COLLECTION.json",
       {root + "COLLECTION.json"}},
      {"a level; the collection was asked for just before",
       {root + "COLLECTION.json", root + "METADATA/level0.parquet", root + "DATA/a.tif"},
       root + "METADATA/level0.parquet",
       {root + "COLLECTION.json", root + "METADATA/level0.parquet"}},
      {"an index, and the files that it is of",
       {root + ".tacocat/COLLECTION.json", root + ".tacocat/level0.parquet", root + "part.tacozip",
        "https://x/other.tacozip"},
       root + ".tacocat/level0.parquet",
       {root + ".tacocat/COLLECTION.json", root + ".tacocat/level0.parquet", "https://x/other.tacozip"}},
      {"an index in one file",
       {root + "__TACOCAT__", root + "part.tacozip"},
       root + "__TACOCAT__",
       {root + "__TACOCAT__"}},
      {"a dataset inside of another folder",
       {root + "COLLECTION.json", root + "DATA/a.tif", root + "in/COLLECTION.json", root + "in/DATA/b.tif"},
       root + "in/COLLECTION.json",
       {root + "COLLECTION.json", root + "DATA/a.tif", root + "in/COLLECTION.json"}},
      {"a sample describes no other",
       {root + "COLLECTION.json", root + "METADATA/level0.parquet", root + "DATA/a.tif"},
       root + "DATA/a.tif",
       {root + "COLLECTION.json", root + "METADATA/level0.parquet", root + "DATA/a.tif"}},
      {"neither does a ZIP",
       {root + "a.tacozip", root + "b.tacozip"},
       root + "a.tacozip",
       {root + "a.tacozip", root + "b.tacozip"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const TemporaryFolder folder;
    const DiskCache cache(folder.path(), kSize);
    for (const auto& name : c.before) keep(cache, name);
    for (const auto& name : c.before) {
      CAPTURE(name);
      CHECK(is_current(cache, name));
    }
    keep(cache, c.changed, "\"2\"");
    for (const auto& name : c.before) {
      CAPTURE(name);
      CHECK(is_current(cache, name) == (std::find(c.current.begin(), c.current.end(), name) != c.current.end()));
    }
    for (const auto& name : c.before) keep(cache, name, name == c.changed ? "\"2\"" : "\"1\"");
    for (const auto& name : c.before) CHECK(is_current(cache, name));
  }
}

TEST_CASE("cached levels are stale when their collection was dropped and cached again with other content") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path(), kSize);
  keep(cache, "https://x/COLLECTION.json");
  const LearntFile levels[] = {{"https://x/METADATA/level0.parquet", kFacts},
                               {"https://x/METADATA/level1.parquet", kFacts}};
  cache.keep(levels);
  CHECK(is_current(cache, "https://x/COLLECTION.json"));
  CHECK(is_current(cache, "https://x/METADATA/level0.parquet"));
  CHECK(is_current(cache, "https://x/METADATA/level1.parquet"));
  // The collection is evicted, and another one is stored: whether the levels belong to it is unknown.
  const auto all = files_in(folder.path("files"));
  for (const auto& path : all) {
    std::ifstream in(path);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    if (text.find("COLLECTION") != text.npos) fs::remove(path);
  }
  keep(cache, "https://x/COLLECTION.json", "\"2\"");
  CHECK_FALSE(is_current(cache, "https://x/METADATA/level0.parquet"));
}

TEST_CASE("the size limit is kept by removing the least recently used") {
  const TemporaryFolder folder;
  constexpr uint64_t kBound = 2 << 20;
  const DiskCache cache(folder.path(), kBound);
  const auto pieces = cache.pieces_of("https://x/y", kFacts);
  const Bytes bytes = pattern(cache.max_piece());
  REQUIRE(cache.store(pieces, 0, bytes));
  uint64_t most = 0;
  for (uint64_t i = 1; i < 400; ++i) {
    REQUIRE(cache.store(pieces, i * bytes.size(), bytes));
    REQUIRE(cache.load(pieces, {0, bytes.size()}));
    if (i % 20 == 0) most = std::max(most, bytes_on_disk(folder.path()));
  }
  CHECK(most <= kBound);
  CHECK(most > kBound / 2);
  CHECK(cache.load(pieces, {399 * bytes.size(), bytes.size()}));
  CHECK_FALSE(cache.load(pieces, {1 * bytes.size(), bytes.size()}));
}

TEST_CASE("many small files count by the disk blocks that they take, and empty folders are removed") {
  const TemporaryFolder folder;
  constexpr uint64_t kBound = 1 << 20;
  for (int process = 0; process < 40; ++process) {
    const DiskCache cache(folder.path(), kBound);
    for (int i = 0; i < 10; ++i) {
      const std::string name = "https://x/" + std::to_string(process) + "/" + std::to_string(i);
      keep(cache, name);
      cache.store(cache.pieces_of(name, kFacts), 0, pattern(10));
    }
  }
  CHECK(bytes_on_disk(folder.path()) <= kBound);
  for (const auto& entry : fs::directory_iterator(folder.path("files"))) CHECK_FALSE(fs::is_empty(entry.path()));
}

TEST_CASE("an old temporary file is removed, and a recent one kept") {
  const TemporaryFolder folder;
  const std::string fresh = folder.write("new/fresh", "x"), old = folder.write("new/old", "x");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  const DiskCache cache(folder.path(), kSize);
  REQUIRE(cache.store(cache.pieces_of("https://x/y", kFacts), 0, pattern(10)));
  CHECK(fs::exists(fresh));
  CHECK_FALSE(fs::exists(old));
}

TEST_CASE("a cache folder that cannot be created gives one warning") {
  const TemporaryFolder folder;
  const Messages messages;
  const DiskCache cache(folder.write("file", "no folder") + "/cache", kSize);
  keep(cache, "https://x/y");
  CHECK_FALSE(cache.store(cache.pieces_of("https://x/y", kFacts), 0, pattern(10)));
  keep(cache, "https://x/z");
  CHECK_FALSE(cache.find("https://x/y"));
  REQUIRE(messages.all.size() == 1);
  CHECK(
      has_text(messages.all[0], "/file/cache: the cache cannot be written (Not a directory); nothing more is cached"));
}

TEST_CASE("a cache folder that was removed is created again") {
  const TemporaryFolder folder;
  const Messages messages;
  const DiskCache cache(folder.path("cache"), kSize);
  const auto pieces = cache.pieces_of("https://x/y", kFacts);
  REQUIRE(cache.store(pieces, 0, pattern(10)));
  fs::remove_all(folder.path("cache"));
  CHECK(cache.list(pieces).empty());
  CHECK(cache.store(pieces, 0, pattern(10)));
  fs::remove_all(folder.path("cache"));
  keep(cache, "https://x/y");
  CHECK(cache.find("https://x/y"));
  CHECK(messages.all.empty());
}

TEST_SUITE("threads") {
  TEST_CASE("threads and objects share one cache folder and only see complete pieces") {
    const TemporaryFolder folder;
    std::atomic<int> wrong = 0, found = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        const DiskCache cache(folder.path(), 1 << 20);  // small, so that pieces are evicted while others read them
        for (int i = 0; i < 200; ++i) {
          const int file = (i * 7 + t) % 5, piece = (i * 13 + t) % 40;
          const std::string name = "https://x/METADATA/" + std::to_string(file);
          keep(cache, name, i % 50 == 0 ? "\"2\"" : "\"1\"");
          const auto pieces = cache.pieces_of(name, {.size = 10, .validator = "\"1\""});
          const Bytes bytes = pattern(8000, file * 100 + piece);
          const ByteRange range{static_cast<uint64_t>(piece) * 8000, 8000};
          if (const auto there = cache.load(pieces, range)) {
            ++found;
            if (*there != bytes) ++wrong;
          } else {
            cache.store(pieces, range.offset, bytes);
          }
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(found > 0);
    CHECK(bytes_on_disk(folder.path()) <= (1 << 20) * 2);
  }
}

}  // namespace
