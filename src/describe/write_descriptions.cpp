#include <string>
#include <vector>

#include "base/log.hpp"
#include "dataset/dataset_impl.hpp"
#include "describe/document.hpp"
#include "describe/items.hpp"
#include "describe/new_folder.hpp"
#include "describe/stac.hpp"
#include "describe/viewer_page.hpp"
#include "io/entry_at.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"

namespace tacore {
namespace descriptions {
namespace {

constexpr const char* kPage = "index.html";
constexpr const char* kCroissant = "croissant.json";
constexpr const char* kCatalog = "stac";
constexpr const char* kViewer = "viewer.html";

void write_text(const NewFolder& folder, const char* name, const std::string& text) {
  PlainFile file = folder.file(name);
  file.write(text);
  file.close();
}

bool is_description(const std::string& folder) {
  return entry_at(path_join(folder, kPage)) && entry_at(path_join(folder, kCroissant));
}

/// Descriptions that are written one after another, and the links to them.
class Descriptions {
 public:
  explicit Descriptions(const NewFolder& folder) : folder_(folder) {}

  /// `write` makes the file or folder `name`. What the dataset lacks for it is a warning, and there is none.
  template <class Write>
  void add(const char* name, const std::string& link, const char* about, const Write& write) {
    try {
      write();
    } catch (const SchemaError& error) {
      folder_.remove(name);
      log::warning(std::string(name) + " is not written: " + error.message());
      return;
    }
    links_.push_back({about, link});
  }
  const std::vector<Cell>& links() const { return links_; }

 private:
  const NewFolder& folder_;
  std::vector<Cell> links_ = {};
};

}  // namespace
}  // namespace descriptions

void write_descriptions(const Dataset& dataset, const std::string& directory, const DescribeOptions& options) {
  using namespace descriptions;
  require_apart(directory, files_of(dataset));
  const Facts facts = gather(dataset, options);
  Facts from_here = facts;
  if (facts.base_url.empty()) from_here.base_url = way_between(directory, facts.folder);
  const NewFolder folder(directory, options.overwrite, "a folder with an index.html and a croissant.json",
                         is_description);
  Descriptions made(folder);
  made.add("README.md", "README.md", "Dataset card (Markdown, for the Hugging Face Hub)",
           [&] { write_text(folder, "README.md", data_card(from_here, options)); });
  made.add(kCroissant, kCroissant, "Croissant (JSON-LD, for machine learning and search engines)",
           [&] { write_text(folder, kCroissant, dump(croissant(from_here))); });
  made.add("datacite.json", "datacite.json", "DataCite (JSON, for a DOI)",
           [&] { write_text(folder, "datacite.json", dump(datacite(from_here))); });
  made.add("samples.parquet", "samples.parquet", "Samples as a table (Parquet; GeoParquet if they have a place)", [&] {
    PlainFile file = folder.file("samples.parquet");
    write_table(dataset, facts, file, options);
  });
  const auto link = [](const char* href, const char* type) {
    return Json{{"rel", "alternate"}, {"href", std::string("../") + href}, {"type", type}};
  };
  const Json links = Json::array({link(kPage, "text/html"), link(kCroissant, "application/ld+json")});
  made.add(kCatalog, "stac/collection.json", "STAC (JSON, with an Item for each sample)",
           [&] { write_catalog(folder, kCatalog, dataset, facts, directory, 0, options, links); });
  DescribeOptions of_page = options;
  if (of_page.viewer_url.empty() && impl_of(dataset)->base.steps.empty()) {  // it would show what a query leaves out
    try {
      write_text(folder, kViewer, viewer_page(viewer_page_of(facts, directory, {})));
      of_page.viewer_url = kViewer;
    } catch (const ValidationError& error) {
      log::warning(std::string(kViewer) + " is not written: " + error.message());
    }
  }
  write_text(folder, kPage, html_page(dataset, from_here, of_page, made.links()));
  folder.publish();
}

}  // namespace tacore
