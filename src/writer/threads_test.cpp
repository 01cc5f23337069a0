#include "base/threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/write/create.hpp"

// The threads of the writers. The tsan preset runs these.
TEST_SUITE_BEGIN("threads");

namespace {

using namespace tacore;

constexpr int kJobs = 4;

/// All files at or below `path`, by name.
std::map<std::string, std::string> bytes_of(const std::string& path) {
  std::map<std::string, std::string> out;
  const auto add = [&](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    out[fs::relative(file, path).string()] = {std::istreambuf_iterator<char>(in), {}};
  };
  if (!fs::is_directory(path)) add(path);
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) add(entry.path());
    }
  }
  return out;
}

/// Folders of two small files, and one of several pieces.
Taco taco_of(const TemporaryFolder& source) {
  for (int tile = 0; tile < 40; ++tile) {
    const std::string folder = "tile" + std::to_string(tile);
    source.write(folder + "/red", "red of " + folder);
    source.write(folder + "/green", std::string(tile == 7 ? 9'000'000 : 1000, 'g'));
  }
  return {Tortilla::from_folder(source.path()),
          {.id = "made",
           .dataset_version = "1.0.0",
           .description = "Made by a test",
           .licenses = {"MIT"},
           .providers = {{.name = "tacore"}},
           .tasks = {"other"}}};
}

TEST_CASE("many threads write the same bytes as one") {
  const TemporaryFolder source, out;
  const Taco taco = taco_of(source);
  for (const std::string name : {"set.tacozip", "set"}) {
    CAPTURE(name);
    create(taco, out.path("one_" + name), {.task = {.jobs = 1}});
    create(taco, out.path("many_" + name), {.task = {.jobs = kJobs}});
    CHECK(bytes_of(out.path("one_" + name)) == bytes_of(out.path("many_" + name)));
  }
}

TEST_CASE("progress is called by one thread at a time, never decreases, and ends with all bytes") {
  struct Told {
    uint64_t last = 0;
    bool falls = false;
  };
  const TemporaryFolder source, out;
  const Taco taco = taco_of(source);
  for (const std::string name : {"set.tacozip", "set"}) {
    CAPTURE(name);
    Told told;
    const auto note = [](uint64_t num_done, uint64_t, void* user) {
      auto& t = *static_cast<Told*>(user);
      t.falls = t.falls || num_done < t.last;
      t.last = num_done;
      return true;
    };
    create(taco, out.path(name), {.task = {.jobs = kJobs, .progress = note, .user = &told}});
    CHECK_FALSE(told.falls);
    CHECK(told.last == taco.tortilla.num_bytes());
  }
}

TEST_CASE("a create cancelled by the progress callback leaves no files, at any call") {
  const TemporaryFolder source, out;
  const Taco taco = taco_of(source);
  for (const std::string name : {"set.tacozip", "set"}) {
    for (int calls = 0; calls < 300; calls += 7) {
      CAPTURE(name);
      CAPTURE(calls);
      int left = calls;
      const auto count = [](uint64_t, uint64_t, void* user) { return --*static_cast<int*>(user) >= 0; };
      try {
        create(taco, out.path(name), {.task = {.jobs = kJobs, .progress = count, .user = &left}});
      } catch (const IoError& error) {
        CHECK(error.message() == "stopped");
        CHECK(fs::is_empty(out.path()));
        continue;
      }
      CHECK(calls > 0);
      fs::remove_all(out.path(name));
      break;
    }
  }
}

TEST_CASE("one tree is written to several datasets at once") {
  const TemporaryFolder source, out;
  const Taco taco = taco_of(source);
  std::vector<std::thread> threads;
  for (const std::string name : {"a.tacozip", "b.tacozip", "c", "d"}) {
    threads.emplace_back([&, name] { create(taco, out.path(name), {.task = {.jobs = 2}}); });
  }
  for (auto& thread : threads) thread.join();
  CHECK(bytes_of(out.path("a.tacozip")) == bytes_of(out.path("b.tacozip")));
  CHECK(bytes_of(out.path("c")) == bytes_of(out.path("d")));
}

}  // namespace

TEST_SUITE_END();
