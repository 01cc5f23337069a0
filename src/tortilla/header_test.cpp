#include "tortilla/header.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tacore/error.hpp"

namespace tacore::v1 {
namespace {

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 3)
    out.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  out.resize(kHeaderSize);
  return out;
}

TEST_CASE("the header of the inner Tortilla has the bytes of the worked example") {
  const Header header{.footer = {230, 4451}};
  const auto expected = bytes_of("23 79 e6 00 00 00 00 00 00 00 63 11 00 00 00 00 00 00 01 00 00 00 00 00 00 00 ");
  CHECK(encode_header(header) == expected);
  const Header read = parse_header(expected, 4681);
  CHECK(read.kind == Kind::Tortilla);
  CHECK(read.footer == ByteRange{230, 4451});
  CHECK(read.num_partitions == 1);
  CHECK_FALSE(read.collection);
}

TEST_CASE("the header of a TACO has the bytes of the worked example") {
  const Header header{
      .kind = Kind::Taco, .footer = {4892, 4473}, .num_partitions = 1, .collection = ByteRange{9365, 13}};
  const auto expected = bytes_of(
      "57 58 1c 13 00 00 00 00 00 00 79 11 00 00 00 00 00 00 01 00 00 00 00 00 00 00 95 24 00 00 00 00 "
      "00 00 0d 00 00 00 00 00 00 00 ");
  CHECK(encode_header(header) == expected);
  const Header read = parse_header(expected, 9378);
  CHECK(read.kind == Kind::Taco);
  CHECK(read.collection == ByteRange{9365, 13});
}

TEST_CASE("a '#y' header with a collection is read as that of a TACO") {
  auto bytes = encode_header({.kind = Kind::Taco, .footer = {200, 100}, .collection = ByteRange{300, 50}});
  bytes[0] = std::byte{'#'};
  bytes[1] = std::byte{'y'};
  CHECK(parse_header(bytes, 350).kind == Kind::Taco);
  CHECK(parse_header(bytes, 351).kind == Kind::Tortilla);  // what is free may hold anything
}

TEST_CASE("a header before 0.5.0 states one format for all samples") {
  std::string text("#y", 2);
  const auto number = [&](uint64_t value) {
    for (int i = 0; i < 8; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  };
  number(230);
  number(100);
  text += "GTiff                   ";
  number(3);
  text.resize(kHeaderSize);
  std::vector<std::byte> bytes(kHeaderSize);
  for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = static_cast<std::byte>(text[i]);
  const Header header = parse_header(bytes, 330);
  CHECK(header.file_format == "GTiff");
  CHECK(header.num_partitions == 3);

  SUBCASE("an invalid UTF-8 format is refused") {
    bytes[20] = std::byte{0xff};
    CHECK_THROWS_WITH_AS(parse_header(bytes, 330), doctest::Contains("is not UTF-8"), FormatError);
  }
  SUBCASE("a header of the generation before 0.1 is refused by name") {
    for (std::size_t i = 42; i < 50; ++i) bytes[i] = std::byte{' '};
    CHECK_THROWS_WITH_AS(parse_header(bytes, 330), doctest::Contains("a Tortilla of the generation before 0.1 (2024)"),
                         FormatError);
  }
}

TEST_CASE("a header with wrong ranges or numbers is refused with the wrong one") {
  const auto refused = [](const Header& header, uint64_t size, const char* why) {
    CAPTURE(why);
    CHECK_THROWS_WITH_AS(parse_header(encode_header(header), size, 1000), doctest::Contains(why), FormatError);
  };
  refused({.footer = {199, 100}}, 400, "footer (100 bytes at 199) starts inside the header of 200 bytes");
  refused({.footer = {200, 11}}, 400, "footer (11 bytes at 200) is shorter than 12 bytes");
  refused({.footer = {200, 201}}, 400, "footer (201 bytes at 200) leaves the container of 400 bytes");
  refused({.footer = {~uint64_t{0}, 100}}, 400, "leaves the container");
  refused({.footer = {200, 100}, .num_partitions = 0}, 400, "0 partitions");
  refused({.kind = Kind::Taco, .footer = {200, 100}}, 400, "collection (0 bytes at 0) starts inside the header");
  refused({.kind = Kind::Taco, .footer = {200, 100}, .collection = ByteRange{300, 101}}, 400, "leaves the container");
  CHECK_THROWS_WITH_AS(parse_header(std::vector<std::byte>(199), 199), doctest::Contains("is truncated: 199 bytes"),
                       FormatError);
  CHECK_THROWS_WITH_AS(parse_header(std::vector<std::byte>(200), 400), doctest::Contains("not a Tortilla or TACO file"),
                       FormatError);
  try {
    parse_header(encode_header({.footer = {200, 201}}), 400, 1000);
    FAIL("accepted");
  } catch (const FormatError& error) {
    CHECK(error.context().offset == 1002);
  }
}

}  // namespace
}  // namespace tacore::v1
