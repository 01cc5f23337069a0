#include "upload/s3_requests.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/text.hpp"
#include "net/aws_signature.hpp"
#include "tacore/error.hpp"
#include "upload/object_store.hpp"

namespace tacore::upload {

net::HttpResponse ask_s3(const net::HttpSession& session, const net::RemoteAddress& address, const std::string& name,
                         const S3Request& request) {
  for (;;) {
    net::HttpResponse response = send(session, name, [&] {
      net::HttpRequest out{address.location() + request.query, request.headers, kMaxStoreResponse, request.method,
                           request.body};
      if (!address.aws_key) return out;
      const auto added = net::sign_aws(out.url, out.headers, *address.aws_key, address.region->get(), "s3",
                                       std::time(nullptr), request.method, request.hash);
      out.headers.insert(out.headers.end(), added.begin(), added.end());
      return out;
    });
    const auto region = response.header("x-amz-bucket-region");
    const bool is_moved = response.status >= 300 && address.endpoint.empty() && !region.empty();
    if (!is_moved || !address.region->set(region)) return response;
  }
}

void require_stored(const net::HttpResponse& response, const std::string& method, const std::string& name) {
  const std::string_view body = body_text(response);
  const std::string code = xml_text(body, "Code");
  if (code.empty() || body.find("<Error>") == body.npos) return require_success(response, method, name);
  throw IoError(method + ": HTTP status " + std::to_string(response.status) + ": " +
                    without_controls(code + ": " + xml_text(body, "Message")),
                {.path = name}, response.status == 403 ? EACCES : 0);
}

std::string_view body_text(const net::HttpResponse& response) {
  return {reinterpret_cast<const char*>(response.body.data()), response.body.size()};
}

std::vector<std::string_view> xml_elements(std::string_view xml, const std::string& name) {
  const std::string begin = "<" + name + ">", end = "</" + name + ">";
  std::vector<std::string_view> out;
  for (;;) {
    const auto from = xml.find(begin);
    const auto to = from == xml.npos ? from : xml.find(end, from);
    if (to == xml.npos) return out;
    out.push_back(xml.substr(from + begin.size(), to - from - begin.size()));
    xml.remove_prefix(to + end.size());
  }
}

std::string xml_text(std::string_view xml, const std::string& name) {
  constexpr std::pair<std::string_view, char> kEntities[] = {{"&quot;", '"'}, {"&#34;", '"'}, {"&apos;", '\''},
                                                             {"&lt;", '<'},   {"&gt;", '>'},  {"&amp;", '&'}};
  const auto found = xml_elements(xml, name);
  std::string out;
  for (std::string_view rest = found.empty() ? "" : found[0]; !rest.empty();) {
    const auto entity = std::ranges::find_if(kEntities, [&](const auto& e) { return rest.starts_with(e.first); });
    const bool is_entity = entity != std::end(kEntities);
    out += is_entity ? entity->second : rest[0];
    rest.remove_prefix(is_entity ? entity->first.size() : 1);
  }
  return out;
}

std::string key_in(const std::string& text, std::string_view response) {
  return xml_text(response, "EncodingType") == "url" ? percent_decoded(text) : text;
}

}  // namespace tacore::upload
