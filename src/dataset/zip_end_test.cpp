#include <doctest/doctest.h>

#include <cstddef>

#include "container/container.hpp"
#include "dataset/dataset_impl.hpp"
#include "io/memory_source.hpp"
#include "support/load_files.hpp"
#include "support/support.hpp"

// A remote ZIP is opened from its end, by the central directory: the result must equal that of TACO_HEADER.
namespace {

using namespace tacore;

/// A remote file so large that TACO_HEADER is not among its last bytes, which were read when it was opened.
class FarSource final : public ByteSource {
 public:
  FarSource(std::shared_ptr<const ByteSource> whole, int& num_heads)
      : whole_(std::move(whole)), num_heads_(num_heads) {}

  const std::string& name() const noexcept override { return whole_->name(); }
  uint64_t size() const override { return whole_->size(); }
  bool is_local() const noexcept override { return false; }
  bool has(ByteRange range) const override { return !is_head(range); }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (is_head({offset, out.size()})) ++num_heads_;
    whole_->read(offset, out);
  }

 private:
  static bool is_head(ByteRange range) { return range.offset == 0 && range.size <= 200; }

  std::shared_ptr<const ByteSource> whole_;
  int& num_heads_;
};

class OneFile final : public Storage {
 public:
  OneFile(Bytes bytes, bool is_far) : bytes_(std::move(bytes)), is_far_(is_far) {}

  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint&) const override {
    auto file = memory_source(path, bytes_);
    if (!is_far_) return file;
    return std::make_shared<FarSource>(std::move(file), num_heads);
  }
  bool exists(const std::string&, bool directory) const override { return !directory; }

  mutable int num_heads = 0;

 private:
  Bytes bytes_;
  bool is_far_;
};

/// The rows of all levels, or the error.
std::string outcome(const std::shared_ptr<const OneFile>& storage) {
  try {
    const Dataset dataset = load("/data/a.tacozip", {}, storage);
    std::string out = dataset.collection().id;
    for (int level = 0; level <= dataset.pit_schema().max_depth(); ++level) {
      out += dump(dataset.sql("SELECT * FROM level" + std::to_string(level)).data());
    }
    return out;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_CASE("a remote ZIP opened by its end gives the same dataset as one opened by its header") {
  for (const char* name : {"flat.tacozip", "nested.tacozip", "six_levels.tacozip", "permuted_offsets.tacozip",
                           "header_absent.tacozip", "odd_names.tacozip", "zip64_records.tacozip"}) {
    CAPTURE(name);
    const auto near = std::make_shared<OneFile>(to_bytes(file_text(golden(name))), false);
    const auto far = std::make_shared<OneFile>(to_bytes(file_text(golden(name))), true);
    CHECK(outcome(far) == outcome(near));
    CHECK(far->num_heads == 0);
  }
}

TEST_CASE("a damaged central directory makes a remote ZIP open by its header") {
  const Bytes good = to_bytes(file_text(golden("nested.tacozip")));
  const std::string expected = outcome(std::make_shared<OneFile>(good, false));
  REQUIRE(expected.find("level") == std::string::npos);
  // From the entries of the metadata on.
  const std::string text(reinterpret_cast<const char*>(good.data()), good.size());
  const std::size_t begin = text.rfind("PK\1\2", text.rfind("METADATA/level0.parquet"));
  REQUIRE(begin != text.npos);
  int num_headers = 0;
  for (std::size_t at = begin; at < good.size(); ++at) {
    Bytes bytes = good;
    bytes[at] ^= std::byte{0x41};
    const auto far = std::make_shared<OneFile>(std::move(bytes), true);
    CAPTURE(at);
    CHECK(outcome(far) == expected);
    num_headers += far->num_heads > 0 ? 1 : 0;
  }
  CHECK(num_headers > 100);
}

}  // namespace
