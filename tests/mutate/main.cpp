#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include "support/allocations.hpp"
#include "archive.hpp"
#include "case.hpp"
#include "reading.hpp"
#include "scratch.hpp"
#include "workers.hpp"

/// Breaks every golden dataset in every way that case.hpp lists and reads what is left (docs/fuzzing.md).
namespace tacore::mutate {
namespace {

constexpr uint64_t kMostMemory = 256ull << 20;
constexpr double kMostSeconds = 1;

struct Options {
  bool all = false;
  bool list = false;
  std::string one = {};
  std::string only = {};    ///< datasets whose name holds this
  std::size_t share = 3;    ///< cases of each sort of region of each dataset, unless all
  uint64_t every = 1;       ///< of all: one in so many
  int jobs = 2;
  double slow = 1;          ///< a sanitizer's factor on time
};

/// One process's view: the datasets, one of them written out, and how it reads when it is good.
class Runner {
 public:
  explicit Runner(const std::vector<Source>& sources) : sources_(sources) {}

  std::string run(const Case& one, Transcript* transcript = nullptr) {
    const Source& source = sources_[one.source];
    if (source_ != &source) begin(source);
    const Changed changed = apply(one, sources_);
    scratch_.change(source, changed);
    forget_allocations();
    const Transcript now = read_everything(scratch_.path(source), scratch_.root());
    const uint64_t memory = largest_allocation();
    scratch_.restore(source, changed);
    if (transcript) *transcript = now;
    const Region& region = source.regions[one.region];
    std::string fault = compare(good_, now, region.rule, is_index(source), is_checked(one));
    if (memory > kMostMemory) fault += "asks for " + std::to_string(memory) + " bytes at once\n";
    return fault;
  }

  const Transcript& good() const { return good_; }

 private:
  void begin(const Source& source) {
    source_ = &source;
    scratch_.write(source);
    good_ = read_everything(scratch_.path(source), scratch_.root());
    if (good_.at("load").failed) throw std::runtime_error(source.name + " does not open: " + good_.at("load").value);
  }

  static bool is_index(const Source& source) {
    return source.open.find("TACO") != source.open.npos || source.open.ends_with(".tacocat");
  }

  /// True for changes that a checksum of a ZIP tells.
  bool is_checked(const Case& one) const {
    const Source& source = sources_[one.source];
    const Region& region = source.regions[one.region];
    const bool edited = region.rule == Rule::Edited || (one.kind >= Kind::Thrift0 && one.kind <= Kind::JsonDeep);
    return !edited && open_archive(source.files[region.file]).form == Archive::Form::Zip;
  }

  const std::vector<Source>& sources_;
  Scratch scratch_;
  const Source* source_ = nullptr;
  Transcript good_;
};

/// An even choice: the same number of cases of each sort of region, from every dataset.
std::vector<Case> choose(std::vector<Case> cases, const std::vector<Source>& sources, const Options& options) {
  if (options.all) {
    std::erase_if(cases, [&](const Case& one) {
      return mix(mix(one.region, one.offset), static_cast<uint64_t>(one.kind)) % options.every != 0;
    });
    return cases;
  }
  std::map<std::string, std::vector<std::pair<uint64_t, Case>>> sorts;
  for (const Case& one : cases) {
    const uint64_t key = mix(mix(one.source, one.region), mix(one.offset, static_cast<uint64_t>(one.kind)));
    sorts[sources[one.source].regions[one.region].sort].emplace_back(key, one);
  }
  std::vector<Case> out;
  for (auto& [sort, found] : sorts) {
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < std::min(found.size(), options.share); ++i) out.push_back(found[i].second);
  }
  return out;
}

std::vector<Case> choose_all(const std::vector<Source>& sources, const Options& options) {
  std::vector<Case> out;
  for (uint32_t s = 0; s < sources.size(); ++s) {
    if (sources[s].name.find(options.only) == std::string::npos) continue;
    const auto chosen = choose(all_cases(sources, s), sources, options);
    out.insert(out.end(), chosen.begin(), chosen.end());
  }
  return out;
}

int replay(const std::vector<Source>& sources, const std::string& name) {
  const Case one = parse_case(name, sources);
  Runner runner(sources);
  Transcript now;
  const std::string fault = runner.run(one, &now);
  for (const auto& [step, outcome] : now) {
    const auto before = runner.good().find(step);
    const bool same = before != runner.good().end() && before->second.value == outcome.value;
    std::printf("%s %s: %s\n",
                same             ? "same "
                : outcome.failed ? "error"
                                 : "OTHER",
                step.c_str(), same ? "" : outcome.value.c_str());
  }
  std::printf("%.1f MiB at once\n", static_cast<double>(largest_allocation()) / (1 << 20));
  std::printf("%s\n", fault.empty() ? "as it should be" : ("FAULT " + fault).c_str());
  return fault.empty() ? 0 : 1;
}

int run_all(const std::vector<Source>& sources, const Options& options) {
  const auto cases = choose_all(sources, options);
  if (options.list) {
    for (const Case& one : cases) std::printf("%s\n", to_string(one, sources).c_str());
    return 0;
  }
  std::unique_ptr<Runner> runner;  // made in each process
  std::size_t faults = 0;
  run_in_workers(
      cases.size(), {.jobs = options.jobs, .seconds = kMostSeconds * options.slow},
      [&](std::size_t i) {
        if (!runner) runner = std::make_unique<Runner>(sources);
        return runner->run(cases[i]);
      },
      [&](std::size_t i, const std::string& fault) {
        ++faults;
        std::printf("FAULT %s: %s\n", to_string(cases[i], sources).c_str(), fault.c_str());
        std::fflush(stdout);
      });
  std::printf("%zu datasets, %zu cases, %zu faults\n", sources.size(), cases.size(), faults);
  return faults == 0 && !cases.empty() ? 0 : 1;
}

Options parse(int argc, char** argv) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw std::invalid_argument(word + " wants a value");
      return argv[++i];
    };
    if (word == "--all") out.all = true;
    else if (word == "--list") out.list = true;
    else if (word == "--case") out.one = value();
    else if (word == "--only") out.only = value();
    else if (word == "--share") out.share = std::stoul(value());
    else if (word == "--every") out.every = std::stoul(value());
    else if (word == "--jobs") out.jobs = std::stoi(value());
    else if (word == "--slow") out.slow = std::stod(value());
    else throw std::invalid_argument("unknown word " + word +
        "; --all [--every N], --share N, --only NAME, --jobs N, --slow FACTOR, --list, --case NAME:REGION:OFFSET:KIND");
  }
  return out;
}

int run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  ::setenv("ARROW_DEFAULT_MEMORY_POOL", "system", 1);  // see allocations.cpp
  const auto sources =
      load_sources(TACORE_SOURCE_DIR "/tests/golden", TACORE_SOURCE_DIR "/examples/data", TACORE_SHARED_DIR);
  return options.one.empty() ? run_all(sources, options) : replay(sources, options.one);
}

}  // namespace
}  // namespace tacore::mutate

int main(int argc, char** argv) {
  try {
    return tacore::mutate::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tacore_mutate: %s\n", error.what());
    return 2;
  }
}
