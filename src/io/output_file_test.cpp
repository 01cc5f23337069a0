#include "io/output_file.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

int num_files(const TemporaryFolder& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

void write(const OutputFile& file, uint64_t offset, std::string_view text) {
  file.write(offset, std::as_bytes(std::span(text)));
}

TEST_CASE("a committed file appears with all bytes, written at any offset in any order") {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  OutputFile file(path, false);
  write(file, 6, "world");
  write(file, 0, "hello ");
  CHECK_FALSE(fs::exists(path));
  file.commit();
  CHECK(file_text(path) == "hello world");
  CHECK(num_files(folder) == 1);
}

TEST_CASE("large pieces are written completely at any offset, from a file and from memory") {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  std::string expected(3 << 20, '.');
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<char>(i * 2654435761U >> 24);
  std::vector<char> memory(expected.size() + 2 * kDiskBlock);
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}, kDiskBlock - 1, kDiskBlock}) {
    for (const bool is_placed : {true, false}) {
      CAPTURE(first);
      CAPTURE(is_placed);
      OutputFile file(path, true);
      write(file, 0, std::string_view(expected).substr(0, first));
      std::size_t lead = (kDiskBlock - reinterpret_cast<uintptr_t>(memory.data()) % kDiskBlock) % kDiskBlock;
      lead += is_placed ? first % kDiskBlock : (first + 1) % kDiskBlock;
      std::copy(expected.begin() + static_cast<std::ptrdiff_t>(first), expected.end(),
                memory.begin() + static_cast<std::ptrdiff_t>(lead));
      write(file, first, std::string_view(memory.data() + lead, expected.size() - first));
      file.commit();
      CHECK((file_text(path) == expected));
    }
  }
}

TEST_CASE("a file that is not committed leaves no file") {
  const TemporaryFolder folder;
  {
    const OutputFile file(folder.path("out"), false);
    write(file, 0, "lost");
  }
  CHECK(num_files(folder) == 0);
}

TEST_CASE("an existing file is kept, unless overwrite is set") {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  std::ofstream(path) << "old";
  CHECK_THROWS_WITH_AS(OutputFile(path, false), doctest::Contains("out: exists already"), IoError);
  {
    OutputFile file(path, true);
    write(file, 0, "new");
    CHECK(file_text(path) == "old");
    file.commit();
  }
  CHECK(file_text(path) == "new");
  CHECK(num_files(folder) == 1);
}

TEST_CASE("a file that appears meanwhile is not replaced") {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  {
    OutputFile file(path, false);
    write(file, 0, "mine");
    std::ofstream(path) << "theirs";
    CHECK_THROWS_WITH_AS(file.commit(), doctest::Contains("out: exists already"), IoError);
  }
  CHECK(file_text(path) == "theirs");
  CHECK(num_files(folder) == 1);
}

TEST_CASE("a folder is not replaced by a file, and missing parent folders are not created") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("sub"));
  CHECK_THROWS_WITH_AS(OutputFile(folder.path("sub"), true), doctest::Contains("sub: is a folder"), IoError);
  CHECK_THROWS_WITH_AS(OutputFile(folder.path("none/out"), false), doctest::Contains("none/out: cannot be created"),
                       IoError);
}

TEST_CASE("a failing write is an error with the byte, and leaves no file") {
  const TemporaryFolder folder;
  struct rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit little = {.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &little);
  {
    const OutputFile file(folder.path("out"), false);
    CHECK_THROWS_WITH_AS(write(file, 4096, "x"), doctest::Contains("out: cannot be written"), IoError);
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(num_files(folder) == 0);
}

TEST_CASE("temporary files of killed processes are removed by the next write, except locked and unrelated ones") {
  const TemporaryFolder folder;
  const std::string path = folder.path("out");
  const auto name = [](const std::string& of, char digit) { return "." + of + "." + std::string(16, digit) + ".part"; };
  folder.write(name("out", '0'), "killed");
  folder.write(name("out", '1') + "/a/b", "killed");
  for (const auto& other : {name("other", '0'), name("out", 'x'), std::string(".out.part"), std::string(".out.1.part")})
    folder.write(other, "stays");
  const Temporary held = make_temporary(path, {}, true);
  {
    OutputFile file(path, false);
    CHECK(num_files(folder) == 6);
    CHECK(fs::exists(held.path));
    OutputFile twin(path, false);  // both are being written
    CHECK(num_files(folder) == 7);
    write(file, 0, "x");
    file.commit();
  }
  CHECK(num_files(folder) == 6);
  ::close(held.descriptor);
  OutputFile(path, true).commit();
  CHECK_FALSE(fs::exists(held.path));
  CHECK(num_files(folder) == 5);
}

}  // namespace
