#include <doctest/doctest.h>

#include "support/load_files.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

/// Faults that tests/mutate found, each by the way it was found.
namespace tacore {
namespace {

/// A golden file with some bytes changed.
class Damaged {
 public:
  explicit Damaged(const std::string& name) : name_(name), bytes_(file_text(golden(name))) {}

  std::size_t find(const std::string& what, std::size_t from = 0) const {
    const auto at = bytes_.find(what, from);
    REQUIRE(at != std::string::npos);
    return at;
  }
  void put(std::size_t at, const std::string& now) { bytes_.replace(at, now.size(), now); }
  Dataset open() const { return load(folder_.write(name_, bytes_)); }

 private:
  TemporaryFolder folder_;
  std::string name_;
  std::string bytes_;
};

}  // namespace

TEST_CASE("a sample whose size differs from its local header is an error, not a shorter sample") {
  Damaged file("flat_plain.tacozip");
  const auto local = file.find("DATA/madrid") - 30;
  file.put(local + 18, std::string("\x05\0\0\0\x05\0\0\0", 8));
  const DataFrame rows = file.open().data();
  const std::string text = text_of<FormatError>([&] { rows.read_bytes("madrid"); });
  CHECK(has_text(text, "flat_plain.tacozip: sample 'madrid': internal:size is 14, but its local header states 5"));
  CHECK(rows.read_bytes("valencia").size() == 16);
}

TEST_CASE("two local headers before the data of a sample are an error") {
  const TemporaryFolder folder;
  const std::string index = folder.copy(golden("cascade_tacocat"), "set");
  std::string part = file_text(index + "/cascade_part0001.tacozip");
  const std::string name = "DATA/europe/country_1/city_0";
  const auto local = part.find(name) - 30;
  part.insert(local, part.substr(local, 30 + name.size()));
  folder.write("set/cascade_part0001.tacozip", part);
  const DataFrame rows = load(index).data();
  const std::string text = text_of<FormatError>([&] { rows.read_bytes("europe/country_1/city_0"); });
  CHECK(has_text(text, "cascade_part0001.tacozip: sample 'city_0': duplicate local header before its data, and "));
}

TEST_CASE("a local file header whose extra field reaches into the next entry does not move the payload") {
  Damaged file("permuted_offsets.tacozip");
  file.put(file.find("DATA/africa/item_1") - 2, "\xff");
  const DataFrame rows = file.open().data();
  const std::string text = text_of<FormatError>([&] { rows.read_bytes("africa/item_1"); });
  CHECK(has_text(text, "permuted_offsets.tacozip: sample 'item_1': no local header of 'DATA/africa/item_1'"));
  CHECK(rows.read_bytes("africa/item_2").size() == 13);
}

TEST_CASE("a query over a damaged Parquet page is a FormatError with the level, not an SQL error") {
  Damaged file("flat.tacozip");
  // The frame of a compressed page.
  file.put(file.find("\x28\xb5\x2f\xfd", file.find("PAR1")) + 4, "\xff\xff\xff\xff");
  const std::string text = text_of<FormatError>([&] { file.open().sql("SELECT * FROM data").data(); });
  CHECK(has_text(text, "flat.tacozip: level 0: Parquet: "));
  CHECK_FALSE(has_text(text, "tacore://"));
}

TEST_CASE("a Parquet page that states a larger uncompressed size than its column is refused before allocation") {
  Damaged file("flat.tacozip");
  // A page header begins with its type, then the size when unpacked.
  const auto page = file.find("PAR1") + 4;
  file.put(page + 3, "\xfe");
  const std::string text = text_of<FormatError>([&] { file.open().sql("SELECT * FROM data").data(); });
  CHECK(has_text(text, "flat.tacozip: level 0: Parquet"));
}

}  // namespace tacore
