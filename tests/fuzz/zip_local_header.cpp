#include "format/zip_records.hpp"
#include "fuzz.hpp"

/// The input is a local header and what follows it.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  expect_errors_only([&] {
    const zip::LocalHeader header = zip::parse_local_header(bytes, 157);
    require(header.header_size <= bytes.size(), "a header lies in its bytes");
    const Input whole = bytes.first(header.header_size);
    const uint64_t extra = header.header_size - zip::kLocalHeaderSize - header.name.size();
    const bool found = zip::is_local_header_of(whole, header.name);
    require(found || extra > 0, "a header without extra is found by its name");
    require(!zip::is_local_header_of(whole, header.name + "x"), "and by no other");
  });
  zip::is_local_header_of(bytes, "DATA/sample");
  zip::is_local_header_of(bytes, text_of(bytes));
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
