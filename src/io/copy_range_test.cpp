#include "io/copy_range.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "support/support.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// A file that is open for reading and writing.
struct File {
  std::string name;
  int descriptor;

  explicit File(std::string path) : name(std::move(path)), descriptor(::open(name.c_str(), O_RDWR | O_CREAT, 0666)) {
    REQUIRE(descriptor >= 0);
  }
  ~File() { ::close(descriptor); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  OpenFile open() const { return {.descriptor = descriptor, .name = name}; }
};

std::string sample(std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(i * 31 + i / 251);
  return out;
}

}  // namespace

TEST_CASE("copy_range copies any range of a file to any offset of another") {
  const TemporaryFolder folder;
  const std::string data = sample(40'000);
  const File from(folder.write("from", data));
  const struct {
    uint64_t from, to, size;
  } cases[] = {{0, 0, 40'000},  {0, 0, 4096}, {4096, 8192, 10'000}, {1, 2, 3}, {5000, 0, 20'000},
               {0, 4097, 8192}, {7, 7, 0}};
  for (const auto& c : cases) {
    CAPTURE(c.from);
    CAPTURE(c.size);
    const File to(folder.write("to", std::string(50'000, '.')));
    uint64_t told = 0;
    copy_range(from.open(), c.from, to.open(), c.to, c.size, [&](uint64_t num_bytes) { told += num_bytes; });
    std::string expected(50'000, '.');
    expected.replace(c.to, c.size, data.substr(c.from, c.size));
    CHECK(file_text(to.name) == expected);
    CHECK(told == c.size);
  }
}

TEST_CASE("a copy that the kernel refuses goes through memory") {
  const TemporaryFolder folder;
  const std::string data = sample(3'000'000);
  const File from(folder.write("from", data)), to(folder.path("to"));
  // Where bytes are appended, the kernel neither shares nor copies.
  ::fcntl(to.descriptor, F_SETFL, O_APPEND);
  copy_range(from.open(), 0, to.open(), 0, data.size(), [](uint64_t) {});
  CHECK(file_text(to.name) == data);
}

TEST_CASE("a source that is too short and a target that cannot be written are errors that name the file") {
  const TemporaryFolder folder;
  const File from(folder.write("from", sample(10'000))), to(folder.path("to"));
  const auto error_of = [&](const OpenFile& target, uint64_t size) -> std::string {
    try {
      copy_range(from.open(), 0, target, 0, size, [](uint64_t) {});
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(error_of(to.open(), 10'001) == from.name + ": the file shrank while it was read (byte 10000)");
  const int read_only = ::open(to.name.c_str(), O_RDONLY);
  CHECK(error_of({.descriptor = read_only, .name = to.name}, 10'000) ==
        to.name + ": cannot be written: Bad file descriptor (byte 0)");
  ::close(read_only);
}

TEST_CASE("an exception of the progress callback stops the copy") {
  const TemporaryFolder folder;
  const File from(folder.write("from", sample(10'000))), to(folder.path("to"));
  const auto stop = [](uint64_t) { throw IoError("stopped"); };
  CHECK_THROWS_AS(copy_range(from.open(), 0, to.open(), 0, 10'000, stop), IoError);
}

}  // namespace tacore
