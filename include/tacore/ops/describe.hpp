#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/parquet_options.hpp"

namespace tacore {

/// Of all descriptions. What a description says comes from the dataset and these options, never from the clock: the
/// same dataset gives the same bytes. Places and times are those of the samples that `dataset` shows, whatever its
/// COLLECTION.json states; what is not known is "unknown" or left out. No user, password or query of a URL is in one.
struct DescribeOptions {
  /// URL of the folder that the files of the dataset lie in (a FOLDER: of itself). "": that of a remote dataset; of a
  /// local one links are relative to its folder.
  std::string base_url = {};
  /// For footprints in a CRS that tacore does not know itself (crs.hpp); without it their centroid stands for them.
  const CrsTransformer* transformer = nullptr;
  /// Of the page: `#RRGGBB`; anything else is the default.
  std::string accent_colour = "#4CAF50";
  /// When the dataset was published, YYYY or YYYY-MM-DD; "": the member `published` or `datePublished` of
  /// COLLECTION.json, else the date of SOURCE_DATE_EPOCH, else not known. Throws ValidationError for any other text.
  std::string published = {};
  /// What the examples of a text for people load; "": the dataset, by its name relative to its folder.
  std::string example_path = {};
  std::string catalogue_url = {};  ///< of the page: where it leads back to; "" or no http(s): nowhere
  bool overwrite = false;          ///< replace what is there
  ParquetOptions parquet = {.use_content_defined_chunking = false};
};

// Datasets before 2.0 are described in the same way: their COLLECTION has the same meaning under other names
// (docs/format.md, "v1 and v2"), numbers as times of samples are seconds, and a Tortilla without one has the name of
// its file. All of them are safe from several threads, and give text in UTF-8 that ends in a newline; what is not UTF-8
// in a dataset becomes U+FFFD. All throw what opening and reading a dataset throws.

/// A STAC 1.1 Collection, JSON. Its extent holds all Items. STAC has no form for an unknown extent: it is the globe or
/// all times there, with `"taco:extent": "unknown"` beside it.
TACORE_EXPORT std::string collection2stac(const Dataset& dataset, const DescribeOptions& options = {});
/// Croissant 1.0, JSON-LD, with a record set for each level that reads its table, and the SHA-256 of each local file,
/// which is read whole for it; of remote ones there is none, and a warning. Of a Tortilla, or a TACO before 2.0,
/// others can read none but that of level 0 which footer2geoparquet() wrote beside it as `NAME.parquet`.
TACORE_EXPORT std::string collection2croissant(const Dataset& dataset, const DescribeOptions& options = {});
/// DataCite 4.5, JSON. Throws SchemaError when no year of publication is known: DescribeOptions::published.
TACORE_EXPORT std::string collection2datacite(const Dataset& dataset, const DescribeOptions& options = {});
/// A dataset card as Hugging Face has them: YAML between two lines `---`, then Markdown.
TACORE_EXPORT std::string collection2datacard(const Dataset& dataset, const DescribeOptions& options = {});
/// The Markdown of the card alone.
TACORE_EXPORT std::string collection2markdown(const Dataset& dataset, const DescribeOptions& options = {});
/// A page that needs no other file, no network and no script: map, tree, fields, how to load it, people, citation; and
/// the Croissant for search engines.
TACORE_EXPORT std::string collection2html(const Dataset& dataset, const DescribeOptions& options = {});

/// Both of a COLLECTION.json alone, given as text: counts, fields and extents are what it says of them; without
/// `taco:pit_schema`, as a draft has it, no counts.
/// Where its dataset has no name yet, examples load `ID.tacozip`. `path` is for messages. Throws FormatError and
/// SchemaError for what is no such document.
TACORE_EXPORT std::string collection2markdown(std::string_view json, const std::string& path,
                                              const DescribeOptions& options = {});
TACORE_EXPORT std::string collection2html(std::string_view json, const std::string& path,
                                          const DescribeOptions& options = {});

/// What extensions say of a dataset as a whole, each as a name and a line of text: "Split", "Sensor", "Labels", "DOI",
/// "Links". Nothing but COLLECTION.json is looked at.
TACORE_EXPORT std::vector<std::pair<std::string, std::string>> collection_details(const Dataset& dataset);

/// Receives the STAC Items of a level, in its order.
class TACORE_EXPORT ItemOutput {
 public:
  virtual ~ItemOutput();
  /// `id` is unique among them and can name a file. May throw; then no more come.
  virtual void write(const std::string& id, std::string_view item) = 0;
};

/// A STAC 1.1 Item for each sample of a level: level 0 as `dataset` shows it, a deeper one as it is stored. The FILEs
/// of a FOLDER are the assets of its Item. Read row group by row group: memory does not grow with their number where
/// `dataset` has no filters, nor parts of its own. A time that is null or cannot be read may be any, 0001 to 9999, with
/// `"taco:time": "unknown"`, and a warning counts them. Throws QueryError for a level that does not exist, SchemaError
/// for a level without columns of times in a dataset without a temporal extent, for which STAC has no form.
TACORE_EXPORT void footer2stac(const Dataset& dataset, int level, ItemOutput& output,
                               const DescribeOptions& options = {});
/// A static catalog in the new folder `directory`: collection.json and, linked with it, items/{id}.json of a level.
/// Links to the data are relative to it unless there is a `base_url`. It appears whole or not at all. Throws as
/// footer2stac; IoError when `directory` exists and may not be replaced (no folder without a collection.json ever is).
TACORE_EXPORT void write_stac(const Dataset& dataset, const std::string& directory, int level = 0,
                              const DescribeOptions& options = {});

/// GeoParquet 1.1 of a level (rows and memory as footer2stac): its columns, `taco:vsi`, `geometry` (WKB, longitude and
/// latitude) and `bbox`. The file appears whole or not at all. Throws IoError when it exists and may not be replaced,
/// SchemaError for a level without places.
TACORE_EXPORT void footer2geoparquet(const Dataset& dataset, int level, const std::string& path,
                                     const DescribeOptions& options = {});
/// The Items of footer2stac as stac-geoparquet 1.0.
TACORE_EXPORT void footer2geoparquetstac(const Dataset& dataset, int level, const std::string& path,
                                         const DescribeOptions& options = {});

}  // namespace tacore
