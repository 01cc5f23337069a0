#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/parquet_options.hpp"

/// Descriptions of a dataset for catalogues, search engines and people: STAC, GeoParquet, Croissant, DataCite, dataset
/// cards, Markdown and HTML. A web page and a static STAC catalog of one dataset:
///
///     const tacore::Dataset dataset = tacore::load("landsat.tacozip");
///     const tacore::DescribeOptions options{.base_url = "https://example.org/data", .published = "2026-11-23"};
///     const std::string page = tacore::collection2html(dataset, options);  // the text of landsat.html
///     tacore::write_stac(dataset, "catalog", 0, options);  // catalog/collection.json, catalog/items/ID.json
///
/// A description is made of the dataset and the options alone, never of the current time: the same input gives the same
/// bytes. Extents are computed from the samples that `dataset` shows, whatever its COLLECTION.json states. What is not
/// known is "unknown" or left out. URLs are written without user, password and query.
///
/// Datasets of TACO 0.2.0 and Tortilla 0.5.0 are described with the names of TACO 2 (docs/format.md, "v1 and v2");
/// there, numbers in columns of time are seconds, and a dataset without an id takes the name of its file. All functions
/// may be called from several threads. Texts are UTF-8, with U+FFFD for bytes of the dataset that are not, and end in a
/// newline. All functions throw what opening and reading a dataset throws.
namespace tacore {

/// Options of all descriptions.
struct DescribeOptions {
  /// URL of the folder that holds the files of the dataset, or of a FOLDER dataset itself. "": the URL that a remote
  /// dataset was loaded from; links to a local dataset are relative to its folder.
  std::string base_url = {};
  /// Computes footprints in coordinate reference systems that tacore does not know (crs.hpp). Without it the centroid
  /// of the sample takes the place of such a footprint.
  const CrsTransformer* transformer = nullptr;
  /// Colour of the HTML page, `#RRGGBB`; for any other text it is the default.
  std::string accent_colour = "#4CAF50";
  /// Date of publication, YYYY or YYYY-MM-DD. "": the member `published` or `datePublished` of COLLECTION.json, else
  /// the environment variable SOURCE_DATE_EPOCH, else unknown. Any other text throws ValidationError.
  std::string published = {};
  /// Path that the examples of code load; "": the name of the dataset, relative to its folder.
  std::string example_path = {};
  std::string catalogue_url = {};  ///< the HTML page links back to this http(s) URL; anything else: no link
  bool overwrite = false;          ///< replace an existing file or catalog
  ParquetOptions parquet = {.content_defined_chunks = false};
};

/// A STAC 1.1 Collection, JSON. Its extent covers all Items. STAC has no form for an unknown extent: it is the globe,
/// or an interval that is open at both ends, with `"taco:extent": "unknown"`.
TACORE_EXPORT std::string collection2stac(const Dataset& dataset, const DescribeOptions& options = {});
/// Croissant 1.0, JSON-LD, with a record set that reads the Parquet table of each level. Each local file is read whole
/// for its SHA-256; remote files have none, which a warning says. Other tools cannot read the tables inside a Tortilla
/// or a TACO before 2.0: there, level 0 is described when footer2geoparquet() has written it beside the file, as
/// `NAME.parquet`.
TACORE_EXPORT std::string collection2croissant(const Dataset& dataset, const DescribeOptions& options = {});
/// DataCite 4.5, JSON. Throws SchemaError when the year of publication is unknown (DescribeOptions::published).
TACORE_EXPORT std::string collection2datacite(const Dataset& dataset, const DescribeOptions& options = {});
/// A dataset card for the Hugging Face hub: YAML metadata between two lines `---`, then collection2markdown().
TACORE_EXPORT std::string collection2datacard(const Dataset& dataset, const DescribeOptions& options = {});
/// Markdown: overview, structure, fields, how to load the dataset, people, citation.
TACORE_EXPORT std::string collection2markdown(const Dataset& dataset, const DescribeOptions& options = {});
/// An HTML page with the same content and a map, and the Croissant metadata for search engines. It needs no other file,
/// no network and no script.
TACORE_EXPORT std::string collection2html(const Dataset& dataset, const DescribeOptions& options = {});

/// Markdown and HTML of the text of a COLLECTION.json, without its samples: counts, fields and extents are those it
/// states. A draft without `taco:pit_schema` has no counts, and its examples load `ID.tacozip`. `path` is for messages.
/// Throws FormatError and SchemaError when the text is no COLLECTION.json.
TACORE_EXPORT std::string collection2markdown(std::string_view json, const std::string& path,
                                              const DescribeOptions& options = {});
TACORE_EXPORT std::string collection2html(std::string_view json, const std::string& path,
                                          const DescribeOptions& options = {});

/// Metadata of extensions that concerns the dataset as a whole, as name and text: "Split", "Sensor", "Labels", "DOI",
/// "Links". Reads COLLECTION.json only.
TACORE_EXPORT std::vector<std::pair<std::string, std::string>> collection_details(const Dataset& dataset);

/// Receives the STAC Items of a level, in the order of its samples.
class TACORE_EXPORT ItemOutput {
 public:
  virtual ~ItemOutput();
  /// `id` is unique in the level and valid as a file name; `item` is JSON. An exception ends footer2stac().
  virtual void write(const std::string& id, std::string_view item) = 0;
};

/// STAC 1.1 Items, one for each sample of a level: of the rows that `dataset` shows at level 0, of all stored rows at a
/// deeper one. The FILEs below a FOLDER are the assets of its Item. Without filters on `dataset` rows are read one row
/// group after another, so that memory does not grow with their number. A time that is null or cannot be read becomes
/// the interval of the years 0001 to 9999 with `"taco:time": "unknown"`, and a warning counts such samples. Throws
/// QueryError for a level that does not exist; SchemaError when neither the level has a column of times nor the dataset
/// a temporal extent, which STAC requires.
TACORE_EXPORT void footer2stac(const Dataset& dataset, int level, ItemOutput& output,
                               const DescribeOptions& options = {});
/// A static STAC catalog in the new folder `directory`: collection.json, and items/ID.json for each sample of a level.
/// Links to the data are relative to it unless `base_url` is set. It is written under a temporary name and renamed when
/// complete. Throws as footer2stac(); IoError when `directory` exists and `overwrite` is not set, or is no folder with
/// a collection.json, which is never replaced.
TACORE_EXPORT void write_stac(const Dataset& dataset, const std::string& directory, int level = 0,
                              const DescribeOptions& options = {});

/// GeoParquet 1.1 of a level, with the rows of footer2stac(): its columns, `taco:vsi` (the path for GDAL), `geometry`
/// (WKB, longitude and latitude) and `bbox`. The file is written under a temporary name and renamed when complete.
/// Throws IoError when it exists and `overwrite` is not set, SchemaError when no sample has a place.
TACORE_EXPORT void footer2geoparquet(const Dataset& dataset, int level, const std::string& path,
                                     const DescribeOptions& options = {});
/// stac-geoparquet 1.0: the Items of footer2stac() as a table.
TACORE_EXPORT void footer2geoparquetstac(const Dataset& dataset, int level, const std::string& path,
                                         const DescribeOptions& options = {});

}  // namespace tacore
