#include "net/aws_signature.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

#include "base/text.hpp"

namespace tacore::net {
namespace {

Sha256 hmac(std::span<const std::byte> key, std::string_view message) { return hmac_sha256(key, bytes_of(message)); }

std::string hex_sha256(std::string_view text) { return hex(sha256(bytes_of(text))); }

/// "20130524T000000Z"
std::string stamp(int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> out = {};
  std::strftime(out.data(), out.size(), "%Y%m%dT%H%M%SZ", &parts);
  return out.data();
}

struct UrlParts {
  std::string host, path, query;
};

UrlParts parts_of(const std::string& url) {
  const auto begin = url.find("://") + 3;
  const auto path = std::min(url.find_first_of("/?", begin), url.size());
  const auto query = std::min(url.find('?', path), url.size());
  UrlParts out{url.substr(begin, path - begin), url.substr(path, query - path),
               query < url.size() ? url.substr(query + 1) : ""};
  if (out.path.empty()) out.path = "/";
  // HTTP leaves the usual port out of `Host`.
  const std::string_view port = url.starts_with("https:") ? ":443" : ":80";
  if (out.host.ends_with(port)) out.host.resize(out.host.size() - port.size());
  return out;
}

/// The parameters in the order in which they are signed, each with a value.
std::string canonical_query(const std::string& query) {
  if (query.empty()) return {};
  std::vector<std::string> parts = split(query, '&');
  for (std::string& part : parts) {
    if (part.find('=') == part.npos) part += '=';
  }
  std::sort(parts.begin(), parts.end());
  return join(parts, "&");
}

}  // namespace

HttpHeaders sign_aws(const std::string& url, const HttpHeaders& headers, const AwsKey& key, const std::string& region,
                     const std::string& service, int64_t time, const std::string& method, const Sha256& body) {
  const UrlParts parts = parts_of(url);
  const std::string when = stamp(time);
  HttpHeaders added{{"x-amz-content-sha256", hex(body)}, {"x-amz-date", when}};
  if (!key.token.empty()) added.emplace_back("x-amz-security-token", key.token);

  std::vector<std::pair<std::string, std::string>> signed_headers{{"host", parts.host}};
  for (const auto& [name, value] : headers) signed_headers.emplace_back(lower(name), value);
  signed_headers.insert(signed_headers.end(), added.begin(), added.end());
  std::sort(signed_headers.begin(), signed_headers.end());
  std::string names, lines;
  for (const auto& [name, value] : signed_headers) {
    names += (names.empty() ? "" : ";") + name;
    lines += name + ":" + value + "\n";
  }

  const std::string request =
      method + "\n" + parts.path + "\n" + canonical_query(parts.query) + "\n" + lines + "\n" + names + "\n" + hex(body);
  const std::string day = when.substr(0, 8);
  const std::string scope = day + "/" + region + "/" + service + "/aws4_request";
  const std::string to_sign = "AWS4-HMAC-SHA256\n" + when + "\n" + scope + "\n" + hex_sha256(request);
  Sha256 signature = hmac(bytes_of("AWS4" + key.secret), day);
  for (const std::string& part : {region, service, std::string("aws4_request"), to_sign}) {
    signature = hmac(signature, part);
  }
  added.emplace_back("Authorization", "AWS4-HMAC-SHA256 Credential=" + key.id + "/" + scope +
                                          ",SignedHeaders=" + names + ",Signature=" + hex(signature));
  return added;
}

}  // namespace tacore::net
