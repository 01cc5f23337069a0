#include "net/http_file.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/log.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "io/coalesce.hpp"
#include "io/vsi_path.hpp"
#include "net/content_range.hpp"
#include "net/http_requests.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

/// Ranges of one request: more bytes than these come faster side by side, and servers refuse more ranges.
constexpr uint64_t kMaxMultipart = 4 * 1024 * 1024;
constexpr std::size_t kMaxRanges = 100;
/// Headers of one part of a multipart answer.
constexpr uint64_t kPartHeaders = 512;

/// What stays the same while a file does: its ETag, else the time of its last change; "" when the server tells neither.
std::string validator_of(const HttpResponse& response) {
  std::string_view tag = response.header("etag");
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return std::string(tag.empty() ? response.header("last-modified") : tag);
}

Verdict good() { return {}; }
Verdict again(std::string why) { return {Verdict::Kind::TryAgain, std::move(why)}; }
Verdict wrong(std::string why) { return {Verdict::Kind::Wrong, std::move(why)}; }

/// Ranges of a compressed form would be of other bytes.
std::optional<Verdict> judge_encoding(const HttpResponse& response) {
  const std::string encoding = lower(response.header("content-encoding"));
  if (encoding.empty() || encoding == "identity") return std::nullopt;
  return wrong("the answer is encoded (" + quoted(encoding) + "); the bytes as they are stored expected");
}

std::string text_of(const ByteRange& range) {
  return std::to_string(range.size) + " bytes at " + std::to_string(range.offset);
}

/// A part of a file that is known already.
struct Piece {
  uint64_t offset = 0;
  Bytes bytes = {};

  bool holds(ByteRange range) const {
    return range.offset >= offset && range.offset - offset <= bytes.size() &&
           range.size <= bytes.size() - (range.offset - offset);
  }
  std::span<const std::byte> part(ByteRange range) const {
    return std::span(bytes).subspan(static_cast<std::size_t>(range.offset - offset),
                                    static_cast<std::size_t>(range.size));
  }
};

/// What the first answer told.
struct Opened {
  uint64_t size = 0;
  std::string validator = {};
  std::string copy_validator = {};
  Piece piece = {};
};

/// Whether a copy of the answer may be kept, which was judged good.
bool may_be_kept(const HttpResponse& response) {
  if (lower(response.header("cache-control")).find("no-store") != std::string::npos) return false;
  return response.status != 200 || response.header("content-length") == std::to_string(response.body.size());
}

/// What of a file is asked for first.
struct FirstRead {
  bool from_end = false;
  uint64_t size = kFirstRead;
};

/// What a reader needs first is at the end of some: the footer of a Parquet file, the directory of a ZIP and what lies
/// before it.
FirstRead first_read(std::string_view name) {
  name = name.substr(0, name.find('?'));  // a URL may be signed
  const bool is_level = names::is_level_file(name.substr(name.rfind('/') + 1));
  return {.from_end = name.ends_with(".parquet") || is_zip_name(name), .size = is_level ? kFirstLevelRead : kFirstRead};
}

/// Whether this answer to a question for the last bytes is of a server, or a proxy, that knows no such ranges: it
/// refuses them, or sends all of a large file.
bool refuses_end(const HttpResponse& response) {
  return response.status == 400 || response.status == 501 || (response.status == 200 && response.is_too_large) ||
         (response.status == 416 && parse_unsatisfied_range(response.header("content-range")) != uint64_t{0});
}

/// The first question to a file, whose answer has its size.
Question first_question(Location& location, FirstRead first) {
  Question out{.location = &location, .max_body = kMaxWhole, .may_be_refused = first.from_end};
  out.range = first.from_end ? "bytes=-" + std::to_string(first.size) : "bytes=0-" + std::to_string(first.size - 1);
  out.judge = [first](const HttpResponse& response) {
    if (first.from_end && refuses_end(response)) return good();
    if (auto verdict = judge_encoding(response)) return *verdict;
    if (response.is_too_large) {
      return wrong("the server does not send ranges but the whole file, which has more than " +
                   std::to_string(kMaxWhole >> 20) + " MiB");
    }
    if (response.status == 200) return good();
    if (response.status == 416) {
      return parse_unsatisfied_range(response.header("content-range")) == uint64_t{0}
                 ? good()
                 : wrong("HTTP status 416 for the first bytes; 206 expected");
    }
    const auto range = parse_content_range(response.header("content-range"));
    if (!range) {
      return again("Content-Range " + quoted(response.header("content-range")) + "; `bytes FIRST-LAST/SIZE` expected");
    }
    const uint64_t size = std::min(range->total, first.size);
    const ByteRange expected{first.from_end ? range->total - size : 0, size};
    if (range->range != expected) return again(text_of(range->range) + " came; " + text_of(expected) + " expected");
    if (response.body.size() != expected.size) {
      return again("a body of " + std::to_string(response.body.size()) + " bytes; " + std::to_string(expected.size) +
                   " expected");
    }
    return good();
  };
  return out;
}

Opened opened(HttpResponse response) {
  Opened out{.validator = validator_of(response)};
  if (may_be_kept(response)) out.copy_validator = out.validator;
  if (response.status == 206) {
    const auto range = parse_content_range(response.header("content-range"));
    out.size = range->total;
    out.piece.offset = range->range.offset;
  } else {
    out.size = response.body.size();  // 416: none
  }
  if (response.status != 416) out.piece.bytes = std::move(response.body);
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
  uint64_t first_offset() const noexcept override { return opened_.piece.offset; }
  std::span<const std::byte> first_bytes() const noexcept override { return opened_.piece.bytes; }
  bool has(ByteRange range) const override { return opened_.piece.holds(range); }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    const ByteRange range{offset, out.size()};
    require_inside(range);
    if (out.empty()) return;
    if (opened_.piece.holds(range)) {
      const auto part = opened_.piece.part(range);
      std::copy(part.begin(), part.end(), out.begin());
      return;
    }
    const auto pieces = get({&range, 1});
    std::copy(pieces[0].bytes.begin(), pieces[0].bytes.end(), out.begin());
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    std::vector<Bytes> out(ranges.size());
    std::vector<ByteRange> missing;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      require_inside(ranges[i]);
      if (!opened_.piece.holds(ranges[i])) {
        missing.push_back(ranges[i]);
      } else if (const auto part = opened_.piece.part(ranges[i]); !part.empty()) {
        out[i].assign(part.begin(), part.end());
      }
    }
    std::vector<ByteRange> merged;
    for (const MergedRange& range : coalesce(missing, kRemoteCoalesceGap)) merged.push_back(range.range);
    std::vector<Piece> pieces = get(merged);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (!out[i].empty() || ranges[i].size == 0) continue;
      const auto piece = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.holds(ranges[i]); });
      if (merged.size() == ranges.size()) {
        out[i] = std::move(piece->bytes);  // nothing was merged, and each is wanted once
      } else {
        const auto part = piece->part(ranges[i]);
        out[i].assign(part.begin(), part.end());
      }
    }
    return out;
  }

 private:
  /// Each of these, which lie apart, whole.
  std::vector<Piece> get(std::span<const ByteRange> ranges) const {
    std::vector<Piece> out;
    uint64_t total = 0;
    for (const ByteRange& range : ranges) total += range.size;
    if (ranges.size() > 1 && total <= kMaxMultipart && !location_->address().is_s3() && session_->sends_parts()) {
      for (std::size_t begin = 0; begin < ranges.size(); begin += kMaxRanges) {
        if (!get_parts(ranges.subspan(begin, std::min(kMaxRanges, ranges.size() - begin)), out)) {
          session_->forget_parts();
          return get_each(ranges);
        }
      }
      return out;
    }
    return get_each(ranges);
  }

  /// One request for each.
  std::vector<Piece> get_each(std::span<const ByteRange> ranges) const {
    std::vector<Question> questions;
    for (const ByteRange& range : ranges) {
      questions.push_back({.location = location_.get(),
                           .range = range_header({&range, 1}),
                           .max_body = range.size,
                           .judge = [this, range](const HttpResponse& r) { return judge(r, range); }});
    }
    auto responses = ask(*session_, questions);
    std::vector<Piece> out;
    for (std::size_t i = 0; i < responses.size(); ++i) {
      require_found(responses[i], questions[i]);
      out.push_back({ranges[i].offset, std::move(responses[i].body)});
    }
    return out;
  }

  /// All in one request. False when the server answers with something else than these parts.
  bool get_parts(std::span<const ByteRange> ranges, std::vector<Piece>& out) const {
    Question question{.location = location_.get(), .range = range_header(ranges)};
    for (const ByteRange& range : ranges) question.max_body += range.size + kPartHeaders;
    question.judge = [this](const HttpResponse& response) {
      return response.status == 206 ? judge_version(response).value_or(good()) : good();
    };
    auto responses = ask(*session_, {&question, 1});
    const HttpResponse& response = responses[0];
    require_found(response, question);
    if (response.status != 206 || response.is_too_large) return false;
    const auto parts = parse_parts(response.header("content-type"), response.body);
    if (!parts) return false;
    for (const ByteRange& range : ranges) {
      const auto part =
          std::find_if(parts->begin(), parts->end(), [&](const BodyPart& p) { return p.where.range == range; });
      if (part == parts->end() || part->where.total != opened_.size) return false;
      out.push_back({range.offset, Bytes(part->bytes.begin(), part->bytes.end())});
    }
    return true;
  }

  /// Whether the answer is of the file that was opened.
  std::optional<Verdict> judge_version(const HttpResponse& response) const {
    if (auto verdict = judge_encoding(response)) return verdict;
    const std::string now = validator_of(response);
    if (opened_.validator.empty() || now.empty() || now == opened_.validator) return std::nullopt;
    return wrong("the file changed while it was read (ETag " + quoted(now) + "; " + quoted(opened_.validator) +
                 " when it was opened)");
  }

  Verdict judge(const HttpResponse& response, ByteRange expected) const {
    if (auto verdict = judge_version(response)) return *verdict;
    if (response.status == 416) {
      return wrong("HTTP status 416: the file, which had " + std::to_string(opened_.size) +
                   " bytes, has become smaller");
    }
    if (response.status != 206) return again("HTTP status 200, and so the whole file; 206 expected");
    const auto range = parse_content_range(response.header("content-range"));
    if (!range) {
      return again("Content-Range " + quoted(response.header("content-range")) + "; `bytes FIRST-LAST/SIZE` expected");
    }
    if (range->total != opened_.size) {
      return wrong("the file changed while it was read: " + std::to_string(range->total) + " bytes; " +
                   std::to_string(opened_.size) + " when it was opened");
    }
    if (range->range != expected) return again(text_of(range->range) + " came; " + text_of(expected) + " expected");
    if (response.is_too_large || response.body.size() != expected.size) {
      return again("a body of " + (response.is_too_large ? "more" : std::to_string(response.body.size())) + " bytes; " +
                   std::to_string(expected.size) + " expected");
    }
    return good();
  }

  /// What was there when it was opened.
  void require_found(const HttpResponse& response, const Question& question) const {
    if (response.status < 400 || response.status == 416) return;
    throw IoError("the file is gone: HTTP status " + std::to_string(response.status) + " for " + question.range,
                  {.path = name()});
  }

  std::shared_ptr<const HttpSession> session_;
  std::unique_ptr<Location> location_;
  Opened opened_;
};

}  // namespace

std::vector<HttpOpened> open_http_files(std::shared_ptr<const HttpSession> session,
                                        std::span<const RemoteAddress> addresses) {
  std::vector<std::unique_ptr<Location>> locations;
  std::vector<Question> questions;
  std::vector<FirstRead> first;
  for (const RemoteAddress& address : addresses) {
    locations.push_back(std::make_unique<Location>(address));
    first.push_back(first_read(address.name));
    questions.push_back(first_question(*locations.back(), first.back()));
  }
  auto responses = ask(*session, questions);
  std::vector<std::size_t> refused;
  questions.clear();
  for (std::size_t i = 0; i < responses.size(); ++i) {
    if (!first[i].from_end || !refuses_end(responses[i])) continue;
    refused.push_back(i);
    questions.push_back(first_question(*locations[i], {}));
  }
  if (!refused.empty()) {
    auto others = ask(*session, questions);
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
