#include <doctest/doctest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <utility>

#include "io/public_path.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

TEST_CASE("remote paths are distinguished from local ones") {
  const char* const remote[] = {"s3://b/k",
                                "gs://b/k",
                                "az://b/k",
                                "azure://b/k",
                                "oss://b/k",
                                "swift://b/k",
                                "http://h/p",
                                "https://h/p",
                                "hf://datasets/o/n/p",
                                "/vsis3/b/k",
                                "/vsicurl/http://h/p",
                                "/vsicurl?url=h",
                                "/vsi7z/a"};
  for (const std::string path : remote) {
    CAPTURE(path);
    CHECK(is_remote(path));
  }
  const char* const local[] = {"",       "a",         "/a",        "./s3://b",     "s3:/b",  "s3",
                               "S3://b", "file:///a", "ftp://h/p", "/vsi",         "/vsi/a", "/vsi-a/b",
                               "/vs/a",  "vsis3/b",   "https:/h",  "/data/vsis3/b"};
  for (const std::string path : local) {
    CAPTURE(path);
    CHECK_FALSE(is_remote(path));
  }
}

TEST_CASE("remote paths turn into GDAL names and back") {
  const std::string cases[][2] = {
      {"s3://b/k", "/vsis3/b/k"},
      {"s3://b/a//k/", "/vsis3/b/a//k/"},
      {"gs://b/k", "/vsigs/b/k"},
      {"az://b/k", "/vsiaz/b/k"},
      {"oss://b/k", "/vsioss/b/k"},
      {"swift://b/k", "/vsiswift/b/k"},
      {"http://h/p?q=1", "/vsicurl/http://h/p?q=1"},
      {"https://h/p", "/vsicurl/https://h/p"},
      {"hf://datasets/o/n/p", "hf://datasets/o/n/p"},
  };
  for (const auto& [path, vsi] : cases) {
    CAPTURE(path);
    CHECK(to_vsi(path) == vsi);
    CHECK(from_vsi(vsi) == path);
  }
}

TEST_CASE("azure:// and az:// have the same GDAL name, which converts back to az://") {
  CHECK(to_vsi("azure://b/k") == "/vsiaz/b/k");
  CHECK(from_vsi("/vsiaz/b/k") == "az://b/k");
}

TEST_CASE("to_vsi keeps a GDAL name unchanged") {
  for (const std::string path : {"/vsis3/b/k", "/vsicurl/https://h/p", "/vsizip//a/./b.zip"}) {
    CAPTURE(path);
    CHECK(to_vsi(path) == path);
  }
}

TEST_CASE("from_vsi keeps a path without remote form unchanged") {
  for (const std::string path :
       {"", "/a/b", "/vsizip/a", "/vsicurl/ftp://h/p", "/vsis3", "vsis3/b", "/vsis3_streaming/b/k", "https://h/p"}) {
    CAPTURE(path);
    CHECK(from_vsi(path) == path);
  }
}

TEST_CASE("a local path becomes absolute and keeps its .. and links") {
  const std::string here = std::filesystem::current_path().string();
  const std::string cases[][2] = {
      {"/a/b", "/a/b"},
      {"/a//b/", "/a/b"},
      {"/./a/./b/.", "/a/b"},
      {"/a/../b", "/a/../b"},
      {"/", "/"},
      {"//", "/"},
      {"a/b", here + "/a/b"},
      {"./a", here + "/a"},
      {"../a", here + "/../a"},
      {"", here},
      {".", here},
      {"/a/.b/..c", "/a/.b/..c"},
      {"a, b_1", here + "/a, b_1"},
      {"file.zip", here + "/file.zip"},
  };
  for (const auto& [path, absolute] : cases) {
    CAPTURE(path);
    CHECK(to_vsi(path) == absolute);
  }
}

TEST_CASE("a /vsisubfile/ name of a byte range is built and parsed") {
  struct Case {
    ByteRange range;
    const char* root;
    std::string path;
  };
  const Case cases[] = {
      {{200, 16}, "/d/flat.tacozip", "/vsisubfile/200_16,/d/flat.tacozip"},
      {{0, 0}, "", "/vsisubfile/0_0,"},
      {{5'368'709'120, 16}, "/d/big.tacozip", "/vsisubfile/5368709120_16,/d/big.tacozip"},
      {{1, 2}, "/a,b_c", "/vsisubfile/1_2,/a,b_c"},
      {{1, 2}, "/vsicurl/https://h/p", "/vsisubfile/1_2,/vsicurl/https://h/p"},
      {{std::numeric_limits<uint64_t>::max(), 5}, "/a", "/vsisubfile/18446744073709551615_5,/a"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    CHECK(vsi_subfile(c.range, c.root) == c.path);
    const VsiSubfile parsed = parse_vsi_subfile(c.path);
    CHECK(parsed.range == c.range);
    CHECK(parsed.root == c.root);
  }
}

TEST_CASE("a malformed /vsisubfile/ name is refused with its text and the reason") {
  const std::string cases[][2] = {
      {"", "does not start with /vsisubfile/"},
      {"/a/b", "does not start with"},
      {"vsisubfile/1_2,/a", "does not start with"},
      {"/vsisubfile/", "no comma"},
      {"/vsisubfile/1_2", "no comma"},
      {"/vsisubfile/,/a", "no _ between"},
      {"/vsisubfile/12,/a_b", "no _ between"},
      {"/vsisubfile/_2,/a", "'' is not an unsigned 64-bit number"},
      {"/vsisubfile/1_,/a", "'' is not an unsigned 64-bit number"},
      {"/vsisubfile/-1_2,/a", "'-1' is not an unsigned 64-bit number"},
      {"/vsisubfile/+1_2,/a", "'+1' is not an unsigned 64-bit number"},
      {"/vsisubfile/ 1_2,/a", "' 1' is not an unsigned 64-bit number"},
      {"/vsisubfile/1.0_2,/a", "'1.0' is not an unsigned 64-bit number"},
      {"/vsisubfile/0x1_2,/a", "'0x1' is not an unsigned 64-bit number"},
      {"/vsisubfile/1_2_3,/a", "'2_3' is not an unsigned 64-bit number"},
      {"/vsisubfile/18446744073709551616_1,/a", "'18446744073709551616' is not an unsigned 64-bit number"},
  };
  for (const auto& [path, words] : cases) {
    CAPTURE(path);
    CHECK_THROWS_WITH_AS(parse_vsi_subfile(path), doctest::Contains(words.c_str()), FormatError);
    CHECK_THROWS_WITH_AS(parse_vsi_subfile(path), doctest::Contains(path.c_str()), FormatError);
  }
}

TEST_CASE("a path is split into folder and file name") {
  struct Case {
    std::string path;
    const char* folder;
    std::string name;
  };
  const Case cases[] = {
      {"a", "", "a"},
      {"a/b", "a/", "b"},
      {"/a", "/", "a"},
      {"/a/b/c", "/a/b/", "c"},
      {"/a/b/", "/a/", "b"},
      {"a//", "", "a"},
      {"a//b", "a//", "b"},
      {"/", "/", ""},
      {"//", "/", ""},
      {"", "", ""},
      {"s3://b/k", "s3://b/", "k"},
      {"../a", "../", "a"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    CHECK(parent_folder(c.path) == c.folder);
    CHECK(file_name(c.path) == c.name);
  }
}

TEST_CASE("joined paths have exactly one slash between") {
  const std::string cases[][3] = {
      {"a", "b", "a/b"},
      {"a/", "b", "a/b"},
      {"a", "/b", "a/b"},
      {"a//", "//b", "a/b"},
      {"/", "b", "/b"},
      {"", "b", "b"},
      {"", "/b", "b"},
      {"s3://", "b", "s3://b"},
      {"a", "", "a/"},
      {"a", "b/c/", "a/b/c/"},
      {"s3://b", "k", "s3://b/k"},
  };
  for (const auto& [folder, name, joined] : cases) {
    CAPTURE(folder);
    CAPTURE(name);
    CHECK(path_join(folder, name) == joined);
  }
}

TEST_CASE("a public path has no user name, password or query of a URL") {
  const std::pair<const char*, const char*> cases[] = {
      {"http://u:p@h:8/d/a.tacozip?sig=x/y#z", "http://h:8/d/a.tacozip"},
      {"https://token@h/a", "https://h/a"},
      {"https://h/a@b/c", "https://h/a@b/c"},
      {"/vsicurl/https://u:p@h/a?x", "/vsicurl/https://h/a"},
      {"s3://bucket/a?b", "s3://bucket/a?b"},
      {"/data/a?b@c", "/data/a?b@c"},
      {"d://u@h/a", "d://u@h/a"},
  };
  for (const auto& [path, shown] : cases) {
    CAPTURE(path);
    CHECK(public_path(path) == shown);
  }
}

}  // namespace

TEST_CASE("a name below a web server is percent-encoded where it would end the path or be decoded") {
  CHECK(path_of_name("https://h/d/DATA", "a?b/%41#c d") == "https://h/d/DATA/a%3Fb/%2541%23c d");
  CHECK(path_of_name("/vsicurl/http://h/d/", "50%") == "/vsicurl/http://h/d/50%25");
  for (const std::string folder : {"/data/DATA", "s3://b/DATA", "/vsis3/b/DATA"}) {
    CHECK(path_of_name(folder, "a?b%41#") == folder + "/a?b%41#");
  }
}
