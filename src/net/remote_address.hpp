#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "net/aws_signature.hpp"
#include "net/http_client.hpp"
#include "tacore/remote.hpp"

namespace tacore::net {

/// The region of a store, which its first response may correct. Safe from several threads.
class Region {
 public:
  explicit Region(std::string name) : name_(std::move(name)) {}
  std::string get() const;
  /// False when the region has this name already.
  bool set(std::string_view name);

 private:
  mutable std::mutex mutex_;
  std::string name_;
};

/// The address of a remote file, with what requests for it need. A value; copies share the region.
struct RemoteAddress {
  std::string name = {};     ///< as the user wrote it
  std::string url = {};      ///< percent-encoded; not used for S3
  HttpHeaders headers = {};  ///< for this host alone

  bool is_public = false;  ///< in a store whose credentials only GDAL can use

  // s3
  std::string bucket = {}, key = {};
  std::string endpoint = {};  ///< "": AWS
  std::shared_ptr<Region> region = {};
  std::optional<AwsKey> aws_key = {};

  bool is_s3() const noexcept { return !bucket.empty(); }
  /// True where the store responds 403 for an absent file to users without the permission to list files.
  bool hides_what_is_missing() const noexcept { return is_s3() || is_public; }
  /// The URL in the present region.
  std::string location() const;
  /// A request for `range`, signed with the current time.
  HttpRequest request(const std::string& range, uint64_t max_body) const;
};

/// http(s)://, s3://, hf:// and their /vsi forms: paths that need no GDAL.
bool is_http_path(std::string_view path) noexcept;

/// gs://BUCKET/KEY, az://CONTAINER/KEY and their /vsi forms: public objects of these stores, and objects with a shared
/// access signature, are read over https.
bool is_public_store(std::string_view path) noexcept;

/// The root of the URLs of the Hugging Face Hub, or of HF_ENDPOINT, without a final slash.
std::string hub_endpoint();

/// `options`, completed by environment variables and the files of the AWS CLI. Throws IoError for an unknown profile.
RemoteOptions with_environment(RemoteOptions options);

/// The address of `path`; `options` are those of with_environment(). Throws IoError for a path that lacks a host, a
/// bucket or the name of a repository.
RemoteAddress address_of(const std::string& path, const RemoteOptions& options, std::shared_ptr<Region> region);

}  // namespace tacore::net
