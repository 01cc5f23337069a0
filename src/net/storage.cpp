#include "net/storage.hpp"

#include <cerrno>
#include <map>
#include <mutex>

#include "base/text.hpp"
#include "io/vsi_path.hpp"
#include "net/file_cache.hpp"
#include "net/http_file.hpp"
#include "net/other_files.hpp"
#include "net/remote_address.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

class RemoteStorage final : public Storage {
 public:
  explicit RemoteStorage(const RemoteOptions& options)
      : options_(net::with_environment(options)),
        session_(std::make_shared<net::HttpSession>(
            options.max_concurrent_requests, options.timeout, options.max_tries,
            options.max_requests_per.empty() ? net::RequestBudget() : net::parse_budget(options.max_requests_per))),
        cache_(options_.cache_dir.empty() || options_.cache_size == 0
                   ? nullptr
                   : std::make_unique<net::FileCache>(options_.cache_dir, options_.cache_size)) {}

  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint& hint) const override {
    if (!is_ours(path)) {
      if (auto file = net::open_other_file(fallback(path), path, options_)) return file;
      throw IoError("cannot open", {.path = path}, ENOENT);
    }
    const net::RemoteAddress address = address_of(path);
    auto opened = open_http({&address, 1}, {&hint, 1})[0];
    if (opened.file) return opened.file;
    // Without the permission to list a bucket, a store responds 403 for absent files, too.
    const std::string advice =
        address.is_public ? "; for a private object use tacore_gdal with credentials, or a signed https:// URL" : "";
    throw IoError(opened.why + advice, {.path = path}, opened.status == 403 ? EACCES : ENOENT);
  }

  bool exists(const std::string& path, bool directory) const override {
    // A store has no folders, only names with slashes.
    return !directory && open_all({&path, 1}, {})[0] != nullptr;
  }

  std::vector<std::shared_ptr<const ByteSource>> open_all(std::span<const std::string> paths,
                                                          std::span<const ReadHint> hints) const override {
    std::vector<std::shared_ptr<const ByteSource>> out(paths.size());
    std::vector<net::RemoteAddress> addresses;
    std::vector<ReadHint> address_hints;
    std::vector<std::string> other_paths;
    std::vector<std::size_t> places, other_places;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const ReadHint hint = hints.empty() ? ReadHint() : hints[i];
      if (hint.may_wait && cache_) continue;
      if (is_ours(paths[i])) {
        addresses.push_back(address_of(paths[i]));
        address_hints.push_back(hint);
        places.push_back(i);
      } else {
        other_paths.push_back(paths[i]);
        other_places.push_back(i);
      }
    }
    auto files = open_http(addresses, address_hints);
    for (std::size_t i = 0; i < files.size(); ++i) out[places[i]] = std::move(files[i].file);
    if (!other_paths.empty()) {
      auto other_files = net::open_other_files(fallback(other_paths[0]), other_paths, options_);
      for (std::size_t i = 0; i < other_files.size(); ++i) out[other_places[i]] = std::move(other_files[i]);
    }
    return out;
  }

 private:
  std::vector<net::HttpOpened> open_http(std::span<const net::RemoteAddress> addresses,
                                         std::span<const ReadHint> hints) const {
    const auto open = [&](std::span<const net::RemoteAddress> all) {
      return net::open_http_files(session_, all, hints);
    };
    return cache_ ? cache_->open(addresses, open) : open(addresses);
  }

  net::RemoteAddress address_of(const std::string& path) const {
    return net::address_of(path, options_, region_of(path));
  }

  /// True for paths that are read without GDAL. Where it is loaded, GDAL reads gs:// and az://: it has credentials.
  bool is_ours(const std::string& path) const {
    return net::is_http_path(path) || (options_.fallback == nullptr && net::is_public_store(path));
  }

  const RemoteOpener& fallback(const std::string& path) const {
    if (options_.fallback != nullptr) return *options_.fallback;
    throw IoError(
        "reading from this storage needs GDAL, which this program does not load; use the taco command of the Debian "
        "package or of a build with tacore_gdal, or an https:// URL of the object",
        {.path = path});
  }

  /// One region for all files of a bucket, so that a server corrects it only once.
  std::shared_ptr<net::Region> region_of(const std::string& path) const {
    const std::string url = from_vsi(path);
    if (!url.starts_with("s3://")) return nullptr;
    const std::string bucket = url.substr(0, url.find('/', std::string_view("s3://").size()));
    const std::lock_guard lock(mutex_);
    auto& region = regions_[bucket];
    if (!region) region = std::make_shared<net::Region>(options_.region.empty() ? "us-east-1" : options_.region);
    return region;
  }

  RemoteOptions options_;
  std::shared_ptr<const net::HttpSession> session_;
  std::unique_ptr<const net::FileCache> cache_;  ///< nullptr: nothing is cached
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<net::Region>> regions_;
};

class AnyStorage final : public Storage {
 public:
  explicit AnyStorage(std::shared_ptr<const Storage> remote) : remote_(std::move(remote)) {}

  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint& hint) const override {
    return storage_of(path).open(path, hint);
  }
  bool exists(const std::string& path, bool directory) const override {
    return storage_of(path).exists(path, directory);
  }
  std::vector<std::shared_ptr<const ByteSource>> open_all(std::span<const std::string> paths,
                                                          std::span<const ReadHint> hints) const override {
    // The files of one dataset are all local or all remote.
    if (paths.empty()) return {};
    return storage_of(paths[0]).open_all(paths, hints);
  }

 private:
  const Storage& storage_of(const std::string& path) const { return is_remote(path) ? *remote_ : *local_; }

  std::shared_ptr<const Storage> local_ = local_storage();
  std::shared_ptr<const Storage> remote_;
};

void check(const RemoteOptions& options) {
  for (const auto& [name, value] : options.headers) {
    const bool is_one_line = (name + value).find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos;
    if (name.empty() || name.find(':') != name.npos || !is_one_line) {
      throw QueryError("header " + in_quotes(name) + ": expected a name without a colon, and a value of one line");
    }
  }
  if (options.max_concurrent_requests < 1)
    throw QueryError("max_concurrent_requests is " + std::to_string(options.max_concurrent_requests) +
                     "; at least 1 expected");
  if (options.max_tries < 1)
    throw QueryError("max_tries is " + std::to_string(options.max_tries) + "; at least 1 expected");
  if (!options.max_requests_per.empty()) net::parse_budget(options.max_requests_per);
  if (!(options.timeout > 0) || options.timeout > 86400) {
    throw QueryError("timeout is " + std::to_string(options.timeout) +
                     "; more than 0 and at most 86400 seconds expected");
  }
  if (options.cache_size > 0 && options.cache_size < net::DiskCache::kMinSize) {
    throw QueryError("cache_size is " + std::to_string(options.cache_size) + " bytes; at least " +
                     std::to_string(net::DiskCache::kMinSize) + " expected");
  }
}

std::mutex default_mutex;
/// The options of set_remote_options(). Never destroyed: files may be read while a program ends.
struct Defaults {
  RemoteOptions options = {};
  std::shared_ptr<const Storage> remote = {};  ///< nullptr before the first use
};
Defaults& defaults() {
  static auto& value = *new Defaults;
  return value;
}

/// Makes the storage when the first remote file is opened: that reads the environment and files of credentials.
class DefaultRemote final : public Storage {
 public:
  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint& hint) const override {
    return now()->open(path, hint);
  }
  bool exists(const std::string& path, bool directory) const override { return now()->exists(path, directory); }
  std::vector<std::shared_ptr<const ByteSource>> open_all(std::span<const std::string> paths,
                                                          std::span<const ReadHint> hints) const override {
    return now()->open_all(paths, hints);
  }

 private:
  static std::shared_ptr<const Storage> now() {
    const std::lock_guard lock(default_mutex);
    auto& storage = defaults().remote;
    if (!storage) storage = std::make_shared<RemoteStorage>(defaults().options);
    return storage;
  }
};

}  // namespace

RemoteFile::~RemoteFile() = default;
RemoteOpener::~RemoteOpener() = default;

void set_remote_options(const RemoteOptions& options) {
  check(options);
  const std::lock_guard lock(default_mutex);
  defaults().options = options;
  defaults().remote = nullptr;
}

RemoteOptions remote_options() {
  const std::lock_guard lock(default_mutex);
  return defaults().options;
}

std::shared_ptr<const Storage> any_storage() { return std::make_shared<AnyStorage>(std::make_shared<DefaultRemote>()); }

std::shared_ptr<const Storage> any_storage(const RemoteOptions& options) {
  check(options);
  return std::make_shared<AnyStorage>(std::make_shared<RemoteStorage>(options));
}

}  // namespace tacore
