#include <arrow/array.h>

#include <algorithm>

#include "fuzz.hpp"
#include "io/memory_source.hpp"
#include "container/container.hpp"
#include "tortilla/container.hpp"

/// The input is a whole dataset of a version before 2.0.
namespace tacore::fuzz {
namespace {

constexpr int64_t kMaxRows = 32;

void read_sample(const Container& container, int level, int64_t row) {
  expect_errors_only([&] {
    const RowAddress address = container.address(level, row);
    container.vsi_path(address);
    if (address.type == SampleType::Folder) {
      container.children(level, row);
      container.open_meta(address, level);
    } else {
      require(container.open_data(address)->read_all().size() == static_cast<uint64_t>(*address.size),
              "a sample has the size that its row states");
    }
  });
}

void run(Input bytes) {
  const auto source = memory_source("fuzz.taco", Bytes(bytes.begin(), bytes.end()));
  expect_errors_only([&] { v1::read_tortilla_collection(*source, "fuzz.taco"); });
  expect_errors_only([&] {
    const auto container = v1::open_tortilla(source, "fuzz.taco");
    for (int level = 0; level == 0 || level < container->num_levels(); ++level) {
      expect_errors_only([&] {
        const int64_t rows = std::min(container->level(level)->num_rows(), kMaxRows);
        for (int64_t row = 0; row < rows; ++row) read_sample(*container, level, row);
      });
    }
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
