#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"

/// A page that shows a dataset in a browser: its samples on a map and in a table, filters for every column, and pixels.
///
///     const tacore::Dataset dataset = tacore::load("landsat.tacozip");
///     const tacore::ViewServer server(dataset);
///     std::puts(server.url().c_str());  // open it in a browser of this machine, while `server` lives
///
///     const std::string page = tacore::viewer_page(dataset, "site");  // the text of site/index.html
///
/// The page is one HTML file. It reads the dataset by HTTP range requests, decodes it in the browser, and asks no other
/// server. It shows all samples of a dataset: functions throw QueryError for one with filters or other queries, which
/// can be set in the page.
namespace tacore {

/// Options of viewer_page().
struct ViewerPageOptions {
  /// URL of the folder that contains the files of the dataset, or of a FOLDER dataset itself. "": the URL that a remote
  /// dataset was loaded from; a local dataset is opened by its path relative to the folder of the page.
  std::string base_url = {};
  /// Servers that the page may read besides its own and that of the dataset, such as those that the latter redirects
  /// to: "https://cdn.example.org", "https://*.example.org". Any other text throws ValidationError.
  std::vector<std::string> servers = {};
};

/// Returns the text of a page for a dataset, to be written to a file in `folder`, which need not exist. The page reads
/// the server that it comes from, that of the dataset and `options.servers`, and no others; of the Hugging Face Hub and
/// S3 also those to which they redirect. Browsers let no page from a disk read a file beside it: the page has to come
/// from a web server, as ViewServer or the one that stores the dataset. Throws ValidationError for a dataset that
/// browsers cannot read by its URL (az://, ...), or whose files are in several folders.
TACORE_EXPORT std::string viewer_page(const Dataset& dataset, const std::string& folder,
                                      const ViewerPageOptions& options = {});
/// Returns the text of a page that shows the dataset that its user chooses: dropped on it, by its URL, or that of
/// `page.html?url=URL`. It may read any server by https, and those of this machine.
TACORE_EXPORT std::string viewer_page();

/// A web server on 127.0.0.1 for the page of a dataset, local or remote, and for its files. It runs in threads of its
/// own until it is destroyed. A path of it begins with a random token, without which nothing is readable; with it, only
/// files of the dataset are: not files beside it, and none that a symbolic link in a FOLDER dataset names elsewhere.
/// Remote files are read with the credentials, the cache and the retries of load().
class TACORE_EXPORT ViewServer {
 public:
  /// Throws IoError when `port` is taken; 0 is any that is free.
  explicit ViewServer(const Dataset& dataset, uint16_t port = 0);
  /// Ends all connections.
  ~ViewServer();
  ViewServer(ViewServer&&) noexcept;
  ViewServer& operator=(ViewServer&&) noexcept;

  /// The URL of the page, with its token.
  const std::string& url() const noexcept;

 private:
  struct TACORE_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacore
