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

/// What a file is called in the cache: its address without credentials and without the signature of a signed URL, so
/// that the same file has the same name tomorrow.
std::string cache_name(const RemoteAddress& address);

/// Opens remote files whose parts are kept on the disk. Safe from several threads.
class FileCache {
 public:
  FileCache(std::string folder, uint64_t max_size) : disk_(std::make_shared<DiskCache>(std::move(folder), max_size)) {}

  using Files = std::vector<HttpOpened>;
  /// As open_http_files().
  using Opener = std::function<Files(std::span<const RemoteAddress>)>;

  /// As `open`, whose requests tell whether what is on the disk is still the same. Files that are opened together
  /// belong together: when one of several is missing, nothing of this call is kept.
  ///
  /// When no answer comes, and of all of these files it is known what they are, they are opened without: what is on the
  /// disk can be read, and reading the rest throws IoError. For kOutage then no request is made where that is possible.
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
