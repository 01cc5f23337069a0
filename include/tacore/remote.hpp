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

/// Opens what tacore reads only through another library (gs://, az://, oss://, swift:// and /vsi...: gdal.hpp has one).
class TACORE_EXPORT RemoteOpener {
 public:
  virtual ~RemoteOpener();
  /// `vsi_path`: `/vsigs/bucket/key`. `options`: those of who opens it. nullptr when there is nothing; throws IoError
  /// when that cannot be told.
  virtual std::unique_ptr<RemoteFile> open(const std::string& vsi_path, const RemoteOptions& options) const = 0;
};

/// How remote files are reached. What is left empty comes from the environment, under the names that the tools of each
/// store know (docs/remote.md); what is still unknown then is not used, and requests are anonymous.
struct RemoteOptions {
  /// Sent with each request to the host that the path names, and never to another one: `{"Authorization", "Bearer x"}`.
  /// http(s) only.
  std::vector<std::pair<std::string, std::string>> headers = {};

  // s3:// and /vsis3/. Requests are signed (AWS Signature Version 4) when there is a key.
  std::string endpoint = {};  ///< of another store than AWS: `https://HOST[:PORT]`, then by path
  std::string region = {};    ///< else the one that the store names, us-east-1 at first
  std::string access_key_id = {};
  std::string secret_access_key = {};
  std::string session_token = {};
  std::string profile = {};   ///< of the shared files of credentials
  bool is_anonymous = false;  ///< sign nothing, whatever keys there are

  std::string token = {};  ///< of the Hugging Face Hub, hf://

  int max_concurrent_requests = 100;  ///< number of requests in flight, at least 1
  int max_tries = 5;                  ///< of a request that fails for a reason that may pass, at least 1
  double timeout = 30;                ///< seconds to connect, and without a thousand bytes a second

  /// Folder for parts of files that were read (docs/remote.md); "": none are kept. Not for files of `fallback`.
  std::string cache_dir = {};
  uint64_t cache_size = uint64_t{1} << 30;  ///< bytes that it may take on the disk, at least 1 MiB; 0: none

  const RemoteOpener* fallback = nullptr;  ///< not owned: it must outlive what it opened
};

/// What load() and everything that opens a path by itself use where no options are given. Safe from any thread; what is
/// open keeps the options that it was opened with. Throws QueryError for numbers out of range and headers that are
/// none.
TACORE_EXPORT void set_remote_options(const RemoteOptions& options);
TACORE_EXPORT RemoteOptions remote_options();

}  // namespace tacore
