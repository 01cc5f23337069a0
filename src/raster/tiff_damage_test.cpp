#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "io/memory_source.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "support/allocations.hpp"
#include "tacore/error.hpp"

// Small TIFFs of all sorts (tests/fuzz/make_tiffs.py), cut and changed: their pixels or a typed error, and no more
// memory than a file of that size can need.
namespace {

using namespace tacore;

constexpr uint64_t kMaxAllocation = 256 << 20;

struct File {
  std::string name;
  Bytes bytes;
};

std::vector<File> files(const std::string& prefix) {
  std::vector<File> out;
  for (const auto& entry : std::filesystem::directory_iterator(TACORE_SOURCE_DIR "/tests/fuzz/corpus/tiff")) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    out.push_back({name, Bytes(data, data + text.size())});
  }
  std::sort(out.begin(), out.end(), [](const File& a, const File& b) { return a.name < b.name; });
  return out;
}

/// All pixels, or those of the upper left corner where they are many.
Bytes read_some(const Raster& raster) {
  const RasterInfo& info = raster.info();
  std::vector<int> bands(static_cast<std::size_t>(std::min(info.bands, 16)));
  std::iota(bands.begin(), bands.end(), 1);
  Window window{0, 0, info.width, info.height};
  if (window.width > 500 || window.height > 500) window = {0, 0, std::min<int64_t>(info.width, 32), 1};
  Bytes out(bands.size() * static_cast<std::size_t>(window.width * window.height) * size_of(info.type));
  raster.read(bands, window, out);
  return out;
}

/// Nothing when the file is refused. Anything but a typed error gets out, and fails the test.
std::optional<Bytes> pixels_of(Bytes file) {
  mutate::forget_allocations();
  std::optional<Bytes> out;
  try {
    const auto source = memory_source("damaged.tif", std::move(file));
    const TiffDirectory directory = read_tiff_directory(*source);
    if (directory.unsupported.empty()) {
      check_layout(directory.layout, source->size(), source->name());
      out = read_some(*make_tiff_raster(source, directory.layout, source->name()));
    }
  } catch (const Error& error) {
    if (error.message().empty()) FAIL("an error without a message");
  }
  if (mutate::largest_allocation() > kMaxAllocation)
    FAIL_CHECK("asks for " << mutate::largest_allocation() << " bytes");
  return out;
}

/// Where the entries of the first directory lie.
struct Entries {
  std::size_t first = 0, size = 0, count = 0;
  bool is_big = false, is_big_endian = false;
};

uint64_t number_at(const Bytes& file, std::size_t at, std::size_t size, bool is_big_endian) {
  uint64_t out = 0;
  for (std::size_t k = 0; k < size; ++k) {
    out = out << 8 | std::to_integer<uint64_t>(file[at + (is_big_endian ? k : size - 1 - k)]);
  }
  return out;
}

void put_at(Bytes& file, std::size_t at, std::size_t size, bool is_big_endian, uint64_t number) {
  for (std::size_t k = 0; k < size; ++k, number >>= 8) {
    file[at + (is_big_endian ? size - 1 - k : k)] = static_cast<std::byte>(number & 0xFF);
  }
}

Entries entries_of(const Bytes& file) {
  const bool is_big_endian = file[0] == std::byte{'M'};
  const bool is_big = number_at(file, 2, 2, is_big_endian) == 43;
  if (is_big) return {24, 20, number_at(file, 16, 8, is_big_endian), true, is_big_endian};
  return {10, 12, number_at(file, 8, 2, is_big_endian), false, is_big_endian};
}

/// Changes one field (0 code, 1 type, 2 count, 3 value) of one entry.
void put_field(Bytes& file, const Entries& entries, std::size_t entry, int field, uint64_t number) {
  const std::size_t word = entries.is_big ? 8 : 4, at = entries.first + entry * entries.size;
  const std::size_t places[] = {0, 2, 4, 4 + word}, sizes[] = {2, 2, word, word};
  put_at(file, at + places[field], sizes[field], entries.is_big_endian, number);
}

std::vector<uint64_t> lies(int field, uint64_t file_size) {
  if (field == 0) return {0, 254, 256, 257, 273, 278, 322, 324, 325, 330, 34735, 65535};
  if (field == 1) return {0, 1, 2, 3, 4, 5, 6, 9, 11, 12, 13, 16, 17, 18, 19, 65535};
  return {0,
          1,
          2,
          3,
          4,
          8,
          16,
          255,
          65535,
          65536,
          file_size - 1,
          file_size,
          file_size + 1,
          0x7FFFFFFF,
          0x80000000,
          0xFFFFFFFF,
          1ull << 32,
          1ull << 62,
          1ull << 63,
          UINT64_MAX};
}

}  // namespace

TEST_CASE("valid files are read, and files with wrong fields are refused") {
  for (const char* prefix : {"good-", "odd-"}) {
    for (const File& file : files(prefix)) {
      CAPTURE(file.name);
      CHECK(pixels_of(file.bytes));
    }
  }
  for (const File& file : files("bad-")) {
    CAPTURE(file.name);
    CHECK_FALSE(pixels_of(file.bytes));
  }
  CHECK(files("good-").size() == 11);
  CHECK(files("bad-").size() == 16);
}

TEST_CASE("a TIFF truncated anywhere has all its pixels or is refused") {
  for (const File& file : files("good-")) {
    CAPTURE(file.name);
    const auto whole = pixels_of(file.bytes);
    int refused = 0;
    for (std::size_t size = 0; size < file.bytes.size(); ++size) {
      const auto cut = pixels_of(Bytes(file.bytes.begin(), file.bytes.begin() + static_cast<std::ptrdiff_t>(size)));
      if (!cut) ++refused;
      if (cut && *cut != *whole) FAIL_CHECK("other pixels when cut at " << size);
    }
    CHECK(refused > 0);
  }
}

TEST_CASE("a TIFF with any byte changed is read or refused") {
  for (const File& file : files("good-")) {
    CAPTURE(file.name);
    for (std::size_t at = 0; at < file.bytes.size(); ++at) {
      CAPTURE(at);
      for (const int change : {0x01, 0x80, 0xFF, std::to_integer<int>(file.bytes[at])}) {
        Bytes changed = file.bytes;
        changed[at] ^= static_cast<std::byte>(change);
        pixels_of(std::move(changed));
      }
    }
  }
}

TEST_CASE("a TIFF with any wrong directory field is read or refused") {
  for (const File& file : files("good-")) {
    CAPTURE(file.name);
    const Entries entries = entries_of(file.bytes);
    for (std::size_t entry = 0; entry < entries.count; ++entry) {
      CAPTURE(entry);
      for (int field = 0; field < 4; ++field) {
        CAPTURE(field);
        for (const uint64_t lie : lies(field, file.bytes.size())) {
          CAPTURE(lie);
          Bytes changed = file.bytes;
          put_field(changed, entries, entry, field, lie);
          pixels_of(std::move(changed));
        }
      }
    }
  }
}

TEST_CASE("a TIFF with several wrong directory fields is read or refused") {
  std::mt19937_64 random(1);
  for (const File& file : files("good-")) {
    CAPTURE(file.name);
    const Entries entries = entries_of(file.bytes);
    for (int round = 0; round < 4000; ++round) {
      CAPTURE(round);
      Bytes changed = file.bytes;
      for (uint64_t i = 0; i < 2 + random() % 3; ++i) {
        const int field = 1 + static_cast<int>(random() % 3);
        const auto numbers = lies(field, file.bytes.size());
        put_field(changed, entries, random() % entries.count, field, numbers[random() % numbers.size()]);
      }
      pixels_of(std::move(changed));
    }
  }
}
