#include "format/tacocat_header.hpp"

#include "fuzz.hpp"

/// The input is the start of a file.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  for (const uint64_t size : {static_cast<uint64_t>(bytes.size()), uint64_t{1} << 20, UINT64_MAX}) {
    expect_errors_only([&] {
      const tacocat_header::Header header = tacocat_header::parse(bytes, size);
      require(!header.levels.empty() && header.levels.size() <= 6, "one to six levels");
      require(tacocat_header::is_header(bytes), "what parses is a header");
      const ByteRange& collection = header.collection;
      require(collection.offset <= size && collection.size <= size - collection.offset,
              "the collection lies in the file");
    });
  }
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
