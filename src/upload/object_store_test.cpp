#include "upload/object_store.hpp"

#include <doctest/doctest.h>

#include "support/server.hpp"
#include "support/support.hpp"

namespace tacore::upload {
namespace {

RemoteOptions options_for(const std::string& endpoint) {
  return {.endpoint = endpoint,
          .region = "us-east-1",
          .access_key_id = "id",
          .secret_access_key = "secret",
          .max_tries = 1};
}

TEST_CASE("a URL for an upload is http or https, and encrypted where the store is") {
  CHECK(checked_url("http://hub", "http://store/a?b", "f") == "http://store/a?b");
  CHECK(checked_url("http://hub", "https://store/a", "f") == "https://store/a");
  for (const char* url : {"file:///etc/passwd", "ftp://host/a", "/a", "", "HTTP://host/a"}) {
    CHECK_THROWS_AS((void)checked_url("http://hub", url, "f"), IoError);
  }
  CHECK_THROWS_WITH_AS((void)checked_url("https://hub", "http://store/a?Signature=x", "f.zip"),
                       "f.zip: the store names the URL 'http://store/a' for the upload, which is not encrypted",
                       IoError);
}

TEST_CASE("origins are equal when scheme, host and port are") {
  CHECK(is_same_origin("https://hub/a", "https://hub"));
  CHECK_FALSE(is_same_origin("https://hub/a", "https://hub.evil.org/a"));
  CHECK_FALSE(is_same_origin("https://hub/a", "http://hub/a"));
  CHECK_FALSE(is_same_origin("https://hub/a", "https://hub:8443/a"));
  CHECK_FALSE(is_same_origin("https://hub/a", "https://user@hub/a"));
}

TEST_CASE("a file that changes after it was hashed is an error") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.bin", "12345");
  const Upload file = upload_of("a.bin", path);
  CHECK(hex(file.sha256) == "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5");
  require_unchanged(file);
  folder.write("a.bin", "1234567");
  CHECK_THROWS_WITH_AS(require_unchanged(file),
                       (path + ": the file changed while it was uploaded: it has 7 bytes, 5 expected; run the command "
                               "again")
                           .c_str(),
                       IoError);
  folder.write("a.bin", "54321");
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
  CHECK_THROWS_AS(require_unchanged(file), IoError);
}

TEST_CASE("other URLs than those of S3 and of datasets on the Hub are refused, and so is an upload without a key") {
  const RemoteOptions remote = options_for("http://127.0.0.1:1");
  for (const char* url :
       {"gs://bucket/a", "https://host/a", "folder", "hf://models/a/b", "hf://datasets/a", "hf://datasets//b"}) {
    CHECK_THROWS_AS((void)open_store(url, remote), IoError);
  }
  RemoteOptions none = remote;
  none.is_anonymous = true;
  CHECK_THROWS_AS((void)open_store("s3://bucket/a", none), IoError);
}

TEST_CASE("S3 gets one PUT of a small file, with its hash, and its errors are those of the store") {
  const TemporaryFolder folder;
  const std::vector<Upload> files{upload_of("a b.json", folder.write("a.json", "{}"))};
  bool is_full = false;
  const net::TestServer server([&](const net::TestRequest& request) {
    if (request.text.starts_with("HEAD")) return net::answer(404, "");
    if (request.text.starts_with("GET")) return net::answer(403, "<Error><Code>AccessDenied</Code></Error>");
    return is_full
               ? net::answer(507, "<Error><Code>QuotaExceeded</Code><Message>No &lt;space&gt; left</Message></Error>")
               : net::answer(200, "", "ETag: \"x\"\r\n");
  });
  const auto store = open_store("s3://bucket/pre fix", options_for(server.url("")));
  CHECK(store->find(files) == std::vector<bool>{false});
  uint64_t num_sent = 0;
  store->put(files, [&](uint64_t count, bool was_sent) { num_sent += was_sent ? count : 0; });
  CHECK(num_sent == 2);
  const net::TestRequest put = server.requests().back();
  CHECK(put.path == "/bucket/pre%20fix/a%20b.json");
  CHECK(put.body == "{}");
  CHECK(put.header("x-amz-content-sha256") == hex(files[0].sha256));
  CHECK(put.header("Content-Type") == "application/json");
  CHECK_FALSE(has_text(put.text, "secret"));
  is_full = true;
  CHECK_THROWS_WITH_AS(store->put(files, [](uint64_t, bool) {}),
                       "s3://bucket/pre fix/a b.json: PUT: HTTP status 507: QuotaExceeded: No <space> left", IoError);
}

TEST_CASE("a store that received other bytes than were sent is an error") {
  const TemporaryFolder folder;
  const std::vector<Upload> files{upload_of("a.bin", folder.write("a.bin", "12345"))};
  const net::TestServer server(
      [&](const net::TestRequest&) { return net::answer(200, "", "ETag: \"x\"\r\nx-amz-checksum-sha256: AAAA\r\n"); });
  const auto store = open_store("s3://bucket", options_for(server.url("")));
  CHECK_THROWS_AS(store->put(files, [](uint64_t, bool) {}), IoError);
}

}  // namespace
}  // namespace tacore::upload
