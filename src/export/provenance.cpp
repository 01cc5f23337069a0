#include "export/provenance.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/epoch.hpp"
#include "base/number_text.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "format/names.hpp"
#include "io/public_path.hpp"
#include "io/vsi_path.hpp"
#include "model/json_node.hpp"
#include "model/json_text.hpp"
#include "proof/statement.hpp"
#include "tacore/interrupt.hpp"
#include "tacore/version.hpp"

namespace tacore {
namespace {

constexpr int64_t kProvenanceVersion = 1;
constexpr const char* kTool = "tacore";
constexpr const char *kIntersection = "intersection", *kFillMissing = "fill_missing";

// --- Sources

Sha256 sha256_of(const ByteSource& file) {
  constexpr uint64_t kHashedAtOnce = 8 << 20;
  uint64_t at = 0;
  Bytes piece;
  return sha256([&]() -> std::span<const std::byte> {
    throw_if_interrupted();
    piece = file.read({at, std::min(kHashedAtOnce, file.size() - at)});
    at += piece.size();
    return piece;
  });
}

/// The SHA-256 of what `sha256sum COLLECTION.json METADATA/level*.parquet` prints. Before 2.0 the footer stands for
/// level 0, and there are no others.
std::string metadata_sha256(const Container& container) {
  std::string lines =
      hex(sha256(bytes_of(container.collection().json))) + "  " + std::string(names::kCollection) + "\n";
  const int num_levels = is_v1(container.format()) ? 1 : container.num_levels();
  for (int level = 0; level < num_levels; ++level) {
    lines += hex(sha256_of(*container.stored_level(level)->source())) + "  " + std::string(names::kMetadata) +
             std::string(names::kLevelFiles[level]) + "\n";
  }
  return hex(sha256(bytes_of(lines)));
}

/// The name of a file or folder, which says nothing of the machine it is on, nor of who may read it.
std::string name_without_folders(const std::string& path) {
  std::string name = file_name(public_path(path));
  if (is_remote(path)) name.resize(std::min(name.find_first_of("?#"), name.size()));
  const bool is_relative = name.empty() || name == "." || name == "..";
  return is_relative && !is_remote(path) ? std::filesystem::weakly_canonical(path).filename().string() : name;
}

ProvenanceSource describe_container(const Container& container) {
  const Collection& collection = container.collection();
  ProvenanceSource out{.id = collection.id,
                       .dataset_version = collection.dataset_version,
                       .file = name_without_folders(container.path()),
                       .metadata_sha256 = metadata_sha256(container)};
  if (const auto root = find_root(collection.json, container.path())) out.merkle_root = hex(root->root);
  return out;
}

[[noreturn]] void refuse(const std::string& why, const std::string& path) {
  throw ValidationError("no provenance can be recorded: " + why, {.path = path});
}

[[noreturn]] void refuse_collection(const std::string& path) {
  refuse(
      "a TACOLLECTION.json decides with its filters which datasets are read; export from a TACOCAT or from the "
      "datasets themselves",
      path);
}

const Container& first_container(const View& view) {
  const View* at = &view;
  while (!at->container()) at = std::get<Union>(at->base).parts[0].view.get();
  return *at->container();
}

// --- What was selected

class Recorder {
 public:
  explicit Recorder(const std::string& path) : path_(path) {}

  ProvenanceSelection selection_of(const View& view) {
    ProvenanceSelection out;
    // In these, two samples of level 0 never share an id.
    bool has_distinct_ids = false;
    if (const Container* container = view.container()) {
      out.source = number_of(*container);
      has_distinct_ids = container->format() == Format::Zip || container->format() == Format::Folder;
    } else {
      const Union& all = std::get<Union>(view.base);
      out.fills_missing = all.fills_missing;
      for (const auto& part : all.parts) out.parts.push_back(selection_of(*part.view));
    }
    for (const Step& step : view.steps) out.steps.push_back(recorded(step, has_distinct_ids));
    return out;
  }
  std::vector<ProvenanceSource> sources() const {
    std::vector<ProvenanceSource> out;
    for (const Container* source : sources_) out.push_back(describe_container(*source));
    return out;
  }

 private:
  std::size_t number_of(const Container& container) {
    const auto found = std::find(sources_.begin(), sources_.end(), &container);
    const auto number = static_cast<std::size_t>(found - sources_.begin());
    if (number == sources_.size()) sources_.push_back(&container);
    return number;
  }

  SelectionStep recorded(const Step& step, bool has_distinct_ids) const {
    if (const auto* sql = std::get_if<SqlStep>(&step)) {
      check(sql->select, has_distinct_ids);
      return SqlText{sql->select.text};
    }
    if (const auto* filter = std::get_if<Filter>(&step)) {
      check(*filter);
      return *filter;
    }
    if (const auto* sort = std::get_if<SortStep>(&step)) return *sort;
    return std::get<LimitStep>(step);
  }

  void check(const Select& select, bool has_distinct_ids) const {
    const std::string query = "the query " + in_quotes(select.text);
    if (!select.drawn_by.empty())
      refuse(query + " uses " + select.drawn_by + ", which may give other rows or values when it is run again", path_);
    if (select.reorders && !(select.orders_by_id && has_distinct_ids)) {
      refuse(query + " leaves the order of rows open, as joins, groups, IN and equal rows of ORDER BY do; " +
                 (has_distinct_ids ? "a SELECT * FROM data that ends with ORDER BY ..., id has one order"
                                   : "the order of joined datasets stays with conditions, sort() and limit()"),
             path_);
    }
    if (!is_utf8(select.text)) refuse(query + " is not UTF-8", path_);
  }

  void check(const Filter& filter) const {
    const auto* range = std::get_if<TimeRange>(&filter.test);
    if (!range) return;
    for (const Timestamp time : {range->start, range->end}) {
      if (is_open(time)) continue;
      try {
        if (Timestamp::parse(time.to_string()) == time) continue;
      } catch (const QueryError&) {  // refused below
      }
      refuse("a time range reaches beyond the years 1 to 9999", path_);
    }
  }

  const std::string& path_;
  std::vector<const Container*> sources_ = {};
};

// --- Options, each named once for both directions

template <class Options, class Visit>
void visit_parquet_options(Options& o, Visit&& visit) {
  visit("compression", o.compression);
  visit("compression_level", o.compression_level);
  visit("row_group_size", o.row_group_size);
  visit("use_content_defined_chunking", o.use_content_defined_chunking);
  visit("min_chunk_size", o.min_chunk_size);
  visit("max_chunk_size", o.max_chunk_size);
  visit("data_page_size", o.data_page_size);
  visit("write_statistics", o.write_statistics);
  visit("use_dictionary", o.use_dictionary);
  visit("covering", o.covering);
  visit("id_index", o.id_index);
}

/// All options of an export that decide its bytes, but for those of Parquet.
template <class Options, class Visit>
void visit_export_options(Options& o, Visit&& visit) {
  visit("id", o.id);
  visit("strict", o.strict);
  visit("order", o.create.order);
  visit("split_size", o.create.split_size);
  visit("group_by", o.create.group_by);
  visit("consolidate", o.create.consolidate);
}

// --- JSON

/// The members of a JSON object, one after another.
class ObjectText {
 public:
  void raw(std::string_view key, const std::string& json) {
    text_ += (text_.empty() ? "" : ", ") + json_string(key) + ": " + json;
  }
  void add(std::string_view key, const std::string& text) { raw(key, json_string(text)); }
  void add(std::string_view key, bool truth) { raw(key, truth ? "true" : "false"); }
  void add(std::string_view key, int number) { raw(key, std::to_string(number)); }
  void add(std::string_view key, int64_t number) { raw(key, std::to_string(number)); }
  void add(std::string_view key, uint64_t number) { raw(key, std::to_string(number)); }
  void add(std::string_view key, const std::vector<std::string>& texts) {
    std::vector<std::string> all;
    for (const auto& text : texts) all.push_back(json_string(text));
    raw(key, "[" + join(all, ", ") + "]");
  }
  template <class T>
  void add(std::string_view key, const std::optional<T>& value) {
    if (value) add(key, *value);
    else raw(key, "null");
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_ = {};
};

std::string list_text(const std::vector<std::string>& items) { return "[" + join(items, ", ") + "]"; }

std::string encode_source(const ProvenanceSource& source) {
  ObjectText out;
  out.add("id", source.id);
  out.add("dataset_version", source.dataset_version);
  out.add("file", source.file);
  if (source.merkle_root) out.add("merkle_root", *source.merkle_root);
  out.add("metadata_sha256", source.metadata_sha256);
  return out.text();
}

std::string bound_text(Timestamp time) { return is_open(time) ? ".." : time.to_string(); }

std::string encode_filter(const Filter& filter) {
  ObjectText out;
  if (const auto* box = std::get_if<BBox>(&filter.test)) {
    std::vector<std::string> sides;
    for (const double side : {box->minx, box->miny, box->maxx, box->maxy}) sides.push_back(number_text(side));
    out.raw("filter_bbox", list_text(sides));
  } else {
    const auto& range = std::get<TimeRange>(filter.test);
    out.add("filter_datetime", bound_text(range.start) + "/" + bound_text(range.end));
  }
  out.add("column", filter.column);
  out.add("level", filter.level);
  return out.text();
}

std::string encode_step(const SelectionStep& step) {
  if (const auto* filter = std::get_if<Filter>(&step)) return encode_filter(*filter);
  ObjectText out;
  if (const auto* sql = std::get_if<SqlText>(&step)) out.add("sql", sql->text);
  if (const auto* limit = std::get_if<LimitStep>(&step)) out.add("limit", limit->count);
  if (const auto* sort = std::get_if<SortStep>(&step)) {
    out.add("sort", sort->column);
    out.add("level", sort->level);
    out.add("descending", sort->descending);
  }
  return out.text();
}

std::string encode_selection(const ProvenanceSelection& selection) {
  ObjectText out;
  if (selection.parts.empty()) {
    out.add("source", static_cast<uint64_t>(selection.source));
  } else {
    std::vector<std::string> parts;
    for (const auto& part : selection.parts) parts.push_back(encode_selection(part));
    out.raw("concat", list_text(parts));
    out.raw("column_mode", json_string(selection.fills_missing ? kFillMissing : kIntersection));
  }
  std::vector<std::string> steps;
  for (const auto& step : selection.steps) steps.push_back(encode_step(step));
  out.raw("steps", list_text(steps));
  return out.text();
}

/// Reads the members of one object, and refuses others: what is not known cannot be done again.
class ObjectReader {
 public:
  explicit ObjectReader(JsonNode node) : node_(std::move(node)) { node_.object(); }

  bool has(const std::string& key) const { return node_.value().contains(key); }
  JsonNode at(const std::string& key) {
    known_.push_back(key);
    if (!has(key)) node_.fail("lacks the member " + in_quotes(key));
    return node_[key];
  }
  void read(const std::string& key, std::string& out) { out = at(key).text(); }
  void read(const std::string& key, bool& out) {
    const JsonNode node = at(key);
    if (!node.value().is_boolean()) node.wrong("true or false");
    out = node.value().get<bool>();
  }
  template <class Whole>
  void read_whole(const std::string& key, Whole& out, int64_t least = 0) {
    const JsonNode node = at(key);
    if (!node.value().is_number_integer()) node.wrong("a whole number");
    const bool is_huge = node.value().is_number_unsigned() &&
                         node.value().get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    const int64_t number = is_huge ? 0 : node.value().get<int64_t>();
    if (is_huge || number < least || std::cmp_greater(number, std::numeric_limits<Whole>::max())) {
      node.fail(
          "is " + node.value().dump() + ", a number from " + std::to_string(least) + " to " +
          std::to_string(std::min<uint64_t>(std::numeric_limits<Whole>::max(), std::numeric_limits<int64_t>::max())) +
          " expected");
    }
    out = static_cast<Whole>(number);
  }
  void read(const std::string& key, int& out) { read_whole(key, out, std::numeric_limits<int>::min()); }
  void read(const std::string& key, int64_t& out) { read_whole(key, out); }
  void read(const std::string& key, uint64_t& out) { read_whole(key, out); }
  void read(const std::string& key, std::vector<std::string>& out) {
    out.clear();
    const JsonNode node = at(key);
    if (node.is_null()) node.wrong("an array");
    for (const JsonNode& item : node.elements()) out.push_back(item.text());
  }
  template <class T>
  void read(const std::string& key, std::optional<T>& out) {
    out.reset();
    if (at(key).is_null()) return;
    read(key, out.emplace());
  }
  /// Call it when all members are read.
  void finish() const {
    for (const auto& item : node_.value().items()) {
      if (std::find(known_.begin(), known_.end(), item.key()) == known_.end())
        node_.fail("has the member " + in_quotes(item.key()) + ", which tacore " + version() + " does not know");
    }
  }
  const JsonNode& node() const { return node_; }

 private:
  JsonNode node_;
  std::vector<std::string> known_ = {};
};

/// A name of a file without folders, so that no provenance leads to other files.
std::string plain_name(const JsonNode& node) {
  std::string out = node.text();
  if (out.empty() || out == "." || out == ".." || out.find('/') != out.npos || out.find('\0') != out.npos)
    node.fail("is " + in_quotes(out) + ", the name of a file or folder expected");
  return out;
}

std::string sha256_text(const JsonNode& node) {
  std::string out = node.text();
  if (!parse_sha256(out)) node.fail("is " + in_quotes(out) + ", 64 hexadecimal digits expected");
  return out;
}

ProvenanceSource parse_source(const JsonNode& node) {
  ObjectReader in(node);
  ProvenanceSource out;
  in.read("id", out.id);
  in.read("dataset_version", out.dataset_version);
  out.file = plain_name(in.at("file"));
  if (in.has("merkle_root")) out.merkle_root = sha256_text(in.at("merkle_root"));
  out.metadata_sha256 = sha256_text(in.at("metadata_sha256"));
  in.finish();
  return out;
}

BBox parse_box(const JsonNode& node) {
  const auto sides = node.elements();
  if (sides.size() != 4) node.fail("has " + std::to_string(sides.size()) + " elements, 4 numbers expected");
  const BBox out{sides[0].number(), sides[1].number(), sides[2].number(), sides[3].number()};
  if (!out.valid()) node.fail("is no box: miny <= maxy expected");
  return out;
}

TimeRange parse_range(const JsonNode& node) {
  try {
    return TimeRange::parse(node.text());
  } catch (const QueryError& error) {
    node.fail("is no time range: " + error.message());
  }
}

int parse_level(ObjectReader& in) {
  int out = 0;
  in.read("level", out);
  if (out < 0 || out > names::kMaxLevel)
    in.node().fail("has level " + std::to_string(out) + ", 0 to " + std::to_string(names::kMaxLevel) + " expected");
  return out;
}

SelectionStep parse_step(const JsonNode& node) {
  ObjectReader in(node);
  SelectionStep out;
  if (in.has("sql")) {
    out = SqlText{in.at("sql").text()};
  } else if (in.has("limit")) {
    LimitStep limit;
    in.read("limit", limit.count);
    out = limit;
  } else if (in.has("sort")) {
    SortStep sort;
    in.read("sort", sort.column);
    sort.level = parse_level(in);
    in.read("descending", sort.descending);
    out = sort;
  } else if (in.has("filter_bbox") || in.has("filter_datetime")) {
    Filter filter;
    if (in.has("filter_bbox")) filter.test = parse_box(in.at("filter_bbox"));
    else filter.test = parse_range(in.at("filter_datetime"));
    in.read("column", filter.column);
    filter.level = parse_level(in);
    out = filter;
  } else {
    node.fail(std::string("is no step that tacore ") + version() +
              " knows: filter_bbox, filter_datetime, sql, sort or limit expected");
  }
  in.finish();
  return out;
}

ProvenanceSelection parse_selection(const JsonNode& node, std::size_t num_sources) {
  ObjectReader in(node);
  ProvenanceSelection out;
  if (in.has("concat")) {
    for (const JsonNode& part : in.at("concat").elements()) out.parts.push_back(parse_selection(part, num_sources));
    if (out.parts.size() < 2) node.fail("joins " + std::to_string(out.parts.size()) + " datasets, 2 or more expected");
    const JsonNode mode = in.at("column_mode");
    out.fills_missing = mode.text() == kFillMissing;
    if (!out.fills_missing && mode.text() != kIntersection)
      mode.fail("is " + in_quotes(mode.text()) + ", intersection or fill_missing expected");
  } else {
    uint64_t source = 0;
    in.read("source", source);
    if (source >= num_sources)
      node.fail("names source " + std::to_string(source) + " of " + std::to_string(num_sources) + ", counted from 0");
    out.source = source;
  }
  for (const JsonNode& step : in.at("steps").elements()) out.steps.push_back(parse_step(step));
  in.finish();
  return out;
}

ExportOptions parse_options(const JsonNode& node) {
  ObjectReader in(node), parquet(in.at("parquet"));
  ExportOptions out;
  visit_export_options(out, [&](const char* key, auto& member) { in.read(key, member); });
  visit_parquet_options(out.create.output.parquet, [&](const char* key, auto& member) { parquet.read(key, member); });
  in.finish();
  parquet.finish();
  return out;
}

}  // namespace

ProvenanceSource describe_source(const Dataset& source) {
  const auto& impl = *impl_of(source);
  const Container* container = impl.partitions ? nullptr : impl.base.container();
  if (!container) refuse_collection(source.path());
  return describe_container(*container);
}

Provenance provenance_of(const Dataset& dataset, const std::string& output, const ExportOptions& options) {
  const auto& impl = *impl_of(dataset);
  if (impl.has_given_rows) refuse("the rows are those of a DataFrame, which no file holds", impl.path);
  if (impl.partitions) refuse_collection(impl.path);
  // A concatenation has the collection of its first part, and a TACOLLECTION.json one of its own.
  if (first_container(impl.base).collection().json != impl.collection->json) refuse_collection(impl.path);
  Recorder recorder(impl.path);
  Provenance out{.tool_version = version(),
                 .selection = recorder.selection_of(impl.base),
                 .output = name_without_folders(without_slashes(output)),
                 .options = options};
  out.sources = recorder.sources();
  out.options.create.split_size = options.create.split_size.value_or(0);
  return out;
}

std::string encode_provenance(const Provenance& provenance) {
  ObjectText out, options, parquet;
  std::vector<std::string> sources;
  for (const auto& source : provenance.sources) sources.push_back(encode_source(source));
  visit_export_options(provenance.options, [&](const char* key, const auto& member) { options.add(key, member); });
  visit_parquet_options(provenance.options.create.output.parquet,
                        [&](const char* key, const auto& member) { parquet.add(key, member); });
  options.raw("parquet", parquet.text());
  out.add("version", kProvenanceVersion);
  out.raw("tool", json_string(kTool));
  out.add("tool_version", provenance.tool_version);
  out.raw("sources", list_text(sources));
  out.raw("selection", encode_selection(provenance.selection));
  out.add("output", provenance.output);
  out.raw("options", options.text());
  return out.text();
}

Provenance parse_provenance(const std::string& json, const std::string& path) {
  const auto document = parse_json(json, path);
  const JsonNode node(document, path, std::string(kProvenanceMember));
  ObjectReader in(node);
  int64_t form = 0;
  in.read("version", form);
  if (const std::string tool = in.at("tool").text(); tool != kTool || form != kProvenanceVersion) {
    throw ValidationError("its provenance is version " + std::to_string(form) + " of the tool " + in_quotes(tool) +
                              ", version " + std::to_string(kProvenanceVersion) + " of " + in_quotes(kTool) +
                              " expected",
                          {.path = path});
  }
  Provenance out;
  in.read("tool_version", out.tool_version);
  for (const JsonNode& source : in.at("sources").elements()) out.sources.push_back(parse_source(source));
  out.selection = parse_selection(in.at("selection"), out.sources.size());
  out.output = plain_name(in.at("output"));
  out.options = parse_options(in.at("options"));
  in.finish();
  return out;
}

Dataset select(const ProvenanceSelection& selection, const std::vector<Dataset>& sources) {
  std::vector<Dataset> parts;
  for (const auto& part : selection.parts) parts.push_back(select(part, sources));
  Dataset out = parts.empty()
                    ? sources[selection.source]
                    : concat(parts, selection.fills_missing ? ColumnMode::FillMissing : ColumnMode::Intersection);
  for (const auto& step : selection.steps) {
    if (const auto* sql = std::get_if<SqlText>(&step)) out = out.sql(sql->text);
    if (const auto* limit = std::get_if<LimitStep>(&step)) out = out.limit(limit->count);
    if (const auto* sort = std::get_if<SortStep>(&step)) {
      const std::string prefix = sort->level == 0 ? "" : "l" + std::to_string(sort->level) + ":";
      out = out.sort(prefix + sort->column, sort->descending);
    }
    if (const auto* filter = std::get_if<Filter>(&step)) {
      const FilterOptions at{.column = filter->column, .level = filter->level};
      if (const auto* box = std::get_if<BBox>(&filter->test)) out = out.filter_bbox(*box, at);
      else out = out.filter_datetime(std::get<TimeRange>(filter->test), at);
    }
  }
  return out;
}

}  // namespace tacore
