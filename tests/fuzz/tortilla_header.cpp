#include "tortilla/header.hpp"

#include "fuzz.hpp"

/// The input is the start of a file.
namespace tacore::fuzz {
namespace {

void require_inside(const ByteRange& range, uint64_t size) {
  require(range.offset >= v1::kHeaderSize, "nothing lies in the header");
  require(range.offset <= size && range.size <= size - range.offset, "what the header names lies in the file");
}

void run(Input bytes) {
  for (const uint64_t size : {static_cast<uint64_t>(bytes.size()), uint64_t{1} << 20, UINT64_MAX}) {
    expect_errors_only([&] {
      const v1::Header header = v1::parse_header(bytes, size);
      require(v1::is_header(bytes), "what parses is a header");
      require(header.num_partitions > 0, "at least one partition");
      require_inside(header.footer, size);
      if (header.collection) require_inside(*header.collection, size);
      require((header.kind == v1::Kind::Taco) == header.collection.has_value(), "a TACO has a collection");
      if (header.file_format) return;  // of the version before, which is not written
      const v1::Header again = v1::parse_header(v1::encode_header(header), size);
      require(again.footer == header.footer && again.num_partitions == header.num_partitions &&
                  again.collection == header.collection && again.kind == header.kind,
              "a header that is written reads the same");
    });
  }
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
