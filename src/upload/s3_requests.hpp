#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.hpp"
#include "io/byte_source.hpp"
#include "net/http_requests.hpp"
#include "net/remote_address.hpp"

/// Requests to S3 and what is compatible with it, and what its responses say.
namespace tacore::upload {

struct S3Request {
  const char* method = "GET";
  std::string query = {};  ///< with its '?', percent-encoded, its keys in code-point order
  net::HttpHeaders headers = {};
  std::shared_ptr<const ByteSource> body = {};
  Sha256 hash = sha256(std::span<const std::byte>());  ///< of the body
};

/// Sends a request, signed where the address has a key, to the region of the bucket. Failures that may pass are tried
/// again. Throws IoError, about `name`, when there is no response.
net::HttpResponse ask_s3(const net::HttpSession& session, const net::RemoteAddress& address, const std::string& name,
                         const S3Request& request);

/// Throws IoError, with the code and the message of the store, unless the response is one of success. Some errors have
/// the status 200.
void require_stored(const net::HttpResponse& response, const std::string& method, const std::string& name);

// The responses of S3 are flat XML: elements of one name neither nest nor have attributes.

std::string_view body_text(const net::HttpResponse& response);
/// The content of each element `name`.
std::vector<std::string_view> xml_elements(std::string_view xml, const std::string& name);
/// The text of the first element `name`, "" if there is none.
std::string xml_text(std::string_view xml, const std::string& name);
/// A key of a response to a request with `encoding-type=url`, which the store need not have followed.
std::string key_in(const std::string& text, std::string_view response);

}  // namespace tacore::upload
