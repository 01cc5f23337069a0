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

/// A remote file that another library reads. Implementations must be safe from several threads.
class TACORE_EXPORT RemoteFile {
 public:
  virtual ~RemoteFile();
  virtual uint64_t size() const = 0;  ///< bytes
  /// Reads out.size() bytes from `offset`; the range lies inside of the file. Throws IoError.
  virtual void read(uint64_t offset, std::span<std::byte> out) const = 0;
};

/// Opens remote files that tacore cannot read itself: gs://, az://, oss://, swift:// and /vsi... paths.
/// gdal::remote_opener() of the library tacore_gdal is one (`raster/gdal.hpp`).
///
///     const auto opener = gdal::remote_opener();
///     const Dataset dataset = load("gs://bucket/chips.tacozip", {.remote = RemoteOptions{.fallback = opener.get()}});
class TACORE_EXPORT RemoteOpener {
 public:
  virtual ~RemoteOpener();
  /// Opens `vsi_path`, such as `/vsigs/bucket/key`, with the options of the caller; nullptr when it does not exist.
  /// Throws IoError when its existence cannot be determined.
  virtual std::unique_ptr<RemoteFile> open(const std::string& vsi_path, const RemoteOptions& options) const = 0;
};

/// Options of remote files. An empty member is taken from the environment variables that the tools of each store use
/// (docs/remote.md); without a key, requests are anonymous.
///
///     const Dataset dataset = load("s3://bucket/chips.tacozip", {.remote = RemoteOptions{.region = "eu-west-1"}});
struct RemoteOptions {
  /// HTTP headers of each request to the host of the path, never to another host: `{"Authorization", "Bearer x"}`. Only
  /// for http(s)://.
  std::vector<std::pair<std::string, std::string>> headers = {};

  // s3:// and /vsis3/. Requests are signed (AWS Signature Version 4) when there is a key.
  std::string endpoint = {};  ///< `https://HOST[:PORT]` of an S3 store other than AWS; uses path-style URLs
  std::string region = {};    ///< "": us-east-1, then the region in the answer of the store
  std::string access_key_id = {};
  std::string secret_access_key = {};
  std::string session_token = {};
  std::string profile = {};   ///< profile in the shared credentials files of AWS
  bool is_anonymous = false;  ///< sign no request, even where there is a key

  std::string token = {};  ///< token of the Hugging Face Hub, hf://

  int max_concurrent_requests = 100;  ///< maximal number of requests in flight, at least 1
  int max_tries = 5;  ///< maximal number of tries of a request that fails for a temporary reason, at least 1
  /// The most requests to one server in any interval of a length, such as "3000/5min" (units s, min, h); "": as many as
  /// the server allows. Counted for all threads of the process, and for processes forked after the first request.
  std::string max_requests_per = {};
  double timeout = 30;  ///< seconds to connect, and seconds at less than 1000 bytes per second

  /// Folder of the disk cache, which keeps the byte ranges that were read (docs/remote.md); "": no cache. Files that
  /// `fallback` opens are not cached.
  std::string cache_dir = {};
  uint64_t cache_size = uint64_t{1} << 30;  ///< maximal size of the cache in bytes, at least 1 MiB; 0: no cache

  /// Opens the files that tacore cannot read itself. Not owned: it must outlive these files.
  const RemoteOpener* fallback = nullptr;
};

/// Sets the default options of remote files, which load() and all functions that take a path use where none are given.
/// Safe from any thread; open files keep the options that they were opened with. Throws QueryError for numbers out of
/// range and malformed headers.
TACORE_EXPORT void set_remote_options(const RemoteOptions& options);
/// The default options of remote files.
TACORE_EXPORT RemoteOptions remote_options();

}  // namespace tacore
