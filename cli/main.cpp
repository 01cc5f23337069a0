// The command line of taco: what it may say, and nothing of what is done about it.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <tacore/error.hpp>
#include <tacore/plumbing/options.hpp>
#include <tacore/remote.hpp>
#include <tacore/verbose.hpp>
#include <tacore/version.hpp>

#include "arguments.hpp"
#include "base/nearest.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "extensions.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "manual.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

constexpr const char* kDatasetHelp = "Dataset: .tacozip, folder, .tacocat, TACOLLECTION.json, .taco, .tortilla";

constexpr const char* kSignedHelp = "Dataset: .tacozip, .zip or folder";
constexpr const char* kIdHelp = "Ids from the root to the sample, such as a, a/b or a/b/c";
constexpr const char* kOutputHelp = "New dataset: .tacozip, .zip, .taco or .tortilla; any other name is a folder";
constexpr const char* kV1Group = "Only for .taco and .tortilla (formats before 2.0)";
constexpr const char* kMessageGroup = "Messages";
constexpr const char* kRemoteGroup = "Remote paths (http, s3, hf, gs, az, ...)";

/// Help in lines of at most 100 characters, commands before options, without CLI11's TEXT, REQUIRED and Needs, which
/// the usage line and the texts say better.
class HelpFormat final : public CLI::Formatter {
 public:
  HelpFormat() {
    column_width(kTextColumn);
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Arguments");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_positional() ? "" : option->get_type_name();
    return type.empty() ? "" : " " + type;
  }
  std::string make_option_desc(const CLI::Option* option) const override { return wrapped(option->get_description()); }
  std::string make_subcommand(const CLI::App* command) const override {
    std::string name = "  " + command->get_name();
    name.resize(kTextColumn, ' ');
    std::string text = wrapped(command->get_description());
    for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
      text.insert(at + 1, kTextColumn, ' ');
    return name + text + "\n";
  }
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> of) const override {
    const std::string heading = group + ":", out = CLI::Formatter::make_group(std::move(group), is_positional, of);
    const auto at = out.find(heading);
    return at == out.npos
               ? out
               : out.substr(0, at) + coloured(Colour::Bold, heading, STDOUT_FILENO) + out.substr(at + heading.size());
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string out = make_description(app) + make_usage(app, std::move(name)) + make_subcommands(app, mode) +
                      make_positionals(app) + make_groups(app, mode) + "\n" + make_footer(app);
    for (auto at = out.find("\n\n\n"); at != out.npos; at = out.find("\n\n\n", at)) out.erase(at, 1);
    return out;
  }

 private:
  static constexpr std::size_t kTextColumn = 31, kLineWidth = 100;

  static std::string wrapped(const std::string& text) {
    std::string out;
    for (const auto& line : fill(words(text), kLineWidth - kTextColumn)) out += (out.empty() ? "" : "\n") + line;
    return out;
  }
};

struct Messages {
  bool verbose = false;
  bool debug = false;
  bool quiet = false;
};

struct Tool {
  CLI::App app{"Reads, queries, writes and checks TACO datasets of Earth observation imagery.", "taco"};
  Messages messages = {};
  RemoteOptions remote = {.fallback = remote_opener()};
  std::vector<std::pair<CLI::App*, std::function<int()>>> commands = {};

  /// A subcommand that calls `run` with its options.
  template <class Options>
  std::pair<CLI::App*, std::shared_ptr<Options>> add(const char* name, const char* what, const char* examples,
                                                     int (*run)(const Options&)) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(name, what);
    command->footer(std::string("Examples:\n") + examples);
    commands.emplace_back(command, [options, run] { return run(*options); });
    return {command, options};
  }

  /// One that opens a dataset.
  template <class Options>
  std::pair<CLI::App*, std::shared_ptr<Options>> add_reader(const char* name, const char* what, const char* examples,
                                                            int (*run)(const Options&)) {
    auto out = add(name, what, examples, run);
    out.first->add_option("PATH", out.second->path, kDatasetHelp)->required();
    return out;
  }
};

/// An option of one argument that `set` makes sense of.
CLI::Option* add_parsed(CLI::App* command, const std::string& names, const char* metavariable,
                        std::function<void(const std::string&)> set, const std::string& what) {
  return command->add_option_function<std::string>(names, std::move(set), what)->type_name(metavariable);
}

std::vector<CLI::Option*> add_where(CLI::App* command, Where& where) {
  return {
      add_parsed(
          command, "--bbox", "XMIN,YMIN,XMAX,YMAX", [&](const std::string& text) { where.bbox = parse_bbox(text); },
          "Bounding box: west, south, east, north in degrees"),
      add_parsed(
          command, "--datetime", "START/END", [&](const std::string& text) { where.datetime = parse_datetime(text); },
          "Time range, both ends included, such as 2020-01-01/2020-12-31, 2020 or 2020-06; '..' is an open end")};
}

void add_output(CLI::App* command, Destination& output) {
  auto* file = add_parsed(
      command, "-o,--output", "FILE",
      [&](const std::string& text) {
        if (text.empty()) throw UsageError("--output: the name of the file is empty");
        output.path = text;
      },
      "Write this file instead of standard output");
  command->add_flag("--overwrite", output.overwrite, "Replace an existing file")->needs(file);
}

/// The name of an option on the command line: `split_size` is `--split-size`.
std::string flag_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

/// Makes the flags of a command of the list of options, except those in `left_out` and those that it has already.
class OptionAdder {
 public:
  explicit OptionAdder(CLI::App* command, std::vector<std::string_view> left_out = {}, std::string group = {})
      : command_(command), left_out_(std::move(left_out)), group_(std::move(group)) {}

  template <class T>
  void operator()(const std::string& name, T& value, const std::string& what) const {
    const bool is_left_out = std::find(left_out_.begin(), left_out_.end(), name) != left_out_.end();
    if (is_left_out || command_->get_option_no_throw(flag_of(name))) return;
    CLI::Option* option = add(name, value, what.substr(0, what.find_last_not_of('.') + 1));
    if (!group_.empty()) option->group(group_);
  }

 private:
  CLI::Option* add(const std::string& name, bool& value, const std::string& what) const {
    if (!value) return command_->add_flag(flag_of(name), value, what);
    return command_->add_flag_callback(
        flag_of("no_" + name), [&] { value = false; }, negated(what));
  }
  CLI::Option* add(const std::string& name, std::string& value, const std::string& what) const {
    const bool is_folder = name == "base_path" || name.ends_with("dir");
    return command_->add_option((name == "output" ? "-o," : "") + flag_of(name), value, what)
        ->type_name(is_folder                   ? "DIR"
                    : name == "output"          ? "PATH"
                    : name == "id"              ? "ID"
                    : name.ends_with("key")     ? "FILE"
                    : name == "separator"       ? "CHAR"
                    : name.ends_with("_column") ? "NAME"
                    : name.ends_with("_url")    ? "URL"
                                                : "TEXT");
  }
  CLI::Option* add(const std::string& name, std::vector<int>& bands, const std::string& what) const {
    return add_parsed(
        command_, flag_of(name), "B,...", [&](const std::string& text) { bands = parse_bands(text); }, what);
  }
  CLI::Option* add(const std::string& name, OnError& value, const std::string& what) const {
    return add_parsed(
        command_, flag_of(name), "raise|skip", [&](const std::string& text) { value = parse_on_error(text); }, what);
  }
  CLI::Option* add(const std::string& name, std::vector<std::string>& value, const std::string& what) const {
    return command_->add_option(flag_of(name), value, what)
        ->type_name(name == "group_by" ? "COLUMN" : "NAME")
        ->expected(1)
        ->delimiter(',')
        ->take_all();
  }
  CLI::Option* add(const std::string& name, std::vector<std::pair<std::string, std::string>>& pairs,
                   const std::string& what) const {
    if (name == "rename") {
      return add_parsed(
                 command_, "--rename", "OLD=NEW", [&](const std::string& text) { pairs.push_back(parse_rename(text)); },
                 what + "; repeat for more")
          ->trigger_on_parse();
    }
    return add_parsed(
               command_, "--header", "NAME:VALUE",
               [&](const std::string& text) { pairs.push_back(parse_http_header(text)); }, what)
        ->trigger_on_parse();
  }
  CLI::Option* add(const std::string& name, ParquetOptions& value, const std::string& what) const {
    std::string keys;
    visit_options(value, [&](const char* key, const auto&, const char*) {
      keys += (keys.empty() ? "" : ", ") + std::string(key);
    });
    return add_parsed(
               command_, flag_of(name), "KEY=VALUE", [&](const std::string& text) { set_parquet(value, text); },
               what + ": " + keys)
        ->trigger_on_parse();
  }
  CLI::Option* add(const std::string& name, double& value, const std::string& what) const {
    return command_->add_option(flag_of(name), value, with_default(what, value))->type_name("N");
  }
  CLI::Option* add(const std::string& name, uint64_t& value, const std::string& what) const {
    return add_parsed(
        command_, flag_of(name), "SIZE",
        [&value, flag = flag_of(name)](const std::string& text) { value = parse_bytes(flag, text); }, what);
  }
  template <class Integer>
  CLI::Option* add(const std::string& name, Integer& value, const std::string& what) const {
    return add_parsed(
        command_, flag_of(name), "N",
        [&value, flag = flag_of(name)](const std::string& text) { value = parse_count(flag, text); },
        with_default(what, value));
  }
  CLI::Option* add(const std::string& name, std::optional<uint64_t>& value, const std::string& what) const {
    return add_parsed(
        command_, flag_of(name), "SIZE",
        [&value, flag = flag_of(name)](const std::string& text) {
          value = text == "none" ? 0 : parse_bytes(flag, text);
        },
        what);
  }
  CLI::Option* add(const std::string& name, std::optional<int>& value, const std::string& what) const {
    return add_parsed(
        command_, flag_of(name), "N",
        [&value, flag = flag_of(name)](const std::string& text) { value = parse_count(flag, text); }, what);
  }
  /// "Write the index" is "Do not write the index".
  static std::string negated(std::string what) {
    what.front() = static_cast<char>(what.front() | 0x20);
    return "Do not " + what;
  }
  template <class Number>
  static std::string with_default(const std::string& what, Number value) {
    if (value == 0) return what;
    std::ostringstream out;
    out << what << "; by default " << value;
    return out.str();
  }

  CLI::App* command_;
  std::vector<std::string_view> left_out_;
  std::string group_;
};

/// Options of commands that open a dataset, and read no bytes of its samples.
void add_load(CLI::App* command, LoadOptions& load) { visit_options(load, OptionAdder(command, {"verify"})); }

void add_info(Tool& tool) {
  auto [command, options] = tool.add_reader(
      "info", "Shows the description, extent, tree and columns of a dataset, or lists those of a folder",
      "  taco info landsat.tacozip\n"
      "  taco info landsat.tacozip --json | jq .levels\n"
      "  taco info archive/\n"
      "  taco info TACOLLECTION.json --sources --bbox -10,35,5,45",
      run_info);
  command->add_flag("--json", options->json, "Print JSON");
  auto* sources = command->add_flag("--sources", options->sources,
                                    "List the partitions of a .tacocat or TACOLLECTION.json: file, id, bbox, datetime");
  for (auto* option : add_where(command, options->where)) option->needs(sources);
  add_load(command, options->load);
}

void add_ls(Tool& tool) {
  auto [command, options] = tool.add_reader("ls", "Lists samples, or the children of a sample",
                                            "  taco ls landsat_nested.tacozip\n"
                                            "  taco ls landsat_nested.tacozip tile_r1_c1",
                                            run_ls);
  add_parsed(
      command, "ID", "", [o = options](const std::string& text) { o->id = text; }, kIdHelp);
  command->add_flag("--json", options->json, "Print JSON: an array of {id, type}");
  add_load(command, options->load);
}

/// What selects samples, PATH aside.
void add_selection(CLI::App* command, Selection& selection) {
  add_parsed(
      command, "SQL", "", [&](const std::string& text) { selection.sql = text; },
      "SELECT statement on the tables data (samples that pass the filters), level0, level1, ... (all rows of a level) "
      "and l0, l1, ... (rows that pass the filters, with the columns of their ancestors)");
  auto* box = add_where(command, selection.where)[0];
  command->add_flag("--footprint", selection.footprint, "Test the area that a sample covers, not its centroid")
      ->needs(box);
  add_parsed(
      command, "--level", "N", [&](const std::string& text) { selection.level = parse_count("--level", text); },
      "Test children at depth N; a sample is kept if any of its children matches");
  add_load(command, selection.load);
}

/// Options of the tool whose names have changed: an old name is refused with the new one.
constexpr std::pair<const char*, const char*> kOldNames[] = {{"--limit", "--max-concurrent-requests"},
                                                             {"--tries", "--max-tries"},
                                                             {"--cache", "--cache-dir"},
                                                             {"--block", "--block-size"},
                                                             {"--no-tacocat", "--no-consolidate"},
                                                             {"--no-validate-schema", "--allow-different-columns"},
                                                             {"--skip-bad", "--on-error skip"}};

void add_old_names(CLI::App* app) {
  for (const auto& [old_name, name] : kOldNames) {
    if (app->get_option_no_throw(old_name)) continue;  // it has another meaning here
    const auto refuse = [old_name = old_name, name = name] {
      throw UsageError(std::string(old_name) + " is called " + name + " now");
    };
    const bool is_flag = std::string_view(old_name).starts_with("--no-") || std::string_view(name).ends_with(" skip");
    if (is_flag) app->add_flag_callback(old_name, refuse)->group("");
    else
      add_parsed(
          app, old_name, "", [refuse](const std::string&) { refuse(); }, "")
          ->group("");
  }
}

/// Which rows and columns of the samples, and where they go.
void add_table(CLI::App* command, QueryOptions& options, const char* limit) {
  command->add_option("PATH", options.selection.path, kDatasetHelp)->required();
  add_selection(command, options.selection);
  add_parsed(
      command, "-n,--limit", "N", [&](const std::string& text) { options.limit = parse_count("--limit", text); },
      limit);
  command->add_option("--columns", options.columns, "Names of the columns, separated by commas; by default all")
      ->type_name("COLUMN")
      ->expected(1)
      ->delimiter(',')
      ->take_all();
  add_parsed(
      command, "-f,--format", "FORMAT", [&](const std::string& text) { options.format = parse_format(text); },
      "table, csv, json or parquet; by default as the ending of FILE says, else table");
  add_output(command, options.output);
}

void add_query(Tool& tool) {
  auto [command, options] =
      tool.add("query", "Selects samples by place, time and SQL",
               "  taco query landsat.tacozip \"SELECT id, mean_nir FROM data WHERE split = 'test'\"\n"
               "  taco query landsat.tacozip --columns id,mean_nir,split --limit 5\n"
               "  taco query landsat.tacozip --bbox -34.87,-8.0,-34.85,-7.98 -o some.parquet\n"
               "  taco query landsat.tacozip \"SELECT id FROM data\" --bbox -34.888,-7.965,-34.886,-7.963 --footprint\n"
               "  taco query landsat_nested.tacozip --level 1 --datetime 2000-01-01/2000-12-31 -f csv",
               run_query);
  add_table(command, *options, "Number of rows, the first ones; by default all, of which a terminal shows 20");
}

void add_head(Tool& tool) {
  auto [command, options] = tool.add("head", "Shows the first samples",
                                     "  taco head landsat.tacozip\n"
                                     "  taco head landsat.tacozip -n 3 --columns id,split,stac:centroid",
                                     run_head);
  add_table(command, *options, "Number of rows; by default 10");
}

void add_count(Tool& tool) {
  auto [command, options] = tool.add("count", "Counts samples, all or those at a place, in a time range or of a query",
                                     "  taco count landsat.tacozip\n"
                                     "  taco count landsat.tacozip \"SELECT * FROM data WHERE split = 'test'\"\n"
                                     "  taco count landsat.tacozip --datetime 2000",
                                     run_count);
  command->add_option("PATH", options->path, kDatasetHelp)->required();
  add_selection(command, *options);
}

void add_plan(Tool& tool) {
  auto [command, options] =
      tool.add("plan", "Says how many requests and bytes reading a remote dataset needs",
               "  taco plan https://host/chips.tacozip\n"
               "  taco plan https://host/chips.tacozip \"SELECT id FROM data WHERE split = 'test'\"\n"
               "  taco plan https://host/chips.tacozip --epoch --batch-size 32 --seed 1",
               run_plan);
  command->add_option("PATH", options->selection.path, kDatasetHelp)->required();
  add_selection(command, options->selection);
  command->add_flag("--epoch", options->is_epoch, "Plan one epoch of a loader over the samples, not their rows");
  add_parsed(
      command, "--batch-size", "N",
      [options = options](const std::string& text) { options->batch_size = parse_count("--batch-size", text); },
      "With --epoch: number of samples in a batch; by default 1");
  add_parsed(
      command, "--seed", "N",
      [options = options](const std::string& text) { options->seed = parse_count("--seed", text); },
      "With --epoch: seed of the order; by default the samples are in the order of the rows");
  command->add_option("--input", options->inputs, "With --epoch: id of a child, or path of ids; repeat for more")
      ->type_name("ID")
      ->expected(1)
      ->take_all();
  command->add_flag("--json", options->json, "Print JSON");
}

void add_columns(Tool& tool) {
  auto [command, options] =
      tool.add_reader("columns", "Lists the columns of each level, with their types and descriptions",
                      "  taco columns landsat_nested.tacozip", run_columns);
  command->add_flag("--json", options->json, "Print JSON: an array of {level, name, type, description}");
  add_load(command, options->load);
}

void add_read(Tool& tool) {
  auto [command, options] = tool.add_reader("read", "Copies a file out of a dataset, byte for byte",
                                            "  taco read landsat.tacozip tile_r0_c0 -o tile.tif\n"
                                            "  gdalinfo \"$(taco read landsat_nested.tacozip tile_r1_c1/dem --vsi)\"",
                                            run_read);
  command
      ->add_option("ID", options->id, "Ids from the root to the file, such as a/b/c; a/b/c::2 is chunk 2 of its raster")
      ->required();
  auto* vsi =
      command->add_flag("--vsi", options->vsi, "Print the path that GDAL and rasterio open, instead of copying");
  auto* npy =
      command->add_flag("--npy", options->pixels.npy, "Write the pixels as a NumPy array: (bands, height, width)");
  auto* png = command->add_flag("--png", options->pixels.png,
                                "Write the pixels as PNG, not stretched: uint8 or uint16, up to 4 bands");
  vsi->excludes(npy)->excludes(png);
  npy->excludes(png);
  visit_bands(options->pixels.bands, OptionAdder(command));
  add_parsed(
      command, "--window", "X,Y,WIDTH,HEIGHT",
      [o = options](const std::string& text) { o->pixels.window = parse_window(text); },
      "Only these pixels, counted from the upper left corner; this and --bands need --npy or --png");
  add_output(command, options->output);
  visit_options(options->load, OptionAdder(command));
}

void add_preview(Tool& tool) {
  auto [command, options] = tool.add_reader("preview", "Makes a small picture (PNG) of an image",
                                            "  taco preview landsat.tacozip tile_r0_c0 -o tile.png\n"
                                            "  taco preview landsat.tacozip tile_r0_c0 --bands 4,3,2 -o colours.png",
                                            run_preview);
  command->add_option("ID", options->id, kIdHelp)->required();
  visit_options(options->preview, OptionAdder(command));
  add_output(command, options->output);
  visit_options(options->load, OptionAdder(command));
}

void add_stats(Tool& tool) {
  auto [command, options] = tool.add_reader("stats", "Shows statistics of each band over all samples",
                                            "  taco stats landsat.tacozip\n"
                                            "  taco stats landsat_nested.tacozip --child optical --bands 4,3 --json\n"
                                            "  taco stats landsat_nested.tacozip --compute --child dem --quantile 0.02",
                                            run_stats);
  visit_options(options->stats, OptionAdder(command));
  add_parsed(
      command, "--band", "B",
      [](const std::string&) { throw UsageError("--band is now --bands, such as --bands 4,1"); },
      "")
      ->group("");  // not in the help
  command->get_option("--id")->needs(command->get_option("--level"));
  command->add_flag("--json", options->json, "Print JSON: an array with an object for each band");
  add_parsed(
      command, "--quantile", "P",
      [o = options](const std::string& text) { o->quantiles.push_back(parse_share("--quantile", text)); },
      "Quantile from 0 to 1 instead of p25 to p95, of stored histograms or with --compute; repeat for more")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->trigger_on_parse();
  auto* compute =
      command->add_flag("--compute", options->compute,
                        "Compute the statistics of all pixels, instead of reading those that samples store");
  visit_options(options->task, OptionAdder(command));
  visit_on_error(options->on_error, OptionAdder(command));
  command->get_option("--on-error")->needs(compute);
  visit_options(options->load, OptionAdder(command));
  command->get_option("--no-verify")->needs(compute);
}

void add_describe(Tool& tool) {
  auto [command, options] = tool.add_reader(
      "describe", "Describes a dataset as STAC, GeoParquet, Croissant, DataCite, Markdown or a web page",
      "  taco describe landsat.tacozip --as html -o landsat.html\n"
      "  taco describe landsat.tacozip --as stac -o catalog/\n"
      "  taco describe landsat.tacozip --as all -o site/ --base-url https://example.org/data\n"
      "  taco describe landsat.tacozip --as croissant --base-url https://example.org/data\n"
      "  taco describe landsat.tacozip --as datacite --published 2026-11-23\n"
      "  taco describe landsat.tacozip --as card --viewer-tables table -o README.md",
      run_describe);
  add_parsed(
      command, "--as", "FORM", [o = options](const std::string& text) { o->as = parse_description(text); },
      "stac, stac-geoparquet, geoparquet, croissant, datacite, card, markdown, html, or all of them as a folder with "
      "links between them (-o DIR)")
      ->required();
  add_parsed(
      command, "--level", "N", [o = options](const std::string& text) { o->level = parse_count("--level", text); },
      "Level of the samples, for stac with -o, stac-geoparquet and geoparquet; by default 0");
  command
      ->add_option("--base-url", options->base_url,
                   "URL of the folder with the files of the dataset, for absolute links")
      ->type_name("URL");
  command
      ->add_option(
          "--published", options->published,
          "Date of publication, YYYY or YYYY-MM-DD; by default the member `published` of COLLECTION.json (create "
          "--published, edit --set published=DATE), else SOURCE_DATE_EPOCH")
      ->type_name("DATE");
  command->add_flag("!--no-checksums", options->checksums,
                    "Leave the SHA-256 of local files out of croissant and html, which are read whole for it; "
                    "mlcroissant requires them");
  command
      ->add_option("--viewer", options->viewer_url,
                   "For html: URL of the page that taco view -o writes, or its path from the html page, which links to "
                   "it; the folder of all forms has such a page")
      ->type_name("URL");
  command
      ->add_option(
          "--viewer-tables", options->viewer_tables,
          "For card with -o: also write the samples of each split as NAME/SPLIT.parquet beside the card, which "
          "names them for the viewer of the Hugging Face Hub")
      ->type_name("NAME");
  add_parsed(
      command, "--thumbnails", "N",
      [o = options](const std::string& text) { o->thumbnails = parse_count("--thumbnails", text); },
      "Samples that the html page shows as pictures, spread evenly over all rows; by default 12, which add at most 1.2 "
      "MB; 0: none");
  add_output(command, options->output);
  add_load(command, options->load);
}

void add_view(Tool& tool) {
  auto [command, options] =
      tool.add("view", "Shows a dataset in the browser: map, filters, table and pixels",
               "  taco view landsat.tacozip\n"
               "  taco view hf://datasets/OWNER/NAME/chips.tacozip --no-browser --port 8000\n"
               "  taco view landsat.tacozip -o index.html\n"
               "  taco view s3://bucket/chips.tacozip -o chips.html --server https://cdn.example.org",
               run_view);
  command->add_option("PATH", options->path, std::string(kDatasetHelp) + "; with -o FILE it may be left out");
  command->add_flag("!--no-browser", options->opens_browser, "Print the address of the page only");
  add_parsed(
      command, "--port", "N", [o = options](const std::string& text) { o->port = parse_count("--port", text); },
      "Port on this machine (127.0.0.1), such as one that ssh forwards; by default any that is free");
  command
      ->add_option(
          "--base-url", options->base_url,
          "With -o: URL of the folder with the files of the dataset; by default the page opens a local dataset "
          "by its path relative to FILE, once a web server has both")
      ->type_name("URL");
  command
      ->add_option(
          "--server", options->servers,
          "With -o: another server that the page may read, such as one that the dataset's server redirects to; "
          "repeat for more")
      ->type_name("URL")
      ->expected(1)
      ->take_all();
  add_output(command, options->output);
  command->get_option("--output")
      ->description(
          "Write the page as one HTML file, instead of viewing at once; without "
          "PATH it shows any dataset, dropped on it or at page.html?url=URL");
  add_load(command, options->load);
}

void add_validate(Tool& tool) {
  auto [command, options] = tool.add_reader("validate", "Checks a dataset against every rule of the specification",
                                            "  taco validate landsat.tacozip --deep\n"
                                            "  taco validate landsat.tacozip --assets --report faults.html",
                                            run_validate);
  visit_options(options->how, OptionAdder(command));
  command->add_flag("--json", options->json, "Print JSON: an array of the findings");
  auto* report = command
                     ->add_option("--report", options->reports,
                                  "File for a report, also: .html with a map and pictures of the worst samples, .sarif "
                                  "for code hosts, .json as --json; repeat for more")
                     ->type_name("FILE")
                     ->expected(1)
                     ->take_all();
  command->add_flag("--overwrite", options->overwrite, "Replace existing reports")->needs(report);
  command
      ->add_option("--profile", options->profiles,
                   "Require the columns of a profile: land-cover, change, methane, flood; before 2.0 stac-tortilla, "
                   "rai-tortilla")
      ->type_name("NAME")
      ->expected(1)
      ->delimiter(',')
      ->take_all();
}

void add_doctor(Tool& tool) {
  auto [command, options] =
      tool.add_reader("doctor", "Writes a report card of a dataset: what to improve, the most useful first",
                      "  taco doctor landsat.tacozip\n"
                      "  taco doctor landsat.tacozip --report card.html",
                      run_doctor);
  visit_options(options->how, OptionAdder(command));
  command->add_flag("--json", options->json, "Print JSON");
  auto* report = command
                     ->add_option("--report", options->report,
                                  "File for the report card, also: .html with a map and pictures, or .json")
                     ->type_name("FILE");
  command->add_flag("--overwrite", options->overwrite, "Replace an existing report")->needs(report);
}

/// What is said of a new dataset, from options alone.
void add_members(CLI::App* command, CollectionOptions& options) {
  const auto text = [&](const char* name, const char* metavariable, const char* what, std::optional<std::string>& to) {
    add_parsed(
        command, name, metavariable, [&to](const std::string& given) { to = given; }, what);
  };
  const auto texts = [&](const char* name, const char* metavariable, const char* what, std::vector<std::string>& to) {
    command->add_option(name, to, what)->type_name(metavariable)->expected(1)->take_all();
  };
  text("--id", "ID", "Id of the dataset: lowercase letters, digits, _ and -", options.id);
  text("--dataset-version", "VERSION", "Version of the dataset; by default 1.0.0", options.dataset_version);
  text("--title", "TEXT", "Title, at most 250 characters", options.title);
  text("--description", "TEXT", "Description of the dataset", options.description);
  texts("--license", "SPDX", "Licence (SPDX), such as CC-BY-4.0; repeat for more, as the options below",
        options.licenses);
  texts("--provider", "NAME", "Person or organisation that made or hosts the dataset", options.providers);
  texts("--task", "TASK", "Task of machine learning, such as classification, segmentation, regression or other",
        options.tasks);
  texts("--keyword", "WORD", "Keyword for search; repeat for more", options.keywords);
}

void add_published(CLI::App* command, CollectionOptions& options) {
  add_parsed(
      command, "--published", "DATE", [&](const std::string& text) { options.published = parse_published(text); },
      "Date of publication, YYYY or YYYY-MM-DD: the member `published` of COLLECTION.json, which taco describe reads");
}

/// What is said of a new dataset.
void add_collection(CLI::App* command, CollectionOptions& options) {
  command
      ->add_option("--collection", options.collection,
                   "COLLECTION.json with some or all members, as taco init writes it; the options below replace them")
      ->type_name("FILE");
  add_members(command, options);
}

void add_init(Tool& tool) {
  auto [command, options] =
      tool.add("init", "Writes the collection.json of a new dataset: asks five questions, or takes their answers",
               "  taco init\n"
               "  taco init chips.json --id chips --description \"Chips of a scene\" --license CC-BY-4.0 \\\n"
               "      --provider \"Our lab\" --task segmentation",
               run_init);
  command->add_option("FILE", options->output.path, "New file; by default collection.json");
  add_members(command, *options);
  add_published(command, *options);
  command->add_flag("--overwrite", options->output.overwrite, "Replace an existing file");
}

void require_streaming(CLI::App* command, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    command->get_option(name)->needs(command->get_option("--streaming"));
  }
}

void add_create(Tool& tool) {
  auto [command, options] =
      tool.add("create", "Creates a dataset from a folder or a table of files",
               "  taco create chips/ chips.tacozip --id chips --description \"Chips of a scene\" \\\n"
               "      --license CC-BY-4.0 --provider \"Our lab\" --task segmentation\n"
               "  taco create samples.csv chips.tacozip --collection collection.json\n"
               "  taco create sites.csv chips.tacozip --collection collection.json --id-column name \\\n"
               "      --time-column date --rename \"land cover\"=land_cover --extensions stac\n"
               "  taco create chips/ chips.tacozip --collection collection.json --tog --extensions tiff_index\n"
               "  taco create chips/ chips.tortilla --split-size 4GB\n"
               "  taco create chips/ chips.taco --collection collection.json --streaming",
               run_create);
  command
      ->add_option("SOURCE", options->source,
                   "Folder of samples, or table of their id and path: .parquet, .csv, .tsv, .jsonl, .geojson")
      ->required();
  command->add_option("OUT", options->output, kOutputHelp)->required();
  add_collection(command, *options);
  command
      ->add_option("--fields", options->fields,
                   "Table that describes the columns: name, description, unit, classes (such as 0=water;1=forest)")
      ->type_name("FILE");
  visit_options(options->table, OptionAdder(command, {}, "Only for a table of samples"));
  add_published(command, *options);
  add_parsed(
      command, "--datetime", "START/END",
      [o = options](const std::string& given) { o->datetime = parse_datetime(given); },
      "Time range of a .taco whose samples have no time")
      ->group(kV1Group);
  command->add_option("--extensions", options->extensions, kExtensionHelp)
      ->type_name("NAME[=VALUE]")
      ->expected(1)
      ->take_all();
  command->add_flag(
      "--tog", options->is_tog,
      "Store GeoTIFFs as TOGs: ZSTD tiles, all bands of a tile adjacent; without overviews and masks; other "
      "files stay as they are");
  visit_options(options->togs, OptionAdder(command, {"jobs", "temp_dir"}));
  command->add_flag("--no-places", options->no_places,
                    "Do not take the location of samples from their GeoTIFFs, nor that of FOLDERs from their children");
  command->add_flag("--pad", options->pad,
                    "Allow folders with missing files: empty placeholders are stored, and hidden when read");
  add_parsed(
      command, "--pad-to", "N", [o = options](const std::string& given) { o->pad_to = parse_count("--pad-to", given); },
      "Add placeholders until the number of samples of level 0 is a multiple of N");
  visit_options(options->how, OptionAdder(command, {"max_concurrent_requests"}));
  visit_options(options->v1, OptionAdder(command, {}, kV1Group));
  require_streaming(command, {"--allow-non-tog", "--no-histograms"});
}

void add_extensions(Tool& tool) {
  auto [command, options] =
      tool.add("extensions", "Describes the extensions of create: their columns, parameters and an example of each",
               "  taco extensions\n"
               "  taco extensions labels",
               run_extensions);
  command->add_option("NAME", options->name, "Name of an extension; all when absent");
}

void add_export(Tool& tool) {
  auto [command, options] =
      tool.add("export", "Writes selected samples, with their children, as a new dataset",
               "  taco export landsat.tacozip test.tacozip \"SELECT * FROM data WHERE split = 'test'\"\n"
               "  taco export landsat_nested.tacozip north --bbox -34.87,-8.0,-34.85,-7.98 --id north",
               run_export);
  command->add_option("PATH", options->selection.path, kDatasetHelp)->required();
  command->add_option("OUT", options->output, kOutputHelp)->required();
  add_selection(command, options->selection);
  visit_options(options->how, OptionAdder(command, {"max_concurrent_requests"}));
}

void add_replay(Tool& tool) {
  auto [command, options] =
      tool.add("replay", "Makes an export again from its provenance, and compares the bytes",
               "  taco export landsat.tacozip test.tacozip \"SELECT * FROM data WHERE split = 'test'\" --provenance\n"
               "  taco replay test.tacozip\n"
               "  taco replay test.tacozip again.tacozip --source https://example.org/landsat.tacozip",
               run_replay);
  command
      ->add_option("EXPORT", options->path,
                   "Dataset of taco export --provenance; of several ZIPs one, or the folder of their index")
      ->required();
  command->add_option("OUT", options->how.output,
                      "Where the new export stays; by default it is made in TMPDIR, compared and removed");
  command
      ->add_option(
          "--source", options->how.sources,
          "A source of the export, wherever it is now; repeat for more. By default the file of its name beside "
          "the export")
      ->type_name("PATH")
      ->expected(1)
      ->take_all();
  command->add_flag("--json", options->json, "Print JSON");
  visit_options(options->how, OptionAdder(command, {"output", "sources", "max_concurrent_requests"}));
}

void add_convert(Tool& tool) {
  auto [command, options] = tool.add("convert", "Converts a dataset to another container (ZIP, folder) or version",
                                     "  taco convert landsat.tacozip landsat\n"
                                     "  taco convert landsat again.tacozip\n"
                                     "  taco convert old.0000.part.taco new.tacozip\n"
                                     "  taco convert old.tortilla new.tacozip --description \"Chips of a scene\"\n"
                                     "  taco convert new.tacozip old.taco --split-size 20GB",
                                     run_convert);
  command->add_option("IN", options->input, "Dataset: .tacozip, folder, .taco or .tortilla, one of its parts")
      ->required();
  command->add_option("OUT", options->output, kOutputHelp)->required();
  add_collection(command, *options);
  visit_options(options->how, OptionAdder(command, {"group_by", "order", "consolidate", "max_concurrent_requests"}));
}

void add_compile(Tool& tool) {
  auto [command, options] =
      tool.add("compile", "Writes selected samples as a new .tortilla or .taco, the formats before 2.0",
               "  taco compile old.taco test.taco \"SELECT * FROM data WHERE \\\"tortilla:data_split\\\" = 'test'\"\n"
               "  taco compile old.tortilla north.tortilla --bbox -34.87,-8.0,-34.85,-7.98",
               run_compile);
  command->add_option("PATH", options->selection.path, kDatasetHelp)->required();
  command->add_option("OUT", options->output, "New .taco or .tortilla")->required();
  add_selection(command, options->selection);
  visit_options(options->how, OptionAdder(command, {"stats"}));
  require_streaming(command, {"--allow-non-tog", "--no-histograms", "--block-size", "--zstd-level"});
}

void add_concat(Tool& tool) {
  auto [command, options] = tool.add("concat", "Joins several datasets into a new one",
                                     "  taco concat 2023.tacozip 2024.tacozip all.tacozip --id all\n"
                                     "  taco concat a b ab --mode fill_missing",
                                     run_concat);
  command
      ->add_option("PATHS", options->paths,
                   "Datasets, and last the new one: .tacozip, .zip, .taco, .tortilla or a folder")
      ->required()
      ->expected(3, -1);
  add_parsed(
      command, "--mode", "MODE", [o = options](const std::string& text) { o->mode = parse_mode(text); },
      "What to do with columns that some datasets lack: intersection drops them, fill_missing makes them "
      "null, strict is an error");
  visit_options(options->how, OptionAdder(command, {"split_size", "group_by", "order", "consolidate",
                                                    "max_concurrent_requests", "strict"}));
}

void add_edit(Tool& tool) {
  auto [command, options] = tool.add_reader(
      "edit", "Changes a dataset in place: members of COLLECTION.json, columns of its tables",
      "  taco edit chips.tacozip --set title=\"Chips of a scene\" --set keywords=cloud --set keywords=snow\n"
      "  taco edit chips.tacozip --set-json 'extent={\"spatial\": [-35, -9, -34, -7]}' --unset doi\n"
      "  taco edit chips/ --columns clouds.csv --level 1 --drop-column quality",
      run_edit);
  const auto texts = [c = command](const char* name, const char* metavariable, const char* what,
                                   std::vector<std::string>& to) {
    return c->add_option(name, to, what)->type_name(metavariable)->expected(1)->take_all();
  };
  texts("--set", "KEY=TEXT",
        "Set a member of COLLECTION.json; repeat it for licenses, tasks, keywords, providers, curators", options->set);
  texts("--set-json", "KEY=JSON", "Set a member to a JSON value", options->set_json);
  texts("--unset", "KEY", "Remove a member", options->unset);
  command->add_flag("--force", options->force, "Allow members of unknown names");
  texts("--columns", "TABLE", "New values for samples by id (or path a/b): .parquet, .csv, .tsv, .jsonl",
        options->columns);
  texts("--drop-column", "COLUMN", "Remove a column", options->drop);
  add_parsed(
      command, "--level", "N", [o = options](const std::string& given) { o->level = parse_count("--level", given); },
      "Level of the columns; by default 0");
  visit_options(options->how, OptionAdder(command));
}

void add_repair(Tool& tool) {
  auto [command, options] =
      tool.add_reader("repair", "Proposes what would repair metadata that contradicts the files, and does it",
                      "  taco repair chips.tacozip -o plan.json\n"
                      "  taco repair chips.tacozip --apply plan.json --accept 3\n"
                      "  taco repair chips.tacozip --undo plan.json --accept 3",
                      run_repair);
  add_output(command, options->output);
  command->get_option("--output")
      ->description("File for the plan; by default it is printed. The dataset does not change");
  command
      ->add_option("--apply", options->apply, "Make the accepted repairs of a plan, in place; of an index, in its ZIPs")
      ->type_name("PLAN");
  command->add_option("--undo", options->undo, "Undo the repairs that --apply made with the same --accept")
      ->type_name("PLAN");
  command
      ->add_option("--accept", options->accept,
                   "Numbers of repairs of the plan to accept, too, separated by commas; all accepts all")
      ->type_name("NUMBERS")
      ->expected(1)
      ->delimiter(',')
      ->take_all();
  visit_options(options->how, OptionAdder(command));
}

void add_diff(Tool& tool) {
  auto [command, options] = tool.add("diff", "Compares two datasets, whether ZIP or folder",
                                     "  taco diff old.tacozip new.tacozip && echo equal\n"
                                     "  taco diff chips.tacozip chips/ --json | jq .samples",
                                     run_diff);
  command->add_option("A", options->a, "A dataset")->required();
  command->add_option("B", options->b, "Another dataset; the exit code is 0 for equal, 1 for different, 2 for an error")
      ->required();
  command->add_flag("--json", options->json, "Print JSON");
  visit_options(options->how, OptionAdder(command));
}

void add_site(Tool& tool) {
  auto [command, options] = tool.add(
      "site", "Makes a static web catalogue of many datasets: search, STAC, pages and metadata of each",
      "  taco site archive/ -o archive/site --title \"Our archive\"\n"
      "  taco site archive/ -o site --base-url https://example.org/site --data-url https://example.org/archive\n"
      "  taco site datasets.txt -o site --overwrite && taco info site",
      run_site);
  command
      ->add_option("DATASETS", options->datasets,
                   "Folder that is searched for datasets, or list: a text file with a path or URL in each line")
      ->required();
  add_parsed(
      command, "-o,--output", "DIR", [o = options](const std::string& text) { o->output = text; },
      "New folder of the catalogue")
      ->required();
  visit_options(options->how, OptionAdder(command));
}

void add_columns_rule(CLI::App* command, bool& requires_same) {
  command->add_flag_callback(
      "--allow-different-columns", [&] { requires_same = false; },
      "Allow inputs with different columns: missing values are null, numbers take the wider type");
}

void add_index(Tool& tool) {
  auto [command, options] = tool.add("index", "Builds a common index (.tacocat/) so that many ZIPs open as one dataset",
                                     "  taco index parts/*.tacozip\n"
                                     "  taco index parts/*.tacozip --order hilbert\n"
                                     "  taco index north.tacozip south.tacozip -o . --single-file\n"
                                     "  taco index parts/.tacocat --sidecar",
                                     run_index);
  command->add_option("INPUT", options->inputs, "ZIPs, in the order of their rows; datasets with --sidecar")
      ->required();
  add_columns_rule(command, options->how.validate_schema);
  visit_options(options->how, OptionAdder(command, {"validate_schema"}));
  auto* sidecar = command->add_flag("--sidecar", options->sidecar,
                                    "Copy the tables of each INPUT in the order of places, into your cache: filters by "
                                    "place and id then read few rows. INPUT does not change.");
  for (const char* other :
       {"--output", "--single-file", "--order", "--overwrite", "--parquet", "--allow-different-columns"})
    sidecar->excludes(command->get_option(other));
  auto* beside = command->add_flag("--beside", options->beside,
                                   "With --sidecar: write PATH.sidecar beside the dataset, for other users.");
  auto* check = command->add_flag("--check", options->check,
                                  "With --sidecar: prove the side-cars beside a dataset, instead of making any.");
  beside->needs(sidecar)->excludes(check);
  check->needs(sidecar);
}

void add_collect(Tool& tool) {
  auto [command, options] =
      tool.add("collect", "Makes one catalogue file (TACOLLECTION.json) of many datasets; their rows stay in them",
               "  taco collect parts/*.tacozip more/folder -o .\n"
               "  taco collect parts/*.tacozip --bounds",
               run_collect);
  command->add_option("INPUT", options->inputs, "ZIPs and folders, in the order of their rows")->required();
  add_columns_rule(command, options->how.validate_schema);
  visit_options(options->how, OptionAdder(command, {"validate_schema"}));
}

void add_publish(Tool& tool) {
  auto [command, options] = tool.add_reader(
      "publish", "Prepares and checks a folder for Hugging Face, Zenodo or Source Cooperative, and uploads it",
      "  taco publish landsat.tacozip -o site --for zenodo --published 2026-11-25\n"
      "  taco publish chips.tacozip -o site --for huggingface --to hf://datasets/lab/chips --dry-run\n"
      "  taco publish chips.tacozip -o site --for source-cooperative --to s3://bucket/lab/chips",
      run_publish);
  command->add_option("-o,--output", options->output, "New folder")->type_name("DIR")->required();
  add_parsed(
      command, "--for", "PLATFORM", [o = options](const std::string& text) { o->platform = parse_platform(text); },
      "huggingface, zenodo or source-cooperative")
      ->required();
  visit_options(options->how, OptionAdder(command));
}

void add_password(CLI::App* command, PasswordOptions& password) {
  command
      ->add_option("--password-file", password.file,
                   "File whose first line is the password of the key, such as /dev/fd/3; by default the environment "
                   "variable TACO_KEY_PASSWORD, or what is typed at the terminal")
      ->type_name("FILE");
}

void add_keygen(Tool& tool) {
  auto [command, options] =
      tool.add("keygen", "Makes a key to sign datasets with, and prints its public part, by which others verify them",
               "  taco keygen release.key\n"
               "  taco keygen ci.key --no-password --public-key ci.pub",
               run_keygen);
  command->add_option("KEY", options->path, "New file of the secret key, as minisign writes it; only you can read it")
      ->required();
  command->add_flag("--no-password", options->no_password,
                    "Do not encrypt the secret key: whoever reads the file can sign");
  add_password(command, options->password);
  command->get_option("--no-password")->excludes(command->get_option("--password-file"));
  visit_options(options->how, OptionAdder(command));
}

void add_sign(Tool& tool) {
  auto [command, options] =
      tool.add("sign", "Signs all samples and metadata of a dataset, so that others can verify it or any sample of it",
               "  taco sign chips.tacozip --key release.key\n"
               "  taco sign chips/ --key release.key --overwrite\n"
               "  minisign -V -p release.key.pub -m chips.tacozip.proof",
               run_sign);
  command->add_option("PATH", options->path, kSignedHelp)->required();
  command->add_option("--key", options->how.key, "File of the secret key, as taco keygen or minisign made it")
      ->type_name("FILE")
      ->required();
  visit_options(options->how, OptionAdder(command));
  add_password(command, options->password);
}

void add_verify(Tool& tool) {
  auto [command, options] =
      tool.add("verify", "Verifies that a dataset, or samples of it, are what was signed",
               "  taco verify chips.tacozip --key release.key.pub\n"
               "  taco verify https://example.org/chips.tacozip --key release.key.pub --sample scene_001/red\n"
               "  taco verify chips.tacozip",
               run_verify);
  command->add_option("PATH", options->path, kSignedHelp)->required();
  command
      ->add_option("--sample", options->how.samples,
                   "Ids from the root to a sample, such as a or a/b, to verify it and all below it; repeat for more. "
                   "By default all samples")
      ->type_name("ID")
      ->expected(1)
      ->take_all();
  command->add_flag("--json", options->json, "Print JSON");
  visit_options(options->how, OptionAdder(command, {"samples"}));
}

void add_sync(Tool& tool) {
  auto [command, options] = tool.add("sync", "Backs up a dataset to a deduplicating store, or restores it",
                                     "  taco sync landsat.tacozip /backup/store\n"
                                     "  taco sync /backup/store/landsat.tacozip again.tacozip",
                                     run_sync);
  command->add_option("FROM", options->from, "Dataset to back up (.tacozip or folder); to restore: STORE or STORE/NAME")
      ->required();
  command->add_option("TO", options->to, "Folder of the store, created if it is missing; to restore: the new dataset")
      ->required();
  visit_options(options->how, OptionAdder(command));
}

void add_index_tiffs(Tool& tool) {
  auto [command, options] = tool.add_reader(
      "index-tiffs", "Caches the headers of all TIFFs in PATH.headers; reading a sample then takes one request",
      "  taco index-tiffs landsat.tacozip\n"
      "  taco index-tiffs parts/.tacocat --jobs 32",
      run_index_tiffs);
  visit_options(options->how, OptionAdder(command));
}

/// The former name of a command, which is refused with the present one.
void add_old_command(Tool& tool) {
  CLI::App* command = tool.app.add_subcommand("header")->group("")->allow_extras();
  tool.commands.emplace_back(command, []() -> int { throw UsageError("taco header is called taco index-tiffs now"); });
}

void add_tog(Tool& tool) {
  auto [command, options] =
      tool.add("tog", "Converts a raster to a TOG: a GeoTIFF of ZSTD tiles, all bands of a tile adjacent",
               "  taco tog scene.tif scene.tog.tif\n"
               "  taco tog scene.tif scene.tog.tif --block-size 256 --zstd-level 19",
               run_tog);
  command
      ->add_option("IN", options->input,
                   "A TIFF, another raster that GDAL reads, or a part of a file (/vsisubfile/OFFSET_SIZE,PATH)")
      ->required();
  command->add_option("OUT", options->output, "New file")->required();
  visit_options(options->how, OptionAdder(command));
}

/// The command line as data, the tool itself first.
std::vector<CommandManual> manuals(const Tool& tool) {
  std::vector<CommandManual> out;
  const auto add = [&](const CLI::App& app, std::string name) {
    CommandManual manual{std::move(name), app.get_description(), app.get_footer()};
    std::vector<const CLI::Option*> options = app.get_options();
    std::stable_partition(options.begin(), options.end(), [](const auto* option) { return option->get_positional(); });
    for (const CLI::Option* option : options) {
      if (option->get_group().empty()) continue;  // a former name
      OptionManual each{.text = option->get_description(), .group = option->get_group()};
      each.is_argument = option->get_positional();
      each.is_required = option->get_required();
      if (each.is_argument) each.group = "Arguments";
      if (each.is_argument) each.names = {option->get_name()};
      for (const auto& letter : option->get_snames()) each.names.push_back("-" + letter);
      for (const auto& word : option->get_lnames()) each.names.push_back("--" + word);
      if (option->get_items_expected_max() > 0 && !each.is_argument) each.value = option->get_type_name();
      manual.options.push_back(std::move(each));
    }
    out.push_back(std::move(manual));
  };
  add(tool.app, "");
  for (const auto& [command, run] : tool.commands) {
    if (!command->get_group().empty()) add(*command, command->get_name());
  }
  return out;
}

void add_completion(Tool& tool) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = tool.app.add_subcommand(
      "completion", "Prints a script by which a shell completes commands, options, ids and columns");
  command->footer("Examples:\n  source <(taco completion bash)\n  taco completion fish | source");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  tool.commands.emplace_back(command, [shell] {
    print(completion_script(*shell));
    return 0;
  });
}

/// What the scripts of add_completion() call: a line for each candidate of the last word, and what it is.
void add_complete(Tool& tool) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = tool.app.add_subcommand("complete")->group("");
  command->add_option("WORD", *words)->expected(-1);
  tool.commands.emplace_back(command, [&tool, words] {
    for (const auto& [text, about] : candidates(manuals(tool), *words)) {
      // A name with a line break could not be typed.
      if (printable(text) == text) print(text + (about.empty() ? "" : "\t" + printable(about)) + "\n");
    }
    return 0;
  });
}

void add_manual(Tool& tool) {
  struct Options {
    std::string name = {};
    bool markdown = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = tool.app.add_subcommand("manual", "Prints the manual page of the tool or of a command, for man");
  command->footer("Examples:\n  taco manual query | man -l -");
  command->add_option("COMMAND", options->name, "A command; the tool itself when absent");
  command->add_flag("--markdown", options->markdown, "Print Markdown instead");
  tool.commands.emplace_back(command, [&tool, options] {
    const auto all = manuals(tool);
    std::vector<std::string> names;
    for (const auto& manual : all) {
      names.push_back(manual.name);
      if (manual.name != options->name) continue;
      print(options->markdown ? markdown_page(manual) : manual_page(all, manual, version()));
      return 0;
    }
    throw UsageError("no command " + in_quotes(options->name) + did_you_mean(options->name, names));
  });
}

void add_help(Tool& tool) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = tool.app.add_subcommand("help", "Shows the help of the tool or of a command");
  command->footer("Examples:\n  taco help query");
  command->add_option("COMMAND", *name, "A command; the tool itself when absent");
  tool.commands.emplace_back(command, [&tool, name] {
    if (name->empty()) {
      print(tool.app.help());
      return 0;
    }
    std::vector<std::string> names;
    for (const auto& [each, run] : tool.commands) {
      if (each->get_name() == *name) {
        print(each->help("taco"));
        return 0;
      }
      if (!each->get_group().empty()) names.push_back(each->get_name());
    }
    throw UsageError("no command " + in_quotes(*name) + did_you_mean(*name, names));
  });
}

/// The flags of messages, which may stand before and after the subcommand.
void add_messages(CLI::App* app, Messages& messages) {
  app->add_flag("--verbose", messages.verbose, "Print opened files and how they are read")->group(kMessageGroup);
  app->add_flag("--debug", messages.debug, "Print SQL, requests and memory, too")->group(kMessageGroup);
  app->add_flag("-q,--quiet", messages.quiet, "Print neither warnings nor progress")->group(kMessageGroup);
}

/// The options of remote paths, which may stand before and after the subcommand. Keys and tokens come from the
/// environment alone, because other users of the machine see arguments.
void add_remote(CLI::App* app, RemoteOptions& remote) {
  visit_options(remote, OptionAdder(app, {"access_key_id", "secret_access_key", "session_token", "profile", "token"},
                                    kRemoteGroup));
}

void set_up_messages(const Messages& messages) {
  if (messages.quiet && (messages.verbose || messages.debug)) {
    throw UsageError("--quiet goes neither with --verbose nor with --debug");
  }
  set_log_sink([](LogLevel level, std::string_view message, void*) {
    if (level == LogLevel::Warning) complain("warning: " + std::string(message), Colour::Yellow);
    else complain(message);
  });
  if (messages.quiet) verbose(false);
  if (messages.verbose) verbose("info");
  if (messages.debug) verbose("debug");
}

/// Adds the commands of a heading of the help.
void add_group(Tool& tool, const char* heading, std::initializer_list<void (*)(Tool&)> commands) {
  const std::size_t begin = tool.commands.size();
  for (const auto add : commands) add(tool);
  for (std::size_t i = begin; i < tool.commands.size(); ++i) {
    CLI::App& command = *tool.commands[i].first;
    if (!command.get_group().empty()) command.group(heading);  // else it is not in the help
  }
}

void define(Tool& tool) {
  tool.app.set_version_flag("-V,--version", std::string("taco ") + version(), "Print the version");
  tool.app.require_subcommand(0, 1);                   // at most one: later names are ids
  tool.app.formatter(std::make_shared<HelpFormat>());  // inherited by the subcommands
  tool.app.footer("taco PATH is short for taco info PATH. taco COMMAND --help shows options and examples.");
  tool.app.set_help_flag("-h,--help", "Print this help");  // inherited, too
  add_group(tool, "Look at a dataset",
            {add_info, add_view, add_ls, add_head, add_count, add_columns, add_query, add_plan, add_read, add_preview,
             add_stats});
  add_group(
      tool, "Make a dataset",
      {add_init, add_create, add_extensions, add_export, add_replay, add_convert, add_compile, add_concat, add_tog});
  add_group(tool, "Change or check a dataset",
            {add_edit, add_diff, add_validate, add_doctor, add_repair, add_sign, add_verify, add_keygen});
  add_group(tool, "Publish a dataset",
            {add_describe, add_publish, add_site, add_index, add_collect, add_index_tiffs, add_sync});
  add_group(tool, "Help", {add_help, add_manual, add_completion, add_complete, add_old_command});
  std::vector<CLI::App*> all{&tool.app};
  for (auto& [command, run] : tool.commands) all.push_back(command);
  for (CLI::App* app : all) {
    add_remote(app, tool.remote);
    add_messages(app, tool.messages);
    add_old_names(app);
  }
}

/// Runs the subcommand that `arguments` name.
int run(Tool& tool, std::vector<std::string> arguments) {
  std::vector<std::string> names;
  for (const auto& [command, run_it] : tool.commands) names.push_back(command->get_name());
  std::vector<std::string> options;
  for (const CLI::Option* option : tool.app.get_options()) {
    if (option->get_expected_max() > 0) options.push_back(option->get_name());
  }
  for (const auto& [old_name, name] : kOldNames) options.emplace_back(old_name);
  arguments = with_command(std::move(arguments), names, options);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the end
  tool.app.parse(std::move(arguments));
  set_up_messages(tool.messages);
  set_remote_options(tool.remote);
  for (const auto& [command, run_it] : tool.commands) {
    if (command->parsed()) return run_it();
  }
  std::fputs(tool.app.help().c_str(), stderr);
  return 2;
}

int refuse(const Tool& tool, const std::string& message) {
  complain(message, Colour::Red);
  const auto parsed = tool.app.get_subcommands();
  const std::string command = parsed.empty() ? "" : parsed.front()->get_name() + " ";
  complain("see taco " + command + "--help");
  return 2;
}

/// Names the first argument that nothing takes, and the option that it may stand for.
std::string unexpected_argument(const Tool& tool) {
  const auto extras = tool.app.remaining(true);
  const std::string given = extras.front().substr(0, extras.front().find('='));
  if (!given.starts_with('-')) return "unexpected argument " + in_quotes(extras.front());
  const auto parsed = tool.app.get_subcommands();
  std::vector<std::string> names;
  for (const CLI::Option* option : (parsed.empty() ? &tool.app : parsed.front())->get_options()) {
    if (option->get_group().empty()) continue;  // a former name
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return "unknown option " + in_quotes(given) + did_you_mean(given, names);
}

int run_checked(const std::vector<std::string>& arguments) {
  Tool tool;
  define(tool);
  try {
    return run(tool, arguments);
  } catch (const CLI::CallForHelp&) {
    print(tool.app.help());
  } catch (const CLI::CallForVersion& version_text) {
    print(std::string(version_text.what()) + "\n");
  } catch (const CLI::ExtrasError&) {
    return refuse(tool, unexpected_argument(tool));
  } catch (const CLI::ParseError& error) {
    return refuse(tool, error.what());
  } catch (const UsageError& error) {
    return refuse(tool, error.what());
  }
  return 0;
}

}  // namespace
}  // namespace tacore::cli

int main(int argc, char** argv) {
  using namespace tacore::cli;
  guard_standard_streams();
  try {
    return run_checked({argv + std::min(argc, 1), argv + argc});
  } catch (const BrokenPipe&) {
    return 0;
  } catch (const std::bad_alloc&) {
    complain("out of memory", Colour::Red);
  } catch (const std::exception& error) {
    complain(error.what(), Colour::Red);
  }
  return 1;
}
