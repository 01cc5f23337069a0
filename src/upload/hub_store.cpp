#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "io/memory_source.hpp"
#include "io/vsi_path.hpp"
#include "model/json_node.hpp"
#include "net/http_requests.hpp"
#include "net/remote_address.hpp"
#include "tacore/error.hpp"
#include "upload/object_store.hpp"

namespace tacore::upload {
namespace {

using Json = nlohmann::json;

constexpr const char* kJsonType = "application/json";
/// Media type of the batch requests of Git LFS.
constexpr const char* kLfsType = "application/vnd.git-lfs+json";
/// Most files of a request that asks how they are uploaded, and most bytes of files whose upload URLs are asked for
/// together: the URLs expire.
constexpr std::size_t kMostFiles = 256;
constexpr uint64_t kMostBytes = uint64_t{16} << 30;

/// How the Hub keeps a file.
struct Kept {
  bool is_large = false;  ///< with Git LFS, else in the commit itself
  bool is_ignored = false;
  bool is_there = false;
};

/// A file, or a part of one, that is sent to a URL of its own.
struct Piece {
  std::size_t file = 0;
  std::size_t number = 0;
  ByteRange range = {};
  std::string url = {};
};

/// What the Hub says about the upload of a large file.
struct LargeFile {
  const Upload* upload = nullptr;
  std::string url = {};           ///< of the file, or for the end of an upload of several parts
  net::HttpHeaders headers = {};  ///< of the file
  bool has_parts = false;
  std::vector<std::string> tags = {};  ///< ETags of the parts
  std::string verify_url = {};         ///< "": is not verified
};

class HubStore final : public ObjectStore {
 public:
  HubStore(const std::string& root, const RemoteOptions& remote, const StoreOptions& options)
      : root_(root),
        endpoint_(net::hub_endpoint()),
        token_(remote.token),
        session_(session_of(remote)),
        create_(options.create) {
    std::vector<std::string> parts = split(std::string_view(root).substr(std::string_view("hf://").size()), '/');
    while (!parts.empty() && parts.back().empty()) parts.pop_back();
    const bool is_right = parts.size() >= 3 && parts[0] == "datasets" &&
                          std::ranges::none_of(parts, [](const std::string& part) { return part.empty(); });
    if (!is_right)
      throw IoError("expected hf://datasets/OWNER/NAME, with @REVISION and /FOLDER if wanted", {.path = root});
    if (const auto at = parts[2].find('@'); at != parts[2].npos) {
      revision_ = parts[2].substr(at + 1);
      parts[2].resize(at);
    }
    owner_ = parts[1];
    name_ = parts[2];
    repository_ = percent_encoded(owner_, false) + "/" + percent_encoded(name_, false);
    for (std::size_t i = 3; i < parts.size(); ++i) folder_ += parts[i] + "/";
    if (token_.empty() || remote.is_anonymous) {
      throw IoError("uploads need a token with the permission to write: set HF_TOKEN, or use --token-file FILE",
                    {.path = root});
    }
  }

  std::vector<bool> find(std::span<const Upload> files) override {
    find_repository();
    if (is_missing_) return std::vector<bool>(files.size());
    std::vector<bool> out;
    ask_modes(files);
    for (const Upload& file : files) out.push_back(kept_.at(file.key).is_there);
    return out;
  }

  void put(std::span<const Upload> files, const Tell& tell) override {
    if (std::exchange(is_missing_, false)) make_repository();
    ask_modes(files);
    std::vector<const Upload*> large;
    uint64_t num_bytes = 0;
    for (const Upload& file : files) {
      const Kept& kept = kept_.at(file.key);
      if (kept.is_ignored)
        throw IoError("the .gitignore of the repository leaves this file out", {.path = url_of(file)});
      committed_.push_back(file);
      if (!kept.is_large) continue;
      if (large.size() == kMostFiles || num_bytes + file.size > kMostBytes) {
        put_large(large, tell);
        large.clear();
        num_bytes = 0;
      }
      large.push_back(&file);
      num_bytes += file.size;
    }
    if (!large.empty()) put_large(large, tell);
    for (const Upload& file : files) {
      if (!kept_.at(file.key).is_large) tell(file.size, true);
    }
  }

  void finish(const std::string& message) override {
    if (committed_.empty()) return;
    std::string lines = Json{{"key", "header"}, {"value", {{"summary", message}, {"description", ""}}}}.dump() + "\n";
    for (const Upload& file : committed_) {
      require_unchanged(file);
      const bool is_large = kept_.at(file.key).is_large;
      Json value = {{"path", folder_ + file.key}};
      if (is_large) {
        value.update({{"algo", "sha256"}, {"oid", hex(file.sha256)}, {"size", file.size}});
      } else {
        value.update({{"content", base64(open(file)->read_all())}, {"encoding", "base64"}});
      }
      lines += Json{{"key", is_large ? "lfsFile" : "file"}, {"value", value}}.dump() + "\n";
    }
    post(api("commit"), lines, "application/x-ndjson", root_);
    committed_.clear();
  }

 private:
  std::string url_of(const Upload& file) const { return path_join(root_, file.key); }
  std::string api(const std::string& what) const {
    return endpoint_ + "/api/datasets/" + repository_ + "/" + what + "/" + percent_encoded(revision_, false);
  }

  /// Headers of a request to `url`: only the Hub itself gets the token.
  net::HttpHeaders headers_for(const std::string& url, const char* type) const {
    net::HttpHeaders out;
    if (type != nullptr) out.emplace_back("Content-Type", type);
    if (type == kLfsType) out.emplace_back("Accept", type);
    if (is_same_origin(url, endpoint_)) out.emplace_back("Authorization", "Bearer " + token_);
    return out;
  }

  net::HttpResponse ask(const std::string& method, const std::string& url, const char* type, const std::string& text,
                        const std::string& name) const {
    const auto bytes = bytes_of(text);
    const auto body = method == "GET" ? nullptr : memory_source(name, {bytes.begin(), bytes.end()});
    return send(session_, name, [&] {
      return net::HttpRequest{url, headers_for(url, type), kMaxStoreResponse, method, body};
    });
  }

  /// The JSON of the response; null for a response without a body.
  Json post(const std::string& url, const std::string& text, const char* type, const std::string& name) const {
    const auto response = ask("POST", url, type, text, name);
    require_success(response, "POST", name);
    const std::string_view body(reinterpret_cast<const char*>(response.body.data()), response.body.size());
    return trimmed(body).empty() ? Json() : parse_json(body, name);
  }

  void find_repository() {
    const auto response = ask("GET", endpoint_ + "/api/datasets/" + repository_, nullptr, "", root_);
    if (response.status != 404) return require_success(response, "GET", root_);
    is_missing_ = create_;
    if (!create_) {
      throw IoError("the Hub has no such dataset, or this token may not see it; --create makes it", {.path = root_});
    }
  }

  void make_repository() const {
    const Json what = {{"name", name_}, {"organization", owner_}, {"type", "dataset"}};
    const auto response = ask("POST", endpoint_ + "/api/repos/create", kJsonType, what.dump(), root_);
    if (response.status != 409) require_success(response, "POST", root_);  // another process was faster
  }

  /// Asks how the Hub keeps the files, and which it has already, unless that is known.
  void ask_modes(std::span<const Upload> files) {
    std::vector<const Upload*> unknown;
    for (const Upload& file : files) {
      if (!kept_.contains(file.key)) unknown.push_back(&file);
      if (unknown.size() == kMostFiles) ask_some(std::exchange(unknown, {}));
    }
    if (!unknown.empty()) ask_some(unknown);
  }

  void ask_some(const std::vector<const Upload*>& files) {
    Json list = Json::array();
    for (const Upload* each : files) {
      const Upload& file = *each;
      const auto sample = open(file)->read({0, std::min<uint64_t>(512, file.size)});
      list.push_back({{"path", folder_ + file.key}, {"sample", base64(sample)}, {"size", file.size}});
    }
    const Json answer = post(api("preupload"), Json{{"files", list}}.dump(), kJsonType, root_);
    std::map<std::string, JsonNode> found;
    for (const JsonNode& each : JsonNode(answer, root_, "")["files"].elements()) {
      found.insert_or_assign(each["path"].text(), each);
    }
    for (const Upload* asked : files) {
      const Upload& file = *asked;
      const auto at = found.find(folder_ + file.key);
      if (at == found.end()) throw IoError("the Hub does not say how this file is uploaded", {.path = url_of(file)});
      const JsonNode& each = at->second;
      Kept kept{.is_large = each["uploadMode"].text() == "lfs", .is_ignored = each["shouldIgnore"].value() == true};
      if (file.size == 0) kept.is_large = false;  // the Hub has no large files without bytes
      const std::string id = each["oid"].text_or_empty();
      const uint64_t size = file.size;
      kept.is_there = !id.empty() && id == (kept.is_large ? hex(file.sha256)
                                                          : digest_of("SHA1", "blob " + std::to_string(size) + '\0',
                                                                      *open(file), {0, size}));
      kept_[file.key] = kept;
    }
  }

  /// Sends large files whose URLs are asked for together.
  void put_large(std::span<const Upload* const> uploads, const Tell& tell) const {
    std::map<std::string, const Upload*> waiting;
    Json objects = Json::array();
    for (const Upload* upload : uploads) {
      const bool is_new = waiting.emplace(hex(upload->sha256), upload).second;
      if (is_new) objects.push_back({{"oid", hex(upload->sha256)}, {"size", upload->size}});
      else tell(upload->size, false);
    }
    const Json request = {{"operation", "upload"},
                          {"transfers", {"basic", "multipart"}},
                          {"objects", objects},
                          {"hash_algo", "sha256"},
                          {"ref", {{"name", revision_}}}};
    const Json answer =
        post(endpoint_ + "/datasets/" + repository_ + ".git/info/lfs/objects/batch", request.dump(), kLfsType, root_);
    const JsonNode batch(answer, root_, "");
    const std::string transfer = batch["transfer"].text_or_empty();
    if (!transfer.empty() && transfer != "basic" && transfer != "multipart") {
      throw IoError("the Hub takes large files of this repository by " + in_quotes(transfer) +
                        " only, which tacore does not have; upload the folder with `hf upload-large-folder`",
                    {.path = root_});
    }
    std::vector<LargeFile> files;
    std::vector<Piece> pieces;
    for (const JsonNode& object : batch["objects"].elements()) {
      const auto found = waiting.find(object["oid"].text());
      if (found == waiting.end()) object.fail("was not asked for");
      const Upload& upload = *found->second;
      waiting.erase(found);
      if (!object["error"].is_null()) {
        throw IoError("the Hub refuses this file: " + without_controls(object["error"]["message"].text()),
                      {.path = url_of(upload)});
      }
      if (object["actions"].is_null()) tell(upload.size, false);  // the Hub has it
      else add_pieces(object["actions"], upload, files, pieces);
    }
    if (!waiting.empty())
      throw IoError("the Hub names no URL for this file", {.path = url_of(*waiting.begin()->second)});
    send_pieces(files, pieces, tell);
  }

  void add_pieces(const JsonNode& actions, const Upload& upload, std::vector<LargeFile>& files,
                  std::vector<Piece>& pieces) const {
    const std::string name = url_of(upload);
    const uint64_t size = upload.size;
    const JsonNode action = actions["upload"].object();
    LargeFile file{.upload = &upload, .url = checked_url(endpoint_, action["href"].text(), name)};
    if (const JsonNode verify = actions["verify"]; !verify.is_null()) {
      file.verify_url = checked_url(endpoint_, verify["href"].text(), name);
    }
    const JsonNode header = action["header"];
    file.has_parts = header.value().is_object() && header.value().contains("chunk_size");
    if (!file.has_parts) {
      for (const auto& [key, value] : header.value().items()) {
        const std::string text = header[key].text();
        if ((key + text).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
          header[key].wrong("one line");
        file.headers.emplace_back(key, text);
      }
      pieces.push_back({files.size(), 0, {0, size}, file.url});
    } else {
      const JsonNode stated = header["chunk_size"];
      const std::string text = stated.value().is_string() ? stated.text() : stated.value().dump();
      uint64_t part = 0;
      std::from_chars(text.data(), text.data() + text.size(), part);
      std::map<uint64_t, std::string> urls;
      for (const auto& [key, value] : header.value().items()) {
        uint64_t number = 0;
        const auto end = std::from_chars(key.data(), key.data() + key.size(), number);
        if (end.ec == std::errc() && end.ptr == key.data() + key.size()) urls[number] = header[key].text();
      }
      if (part == 0 || urls.size() != size / part + (size % part > 0 ? 1 : 0)) {
        throw IoError("the Hub names " + std::to_string(urls.size()) + " URLs for parts of " + text +
                          " bytes of a file of " + std::to_string(size) + " bytes",
                      {.path = name});
      }
      file.tags.resize(urls.size());
      std::size_t i = 0;
      for (const auto& [number, url] : urls) {
        pieces.push_back(
            {files.size(), i, {i * part, std::min(part, size - i * part)}, checked_url(endpoint_, url, name)});
        ++i;
      }
    }
    files.push_back(std::move(file));
  }

  void send_pieces(std::vector<LargeFile>& files, const std::vector<Piece>& pieces, const Tell& tell) const {
    std::mutex mutex;
    std::vector<std::atomic<std::size_t>> num_left(files.size());
    for (const Piece& piece : pieces) ++num_left[piece.file];
    run_parallel(pieces.size(), kUploadsInFlight, [&](std::size_t i) {
      const Piece& piece = pieces[i];
      LargeFile& file = files[piece.file];
      const std::string name = url_of(*file.upload);
      const auto source = open(*file.upload);
      const auto response = send(session_, name, [&] {
        return net::HttpRequest{piece.url, file.headers, kMaxStoreResponse, "PUT", slice(source, piece.range)};
      });
      require_unchanged(*file.upload);
      require_success(response, "PUT", name);
      if (file.has_parts) {
        file.tags[piece.number] = response.header("etag");
        if (file.tags[piece.number].empty()) throw IoError("PUT of a part: the response has no ETag", {.path = name});
      }
      {
        const std::lock_guard lock(mutex);
        tell(piece.range.size, true);
      }
      if (--num_left[piece.file] == 0) end_file(file, name);
    });
  }

  /// Joins the parts of a file, and lets the Hub verify its size and hash.
  void end_file(const LargeFile& file, const std::string& name) const {
    const std::string id = hex(file.upload->sha256);
    if (file.has_parts) {
      Json parts = Json::array();
      for (std::size_t i = 0; i < file.tags.size(); ++i)
        parts.push_back({{"partNumber", i + 1}, {"etag", file.tags[i]}});
      const auto response = ask("POST", file.url, kLfsType, Json{{"oid", id}, {"parts", parts}}.dump(), name);
      require_success(response, "POST", name);
    }
    if (file.verify_url.empty()) return;
    const Json what = {{"oid", id}, {"size", file.upload->size}};
    require_success(ask("POST", file.verify_url, kJsonType, what.dump(), name), "POST", name);
  }

  const std::string root_;
  const std::string endpoint_;
  const std::string token_;
  const net::HttpSession session_;
  const bool create_;
  bool is_missing_ = false;  ///< the repository, which put() makes
  std::string owner_ = {}, name_ = {}, repository_ = {};
  std::string revision_ = "main";
  std::string folder_ = {};  ///< in the repository; "" or with a final slash
  std::map<std::string, Kept> kept_ = {};
  std::vector<Upload> committed_ = {};
};

}  // namespace

std::unique_ptr<ObjectStore> open_hub(const std::string& root, const RemoteOptions& remote,
                                      const StoreOptions& options) {
  return std::make_unique<HubStore>(root, remote, options);
}

}  // namespace tacore::upload
