#include "net/http_file.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "io/coalesce.hpp"
#include "net/content_range.hpp"
#include "net/distance.hpp"
#include "net/http_requests.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

/// Most bytes and ranges of one request: more bytes arrive faster with concurrent requests, and servers refuse more
/// ranges.
constexpr uint64_t kMaxMultipart = 4 * 1024 * 1024;
constexpr std::size_t kMaxRanges = 100;
/// The most bytes of the headers of one part of a multipart response, and how many they usually are.
constexpr uint64_t kPartHeaders = 512, kUsualHeaders = 130;

/// What identifies a version of a file: its ETag, else its Last-Modified; "" when the server sends neither.
std::string validator_of(const HttpResponse& response) {
  std::string_view tag = response.header("etag");
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return std::string(tag.empty() ? response.header("last-modified") : tag);
}

ResponseCheck good() { return {}; }
ResponseCheck again(std::string why) { return {ResponseCheck::Result::TryAgain, std::move(why)}; }
ResponseCheck wrong(std::string why) { return {ResponseCheck::Result::Wrong, std::move(why)}; }

/// Ranges of a compressed form would be other bytes.
std::optional<ResponseCheck> check_encoding(const HttpResponse& response) {
  const std::string encoding = lower(response.header("content-encoding"));
  if (encoding.empty() || encoding == "identity") return std::nullopt;
  return wrong("Content-Encoding is " + in_quotes(encoding) + ", expected the stored bytes without encoding");
}

std::string text_of(const ByteRange& range) {
  return std::to_string(range.size) + " bytes at " + std::to_string(range.offset);
}

ResponseCheck other_range(const ByteRange& found, const ByteRange& expected) {
  return again("the server sent " + text_of(found) + ", expected " + text_of(expected));
}

/// What the first response says of a file, and the bytes that it has.
struct Opened {
  uint64_t size = 0;
  std::string validator = {};
  std::string copy_validator = {};
  RangeMap first = {};
};

/// Whether a copy of the bytes of this good response may be kept.
bool may_be_kept(const HttpResponse& response) {
  if (lower(response.header("cache-control")).find("no-store") != std::string::npos) return false;
  return response.status != 200 || response.header("content-length") == std::to_string(response.body.size());
}

/// Whether this response to a request for the last bytes is of a server, or a proxy, that knows no suffix ranges: it
/// refuses them, or sends all of a large file.
bool refuses_suffix(const HttpResponse& response) {
  return response.status == 400 || response.status == 501 || (response.status == 200 && response.is_too_large) ||
         (response.status == 416 && parse_unsatisfied_range(response.header("content-range")) != uint64_t{0});
}

/// The first request for a file, whose response has its size: for the suffix of the hint, if it has one, else for its
/// prefix.
RangeRequest first_request(Location& location, const ReadHint& hint) {
  const bool from_end = hint.suffix > 0;
  const uint64_t most = from_end ? hint.suffix : hint.prefix;
  RangeRequest out{.location = &location, .max_body = kMaxWhole, .most_bytes = most, .may_be_refused = from_end};
  out.range = from_end ? "bytes=-" + std::to_string(most) : "bytes=0-" + std::to_string(most - 1);
  out.check = [from_end, most](const HttpResponse& response) {
    if (from_end && refuses_suffix(response)) return good();
    if (auto fault = check_encoding(response)) return *fault;
    if (response.is_too_large) {
      return wrong("the server ignores range requests, and the whole file has more than " +
                   std::to_string(kMaxWhole >> 20) +
                   " MiB; download the file, or use a server with range requests (nginx, Apache, S3, Hugging Face)");
    }
    if (response.status == 200) return good();
    if (response.status == 416) {
      return parse_unsatisfied_range(response.header("content-range")) == uint64_t{0}
                 ? good()
                 : wrong("HTTP status 416 for the first bytes, expected 206");
    }
    const auto range = parse_content_range(response.header("content-range"));
    if (!range) {
      return again("Content-Range is " + in_quotes(response.header("content-range")) +
                   ", expected 'bytes FIRST-LAST/SIZE'");
    }
    const uint64_t size = std::min(range->total, most);
    const ByteRange expected{from_end ? range->total - size : 0, size};
    if (range->range != expected) return other_range(range->range, expected);
    if (response.body.size() != expected.size) {
      return again("the response has " + std::to_string(response.body.size()) + " bytes, expected " +
                   std::to_string(expected.size));
    }
    return good();
  };
  return out;
}

Opened opened(HttpResponse response) {
  Opened out{.validator = validator_of(response)};
  if (may_be_kept(response)) out.copy_validator = out.validator;
  if (response.status == 416) return out;  // an empty file
  const auto range = response.status == 206 ? parse_content_range(response.header("content-range")) : std::nullopt;
  out.size = range ? range->total : response.body.size();
  out.first.add(range ? range->range.offset : 0, std::move(response.body));
  return out;
}

class HttpFile final : public HttpSource {
 public:
  HttpFile(std::shared_ptr<const HttpSession> session, std::unique_ptr<Location> location, Opened opened)
      : session_(std::move(session)), location_(std::move(location)), opened_(std::move(opened)) {}

  const std::string& name() const noexcept override { return location_->address().name; }
  uint64_t size() const override { return opened_.size; }
  bool is_local() const noexcept override { return false; }
  const std::string& copy_validator() const noexcept override { return opened_.copy_validator; }
  const RangeMap& first() const noexcept override { return opened_.first; }
  bool has(ByteRange range) const override { return opened_.first.find(range).has_value(); }
  uint64_t bytes_of_round_trip() const override { return distance_of(location_->url()).bytes_of_round_trip(); }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    const ByteRange range{offset, out.size()};
    require_inside(range);
    if (const auto part = opened_.first.find(range)) {
      std::copy(part->begin(), part->end(), out.begin());
    } else {
      const auto bytes = opened_.first.read_ranges(
          {&range, 1}, [this](std::span<const ByteRange> missing) { return get_each(missing); });
      std::copy(bytes[0].begin(), bytes[0].end(), out.begin());
    }
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    for (const ByteRange& range : ranges) require_inside(range);
    return opened_.first.read_ranges(ranges, [this](std::span<const ByteRange> missing) {
      std::vector<Bytes> out(missing.size());
      const auto take = [&](const std::vector<MergedRange>& merged, std::vector<Bytes> bytes) {
        for (std::size_t i = 0; i < merged.size(); ++i) scatter(merged[i], missing, std::move(bytes[i]), out);
      };
      if (const auto parts = parts_of(missing)) {
        if (auto bytes = get_parts(ranges_of(*parts))) {
          take(*parts, std::move(*bytes));
          return out;
        }
        session_->forget_parts(location_->url());
      }
      const auto merged = coalesce(missing, kRemoteCoalesceGap);
      take(merged, get_each(ranges_of(merged)));
      return out;
    });
  }

  ReadCost cost_of(std::span<const ByteRange> ranges) const override {
    const auto missing = opened_.first.missing(ranges);
    const auto parts = parts_of(missing);
    const auto merged = ranges_of(parts ? *parts : coalesce(missing, kRemoteCoalesceGap));
    if (!parts) return {static_cast<int64_t>(merged.size()), size_of(merged)};
    return {static_cast<int64_t>((merged.size() + kMaxRanges - 1) / kMaxRanges),
            size_of(merged) + merged.size() * kUsualHeaders};
  }

 private:
  static std::vector<ByteRange> ranges_of(std::span<const MergedRange> merged) {
    std::vector<ByteRange> out;
    for (const MergedRange& range : merged) out.push_back(range.range);
    return out;
  }

  static uint64_t size_of(std::span<const ByteRange> ranges) {
    uint64_t out = 0;
    for (const ByteRange& range : ranges) out += range.size;
    return out;
  }

  /// The ranges that one request asks for together, of the missing ones, without the gaps between them; nullopt where
  /// each range has a request, which reads small gaps along, and where all are in one request with gaps that are small
  /// altogether.
  std::optional<std::vector<MergedRange>> parts_of(std::span<const ByteRange> missing) const {
    auto merged = coalesce(missing, kRemoteCoalesceGap);
    const uint64_t gaps = size_of(ranges_of(merged)) - size_of(ranges_of(coalesce(missing, 0)));
    if ((merged.size() < 2 && gaps <= kRemoteCoalesceGap) || location_->address().is_s3() ||
        !session_->sends_parts(location_->url()))
      return std::nullopt;
    if (auto parts = coalesce(missing, kPartHeaders); parts.size() <= kMaxRanges) merged = std::move(parts);
    return size_of(ranges_of(merged)) <= kMaxMultipart ? std::optional(std::move(merged)) : std::nullopt;
  }

  /// The bytes of each range, as parts of as few responses as may be; nullopt where the server does not send parts.
  std::optional<std::vector<Bytes>> get_parts(std::span<const ByteRange> ranges) const {
    std::vector<Bytes> out;
    for (std::size_t begin = 0; begin < ranges.size(); begin += kMaxRanges) {
      if (!get_parts(ranges.subspan(begin, std::min(kMaxRanges, ranges.size() - begin)), out)) return std::nullopt;
    }
    return out;
  }

  /// With one request for each range.
  std::vector<Bytes> get_each(std::span<const ByteRange> ranges) const {
    std::vector<RangeRequest> requests;
    for (const ByteRange& range : ranges) {
      requests.push_back({.location = location_.get(),
                          .range = range_header({&range, 1}),
                          .max_body = range.size,
                          .check = [this, range](const HttpResponse& r) { return check_response(r, range); }});
    }
    auto responses = send_requests(*session_, requests);
    std::vector<Bytes> out;
    for (std::size_t i = 0; i < responses.size(); ++i) {
      require_found(responses[i], requests[i]);
      out.push_back(std::move(responses[i].body));
    }
    return out;
  }

  /// With one request for all ranges. False when the server responds with something else than these parts.
  bool get_parts(std::span<const ByteRange> ranges, std::vector<Bytes>& out) const {
    RangeRequest request{.location = location_.get(), .range = range_header(ranges)};
    for (const ByteRange& range : ranges) request.max_body += range.size + kPartHeaders;
    request.check = [this](const HttpResponse& response) {
      return response.status == 206 ? check_version(response).value_or(good()) : good();
    };
    const auto responses = send_requests(*session_, {&request, 1});
    const HttpResponse& response = responses[0];
    require_found(response, request);
    if (response.status != 206 || response.is_too_large) return false;
    const auto parts = parse_parts(response.header("content-type"), response.body);
    if (!parts) return false;
    for (const ByteRange& range : ranges) {
      const auto part =
          std::find_if(parts->begin(), parts->end(), [&](const BodyPart& p) { return p.where.range == range; });
      if (part == parts->end() || part->where.total != opened_.size) return false;
      out.emplace_back(part->bytes.begin(), part->bytes.end());
    }
    return true;
  }

  /// Why the response is not of the version of the file that was opened; nullopt when it is.
  std::optional<ResponseCheck> check_version(const HttpResponse& response) const {
    if (auto fault = check_encoding(response)) return fault;
    const std::string now = validator_of(response);
    if (opened_.validator.empty() || now.empty() || now == opened_.validator) return std::nullopt;
    return wrong("the file changed while it was read (ETag " + in_quotes(now) + "; " + in_quotes(opened_.validator) +
                 " when it was opened)");
  }

  ResponseCheck check_response(const HttpResponse& response, ByteRange expected) const {
    if (auto fault = check_version(response)) return *fault;
    if (response.status == 416) {
      return wrong("HTTP status 416: the file, which had " + std::to_string(opened_.size) +
                   " bytes, has become smaller");
    }
    if (response.status != 206) return again("HTTP status 200 with the whole file, expected 206 with a range");
    const auto range = parse_content_range(response.header("content-range"));
    if (!range) {
      return again("Content-Range is " + in_quotes(response.header("content-range")) +
                   ", expected 'bytes FIRST-LAST/SIZE'");
    }
    if (range->total != opened_.size) {
      return wrong("the file changed while it was read: " + std::to_string(range->total) + " bytes; " +
                   std::to_string(opened_.size) + " when it was opened");
    }
    if (range->range != expected) return other_range(range->range, expected);
    if (response.is_too_large || response.body.size() != expected.size) {
      return again("the response has " + (response.is_too_large ? "more" : std::to_string(response.body.size())) +
                   " bytes, expected " + std::to_string(expected.size));
    }
    return good();
  }

  /// Throws IoError for a file that existed when it was opened and is missing now.
  void require_found(const HttpResponse& response, const RangeRequest& request) const {
    if (response.status < 400 || response.status == 416) return;
    throw IoError("the file no longer exists: HTTP status " + std::to_string(response.status) + " for " + request.range,
                  {.path = name()});
  }

  std::shared_ptr<const HttpSession> session_;
  std::unique_ptr<Location> location_;
  Opened opened_;
};

}  // namespace

bool HttpSession::sends_parts(const std::string& url) const {
  const std::lock_guard lock(mutex_);
  return !without_parts_.contains(origin_of(url));
}

void HttpSession::forget_parts(const std::string& url) const {
  const std::lock_guard lock(mutex_);
  without_parts_.emplace(origin_of(url));
}

std::shared_ptr<Redirect> HttpSession::redirect_of(const std::string& name, bool add) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = redirects_.find(name); found != redirects_.end()) return found->second;
  if (!add) return nullptr;
  if (redirects_.size() >= kMostRedirects) redirects_.clear();
  return redirects_[name] = std::make_shared<Redirect>();
}

std::vector<HttpOpened> open_http_files(std::shared_ptr<const HttpSession> session,
                                        std::span<const RemoteAddress> addresses, std::span<const ReadHint> hints) {
  std::vector<std::unique_ptr<Location>> locations;
  std::vector<RangeRequest> requests;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    locations.push_back(std::make_unique<Location>(addresses[i], *session));
    requests.push_back(first_request(*locations[i], hints[i]));
  }
  auto responses = send_requests(*session, requests);
  std::vector<std::size_t> refused;
  requests.clear();
  for (std::size_t i = 0; i < responses.size(); ++i) {
    if (hints[i].suffix == 0 || !refuses_suffix(responses[i])) continue;
    refused.push_back(i);
    requests.push_back(first_request(*locations[i], {.prefix = hints[i].prefix}));
  }
  if (!refused.empty()) {
    auto others = send_requests(*session, requests);
    for (std::size_t i = 0; i < refused.size(); ++i) responses[refused[i]] = std::move(others[i]);
  }
  std::vector<HttpOpened> out;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    out.push_back({.status = responses[i].status});
    if (out[i].status >= 400 && out[i].status != 416) {
      out[i].why = status_text(responses[i]);
      continue;
    }
    out[i].file = std::make_shared<HttpFile>(session, std::move(locations[i]), opened(std::move(responses[i])));
  }
  return out;
}

}  // namespace tacore::net
