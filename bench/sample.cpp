// What does reading one sample cost: by position, by id, by path, its bytes, and the first one after opening?
//
// Positions and ids are random, with a fixed seed. "First" calls run on a new frame each.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <tacore/dataset.hpp>

#include "measure.hpp"

namespace {

constexpr int kReads = 200'000;
constexpr int kRounds = 7;
// The library scans this often before it builds an index of ids.
constexpr int kScans = 4;

std::mt19937_64 random_bits(1);

std::vector<int64_t> positions(int64_t rows, int count) {
  std::uniform_int_distribution<int64_t> any(0, rows - 1);
  std::vector<int64_t> out;
  for (int i = 0; i < count; ++i) out.push_back(any(random_bits));
  return out;
}

std::string id_of(int64_t row) {
  char text[32];
  std::snprintf(text, sizeof text, "sample_%08lld", static_cast<long long>(row));
  return text;
}

void row(const std::string& what, const bench::Timings& t, const std::string& note = "") {
  bench::print_row({what, bench::time_text(t.best()), bench::time_text(t.median()), std::to_string(t.count()), note});
}

template <class Key>
double mean_read(const tacore::DataFrame& frame, const std::vector<Key>& keys) {
  const double seconds = bench::seconds_of([&] {
    for (const auto& key : keys) (void)frame.read(key);
  });
  return seconds / static_cast<double>(keys.size());
}

std::string each(std::size_t count) { return "mean of " + std::to_string(count) + " random reads"; }

void by_position(const std::string& name, const std::string& path, bool computed) {
  bench::Timings make, first, mean;
  for (int round = 0; round < kRounds; ++round) {
    const tacore::Dataset dataset = tacore::load(path);
    std::optional<tacore::DataFrame> frame;
    make.add(bench::seconds_of([&] { frame = computed ? dataset.sql("SELECT * FROM data").data() : dataset.data(); }));
    const auto rows = positions(frame->num_rows(), kReads);
    first.add(mean_read(*frame, std::vector{rows[0]}));
    (void)mean_read(*frame, rows);  // decodes what is decoded once
    mean.add(mean_read(*frame, rows));
  }
  row(name + ": making the frame", make);
  row(name + ": read(position), first", first);
  row(name + ": read(position)", mean, each(kReads));
}

void by_id(const std::string& name, const std::string& path, bool computed) {
  bench::Timings first, scan, build, indexed;
  for (int round = 0; round < kRounds; ++round) {
    const tacore::Dataset dataset = tacore::load(path);
    const tacore::DataFrame frame = computed ? dataset.sql("SELECT * FROM data").data() : dataset.data();
    std::vector<std::string> ids;
    for (const int64_t i : positions(frame.num_rows(), kReads)) ids.push_back(id_of(i));
    first.add(mean_read(frame, std::vector{ids[0]}));
    for (int i = 1; i < kScans; ++i) scan.add(mean_read(frame, std::vector{ids[static_cast<std::size_t>(i)]}));
    build.add(mean_read(frame, std::vector{ids[kScans]}));
    indexed.add(mean_read(frame, ids));
  }
  row(name + ": read(id), first", first);
  row(name + ": read(id) by scan", scan, "the 2nd to 4th of a frame");
  row(name + ": read(id) that builds the index", build, "the 5th");
  row(name + ": read(id), indexed", indexed, each(kReads));
}

void by_path(const std::string& name, const std::string& path) {
  bench::Timings first, mean;
  const char* child[] = {"s2", "s1", "dem", "label", "mask", "l8", "era5", "lst", "ndvi", "qa"};
  for (int round = 0; round < kRounds; ++round) {
    const tacore::DataFrame frame = tacore::load(path).data();
    std::vector<std::string> paths;
    for (const int64_t i : positions(frame.num_rows(), kReads / 4)) paths.push_back(id_of(i) + "/" + child[i % 10]);
    first.add(mean_read(frame, std::vector{paths[0]}));
    (void)mean_read(frame, paths);
    mean.add(mean_read(frame, paths));
  }
  row(name + ": read(\"folder/child\"), first", first);
  row(name + ": read(\"folder/child\"), indexed", mean, each(kReads / 4));
}

void bytes(const std::string& name, const std::string& path) {
  constexpr int kMany = 256;
  bench::Timings one, many;
  const tacore::DataFrame frame = tacore::load(path).data();
  const auto rows = positions(frame.num_rows(), kMany * 100);
  for (int round = 0; round < kRounds; ++round) {
    one.add(bench::seconds_of([&] {
              for (const int64_t i : rows) (void)frame.read_bytes(i);
            }) /
            static_cast<double>(rows.size()));
    many.add(bench::seconds_of([&] {
               for (std::size_t i = 0; i < rows.size(); i += kMany)
                 (void)frame.read_bytes(std::span(rows).subspan(i, kMany));
             }) /
             static_cast<double>(rows.size()));
  }
  row(name + ": read_bytes(position)", one, each(rows.size()) + ", local header checked");
  row(name + ": read_bytes(" + std::to_string(kMany) + " positions)", many, "for each of them");
}

struct First {
  double seconds;
  uint64_t reads, bytes;
  int64_t resident_bytes;
};

void from_load(const std::string& name, const std::string& path, const std::string& tiny, bool nested) {
  bench::Timings seconds;
  First out{};
  for (int round = 0; round < 11; ++round) {
    const std::string id = id_of(positions(1'000'000, 1)[0]) + (nested ? "/dem" : "");
    const int64_t position = positions(1'000'000, 1)[0];
    bench::in_new_process(&out, sizeof out, [&] {
      (void)tacore::load(tiny).data().read(0);
      const auto before = bench::Counters::now();
      std::optional<tacore::DataFrame> frame;
      out.seconds = bench::seconds_of([&] {
        frame = tacore::load(path).data();
        if (nested) {
          (void)frame->read(id);
        } else {
          (void)frame->read(position);
        }
      });
      const auto after = bench::Counters::now();
      out = {out.seconds, after.reads - before.reads, after.bytes - before.bytes,
             after.resident_bytes - before.resident_bytes};
    });
    seconds.add(out.seconds);
  }
  row(name + (nested ? ": load to read(\"folder/child\")" : ": load to read(position)"), seconds,
      std::to_string(out.reads) + " reads, " + bench::bytes_text(static_cast<double>(out.bytes)) + "; memory " +
          bench::bytes_text(static_cast<double>(out.resident_bytes)));
}

void reference(const std::string& name, const std::string& path, int reads) {
  const char* command = std::getenv("TACORE_BENCH_REFERENCE");
  if (!command) return;
  bench::Timings first, position, id;
  for (int round = 0; round < 3; ++round) {
    const std::string out = bench::output_of(std::string(command) + " sample " + path + " " + std::to_string(reads));
    first.add(bench::number_in(out, "first"));
    position.add(bench::number_in(out, "position"));
    id.add(bench::number_in(out, "id"));
  }
  row("reference, " + name + ": read(position), first", first);
  row("reference, " + name + ": read(position)", position, each(static_cast<std::size_t>(reads)));
  row("reference, " + name + ": read(id)", id, each(static_cast<std::size_t>(reads)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr,
                 "usage: bench_sample FOLDER of bench/run\nTACORE_BENCH_REFERENCE: command that runs reference.py\n");
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  bench::print_environment("sample: from a row to its data");
  bench::print_heading({"what", "best", "median", "N", "note"});
  // First, while nothing of the library has run in this process.
  from_load("flat 1e7", folder + "flat_10000000.tacozip", folder + "flat_1000.tacozip", false);
  from_load("nested 1e7", folder + "nested_10000000.tacozip", folder + "flat_1000.tacozip", true);
  reference("flat 1e4", folder + "flat_10000.tacozip", 20);
  reference("flat 1e6", folder + "flat_1000000.tacozip", 3);
  by_position("flat 1e6, computed", folder + "flat_1000000.tacozip", true);
  by_position("flat 1e6, stored", folder + "flat_1000000.tacozip", false);
  by_id("flat 1e6, computed", folder + "flat_1000000.tacozip", true);
  by_id("flat 1e6, stored", folder + "flat_1000000.tacozip", false);
  by_path("nested 1e6", folder + "nested_1000000.tacozip");
  bytes("flat 20000", folder + "flat_20000.tacozip");
}
