#include "net/aws_signature.hpp"

#include <doctest/doctest.h>

#include "support/support.hpp"

namespace tacore::net {
namespace {

// The examples of "Authenticating Requests: Using the Authorization Header", Amazon S3 API reference.
const AwsKey kKey{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
constexpr int64_t kTime = 1369353600;  // 2013-05-24T00:00:00Z

std::string header(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string signature(const std::string& url, const HttpHeaders& headers = {}, const AwsKey& key = kKey) {
  const std::string all = header(sign_aws(url, headers, key, "us-east-1", "s3", kTime), "Authorization");
  return all.substr(all.rfind('=') + 1);
}

TEST_CASE("signatures equal those of the AWS documentation's examples") {
  const HttpHeaders range{{"Range", "bytes=0-9"}};
  const HttpHeaders added =
      sign_aws("https://examplebucket.s3.amazonaws.com/test.txt", range, kKey, "us-east-1", "s3", kTime);
  CHECK(header(added, "x-amz-date") == "20130524T000000Z");
  CHECK(header(added, "x-amz-content-sha256") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(header(added, "Authorization") ==
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
        "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  CHECK(signature("https://examplebucket.s3.amazonaws.com?lifecycle") ==
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  CHECK(signature("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J") ==
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST_CASE("the signature of an upload equals that of the AWS documentation's example") {
  const HttpHeaders headers{{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
  const std::string body = "Welcome to Amazon S3.";
  const HttpHeaders added = sign_aws("https://examplebucket.s3.amazonaws.com/test%24file.text", headers, kKey,
                                     "us-east-1", "s3", kTime, "PUT", sha256(std::as_bytes(std::span(body))));
  CHECK(header(added, "x-amz-content-sha256") == "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
  CHECK(has_text(header(added, "Authorization"),
                 "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST_CASE("query parameters are sorted for signing, and the default port is omitted") {
  CHECK(signature("https://examplebucket.s3.amazonaws.com/?prefix=J&max-keys=2") ==
        signature("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J"));
  CHECK(signature("https://host:443/a") == signature("https://host/a"));
  CHECK(signature("http://host:80/a") == signature("http://host/a"));
  CHECK(signature("http://host:443/a") != signature("http://host/a"));
}

TEST_CASE("the token of a session is sent and signed") {
  const AwsKey session{kKey.id, kKey.secret, "a token"};
  const HttpHeaders added = sign_aws("https://h/k", {}, session, "us-east-1", "s3", kTime);
  CHECK(header(added, "x-amz-security-token") == "a token");
  CHECK(has_text(header(added, "Authorization"), "host;x-amz-content-sha256;x-amz-date;x-amz-security-token"));
  CHECK(signature("https://h/k", {}, session) != signature("https://h/k"));
}

}  // namespace
}  // namespace tacore::net
