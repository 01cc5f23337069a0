#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "io/byte_source.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

void write_file(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::ptrdiff_t num_open_files() {
  return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

TEST_CASE("a local file has its bytes, its size and its name as given") {
  const TemporaryFolder folder;
  const std::string path = folder.path("./a.bin");
  write_file(path, "0123456789");
  const auto source = local_storage()->open(path);
  CHECK(source->name() == path);
  CHECK(source->size() == 10);
  CHECK(source->is_local());
  CHECK(to_text(source->read_all()) == "0123456789");
  CHECK(to_text(source->read({3, 4})) == "3456");
  CHECK(source->read({10, 0}).empty());
}

TEST_CASE("an empty local file has no bytes") {
  const TemporaryFolder folder;
  write_file(folder.path("a"), "");
  const auto source = local_storage()->open(folder.path("a"));
  CHECK(source->size() == 0);
  CHECK(source->read_all().empty());
  CHECK_THROWS_WITH_AS(source->read({0, 1}), doctest::Contains("passes the end at 0"), IoError);
}

TEST_CASE("a path that is not a regular file cannot be opened") {
  const TemporaryFolder folder;
  write_file(folder.path("file"), "x");
  fs::create_directory(folder.path("folder"));
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  fs::create_symlink("nowhere", folder.path("dangling"));
  struct Case {
    std::string name;
    bool not_found;
    const char* words;
  };
  const Case cases[] = {
      {"nothing", true, "nothing: cannot open: No such file or directory"},
      {"file/inside", true, "file/inside: cannot open: Not a directory"},
      {"dangling", true, "dangling: cannot open: No such file or directory"},
      {"folder", false, "folder: cannot open as a file: Is a directory"},
      {"pipe", false, "pipe: not a regular file"},
      {std::string("file\0x", 6), false, "file: path has a NUL byte"},
      {std::string(5000, 'a'), false, "cannot open: File name too long"},
  };
  const auto num_before = num_open_files();
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::string path = folder.path(c.name);
    CHECK_THROWS_WITH_AS(local_storage()->open(path), doctest::Contains(c.words), IoError);
    try {
      local_storage()->open(path);
    } catch (const IoError& error) {
      CHECK(error.not_found() == c.not_found);
      CHECK(error.context().path == path.substr(0, path.find('\0')));
    }
  }
  CHECK_THROWS_AS(local_storage()->open(""), IoError);
  CHECK_THROWS_WITH_AS(local_storage()->open("/dev/null"), "/dev/null: not a regular file", IoError);
  CHECK(num_open_files() == num_before);
}

TEST_CASE("an open file has one descriptor, which child programs do not inherit") {
  const TemporaryFolder folder;
  write_file(folder.path("a"), "x");
  const auto num_before = num_open_files();
  {
    const auto source = local_storage()->open(folder.path("a"));
    CHECK(num_open_files() == num_before + 1);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    REQUIRE(next > 0);
    CHECK((::fcntl(next - 1, F_GETFD) & FD_CLOEXEC) != 0);
    ::close(next);
  }
  CHECK(num_open_files() == num_before);
}

TEST_CASE("a file that shrinks after opening is an IoError") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.bin");
  write_file(path, std::string(1000, 'x'));
  const auto source = local_storage()->open(path);
  fs::resize_file(path, 400);
  CHECK(source->read({0, 400}).size() == 400);

  const auto words = path + ": read of 100 bytes: the file shrank from 1000 to 400 bytes (byte 400)";
  CHECK_THROWS_WITH_AS(source->read({300, 200}), words.c_str(), IoError);
  CHECK_THROWS_WITH_AS(source->read({500, 10}), doctest::Contains("(byte 500)"), IoError);
  const ByteRange ranges[] = {{0, 10}, {990, 10}};
  CHECK_THROWS_WITH_AS(source->read_ranges(ranges), doctest::Contains("shrank"), IoError);
  fs::resize_file(path, 0);
  CHECK_THROWS_WITH_AS(source->read_all(), doctest::Contains("from 1000 to 0 bytes"), IoError);
}

TEST_CASE("a file that grows or is removed after opening is read as it was opened") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.bin");
  write_file(path, "0123456789");
  const auto source = local_storage()->open(path);
  fs::resize_file(path, 20);
  CHECK(source->size() == 10);
  CHECK_THROWS_AS(source->read({0, 11}), IoError);
  fs::remove(path);
  CHECK(to_text(source->read_all()) == "0123456789");
}

TEST_CASE("offsets beyond 4 GiB are read") {
  const TemporaryFolder folder;
  const std::string path = folder.path("sparse");
  constexpr uint64_t kOffset = 5000000000;
  write_file(path, "");
  fs::resize_file(path, kOffset);
  std::ofstream(path, std::ios::binary | std::ios::app) << "end";
  const auto source = local_storage()->open(path);
  CHECK(source->size() == kOffset + 3);
  CHECK(to_text(source->read({kOffset, 3})) == "end");
}

TEST_CASE("existence checks distinguish files and directories") {
  const TemporaryFolder folder;
  write_file(folder.path("file"), "x");
  fs::create_directory(folder.path("folder"));
  fs::create_symlink("file", folder.path("link"));
  fs::create_symlink("folder", folder.path("folder_link"));
  fs::create_symlink("nowhere", folder.path("dangling"));
  struct Case {
    std::string name;
    bool file, directory;
  };
  const Case cases[] = {
      {"file", true, false},         {"folder", false, true},
      {"folder/", false, true},      {"link", true, false},
      {"folder_link", false, true},  {"dangling", false, false},
      {"nothing", false, false},     {"file/", false, false},
      {"file/inside", false, false}, {"nothing/inside", false, false},
  };
  const auto storage = local_storage();
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(storage->exists(folder.path(c.name)) == c.file);
    CHECK(storage->exists(folder.path(c.name), true) == c.directory);
  }
  CHECK_FALSE(storage->exists(""));
}

TEST_CASE("an existence check that fails is an error") {
  const TemporaryFolder folder;
  fs::create_symlink("loop", folder.path("loop"));
  CHECK_THROWS_WITH_AS(local_storage()->exists(folder.path("loop")),
                       doctest::Contains("Too many levels of symbolic links"), IoError);
  CHECK_THROWS_WITH_AS(local_storage()->exists(std::string("a\0b", 3)), "a: path has a NUL byte", IoError);
}

TEST_SUITE("threads") {
  TEST_CASE("one open file serves several threads at once") {
    const TemporaryFolder folder;
    std::string text;
    for (int i = 0; text.size() < 100000; ++i) text += std::to_string(i) + " ";
    write_file(folder.path("a"), text);
    const auto source = local_storage()->open(folder.path("a"));
    std::atomic<int> num_wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t start = 0; start < 4; ++start) {
      threads.emplace_back([&, start] {
        for (std::size_t offset = start; offset < 99000; offset += 1001) {
          num_wrong += to_text(source->read({offset, 500})) != text.substr(offset, 500);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(num_wrong == 0);
  }
}

}  // namespace
