#include "tacore/ops/view.hpp"

#include <random>
#include <utility>

#include "base/text.hpp"
#include "describe/facts.hpp"
#include "describe/viewer_page.hpp"
#include "view/http_server.hpp"
#include "view/served_files.hpp"

namespace tacore {
namespace {

/// 128 random bits, which nobody guesses.
std::string random_token() {
  static constexpr char kHex[] = "0123456789abcdef";
  std::random_device device;
  std::string out;
  for (int word = 0; word < 4; ++word) {
    for (uint32_t bits = device(), i = 0; i < 8; ++i, bits >>= 4) out += kHex[bits & 15];
  }
  return out;
}

/// Compares in a time that does not tell how much is equal.
bool starts_with_secret(std::string_view text, std::string_view secret) {
  if (text.size() < secret.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < secret.size(); ++i) difference |= static_cast<unsigned char>(text[i] ^ secret[i]);
  return difference == 0;
}

}  // namespace

struct ViewServer::Impl {
  Impl(const Dataset& dataset, uint16_t port)
      : files(dataset),
        root("/" + random_token() + "/"),
        page(page_of(dataset)),
        server(port, [this](const std::string& path) { return answer(path); }),
        url("http://127.0.0.1:" + std::to_string(server.port()) + root) {}

  std::string page_of(const Dataset& dataset) const {
    descriptions::ViewerPage out;
    for (const auto& name : files.datasets())
      out.datasets.push_back(std::string(kServedFiles) + percent_encoded(name, true));
    if (out.datasets.size() == 1) out.address = dataset.path();
    return descriptions::viewer_page(out);
  }

  HttpAnswer answer(const std::string& path) const {
    if (!starts_with_secret(path, root))
      return {.status = 404, .text = "The address of the page is the whole one that was told, with its token.\n"};
    const std::string_view rest = std::string_view(path).substr(root.size());
    if (rest.empty()) return {.type = "text/html; charset=utf-8", .text = page};
    if (rest.starts_with(kServedFiles)) {
      if (auto file = files.open(std::string(rest.substr(kServedFiles.size()))))
        return {.type = "application/octet-stream", .file = std::move(file)};
    }
    return {.status = 404, .text = "No file of the dataset.\n"};
  }

  ServedFiles files;
  std::string root;
  std::string page;
  HttpServer server;
  std::string url;
};

ViewServer::ViewServer(const Dataset& dataset, uint16_t port) : impl_(std::make_unique<Impl>(dataset, port)) {}
ViewServer::~ViewServer() = default;
ViewServer::ViewServer(ViewServer&&) noexcept = default;
ViewServer& ViewServer::operator=(ViewServer&&) noexcept = default;

const std::string& ViewServer::url() const noexcept { return impl_->url; }

std::string viewer_page(const Dataset& dataset, const std::string& folder, const ViewerPageOptions& options) {
  check_whole(dataset);
  const descriptions::Facts facts = descriptions::gather_stated(dataset, {.base_url = options.base_url});
  return descriptions::viewer_page(descriptions::viewer_page_of(facts, folder, options.servers));
}

std::string viewer_page() { return descriptions::viewer_page({}); }

}  // namespace tacore
