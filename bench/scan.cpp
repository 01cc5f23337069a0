// How close is a query over a dataset to plain DuckDB on the same Parquet?
//
// Plain DuckDB reads level 0 extracted into a file of its own. Both sides hand over all rows as Arrow arrays; both
// parse and bind anew each time, as every query does.
#include <arrow/c/abi.h>

#include <cstdio>
#include <string>
#include <vector>

#include <tacore/dataset.hpp>

#include "measure.hpp"
#include "plain_duckdb.hpp"

namespace {

struct Question {
  const char* name;
  const char* select;  ///< up to FROM
  const char* where;
  bool with_path = false;  ///< internal:gdal_vsi too, which DuckDB does not have and we make row by row
};

constexpr Question kQuestions[] = {
    {"aggregate of a third", "SELECT count(*) AS n, sum(cloud_cover) AS s", "cloud_cover > 25"},
    {"aggregate on text", "SELECT count(*) AS n", "land_cover = 'water'"},
    {"all columns of 1 %", "SELECT *", "cloud_cover > 85.5"},
    {"three columns of half", "SELECT id, cloud_cover, split", "cloud_cover < 9"},
    {"all columns, all rows", "SELECT *", "true"},
    {"all columns and GDAL paths, all rows", "SELECT *", "true", true},
};

int64_t ours(const tacore::Dataset& dataset, const std::string& query, bool with_path) {
  ArrowArrayStream stream;
  const tacore::DataFrame frame = dataset.sql(query).data_raw();
  std::vector<std::string> names;
  for (const auto& column : frame.columns()) {
    if (with_path || column.name != "internal:gdal_vsi") names.push_back(column.name);
  }
  frame.select(names).export_stream(&stream);
  return bench::drain(&stream);
}

void measure(const std::string& path, const Question& question, int count) {
  const tacore::Dataset dataset = tacore::load(path);
  bench::PlainDuckDb duckdb;
  const std::string where = std::string(" WHERE ") + question.where;
  const std::string query = std::string(question.select) + " FROM data" + where;
  const std::string plain =
      std::string(question.select) + " FROM read_parquet('" + bench::extract_level0(path) + "')" + where;
  int64_t rows = 0, plain_rows = 0;
  const auto times = bench::alternate(
      count, [&] { rows = ours(dataset, query, question.with_path); }, [&] { plain_rows = duckdb.run(plain); });
  if (rows != plain_rows)
    std::fprintf(stderr, "%lld rows and %lld\n", static_cast<long long>(rows), static_cast<long long>(plain_rows));
  bench::print_row({path.substr(path.rfind('/') + 1), question.name, std::to_string(rows),
                    bench::time_text(times.ours.best()), bench::time_text(times.ours.median()),
                    bench::time_text(times.peer.best()), bench::time_text(times.peer.median()),
                    bench::fixed(times.ratio()), std::to_string(times.ours.count())});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_scan DATASET...\n");
    return 2;
  }
  bench::print_environment(("scan: queries beside DuckDB " + bench::PlainDuckDb::version()).c_str());
  bench::print_heading({"dataset", "query", "rows", "ours best", "median", "DuckDB best", "median", "ratio", "N"});
  for (int i = 1; i < argc; ++i) {
    for (const auto& question : kQuestions) measure(argv[i], question, 31);
  }
}
