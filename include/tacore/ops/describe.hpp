#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/dataset.hpp"
#include "tacore/value.hpp"
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
/// A description depends on the dataset and the options only, never on the current time: the same input gives the same
/// bytes. Extents are computed from the samples that `dataset` shows, not read from COLLECTION.json. Unknown values are
/// "unknown" or left out. URLs are written without user, password and query.
///
/// Datasets of TACO 0.2.0 and Tortilla 0.5.0 are described with the names of TACO 2 (docs/format.md, "v1 and v2"); in
/// such datasets, numbers in time columns are seconds, and a dataset without an id takes the name of its file. All
/// functions may be called from several threads. Texts are UTF-8 and end in a newline; bytes of the dataset that are
/// not UTF-8 become U+FFFD. All functions throw what opening and reading a dataset throws.
namespace tacore {

class RasterOpener;

/// Options of all descriptions.
struct DescribeOptions {
  /// URL of the folder that contains the files of the dataset, or of a FOLDER dataset itself. "": the URL that a remote
  /// dataset was loaded from; links to a local dataset are relative to its folder.
  std::string base_url = {};
  /// Transforms footprints from coordinate reference systems that tacore does not know (crs.hpp). Without it, the
  /// centroid of the sample replaces such a footprint.
  const CrsTransformer* transformer = nullptr;
  /// Colour of the HTML page, `#RRGGBB`; any other text means the default.
  std::string accent_colour = "#4CAF50";
  /// Date of publication, YYYY or YYYY-MM-DD. "": the member `published` or `datePublished` of COLLECTION.json, else
  /// the environment variable SOURCE_DATE_EPOCH, else unknown. Any other text throws ValidationError.
  std::string published = {};
  /// Path of the dataset in the code examples; "": its URL where that is known, else its file name.
  std::string example_path = {};
  /// Maximal number of samples that the HTML page shows as pictures, spread evenly over all rows; 0: none. Samples that
  /// are no rasters, or cannot be decoded, are not shown. All pictures together add at most 1.2 MB to the page. Their
  /// pixels are read, also from a server.
  int thumbnails = 12;
  /// Opens rasters for the pictures that tacore does not decode itself; nullptr: these are not shown.
  const RasterOpener* fallback = nullptr;
  /// http(s) URL of a catalogue to which the HTML page links, or a relative one that begins with ../; anything else: no
  /// link.
  std::string catalogue_url = {};
  /// URL of the page of viewer_page() (view.hpp), or its path from the HTML page, which then links to it; a text with
  /// another scheme than http(s): no link.
  std::string viewer_url = {};
  /// Croissant, also that of the HTML page, states the SHA-256 of each local file, which is read whole for it. Without
  /// it, mlcroissant refuses to load the dataset.
  bool checksums = true;
  /// The tables that collection2datacard() names for the viewer of the Hugging Face Hub: what write_viewer_tables()
  /// returned, "FOLDER/SPLIT.parquet", of a folder beside the card.
  std::vector<std::string> viewer_tables = {};
  bool overwrite = false;  ///< replace an existing file or catalog
  ParquetOptions parquet = {.use_content_defined_chunking = false};
};

/// Returns a STAC 1.1 Collection as JSON. Its extent covers all Items. STAC has no form for an unknown extent: it is
/// the globe, or an interval that is open at both ends, with `"taco:extent": "unknown"`.
TACORE_EXPORT std::string collection2stac(const Dataset& dataset, const DescribeOptions& options = {});
/// Returns Croissant 1.1 metadata as JSON-LD. The record set `levelN` reads the Parquet table of a level; `samples` has
/// the metadata of each sample of level 0 and the content of its files: `data` of a FILE, `optical` and `mask` of a
/// FOLDER with these files. mlcroissant loads the content of PNG and JPEG as pictures, of other files as bytes (its
/// TIFF decoder changes pixel values). Splits and the classes of labels are enumerations, to which columns refer.
///
/// `samples` is left out where mlcroissant could not load it: of samples with more than 13 files, whose record sets
/// `files/NAME` have `id` and `content` each; of a FOLDER with a `base_url` (a server does not list its
/// files), of an index without `.tacocat/`, of one whose files repeat an id (with a warning), and before version 2.0.
/// Other tools cannot read the tables of versions before 2.0 either: level 0 is described if footer2geoparquet() has
/// written it beside the file, as `NAME.parquet`. Local files are read completely to compute their SHA-256
/// (`checksums`); remote files have none, with a warning.
TACORE_EXPORT std::string collection2croissant(const Dataset& dataset, const DescribeOptions& options = {});
/// Returns DataCite 4.5 metadata as JSON. Throws SchemaError when the year of publication is unknown
/// (DescribeOptions::published).
TACORE_EXPORT std::string collection2datacite(const Dataset& dataset, const DescribeOptions& options = {});
/// Returns a dataset card for the Hugging Face Hub: YAML metadata between two lines `---`, then collection2markdown().
/// With `viewer_tables`, the metadata have a member `configs`, from which the Hub's viewer and
/// `datasets.load_dataset()` know the table of each split.
TACORE_EXPORT std::string collection2datacard(const Dataset& dataset, const DescribeOptions& options = {});
/// Returns Markdown text: overview, structure, fields, how to load the dataset, people, citation.
TACORE_EXPORT std::string collection2markdown(const Dataset& dataset, const DescribeOptions& options = {});
/// Returns an HTML page with the content of collection2markdown(), pictures of samples, a map, counts of splits and
/// classes, the statistics of bands that samples store, and the Croissant metadata for search engines. The page needs
/// no other file and no network; its one script only makes the buttons that copy code.
TACORE_EXPORT std::string collection2html(const Dataset& dataset, const DescribeOptions& options = {});

/// Returns Markdown of the text of a COLLECTION.json, without its samples: counts, fields and extents are those in the
/// text. A draft without `taco:pit_schema` has no counts, and its code examples load `ID.tacozip`. `path` is the name
/// of the text in messages. Throws FormatError and SchemaError when the text is not a COLLECTION.json.
TACORE_EXPORT std::string collection2markdown(std::string_view json, const std::string& path,
                                              const DescribeOptions& options = {});
/// Returns an HTML page of the text of a COLLECTION.json, as collection2markdown() does.
TACORE_EXPORT std::string collection2html(std::string_view json, const std::string& path,
                                          const DescribeOptions& options = {});

/// Metadata of extensions in COLLECTION.json, as pairs of name and text: "Split", "Sensor", "Labels", "DOI", "Links".
TACORE_EXPORT std::vector<std::pair<std::string, std::string>> collection_details(const Dataset& dataset);

/// The common name that the eo extension of STAC has for the common name of a band in TACO: "nir08" for "red edge 4",
/// "swir16" for "SWIR 1". The case of letters does not matter. "" if it has none.
TACORE_EXPORT std::string eo_common_name(std::string_view common_name);

/// Receives the STAC Items of a level, in the order of its samples.
///
///     struct Count : ItemOutput {
///       void write(const std::string&, std::string_view) override { ++num_items; }
///       int64_t num_items = 0;
///     };
class TACORE_EXPORT ItemOutput {
 public:
  virtual ~ItemOutput();
  /// `id` is unique in the level and valid as a file name; `item` is JSON. An exception ends footer2stac().
  virtual void write(const std::string& id, std::string_view item) = 0;
};

/// Writes a STAC 1.1 Item for each sample of a level: of the rows that `dataset` shows at level 0, of all stored rows
/// at a deeper level. The FILEs below a FOLDER are the assets of its Item. Without filters on `dataset`, rows are read
/// one row group after another, so that memory does not grow with their number. A time that is null or cannot be read
/// becomes the interval of the years 0001 to 9999 with `"taco:time": "unknown"`, and a warning counts such samples.
/// Throws QueryError for a level that does not exist; SchemaError when neither the level has a time column nor the
/// dataset a temporal extent, one of which STAC requires.
TACORE_EXPORT void footer2stac(const Dataset& dataset, int level, ItemOutput& output,
                               const DescribeOptions& options = {});
/// Writes a static STAC catalog to the folder `directory`: collection.json, and items/ID.json for each sample of a
/// level. Links to the data are relative to it unless `base_url` is set. It is written under a temporary name and
/// renamed when complete. Throws as footer2stac(); IoError when `directory` exists and `overwrite` is not set, or is
/// not a folder with a collection.json, which is never replaced.
TACORE_EXPORT void write_stac(const Dataset& dataset, const std::string& directory, int level = 0,
                              const DescribeOptions& options = {});

/// Writes all descriptions of a dataset to the new folder `directory`, with links from one to the others: the page
/// index.html, viewer.html (viewer_page(), where a browser can read the dataset from there), README.md (the dataset
/// card), croissant.json, datacite.json, samples.parquet (level 0, as GeoParquet if it has places) and stac/
/// (collection.json, items/ID.json). Links to the data are relative to it unless `base_url` is
/// set. What the dataset lacks a time, a place or a year of publication for is left out, with a warning. The folder is
/// written under a temporary name and renamed when complete. Throws IoError when `directory` exists and `overwrite` is
/// not set, or is not a folder with an index.html and a croissant.json, which is never replaced.
///
///     tacore::write_descriptions(tacore::load("landsat.tacozip"), "site", {.base_url = "https://example.org/data"});
TACORE_EXPORT void write_descriptions(const Dataset& dataset, const std::string& directory,
                                      const DescribeOptions& options = {});

/// Writes a GeoParquet 1.1 file with the rows of footer2stac(): the columns of the level, `taco:vsi` (the path for
/// GDAL), `geometry` (WKB, longitude and latitude) and `bbox`. The file is written under a temporary name and renamed
/// when complete. Throws IoError when it exists and `overwrite` is not set, SchemaError when no sample has a location.
TACORE_EXPORT void footer2geoparquet(const Dataset& dataset, int level, const std::string& path,
                                     const DescribeOptions& options = {});
/// Writes a stac-geoparquet 1.0 file: the Items of footer2stac() as a table. Throws as footer2geoparquet().
TACORE_EXPORT void footer2geoparquetstac(const Dataset& dataset, int level, const std::string& path,
                                         const DescribeOptions& options = {});

/// Writes the samples of level 0 as tables that the viewer of the Hugging Face Hub shows, which cannot read those
/// inside of a ZIP: a new folder with a file SPLIT.parquet for each value of the column `split` (or
/// `tortilla:data_split`), and "unassigned" for samples without one; "train" alone, the Hub's own default, for a
/// dataset without splits. A file has the columns of footer2geoparquet(), those of places only if the level has
/// locations. Letters of a split that the Hub does not accept become `_`. Returns the paths of the files from the
/// folder around `folder`, training first: "table/train.parquet". The folder is written under a temporary name and
/// renamed when complete. Throws IoError when it exists and `overwrite` is not set, or holds anything but Parquet
/// files, which is never replaced.
///
///     tacore::DescribeOptions options{.base_url = "https://huggingface.co/datasets/OWNER/chips/resolve/main"};
///     options.viewer_tables = tacore::write_viewer_tables(dataset, "publish/table", options);
///     const std::string card = tacore::collection2datacard(dataset, options);  // the text of publish/README.md
TACORE_EXPORT std::vector<std::string> write_viewer_tables(const Dataset& dataset, const std::string& folder,
                                                           const DescribeOptions& options = {});

/// Returns the footprint of each row of a frame as WKB in longitude and latitude (EPSG:4326): `istac:geometry`, else
/// the outline of its grid (`stac:crs`, `stac:geotransform`, `stac:tensor_shape`), else its centroid; nullopt for a row
/// that has none of these. A warning counts grids whose CRS is unknown to tacore and `transformer` (which may be
/// nullptr). Throws FormatError for a value that is not a geometry.
TACORE_EXPORT std::vector<std::optional<Binary>> footprints(const DataFrame& rows,
                                                            const CrsTransformer* transformer = nullptr);

/// A ring of [longitude, latitude] in degrees, without its closing point.
using OutlineRing = std::vector<std::array<double, 2>>;
/// Returns the outline of the land, as collection2html() draws it: that of Natural Earth at 1:110,000,000 (public
/// domain), precise to some 20 km. The Caspian Sea is a ring inside of another one.
TACORE_EXPORT std::vector<OutlineRing> land_outline();

}  // namespace tacore
