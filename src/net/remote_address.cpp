#include "net/remote_address.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "base/text.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

constexpr std::string_view kHub = "https://huggingface.co";

std::string environment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string home_file(const char* name) {
  const std::string home = environment({"HOME"});
  return home.empty() ? "" : home + "/" + name;
}

void fill(std::string& value, std::initializer_list<const char*> names) {
  if (value.empty()) value = environment(names);
}

/// Reads the section `[profile]` of a file of the AWS CLI. False when there is no such section.
bool read_profile(const std::string& path, const std::string& section, RemoteOptions& out) {
  std::ifstream file(path);
  bool is_here = false, was_here = false;
  for (std::string line; std::getline(file, line);) {
    const std::string_view text = trimmed(line);
    if (text.starts_with('[')) {
      is_here = text == "[" + section + "]";
      was_here = was_here || is_here;
    }
    const auto equals = text.find('=');
    if (!is_here || equals == text.npos || text.starts_with('#')) continue;
    const std::string_view name = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
    const auto take = [&](std::string_view wanted, std::string& to) {
      if (name == wanted && to.empty()) to = value;
    };
    take("aws_access_key_id", out.access_key_id);
    take("aws_secret_access_key", out.secret_access_key);
    take("aws_session_token", out.session_token);
    take("region", out.region);
    take("endpoint_url", out.endpoint);
  }
  return was_here;
}

void read_profiles(RemoteOptions& options) {
  const std::string asked = options.profile.empty() ? environment({"AWS_PROFILE"}) : options.profile;
  const std::string profile = asked.empty() ? "default" : asked;
  std::string credentials = environment({"AWS_SHARED_CREDENTIALS_FILE"}), config = environment({"AWS_CONFIG_FILE"});
  if (credentials.empty()) credentials = home_file(".aws/credentials");
  if (config.empty()) config = home_file(".aws/config");
  RemoteOptions found;
  bool any = read_profile(credentials, profile, found);
  any = read_profile(config, profile == "default" ? profile : "profile " + profile, found) || any;
  if (!any && !asked.empty()) {
    throw IoError("no AWS profile " + in_quotes(profile), {.path = credentials});
  }
  if (options.access_key_id.empty()) {
    options.access_key_id = found.access_key_id;
    options.secret_access_key = found.secret_access_key;
    options.session_token = found.session_token;
  }
  if (options.region.empty()) options.region = found.region;
  if (options.endpoint.empty()) options.endpoint = found.endpoint;
}

std::string without_end_slash(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

/// Encodes the characters that a URL may not have; what is encoded already stays.
std::string sent_url(std::string_view url) {
  constexpr std::string_view kNot = " \"<>\\^`{|}#";
  std::string out;
  for (const char c : url) {
    const bool plain = static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x7F;
    out += plain && kNot.find(c) == kNot.npos ? std::string(1, c) : percent_encoded({&c, 1}, false);
  }
  return out;
}

/// hf://datasets/OWNER/NAME[@REVISION]/PATH, or spaces/, models/.
std::string hub_url(const std::string& path) {
  const std::string_view rest = std::string_view(path).substr(std::string_view("hf://").size());
  std::vector<std::string> parts = split(rest, '/');
  if (parts.size() < 4 || parts[1].empty() || parts[2].empty() || parts[3].empty()) {
    throw IoError("incomplete path, expected hf://datasets/OWNER/NAME/PATH", {.path = path});
  }
  std::string revision = "main";
  if (const auto at = parts[2].find('@'); at != parts[2].npos) {
    revision = parts[2].substr(at + 1);
    parts[2].resize(at);
  }
  std::string file;
  for (std::size_t i = 3; i < parts.size(); ++i) file += "/" + percent_encoded(parts[i], false);
  const std::string kind = parts[0] == "models" ? "" : percent_encoded(parts[0], false) + "/";
  return hub_endpoint() + "/" + kind + percent_encoded(parts[1], false) + "/" + percent_encoded(parts[2], false) +
         "/resolve/" + percent_encoded(revision, false) + file;
}

/// The URL of a public object, or of one that AZURE_STORAGE_SAS_TOKEN gives access to.
std::string public_url(const std::string& path) {
  const auto colon = path.find("://");
  const std::string rest = path.substr(colon + 3);
  const auto slash = rest.find('/');
  if (slash == 0 || slash == rest.npos || slash + 1 == rest.size())
    throw IoError("incomplete path, expected " + path.substr(0, colon) + "://BUCKET/KEY", {.path = path});
  const std::string object = "/" + percent_encoded(rest, true);
  if (path.starts_with("gs://")) {
    const std::string emulator = without_end_slash(environment({"STORAGE_EMULATOR_HOST"}));
    return (emulator.empty() ? "https://storage.googleapis.com" : emulator) + object;
  }
  const std::string account = environment({"AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"});
  if (account.empty()) throw IoError("the Azure account is unknown; set AZURE_STORAGE_ACCOUNT", {.path = path});
  std::string token = environment({"AZURE_STORAGE_SAS_TOKEN"});
  if (!token.empty() && !token.starts_with('?')) token = "?" + token;
  return "https://" + account + ".blob.core.windows.net" + object + token;
}

}  // namespace

std::string hub_endpoint() {
  const std::string hub = without_end_slash(environment({"HF_ENDPOINT"}));
  return hub.empty() ? std::string(kHub) : hub;
}

std::string Region::get() const {
  const std::lock_guard lock(mutex_);
  return name_;
}

bool Region::set(std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (name_ == name) return false;
  name_ = name;
  return true;
}

std::string RemoteAddress::location() const {
  if (!is_s3()) return url;
  const std::string path = "/" + percent_encoded(key, true);
  if (!endpoint.empty()) return without_end_slash(endpoint) + "/" + percent_encoded(bucket, false) + path;
  const std::string host = "s3." + region->get() + ".amazonaws.com";
  // The certificate of the store is valid for one label before its host name, not for several.
  if (bucket.find('.') != bucket.npos) return "https://" + host + "/" + percent_encoded(bucket, false) + path;
  return "https://" + bucket + "." + host + path;
}

HttpRequest RemoteAddress::request(const std::string& range, uint64_t max_body) const {
  HttpRequest out{location(), headers, max_body};
  out.headers.emplace_back("Range", range);
  if (aws_key) {
    const auto added = sign_aws(out.url, out.headers, *aws_key, region->get(), "s3", std::time(nullptr));
    out.headers.insert(out.headers.end(), added.begin(), added.end());
  }
  return out;
}

bool is_http_path(std::string_view path) noexcept {
  constexpr std::string_view kPrefixes[] = {"http://",          "https://",          "s3://",  "hf://",
                                            "/vsicurl/http://", "/vsicurl/https://", "/vsis3/"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return path.starts_with(prefix); });
}

bool is_public_store(std::string_view path) noexcept {
  constexpr std::string_view kPrefixes[] = {"gs://", "/vsigs/", "az://", "azure://", "/vsiaz/"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return path.starts_with(prefix); });
}

RemoteOptions with_environment(RemoteOptions options) {
  // A key, its secret and its session token are taken from one source.
  if (options.access_key_id.empty() && !environment({"AWS_ACCESS_KEY_ID"}).empty()) {
    options.access_key_id = environment({"AWS_ACCESS_KEY_ID"});
    options.secret_access_key = environment({"AWS_SECRET_ACCESS_KEY"});
    options.session_token = environment({"AWS_SESSION_TOKEN"});
  }
  fill(options.region, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  fill(options.endpoint, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  const std::string no_sign = lower(environment({"AWS_NO_SIGN_REQUEST"}));
  options.is_anonymous = options.is_anonymous || no_sign == "yes" || no_sign == "true" || no_sign == "1";
  read_profiles(options);
  fill(options.cache_dir, {"TACO_CACHE_DIR"});
  fill(options.token, {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"});
  if (options.token.empty()) {
    std::string file = environment({"HF_TOKEN_PATH"});
    if (file.empty()) file = home_file(".cache/huggingface/token");
    std::ifstream stream(file);
    std::string line;
    if (std::getline(stream, line)) options.token = trimmed(line);
  }
  return options;
}

RemoteAddress address_of(const std::string& given, const RemoteOptions& options, std::shared_ptr<Region> region) {
  const std::string path = from_vsi(given);
  RemoteAddress out{.name = given};
  if (is_public_store(path)) {
    out.url = public_url(path);
    out.is_public = true;
  } else if (path.starts_with("hf://")) {
    out.url = hub_url(path);
    if (!options.token.empty() && !options.is_anonymous) {
      out.headers.emplace_back("Authorization", "Bearer " + options.token);
    }
  } else if (path.starts_with("s3://")) {
    const std::string rest = path.substr(std::string_view("s3://").size());
    const auto slash = rest.find('/');
    out.bucket = rest.substr(0, slash);
    out.key = slash == rest.npos ? "" : rest.substr(slash + 1);
    if (out.bucket.empty() || out.key.empty())
      throw IoError("incomplete path, expected s3://BUCKET/KEY", {.path = given});
    out.endpoint = options.endpoint;
    if (!out.endpoint.empty() && out.endpoint.find("://") == out.endpoint.npos)
      out.endpoint = "https://" + out.endpoint;
    out.region = std::move(region);
    if (!options.is_anonymous && !options.access_key_id.empty()) {
      out.aws_key = AwsKey{options.access_key_id, options.secret_access_key, options.session_token};
    }
  } else {
    out.url = sent_url(path);
    const auto host = out.url.find("://");
    if (host == out.url.npos || host + 3 >= out.url.size() || out.url[host + 3] == '/') {
      throw IoError("the URL has no host, expected https://HOST/PATH", {.path = given});
    }
    out.headers = options.headers;
  }
  return out;
}

}  // namespace tacore::net
