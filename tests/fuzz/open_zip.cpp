#include <arrow/array.h>

#include <algorithm>

#include "fuzz.hpp"
#include "io/memory_source.hpp"
#include "container/child_rows.hpp"
#include "container/zip_container.hpp"
#include "container/zip_samples.hpp"

/// The input is a whole dataset.
namespace tacore::fuzz {
namespace {

constexpr int64_t kMaxRows = 32;

void read_sample(const ByteSource& archive, const Container& container, int level, int64_t row) {
  expect_errors_only([&] {
    const RowAddress address = container.address(level, row);
    container.vsi_path(address);
    if (address.type == SampleType::Folder) {
      computed_children(container, level, row);
      container.open_meta(address, level);
    } else {
      const uint64_t size = container.open_data(address)->read_all().size();
      if (size == static_cast<uint64_t>(*address.size)) return;
      const auto place = ZipDirectory(archive).find(archive, "DATA/" + address.relative_path);
      require(place && place->range.size == size,
              "a sample has the size that its row states, or else that of its entry");
    }
  });
}

void run(Input bytes) {
  const auto source = memory_source("fuzz.tacozip", Bytes(bytes.begin(), bytes.end()));
  expect_errors_only([&] { read_zip_collection(source, "fuzz.tacozip"); });
  expect_errors_only([&] {
    const auto container = open_zip(source, "fuzz.tacozip");
    require(container->num_levels() > container->collection().pit_schema.max_depth(),
            "every level of the schema is there");
    for (int level = 0; level < container->num_levels(); ++level) {
      expect_errors_only([&] { container->level(level); });
      const int64_t rows = std::min(container->stored_level(level)->num_rows(), kMaxRows);
      for (int64_t row = 0; row < rows; ++row) read_sample(*source, *container, level, row);
    }
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
