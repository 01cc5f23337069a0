#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "net/http_client.hpp"

namespace tacore::net {

struct AwsKey {
  std::string id;
  std::string secret;
  std::string token = {};  ///< of a session, "": none
};

/// `text` with every byte but letters, digits and -._~ as %XX; a `/` stays with `keep_slash` (RFC 3986, 2.3).
std::string percent_encoded(std::string_view text, bool keep_slash);

/// The headers that sign a GET without a body (AWS Signature Version 4): Authorization, x-amz-date,
/// x-amz-content-sha256 and x-amz-security-token. `url` is percent-encoded as it is sent; `headers` are signed too.
/// `time`: seconds since 1970.
HttpHeaders sign_aws(const std::string& url, const HttpHeaders& headers, const AwsKey& key, const std::string& region,
                     const std::string& service, int64_t time);

}  // namespace tacore::net
