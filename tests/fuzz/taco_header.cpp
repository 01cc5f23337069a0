#include "format/taco_header.hpp"

#include "fuzz.hpp"

/// The input is the start of a file.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  for (const uint64_t size : {static_cast<uint64_t>(bytes.size()), uint64_t{1} << 20, UINT64_MAX}) {
    expect_errors_only([&] {
      const taco_header::Header header = taco_header::parse(bytes, size);
      require(!header.levels.empty() && header.levels.size() <= 6, "one to six levels");
      require(taco_header::is_header(bytes), "what parses is a header");
      for (const ByteRange& level : header.levels) {
        require(level.offset <= size && level.size <= size - level.offset, "a level lies in the file");
      }
    });
  }
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
