#include <doctest/doctest.h>
#include <stdlib.h>

#include <fstream>
#include <mutex>

#include "base/crc32.hpp"
#include "dataset/dataset_impl.hpp"
#include "support/counting.hpp"
#include "support/create_files.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/v1/convert.hpp"
#include "tacore/v1/create.hpp"
#include "writer/copy_payload.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tree_sources.hpp"

/// Datasets elsewhere: of a storage whose files say that they are not local. Real servers: tests/remote.
namespace tacore {
namespace {

std::shared_ptr<CountingStorage> elsewhere() { return std::make_shared<CountingStorage>(false); }

/// Bytes that no two places have alike.
std::string noise(std::size_t size) {
  std::string out(size, '\0');
  uint32_t state = 1;
  for (char& c : out) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return out;
}

/// FOLDERs of a small and of a large FILE, as a ZIP and as a FOLDER.
void make_nested(const Workshop& shop) {
  for (const std::string id : {"a", "b"}) {
    shop.add(id + "/large", id + noise(2'500'000));
    shop.add(id + "/small", "small " + id);
  }
  const Taco taco{shop.tree(), collection()};
  create(taco, shop.out("all.tacozip"));
  create(taco, shop.out("all"));
}

/// One moment for all exports, so that they are the same bytes.
class Moment {
 public:
  Moment() { ::setenv("SOURCE_DATE_EPOCH", "1700000000", 1); }
  ~Moment() { ::unsetenv("SOURCE_DATE_EPOCH"); }
};

TEST_CASE("an export of a remote dataset has the same bytes as one of the local dataset") {
  const Workshop shop;
  const Moment moment;
  make_nested(shop);
  for (const std::string from : {"all.tacozip", "all"}) {
    for (const std::string to : {".tacozip", ""}) {
      CAPTURE(from);
      CAPTURE(to);
      export_dataset(load(shop.out(from)), shop.out("here" + to), {.create = {.output = {.overwrite = true}}});
      const auto storage = elsewhere();
      export_dataset(load(shop.out(from), {}, storage), shop.out("there" + to),
                     {.create = {.output = {.overwrite = true}}});
      CHECK((files_of(shop.out("there" + to)) == files_of(shop.out("here" + to))));
      CHECK(storage->num_bytes() >= 5'000'000);  // and so through the storage
      CHECK(faults(shop.out("there" + to)) == "");
    }
  }
}

TEST_CASE("a failing request ends an export, and no file is left") {
  const Workshop shop;
  make_nested(shop);
  for (const std::string from : {"all.tacozip", "all"}) {
    for (const std::string to : {"x.tacozip", "x"}) {
      int n = 0;
      for (bool failed = true; failed; ++n) {
        const auto storage = elsewhere();
        storage->fail_at(n);
        const int before = shop.num_made();
        failed = false;
        try {
          export_dataset(load(shop.out(from), {}, storage), shop.out(to), {.create = {.max_concurrent_requests = 1}});
        } catch (const IoError& error) {
          failed = true;
          CHECK(has_text(std::string(error.what()), CountingStorage::kFailure));
          CHECK(shop.num_made() == before);
        }
        // What is asked for in vain, such as a file of headers, may fail without harm.
        failed = failed || storage->thrown() != "";
        fs::remove_all(shop.out(to));
      }
      CHECK(n > 5);
    }
  }
}

TEST_CASE("adjacent samples of a remote ZIP are fetched with few requests") {
  const Workshop shop;
  for (int i = 0; i < 200; ++i) shop.add("s" + std::to_string(1000 + i), noise(100 + static_cast<std::size_t>(i)));
  create({shop.tree(), collection()}, shop.out("many.tacozip"));
  const auto storage = elsewhere();
  const Dataset all = load(shop.out("many.tacozip"), {}, storage);
  for (const std::string to : {"x.tacozip", "x"}) {
    storage->reset();
    export_dataset(all, shop.out(to));
    CHECK(storage->num_reads() < 10);
    CHECK(contents(load(shop.out(to)).data()) == contents(all.data()));
  }
}

TEST_CASE("a file whose size changed before it is copied is an error") {
  const Workshop shop;
  shop.add("s/x", noise(100'000));
  create({shop.tree(), collection()}, shop.out("all"));
  const Taco taco = to_taco(load(shop.out("all"), {}, elsewhere()));
  std::ofstream(shop.out("all/DATA/s/x"), std::ios::app) << "more";
  for (const std::string to : {"x.tacozip", "x"}) {
    const std::string error = text_of<IoError>([&] { create(taco, shop.out(to)); });
    CHECK(has_text(error, "has 100004 bytes now; 100000 when it was first opened"));
    CHECK_FALSE(fs::exists(shop.out(to)));
  }
}

TEST_CASE("a byte of a ZIP damaged in transfer is detected by its CRC-32") {
  const Workshop shop;
  make_nested(shop);
  std::string bytes = file_text(shop.out("all.tacozip"));
  bytes[bytes.find("small b")] = 'S';
  std::ofstream(shop.out("all.tacozip"), std::ios::binary) << bytes;
  const Dataset all = load(shop.out("all.tacozip"), {}, elsewhere());
  for (const std::string to : {"x.tacozip", "x"}) {
    CHECK(has_text(text_of<FormatError>([&] { export_dataset(all, shop.out(to)); }), "damaged: 7 bytes"));
    CHECK_FALSE(fs::exists(shop.out(to)));
  }
}

TEST_CASE("remote Tortillas, nested ones included, convert to samples and back to files") {
  const Workshop shop;
  make_nested(shop);
  convert(shop.out("all.tacozip"), shop.out("here.tortilla"));
  const auto storage = elsewhere();
  const Dataset all = load(shop.out("here.tortilla"), {}, storage);
  v1::compile(all, shop.out("there.tortilla"));
  CHECK(contents(load(shop.out("there.tortilla")).data()) == contents(load(shop.out("all.tacozip")).data()));
  export_dataset(all, shop.out("there.tacozip"));
  CHECK(contents(load(shop.out("there.tacozip")).data()) == contents(load(shop.out("all.tacozip")).data()));
  CHECK(storage->num_bytes() >= 10'000'000);
}

TEST_CASE("an export sends at most max_concurrent_requests requests at a time") {
  for (const int limit : {1, 3, 40, 64, 100, 1000}) {
    const Readers readers(limit);
    CHECK(readers.num_threads >= 1);
    CHECK(readers.num_threads * static_cast<int>(readers.num_ranges) <= limit);
    CHECK(readers.num_threads * static_cast<int>(readers.num_ranges) > limit / 2);
  }
  const Workshop shop;
  make_nested(shop);
  CHECK(text_of<ValidationError>([&] {
          export_dataset(load(shop.out("all")), shop.out("x"), {.create = {.max_concurrent_requests = 0}});
        }) == "max_concurrent_requests is 0; at least 1 expected");
}

TEST_CASE("a remote file copied in pieces has the CRC-32 of the whole") {
  const Workshop shop;
  const std::string bytes = noise(3 * kRemotePiece + 12345);
  shop.add("x", bytes);
  const auto storage = elsewhere();
  const Payload whole = remote_payload(storage->open(shop.source("x"), {}), shop.source("x"));
  const Payload none = part_of(whole, {5, 0}), part = part_of(whole, {7, 2 * kRemotePiece});
  const std::vector<RemoteCopy> copies{{&whole, 100}, {&none, 3}, {&part, 0}};
  std::vector<std::string> out{std::string(bytes.size(), '\0'), "", std::string(2 * kRemotePiece, '\0')};
  std::mutex mutex;
  const auto crcs = copy_remote(copies, 100, [&](std::size_t i, uint64_t offset, std::span<const std::byte> piece) {
    const std::lock_guard lock(mutex);
    CHECK(piece.size() <= kRemotePiece);
    std::copy(
        piece.begin(), piece.end(),
        std::as_writable_bytes(std::span(out[i])).begin() + static_cast<std::ptrdiff_t>(offset - copies[i].begin));
  });
  CHECK((out[0] == bytes));
  CHECK((out[2] == bytes.substr(7, 2 * kRemotePiece)));
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(crcs[i] == crc32(std::as_bytes(std::span(out[i]))));
}

TEST_CASE("remote ranges are merged across small gaps, up to the size of a piece") {
  const Workshop shop;
  shop.add("x", noise(5'000'000));
  const auto storage = elsewhere();
  const Payload whole = remote_payload(storage->open(shop.source("x"), {}), shop.source("x"));
  struct Case {
    const char* name;
    std::vector<ByteRange> ranges;
    int num_reads;
  };
  const Case cases[] = {{"neighbours", {{0, 10}, {10, 10}}, 1},
                        {"a gap of 64 KiB", {{0, 10}, {10 + 65536, 10}}, 1},
                        {"a larger gap", {{0, 10}, {11 + 65536, 10}}, 2},
                        {"in any order", {{500, 10}, {0, 10}}, 1},
                        {"one in another", {{0, 1000}, {10, 10}}, 1},
                        {"one twice", {{7, 10}, {7, 10}}, 1},
                        {"more than a piece", {{0, 1'500'000}, {1'500'000, 1'500'000}}, 2},
                        {"one that is more", {{1, 4'000'000}}, 1},
                        {"nothing", {{3, 0}}, 0}};
  const std::string bytes = file_text(shop.source("x"));
  for (const auto& c : cases) {
    CAPTURE(c.name);
    storage->reset();
    std::vector<std::string> out;
    for (const auto& range : c.ranges) out.emplace_back(range.size, '\0');
    std::vector<RemotePart> parts;
    for (std::size_t i = 0; i < out.size(); ++i)
      parts.push_back({&whole, c.ranges[i].offset, std::as_writable_bytes(std::span(out[i]))});
    read_remote(parts, 1);
    CHECK(storage->num_reads() == c.num_reads);
    for (std::size_t i = 0; i < out.size(); ++i) CHECK((out[i] == bytes.substr(c.ranges[i].offset, c.ranges[i].size)));
  }
}

}  // namespace
}  // namespace tacore
