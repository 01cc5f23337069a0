#pragma once

#include <cstdint>
#include <string>

#include "base/sha256.hpp"
#include "net/http_client.hpp"

namespace tacore::net {

struct AwsKey {
  std::string id;
  std::string secret;
  std::string token = {};  ///< of a session, "": none
};

/// The headers that sign a request (AWS Signature Version 4): Authorization, x-amz-date, x-amz-content-sha256 and
/// x-amz-security-token. `url` is percent-encoded as it is sent; `headers` are signed too. `time`: seconds since 1970.
/// `body` is the SHA-256 of the body.
HttpHeaders sign_aws(const std::string& url, const HttpHeaders& headers, const AwsKey& key, const std::string& region,
                     const std::string& service, int64_t time, const std::string& method = "GET",
                     const Sha256& body = sha256(std::span<const std::byte>()));

}  // namespace tacore::net
