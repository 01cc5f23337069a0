// What does a chain of 60 steps cost, and what does the first query of a process pay for the start of DuckDB?
#include <cstdio>
#include <string>

#include <tacore/dataset.hpp>

#include "measure.hpp"

namespace {

constexpr int kSteps = 60;

/// SQL, bbox and time in turn; each leaves most rows.
tacore::Dataset mixed(tacore::Dataset dataset) {
  for (int i = 0; i < kSteps; ++i) {
    const std::string bound = std::to_string(100 - i * 0.1);
    if (i % 3 == 0) dataset = dataset.sql("SELECT * FROM data WHERE cloud_cover < " + bound);
    if (i % 3 == 1) dataset = dataset.filter_bbox(-179 + i, -89, 180, 90);
    if (i % 3 == 2) dataset = dataset.filter_datetime("2015-07-01/2024-12-" + std::to_string(31 - i % 20));
  }
  return dataset;
}

tacore::Dataset queries(tacore::Dataset dataset) {
  for (int i = 0; i < kSteps; ++i)
    dataset = dataset.sql("SELECT * FROM data WHERE cloud_cover < " + std::to_string(100 - i * 0.1));
  return dataset;
}

/// The same with queries that name their columns: what they give has to be found out for the filters after them.
tacore::Dataset projected(tacore::Dataset dataset) {
  for (int i = 0; i < kSteps; ++i) {
    const std::string bound = std::to_string(100 - i * 0.1);
    if (i % 3 == 0)
      dataset = dataset.sql("SELECT *, 1 AS n" + std::to_string(i) + " FROM data WHERE cloud_cover < " + bound);
    if (i % 3 == 1) dataset = dataset.filter_bbox(-179 + i, -89, 180, 90);
    if (i % 3 == 2) dataset = dataset.filter_datetime("2015-07-01/2024-12-" + std::to_string(31 - i % 20));
  }
  return dataset;
}

tacore::Dataset filters(tacore::Dataset dataset) {
  for (int i = 0; i < kSteps; ++i) dataset = dataset.filter_bbox(-179 + i, -89, 180, 90);
  return dataset;
}

tacore::Dataset one_query(const tacore::Dataset& dataset) {
  return dataset.sql("SELECT * FROM data WHERE cloud_cover < 50");
}

void row(const std::string& path, const char* what, const bench::Timings& t, int64_t rows) {
  bench::print_row({path.substr(path.rfind('/') + 1), what, std::to_string(rows), bench::time_text(t.best()),
                    bench::time_text(t.median()), std::to_string(t.count())});
}

struct Start {
  double first, second;
  int64_t rows;
};

/// The first query of a process less the same again.
void instance_start(const std::string& path) {
  bench::Timings first, second, difference;
  Start out{};
  for (int i = 0; i < 21; ++i) {
    bench::in_new_process(&out, sizeof out, [&] {
      const tacore::Dataset dataset = tacore::load(path);
      out.first = bench::seconds_of([&] { out.rows = one_query(dataset).data().num_rows(); });
      out.second = bench::seconds_of([&] { (void)one_query(dataset).data(); });
    });
    first.add(out.first);
    second.add(out.second);
    difference.add(out.first - out.second);
  }
  row(path, "first query of a process", first, out.rows);
  row(path, "the same again", second, out.rows);
  row(path, "start of the instance (difference)", difference, out.rows);
}

void chain(const std::string& path, const char* what, tacore::Dataset (*build)(tacore::Dataset)) {
  const tacore::Dataset dataset = tacore::load(path);
  bench::Timings times;
  int64_t rows = build(dataset).data().num_rows();
  for (int i = 0; i < 15; ++i) times.add(bench::seconds_of([&] { rows = build(dataset).data().num_rows(); }));
  row(path, what, times, rows);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_chain DATASET...\n");
    return 2;
  }
  bench::print_environment("chain: 60 steps, one statement");
  bench::print_heading({"dataset", "what", "rows", "best", "median", "N"});
  instance_start(argv[1]);  // first, while nothing of the library has run in this process
  for (int i = 1; i < argc; ++i) {
    chain(argv[i], "60 queries", queries);
    chain(argv[i], "60 bbox filters", filters);
    chain(argv[i], "20 queries, 20 bbox and 20 time filters in turn", mixed);
    chain(argv[i], "the same, each query with a column more", projected);
  }
}
