#include "describe/viewer_page.hpp"

#include "base/text.hpp"
#include "describe/json.hpp"
#include "describe/page.hpp"
#include "tacore/error.hpp"

namespace tacore::descriptions {
namespace {

/// viewer/page.html, in parts since compilers limit the length of a literal.
constexpr const char* kParts[] = {
#include "describe/viewer_page.inc"
};

/// Any dataset: servers that nobody else can read along, and those of this machine.
constexpr std::string_view kAnyServer = "https: http://localhost:* http://127.0.0.1:*";

/// Replaces what is between `before` and `after` the first time that they occur.
void replace_between(std::string& text, std::string_view before, std::string_view after, std::string_view by) {
  const auto begin = text.find(before) + before.size();
  text.replace(begin, text.find(after, begin) - begin, by);
}

/// A server as a Content-Security-Policy names it: nothing that could add to the policy.
bool is_server(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!text.starts_with(scheme)) continue;
    text.remove_prefix(scheme.size());
    if (text.starts_with("*.")) text.remove_prefix(2);
    return !text.empty() &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:") == text.npos;
  }
  return false;
}

/// The servers that a browser is led to from a URL; none of a relative reference.
std::vector<std::string> servers_of(const std::string& url) {
  const auto scheme = url.find("://");
  if (scheme == url.npos) return {};
  const std::string host = url.substr(scheme + 3, url.find('/', scheme + 3) - scheme - 3);
  const std::string server = url.substr(0, scheme + 3) + host;
  if (url.starts_with("hf://") || lower(host) == "huggingface.co")
    return {"https://huggingface.co", "https://*.huggingface.co", "https://*.hf.co"};
  // A bucket of another region answers with a redirect.
  if (url.starts_with("s3://") || lower(host).ends_with(".amazonaws.com")) return {"https://*.amazonaws.com"};
  if (url.starts_with("gs://")) return {"https://storage.googleapis.com"};
  if (lower(host) == "source.coop") return {"https://source.coop", "https://data.source.coop"};
  if (is_server(server)) return {server};
  throw ValidationError("a browser cannot read it; give the https URL of its folder as base URL", {.path = url});
}

}  // namespace

std::string viewer_page(const ViewerPage& page) {
  std::string text, servers = "'self'";
  for (const char* part : kParts) text += part;
  if (page.datasets.empty()) servers += " " + std::string(kAnyServer);
  for (const auto& server : page.servers) servers += " " + server;
  replace_between(text, "connect-src ", ";", servers);
  Json config = Json::object();
  if (page.datasets.size() == 1) config["dataset"] = page.datasets[0];
  if (page.datasets.size() > 1) config["dataset"] = page.datasets;
  if (!page.address.empty()) config["address"] = page.address;
  replace_between(text, "id=\"config\">", "</script>", escape_script(std::string(trimmed(dump(config, -1)))));
  return text;
}

ViewerPage viewer_page_of(const Facts& facts, const std::string& directory, const std::vector<std::string>& servers) {
  if (facts.path.empty())
    throw ValidationError("several datasets that are loaded as one have no page; write one for each", {});
  Facts from_here = facts;
  if (facts.base_url.empty()) from_here.base_url = way_between(directory, facts.folder);
  ViewerPage out{.datasets = {from_here.url()}};
  out.servers = servers_of(out.datasets[0]);
  for (const auto& server : servers) {
    if (!is_server(server))
      throw ValidationError(
          in_quotes(server) + " is not a server, such as https://cdn.example.org or https://*.example.org", {});
    out.servers.push_back(server);
  }
  return out;
}

}  // namespace tacore::descriptions
