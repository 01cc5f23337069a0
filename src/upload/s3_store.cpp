#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "io/memory_source.hpp"
#include "net/http_requests.hpp"
#include "net/remote_address.hpp"
#include "tacore/error.hpp"
#include "upload/object_store.hpp"
#include "upload/s3_requests.hpp"

namespace tacore::upload {
namespace {

/// Larger files are sent in parts of this size, or of a larger one where there would be too many.
constexpr uint64_t kLeastPart = 16 << 20;
constexpr uint64_t kMostParts = 10'000;
/// The header with the SHA-256 of a whole object: that of S3 is one of the hashes of its parts.
constexpr const char* kHashHeader = "x-amz-meta-sha256";
constexpr const char* kChecksumHeader = "x-amz-checksum-sha256";

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

const char* media_type_of(const std::string& key) {
  constexpr std::pair<std::string_view, const char*> kTypes[] = {
      {".html", "text/html; charset=utf-8"}, {".md", "text/markdown; charset=utf-8"},
      {".json", "application/json"},         {".parquet", "application/vnd.apache.parquet"},
      {".zip", "application/zip"},           {".tacozip", "application/zip"}};
  for (const auto& [ending, type] : kTypes) {
    if (key.ends_with(ending)) return type;
  }
  return key.find('.') == key.npos ? "text/plain; charset=utf-8" : "application/octet-stream";
}

std::vector<ByteRange> parts_of(uint64_t size) {
  constexpr uint64_t kUnit = 1 << 20;
  const uint64_t least = (size + kMostParts - 1) / kMostParts;
  const uint64_t part = std::max(kLeastPart, (least + kUnit - 1) / kUnit * kUnit);
  std::vector<ByteRange> out;
  for (uint64_t at = 0; at < size; at += part) out.push_back({at, std::min(part, size - at)});
  return out;
}

/// An unfinished upload of several parts, as the store lists it.
struct Unfinished {
  std::string key = {};
  std::string id = {};
};

/// A part that the store has.
struct Part {
  std::string tag = {};       ///< ETag, as the store writes it
  std::string checksum = {};  ///< SHA-256 in base64
};

class S3Store final : public ObjectStore {
 public:
  S3Store(const std::string& root, const RemoteOptions& remote, const StoreOptions& options)
      : root_(root.ends_with('/') ? root : root + "/"),
        remote_(remote),
        session_(session_of(remote)),
        discard_unfinished_(options.discard_unfinished) {
    if (remote.is_anonymous || remote.access_key_id.empty()) {
      throw IoError("uploads need an access key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
                    {.path = root});
    }
    const auto region = std::make_shared<net::Region>(remote.region.empty() ? "us-east-1" : remote.region);
    bucket_ = net::address_of(root_ + "x", remote_, region);
    bucket_.key.pop_back();
    prefix_ = std::exchange(bucket_.key, {});
  }

  std::vector<bool> find(std::span<const Upload> files) override {
    require_bucket();
    if (std::exchange(discard_unfinished_, false)) {
      for (const Unfinished& each : unfinished("")) abort(each);
    }
    std::vector<char> found(files.size());  // vector<bool> may not be written by several threads
    run_parallel(files.size(), kUploadsInFlight,
                 [&](std::size_t i) { found[i] = is_stored(files[i]).value_or(false); });
    return {found.begin(), found.end()};
  }

  void put(std::span<const Upload> files, const Tell& tell) override {
    std::mutex mutex;
    const Tell tell_one = [&](uint64_t num_bytes, bool was_sent) {
      const std::lock_guard lock(mutex);
      tell(num_bytes, was_sent);
    };
    std::vector<const Upload*> small;
    for (const Upload& file : files) {
      if (file.size <= kLeastPart) small.push_back(&file);
    }
    run_parallel(small.size(), kUploadsInFlight, [&](std::size_t i) {
      put_whole(*small[i]);
      tell_one(small[i]->size, true);
    });
    for (const Upload& file : files) {
      if (file.size > kLeastPart) put_parts(file, tell_one, true);
    }
  }

  void finish(const std::string&) override {}

 private:
  std::string url_of(const std::string& key) const { return root_ + key; }

  net::HttpResponse ask(const std::string& key, const S3Request& request) const {
    net::RemoteAddress address = bucket_;
    address.key = prefix_ + key;
    return ask_s3(session_, address, url_of(key), request);
  }

  /// Throws IoError when the bucket or the access key does not exist, or the secret is wrong.
  void require_bucket() const {
    const auto response = ask_s3(session_, bucket_, root_,
                                 {.query = "?list-type=2&max-keys=1&prefix=" + percent_encoded(prefix_, false)});
    // A key that may write need not be allowed to list.
    if (response.status == 403 && xml_text(body_text(response), "Code") == "AccessDenied") return;
    require_stored(response, "GET", root_);
  }

  /// Whether the store has this file; nullopt where this key may not find out.
  std::optional<bool> is_stored(const Upload& file) const {
    const auto response = ask(file.key, {.method = "HEAD", .headers = {{"x-amz-checksum-mode", "ENABLED"}}});
    if (response.status == 403) return std::nullopt;
    if (response.status == 404) return false;
    require_success(response, "HEAD", url_of(file.key));
    return response.header("content-length") == std::to_string(file.size) &&
           (response.header(kHashHeader) == hex(file.sha256) ||
            response.header(kChecksumHeader) == base64(file.sha256));
  }

  static void require_checksum(const net::HttpResponse& response, const std::string& expected,
                               const std::string& name) {
    const auto found = response.header(kChecksumHeader);
    if (found.empty() || found == expected) return;
    throw IoError("the store received other bytes: their SHA-256 is " + in_quotes(found) + ", expected " + expected,
                  {.path = name});
  }

  void put_whole(const Upload& file) const {
    const std::string name = url_of(file.key), checksum = base64(file.sha256);
    const auto response = ask(file.key, {.method = "PUT",
                                         .headers = {{"Content-Type", media_type_of(file.key)},
                                                     {kHashHeader, hex(file.sha256)},
                                                     {"x-amz-sdk-checksum-algorithm", "SHA256"},
                                                     {kChecksumHeader, checksum}},
                                         .body = open(file),
                                         .hash = file.sha256});
    require_unchanged(file);  // else the store refuses the hash, which explains less
    require_stored(response, "PUT", name);
    require_checksum(response, checksum, name);
  }

  void put_parts(const Upload& file, const Tell& tell, bool may_continue) const {
    const std::string name = url_of(file.key);
    const auto source = open(file);
    const std::vector<ByteRange> ranges = parts_of(file.size);
    std::vector<Part> parts(ranges.size());
    run_parallel(ranges.size(), kUploadsInFlight,
                 [&](std::size_t i) { parts[i].checksum = base64(sha256_of(*source, ranges[i])); });
    require_unchanged(file);  // the hashes of the parts are those of the hashed file
    std::string id = may_continue ? continued(file, *source, ranges, parts) : "";
    const bool is_continued = !id.empty();
    if (!is_continued) id = begin(file);
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].tag.empty()) missing.push_back(i);
      else tell(ranges[i].size, false);
    }
    run_parallel(missing.size(), kUploadsInFlight, [&](std::size_t i) {
      const std::size_t number = missing[i];
      Part& part = parts[number];
      const auto response =
          ask(file.key, {.method = "PUT",
                         .query = "?partNumber=" + std::to_string(number + 1) + "&uploadId=" + id,
                         .headers = {{"x-amz-sdk-checksum-algorithm", "SHA256"}, {kChecksumHeader, part.checksum}},
                         .body = slice(source, ranges[number]),
                         .hash = sha256_of(*source, ranges[number])});
      require_unchanged(file);
      const std::string what = "PUT of part " + std::to_string(number + 1);
      require_stored(response, what, name);
      require_checksum(response, part.checksum, name);
      part.tag = response.header("etag");
      if (part.tag.empty()) throw IoError(what + ": the response has no ETag", {.path = name});
      tell(ranges[number].size, true);
    });
    complete(file, id, parts);
    if (is_stored(file).value_or(true)) return;
    // The upload that was continued was begun for another version of the file, which had the same parts.
    if (is_continued) return put_parts(file, tell, false);
    throw IoError("the store has other bytes than were uploaded: the size or the SHA-256 differs", {.path = name});
  }

  /// The id of a new upload of several parts, percent-encoded.
  std::string begin(const Upload& file) const {
    const auto response = ask(file.key, {.method = "POST",
                                         .query = "?uploads=",
                                         .headers = {{"Content-Type", media_type_of(file.key)},
                                                     {kHashHeader, hex(file.sha256)},
                                                     {"x-amz-checksum-algorithm", "SHA256"}},
                                         .body = memory_source("", {})});
    require_stored(response, "POST", url_of(file.key));
    const std::string id = xml_text(body_text(response), "UploadId");
    if (id.empty()) throw IoError("POST: the response has no UploadId", {.path = url_of(file.key)});
    return percent_encoded(id, false);
  }

  /// The id of an unfinished upload of these bytes, percent-encoded, with the ETags of the parts that the store has. ""
  /// if there is none.
  std::string continued(const Upload& file, const ByteSource& source, const std::vector<ByteRange>& ranges,
                        std::vector<Part>& parts) const {
    for (const Unfinished& each : unfinished(file.key)) {
      if (each.key != file.key) continue;
      const std::string id = percent_encoded(each.id, false);
      std::vector<Part> found = parts;
      if (has_same_parts(file, source, id, ranges, found)) {
        parts = std::move(found);
        return id;
      }
      log::warning(url_of(file.key) + ": has an unfinished upload of other bytes; --discard-unfinished ends it");
    }
    return {};
  }

  /// Takes the ETags of the listed parts. False when one of them has other bytes.
  bool has_same_parts(const Upload& file, const ByteSource& source, const std::string& id,
                      const std::vector<ByteRange>& ranges, std::vector<Part>& parts) const {
    for (std::string marker;;) {
      const auto response = ask(file.key, {.query = (marker.empty() ? "?" : "?part-number-marker=" + marker + "&") +
                                                    std::string("uploadId=") + id});
      require_stored(response, "GET", url_of(file.key));
      const std::string_view body = body_text(response);
      for (const std::string_view each : xml_elements(body, "Part")) {
        const auto number = std::strtoull(xml_text(each, "PartNumber").c_str(), nullptr, 10);
        if (number < 1 || number > ranges.size()) return false;
        Part& part = parts[number - 1];
        const ByteRange range = ranges[number - 1];
        if (xml_text(each, "Size") != std::to_string(range.size)) return false;
        const std::string tag = xml_text(each, "ETag"), checksum = xml_text(each, "ChecksumSHA256");
        // Where the store keeps no SHA-256, the ETag of a part is its MD5.
        const bool is_same =
            checksum.empty() ? tag == "\"" + digest_of("MD5", "", source, range) + "\"" : checksum == part.checksum;
        if (!is_same) return false;
        part.tag = tag;
      }
      marker = xml_text(body, "NextPartNumberMarker");
      if (xml_text(body, "IsTruncated") != "true" || marker.empty()) return true;
    }
  }

  void complete(const Upload& file, const std::string& id, const std::vector<Part>& parts) const {
    std::string text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">", hashes;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      text += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + xml_escaped(parts[i].tag) +
              "</ETag><ChecksumSHA256>" + parts[i].checksum + "</ChecksumSHA256></Part>";
    }
    text += "</CompleteMultipartUpload>";
    const auto bytes = bytes_of(text);
    const auto response = ask(file.key, {.method = "POST",
                                         .query = "?uploadId=" + id,
                                         .headers = {{"Content-Type", "application/xml"}},
                                         .body = memory_source("", {bytes.begin(), bytes.end()}),
                                         .hash = sha256(bytes)});
    // The response of an earlier try may have been lost.
    if (response.status == 404 && is_stored(file).value_or(false)) return;
    require_stored(response, "POST", url_of(file.key));
  }

  /// The unfinished uploads of keys that begin with `begin`; none where the access key may not list them.
  std::vector<Unfinished> unfinished(const std::string& begin) const {
    std::vector<Unfinished> out;
    for (std::string marker;;) {
      const std::string query =
          "?encoding-type=url" + marker + "&prefix=" + percent_encoded(prefix_ + begin, false) + "&uploads=";
      const auto response = ask_s3(session_, bucket_, root_, {.query = query});
      if (response.status == 403) {
        log::info(root_ + ": unfinished uploads cannot be listed, so none is continued");
        return out;
      }
      require_stored(response, "GET", root_);
      const std::string_view body = body_text(response);
      for (const std::string_view each : xml_elements(body, "Upload")) {
        const std::string key = key_in(xml_text(each, "Key"), body);
        if (key.starts_with(prefix_)) out.push_back({key.substr(prefix_.size()), xml_text(each, "UploadId")});
      }
      const std::string next = key_in(xml_text(body, "NextKeyMarker"), body);
      if (xml_text(body, "IsTruncated") != "true" || next.empty()) return out;
      marker = "&key-marker=" + percent_encoded(next, false) +
               "&upload-id-marker=" + percent_encoded(xml_text(body, "NextUploadIdMarker"), false);
    }
  }

  void abort(const Unfinished& upload) const {
    const auto response =
        ask(upload.key, {.method = "DELETE", .query = "?uploadId=" + percent_encoded(upload.id, false)});
    if (response.status != 404) require_stored(response, "DELETE", url_of(upload.key));
    log::info(url_of(upload.key) + ": an unfinished upload was ended");
  }

  const std::string root_;  ///< with a final slash
  const RemoteOptions remote_;
  const net::HttpSession session_;
  bool discard_unfinished_;
  net::RemoteAddress bucket_ = {};  ///< without a key
  std::string prefix_ = {};         ///< of all keys; "" or with a final slash
};

}  // namespace

std::unique_ptr<ObjectStore> open_s3(const std::string& root, const RemoteOptions& remote,
                                     const StoreOptions& options) {
  return std::make_unique<S3Store>(root, remote, options);
}

}  // namespace tacore::upload
