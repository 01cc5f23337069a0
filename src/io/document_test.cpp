#include "io/document.hpp"

#include <doctest/doctest.h>

#include "tacore/error.hpp"

using namespace tacore;

namespace {

/// A file of this size without bytes; a read of more than 10 bytes fails the test.
class Large final : public ByteSource {
 public:
  explicit Large(uint64_t size) : size_(size) {}
  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return size_; }
  bool is_local() const noexcept override { return true; }
  void read(uint64_t, std::span<std::byte> out) const override {
    if (out.size() > 10) FAIL("was read");
  }

 private:
  std::string name_ = "a/COLLECTION.json";
  uint64_t size_;
};

}  // namespace

TEST_CASE("a document is read up to 64 MiB, and a larger one is refused before memory is allocated") {
  CHECK_NOTHROW(check_document_size({5, kMaxDocumentSize}, "a"));
  CHECK_THROWS_WITH_AS(check_document_size({5, kMaxDocumentSize + 1}, "a"),
                       "a: JSON document has 67108865 bytes, at most 67108864 allowed (byte 5)", FormatError);
  CHECK(read_document(Large(10)).size() == 10);
  CHECK(read_document(Large(uint64_t{1} << 60), {7, 3}).size() == 3);
  CHECK_THROWS_WITH_AS(read_document(Large(uint64_t{1} << 60)),
                       doctest::Contains("a/COLLECTION.json: JSON document has 1152921504606846976 bytes"),
                       FormatError);
}
