#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <tacore/bbox.hpp>
#include <tacore/dataset.hpp>
#include <tacore/plumbing/options.hpp>
#include <tacore/raster/raster.hpp>
#include <tacore/time_range.hpp>
#include <tacore/write/table_options.hpp>
#include <tacore/write/tabular.hpp>

/// What the command line asks for: a plain struct and a function for each subcommand. A function writes data
/// to standard output, returns the exit code and throws what went wrong.
namespace tacore::cli {

/// The command line is wrong, whatever the data are: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Samples that meet both; what is absent is met by all.
struct Where {
  std::optional<BBox> bbox = {};
  std::optional<TimeRange> datetime = {};

  bool empty() const { return !bbox && !datetime; }
};

/// A file that is made, or standard output when `path` is empty.
struct Destination {
  std::string path = {};
  bool overwrite = false;
};

struct InfoOptions {
  std::string path = {};
  LoadOptions load = {};
  bool json = false;
  bool sources = false;  ///< list the partitions instead
  Where where = {};      ///< of the partitions
};
int run_info(const InfoOptions& options);

struct LsOptions {
  std::string path = {};
  std::optional<std::string> id = {};  ///< ids joined by '/'; the root when absent
  LoadOptions load = {};
  bool json = false;
};
int run_ls(const LsOptions& options);

/// Samples of a dataset.
struct Selection {
  std::string path = {};
  LoadOptions load = {};
  std::optional<std::string> sql = {};
  Where where = {};
  std::optional<int> level = {};  ///< that `where` tests
  bool footprint = false;         ///< the box tests what samples cover, not the published column
};

/// The operation to be planned: reading the rows of a selection, or one epoch of training over its samples.
struct PlanOptions {
  Selection selection = {};
  bool is_epoch = false;
  std::optional<int> batch_size = {};
  std::optional<int> seed = {};
  std::vector<std::string> inputs = {};  ///< paths of ids from a sample; none: the sample itself
  bool json = false;
};

struct QueryOptions {
  Selection selection = {};
  std::optional<int> limit = {};                 ///< rows
  std::vector<std::string> columns = {};         ///< none: all
  std::optional<tabular::Encoding> format = {};  ///< else the file name tells
  Destination output = {};
};
int run_query(const QueryOptions& options);
/// The first rows: 10 where no limit is given.
int run_head(const QueryOptions& options);
/// The number of samples.
int run_plan(const PlanOptions& options);
int run_count(const Selection& selection);

struct ColumnsOptions {
  std::string path = {};
  LoadOptions load = {};
  bool json = false;
};
/// Name, type and description of each column, by level.
int run_columns(const ColumnsOptions& options);

/// The pixels of a FILE, instead of its bytes.
struct PixelOptions {
  bool npy = false;
  bool png = false;
  std::vector<int> bands = {};  ///< from 1; none: all
  std::optional<Window> window = {};
};

struct ReadOptions {
  std::string path = {};
  std::string id = {};  ///< ids joined by '/'
  LoadOptions load = {};
  bool vsi = false;  ///< the GDAL path instead of the bytes
  PixelOptions pixels = {};
  Destination output = {};
};
int run_read(const ReadOptions& options);

struct PreviewCommandOptions {
  std::string path = {};
  std::string id = {};  ///< ids joined by '/'
  LoadOptions load = {};
  PreviewOptions preview = {};
  Destination output = {};
};
int run_preview(const PreviewCommandOptions& options);

struct StatsCommandOptions {
  std::string path = {};
  LoadOptions load = {};
  StatsOptions stats = {};
  std::vector<double> quantiles = {};  ///< in [0, 1]; p25, p50, p75 and p95 when there are none
  bool json = false;
  bool compute = false;  ///< from the pixels; what follows needs that
  Task task = {};
  OnError on_error = OnError::Throw;
};
int run_stats(const StatsCommandOptions& options);

/// What is said of a new dataset.
struct CollectionOptions {
  std::string collection = {};  ///< a JSON file; the members below are put over it
  std::optional<std::string> id = {}, dataset_version = {}, title = {}, description = {};
  std::vector<std::string> licenses = {}, providers = {}, tasks = {}, keywords = {};
  std::optional<std::string> published = {};  ///< of init and create
};
/// In any case of the path; `suffix` is in lower case.
bool ends_with(const std::string& path, std::string_view suffix);
/// The text of a file. Throws IoError.
std::string read_text(const std::string& path);
/// For a dataset at `output`: of a `.taco` the file may have the form of TACO 0.2.0.
Collection collection_of(const CollectionOptions& options, const std::string& output);
/// Throws UsageError that lists what a new dataset needs and `collection` lacks, with the options that give it.
void require_members(const Collection& collection, const CollectionOptions& options, bool has_tasks);

struct InitOptions : CollectionOptions {
  Destination output = {.path = "collection.json"};
};
/// Writes the file that `--collection` reads. On a terminal it asks for what is missing.
int run_init(const InitOptions& options);

struct CreateCommandOptions : CollectionOptions {
  std::string source = {};  ///< a folder or a table
  TableOptions table = {};
  std::string fields = {};  ///< a table that describes the columns
  std::string output = {};
  bool pad = false;
  std::optional<int> pad_to = {};
  bool no_places = false;
  std::vector<std::string> extensions = {};  ///< as separate_extensions() takes them
  std::optional<TimeRange> datetime = {};    ///< of .taco
  bool is_tog = false;                       ///< GeoTIFFs are stored as TOGs
  TogSamplesOptions togs = {};               ///< also of the TOGs of a streaming .taco
  CreateOptions how = {};
  v1::CreateTacoOptions v1 = {};  ///< of .taco and .tortilla, beyond what `how` has
};
int run_create(const CreateCommandOptions& options);

struct ExtensionsOptions {
  std::string name = {};  ///< of one extension; all when it is empty
};
/// What the extensions of create add, and their parameters.
int run_extensions(const ExtensionsOptions& options);

struct ExportCommandOptions {
  Selection selection = {};
  std::string output = {};
  ExportOptions how = {};
};
int run_export(const ExportCommandOptions& options);

struct ReplayCommandOptions {
  std::string path = {};
  bool json = false;
  ReplayOptions how = {};
};
/// 0 when the replay has the bytes of the export, 1 when it has not.
int run_replay(const ReplayCommandOptions& options);

struct ConvertOptions : CollectionOptions {
  std::string input = {};
  std::string output = {};
  CreateOptions how = {};
};
int run_convert(const ConvertOptions& options);

struct CompileCommandOptions {
  Selection selection = {};
  std::string output = {};
  v1::CreateTacoOptions how = {};
};
int run_compile(const CompileCommandOptions& options);

struct ConcatOptions {
  std::vector<std::string> paths = {};  ///< of the datasets, then of the new one
  ColumnMode mode = ColumnMode::Intersection;
  ExportOptions how = {};
};
int run_concat(const ConcatOptions& options);

struct EditCommandOptions {
  std::string path = {};
  std::vector<std::string> set = {}, set_json = {};  ///< KEY=VALUE each
  std::vector<std::string> unset = {};
  bool force = false;  ///< members that no collection is known to have
  std::vector<std::string> columns = {}, drop = {};
  int level = 0;  ///< of the columns
  EditOptions how = {};
};
int run_edit(const EditCommandOptions& options);

struct RepairCommandOptions {
  std::string path = {};
  Destination output = {};            ///< of the plan
  std::string apply = {}, undo = {};  ///< paths of plans
  std::vector<std::string> accept = {};
  EditOptions how = {};
};
int run_repair(const RepairCommandOptions& options);

struct DiffCommandOptions {
  std::string a = {}, b = {};
  bool json = false;
  DiffOptions how = {};
};
/// 0 when both are equal, 1 when they differ, 2 when that cannot be told.
int run_diff(const DiffCommandOptions& options);

/// Where the password of a secret key comes from, which is never an argument: a file, such as /dev/fd/3, the
/// environment variable TACO_KEY_PASSWORD, or the terminal.
struct PasswordOptions {
  std::string file = {};
};

struct KeygenCommandOptions {
  std::string path = {};
  PasswordOptions password = {};
  bool no_password = false;
  KeyOptions how = {};
};
int run_keygen(const KeygenCommandOptions& options);

struct SignCommandOptions {
  std::string path = {};
  PasswordOptions password = {};
  SignOptions how = {};
};
int run_sign(const SignCommandOptions& options);

struct VerifyCommandOptions {
  std::string path = {};
  bool json = false;
  VerifyOptions how = {};
};
int run_verify(const VerifyCommandOptions& options);

struct IndexCommandOptions {
  std::vector<std::string> inputs = {};
  TacocatOptions how = {};
  bool sidecar = false, beside = false, check = false;
};
int run_index(const IndexCommandOptions& options);

struct CollectCommandOptions {
  std::vector<std::string> inputs = {};
  TacollectionOptions how = {};
};
int run_collect(const CollectCommandOptions& options);

/// What a dataset is described as.
enum class Description { Stac, StacGeoparquet, Geoparquet, Croissant, Datacite, Card, Markdown, Html, All };

struct DescribeCommandOptions {
  std::string path = {};
  LoadOptions load = {};
  Description as = Description::Markdown;
  std::string base_url = {};
  std::string published = {};
  bool checksums = true;
  int thumbnails = DescribeOptions().thumbnails;
  std::string viewer_url = {};     ///< to which the HTML page links
  std::string viewer_tables = {};  ///< name of a folder beside the card
  std::optional<int> level = {};   ///< of Items and tables
  Destination output = {};         ///< of STAC and of all forms a folder
};
int run_describe(const DescribeCommandOptions& options);

struct ViewCommandOptions {
  std::string path = {};
  LoadOptions load = {};
  int port = 0;  ///< any that is free
  bool opens_browser = true;
  std::string base_url = {};
  std::vector<std::string> servers = {};
  Destination output = {};  ///< of the page alone
};
int run_view(const ViewCommandOptions& options);

struct PublishCommandOptions {
  std::string path = {};
  std::string output = {};
  Platform platform = Platform::HuggingFace;
  PublishOptions how = {};
};
int run_publish(const PublishCommandOptions& options);

struct SiteCommandOptions {
  std::string datasets = {};  ///< a folder or a list
  std::string output = {};
  SiteOptions how = {};
};
/// A static catalogue of many datasets.
int run_site(const SiteCommandOptions& options);
/// Lists the datasets of a folder or a catalogue, for `taco info`.
int list_listing(const InfoOptions& options);

struct SyncCommandOptions {
  std::string from = {};
  std::string to = {};
  SyncOptions how = {};
};
int run_sync(const SyncCommandOptions& options);

struct TiffIndexCommandOptions {
  std::string path = {};
  TiffIndexFileOptions how = {};
};
int run_index_tiffs(const TiffIndexCommandOptions& options);

struct TogCommandOptions {
  std::string input = {};
  std::string output = {};
  TogOptions how = {};
};
int run_tog(const TogCommandOptions& options);

struct DoctorCommandOptions {
  std::string path = {};
  DoctorOptions how = {};
  bool json = false;
  std::string report = {};  ///< file, whose ending tells its form
  bool overwrite = false;
};
/// 1 when a rule is broken that is an error.
int run_doctor(const DoctorCommandOptions& options);

struct ValidateCommandOptions {
  std::string path = {};
  std::vector<std::string> profiles = {};  ///< conventions as well as profiles of the library
  ValidateOptions how = {};
  bool json = false;
  std::vector<std::string> reports = {};  ///< files, whose endings tell their form
  bool overwrite = false;
};
/// 1 when a rule is broken that is an error, 0 with warnings only.
int run_validate(const ValidateCommandOptions& options);

}  // namespace tacore::cli
