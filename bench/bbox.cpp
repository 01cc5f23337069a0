// What does filter_bbox cost beside reading the geometry column, and beside decoding WKB in SQL?
//
// Points, even on the sphere. The competitor decodes them with what plain DuckDB has: its spatial extension would have
// to be downloaded. Of three such expressions this one was the fastest: 8 little-endian bytes as hexadecimal text,
// reversed, which swaps the nibbles of each byte too; two shifts and masks swap them back; and the bits of the number
// are a DOUBLE.
#include <cstdio>
#include <string>

#include <tacore/dataset.hpp>

#include "measure.hpp"
#include "plain_duckdb.hpp"

namespace {

struct Box {
  const char* name;
  double minx, miny, maxx, maxy;
};

constexpr Box kBoxes[] = {
    {"a country", -10, 35, 5, 44}, {"an eighth of the globe", 0, 0, 90, 90}, {"across 180 degrees", 170, -20, -170, 0}};

int64_t count_ours(const tacore::Dataset& dataset, const Box& box) {
  return dataset.filter_bbox(box.minx, box.miny, box.maxx, box.maxy).num_rows();
}

/// `bits` is an UBIGINT of which each byte has its nibbles swapped.
std::string as_double(const std::string& bits) {
  const std::string mask = "1085102592571150095::UBIGINT";  // 0x0F0F...
  return "CAST(CAST(((" + bits + " & " + mask + ") * 16) | ((" + bits + " // 16) & " + mask + ") AS BIT) AS DOUBLE)";
}

std::string decoding_sql(const std::string& file, const Box& box) {
  const auto bits = [](const char* bytes) {
    return std::string("CAST('0x' || reverse(hex(\"stac:centroid\"[") + bytes + "])) AS UBIGINT)";
  };
  const std::string longitude =
      box.minx <= box.maxx ? "x BETWEEN " + std::to_string(box.minx) + " AND " + std::to_string(box.maxx)
                           : "(x >= " + std::to_string(box.minx) + " OR x <= " + std::to_string(box.maxx) + ")";
  return "SELECT count(*) FROM (SELECT " + as_double("a") + " AS x, " + as_double("b") + " AS y FROM (SELECT " +
         bits("6:13") + " AS a, " + bits("14:21") + " AS b FROM read_parquet('" + file + "'))) WHERE " + longitude +
         " AND y BETWEEN " + std::to_string(box.miny) + " AND " + std::to_string(box.maxy);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void row(const std::string& path, const std::string& what, const std::string& rows, const bench::Pair& times) {
  bench::print_row({name_of(path), what, rows, bench::time_text(times.ours.best()),
                    bench::time_text(times.ours.median()), bench::time_text(times.peer.best()),
                    bench::time_text(times.peer.median()), bench::fixed(times.ratio()),
                    std::to_string(times.ours.count())});
}

void measure(const std::string& path, int count) {
  const tacore::Dataset dataset = tacore::load(path);
  bench::PlainDuckDb duckdb;
  const std::string file = bench::extract_level0(path);
  const std::string read =
      "SELECT count(\"stac:centroid\"), max(octet_length(\"stac:centroid\")) FROM read_parquet('" + file + "')";
  for (const Box& box : kBoxes) {
    const int64_t rows = count_ours(dataset, box);
    const std::string decode = decoding_sql(file, box);
    if (duckdb.cell(decode) != std::to_string(rows)) {
      std::fprintf(stderr, "%s: %s rows decoded in SQL, %lld by filter_bbox\n", box.name, duckdb.cell(decode).c_str(),
                   static_cast<long long>(rows));
    }
    const auto ours = [&] { (void)count_ours(dataset, box); };
    row(path, std::string(box.name) + " / reading the column", std::to_string(rows),
        bench::alternate(count, ours, [&] { duckdb.run(read); }));
    row(path, std::string(box.name) + " / decoding in SQL", std::to_string(rows),
        bench::alternate(count / 3, ours, [&] { duckdb.run(decode); }));
    row(path, std::string(box.name) + ", with all columns / reading the column", std::to_string(rows),
        bench::alternate(
            count / 3, [&] { (void)dataset.filter_bbox(box.minx, box.miny, box.maxx, box.maxy).data(); },
            [&] { duckdb.run(read); }));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_bbox DATASET...\n");
    return 2;
  }
  bench::print_environment(("bbox: filter_bbox beside DuckDB " + bench::PlainDuckDb::version()).c_str());
  bench::print_heading({"dataset", "box / peer", "rows", "ours best", "median", "peer best", "median", "ratio", "N"});
  for (int i = 1; i < argc; ++i) measure(argv[i], 31);
}
