#include "net/http_client.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <thread>

#include "base/interrupt.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "net/curl_library.hpp"
#include "tacore/error.hpp"
#include "tacore/version.hpp"

namespace tacore::net {
namespace {

/// A slower connection counts as broken.
constexpr long kLeastBytesPerSecond = 1000;
/// The largest size of all headers of a response.
constexpr std::size_t kMaxHeaders = 64 * 1024;

/// The CA certificates of this system, for a libcurl with another default path; "" keeps the default.
std::string certificates() {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    if (const char* file = std::getenv(name); file != nullptr && *file != '\0') return file;
  }
  for (const char* file : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (::access(file, R_OK) == 0) return file;
  }
  return {};
}

/// A request in flight.
struct Transfer {
  explicit Transfer(const HttpRequest& what) : request(what) {}

  const HttpRequest& request;
  HttpResponse response = {};
  std::size_t header_bytes = 0;
  CURL* handle = nullptr;
  curl_slist* headers = nullptr;
  std::array<char, CURL_ERROR_SIZE> message = {};
  uint64_t num_sent = 0;          ///< bytes of the body
  std::exception_ptr fault = {};  ///< why the body cannot be read
  bool is_done = false;           ///< guarded by the mutex of the worker
};

/// Why a transfer failed: the text of libcurl, of which "Failed to connect to localhost port 8999 after 0 ms: Couldn't
/// connect to server" becomes "cannot connect to localhost:8999".
std::string failure_text(CURLcode result, std::string_view text) {
  constexpr std::string_view kStart = "Failed to connect to ", kPort = " port ", kEnd = " after ";
  const auto port = text.find(kPort), end = text.find(kEnd, port);
  if (result != CURLE_COULDNT_CONNECT || !text.starts_with(kStart) || end == text.npos) return std::string(text);
  std::string out(kCannotConnect);
  out += text.substr(kStart.size(), port - kStart.size());
  out += ':';
  return out.append(text.substr(port + kPort.size(), end - port - kPort.size()));
}

// Callbacks of libcurl: they must not throw. Returning another number than they were given ends the transfer.

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) noexcept {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, size * count);
  try {
    if (line.starts_with("HTTP/")) {  // of the last response: those before are 100 Continue, or of a proxy
      transfer.response.headers.clear();
      transfer.header_bytes = 0;
    }
    transfer.header_bytes += line.size();
    if (transfer.header_bytes > kMaxHeaders) return 0;
    const auto colon = line.find(':');
    if (colon != line.npos) {
      transfer.response.headers.emplace_back(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    }
    return line.size();
  } catch (const std::exception&) {
    return 0;
  }
}

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) noexcept {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t num_bytes = size * count;
  try {
    Bytes& body = transfer.response.body;
    if (num_bytes > transfer.request.max_body - std::min<uint64_t>(transfer.request.max_body, body.size())) {
      transfer.response.is_too_large = true;
      return 0;
    }
    if (body.empty()) {
      curl_off_t length = -1;
      curl_library().easy_getinfo(transfer.handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
      if (length > 0 && static_cast<uint64_t>(length) > transfer.request.max_body) {
        transfer.response.is_too_large = true;
        return 0;
      }
      if (length > 0) body.reserve(static_cast<std::size_t>(length));
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    body.insert(body.end(), bytes, bytes + num_bytes);
    return num_bytes;
  } catch (const std::exception&) {
    return 0;
  }
}

std::size_t give_body(char* data, std::size_t size, std::size_t count, void* user) noexcept {
  auto& transfer = *static_cast<Transfer*>(user);
  try {
    const ByteSource& body = *transfer.request.body;
    const auto num_bytes = static_cast<std::size_t>(
        std::min<uint64_t>(size * count, body.size() - std::min(body.size(), transfer.num_sent)));
    body.read(transfer.num_sent, {reinterpret_cast<std::byte*>(data), num_bytes});
    transfer.num_sent += num_bytes;
    return num_bytes;
  } catch (...) {
    transfer.fault = std::current_exception();
    return CURL_READFUNC_ABORT;
  }
}

/// Sends the body again from `offset`: a connection that was kept open may turn out to be closed.
int seek_body(void* user, curl_off_t offset, int origin) noexcept {
  if (origin != SEEK_SET || offset < 0) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Transfer*>(user)->num_sent = static_cast<uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

}  // namespace

std::string_view HttpResponse::header(std::string_view name) const noexcept {
  const auto found = std::find_if(headers.rbegin(), headers.rend(), [&](const auto& h) { return h.first == name; });
  return found == headers.rend() ? std::string_view() : std::string_view(found->second);
}

/// A thread that does all transfers: libcurl keeps connections in a multi handle, which only one thread may use.
class HttpClient::Worker {
 public:
  Worker(int limit, double timeout)
      : limit_(static_cast<std::size_t>(limit)),
        timeout_(timeout),
        certificates_(certificates()),
        process_(::getpid()) {
    multi_ = curl_.multi_init();
    if (multi_ == nullptr) throw IoError("no HTTP client: out of memory");
    curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(limit));
    // Signals are handled by the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    curl_.multi_wakeup(multi_);
    thread_.join();
    for (CURL* handle : idle_) curl_.easy_cleanup(handle);
    curl_.multi_cleanup(multi_);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  pid_t process() const noexcept { return process_; }

  std::vector<HttpResponse> send(std::span<const HttpRequest> requests) {
    std::deque<Transfer> transfers;
    for (const HttpRequest& request : requests) transfers.emplace_back(request);
    {
      const std::lock_guard lock(mutex_);
      for (Transfer& transfer : transfers) waiting_.push_back(&transfer);
    }
    curl_.multi_wakeup(multi_);
    const bool was_stopped = !wait_for(transfers);
    if (was_stopped) throw QueryError("the call was stopped");
    std::vector<HttpResponse> out;
    for (Transfer& transfer : transfers) {
      if (transfer.fault) std::rethrow_exception(transfer.fault);
      out.push_back(std::move(transfer.response));
    }
    return out;
  }

 private:
  /// False when the caller wants to stop; then no transfer of `transfers` is in flight any more.
  bool wait_for(std::deque<Transfer>& transfers) {
    const Interruption interruption = current_interruption();
    const auto all_done = [&] {
      return std::all_of(transfers.begin(), transfers.end(), [](const Transfer& t) { return t.is_done; });
    };
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, std::chrono::milliseconds(20), all_done)) {
      if (!interruption.is_possible()) continue;
      lock.unlock();
      const bool stop = interruption.is_wanted();
      lock.lock();
      if (!stop) continue;
      for (Transfer& transfer : transfers) cancelled_.push_back(&transfer);
      curl_.multi_wakeup(multi_);
      done_.wait(lock, all_done);
      return false;
    }
    return true;
  }

  void run() {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (is_stopped_) return;  // no one waits: each send() keeps its client alive
        cancel();
        while (!waiting_.empty() && active_.size() < limit_) {
          Transfer* next = waiting_.front();
          waiting_.pop_front();
          if (!next->is_done) begin(*next);
        }
      }
      int num_running = 0;
      curl_.multi_perform(multi_, &num_running);
      if (end_finished()) continue;
      curl_.multi_poll(multi_, nullptr, 0, 1000, nullptr);
    }
  }

  void cancel() {
    for (Transfer* transfer : cancelled_) {
      if (transfer->is_done) continue;
      if (transfer->handle != nullptr) end(*transfer);
      transfer->is_done = true;
      std::erase(waiting_, transfer);
    }
    if (!cancelled_.empty()) done_.notify_all();
    cancelled_.clear();
  }

  void begin(Transfer& transfer) {
    transfer.handle = idle_.empty() ? curl_.easy_init() : idle_.back();
    if (!idle_.empty()) idle_.pop_back();
    if (transfer.handle == nullptr) {
      transfer.response.failure = "out of memory";
      transfer.is_done = true;
      done_.notify_all();
      return;
    }
    CURL* handle = transfer.handle;
    curl_.easy_reset(handle);
    const auto set = [&](CURLoption option, auto value) { curl_.easy_setopt(handle, option, value); };
    set(CURLOPT_PRIVATE, &transfer);
    set(CURLOPT_ERRORBUFFER, transfer.message.data());
    set(CURLOPT_URL, transfer.request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_BUFFERSIZE, 256L * 1024);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::ceil(timeout_ * 1000)));
    set(CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(std::ceil(timeout_)));
    if (!certificates_.empty()) set(CURLOPT_CAINFO, certificates_.c_str());
    set(CURLOPT_USERAGENT, user_agent_.c_str());
    // Ranges count bytes of the stored file, not of a compressed form.
    transfer.headers = curl_.slist_append(nullptr, "Accept-Encoding: identity");
    // A server that refuses a body says so while it is sent; waiting for "100 Continue" would take a second where it
    // sends none.
    if (transfer.request.body) transfer.headers = curl_.slist_append(transfer.headers, "Expect:");
    for (const auto& [name, value] : transfer.request.headers) {
      transfer.headers = curl_.slist_append(transfer.headers, (name + ": " + value).c_str());
    }
    set(CURLOPT_HTTPHEADER, transfer.headers);
    set(CURLOPT_HEADERFUNCTION, &take_header);
    set(CURLOPT_HEADERDATA, &transfer);
    set(CURLOPT_WRITEFUNCTION, &take_body);
    set(CURLOPT_WRITEDATA, &transfer);
    if (transfer.request.body) {
      set(CURLOPT_UPLOAD, 1L);
      set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(transfer.request.body->size()));
      set(CURLOPT_UPLOAD_BUFFERSIZE, 1024L * 1024);
      set(CURLOPT_READFUNCTION, &give_body);
      set(CURLOPT_READDATA, &transfer);
      set(CURLOPT_SEEKFUNCTION, &seek_body);
      set(CURLOPT_SEEKDATA, &transfer);
    }
    if (transfer.request.method == "HEAD") set(CURLOPT_NOBODY, 1L);
    else if (transfer.request.method != "GET") set(CURLOPT_CUSTOMREQUEST, transfer.request.method.c_str());
    active_.push_back(&transfer);
    curl_.multi_add_handle(multi_, handle);
  }

  /// Frees the resources of a transfer. With the mutex held.
  void end(Transfer& transfer) {
    curl_.multi_remove_handle(multi_, transfer.handle);
    curl_.slist_free_all(transfer.headers);
    idle_.push_back(transfer.handle);
    transfer.handle = nullptr;
    std::erase(active_, &transfer);
  }

  bool end_finished() {
    bool any = false;
    int num_left = 0;
    const std::lock_guard lock(mutex_);
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &num_left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode result = message->data.result;
      Transfer* transfer = nullptr;
      curl_.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      long status = 0;
      curl_.easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
      HttpResponse& response = transfer->response;
      response.status = static_cast<int>(status);
      const auto seconds_until = [&](CURLINFO what) {
        curl_off_t microseconds = 0, sent = 0;
        curl_.easy_getinfo(message->easy_handle, what, &microseconds);
        curl_.easy_getinfo(message->easy_handle, CURLINFO_PRETRANSFER_TIME_T, &sent);
        return static_cast<double>(microseconds - sent) / 1e6;
      };
      response.seconds_to_first_byte = seconds_until(CURLINFO_STARTTRANSFER_TIME_T);
      response.seconds = seconds_until(CURLINFO_TOTAL_TIME_T);
      if (response.is_too_large) {
        Bytes().swap(response.body);
      } else if (result != CURLE_OK) {
        const char* message_text = transfer->message.data();
        response.failure = failure_text(result, *message_text != '\0' ? message_text : curl_.easy_strerror(result));
      }
      if (log_level() == LogLevel::Debug) tell(*transfer);
      end(*transfer);
      transfer->is_done = true;
      any = true;
    }
    if (any) done_.notify_all();
    return any;
  }

  static void tell(const Transfer& transfer) {
    const auto& headers = transfer.request.headers;
    const auto range = std::find_if(headers.begin(), headers.end(), [](const auto& h) { return h.first == "Range"; });
    // The query of the URL may be a signature.
    log::debug(
        transfer.request.method + " " + transfer.request.url.substr(0, transfer.request.url.find('?')) +
        (range == headers.end() ? "" : " " + range->second) + ": " +
        (transfer.response.failure.empty() ? std::to_string(transfer.response.status) : transfer.response.failure) +
        ", " + std::to_string(transfer.response.body.size()) + " bytes");
  }

  const CurlLibrary& curl_ = curl_library();
  const std::size_t limit_;
  const double timeout_;
  const std::string certificates_;
  const std::string user_agent_ = std::string("tacore/") + version();
  const pid_t process_;
  CURLM* multi_ = nullptr;
  std::mutex mutex_;
  std::condition_variable done_;
  std::deque<Transfer*> waiting_;
  std::vector<Transfer*> active_;
  std::vector<Transfer*> cancelled_;
  std::vector<CURL*> idle_;
  bool is_stopped_ = false;
  std::thread thread_;
};

HttpClient::HttpClient(int limit, double timeout) : limit_(limit), timeout_(timeout) {}

HttpClient::~HttpClient() {
  // After fork(), the thread of the parent process does not exist here.
  if (worker_ && worker_->process() != ::getpid()) new std::shared_ptr<Worker>(std::move(worker_));
}

std::vector<HttpResponse> HttpClient::send(std::span<const HttpRequest> requests) const {
  if (requests.empty()) return {};
  std::shared_ptr<Worker> worker;
  {
    const std::lock_guard lock(mutex_);
    if (worker_ && worker_->process() != ::getpid()) new std::shared_ptr<Worker>(std::move(worker_));
    if (!worker_) worker_ = std::make_shared<Worker>(limit_, timeout_);
    worker = worker_;
  }
  return worker->send(requests);
}

}  // namespace tacore::net
