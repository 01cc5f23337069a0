#include "net/remote_address.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/support.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

std::string header(const HttpRequest& request, std::string_view name) {
  const auto& all = request.headers;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& h) { return h.first == name; });
  return found == all.end() ? "" : found->second;
}

RemoteAddress address(const std::string& path, const RemoteOptions& options = {}) {
  return address_of(path, options, std::make_shared<Region>("eu-west-1"));
}

TEST_CASE("http(s), s3 and hf paths are read without GDAL, and all others through it") {
  for (const char* path :
       {"http://h/a", "https://h/a", "s3://b/k", "hf://datasets/o/n/p", "/vsicurl/https://h/a", "/vsis3/b/k"})
    CHECK(is_http_path(path));
  for (const char* path : {"gs://b/k", "az://b/k", "/vsigs/b/k", "/vsizip/a.zip", "/vsicurl?url=x", "/home/a", "a"})
    CHECK_FALSE(is_http_path(path));
}

TEST_CASE("URLs are sent unchanged, except for characters that are not allowed") {
  CHECK(address("https://h/a%20b?sig=x%2F").location() == "https://h/a%20b?sig=x%2F");
  CHECK(address("https://h/a b#c/ü").location() == "https://h/a%20b%23c/%C3%BC");
  CHECK(address("/vsicurl/https://h/a").location() == "https://h/a");
  CHECK_THROWS_AS(address("http://"), IoError);
  CHECK_THROWS_AS(address("http:///a"), IoError);
}

TEST_CASE("a bucket of AWS is part of the host name, and a bucket of another endpoint part of the path") {
  CHECK(address("s3://bucket/a b/c+d.zip").location() == "https://bucket.s3.eu-west-1.amazonaws.com/a%20b/c%2Bd.zip");
  CHECK(address("s3://my.bucket/k").location() == "https://s3.eu-west-1.amazonaws.com/my.bucket/k");
  CHECK(address("/vsis3/bucket/k", {.endpoint = "http://127.0.0.1:9000/"}).location() ==
        "http://127.0.0.1:9000/bucket/k");
  CHECK(address("s3://bucket/k", {.endpoint = "store.example"}).location() == "https://store.example/bucket/k");
  CHECK_THROWS_AS(address("s3://bucket"), IoError);
  CHECK_THROWS_AS(address("s3:///k"), IoError);
  const RemoteAddress moved = address("s3://bucket/k");
  CHECK(moved.region->set("us-west-2"));
  CHECK_FALSE(moved.region->set("us-west-2"));
  CHECK(moved.location() == "https://bucket.s3.us-west-2.amazonaws.com/k");
}

TEST_CASE("requests are signed when there is a key and access is not anonymous") {
  RemoteOptions options{.access_key_id = "ID", .secret_access_key = "SECRET"};
  CHECK(has_text(header(address("s3://b/k", options).request("bytes=0-1", 2), "Authorization"), "Credential=ID/"));
  CHECK(header(address("https://h/k", options).request("bytes=0-1", 2), "Authorization").empty());
  options.is_anonymous = true;
  const HttpRequest request = address("s3://b/k", options).request("bytes=0-1", 2);
  CHECK(header(request, "Authorization").empty());
  CHECK(header(request, "Range") == "bytes=0-1");
}

TEST_CASE("user headers are sent to http(s) only, and a token to its hub only") {
  const RemoteOptions options{.headers = {{"X-Key", "1"}}, .token = "secret"};
  CHECK(header(address("https://h/a", options).request("", 0), "X-Key") == "1");
  CHECK(header(address("https://h/a", options).request("", 0), "Authorization").empty());
  CHECK(header(address("s3://b/k", options).request("", 0), "X-Key").empty());
  const HttpRequest hub = address("hf://datasets/o/n/p", options).request("", 0);
  CHECK(header(hub, "X-Key").empty());
  CHECK(header(hub, "Authorization") == "Bearer secret");
}

TEST_CASE("a path on the Hugging Face Hub uses its revision, or main") {
  const auto path_of = [](const std::string& path) {
    const std::string url = address(path).location();
    return url.substr(url.find('/', std::string_view("https://").size()));
  };
  CHECK(path_of("hf://datasets/o/n/a b/c.tacozip") == "/datasets/o/n/resolve/main/a%20b/c.tacozip");
  CHECK(path_of("hf://datasets/o/n@v1/c.tacozip") == "/datasets/o/n/resolve/v1/c.tacozip");
  CHECK(path_of("hf://models/o/n/c") == "/o/n/resolve/main/c");
  for (const char* bad : {"hf://", "hf://datasets/o/n", "hf://datasets/o/n/", "hf://datasets//n/c"})
    CHECK_THROWS_AS(address(bad), IoError);
}

}  // namespace
}  // namespace tacore::net
