#include "measure.hpp"

#include <arrow/c/abi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

std::string line_with(const char* file, const std::string& prefix) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(prefix)) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "?";
}

void write_all(int to, const void* data, std::size_t size) {
  if (::write(to, data, size) != static_cast<ssize_t>(size)) throw std::runtime_error("pipe: short write");
}

}  // namespace

double Timings::best() const { return *std::min_element(seconds_.begin(), seconds_.end()); }

double Timings::median() const {
  auto sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double seconds_of(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Pair alternate(int count, const std::function<void()>& ours, const std::function<void()>& peer) {
  constexpr double kBudget = 30;
  Pair out;
  const double round = seconds_of([&] {
    ours();
    peer();
  });
  count = std::min(count, std::max(5, static_cast<int>(kBudget / round)));
  for (int i = 0; i < count; ++i) {
    if (i % 2 == 0) out.ours.add(seconds_of(ours));
    out.peer.add(seconds_of(peer));
    if (i % 2 == 1) out.ours.add(seconds_of(ours));
  }
  return out;
}

Counters Counters::now() {
  Counters out;
  out.bytes = std::stoull(line_with("/proc/self/io", "rchar"));
  out.reads = std::stoull(line_with("/proc/self/io", "syscr"));
  std::ifstream memory("/proc/self/statm");
  int64_t pages = 0;
  memory >> pages >> pages;
  out.resident_bytes = pages * ::sysconf(_SC_PAGESIZE);
  return out;
}

void in_new_process(void* out, std::size_t size, const std::function<void()>& body) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    try {
      body();
      write_all(ends[1], out, size);
      ::_exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
  }
  ::close(ends[1]);
  auto* to = static_cast<char*>(out);
  std::size_t have = 0;
  for (ssize_t n = 0; have < size && (n = ::read(ends[0], to + have, size - have)) > 0;)
    have += static_cast<std::size_t>(n);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0 || have != size) throw std::runtime_error("the measured process failed");
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string time_text(double seconds) {
  if (std::isnan(seconds)) return "-";
  if (seconds < 999.5e-9) return fixed(seconds * 1e9, 0) + " ns";
  if (seconds < 999.5e-6) return fixed(seconds * 1e6, 1) + " us";
  if (seconds < 0.9995) return fixed(seconds * 1e3) + " ms";
  return fixed(seconds) + " s";
}

std::string bytes_text(double bytes) {
  if (std::isnan(bytes)) return "-";
  if (std::abs(bytes) < 1e3) return fixed(bytes, 0) + " B";
  if (std::abs(bytes) < 1e6) return fixed(bytes / 1e3, 1) + " kB";
  return fixed(bytes / 1e6, 1) + " MB";
}

void print_environment(const char* question) {
  const char* commit = std::getenv("TACORE_BENCH_COMMIT");
  std::ifstream load("/proc/loadavg");
  std::string one_minute;
  load >> one_minute;
  std::printf("\n## %s\n\ncommit %s; %s, %ld cores; GCC %s; page cache warm; load %s when started\n", question,
              commit ? commit : "unknown", line_with("/proc/cpuinfo", "model name").c_str(),
              ::sysconf(_SC_NPROCESSORS_ONLN), __VERSION__, one_minute.c_str());
}

void print_heading(const std::vector<std::string>& cells) {
  std::printf("\n");
  print_row(cells);
  print_row(std::vector<std::string>(cells.size(), "---"));
}

void print_row(const std::vector<std::string>& cells) {
  for (const auto& cell : cells) std::printf("| %s ", cell.c_str());
  std::printf("|\n");
  std::fflush(stdout);
}

int64_t drain(ArrowArrayStream* stream) {
  int64_t rows = 0;
  for (;;) {
    ArrowArray batch;
    if (stream->get_next(stream, &batch) != 0) throw std::runtime_error(stream->get_last_error(stream));
    if (!batch.release) break;
    rows += batch.length;
    batch.release(&batch);
  }
  stream->release(stream);
  return rows;
}

std::string extract_level0(const std::string& dataset) {
  const std::string path = dataset + ".level0.parquet";
  if (std::filesystem::exists(path)) return path;
  std::ifstream in(dataset, std::ios::binary);
  uint64_t range[2];  // the first entry of TACO_HEADER, whose payload stands at byte 41 of every dataset
  in.seekg(45).read(reinterpret_cast<char*>(range), sizeof range);
  std::string bytes(range[1], '\0');
  in.seekg(static_cast<std::streamoff>(range[0])).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::ofstream out(path + ".part", std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!in || !out) throw std::runtime_error("cannot extract level 0 of " + dataset);
  std::filesystem::rename(path + ".part", path);
  return path;
}

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string out;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  if (::pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return out;
}

double number_in(const std::string& output, const std::string& name) {
  std::istringstream lines(output);
  for (std::string key, value; lines >> key >> value;) {
    if (key == name) return std::stod(value);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace bench
