#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/disk_cache.hpp"
#include "net/http_file.hpp"
#include "net/remote_address.hpp"

namespace tacore::net {

/// The name of a file in the cache: its address without credentials and without the signature of a signed URL, so that
/// it is the same in later runs.
std::string cache_name(const RemoteAddress& address);

/// Opens remote files through a cache on the disk. Safe from several threads.
class FileCache {
 public:
  FileCache(std::string folder, uint64_t max_size) : disk_(std::make_shared<DiskCache>(std::move(folder), max_size)) {}

  using Files = std::vector<HttpOpened>;
  /// Opens files as open_http_files() does.
  using Opener = std::function<Files(std::span<const RemoteAddress>)>;

  /// Opens files with `open`, whose responses tell whether the cached pieces are of the current version. Files that are
  /// opened with one call are a set: when one of several is absent, none of them is cached.
  ///
  /// When no response arrives, and all of these files are known, they are opened from the cache alone: reading what is
  /// not in it throws IoError. For kOutage, no request is sent then where the cache suffices.
  Files open(std::span<const RemoteAddress> addresses, const Opener& open) const;

  static constexpr std::chrono::seconds kOutage{30};

 private:
  struct Outage {
    std::chrono::steady_clock::time_point end;
    std::string message;
  };

  std::optional<std::string> outage_of(std::span<const RemoteAddress> addresses) const;
  std::optional<Files> open_known(std::span<const RemoteAddress> addresses, const std::string& message) const;

  std::shared_ptr<const DiskCache> disk_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Outage> outages_;  ///< by host
  mutable bool has_warned_ = false;
};

}  // namespace tacore::net
