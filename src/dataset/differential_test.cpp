#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "support/query_data.hpp"
#include "support/support.hpp"

/// Filters, queries and cascades against the obvious way to compute them: all rows, tested one by one.
using namespace tacore;

namespace {

// 200 over datasets of our own, flat and nested; fewer where the benchmarks' generator runs as well.
constexpr int kTrials = 100, kGeneratedTrials = 50;
constexpr int64_t kNoTime = INT64_MIN;

struct Sample {
  bool located = false;
  double lon = 0, lat = 0;
  int64_t time = kNoTime;
  double cloud_cover = 0;
  std::string split;
  int64_t parent = 0;
};

/// What is asked for: as steps of a dataset, and as a condition on a sample.
struct Question {
  std::function<Dataset(const Dataset&, int level)> ask;
  std::function<bool(const Sample&)> holds;
  std::string text;
};

class Questions {
 public:
  Question box() {
    double minx = number(-180, 180), maxx = number(-180, 180);
    const double height = number(5, 120), miny = number(-90, 90 - height / 2), maxy = std::min(90.0, miny + height);
    if (pick(3) > 0 && minx > maxx) std::swap(minx, maxx);  // a third of them may cross the antimeridian
    const BBox b{minx, miny, maxx, maxy};
    return {[b](const Dataset& d, int level) { return d.filter_bbox(b, {.column = "auto", .level = level}); },
            [b](const Sample& s) {
              const bool in =
                  b.minx <= b.maxx ? s.lon >= b.minx && s.lon <= b.maxx : s.lon >= b.minx || s.lon <= b.maxx;
              return s.located && in && s.lat >= b.miny && s.lat <= b.maxy;
            },
            "box " + std::to_string(minx) + " " + std::to_string(miny) + " " + std::to_string(maxx) + " " +
                std::to_string(maxy)};
  }

  Question time() {
    TimeRange r{{micros()}, {micros()}};
    if (r.start > r.end) std::swap(r.start, r.end);
    if (pick(5) == 0) r.start = {INT64_MIN};
    if (pick(5) == 0) r.end = {INT64_MAX};
    return {[r](const Dataset& d, int level) { return d.filter_datetime(r, {.column = "auto", .level = level}); },
            [r](const Sample& s) {
              return s.time != kNoTime && s.time >= r.start.microseconds && s.time <= r.end.microseconds;
            },
            "time " + std::to_string(r.start.microseconds) + " " + std::to_string(r.end.microseconds)};
  }

  Question query() {
    const int limit = pick(100);
    const std::string split = std::array{"train", "validation", "test"}[static_cast<std::size_t>(pick(3))];
    const bool both = pick(2) == 0;
    const std::string sql = "SELECT * FROM data WHERE cloud_cover < " + std::to_string(limit) +
                            (both ? " OR " : " AND NOT ") + "split = '" + split + "'";
    return {[sql](const Dataset& d, int) { return d.sql(sql); },
            [=](const Sample& s) {
              return both ? s.cloud_cover < limit || s.split == split : s.cloud_cover < limit && s.split != split;
            },
            sql};
  }

  Question any() { return pick(3) == 0 ? query() : filter(); }
  Question filter() { return pick(2) == 0 ? box() : time(); }
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  double number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  int64_t micros() { return std::uniform_int_distribution<int64_t>(1435017600000000, 1735689600000000)(random_); }

  std::mt19937_64 random_{20231115};
};

/// A point as text.
bool decode_point(const std::string& text, Sample& sample) {
  return std::sscanf(text.c_str(), "POINT (%lf %lf)", &sample.lon, &sample.lat) == 2;
}

/// The existing columns of a frame, as samples.
std::vector<Sample> samples(const DataFrame& all, const std::string& geometry, const std::string& time) {
  std::vector<Sample> out(static_cast<std::size_t>(all.num_rows()));
  const Strings names = column_names(all);
  const auto fill = [&](const std::string& name, const auto& set) {
    if (std::find(names.begin(), names.end(), name) == names.end()) return;
    const Strings cells = values(all, name);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!cells[i].empty()) set(out[i], cells[i]);
    }
  };
  fill(geometry, [](Sample& s, const std::string& cell) {
    s.located = cell[0] == '[' ? std::sscanf(cell.c_str(), "[%lf, %lf]", &s.lon, &s.lat) == 2 : decode_point(cell, s);
  });
  fill(time, [](Sample& s, const std::string& cell) { s.time = Timestamp::parse(cell).microseconds; });
  fill("cloud_cover", [](Sample& s, const std::string& cell) { s.cloud_cover = std::stod(cell); });
  fill("split", [](Sample& s, const std::string& cell) { s.split = cell; });
  fill("internal:parent_id", [](Sample& s, const std::string& cell) { s.parent = std::stoll(cell); });
  return out;
}

bool all_hold(const std::vector<Question>& questions, const Sample& sample) {
  return std::all_of(questions.begin(), questions.end(), [&](const Question& q) { return q.holds(sample); });
}

std::string texts(const std::vector<Question>& questions) {
  std::string out;
  for (const auto& question : questions) out += question.text + "; ";
  return out;
}

void check_flat(const Dataset& dataset, const std::vector<Sample>& all, int trials) {
  Questions random;
  int non_empty = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<Question> questions;
    Dataset view = dataset;
    for (int step = 1 + random.pick(4); step > 0; --step) {
      questions.push_back(random.any());
      view = questions.back().ask(view, 0);
    }
    std::vector<int64_t> expected;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all_hold(questions, all[i])) expected.push_back(static_cast<int64_t>(i));
    }
    CAPTURE(texts(questions));
    const bool same = stored_rows(view.data()) == expected;
    CHECK(same);
    non_empty += !expected.empty();
  }
  CHECK(non_empty > trials / 2);
}

/// Filters at levels 0 and 1 in any order: rows, and the children of some of them.
void check_nested(const Dataset& dataset, const std::vector<Sample>& parents, const std::vector<Sample>& kids,
                  int trials, const std::function<Question(Questions&)>& below) {
  Questions random;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<Question> above_all, below_all;
    Dataset view = dataset;
    for (int step = 1 + random.pick(3); step > 0; --step) {
      const bool deep = random.pick(2) == 0 || step == 1;
      Question question = deep ? below(random) : random.any();
      view = question.ask(view, deep ? 1 : 0);
      (deep ? below_all : above_all).push_back(std::move(question));
    }
    std::vector<std::vector<int64_t>> kept(parents.size());
    for (std::size_t i = 0; i < kids.size(); ++i) {
      if (all_hold(below_all, kids[i]))
        kept[static_cast<std::size_t>(kids[i].parent)].push_back(static_cast<int64_t>(i));
    }
    std::vector<int64_t> expected;
    for (std::size_t i = 0; i < parents.size(); ++i) {
      if (!kept[i].empty() && all_hold(above_all, parents[i])) expected.push_back(static_cast<int64_t>(i));
    }
    CAPTURE(texts(above_all));
    CAPTURE(texts(below_all));
    const DataFrame found = view.data();
    const bool same = stored_rows(found) == expected;
    CHECK(same);
    for (int64_t row = 0; same && row < found.num_rows(); row += 1 + found.num_rows() / 5) {
      const auto parent = static_cast<std::size_t>(expected[static_cast<std::size_t>(row)]);
      const bool same_kids = stored_rows(std::get<DataFrame>(found.read(row))) == kept[parent];
      CHECK(same_kids);
    }
  }
}

const std::string kColumns =
    "CASE WHEN i % 53 = 0 THEN NULL ELSE [round((hash(i * 3) % 3600000) / 10000 - 180, 4), round((hash(i * 3 + 1) % "
    "1800000) / 10000 - 90, 4)] END"
    " AS \"stac:centroid\", CASE WHEN i % 31 = 0 THEN NULL ELSE make_timestamp(1435017600000000 + CAST(hash(i * 3 + 2) "
    "% 300672000000000 AS BIGINT))"
    " END AS \"stac:time_start\", CAST(hash(i) % 10000 AS DOUBLE) / 100 AS cloud_cover, ['train', 'validation', "
    "'test'][CAST(1 + hash(i * 5) % 3 AS BIGINT)] AS split";

/// A dataset of the benchmarks, or nothing where Python has no pyarrow.
std::string generated(const TemporaryFolder& folder, const std::string& kind) {
  if (std::system("python3 -c 'import numpy, pyarrow' 2>/dev/null") != 0) return "";
  const std::string path = folder.path(kind + ".tacozip");
  const std::string command = "python3 -B '" + std::string(TACORE_SOURCE_DIR) +
                              "/bench/generate.py' --rows 20000 --kind " + kind + " --zstd-level 1 '" + path +
                              "' 2>/dev/null";
  return std::system(command.c_str()) == 0 ? path : "";
}

}  // namespace

TEST_CASE("random filters and queries give the rows of a brute-force loop") {
  const TemporaryFolder folder;
  const Dataset dataset = load(make_flat_folder(folder, "flat", 20000, kColumns));
  check_flat(dataset, samples(dataset.data_raw(), "stac:centroid", "stac:time_start"), kTrials);
}

TEST_CASE("random cascades give the rows and children of a brute-force loop") {
  const TemporaryFolder folder;
  const Dataset dataset = load(make_folder(
      folder, "nested", two_levels(4000, 20000, {"c0", "c1", "c2", "c3", "c4"}),
      {"SELECT 's' || i AS id, 'FOLDER' AS type, " + kColumns +
           ", i AS \"internal:current_id\", i AS \"internal:parent_id\" FROM range(4000) r(i)",
       "SELECT 'c' || (j % 5) AS id, 'FILE' AS type, " + kColumns +
           ", j AS \"internal:current_id\", j // 5 AS \"internal:parent_id\", 's' || (j // 5) || '/c' || (j % 5) AS "
           "\"internal:relative_path\" "
           "FROM (SELECT j, j + 100000 AS i FROM range(20000) r(j)) ORDER BY j"}));
  const auto parents = samples(dataset.data_raw(), "stac:centroid", "stac:time_start");
  const auto kids = samples(dataset.sql("SELECT * FROM level1 ORDER BY \"internal:current_id\"").data_raw(),
                            "stac:centroid", "stac:time_start");
  check_nested(dataset, parents, kids, kTrials, [](Questions& random) { return random.filter(); });
}

TEST_CASE("random filters over a generated flat dataset give the rows of a brute-force loop" *
          doctest::test_suite("external")) {
  const TemporaryFolder folder;
  const std::string path = generated(folder, "flat");
  if (path.empty() && skip("python3 has no pyarrow")) return;
  const Dataset dataset = load(path);
  check_flat(dataset, samples(dataset.data_raw(), "stac:centroid", "stac:time_start"), kGeneratedTrials);
}

TEST_CASE("random cascades over a generated nested dataset give the rows and children of a brute-force loop" *
          doctest::test_suite("external")) {
  const TemporaryFolder folder;
  const std::string path = generated(folder, "nested");
  if (path.empty() && skip("python3 has no pyarrow")) return;
  const Dataset dataset = load(path);
  const auto parents = samples(dataset.data_raw(), "stac:centroid", "stac:time_start");
  const auto kids =
      samples(dataset.sql("SELECT * FROM level1 ORDER BY \"internal:current_id\"").data_raw(), "", "stac:time_start");
  check_nested(dataset, parents, kids, kGeneratedTrials, [](Questions& random) { return random.time(); });
}
