#include "fuzz.hpp"
#include "io/memory_source.hpp"
#include "table/page_check.hpp"

/// The input is a page header of Parquet, and the file behind it.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  expect_errors_only([&] {
    const auto page = parse_page_header(bytes);
    if (!page) return;
    const auto size = static_cast<std::size_t>(page->header);
    require(page->header > 0 && size <= bytes.size(), "a header lies in its bytes");
    require(!parse_page_header(bytes.first(size - 1)), "a header that is cut is none");
    const auto alone = parse_page_header(bytes.first(size));
    require(alone && alone->compressed == page->compressed, "what is behind a header does not count");
  });
  if (bytes.empty()) return;
  const auto source = memory_source("fuzz", Bytes(bytes.begin(), bytes.end()));
  expect_errors_only([&] {
    PageCheck check({{.begin = 0, .size = bytes.size(), .uncompressed_size = 1000, .value_size = 4, .num_values = 10}},
                    source, {.path = "fuzz"});
    check.check(0, bytes.first(1));
    check.check(0, bytes);
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
