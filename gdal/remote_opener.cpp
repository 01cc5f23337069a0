#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <cpl_vsi_error.h>
#include <cpl_vsi_virtual.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "gdal_error.hpp"
#include "tacore/error.hpp"
#include "tacore/interrupt.hpp"
#include "tacore/raster/gdal.hpp"
#include "thread_option.hpp"

namespace tacore::gdal {

namespace {

struct CloseFile {
  void operator()(VSILFILE* file) const noexcept { VSIFCloseL(file); }
};
using FilePtr = std::unique_ptr<VSILFILE, CloseFile>;

/// The class behind GDAL's C handle, which reads a range without moving a position.
const VSIVirtualHandle& handle_of(const FilePtr& file) {
  return *reinterpret_cast<const VSIVirtualHandle*>(file.get());
}

/// Reads GDAL's configuration file, which GDAL else does when it registers its drivers; these are not needed here.
void read_configuration_file() {
  static std::once_flag read;
  std::call_once(read, CPLLoadConfigOptionsFromPredefinedFiles);
}

/// Where a connection is shared by two processes, each takes what was sent to the other.
void leave_connections_to_parent() {
  static std::atomic<pid_t> owner = ::getpid();
  const pid_t now = ::getpid();
  if (owner.exchange(now) != now) VSICurlClearCache();
}

/// While an object of this class exists, GDAL requests on this thread only the ranges that are read: it lists no
/// folders and reads nothing ahead. Tries are counted here, not in GDAL, which does not count those of ranges.
class Requests {
 public:
  explicit Requests(const RemoteOptions& options) {
    const auto seconds = std::to_string(std::max(1, static_cast<int>(std::ceil(options.timeout))));
    set_where_unset(connect_, "GDAL_HTTP_CONNECTTIMEOUT", seconds);
    set_where_unset(slow_time_, "GDAL_HTTP_LOW_SPEED_TIME", seconds);
    set_where_unset(slow_limit_, "GDAL_HTTP_LOW_SPEED_LIMIT", "1000");
    leave_connections_to_parent();
  }

 private:
  /// Keeps values that the user has configured.
  static void set_where_unset(std::optional<ThreadOption>& option, const char* name, const std::string& value) {
    if (CPLGetConfigOption(name, nullptr) == nullptr) option.emplace(name, value.c_str());
  }

  Quiet quiet_;
  ThreadOption folders_{"GDAL_DISABLE_READDIR_ON_OPEN", "EMPTY_DIR"};
  ThreadOption tries_{"GDAL_HTTP_MAX_RETRY", "0"};
  ThreadOption cache_{"VSI_CACHE", "NO"};
  std::optional<ThreadOption> connect_, slow_time_, slow_limit_;
};

/// Why a request failed.
struct Failure {
  std::string text;
  int number = EIO;         ///< errno
  bool is_missing = false;  ///< there is no such file
  bool may_pass = false;    ///< another try may succeed
};

/// The number in "HTTP response code: 403" or "HTTP response code on PATH: 403"; 0 when it does not say.
int status_in(std::string_view text) {
  if (!text.starts_with("HTTP response code")) return 0;
  const auto colon = text.find(": ", text.starts_with("HTTP response code on") ? text.rfind(": ") : 0);
  int out = 0;
  if (colon != text.npos) std::from_chars(text.data() + colon + 2, text.data() + text.size(), out);
  return out;
}

bool may_pass(int status) {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

bool begins_with_one_of(std::string_view path, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return path.starts_with(name); });
}

/// True where GDAL asks a server, and not another of its file systems.
bool is_server(std::string_view path) {
  constexpr std::string_view kServers[] = {"/vsicurl", "/vsis3",    "/vsigs",      "/vsiaz",  "/vsiadls",
                                           "/vsioss",  "/vsiswift", "/vsiwebhdfs", "/vsihdfs"};
  return begins_with_one_of(path, kServers);
}

/// GDAL's reason for a file that cannot be opened. It parses the errors of stores such as S3 and then hides the HTTP
/// status; for a connection that ended early it gives no reason.
Failure failure_to_open(const std::string& path) {
  const int number = errno, kind = VSIGetLastErrorNo();
  std::string text = VSIGetLastErrorMsg();
  if (text.empty()) text = CPLGetLastErrorMsg();
  int status = status_in(text);
  if (status != 0) {
    text = "HTTP status " + std::to_string(status);
  } else if (kind == VSIE_AWSAccessDenied || kind == VSIE_AWSSignatureDoesNotMatch) {
    status = 403;
    text = "HTTP status 403: " + text;
  }
  Failure out{.text = std::move(text)};
  const bool is_silent = out.text.empty();
  if (is_silent && is_server(path)) out.text = "no response that GDAL can use";
  out.is_missing = out.text.empty() || kind == VSIE_AWSObjectNotFound || status == 404 || status == 410 ||
                   (kind == VSIE_FileError && number == ENOENT);
  out.may_pass = may_pass(status) || is_silent || (status == 0 && out.text.starts_with("CURL error"));
  if (out.is_missing || kind == VSIE_AWSBucketNotFound) out.number = ENOENT;
  if (status == 401 || status == 403 || kind == VSIE_AWSInvalidCredentials) out.number = EACCES;
  return out;
}

/// A file as it is now.
struct Opened {
  FilePtr file = {};
  uint64_t size = 0;
  std::time_t modified = 0;  ///< 0: unknown
  Failure failure = {};      ///< when there is no `file`
};

/// Opens the file without the cache of GDAL.
Opened open_now(const std::string& path) {
  VSICurlPartialClearCache(path.c_str());
  VSIErrorReset();
  CPLErrorReset();
  errno = 0;
  Opened out{.file = FilePtr(VSIFOpenExL(path.c_str(), "rb", TRUE))};
  if (!out.file || VSIFSeekL(out.file.get(), 0, SEEK_END) != 0) return {.failure = failure_to_open(path)};
  out.size = VSIFTellL(out.file.get());
  VSIStatBufL status = {};
  // GDAL knows this of a file that it has just opened, without a request.
  if (VSIStatExL(path.c_str(), &status, VSI_STAT_EXISTS_FLAG | VSI_STAT_NATURE_FLAG) != 0) return out;
  // For some stores GDAL finds folders, too.
  if (S_ISDIR(status.st_mode)) return {.failure = {.text = {}, .number = ENOENT, .is_missing = true}};
  out.modified = status.st_mtime;
  return out;
}

/// Counts the tries of one request.
class Tries {
 public:
  Tries(const std::string& path, std::optional<uint64_t> offset, int max) : path_(path), offset_(offset), max_(max) {}

  /// Waits until it is time for the next try. Throws IoError for a failure that stays, or after too many.
  void after(const Failure& failure) {
    ++count_;
    if (!failure.may_pass || count_ >= max_) {
      throw IoError(failure.text + (count_ > 1 ? " (" + std::to_string(count_) + " tries)" : ""),
                    {.path = path_, .offset = offset_}, failure.number);
    }
    wait(0.1 * std::pow(2.0, std::min(count_ - 1, 9)));
  }

 private:
  static void wait(double seconds) {
    using namespace std::chrono;
    const auto end = steady_clock::now() + duration<double>(seconds);
    while (steady_clock::now() < end) {
      throw_if_interrupted();
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

  const std::string& path_;
  std::optional<uint64_t> offset_;
  int max_;
  int count_ = 0;
};

class VsiFile final : public RemoteFile {
 public:
  VsiFile(std::string path, const RemoteOptions& options, Opened opened)
      : path_(std::move(path)), options_(options), opened_(std::move(opened)) {
    keep_head();
  }

  uint64_t size() const override { return opened_.size; }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (offset > size() || out.size() > size() - offset) {
      throw IoError("read of " + std::to_string(out.size()) + " bytes passes the end at " + std::to_string(size()),
                    {.path = path_, .offset = offset});
    }
    if (offset <= head_.size() && out.size() <= head_.size() - offset) {
      std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
      return;
    }
    const Requests requests(options_);
    Tries tries(path_, offset, options_.max_tries);
    for (;;) {
      const std::size_t got = read_once(offset, out);
      if (got == out.size()) return;
      const Failure failure{.text = std::to_string(got) + " bytes received; " + std::to_string(out.size()) +
                                    " expected" + Quiet::reason(),
                            .may_pass = is_server(path_)};
      // GDAL does not tell why a range request failed; opening the file again may.
      if (failure.may_pass) require_same(tries);
      tries.after(failure);
    }
  }

 private:
  /// To learn the size of a file of these stores GDAL asks for its first bytes, which it still has.
  void keep_head() {
    constexpr std::string_view kStores[] = {"/vsigs/", "/vsioss/", "/vsiswift/", "/vsis3/"};
    constexpr uint64_t kAsked = 16 * 1024;
    if (!begins_with_one_of(path_, kStores)) return;
    head_.resize(std::min(size(), kAsked));
    const bool is_whole = VSIFSeekL(opened_.file.get(), 0, SEEK_SET) == 0 &&
                          VSIFReadL(head_.data(), 1, head_.size(), opened_.file.get()) == head_.size();
    if (!is_whole) head_.clear();
  }

  /// Returns the number of bytes received.
  std::size_t read_once(uint64_t offset, std::span<std::byte> out) const {
    CPLErrorReset();
    const VSIVirtualHandle& handle = handle_of(opened_.file);
    if (handle.HasPRead()) {
      const std::size_t got = handle.PRead(out.data(), out.size(), offset);
      return got > out.size() ? 0 : got;  // size_t(-1) is an error
    }
    const std::lock_guard lock(mutex_);
    if (VSIFSeekL(opened_.file.get(), offset, SEEK_SET) != 0) return 0;
    return VSIFReadL(out.data(), 1, out.size(), opened_.file.get());
  }

  /// Throws IoError when the file is not what was opened.
  void require_same(Tries& tries) const {
    const auto changed = [&](const std::string& how) {
      throw IoError("the file changed while it was read: " + how, {.path = path_}, EIO);
    };
    for (;;) {
      const Opened now = open_now(path_);
      if (!now.file) {
        if (now.failure.is_missing) changed("it is gone" + (now.failure.text.empty() ? "" : ": " + now.failure.text));
        tries.after(now.failure);
        continue;
      }
      if (now.size != size()) {
        changed(std::to_string(now.size) + " bytes; " + std::to_string(size()) + " when it was opened");
      }
      if (now.modified != opened_.modified) changed("its modification time differs");
      return;
    }
  }

  std::string path_;
  RemoteOptions options_;
  Opened opened_;
  std::vector<std::byte> head_ = {};
  mutable std::mutex mutex_;  ///< of the position in a file that has one
};

class Opener final : public RemoteOpener {
 public:
  std::unique_ptr<RemoteFile> open(const std::string& vsi_path, const RemoteOptions& options) const override {
    read_configuration_file();
    const Requests requests(options);
    Tries tries(vsi_path, std::nullopt, options.max_tries);
    for (;;) {
      Opened now = open_now(vsi_path);
      if (now.file) return std::make_unique<VsiFile>(vsi_path, options, std::move(now));
      if (now.failure.is_missing) return nullptr;
      tries.after(now.failure);
    }
  }
};

}  // namespace

std::shared_ptr<const RemoteOpener> remote_opener() { return std::make_shared<Opener>(); }

const RemoteOpener* tacore_gdal_remote_opener() {
  static const auto known = remote_opener();
  return known.get();
}

}  // namespace tacore::gdal
