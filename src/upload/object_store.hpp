#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "io/byte_source.hpp"
#include "net/http_requests.hpp"
#include "tacore/remote.hpp"

/// Upload of files to object stores.
namespace tacore::upload {

/// A local file to be stored. It is open only while it is read; its bytes are read while they are sent, and never kept
/// in memory as a whole.
struct Upload {
  std::string key = {};   ///< its name below the root of the store, with slashes
  std::string path = {};  ///< of the file
  uint64_t size = 0;
  Sha256 sha256 = {};
  int64_t changed = 0;  ///< time of the last change before the hash was computed, in nanoseconds since 1970
};

/// Hashes the file `path`. Throws IoError, also when it changes meanwhile.
Upload upload_of(std::string key, const std::string& path);
/// The bytes of the file. Throws IoError, also when it has changed since upload_of().
std::shared_ptr<const ByteSource> open(const Upload& upload);
/// Throws IoError when the file has changed since upload_of().
void require_unchanged(const Upload& upload);

/// Called with a number of bytes that the store has, from one thread at a time: bytes that it has just received, or
/// that it has of an interrupted upload. May throw, which stops the upload.
using Tell = std::function<void(uint64_t num_bytes, bool was_sent)>;

/// A store that files are written to: S3 and what is compatible with it, or a dataset repository of the Hugging Face
/// Hub. Its functions are called one after another, by one thread; each sends several requests at a time. Failures that
/// may pass are tried again as those of reads are. An upload that was interrupted is continued by the next put() of the
/// same bytes. Errors are IoErrors that name the file, and what the store said.
///
///     const auto store = open_store("s3://bucket/landsat", remote_options());
///     std::vector<Upload> files{upload_of("landsat.tacozip", "landsat.tacozip")};
///     const std::vector<bool> is_stored = store->find(files);
///     if (!is_stored[0]) store->put(files, [](uint64_t, bool) {});
///     store->finish("Add landsat");
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  /// For each file whether the store has it under this key, with this size and SHA-256. Throws, also without files,
  /// when the bucket or the repository does not exist, and for a wrong key or token.
  virtual std::vector<bool> find(std::span<const Upload> files) = 0;
  /// Sends the files, which find() was called with. Those of S3 are visible afterwards, those of the Hub after
  /// finish().
  virtual void put(std::span<const Upload> files, const Tell& tell) = 0;
  /// Makes all files visible; `message` is that of the commit.
  virtual void finish(const std::string& message) = 0;
};

/// Options of open_store().
struct StoreOptions {
  bool create = false;              ///< make the repository of the Hub when it is missing
  bool discard_unfinished = false;  ///< end the unfinished uploads of S3 below the root, instead of continuing them
};

/// Opens `s3://BUCKET[/PREFIX]` or `hf://datasets/OWNER/NAME[@REVISION][/FOLDER]`. Keys and tokens are those of
/// `remote`, completed by the environment. Throws IoError for another URL, and where there is no key or token.
std::unique_ptr<ObjectStore> open_store(const std::string& root, const RemoteOptions& remote,
                                        const StoreOptions& options = {});

std::unique_ptr<ObjectStore> open_s3(const std::string& root, const RemoteOptions& remote, const StoreOptions& options);
std::unique_ptr<ObjectStore> open_hub(const std::string& root, const RemoteOptions& remote,
                                      const StoreOptions& options);

// For both stores.

/// Number of uploads that are in flight.
inline constexpr int kUploadsInFlight = 8;
/// Maximal size of the response of a store.
inline constexpr uint64_t kMaxStoreResponse = 16 << 20;

net::HttpSession session_of(const RemoteOptions& remote);

/// The SHA-256 of a part of a file.
Sha256 sha256_of(const ByteSource& source, ByteRange range);
/// The same with another algorithm; see hex_digest().
std::string digest_of(const char* algorithm, const std::string& head, const ByteSource& source, ByteRange range);

/// Sends a request until its response is not a failure that may pass; `make` is called for each try. Throws IoError,
/// about `name`, when there is no response.
net::HttpResponse send(const net::HttpSession& session, const std::string& name,
                       const std::function<net::HttpRequest()>& make);

/// Throws IoError about the file `name`, unless the status of the response is one of success.
void require_success(const net::HttpResponse& response, const std::string& method, const std::string& name);

/// `to`, which a store that was asked at `from` names as the URL for an upload. Throws IoError, about `name`, unless it
/// is http or https, and encrypted where `from` is.
std::string checked_url(const std::string& from, const std::string& to, const std::string& name);
/// Whether two URLs have the same scheme, host and port: only then may one get the token of the other.
bool is_same_origin(std::string_view a, std::string_view b);

}  // namespace tacore::upload
