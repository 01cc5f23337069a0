#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reading.hpp"
#include "support/allocations.hpp"
#include "support/temporary_folder.hpp"

/// Reads a dataset with each of the tables of tests/fuzz/make_parquet.py as its level 0 (docs/fuzzing.md): every step
/// gives what a good table gives or a typed error, and none asks for much memory at once.
namespace tacore::mutate {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostMemory = 256ull << 20;

/// What one of the steps must say of a table; of the others any error will do.
const std::map<std::string, std::string> kWords = {
    {"column-compressed-huge", "pass the next column, or the end"},
    {"column-compressed-negative", "column 2 has a negative offset or size"},
    {"column-offset-footer", "pass the next column, or the end"},
    {"column-offset-huge", "pass the next column, or the end"},
    {"column-offset-negative", "column 2 has a negative offset or size"},
    {"column-values-huge", "column 2 has 4611686018427387904 values in row group 0 of 3 rows"},
    {"column-values-negative", "column 2 has -1 values in row group 0 of 3 rows"},
    {"column-values-zero", "column 2 has 0 values in row group 0 of 3 rows"},
    {"dictionary-values-huge", "states 2147483647 values in a dictionary of 18 bytes"},
    {"dictionary-values-negative", "states a negative size, or none"},
    {"encrypted-column-alone", "Parquet column 2 is encrypted; plain expected"},
    {"encrypted-column-key", "Parquet columns are encrypted; plain expected"},
    {"encrypted-columns", "Parquet columns are encrypted; plain expected"},
    {"encrypted-footer", "Parquet footer is encrypted; plain expected"},
    {"fixed-length-huge", "allocation of "},
    {"footer-length-huge", "Parquet footer states 4294967295 bytes, the file has"},
    {"page-compressed-huge", "states 2147483647 bytes, "},
    {"page-compressed-negative", "states a negative size, or none"},
    {"page-dictionary-only", "ends a column of 0 values, 3 are in the footer"},
    {"page-header-deep", "has a header with nested too deep"},
    {"page-header-empty", "states a negative size, or none"},
    {"page-header-list", "has a header that is cut, or longer than 16777216 bytes"},
    {"page-header-structures", "has a header with nested too deep"},
    {"page-header-text", "has a header that is cut, or longer than 16777216 bytes"},
    {"page-uncompressed-huge", "states 2147483647 bytes when unpacked, of 24 in the file"},
    {"page-uncompressed-negative", "states a negative size, or none"},
    {"page-values-huge", "ends a column of 2147483647 values, 3 are in the footer"},
    {"page-values-less", "ends a column of 2 values, 3 are in the footer"},
    {"page-values-more", "ends a column of 4 values, 3 are in the footer"},
    {"page-values-negative", "states a negative size, or none"},
    {"rows-huge", "Parquet footer counts 4611686018427387904 rows, its row groups 3"},
    {"rows-negative", "Parquet footer counts -1 rows, its row groups 3"},
};

/// These hold other data for one of the readers below us. Nothing contradicts a footer that counts no rows, or the same
/// bytes twice; a run may be longer than its page; and DuckDB does not see that a text is one byte longer than its
/// page.
const std::set<std::string> kOther = {"group-rows-none", "groups-overlap", "index-run-huge", "text-length-more"};

/// DuckDB asks for the memory of a text whose prefix is this long before it sees that there is none, and gives it back
/// untouched. Nothing below the values says so, and few writers have this encoding (docs/security.md).
const std::set<std::string> kGreedy = {"delta-prefix-huge", "delta-prefix-negative"};

/// The steps that show what is in a table; the others depend on columns that these have not, or list faults.
bool shows_data(const std::string& step) {
  return step.ends_with(" cells") || step.ends_with(" csv") || step == "load";
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// A FOLDER of the samples a, b and c without a level 0.
std::string make_dataset(const TemporaryFolder& folder) {
  const fs::path root = folder.path("dataset");
  fs::create_directories(root / "DATA");
  fs::create_directories(root / "METADATA");
  for (const char* id : {"a", "b", "c"}) write_file(root / "DATA" / id, std::string("bytes of ") + id);
  write_file(root / "COLLECTION.json",
             R"({"id": "lying", "dataset_version": "1", "description": "d", "licenses": ["MIT"], "tasks": ["other"],
                "providers": [{"name": "tacore"}], "extent": {"spatial": [-180.0, -90.0, 180.0, 90.0], "temporal": null},
                "taco_version": "2.0.0", "taco:pit_schema": {"root": {"n": 3, "type": "FILE"}, "hierarchy": {}}})");
  return root;
}

class Test {
 public:
  explicit Test(const fs::path& corpus) : corpus_(corpus), dataset_(make_dataset(folder_)) {}

  int run() {
    std::vector<Transcript> good;
    for (const auto& path : files("good-")) {
      good.push_back(read(path));
      for (const auto& [step, outcome] : good.back()) {
        if (shows_data(step) && outcome.failed) fault(path, step + " fails: " + outcome.value);
      }
    }
    for (const auto& path : files("lying-")) check(path, read(path), good);
    std::printf("%d tables, %d faults\n", num_tables_, num_faults_);
    return num_faults_ == 0 && num_tables_ > 100 ? 0 : 1;
  }

 private:
  std::vector<fs::path> files(const std::string& prefix) const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(corpus_)) {
      if (entry.path().filename().string().starts_with(prefix)) out.push_back(entry.path());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  Transcript read(const fs::path& path) {
    ++num_tables_;
    fs::copy_file(path, fs::path(dataset_) / "METADATA/level0.parquet", fs::copy_options::overwrite_existing);
    forget_allocations();
    const Transcript out = read_everything(dataset_, folder_.path(""));
    if (const uint64_t most = largest_allocation(); most > kMostMemory && !kGreedy.contains(name_of(path)))
      fault(path, "asks for " + std::to_string(most) + " bytes at once");
    return out;
  }

  void check(const fs::path& path, const Transcript& now, const std::vector<Transcript>& good) {
    const auto words = kWords.find(name_of(path));
    bool is_said = words == kWords.end();
    for (const auto& [step, outcome] : now) {
      if (!outcome.fault.empty()) fault(path, step + ": " + outcome.fault);
      if (outcome.failed) {
        is_said = is_said || outcome.value.find(words->second) != std::string::npos;
      } else if (shows_data(step) && !is_in(good, step, outcome.value) && !kOther.contains(name_of(path))) {
        fault(path, step + " gives other data than any good table");
      }
    }
    if (!is_said) fault(path, "nothing says '" + words->second + "'");
  }

  static bool is_in(const std::vector<Transcript>& good, const std::string& step, const std::string& value) {
    return std::any_of(good.begin(), good.end(), [&](const Transcript& one) {
      const auto at = one.find(step);
      return at != one.end() && at->second.value == value;
    });
  }

  static std::string name_of(const fs::path& path) {
    const std::string name = path.filename();
    return name.substr(name.find('-') + 1);
  }

  void fault(const fs::path& path, const std::string& what) {
    ++num_faults_;
    std::printf("FAULT %s: %s\n", path.filename().c_str(), what.c_str());
  }

  fs::path corpus_;
  TemporaryFolder folder_;
  std::string dataset_;
  int num_tables_ = 0, num_faults_ = 0;
};

}  // namespace
}  // namespace tacore::mutate

int main() {
  try {
    ::setenv("ARROW_DEFAULT_MEMORY_POOL", "system", 1);  // see allocations.cpp
    return tacore::mutate::Test(TACORE_SOURCE_DIR "/tests/fuzz/corpus/level_table").run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tacore_lying_tables: %s\n", error.what());
    return 2;
  }
}
