#include "writer/whole_payloads.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/read_count.hpp"
#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"
#include "tacore/error.hpp"
#include "writer/tree_sources.hpp"

namespace {

using namespace tacore;

/// Bytes that differ from those at other places.
std::string numbered_bytes(std::size_t size) {
  std::string out;
  for (int i = 0; out.size() < size; ++i) out += std::to_string(i) + ",";
  out.resize(size);
  return out;
}

/// Reads some ranges of one file, in this order, and returns how many reads that took.
uint64_t read_ranges(const Payload& whole, const std::vector<ByteRange>& ranges, std::vector<std::string>& out) {
  std::vector<Payload> parts;
  for (const auto& range : ranges) {
    parts.push_back(part_of(whole, range));
    out.emplace_back(range.size, '\0');
  }
  std::vector<WholePayload> wanted;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    wanted.push_back({&parts[i], std::as_writable_bytes(std::span(out[i]))});
  const uint64_t none = num_system_reads(), before = num_system_reads();
  read_whole(wanted, 1);
  return num_system_reads() - before - (before - none);
}

TEST_CASE("ranges of a local file are read together across small gaps") {
  const TemporaryFolder folder;
  const std::string bytes = numbered_bytes(5'000'000);
  const Payload whole = payload_of(folder.write("x", bytes));
  std::vector<ByteRange> many;
  for (uint64_t i = 0; i < 1200; ++i) many.push_back({i * 100, 70});
  struct Case {
    const char* name;
    std::vector<ByteRange> ranges;
    uint64_t num_reads;
  };
  const Case cases[] = {{"neighbours", {{0, 10}, {10, 10}}, 1},
                        {"a gap of 4 KiB", {{7, 10}, {17 + 4096, 10}}, 1},
                        {"a larger gap", {{7, 10}, {18 + 4096, 10}}, 2},
                        {"in any order", {{500, 10}, {0, 10}, {40, 1}}, 1},
                        {"one in another", {{0, 1000}, {10, 10}}, 2},
                        {"one twice", {{7, 10}, {7, 10}}, 2},
                        {"large ones", {{0, 2'500'000}, {2'500'050, 2'499'950}}, 1},
                        {"nothing", {{3, 0}}, 0},
                        {"nothing among others", {{0, 10}, {10, 0}, {10, 10}}, 1},
                        {"more than one call takes", many, 3}};
  for (const auto& c : cases) {
    CAPTURE(c.name);
    std::vector<std::string> out;
    CHECK(read_ranges(whole, c.ranges, out) == c.num_reads);
    for (std::size_t i = 0; i < out.size(); ++i) CHECK((out[i] == bytes.substr(c.ranges[i].offset, c.ranges[i].size)));
  }
}

TEST_CASE("ranges of several files, whole files and bytes in memory are returned together") {
  const TemporaryFolder folder;
  const Payload a = payload_of(folder.write("a", "0123456789")), b = payload_of(folder.write("b", "abcdefghij"));
  Payload held{.size = 3};
  held.held = std::make_shared<const SpillBuffer>(Bytes(3, std::byte{'!'}), "");
  const std::vector<Payload> payloads{part_of(a, {1, 2}), held, part_of(b, {3, 4}), part_of(a, {5, 5}), b};
  std::vector<std::string> out;
  std::vector<WholePayload> wanted;
  for (const auto& payload : payloads) out.emplace_back(payload.size, '\0');
  for (std::size_t i = 0; i < payloads.size(); ++i)
    wanted.push_back({&payloads[i], std::as_writable_bytes(std::span(out[i]))});
  read_whole(wanted, 1);
  CHECK(out == std::vector<std::string>{"12", "!!!", "defg", "56789", "abcdefghij"});
}

TEST_CASE("a file that was removed, shrank or grew since its size was taken is an error") {
  const TemporaryFolder folder;
  const std::string path = folder.write("x", "0123456789");
  const Payload whole = payload_of(path);
  const std::vector<Payload> parts{part_of(whole, {0, 2}), part_of(whole, {6, 4})};
  const auto said = [&](const std::vector<Payload>& payloads) -> std::string {
    std::string out(20, '\0');
    std::vector<WholePayload> wanted;
    for (std::size_t i = 0; i < payloads.size(); ++i)
      wanted.push_back({&payloads[i], std::as_writable_bytes(std::span(out)).subspan(10 * i, payloads[i].size)});
    try {
      read_whole(wanted, 1);
    } catch (const IoError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(said(parts) == "");
  folder.write("x", "01234567");
  CHECK(said(parts) == path + ": the file shrank to 8 bytes while it was read");
  folder.write("x", "0123456789+");
  CHECK(said(parts) == "");
  CHECK(said({whole}) == path + ": the file grew beyond 10 bytes while it was read");
  std::filesystem::remove(path);
  CHECK(said(parts).starts_with(path + ": cannot open"));
}

TEST_CASE("a payload that does not match its CRC-32 is an error that names the sample") {
  Tree tree = tree_of({"a/", "a/x", "a/y"});
  Payload& x = tree.levels[1].payloads[0];
  x = {.path = "some.tacozip", .offset = 40, .size = 2, .crc32 = 7};
  check_crc32(tree, 1, 0, 7);
  check_crc32(tree, 1, 1, 8);  // nothing is known
  std::string said;
  try {
    check_crc32(tree, 1, 0, 8);
  } catch (const FormatError& error) {
    said = error.what();
    CHECK(error.context().offset == 40);
  }
  CHECK(has_text(said, "some.tacozip"));
  CHECK(has_text(said, "sample 'a/x' is damaged: 2 bytes have CRC-32 8, its ZIP says 7"));
}

}  // namespace
