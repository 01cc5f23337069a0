#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct ArrowArrayStream;

/// What every benchmark needs: times, the process's own counters, and a table of results on stdout.
namespace bench {

/// Times of one thing, in seconds.
class Timings {
 public:
  void add(double seconds) { seconds_.push_back(seconds); }
  double best() const;
  double median() const;
  int count() const noexcept { return static_cast<int>(seconds_.size()); }

 private:
  std::vector<double> seconds_;
};

double seconds_of(const std::function<void()>& body);

struct Pair {
  Timings ours, peer;
  /// Of the medians: above 1, ours is slower.
  double ratio() const { return ours.median() / peer.median(); }
};

/// Runs both `count` times in turn (fewer when that takes more than half a minute, but 5), so that what disturbs the
/// machine disturbs both; which goes first alternates. One round before that is not counted: it warms caches.
Pair alternate(int count, const std::function<void()>& ours, const std::function<void()>& peer);

/// What the process has read by system calls so far, and what it holds in memory.
struct Counters {
  uint64_t reads = 0;
  uint64_t bytes = 0;
  int64_t resident_bytes = 0;
  static Counters now();
};

/// Calls `body` in a new process, `size` bytes at `out` being what it hands back. The process is a fork of this one, so
/// nothing that is to be measured fresh may have run here before. Throws when it fails.
void in_new_process(void* out, std::size_t size, const std::function<void()>& body);

/// "12.3 us", "4.56 ms"; "39.2 MB".
std::string time_text(double seconds);
std::string bytes_text(double bytes);
std::string fixed(double value, int digits = 2);

/// Commit (given by bench/run), CPU, compiler and load, as a list.
void print_environment(const char* question);
/// A Markdown table; a row has as many cells as the heading.
void print_heading(const std::vector<std::string>& cells);
void print_row(const std::vector<std::string>& cells);

/// Reads a stream to its end and releases it. Returns the rows.
int64_t drain(ArrowArrayStream* stream);

/// Level 0 of a dataset as a file of its own beside it, for a peer that knows no ZIP. Written once.
std::string extract_level0(const std::string& dataset);

/// What a command prints; throws when it fails.
std::string output_of(const std::string& command);
/// The number of a line `name value` in such output; NaN where there is none.
double number_in(const std::string& output, const std::string& name);

}  // namespace bench
