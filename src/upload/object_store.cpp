#include "upload/object_store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "io/output_file.hpp"
#include "net/http_requests.hpp"
#include "net/pace.hpp"
#include "net/remote_address.hpp"
#include "tacore/error.hpp"

namespace tacore::upload {
namespace {

/// Bytes that are hashed at a time.
constexpr uint64_t kHashed = 1 << 20;

/// The bytes of a part of a file, piece by piece.
auto pieces_of(const ByteSource& source, ByteRange range) {
  return [&source, range]() mutable -> std::span<const std::byte> {
    const auto bytes = scratch(static_cast<std::size_t>(std::min(range.size, kHashed)));
    if (!bytes.empty()) source.read(range.offset, bytes);
    range.offset += bytes.size();
    range.size -= bytes.size();
    return bytes;
  };
}

/// Time of the last change of a file, in nanoseconds since 1970.
int64_t time_of_change(const std::string& path, uint64_t size) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) throw IoError("cannot stat", {.path = path}, errno);
  if (static_cast<uint64_t>(found.st_size) != size) {
    throw IoError("the file changed while it was uploaded: it has " + std::to_string(found.st_size) + " bytes, " +
                      std::to_string(size) + " expected; run the command again",
                  {.path = path});
  }
  return int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec;
}

}  // namespace

Upload upload_of(std::string key, const std::string& path) {
  const auto source = local_storage()->open(path);
  Upload out{.key = std::move(key), .path = path, .size = source->size()};
  out.changed = time_of_change(path, out.size);
  out.sha256 = sha256_of(*source, {0, out.size});
  require_unchanged(out);
  return out;
}

std::shared_ptr<const ByteSource> open(const Upload& upload) {
  auto out = local_storage()->open(upload.path);
  require_unchanged(upload);
  return out;
}

void require_unchanged(const Upload& upload) {
  if (time_of_change(upload.path, upload.size) == upload.changed) return;
  throw IoError("the file changed while it was uploaded; run the command again", {.path = upload.path});
}

net::HttpSession session_of(const RemoteOptions& remote) {
  const std::string& budget = remote.max_requests_per;
  return {kUploadsInFlight, remote.timeout, remote.max_tries,
          budget.empty() ? net::RequestBudget() : net::parse_budget(budget)};
}

Sha256 sha256_of(const ByteSource& source, ByteRange range) { return sha256(pieces_of(source, range)); }

std::string digest_of(const char* algorithm, const std::string& head, const ByteSource& source, ByteRange range) {
  auto rest = pieces_of(source, range);
  std::span<const std::byte> first = bytes_of(head);
  return hex_digest(algorithm, [&] { return first.empty() ? rest() : std::exchange(first, {}); });
}

std::unique_ptr<ObjectStore> open_store(const std::string& root, const RemoteOptions& remote,
                                        const StoreOptions& options) {
  const RemoteOptions completed = net::with_environment(remote);
  if (root.starts_with("s3://")) return open_s3(root, completed, options);
  if (root.starts_with("hf://")) return open_hub(root, completed, options);
  throw IoError("nothing can be uploaded to this URL, expected s3://BUCKET/PREFIX or hf://datasets/OWNER/NAME",
                {.path = root});
}

net::HttpResponse send(const net::HttpSession& session, const std::string& name,
                       const std::function<net::HttpRequest()>& make) {
  for (net::Tries tries(session.max_tries);;) {
    net::HttpRequest request = make();
    net::Pace& pace = net::pace_of(request.url, session.budget);
    while (const auto later = pace.take()) {
      net::wait_until(*later);
      request = make();  // a signature is valid for some minutes only
    }
    net::HttpResponse response;
    try {
      response = std::move(session.client.send({&request, 1})[0]);
    } catch (...) {
      pace.forget();
      throw;
    }
    const double pause = pace.learn(response);
    if (const auto why = net::why_not_waited(response, pause); !why.empty())
      throw IoError(request.method + ": " + why, {.path = name});
    if (pause > 0 && tries.after_pause()) continue;  // take() waits
    if (response.failure.empty() && !net::may_pass(response.status)) return response;
    const std::string why = response.failure.empty() ? net::status_text(response) : response.failure;
    const auto next = tries.after_failure();
    if (!next) {
      const std::string count = tries.count() > 1 ? " (" + std::to_string(tries.count()) + " tries)" : "";
      throw IoError(request.method + ": " + why + count, {.path = name});
    }
    log::info(name + ": " + request.method + ": " + why + "; trying again");
    net::wait_until(*next);
  }
}

void require_success(const net::HttpResponse& response, const std::string& method, const std::string& name) {
  if (response.status >= 200 && response.status < 300) return;
  const int number = response.status == 401 || response.status == 403 ? EACCES : 0;
  throw IoError(method + ": " + net::status_text(response), {.path = name}, number);
}

std::string checked_url(const std::string& from, const std::string& to, const std::string& name) {
  const auto refuse = [&](const char* why) {
    throw IoError("the store names the URL " + in_quotes(to.substr(0, to.find('?'))) + " for the upload, " + why,
                  {.path = name});
  };
  if (!to.starts_with("http://") && !to.starts_with("https://")) refuse("which is not an http or https URL");
  if (from.starts_with("https:") && !to.starts_with("https:")) refuse("which is not encrypted");
  return to;
}

bool is_same_origin(std::string_view a, std::string_view b) { return net::origin_of(a) == net::origin_of(b); }

}  // namespace tacore::upload
