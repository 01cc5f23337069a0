#include "base/log.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tacore/error.hpp"

namespace {

using namespace tacore;

/// Collects messages; leaves the library silent, as other tests expect it.
class Recorder {
 public:
  Recorder() { set_log_sink(&Recorder::receive, this); }
  ~Recorder() {
    set_log_sink(nullptr);
    verbose(false);
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  std::vector<std::pair<LogLevel, std::string>> messages = {};

 private:
  static void receive(LogLevel level, std::string_view message, void* user) {
    static_cast<Recorder*>(user)->messages.emplace_back(level, message);
  }
};

std::size_t count_of_three() {
  Recorder recorder;
  log::debug("d");
  log::info("i");
  log::warning("w");
  return recorder.messages.size();
}

TEST_CASE("each log level passes its own messages and more severe ones") {
  verbose("debug");
  CHECK(log_level() == LogLevel::Debug);
  CHECK(count_of_three() == 3);
  verbose("info");
  CHECK(count_of_three() == 2);
  verbose();
  CHECK(log_level() == LogLevel::Info);
  CHECK(count_of_three() == 2);
  verbose(false);
  CHECK(log_level() == LogLevel::Off);
  CHECK(count_of_three() == 0);
}

TEST_CASE("an unknown log level is refused and changes nothing") {
  verbose("debug");
  const char* const bad[] = {"", "INFO", "info ", "warning", "true", "0", nullptr};
  for (const char* level : bad) {
    CHECK_THROWS_WITH_AS(verbose(level), doctest::Contains("expected 'info' or 'debug'"), QueryError);
  }
  CHECK_THROWS_WITH_AS(verbose("loud"), doctest::Contains("'loud'"), QueryError);
  CHECK(log_level() == LogLevel::Debug);
  verbose(false);
}

TEST_CASE("a log message arrives with its level, as one line") {
  Recorder recorder;
  verbose("info");
  log::warning("a\nb\n");
  log::info("c");
  REQUIRE(recorder.messages.size() == 2);
  CHECK(recorder.messages[0] == std::pair(LogLevel::Warning, std::string("a b ")));
  CHECK(recorder.messages[1] == std::pair(LogLevel::Info, std::string("c")));
}

TEST_CASE("log messages without a sink are discarded") {
  set_log_sink(nullptr);
  verbose("debug");
  CHECK_NOTHROW(log::warning("w"));
  verbose(false);
}

TEST_SUITE("threads") {
  TEST_CASE("a sink is called by one thread at a time and loses nothing") {
    Recorder recorder;
    verbose("info");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int j = 0; j < 500; ++j) {
          log::info("message");
          log::debug("filtered");
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(recorder.messages.size() == 2000);
  }

  TEST_CASE("level and sink may change while others report") {
    Recorder recorder;
    verbose("info");
    std::thread reporter([] {
      for (int i = 0; i < 500; ++i) log::info("message");
    });
    for (int i = 0; i < 200; ++i) {
      verbose(i % 2 == 0);
      set_log_sink(nullptr);
    }
    const std::size_t num_messages = recorder.messages.size();
    verbose("info");
    reporter.join();
    CHECK(recorder.messages.size() == num_messages);
  }
}

TEST_CASE("messages of work on one of many datasets begin with its path") {
  Recorder recorder;
  verbose();
  {
    const log::Subject subject("a.tacozip");
    log::warning("level 0 is odd");
    log::warning("a.tacozip: has its name");
    {
      const log::Subject inner("b.tacozip");
      std::thread([] { log::warning("of another thread"); }).join();
      log::warning("inner");
    }
    log::warning("outer");
  }
  log::warning("none");
  std::vector<std::string> texts;
  for (const auto& [level, text] : recorder.messages) texts.push_back(text);
  CHECK(texts == std::vector<std::string>{"a.tacozip: level 0 is odd", "a.tacozip: has its name", "of another thread",
                                          "b.tacozip: inner", "a.tacozip: outer", "none"});
}

}  // namespace
