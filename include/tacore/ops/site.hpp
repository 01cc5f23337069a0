#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/crs.hpp"
#include "tacore/dataset.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/task.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

/// Listings of many datasets, and a static web catalogue (a site) of them:
///
///     for (const tacore::DatasetSummary& each : tacore::list_datasets("archive")) std::puts(each.id.c_str());
///     tacore::write_site("archive", "archive/site", {.title = "Our archive", .base_url = "https://example.org/site"});
///
/// Datasets are named by a folder, a list or, for list_datasets(), a catalogue. A folder is searched with all folders
/// below it, hidden ones aside, symbolic links included: for .tacozip and .zip files, FOLDERs, indexes (.tacocat/,
/// __TACOCAT__, TACOLLECTION.json), .tortilla and .taco files. The parts of a dataset are one entry: partitions, and
/// the datasets that an index lists. A list is a text file with a path or URL in each line, relative to the folder of
/// the list; a name may follow behind a tab, and lines that begin with # are comments. A folder in a list is searched
/// too. A catalogue is a folder that write_site() wrote, or its catalog.json, which may be remote.
///
/// A file found in a folder that cannot be opened is left out with a warning; all that a list names must be readable.
/// All functions may be called from several threads.
namespace tacore {

/// A dataset in a listing.
struct DatasetSummary {
  std::string path = {};  ///< path or URL that load() opens
  Format format = Format::Zip;
  std::string id = {};       ///< of a dataset without an id, the name of its file
  std::string title = {};    ///< the name in a list, else the title, else the id
  std::string version = {};  ///< "unknown" or "" where it is not stated
  std::string description = {};
  std::vector<std::string> licenses = {}, tasks = {}, keywords = {};
  int64_t num_samples = 0;
  std::optional<uint64_t> num_bytes = {};  ///< of all its files; unknown for remote FOLDERs and indexes
  Extent extent = {};                      ///< of Dataset::known_extent(); in a catalogue, of its samples
};

/// Options of list_datasets().
struct ListOptions {
  bool strict = false;  ///< throw the error of a dataset that cannot be read, instead of leaving it out with a warning
  Task task = {};       ///< progress counts datasets
  LoadOptions load = {};
};

/// Whether list_datasets() lists what is at `path`: a local folder that is no dataset itself, or a file called
/// catalog.json. Throws IoError when this cannot be determined.
TACORE_EXPORT bool is_listing(std::string_view path);

/// Lists the datasets of a folder, a list or a catalogue: those of a folder in the order of their paths, the others in
/// the order of the list or catalogue. Throws FormatError when there are none, or `path` is neither of the three;
/// IoError for a path of a list that does not exist, with its line, and what load() throws for it.
TACORE_EXPORT std::vector<DatasetSummary> list_datasets(std::string_view path, const ListOptions& options = {});

/// Options of write_site().
struct SiteOptions {
  ListOptions list = {};
  std::string title = "Datasets";  ///< title of the catalogue
  /// http(s) URL at which the catalogue will be published, for absolute links, sitemap.xml and robots.txt. "": links
  /// are relative, and neither of the two is written.
  std::string base_url = {};
  /// URL at which the folder of the datasets (the folder itself, or that of the list) is published. "": links to local
  /// datasets are relative, so that they hold where the catalogue and the datasets keep their places to each other.
  std::string data_url = {};
  std::string accent_colour = "#4CAF50";  ///< `#RRGGBB`; any other text means the default
  bool overwrite = false;                 ///< replace an existing catalogue
  int thumbnails = 12;                    ///< of each page, as in DescribeOptions; these four, too
  bool checksums = true;
  const CrsTransformer* transformer = nullptr;
  const RasterOpener* fallback = nullptr;
};

/// Writes a static catalogue of datasets to the folder `output`: index.html, with a search by words, place, time, task
/// and licence; catalog.json, a STAC Catalog of their Collections; and for each dataset a folder datasets/ID with the
/// texts of collection2html() (index.html), collection2stac() (collection.json) and collection2croissant()
/// (croissant.json). Equal ids get numbers: ID-2, ID-3. The pages need no network, and the list of the datasets no
/// script. The folder is written under a temporary name and renamed when complete. Returns the datasets that it lists.
///
/// Throws as list_datasets(); IoError when `output` exists and `overwrite` is not set; ValidationError when it is not a
/// catalogue, which alone is replaced, when it would lie inside of a dataset or replace one, and for a `base_url` that
/// is no http(s) URL.
TACORE_EXPORT std::vector<DatasetSummary> write_site(std::string_view path, const std::string& output,
                                                     const SiteOptions& options = {});

}  // namespace tacore
