#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/ops/describe.hpp"

/// Facts: all that descriptions say of a dataset as a whole, read once. The forms (STAC, HTML, ...) are made of this
/// value and read nothing themselves.
namespace tacore::descriptions {

struct Publication {
  std::string doi = {};
  std::string citation = {};
  std::string summary = {};
};

/// A link; without `href` there is none.
struct Hyperlink {
  std::string href = {};
  std::string description = {};
};

struct LabelClass {
  std::string name = {};
  std::string category = {};
  std::string description = {};
};

/// A spectral band; wavelengths in nanometres.
struct Band {
  std::string name = {};
  std::string common_name = {};
  std::string description = {};
  std::string unit = {};
  std::optional<double> center_wavelength = {};
  std::optional<double> full_width_half_max = {};
};

/// A statement about responsible use (extension RAI).
struct Statement {
  std::string key = {};  ///< "rai:data_biases"
  std::string text = {};
};

inline constexpr std::size_t kMostSplits = 100;  ///< a column of more values does not name splits

struct LevelFacts {
  int64_t num_rows = 0;
  std::vector<FieldDescription> fields = {};  ///< without `internal:*`
  bool has_intervals = true;                  ///< some sample has a time interval, not an instant
  std::set<std::string> splits = {};          ///< such as train, validation, test; at most kMostSplits
  bool has_unknown_times = false;             ///< columns of time have no usable value for some sample
};

/// A file of the dataset, relative to its folder.
struct DataFile {
  std::string name = {};
  std::optional<uint64_t> size_bytes = {};  ///< unknown for remote files but that of the dataset, and for absent ones
};

struct Facts {
  Collection collection = {};  ///< with the tree of the rows that the dataset shows
  bool has_tree = true;        ///< otherwise the numbers of samples are unknown
  Format format = Format::Zip;
  std::string folder = {};            ///< the folder of the files; "" when they are in several folders
  std::vector<DataFile> files = {};   ///< ZIP, Tortilla or TACO files; none of a FOLDER
  std::vector<DataFile> tables = {};  ///< Parquet files of the levels, outside of a ZIP
  std::string path = {};              ///< of the dataset, relative to `folder`
  std::string example_path = {};      ///< in the examples of code
  std::vector<LevelFacts> levels = {};
  std::set<std::string> suffixes = {};  ///< of the ids at level 0, such as ".png", in lower case; at most kMostSplits
  bool has_repeated_ids = false;        ///< at level 0: of samples in several files
  bool has_checksums = true;            ///< DescribeOptions::checksums
  std::vector<Publication> publications = {};
  Publication self = {};                       ///< citation of the dataset itself
  Hyperlink raw_link = {}, discuss_link = {};  ///< original data; forum
  std::vector<LabelClass> labels = {};
  std::string label_description = {};
  std::string sensor = {};
  std::vector<Band> bands = {};
  std::string split_strategy = {};
  std::vector<Statement> statements = {};
  std::string published = {};  ///< YYYY or YYYY-MM-DD; "": unknown
  std::string base_url = {};   ///< without a final slash

  /// Whether only the text of a COLLECTION.json is known, not its dataset.
  bool is_alone() const { return format == Format::Zip && files.empty(); }
  std::string title() const;  ///< or the id
  std::vector<std::string> keywords() const { return collection.keywords.value_or(std::vector<std::string>()); }
  std::vector<Contact> curators() const { return collection.curators.value_or(std::vector<Contact>()); }
  /// A URL, or a reference relative to the folder, for a file of the dataset.
  std::string href(std::string_view name) const;
  /// The URL, or relative reference, of the whole dataset.
  std::string url() const { return format == Format::Folder ? (base_url.empty() ? "." : base_url) : href(path); }
};

/// Facts of a dataset. The extent covers the STAC Items of level `items_level`.
Facts gather(const Dataset& dataset, const DescribeOptions& options, int items_level = 0);
/// Facts of a dataset with the extent that COLLECTION.json states; no samples are read.
Facts gather_stated(const Dataset& dataset, const DescribeOptions& options);
/// Facts of the text of a COLLECTION.json, which may be a draft. `path` is for messages. Throws FormatError and
/// SchemaError.
Facts gather(std::string_view json, const std::string& path, const DescribeOptions& options);

/// The media type of the files of a dataset.
const char* media_type(Format format);

/// The media type of Parquet.
inline constexpr const char* kParquetType = "application/vnd.apache.parquet";

/// The relative URL from one folder to another, percent-encoded, without a final slash. Symbolic links are not
/// resolved, as a description is read elsewhere.
std::string way_between(const std::string& from, const std::string& to);

/// ".tif" of "a/b.TIF"; "" for a name without a dot.
std::string suffix_of(std::string_view name);

/// "10.1234/abc" of "doi:10.1234/abc" or "https://doi.org/10.1234/abc"; "" for what is no DOI.
std::string doi_of(const std::string& text);

/// True for http:// and https://.
bool is_url(std::string_view text);

/// A word in lower case, and the word of another vocabulary that means the same.
using Translation = std::pair<std::string_view, std::string_view>;

/// The word of the other vocabulary for `word`, in whatever case; "" when it has none.
std::string translate(const std::string& word, std::span<const Translation> words);

/// The SPDX identifier in the spelling of SPDX; "" for any other licence.
std::string spdx_of(const std::string& licence);

/// The name of a contact, else the organization, else the e-mail address.
std::string name_of(const Contact& who);

/// `role` and `roles` in lower case, each once.
std::vector<std::string> roles_of(const Contact& who);

}  // namespace tacore::descriptions
