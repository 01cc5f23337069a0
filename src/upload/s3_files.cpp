#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "net/remote_address.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/stored_files.hpp"
#include "tacore/remote.hpp"
#include "upload/object_store.hpp"
#include "upload/s3_requests.hpp"

namespace tacore {
namespace {

uint64_t size_in(const std::string& text, const std::string& name) {
  uint64_t out = 0;
  const char* const end = text.data() + text.size();
  if (text.empty() || std::from_chars(text.data(), end, out).ptr != end)
    throw IoError("the store states the size " + in_quotes(text) + "; a number of bytes expected", {.path = name});
  return out;
}

/// A bucket, and where in it the files of a root are.
struct Bucket {
  explicit Bucket(const std::string& root)
      : session(upload::session_of(remote)), folder(root.ends_with('/') ? root : root + "/") {
    if (!root.starts_with("s3://"))
      throw IoError("is no place of single files; s3://BUCKET/PREFIX expected", {.path = root});
    const auto region = std::make_shared<net::Region>(remote.region.empty() ? "us-east-1" : remote.region);
    address = net::address_of(folder + "x", remote, region);
    address.key.pop_back();
    prefix = std::exchange(address.key, {});
  }

  const RemoteOptions remote = net::with_environment(remote_options());
  const net::HttpSession session;
  const std::string folder;         ///< the root, with a final slash
  net::RemoteAddress address = {};  ///< without a key
  std::string prefix = {};          ///< of all keys; "" or with a final slash
};

}  // namespace

std::vector<ListedFile> list_stored_files(const std::string& root) {
  const Bucket bucket(root);
  std::vector<ListedFile> out;
  for (std::string token;;) {
    const std::string from = token.empty() ? "" : "continuation-token=" + percent_encoded(token, false) + "&";
    const auto response = upload::ask_s3(
        bucket.session, bucket.address, root,
        {.query = "?" + from + "encoding-type=url&list-type=2&prefix=" + percent_encoded(bucket.prefix, false)});
    upload::require_stored(response, "GET", root);
    const std::string_view page = upload::body_text(response);
    for (const std::string_view each : upload::xml_elements(page, "Contents")) {
      const std::string key = upload::key_in(upload::xml_text(each, "Key"), page);
      if (!key.starts_with(bucket.prefix) || key.ends_with('/')) continue;  // an empty object that stands for a folder
      const std::string name = key.substr(bucket.prefix.size());
      out.push_back({.name = name,
                     .size = size_in(upload::xml_text(each, "Size"), bucket.folder + name),
                     .version = upload::xml_text(each, "ETag")});
    }
    if (upload::xml_text(page, "IsTruncated") != "true") break;
    const std::string next = upload::xml_text(page, "NextContinuationToken");
    if (next.empty() || next == token)
      throw IoError("the listing is cut off after " + std::to_string(out.size()) +
                        " files, and the store does not say where it goes on",
                    {.path = root});
    token = next;
  }
  std::ranges::sort(out, {}, &ListedFile::name);  // as stores should list them, but not all do
  return out;
}

void remove_stored_file(const std::string& root, const std::string& name) {
  const Bucket bucket(root);
  net::RemoteAddress address = bucket.address;
  address.key = bucket.prefix + name;
  const auto response = upload::ask_s3(bucket.session, address, bucket.folder + name, {.method = "DELETE"});
  if (response.status != 404) upload::require_stored(response, "DELETE", bucket.folder + name);
}

}  // namespace tacore
