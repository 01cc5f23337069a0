#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacore/visibility.hpp"

namespace tacore {

struct RemoteOptions;

/// A remote file that another library reads. Safe from several threads.
class TACORE_EXPORT RemoteFile {
 public:
  virtual ~RemoteFile();
  virtual uint64_t size() const = 0;  ///< bytes
  /// Fills `out`, which lies inside of the file, from `offset`, or throws IoError.
  virtual void read(uint64_t offset, std::span<std::byte> out) const = 0;
};

/// Opens remote files that tacore reads only through another library: gs://, az://, oss://, swift:// and /vsi... paths.
/// The library tacore_gdal has an opener (`gdal.hpp`).
class TACORE_EXPORT RemoteOpener {
 public:
  virtual ~RemoteOpener();
  /// Opens `vsi_path`, such as `/vsigs/bucket/key`, with the options of the caller; nullptr when it does not exist.
  /// Throws IoError when that cannot be found out.
  virtual std::unique_ptr<RemoteFile> open(const std::string& vsi_path, const RemoteOptions& options) const = 0;
};

/// Options of remote files. A member that is empty is taken from the environment variables that the tools of each store
/// use (docs/remote.md); without a key requests are anonymous.
///
///     const Dataset dataset = load("s3://bucket/chips.tacozip", {.remote = RemoteOptions{.region = "eu-west-1"}});
struct RemoteOptions {
  /// HTTP headers of each request to the host of the path, never to another host: `{"Authorization", "Bearer x"}`. Only
  /// for http(s)://.
  std::vector<std::pair<std::string, std::string>> headers = {};

  // s3:// and /vsis3/. Requests are signed (AWS Signature Version 4) when there is a key.
  std::string endpoint = {};  ///< `https://HOST[:PORT]` of a store other than AWS, which is addressed by path
  std::string region = {};    ///< "": us-east-1, then the region that the store names
  std::string access_key_id = {};
  std::string secret_access_key = {};
  std::string session_token = {};
  std::string profile = {};   ///< the profile of the shared credentials files
  bool is_anonymous = false;  ///< sign no request, even where there is a key

  std::string token = {};  ///< the token of the Hugging Face Hub, hf://

  int limit = 100;      ///< requests in flight, at least 1
  int max_tries = 5;    ///< attempts of a request that fails for a temporary reason, at least 1
  double timeout = 30;  ///< seconds to connect, and seconds at less than a thousand bytes a second

  /// The folder of the disk cache of parts of files that were read (docs/remote.md); "": no cache. Files of `fallback`
  /// are not cached.
  std::string cache_dir = {};
  uint64_t cache_size = uint64_t{1} << 30;  ///< bytes that the cache may take on the disk, at least 1 MiB; 0: no cache

  const RemoteOpener* fallback = nullptr;  ///< not owned: it must outlive the files that it opened
};

/// Sets the options that load() and all functions that take a path use where none are given. Safe from any thread; open
/// files keep the options that they were opened with. Throws QueryError for numbers out of range and malformed headers.
TACORE_EXPORT void set_remote_options(const RemoteOptions& options);
TACORE_EXPORT RemoteOptions remote_options();

}  // namespace tacore
