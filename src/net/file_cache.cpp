#include "net/file_cache.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

/// A file whose server does not respond.
class UnreachableFile final : public HttpSource {
 public:
  UnreachableFile(std::string name, uint64_t size, std::string message)
      : name_(std::move(name)), size_(size), message_(std::move(message)) {}

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return size_; }
  bool is_local() const noexcept override { return false; }
  const std::string& copy_validator() const noexcept override { return none_; }
  const RangeMap& first() const noexcept override { return first_; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    throw Unreachable("not in the cache: " + message_, {.path = name_, .offset = offset});
  }

 private:
  std::string name_;
  uint64_t size_;
  std::string message_;
  std::string none_ = {};
  RangeMap first_ = {};
};

/// A part of a read, and the memory for it.
struct Wanted {
  ByteRange range;
  std::byte* to;
};

/// Listing the pieces that others have stored takes at most this fraction of the time: one in so many.
constexpr int kListingShare = 20;

/// A file with pieces in the disk cache. Other ranges are read from the file, and become pieces.
class CachedFile final : public HttpSource {
 public:
  CachedFile(std::shared_ptr<const HttpSource> file, std::shared_ptr<const DiskCache> disk, std::string pieces)
      : file_(std::move(file)), disk_(std::move(disk)), prefix_(std::move(pieces)) {}

  const std::string& name() const noexcept override { return file_->name(); }
  uint64_t size() const override { return file_->size(); }
  bool is_local() const noexcept override { return false; }
  const std::string& copy_validator() const noexcept override { return file_->copy_validator(); }
  const RangeMap& first() const noexcept override { return file_->first(); }
  uint64_t bytes_of_round_trip() const override { return file_->bytes_of_round_trip(); }
  bool has(ByteRange range) const override {
    if (file_->has(range)) return true;
    const auto piece = piece_at(range.offset);
    return piece && range.size <= piece->size - (range.offset - piece->offset);
  }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    fill({Wanted{{offset, out.size()}, out.data()}});
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    std::vector<Bytes> out;
    std::vector<Wanted> wanted;
    for (const ByteRange& range : ranges) {
      require_inside(range);
      out.emplace_back(static_cast<std::size_t>(range.size));
      wanted.push_back({range, out.back().data()});
    }
    fill(wanted);
    return out;
  }

  ReadCost cost_of(std::span<const ByteRange> ranges) const override {
    std::vector<ByteRange> missing;
    std::ranges::copy_if(ranges, std::back_inserter(missing), [this](const ByteRange& range) { return !has(range); });
    return file_->cost_of(missing);
  }

  void keep_first() const {
    const uint64_t offset = first().from(0).empty() ? first().next(0) : 0;
    keep(offset, first().from(offset), true);
  }

 private:
  void fill(const std::vector<Wanted>& wanted) const {
    std::vector<Wanted> missing;
    RangeMap loaded;
    for (const Wanted& part : wanted) take(part, loaded, missing);
    if (missing.empty()) return;
    // Threads and processes that want the same bytes request them once.
    const ReadingBytes reading = disk_->begin_reading(prefix_, ranges_of(missing));
    find_stored(missing, reading.had_to_wait());
    const auto wanted_before = std::exchange(missing, {});
    for (const Wanted& part : wanted_before) take(part, loaded, missing);
    if (missing.empty()) return;
    const auto ranges = ranges_of(missing);
    const auto bytes = file_->read_ranges(ranges);
    for (std::size_t i = 0; i < missing.size(); ++i) {
      std::copy(bytes[i].begin(), bytes[i].end(), missing[i].to);
      keep(ranges[i].offset, bytes[i], false);
    }
  }

  static std::vector<ByteRange> ranges_of(std::span<const Wanted> parts) {
    std::vector<ByteRange> out;
    for (const Wanted& part : parts) out.push_back(part.range);
    return out;
  }

  /// Learns of pieces that others have stored: those that keep() would make of these parts and, where listing takes
  /// little of the time or after `waiting` for others, all.
  void find_stored(std::span<const Wanted> parts, bool waiting) const {
    {
      const std::lock_guard lock(mutex_);
      const bool is_cheap = std::chrono::steady_clock::now() - when_listed_ >= kListingShare * listing_took_;
      if (waiting || is_cheap) {
        const int64_t changed = disk_->when_changed(prefix_);
        if (changed == 0 || changed != when_changed_) pieces_.reset();
      }
    }
    for (const Wanted& part : parts) {
      for (ByteRange left = part.range; left.size > 0;) {
        const ByteRange piece{left.offset, std::min(left.size, disk_->max_piece())};
        if (disk_->has(prefix_, piece)) remember(piece);
        left = {left.offset + piece.size, left.size - piece.size};
      }
    }
  }

  /// Copies the bytes of `part` that are in memory or on the disk; the rest is `missing`. `loaded`: the piece that was
  /// read from the disk last, since neighbouring parts often lie in one.
  void take(Wanted part, RangeMap& loaded, std::vector<Wanted>& missing) const {
    const auto advance = [&](uint64_t size) {
      part.range.offset += size;
      part.range.size -= size;
      part.to += size;
    };
    while (part.range.size > 0) {
      const uint64_t at = part.range.offset;
      const auto known = first().from(at).empty() ? loaded.from(at) : first().from(at);
      if (!known.empty()) {
        const uint64_t size = std::min<uint64_t>(known.size(), part.range.size);
        std::copy_n(known.begin(), size, part.to);
        advance(size);
      } else if (const auto piece = piece_at(at)) {
        auto bytes = disk_->load(prefix_, *piece);
        if (!bytes) {
          forget(*piece);
          continue;
        }
        if (log_level() == LogLevel::Debug) {
          log::debug(name() + ": " + std::to_string(piece->size) + " bytes at " + std::to_string(piece->offset) +
                     " from the cache");
        }
        loaded.clear();
        loaded.add(piece->offset, std::move(*bytes));
      } else {
        const uint64_t end = std::min({at + part.range.size, next_piece(at), first().next(at)});
        missing.push_back({{at, end - at}, part.to});
        advance(end - at);
      }
    }
  }

  /// Stores bytes as pieces. With `prove`, pieces that exist are read, and replaced when they are damaged.
  void keep(uint64_t offset, std::span<const std::byte> bytes, bool prove) const {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min<std::size_t>(bytes.size(), disk_->max_piece()));
      const ByteRange piece{offset, part.size()};
      if (!prove || !disk_->load(prefix_, piece)) {
        if (disk_->store(prefix_, offset, part)) remember(piece);
      }
      offset += part.size();
      bytes = bytes.subspan(part.size());
    }
  }

  // The cached pieces by offset: the longest at each.

  std::map<uint64_t, uint64_t>& pieces() const {
    if (!pieces_) {
      const auto began = std::chrono::steady_clock::now();
      when_changed_ = disk_->when_changed(prefix_);
      pieces_.emplace();
      for (const ByteRange& piece : disk_->list(prefix_)) {
        uint64_t& size = (*pieces_)[piece.offset];
        size = std::max(size, piece.size);
      }
      when_listed_ = std::chrono::steady_clock::now();
      listing_took_ = when_listed_ - began;
    }
    return *pieces_;
  }

  std::optional<ByteRange> piece_at(uint64_t offset) const {
    const std::lock_guard lock(mutex_);
    const auto& all = pieces();
    for (auto next = all.upper_bound(offset); next != all.begin();) {
      --next;
      if (offset - next->first < next->second) return ByteRange{next->first, next->second};
      if (offset - next->first > kLargestPiece) break;
    }
    return std::nullopt;
  }

  uint64_t next_piece(uint64_t offset) const {
    const std::lock_guard lock(mutex_);
    const auto next = pieces().upper_bound(offset);
    return next == pieces().end() ? UINT64_MAX : next->first;
  }

  void remember(ByteRange piece) const {
    const std::lock_guard lock(mutex_);
    uint64_t& size = pieces()[piece.offset];
    size = std::max(size, piece.size);
  }

  void forget(ByteRange piece) const {
    const std::lock_guard lock(mutex_);
    const auto found = pieces().find(piece.offset);
    if (found != pieces().end() && found->second == piece.size) pieces().erase(found);
  }

  std::shared_ptr<const HttpSource> file_;
  std::shared_ptr<const DiskCache> disk_;
  std::string prefix_;
  mutable std::mutex mutex_;
  mutable std::optional<std::map<uint64_t, uint64_t>> pieces_;  ///< listed at the first use, and then again
  mutable int64_t when_changed_ = 0;
  mutable std::chrono::steady_clock::time_point when_listed_ = {};
  mutable std::chrono::steady_clock::duration listing_took_ = {};
};

/// "https://host:port"
std::string host_of(const RemoteAddress& address) {
  const std::string url = address.location();
  return url.substr(0, url.find_first_of("/?#", url.find("://") + 3));
}

/// Whether this parameter of a query is a credential, and not a part of the name of the file.
bool is_permission(const std::string& name, bool is_signed) {
  constexpr std::string_view kSecrets = " sig signature token access_token security-token ";
  // Short names, which may mean something else in a URL without a signature.
  constexpr std::string_view kOfSigned =
      " awsaccesskeyid ossaccesskeyid googleaccessid expires key-pair-id policy"
      " sv ss srt sp se st spr sr si sip sdd skoid sktid skt ske sks skv ";
  const std::string word = " " + name + " ";
  return name.starts_with("x-amz-") || name.starts_with("x-goog-") || name.starts_with("x-oss-") ||
         kSecrets.find(word) != kSecrets.npos || (is_signed && kOfSigned.find(word) != kOfSigned.npos);
}

std::string without_permissions(std::string_view url) {
  const auto mark = url.find('?');
  std::string out(url.substr(0, mark));
  if (const auto host = out.find("://"); host != out.npos) {
    const auto user = out.substr(0, out.find('/', host + 3)).rfind('@');
    if (user != out.npos) out.erase(host + 3, user + 1 - (host + 3));
  }
  if (mark == url.npos) return out;
  const auto parameters = split(url.substr(mark + 1), '&');
  const auto name_of = [](const std::string& parameter) { return lower(parameter.substr(0, parameter.find('='))); };
  const bool is_signed = std::any_of(parameters.begin(), parameters.end(), [&](const std::string& parameter) {
    return name_of(parameter) == "sig" || name_of(parameter) == "signature";
  });
  char separator = '?';
  for (const std::string& parameter : parameters) {
    if (parameter.empty() || is_permission(name_of(parameter), is_signed)) continue;
    out += separator + parameter;
    separator = '&';
  }
  return out;
}

/// Text without line breaks, as the disk cache requires.
bool is_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

}  // namespace

std::string cache_name(const RemoteAddress& address) {
  if (!address.is_s3()) return without_permissions(address.url);
  const std::string path = percent_encoded(address.bucket, false) + "/" + percent_encoded(address.key, true);
  return address.endpoint.empty() ? "s3://" + path : without_permissions(address.endpoint) + "/" + path;
}

FileCache::Files FileCache::open(std::span<const RemoteAddress> addresses, const Opener& open) const {
  if (addresses.empty()) return {};
  if (const auto message = outage_of(addresses)) {
    if (auto files = open_known(addresses, *message)) return *files;
  }
  Files files;
  try {
    files = open(addresses);
  } catch (const Unreachable& error) {
    const auto failed = std::find_if(addresses.begin(), addresses.end(),
                                     [&](const RemoteAddress& a) { return a.name == error.context().path; });
    if (failed == addresses.end()) throw;
    if (auto known = open_known(addresses, error.message())) {
      const std::lock_guard lock(mutex_);
      outages_[host_of(*failed)] = {std::chrono::steady_clock::now() + kOutage, error.message()};
      return *known;
    }
    throw;
  }
  const bool is_whole = std::all_of(files.begin(), files.end(), [](const HttpOpened& opened) { return opened.file; });
  // Without the permission to list a bucket, a store responds 403 for absent files, too.
  if (!is_whole && (files.size() > 1 || files[0].status == 403)) return files;
  std::vector<LearntFile> learnt;
  for (std::size_t i = 0; i < files.size(); ++i) {
    LearntFile learnt_file{.name = cache_name(addresses[i])};
    const auto& file = files[i].file;
    if (!file) {
      learnt_file.facts = FileFacts{.exists = false};
    } else if (!file->copy_validator().empty() && is_line(file->copy_validator())) {
      learnt_file.facts = FileFacts{.size = file->size(), .validator = file->copy_validator()};
    }
    learnt.push_back(std::move(learnt_file));
  }
  disk_->keep(learnt);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].file || !learnt[i].facts) continue;
    auto file = std::make_shared<CachedFile>(files[i].file, disk_, disk_->pieces_of(learnt[i].name, *learnt[i].facts));
    file->keep_first();
    files[i].file = std::move(file);
  }
  return files;
}

/// The last failure of one of these hosts to respond, if it was less than kOutage ago.
std::optional<std::string> FileCache::outage_of(std::span<const RemoteAddress> addresses) const {
  const std::lock_guard lock(mutex_);
  if (outages_.empty()) return std::nullopt;
  for (const RemoteAddress& address : addresses) {
    const auto found = outages_.find(host_of(address));
    if (found == outages_.end()) continue;
    if (std::chrono::steady_clock::now() < found->second.end) return found->second.message;
    outages_.erase(found);
  }
  return std::nullopt;
}

/// nullopt unless all files are known and are of one version of the dataset.
std::optional<FileCache::Files> FileCache::open_known(std::span<const RemoteAddress> addresses,
                                                      const std::string& message) const {
  Files out;
  for (const RemoteAddress& address : addresses) {
    const std::string name = cache_name(address);
    const auto known = disk_->find(name);
    // The absence of a file stays usable, since no bytes are read because of it.
    if (!known || (known->facts.exists && !known->is_current)) return std::nullopt;
    if (!known->facts.exists) {
      out.push_back({.status = 404});
      continue;
    }
    auto file = std::make_shared<UnreachableFile>(address.name, known->facts.size, message);
    out.push_back({.file = std::make_shared<CachedFile>(std::move(file), disk_, disk_->pieces_of(name, known->facts)),
                   .status = 206});
  }
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = !std::exchange(has_warned_, true);
  }
  if (is_first) {
    log::warning(addresses[0].name + ": the server cannot be reached; reading from the cache, which may be outdated (" +
                 message + ")");
  }
  return out;
}

}  // namespace tacore::net
