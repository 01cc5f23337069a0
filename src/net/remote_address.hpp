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

/// The region of a store, which the first answer may correct. Safe from several threads.
class Region {
 public:
  explicit Region(std::string name) : name_(std::move(name)) {}
  std::string get() const;
  /// False when it was that already.
  bool set(std::string_view name);

 private:
  mutable std::mutex mutex_;
  std::string name_;
};

/// Where a remote file is, and how to ask for it. A value; copies share the region.
struct RemoteAddress {
  std::string name = {};     ///< as the user wrote it
  std::string url = {};      ///< percent-encoded; with a bucket it is made of these
  HttpHeaders headers = {};  ///< for this host alone

  bool is_public = false;    ///< of a store whose credentials only GDAL knows how to use

  // s3
  std::string bucket = {}, key = {};
  std::string endpoint = {};  ///< "": AWS
  std::shared_ptr<Region> region = {};
  std::optional<AwsKey> aws_key = {};

  bool is_s3() const noexcept { return !bucket.empty(); }
  /// A store answers "forbidden" for what is not there to those who may not list.
  bool hides_what_is_missing() const noexcept { return is_s3() || is_public; }
  /// The URL now.
  std::string location() const;
  /// A request for `range`, signed at this moment.
  HttpRequest request(const std::string& range, uint64_t max_body) const;
};

/// http(s)://, s3://, hf:// and their /vsi forms: those that need no GDAL.
bool is_http_path(std::string_view path) noexcept;

/// gs://BUCKET/KEY, az://CONTAINER/KEY and their /vsi forms: what these stores give to anyone, or to who has a shared
/// access signature, comes over https.
bool is_public_store(std::string_view path) noexcept;

/// `options` with what the environment says where they say nothing. Throws IoError for a profile that is not there.
RemoteOptions with_environment(RemoteOptions options);

/// `options` with_environment(). Throws IoError for a path that lacks a host, a bucket or the name of a repository.
RemoteAddress address_of(const std::string& path, const RemoteOptions& options, std::shared_ptr<Region> region);

}  // namespace tacore::net
