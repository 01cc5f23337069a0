#include <cpl_vsi.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tacore/error.hpp"
#include "tacore/raster/gdal.hpp"

using namespace tacore;

namespace {

/// A file in the memory of GDAL, removed with this object.
class MemoryFile {
 public:
  MemoryFile(std::string path, const std::string& content) : path_(std::move(path)) { write(content); }
  ~MemoryFile() { VSIUnlink(path_.c_str()); }

  void write(const std::string& content) const {
    VSILFILE* file = VSIFOpenL(path_.c_str(), "wb");
    REQUIRE(file);
    CHECK(VSIFWriteL(content.data(), 1, content.size(), file) == content.size());
    CHECK(VSIFCloseL(file) == 0);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Bytes that repeat after 251, a prime.
std::string pattern(std::size_t size) {
  std::string out(size, '\0');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>(i % 251);
  return out;
}

std::string read(const RemoteFile& file, uint64_t offset, std::size_t size) {
  std::string out(size, '?');
  file.read(offset, std::as_writable_bytes(std::span(out)));
  return out;
}

}  // namespace

TEST_CASE("a file opened through GDAL has its size and its bytes") {
  const std::string content = pattern(100'000);
  const MemoryFile made("/vsimem/remote/a file, (1).bin", content);
  const auto file = gdal::remote_opener()->open(made.path(), {});
  REQUIRE(file);
  CHECK(file->size() == content.size());
  CHECK(read(*file, 0, 1) == content.substr(0, 1));
  CHECK(read(*file, 99'999, 1) == content.substr(99'999));
  CHECK(read(*file, 16'000, 50'000) == content.substr(16'000, 50'000));
  CHECK(read(*file, 0, content.size()) == content);
  CHECK(read(*file, content.size(), 0).empty());
}

TEST_CASE("a file opened through GDAL may be empty") {
  const MemoryFile made("/vsimem/remote/empty.bin", "");
  const auto file = gdal::remote_opener()->open(made.path(), {});
  REQUIRE(file);
  CHECK(file->size() == 0);
}

TEST_CASE("a path that GDAL does not find opens as null") {
  const MemoryFile made("/vsimem/remote/folder/a.bin", "a");
  for (const char* path : {"/vsimem/remote/none.bin", "/vsimem/remote/folder", "/vsimem/", "/vsizip//vsimem/none.zip/a",
                           "/vsisubfile/0_1,/vsimem/remote/none.bin", "/vsiunheardof/a"}) {
    CAPTURE(path);
    CHECK(gdal::remote_opener()->open(path, {}) == nullptr);
  }
}

TEST_CASE("a read past the end of a file of GDAL is an error that names the range and the end") {
  const MemoryFile made("/vsimem/remote/short.bin", pattern(10));
  const auto file = gdal::remote_opener()->open(made.path(), {});
  REQUIRE(file);
  const std::vector<std::pair<uint64_t, std::size_t>> bad = {{0, 11}, {10, 1}, {11, 0}, {~0ull, 2}};
  for (const auto& [offset, size] : bad) {
    CAPTURE(offset);
    CHECK_THROWS_WITH_AS(
        read(*file, offset, size),
        doctest::Contains(("read of " + std::to_string(size) + " bytes passes the end at 10 (byte ").c_str()), IoError);
  }
}

TEST_CASE("a file of GDAL that shrank after opening is an error, not a short read") {
  const MemoryFile made("/vsimem/remote/shrinks.bin", pattern(1000));
  const auto file = gdal::remote_opener()->open(made.path(), {});
  REQUIRE(file);
  made.write(pattern(100));
  CHECK(read(*file, 0, 100) == pattern(100));
  CHECK_THROWS_WITH_AS(read(*file, 50, 100),
                       doctest::Contains("/vsimem/remote/shrinks.bin: 50 bytes received; 100 expected"), IoError);
}

TEST_CASE("a /vsisubfile/ path is read at any offset, in any order") {
  const std::string content = pattern(5000);
  const MemoryFile made("/vsimem/remote/whole.bin", content);
  const auto part = gdal::remote_opener()->open("/vsisubfile/1000_3000," + made.path(), {});
  REQUIRE(part);
  CHECK(part->size() == 3000);
  CHECK(read(*part, 2000, 1000) == content.substr(3000, 1000));
  CHECK(read(*part, 0, 10) == content.substr(1000, 10));
  CHECK_THROWS_AS(read(*part, 2999, 2), IoError);
}

TEST_CASE("two threads read one file of GDAL") {
  const std::string content = pattern(200'000);
  const MemoryFile made("/vsimem/remote/shared.bin", content);
  // The second has one position, which the threads must not move under each other.
  for (const std::string& path : {made.path(), "/vsisubfile/0_200000," + made.path()}) {
    CAPTURE(path);
    const auto file = gdal::remote_opener()->open(path, {});
    REQUIRE(file);
    std::atomic<int> wrong = 0;
    const auto work = [&](std::size_t step) {
      for (std::size_t i = 0; i < 2000; ++i) {
        const std::size_t offset = i * step % 190'000;
        if (read(*file, offset, 777) != content.substr(offset, 777)) ++wrong;
      }
    };
    std::thread other(work, 7919);
    work(104'729);
    other.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("a program that loads the library finds the same remote opener") {
  CHECK(gdal::tacore_gdal_remote_opener() != nullptr);
  CHECK(gdal::tacore_gdal_remote_opener() == gdal::tacore_gdal_remote_opener());
}
