#include "model/chunk_manifest.hpp"

#include <doctest/doctest.h>

#include "support/support.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr uint64_t kMax = 1000;

Chunk chunk(const std::string& text) {
  return {.hash = sha256(std::as_bytes(std::span(text))), .size = static_cast<uint32_t>(text.size())};
}

ChunkManifest folder(const std::vector<std::string>& names) {
  ChunkManifest out;
  for (const auto& name : names) out.files.push_back({.name = name, .size = 5, .chunks = {chunk("ab"), chunk("cde")}});
  return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

std::string fault(const std::string& text) {
  try {
    parse_manifest(text, kMax, "m.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("A manifest is read as it was written") {
  ChunkManifest made = folder({"COLLECTION.json", "DATA/a \"quoted\"", "DATA/é"});
  made.files.push_back({.name = "empty"});
  const ChunkManifest back = parse_manifest(encode_manifest(made), kMax, "");
  CHECK_FALSE(back.is_zip);
  REQUIRE(back.files.size() == 4);
  CHECK(back.files[1].name == made.files[1].name);
  CHECK(back.files[2].name == made.files[2].name);
  CHECK(back.files[3].chunks.empty());
  CHECK(back.files[0].chunks[1].hash == chunk("cde").hash);
  CHECK(back.files[0].chunks[1].size == 3);
  CHECK(back.size() == 15);
  CHECK(back.identity() == made.identity());
  ChunkManifest zip = folder({"a.tacozip"});
  zip.is_zip = true;
  CHECK(parse_manifest(encode_manifest(zip), kMax, "").is_zip);
  const Sha256 unnamed = zip.identity();
  zip.name = "a.tacozip";
  zip.id = "a";
  zip.samples = {"s1", "s2"};
  CHECK(zip.identity() != unnamed);
  const ChunkManifest named = parse_manifest(encode_manifest(zip), kMax, "");
  CHECK(named.name == "a.tacozip");
  CHECK(named.id == "a");
  CHECK(named.samples == zip.samples);
  CHECK(has_text(fault(replaced(encode_manifest(zip), "\"s1\"", "\"s3\"")), "is damaged"));
  CHECK(has_text(fault(replaced(encode_manifest(zip), "\"s1\"", "1")), "a sample is 1, expected its id"));
}

TEST_CASE("The identity of a manifest is a hash of all its content") {
  const Sha256 identity = folder({"a", "b"}).identity();
  CHECK(folder({"b", "a"}).identity() != identity);
  CHECK(folder({"a"}).identity() != identity);
  ChunkManifest other = folder({"a", "b"});
  other.is_zip = true;
  CHECK(other.identity() != identity);
  other = folder({"a", "b"});
  std::swap(other.files[0].chunks[0], other.files[0].chunks[1]);
  CHECK(other.identity() != identity);
}

TEST_CASE("A file name that leaves the folder or names another file is refused") {
  const struct {
    std::vector<std::string> names;
    std::string expected;
  } cases[] = {
      {{"../a"}, "'../a', of which '..' is reserved by file systems"},
      {{"DATA/../../a"}, "of which '..'"},
      {{"/etc/passwd"}, "of which ''"},
      {{"a//b"}, "of which ''"},
      {{"a/"}, "of which ''"},
      {{""}, "of which ''"},
      {{"."}, "of which '.'"},
      {{"a\\b"}, "contains a slash"},
      {{std::string("a\0b", 3)}, "NUL"},
      {{"a", "a"}, "two files are called 'a'"},
      {{"a", "a/b"}, "'a' is both a file and a folder"},
      {{"a/b/c", "a/b"}, "'a/b' is both a file and a folder"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.expected);
    const std::string found = fault(encode_manifest(folder(c.names)));
    CAPTURE(found);
    CHECK(found.starts_with("m.json: manifest: "));
    CHECK(has_text(found, c.expected));
  }
}

TEST_CASE("A manifest with wrong sizes or identity, or a truncated one, is refused") {
  const std::string text = encode_manifest(folder({"a"}));
  REQUIRE(fault(text) == "");
  const auto says = [](const std::string& broken, const std::string& expected) {
    const std::string found = fault(broken);
    CAPTURE(found);
    CHECK(has_text(found, expected));
  };
  says(replaced(text, "\"size\": 5", "\"size\": 6"), "size of 'a' is 6, its chunks have 5 bytes");
  says(replaced(text, "\"size\": 5", "\"size\": -5"), "size of 'a' is -5, expected a number");
  says(replaced(text, "\"size\": 5", "\"size\": 5.0"), "expected a number");
  says(replaced(text, "\", 2]", "\", 0]"), "has 0 bytes, expected 1 to 1000");
  says(replaced(text, "\", 2]", "\", 1001]"), "has 1001 bytes");
  says(replaced(text, "\", 2]", "\", 18446744073709551615]"), "expected 1 to 1000");
  says(replaced(text, "\", 2]", "\"]"), "is not [SHA-256, size]");
  says(replaced(text, "[\"", "[\"../"), "expected 64 hexadecimal digits");
  says(replaced(text, "\"name\": \"a\"", "\"name\": \"b\""), "is damaged: sha256 is");
  says(replaced(text, "\"version\": 1", "\"version\": 2"), "version is 2, expected 1");
  says(replaced(text, "\"folder\"", "\"tar\""), "container is 'tar'");
  says(replaced(text, "\"files\"", "\"file\""), "files is missing");
  says(replaced(text, "\"name\"", "\"nome\""), "name is missing");
  says("[]", "is array, expected an object");
  says("", "invalid or truncated JSON");
  says(std::string(100, '['), "JSON with a NUL byte or nested too deep");
  says(text + '\0' + "x", "JSON with a NUL byte or nested too deep");
  ChunkManifest two = folder({"a", "b"});
  two.is_zip = true;
  says(encode_manifest(two), "has 2 files, expected 1");
  says(encode_manifest({}), "has 0 files, expected at least 1");
  for (std::size_t size = 0; size + 3 < text.size(); ++size) CHECK(fault(text.substr(0, size)) != "");
}

}  // namespace
}  // namespace tacore
