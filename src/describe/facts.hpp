#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/ops/describe.hpp"

/// Everything that descriptions say of a dataset as a whole, gathered once. A value: the forms know nothing of readers.
namespace tacore::descriptions {

struct Publication {
  std::string doi = {};
  std::string citation = {};
  std::string summary = {};
};

/// An address, and what is found there; no href: none.
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

/// What the makers say about responsible use.
struct Statement {
  std::string key = {};  ///< "rai:data_biases"
  std::string text = {};
};

struct LevelFacts {
  int64_t num_rows = 0;
  std::vector<FieldDescription> fields = {};  ///< without `internal:*`
  bool has_intervals = true;                  ///< the time of some sample is more than an instant
  std::set<std::string> splits = {};          ///< names of splits that samples are of
  bool has_unknown_times = false;             ///< there are columns of times that say nothing of some sample
};

/// A file of the dataset, relative to its folder.
struct DataFile {
  std::string name = {};
  std::optional<uint64_t> size_bytes = {};  ///< when it is there to be asked
};

struct Facts {
  Collection collection = {};  ///< texts and lists without nulls; its tree counts the rows that show
  bool has_tree = true;  ///< else nothing is known of counts
  Format format = Format::Zip;
  std::string folder = {};            ///< where the files lie, here; "" when in several places
  std::vector<DataFile> files = {};   ///< the ZIPs, Tortillas or TACOs; none of a FOLDER
  std::vector<DataFile> tables = {};  ///< the Parquet files of the levels, where they are files of their own
  std::string path = {};              ///< what a user opens, relative to `folder`
  std::string example_path = {};      ///< what examples open
  std::vector<LevelFacts> levels = {};
  std::vector<Publication> publications = {};
  Publication self = {};                       ///< how the dataset itself is cited
  Hyperlink raw_link = {}, discuss_link = {};  ///< what it was made of; where it is talked about
  std::vector<LabelClass> labels = {};
  std::string label_description = {};
  std::string sensor = {};
  std::vector<Band> bands = {};
  std::string split_strategy = {};
  std::vector<Statement> statements = {};
  std::string published = {};  ///< YYYY or YYYY-MM-DD; "" when it is not known
  std::string base_url = {};   ///< without a slash at its end

  /// A COLLECTION.json of which nobody knows where its samples are.
  bool is_alone() const { return format == Format::Zip && files.empty(); }
  std::string title() const;  ///< the id where there is none
  std::vector<std::string> keywords() const { return collection.keywords.value_or(std::vector<std::string>()); }
  std::vector<Contact> curators() const { return collection.curators.value_or(std::vector<Contact>()); }
  /// A URL, or a reference relative to the folder, for a file of the dataset.
  std::string href(std::string_view name) const;
  /// The same for the whole dataset.
  std::string url() const { return format == Format::Folder ? (base_url.empty() ? "." : base_url) : href(path); }
};

/// The extent holds the Items of level `items_level`.
Facts gather(const Dataset& dataset, const DescribeOptions& options, int items_level = 0);
/// The same with the extent that the collection states, whatever the samples say; nothing of them is read.
Facts gather_stated(const Dataset& dataset, const DescribeOptions& options);
/// What a COLLECTION.json of `path`, which may be a draft, says by itself. Throws FormatError and SchemaError.
Facts gather(std::string_view json, const std::string& path, const DescribeOptions& options);

/// The media type of the files of a dataset: a TACO ZIP is one that any ZIP tool opens.
const char* media_type(Format format);

/// That of its tables.
inline constexpr const char* kParquetType = "application/vnd.apache.parquet";

/// The way from a folder to another, encoded, without a slash at its end; as text: symbolic links do not matter to who
/// reads a description elsewhere.
std::string way_between(const std::string& from, const std::string& to);

/// The number behind "doi:" and "https://doi.org/"; "" for what is no DOI.
std::string doi_of(const std::string& text);

/// True for http:// and https://.
bool is_url(std::string_view text);

/// The SPDX identifier in its own spelling, "" for what is none.
std::string spdx_of(const std::string& licence);

/// A name to be shown of someone: the name, else the organization, else the e-mail address.
std::string name_of(const Contact& who);

/// `role` and `roles`, without repetition, in lower case.
std::vector<std::string> roles_of(const Contact& who);

}  // namespace tacore::descriptions
