#include "container/zip_container.hpp"
#include "container/tiff_index_file.hpp"

#include <fstream>
#include <iterator>

#include "fuzz.hpp"
#include "io/memory_source.hpp"

/// The input is a file of headers beside tests/golden/flat_plain.tacozip.
namespace tacore::fuzz {
namespace {

constexpr const char* kDataset = TACORE_SOURCE_DIR "/tests/golden/flat_plain.tacozip";

class OneFile final : public Storage {
 public:
  explicit OneFile(Input bytes) : bytes_(bytes.begin(), bytes.end()) {}
  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint&) const override {
    return memory_source(path, bytes_);
  }
  bool exists(const std::string&, bool directory) const override { return !directory; }

 private:
  Bytes bytes_;
};

void run(Input bytes) {
  static const auto container = open_zip(local_storage()->open(kDataset), kDataset);
  expect_errors_only([&] {
    const auto file = TiffIndexFile::open(OneFile(bytes), "fuzz.headers", *container);
    if (!file) return;
    for (int64_t row = 0; row < container->stored_level(0)->num_rows(); ++row) {
      expect_errors_only([&] {
        const RowAddress address = container->address(0, row);
        file->find(address, *container->open_data(address));
      });
    }
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
