#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);
/// Of AddressSanitizer; absent without it.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

/// Runs a fuzz target without libFuzzer, for any compiler:
///
///     tacore_fuzz_NAME [--runs N] PATH...
///
/// over saved inputs (files, or folders of them), and then over N changed ones. Each run depends on its number and the
/// saved inputs alone, so what was found once is found again. The input that ends the process is left in
/// `crash-NAME` in the working directory.
namespace {

namespace fs = std::filesystem;

std::string current;           // what the target is looking at
std::string crash = "crash-";  // where it goes when the target does not come back

void keep_input() {
  static bool done = false;
  if (done) return;
  done = true;
  if (std::FILE* file = std::fopen(crash.c_str(), "wb")) {
    std::fwrite(current.data(), 1, current.size(), file);
    std::fclose(file);
    std::fprintf(stderr, "the input is %s\n", crash.c_str());
  }
}

void on_signal(int number) {
  keep_input();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void run() { LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(current.data()), current.size()); }

void find_files(const fs::path& path, std::set<std::string>& out) {
  if (!fs::is_directory(path)) {
    out.insert(path);
    return;
  }
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) out.insert(entry.path());
  }
}

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& inputs) : inputs_(inputs) {}

  std::string make(uint64_t number) {
    random_.seed(number + 1);
    std::string out = inputs_[below(inputs_.size())];
    for (uint64_t left = 1 + below(4); left > 0; --left) change(out);
    return out;
  }

 private:
  uint64_t below(uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }

  /// Numbers at which checks go wrong, in 1, 2, 4 or 8 bytes, little-endian or big-endian.
  void put_number(std::string& bytes) {
    constexpr uint64_t kNumbers[] = {0,
                                     1,
                                     2,
                                     0x7F,
                                     0x80,
                                     0xFF,
                                     0x7FFF,
                                     0xFFFF,
                                     0x10000,
                                     0x7FFFFFFF,
                                     0x80000000,
                                     0xFFFFFFFF,
                                     uint64_t{1} << 62,
                                     (uint64_t{1} << 63) - 1,
                                     uint64_t{1} << 63,
                                     UINT64_MAX};
    const std::size_t width = std::size_t{1} << below(4);
    if (bytes.size() < width) return;
    const uint64_t value = kNumbers[below(std::size(kNumbers))];
    const std::size_t at = below(bytes.size() - width + 1);
    const bool is_big = below(4) == 0;
    for (std::size_t i = 0; i < width; ++i)
      bytes[at + (is_big ? width - 1 - i : i)] = static_cast<char>(value >> 8 * i);
  }

  void change(std::string& bytes) {
    const std::size_t at = below(bytes.size() + 1), rest = bytes.size() - at;
    switch (below(8)) {
      case 0:
      case 1:
        if (rest > 0) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 2:
        if (rest > 0) bytes[at] = static_cast<char>(random_());
        break;
      case 3: put_number(bytes); break;
      case 4: bytes.erase(at, 1 + below(rest < 64 ? rest : 64)); break;
      case 5: bytes.insert(at, bytes.substr(below(bytes.size() + 1), 1 + below(64))); break;  // some of it twice
      case 6: {                                                                               // some of another input
        const std::string& other = inputs_[below(inputs_.size())];
        const std::string part = other.substr(below(other.size() + 1), 1 + below(256));
        bytes.replace(at, below(2) == 0 ? part.size() : 0, part);
        break;
      }
      default:
        if (below(4) == 0) bytes.resize(at);
    }
  }

  const std::vector<std::string>& inputs_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  crash += fs::path(argv[0]).filename();
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) {
    if (!__sanitizer_set_death_callback || number == SIGABRT) std::signal(number, on_signal);
  }
  uint64_t num_runs = 0;
  std::set<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
      num_runs = std::strtoull(argv[++i], nullptr, 10);
    } else {
      find_files(argv[i], files);
    }
  }
  std::vector<std::string> inputs;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    current.assign(std::istreambuf_iterator<char>(in), {});
    std::fprintf(stderr, "%s\n", file.c_str());  // the last line names the culprit
    run();
    inputs.push_back(current);
  }
  if (inputs.empty()) return 1;
  Mutator mutator(inputs);
  for (uint64_t number = 0; number < num_runs; ++number) {
    current = mutator.make(number);
    run();
  }
  std::printf("%zu inputs, %llu changed ones\n", inputs.size(), static_cast<unsigned long long>(num_runs));
  return 0;
}
