#include "tacore/plumbing/stored_files.hpp"

#include <doctest/doctest.h>

#include "support/server.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/remote.hpp"

namespace tacore {
namespace {

/// The SHA-256 of "{}".
constexpr const char* kHash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

/// Sets the options for a store, while it exists.
class StoreInUse {
 public:
  explicit StoreInUse(const std::string& endpoint) {
    set_remote_options({.endpoint = endpoint, .access_key_id = "id", .secret_access_key = "secret", .max_tries = 1});
  }
  ~StoreInUse() { set_remote_options(before_); }
  StoreInUse(const StoreInUse&) = delete;
  StoreInUse& operator=(const StoreInUse&) = delete;

 private:
  RemoteOptions before_ = remote_options();
};

TEST_CASE("a file that another process has stored meanwhile is stored, and any other refusal is an error") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.json", "{}");
  int num_heads = 0;
  bool is_stored = true;
  const net::TestServer server([&](const net::TestRequest& request) {
    const std::string hash = "Content-Length: 2\r\nx-amz-meta-sha256: " + std::string(kHash) + "\r\n";
    if (request.text.starts_with("HEAD"))
      return ++num_heads > 1 && is_stored ? net::answer(200, "{}", hash) : net::answer(404, "");
    if (request.text.starts_with("GET")) return net::answer(200, "");
    return net::answer(404, "<Error><Code>NoSuchUpload</Code><Message>It is over</Message></Error>");
  });
  const StoreInUse store(server.url(""));
  const StoredFile stored = store_file("s3://bucket/chips", "a.json", path);
  CHECK(stored.name == "a.json");
  CHECK(stored.size == 2);
  CHECK(stored.sha256 == kHash);
  is_stored = false;
  CHECK_THROWS_WITH_AS((void)store_file("s3://bucket/chips", "a.json", path),
                       "s3://bucket/chips/a.json: PUT: HTTP status 404: NoSuchUpload: It is over", IoError);
}

TEST_CASE("a part of a stored file ends where the file does, and an absent one is told from a refusal") {
  const net::TestServer server([&](const net::TestRequest& request) {
    if (has_text(request.path, "absent")) return net::answer(404, "");
    if (has_text(request.path, "closed")) return net::answer(403, "");
    return net::answer(206, "0123456789", "Content-Range: bytes 0-9/10\r\n");
  });
  const StoreInUse store(server.url(""));
  CHECK(read_stored_file("s3://bucket/", "a", 0, 1 << 20) == "0123456789");
  CHECK(read_stored_file("s3://bucket", "a", 3, 4) == "3456");
  CHECK(read_stored_file("s3://bucket", "a", 8, 4) == "89");
  CHECK(read_stored_file("s3://bucket", "a", 12, 4) == "");
  CHECK_FALSE(read_stored_file("s3://bucket", "absent", 0, 1));
  CHECK_THROWS_AS((void)read_stored_file("s3://bucket", "closed", 0, 1), IoError);
}

TEST_CASE("places of single files are those of S3, and a hash has 64 digits") {
  CHECK_THROWS_WITH_AS((void)has_stored_files("hf://datasets/a/b", {}),
                       "hf://datasets/a/b: is no place for single files; s3://BUCKET/PREFIX expected", IoError);
  for (const std::string& hash : {std::string(), std::string("44"), std::string(64, 'x'), std::string(65, '0')}) {
    CHECK_THROWS_AS((void)has_stored_files("s3://bucket", {{.name = "a", .size = 1, .sha256 = hash}}), ValidationError);
  }
}

TEST_CASE("a file is removed, also one that is not there, and a refusal is an error") {
  const net::TestServer server([](const net::TestRequest& request) {
    CHECK(request.text.starts_with("DELETE /bucket/chips/"));
    if (has_text(request.path, "absent")) return net::answer(404, "");
    if (has_text(request.path, "kept"))
      return net::answer(403, "<Error><Code>AccessDenied</Code><Message>No</Message></Error>");
    return net::answer(204, "");
  });
  const StoreInUse store(server.url(""));
  remove_stored_file("s3://bucket/chips", ".parts/a");
  remove_stored_file("s3://bucket/chips/", "absent");
  CHECK_THROWS_WITH_AS(remove_stored_file("s3://bucket/chips", "kept"),
                       "s3://bucket/chips/kept: DELETE: HTTP status 403: AccessDenied: No: Permission denied", IoError);
}

TEST_CASE("a listing has the files of all pages in the order of their names, with and without a key") {
  std::vector<std::string> asked;
  const net::TestServer server([&](const net::TestRequest& request) {
    asked.push_back(request.text);
    const bool is_second = has_text(request.path, "continuation-token=more%2F1");
    return net::answer(200, is_second ? "<ListBucketResult><IsTruncated>false</IsTruncated>"
                                        "<Contents><Key>chips/a&amp;b.tif</Key><Size>0</Size></Contents>"
                                        "<Contents><Key>chips/sub/</Key><Size>0</Size></Contents></ListBucketResult>"
                                      : "<ListBucketResult><IsTruncated>true</IsTruncated>"
                                        "<NextContinuationToken>more/1</NextContinuationToken>"
                                        "<EncodingType>url</EncodingType><Contents><Key>chips/sub/c%20d.tif</Key>"
                                        "<ETag>&quot;1f&quot;</ETag><Size>5000000000</Size></Contents>"
                                        "</ListBucketResult>");
  });
  const RemoteOptions before = remote_options();
  for (const bool is_anonymous : {false, true}) {
    asked.clear();
    set_remote_options({.endpoint = server.url(""),
                        .access_key_id = "id",
                        .secret_access_key = "secret",
                        .is_anonymous = is_anonymous,
                        .max_tries = 1});
    const auto found = list_stored_files("s3://bucket/chips");
    set_remote_options(before);
    REQUIRE(found.size() == 2);
    CHECK(found[0].name == "a&b.tif");
    CHECK(found[0].size == 0);
    CHECK(found[1].name == "sub/c d.tif");
    CHECK(found[1].size == 5'000'000'000);
    CHECK(found[1].version == "\"1f\"");
    REQUIRE(asked.size() == 2);
    CHECK(has_text(asked[0], "list-type=2&prefix=chips%2F "));
    CHECK(has_text(asked[0], "Authorization") == !is_anonymous);
  }
}

TEST_CASE("a listing that is cut off, lies about sizes, or is refused is an error") {
  std::string body;
  const net::TestServer server(
      [&](const net::TestRequest&) { return net::answer(has_text(body, "<Error>") ? 403 : 200, body); });
  const StoreInUse store(server.url(""));
  const auto fault = [&](const std::string& text) {
    body = text;
    try {
      (void)list_stored_files("s3://bucket/chips/");
    } catch (const IoError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(has_text(fault("<IsTruncated>true</IsTruncated>"), "cut off after 0 files"));
  CHECK(has_text(fault("<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>"), "cut off"));
  CHECK(has_text(fault("<Contents><Key>chips/a</Key><Size>12x</Size></Contents>"),
                 "s3://bucket/chips/a: the store states the size '12x'"));
  CHECK(has_text(fault("<Contents><Key>chips/a</Key></Contents>"), "the store states the size ''"));
  CHECK(has_text(fault("<Error><Code>AccessDenied</Code><Message>No</Message></Error>"), "AccessDenied: No"));
  CHECK(fault("<ListBucketResult/>") == "none");
  CHECK_THROWS_AS((void)list_stored_files("https://host/chips"), IoError);
}

}  // namespace
}  // namespace tacore
