#include "net/disk_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <system_error>
#include <thread>
#include <tuple>

#include "base/little_endian.hpp"
#include "base/log.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "io/linux.hpp"
#include "tacore/interrupt.hpp"

namespace tacore::net {
namespace {

/// A longer `about` file or mark is damaged.
constexpr uint64_t kMaxText = 64 * 1024;
/// A temporary file that is older than this was left by a process that died.
constexpr std::time_t kAbandoned = 3600;  // seconds
constexpr int kLockTries = 100;
constexpr auto kLockPause = std::chrono::milliseconds(10);
/// File systems take the time of a change from a clock that stands still for so long, at most, in nanoseconds.
constexpr int64_t kClockTick = 50'000'000;
/// How often a thread looks whether bytes were stored that another one reads.
constexpr auto kReadingPause = std::chrono::milliseconds(2);

std::string hash_of(std::string_view text) { return hex(sha256(bytes_of(text))); }

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return number_; }

 private:
  int number_;
};

/// Reads a small file as a whole, and marks it as used. nullopt when it cannot be read.
std::optional<Bytes> read_file(const std::string& path, uint64_t max_size) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info = {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  if (static_cast<uint64_t>(info.st_size) > max_size) return std::nullopt;
  Bytes out(static_cast<std::size_t>(info.st_size));
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t count = ::read(file.get(), out.data() + done, out.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  ::futimens(file.get(), nullptr);  // where this is forbidden, only the order of last use is lost
  return out;
}

std::string read_text(const std::string& path) {
  const auto bytes = read_file(path, kMaxText);
  return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : "";
}

/// Names in a folder, without . and ..
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  DIR* const open = ::opendir(folder.c_str());
  if (open == nullptr) return out;
  while (const dirent* entry = ::readdir(open)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") out.push_back(name);
  }
  ::closedir(open);
  return out;
}

void make_folders(const std::string& path) {
  for (auto slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0700);
  }
  ::mkdir(path.c_str(), 0700);
}

/// A lock for all processes and threads. Waits at most a second, since its owner may be suspended.
class Lock {
 public:
  Lock(const std::string& path, int tries) : file_(open(path)) {
    for (int i = 0; file_.get() >= 0 && i < tries; ++i) {
      if (i > 0) std::this_thread::sleep_for(kLockPause);
      if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) continue;
      is_held_ = true;
      return;
    }
  }
  ~Lock() {
    // Closing alone would leave the lock to a child process that was forked meanwhile.
    if (is_held_) ::flock(file_.get(), LOCK_UN);
  }
  explicit operator bool() const noexcept { return is_held_; }
  int error() const noexcept { return error_; }

 private:
  int open(const std::string& path) {
    constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
    int out = ::open(path.c_str(), kFlags, 0600);
    if (out < 0 && errno == ENOENT) {
      make_folders(parent(path));
      out = ::open(path.c_str(), kFlags, 0600);
    }
    if (out < 0) error_ = errno;
    return out;
  }

  int error_ = 0;
  Descriptor file_;
  bool is_held_ = false;
};

uint64_t on_disk(uint64_t size) { return (size + DiskCache::kBlock - 1) / DiskCache::kBlock * DiskCache::kBlock; }

int write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

std::string random_mark() {
  std::random_device random;
  FieldWriter out;
  for (int i = 0; i < 4; ++i) out.u32(random());
  return hex(sha256(out.take())).substr(0, 16);
}

}  // namespace

ReadingBytes::~ReadingBytes() {
  if (file_ < 0) return;
  // Closing alone would leave the locks to a child process that was forked meanwhile.
  for (const ByteRange& range : locked_) unlock_bytes(file_, range.offset, range.size);
  ::close(file_);
}

DiskCache::DiskCache(std::string folder, uint64_t max_size, std::chrono::milliseconds longest_wait)
    : folder_(std::move(folder)), max_size_(std::max(max_size, kMinSize)), longest_wait_(longest_wait) {
  while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
}

uint64_t DiskCache::max_piece() const noexcept { return std::min(kLargestPiece, max_size_ / 64); }

std::string DiskCache::file(const char* kind, const std::string& name) const {
  return folder_ + "/" + kind + "/" + hash_of(name);
}

std::optional<KnownFile> DiskCache::find(const std::string& name) const {
  const auto about = parse_about(read_text(file("files", name) + "/about"), name);
  if (!about) return std::nullopt;
  return KnownFile{.facts = about->facts, .is_current = about->mark == mark_of(name)};
}

/// The marks of all folders that the file is in.
std::string DiskCache::mark_of(const std::string& name) const {
  const std::string path = name.substr(0, name.find('?'));
  const auto scheme = path.find("://");
  std::string out;
  for (auto slash = path.find('/', scheme == path.npos ? 0 : scheme + 3); slash != path.npos;
       slash = path.find('/', slash + 1)) {
    out += read_text(file("sets", path.substr(0, slash + 1))).substr(0, 16);
  }
  return out;
}

void DiskCache::keep(std::span<const LearntFile> files) const {
  if (gave_up_) return;
  const Lock lock(folder_ + "/lock", kLockTries);
  if (!lock) {
    if (lock.error() != 0) give_up(lock.error());
    return;
  }
  std::vector<LearntFile> all(files.begin(), files.end());
  std::vector<std::string> changed;
  for (const LearntFile& learnt : files) {
    const CachedMetadata metadata = cached_metadata_of(learnt.name);
    if (metadata.folder.empty()) continue;
    const auto known = find(learnt.name);
    const FileFacts before = known ? known->facts : FileFacts{.exists = false};
    if (learnt.facts ? *learnt.facts == before : !known) continue;
    const auto collection = metadata.collection.empty() ? std::nullopt : find(metadata.collection);
    if (collection && collection->is_current) all.push_back({metadata.collection, collection->facts});
    if (std::find(changed.begin(), changed.end(), metadata.folder) == changed.end()) changed.push_back(metadata.folder);
  }
  for (const std::string& folder : changed) {
    // Without the new mark, old files would stay current.
    if (!put(file("sets", folder), bytes_of(random_mark() + " " + folder + "\n"))) return;
  }
  for (const LearntFile& learnt : all) write_about(learnt);
}

void DiskCache::write_about(const LearntFile& learnt) const {
  const std::string folder = file("files", learnt.name), path = folder + "/about";
  if (!learnt.facts) {
    ::unlink(path.c_str());
    return;
  }
  const std::string text = about_text(learnt.name, *learnt.facts, mark_of(learnt.name));
  if (read_text(path) == text) return;
  if (!put(path, bytes_of(text)) || !learnt.facts->exists) return;
  const std::string version = pieces_of(learnt.name, *learnt.facts).substr(folder.size() + 1);
  for (const std::string& name : names_in(folder)) {
    if (name != "about" && !name.starts_with(version)) ::unlink((folder + "/" + name).c_str());
  }
}

std::string DiskCache::pieces_of(const std::string& name, const FileFacts& facts) const {
  const std::string version = std::to_string(facts.size) + "\n" + facts.validator;
  return file("files", name) + "/" + hash_of(version).substr(0, 16) + "-";
}

std::vector<ByteRange> DiskCache::list(const std::string& pieces) const {
  const std::string folder = parent(pieces), version = pieces.substr(folder.size() + 1);
  std::vector<ByteRange> out;
  for (const std::string& name : names_in(folder)) {
    if (!name.starts_with(version)) continue;
    if (const auto piece = parse_piece_name(std::string_view(name).substr(version.size()))) out.push_back(*piece);
  }
  return out;
}

std::optional<Bytes> DiskCache::load(const std::string& pieces, ByteRange piece) const {
  const std::string path = pieces + piece_name(piece);
  auto whole = read_file(path, kPieceHeader + kLargestPiece);
  while (whole) {
    const auto bytes = std::span<const std::byte>(*whole).subspan(std::min<std::size_t>(whole->size(), kPieceHeader));
    const Bytes header = piece_header(piece, bytes);
    if (bytes.size() == piece.size && std::equal(header.begin(), header.end(), whole->begin())) {
      whole->erase(whole->begin(), whole->begin() + kPieceHeader);
      return whole;
    }
    // Another process may have found the damage first, and put the right piece there.
    auto again = read_file(path, kPieceHeader + kLargestPiece);
    if (again == whole) {
      log::info(path + ": removed a damaged piece of the cache");
      ::unlink(path.c_str());
      return std::nullopt;
    }
    whole = std::move(again);
  }
  return std::nullopt;
}

bool DiskCache::store(const std::string& pieces, uint64_t offset, std::span<const std::byte> bytes) const {
  if (gave_up_ || bytes.empty()) return false;
  const ByteRange range{offset, bytes.size()};
  Bytes whole = piece_header(range, bytes);
  whole.insert(whole.end(), bytes.begin(), bytes.end());
  return put(pieces + piece_name(range), whole);
}

int64_t DiskCache::when_changed(const std::string& pieces) const {
  struct stat info = {};
  if (::stat(parent(pieces).c_str(), &info) != 0) return 0;
  const int64_t changed = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec - changed > kClockTick ? changed : 0;
}

bool DiskCache::has(const std::string& pieces, ByteRange piece) const {
  struct stat info = {};
  return ::lstat((pieces + piece_name(piece)).c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

ReadingBytes DiskCache::begin_reading(const std::string& pieces, std::span<const ByteRange> ranges) const {
  ReadingBytes out;
  if (gave_up_) return out;
  const std::string path = folder_ + "/lock.reading";
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  out.file_ = ::open(path.c_str(), kFlags, 0600);
  if (out.file_ < 0) return out;
  // All files share the locks of one: each has its own terabyte. Two that share one wait in vain, at worst.
  const uint64_t begin = (std::hash<std::string>()(pieces) & 0x3FFFFF) << 40;
  std::vector<ByteRange> places;
  for (const ByteRange& range : ranges)
    places.push_back({begin + (range.offset & ((uint64_t{1} << 40) - 1)), range.size});
  // In one order for all, so that no two wait for each other.
  std::ranges::sort(places, {}, &ByteRange::offset);
  const auto end = std::chrono::steady_clock::now() + longest_wait_;
  for (const ByteRange& place : places) {
    for (;;) {
      const auto is_locked = try_to_lock_bytes(out.file_, place.offset, place.size);
      if (!is_locked) return out;
      if (*is_locked) break;
      out.had_to_wait_ = true;
      throw_if_interrupted();
      if (std::chrono::steady_clock::now() >= end) return out;
      std::this_thread::sleep_for(kReadingPause);
    }
    out.locked_.push_back(place);
  }
  return out;
}

bool DiskCache::put(const std::string& path, std::span<const std::byte> bytes) const {
  if (gave_up_) return false;
  count(on_disk(bytes.size()));
  int error = try_to_put(path, bytes);
  if (error == ENOENT) {  // the folder is missing: it is new, or was removed
    make_folders(folder_ + "/new");
    make_folders(parent(path));
    error = try_to_put(path, bytes);
  }
  if (error != 0 && error != ENOENT) give_up(error);
  return error == 0;
}

int DiskCache::try_to_put(const std::string& path, std::span<const std::byte> bytes) const {
  std::string temporary = folder_ + "/new/XXXXXX";
  int error = 0;
  {
    const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
    if (file.get() < 0) return errno;
    error = write_all(file.get(), bytes);
  }
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(temporary.c_str());
  return error;
}

void DiskCache::give_up(int error) const {
  if (gave_up_.exchange(true)) return;
  log::warning(folder_ + ": the cache cannot be written (" + std::generic_category().message(error) +
               "); nothing more is cached");
}

/// Makes space before the first write, since earlier runs have written, and after each fraction of the whole size.
void DiskCache::count(uint64_t size) const {
  {
    const std::lock_guard lock(mutex_);
    const bool is_due = !num_written_ || *num_written_ + size > max_size_ / 64;
    num_written_ = is_due ? size : *num_written_ + size;
    if (!is_due) return;
  }
  make_space();
}

void DiskCache::make_space() const {
  const Lock lock(folder_ + "/lock.space", 1);
  if (!lock) return;  // another process does it; or put() finds the error
  const std::time_t now = std::time(nullptr);
  struct stat info = {};
  for (const std::string& name : names_in(folder_ + "/new")) {
    const std::string path = folder_ + "/new/" + name;
    if (::lstat(path.c_str(), &info) == 0 && info.st_mtime < now - kAbandoned) ::unlink(path.c_str());
  }
  struct Used {
    std::pair<std::time_t, long> when;
    std::string path;
    uint64_t size;
  };
  std::vector<Used> all;
  uint64_t sum = 0;
  const auto add = [&](const std::string& path) {
    if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
    all.push_back({{info.st_mtim.tv_sec, info.st_mtim.tv_nsec}, path, on_disk(static_cast<uint64_t>(info.st_size))});
    sum += all.back().size;
  };
  for (const std::string& name : names_in(folder_ + "/sets")) add(folder_ + "/sets/" + name);
  for (const std::string& name : names_in(folder_ + "/files")) {
    const std::string folder = folder_ + "/files/" + name;
    sum += kBlock;
    for (const std::string& piece : names_in(folder)) add(folder + "/" + piece);
  }
  if (sum <= max_size_ / 16 * 15) return;
  std::sort(all.begin(), all.end(),
            [](const Used& a, const Used& b) { return std::tie(a.when, a.path) < std::tie(b.when, b.path); });
  for (const Used& file : all) {
    if (sum <= max_size_ / 8 * 7) break;
    if (::unlink(file.path.c_str()) != 0) continue;
    sum -= file.size;
    if (::rmdir(parent(file.path).c_str()) == 0) sum -= kBlock;
  }
}

}  // namespace tacore::net
