#include <algorithm>
#include <filesystem>
#include <set>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "describe/new_folder.hpp"
#include "describe/stac.hpp"
#include "format/names.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "table/parquet_write.hpp"
#include "table/recomposed_batches.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"

namespace tacore {
namespace descriptions {
namespace {

using Type = std::shared_ptr<arrow::DataType>;

/// Bounding box and geometry types of a file, for its metadata.
class Places {
 public:
  void add(const Footprint& footprint) {
    const BBox& box = footprint.box;
    crosses_ = crosses_ || box.minx > box.maxx;
    if (!there_) box_ = box;
    there_ = true;
    box_ = {std::min(box_.minx, box.minx), std::min(box_.miny, box.miny), std::max(box_.maxx, box.maxx),
            std::max(box_.maxy, box.maxy)};
    types_.insert(geometry_type_of(footprint.wkb));
  }
  bool there() const { return there_; }

  /// The key `geo` (GeoParquet 1.1). No CRS is OGC:CRS84.
  Json metadata() const {
    // When a footprint crosses the antimeridian, the box covers all longitudes.
    const BBox box = crosses_ ? BBox{-180, box_.miny, 180, box_.maxy} : box_;
    Json covering = Json::object();
    for (const char* side : {"xmin", "ymin", "xmax", "ymax"}) covering[side] = {"bbox", side};
    const Json geometry = {{"encoding", "WKB"},
                           {"geometry_types", types_},
                           {"edges", "planar"},
                           {"bbox", bbox_of(box)},
                           {"covering", {{"bbox", covering}}}};
    return {{"version", "1.1.0"}, {"primary_column", "geometry"}, {"columns", {{"geometry", geometry}}}};
  }

 private:
  bool there_ = false;
  bool crosses_ = false;
  BBox box_ = {};
  std::set<std::string> types_ = {};
};

Value geometry_value(const Item& item) { return item.footprint ? Value(Binary{item.footprint->wkb}) : Value(); }

Value bbox_value(const Item& item) {
  if (!item.footprint) return {};
  const BBox& box = item.footprint->box;
  return Struct{{"xmin", box.minx}, {"ymin", box.miny}, {"xmax", box.maxx}, {"ymax", box.maxy}};
}

Type bbox_type() { return parse_type("struct<xmin: double, ymin: double, xmax: double, ymax: double>"); }

/// Columns that are computed from Items, each by a function.
class Computed {
 public:
  void add(std::vector<NewColumn>& columns, const std::string& name, const Type& type,
           std::function<Value(const Item&)> value) {
    columns.push_back({.name = name, .type = type});
    values_.push_back(std::move(value));
  }
  /// Item by item, in the order of the columns.
  std::vector<std::vector<Value>> of(const std::vector<Item>& items) const {
    std::vector<std::vector<Value>> out(values_.size());
    for (const Item& item : items) {
      for (std::size_t c = 0; c < values_.size(); ++c) out[c].push_back(values_[c](item));
    }
    return out;
  }

 private:
  std::vector<std::function<Value(const Item&)>> values_;
};

/// Writes the level with `columns`; their computed values are those of `computed`. Returns whether a row has a place.
bool write(LevelItems& items, std::vector<NewColumn> columns, const Computed& computed, bool with_files,
           const ByteConsumer& out, const DescribeOptions& options, std::map<std::string, std::string> metadata) {
  Places places;
  const auto batches = recomposed_batches(items.batches(), std::move(columns), [&](const arrow::RecordBatch& batch) {
    throw_if_interrupted();
    const auto rows = items.read(batch, 0, num_rows(batch), with_files);
    for (const Item& item : rows) {
      if (item.footprint) places.add(*item.footprint);
    }
    return computed.of(rows);
  });
  write_parquet(*batches, out, options.parquet, [&] {
    if (places.there()) metadata["geo"] = places.metadata().dump();
    return metadata;
  });
  return places.there();
}

/// Writes a file as above. Throws SchemaError when no row has a place.
void write_file(LevelItems& items, std::vector<NewColumn> columns, const Computed& computed, bool with_files,
                const std::string& path, const DescribeOptions& options, std::map<std::string, std::string> metadata) {
  check_parquet_options(options.parquet);
  OutputFile file(path, options.overwrite);
  uint64_t size = 0;
  const auto out = [&](std::span<const std::byte> bytes) {
    file.write(size, bytes);
    size += bytes.size();
  };
  if (!write(items, std::move(columns), computed, with_files, out, options, std::move(metadata))) {
    throw SchemaError(
        "no sample of the level has a location; a column istac:geometry, stac:centroid or istac:centroid "
        "expected",
        {.path = path});
  }
  file.sync();
  throw_if_interrupted();
  file.commit();
}

bool is_user_column(const std::string& name) { return !name.starts_with(names::kInternal); }

/// The columns of footer2geoparquet(): those of the level, the path for GDAL and, with places, the footprint.
std::vector<NewColumn> table_columns(const LevelItems& items, bool with_places, Computed& computed) {
  const std::set<std::string> added = {"taco:vsi", "geometry", "bbox"};
  std::vector<NewColumn> columns;
  for (const auto& name : column_names(*items.batches())) {
    if (is_user_column(name)) columns.push_back({.name = added.contains(name) ? name + "_" : name, .from = name});
  }
  computed.add(columns, "taco:vsi", parse_type("string"), [&](const Item& item) { return items.vsi(item.data); });
  if (!with_places) return columns;
  computed.add(columns, "geometry", parse_type("binary"), geometry_value);
  computed.add(columns, "bbox", bbox_type(), bbox_value);
  return columns;
}

constexpr int64_t kMostTables = 100;  // a column of more values does not name splits

std::string sql_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

/// The samples of a split, under a name that the Hub accepts.
struct SplitRows {
  std::string name = {};
  Dataset rows;
};

/// The name of a split on the Hub: letters, digits and '_'. "all" means all splits there.
std::string hub_name(const std::string& split) {
  std::string out = split == "all" ? "all_" : split;
  for (char& c : out) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_plain) c = '_';
  }
  return out;
}

/// Training first, then validation and test, then others, as the viewer shows the first.
int rank_of(const std::string& split) {
  const std::string name = lower(split);
  int rank = 0;
  for (const char* stem : {"train", "val", "test"}) {
    if (name.starts_with(stem)) return rank;
    ++rank;
  }
  return rank;
}

/// The samples by the columns of splits; all as "train", which is the Hub's name for them, when there are none.
std::vector<SplitRows> splits_of(const Dataset& dataset) {
  std::vector<std::string> columns;
  for (const Column& column : dataset.level_columns(0)) {
    const bool is_split = column.name == "split" || column.name == "tortilla:data_split";
    if (is_split && column.type == "string") columns.push_back("nullif(\"" + column.name + "\", '')");
  }
  if (columns.empty()) return {{"train", dataset}};
  const std::string split = "coalesce(" + join(columns, ", ") + ")";
  const DataFrame found = dataset.sql("SELECT DISTINCT " + split + " AS split FROM data").data();
  if (found.num_rows() > kMostTables) return {{"train", dataset}};
  std::vector<SplitRows> out;
  std::set<std::string> names;
  for (int64_t row = 0; row < found.num_rows(); ++row) {
    const auto value = found.text(row, "split");
    const std::string where = value ? " = " + sql_text(*value) : " IS NULL";
    const Dataset rows = dataset.sql("SELECT * FROM data WHERE " + split + where);
    if (rows.num_rows() == 0) continue;  // padding alone
    std::string name = value ? hub_name(*value) : "unassigned";
    while (!names.insert(lower(name)).second) name += '_';  // file systems may ignore case
    out.push_back({name, rows});
  }
  std::ranges::sort(out, {}, [](const SplitRows& each) { return std::pair(rank_of(each.name), each.name); });
  if (out.empty()) return {{"train", dataset}};
  return out;
}

/// Whether level 0 has columns of places.
bool has_places(const Dataset& dataset) {
  const auto columns = dataset.level_columns(0);
  const auto has = [&](const char* name) { return std::ranges::find(columns, name, &Column::name) != columns.end(); };
  return has("istac:geometry") || has("stac:centroid") || has("istac:centroid") ||
         (has("stac:crs") && has("stac:geotransform"));
}

/// Whether a folder is what write_viewer_tables() makes, and may be replaced by it.
bool has_only_tables(const std::string& folder) {
  return std::ranges::all_of(std::filesystem::directory_iterator(folder), [](const auto& entry) {
    return entry.is_regular_file() && entry.path().extension() == ".parquet";
  });
}

Type assets_type(const std::vector<std::string>& names) {
  const Type text = parse_type("string"), whole = parse_type("int64");
  const Type asset = struct_type({{"href", text},
                                  {"title", text},
                                  {"type", text},
                                  {"roles", list_type(text)},
                                  {"taco:offset", whole},
                                  {"taco:size", whole},
                                  {"taco:vsi", text}});
  std::vector<std::pair<std::string, Type>> fields;
  for (const auto& name : names) fields.emplace_back(name, asset);
  return struct_type(fields);
}

Value from_json(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_array()) {
    Value::List out;
    for (const Json& item : json) out.push_back(from_json(item));
    return out;
  }
  if (json.is_object()) {
    Struct out;
    for (const auto& [key, value] : json.items()) out.emplace_back(key, from_json(value));
    return out;
  }
  return {};
}

Value assets_value(const Item& item, const Facts& facts, const LevelItems& items, const std::set<std::string>& known) {
  const Json assets = stac_assets(item, facts, items);
  for (const auto& [name, asset] : assets.items()) {
    if (known.contains(name)) continue;
    throw SchemaError("sample " + tacore::in_quotes(item.path) + " has " + tacore::in_quotes(name) +
                      ", which the tree of the dataset (taco:pit_schema) does not have: all Items of a table have the "
                      "same assets");
  }
  return from_json(assets);
}

/// The STAC properties of the current Item, computed once for all of its columns.
class Properties {
 public:
  explicit Properties(const Facts& facts) : facts_(facts) {}

  Value get(const Item& item, const char* name) {
    if (last_ != &item || id_ != item.id) {
      json_ = stac_properties(item, facts_);
      last_ = &item;
      id_ = item.id;
    }
    const auto found = json_.find(name);
    return found == json_.end() ? Value() : from_json(*found);
  }
  Value time(const Item& item, const char* name) {
    const Value text = get(item, name);
    return text.is_null() ? Value() : Value(Timestamp::parse(*text.get<std::string>()));
  }

 private:
  const Facts& facts_;
  const Item* last_ = nullptr;
  std::string id_ = {};
  Json json_ = {};
};

}  // namespace

Oddities write_table(const Dataset& dataset, const Facts& facts, PlainFile& file, const DescribeOptions& options) {
  LevelItems items(dataset, facts, 0, options);
  Computed computed;
  const auto out = [&](std::span<const std::byte> bytes) {
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  write(items, table_columns(items, has_places(dataset), computed), computed, false, out, options, {});
  file.close();
  return items.oddities();
}

}  // namespace descriptions

void footer2geoparquet(const Dataset& dataset, int level, const std::string& path, const DescribeOptions& options) {
  using namespace descriptions;
  require_apart(path, files_of(dataset));
  const Facts facts = gather_stated(dataset, options);
  LevelItems items(dataset, facts, level, options);
  Computed computed;
  write_file(items, table_columns(items, true, computed), computed, false, path, options, {});
  items.oddities().warn(level);
}

std::vector<std::string> write_viewer_tables(const Dataset& dataset, const std::string& folder,
                                             const DescribeOptions& options) {
  using namespace descriptions;
  require_apart(folder, described_files(files_of(dataset)));
  check_parquet_options(options.parquet);
  const NewFolder tables(folder, options.overwrite, "a folder of Parquet files alone", has_only_tables);
  std::vector<std::string> paths;
  Oddities oddities;
  for (const auto& [split, rows] : splits_of(dataset)) {
    const Facts facts = gather_stated(rows, options);
    PlainFile file = tables.file(split + ".parquet");
    oddities.add(write_table(rows, facts, file, options));
    paths.push_back(path_join(file_name(without_slashes(folder)), split + ".parquet"));
  }
  tables.publish();
  oddities.warn(0);
  return paths;
}

void footer2geoparquetstac(const Dataset& dataset, int level, const std::string& path, const DescribeOptions& options) {
  using namespace descriptions;
  require_apart(path, files_of(dataset));
  Facts facts = gather(dataset, options, level);
  if (facts.base_url.empty()) facts.base_url = way_between(parent_folder(path), facts.folder);
  LevelItems items(dataset, facts, level, options);
  const auto assets = asset_names(facts, level);
  const std::set<std::string> known(assets.begin(), assets.end());
  const auto stored = column_names(*items.batches());
  const auto has = [&](const char* name) { return std::find(stored.begin(), stored.end(), name) != stored.end(); };
  const Type text = parse_type("string"), time = parse_type("timestamp[us, tz=UTC]");
  const std::string collection = facts.collection.id;
  Properties properties(facts);
  std::vector<NewColumn> columns;
  Computed computed;
  const auto add = [&](const char* name, const Type& type, std::function<Value(const Item&)> value) {
    computed.add(columns, name, type, std::move(value));
  };
  const auto add_property = [&](const char* name, const Type& type) {
    add(name, type, [&properties, name](const Item& item) { return properties.get(item, name); });
  };
  const auto at = static_cast<std::size_t>(level);
  const LevelFacts of_level = at < facts.levels.size() ? facts.levels[at] : LevelFacts{};
  const bool has_shape = has("stac:tensor_shape") || has("stac:raster_shape");
  const bool has_projection = has("stac:crs") || has("stac:geotransform") || has_shape;
  add("type", text, [](const Item&) { return "Feature"; });
  add("stac_version", text, [](const Item&) { return kStacVersion; });
  add("stac_extensions", list_type(text),
      [&](const Item&) { return Value(has_projection ? Value::List{kProjection} : Value::List{}); });
  add("id", text, [](const Item& item) { return item.id; });
  add("geometry", parse_type("binary"), geometry_value);
  add("bbox", bbox_type(), bbox_value);
  add("datetime", time, [&](const Item& item) { return properties.time(item, "datetime"); });
  // An instant among intervals is one that begins and ends at once: readers give null back as null, which STAC refuses.
  for (const char* name : {"start_datetime", "end_datetime"}) {
    if (!of_level.has_intervals) break;
    add(name, time, [&properties, name](const Item& item) {
      const Value bound = properties.time(item, name);
      return bound.is_null() ? properties.time(item, "datetime") : bound;
    });
  }
  if (of_level.has_unknown_times) add_property(kTimeUnknown, text);
  if (has("stac:crs")) {
    for (const char* name : {"proj:code", "proj:wkt2", "stac:crs"}) add_property(name, text);
  }
  if (has_shape) add_property("proj:shape", list_type(parse_type("int64")));
  if (has("stac:geotransform")) add_property("proj:transform", list_type(parse_type("double")));
  if (has("stac:centroid") && has_projection)
    add_property("proj:centroid", parse_type("struct<lat: double, lon: double>"));
  for (const char* name : {"taco:path", "taco:type"}) add_property(name, text);
  for (const auto& name : stored) {
    const bool is_field = is_user_column(name) && name != names::kId && name != names::kType && !is_described(name);
    if (is_field) columns.push_back({.name = property_name(name), .from = name});
  }
  if (!assets.empty()) {  // Parquet has no struct without members
    add("assets", assets_type(assets), [&](const Item& item) { return assets_value(item, facts, items, known); });
  }
  add("links", parse_type("list<item: struct<rel: string, href: string, type: string>>"), [](const Item&) {
    return Value::List{Struct{{"rel", "collection"}, {"href", "./collection.json"}, {"type", "application/json"}}};
  });
  add("collection", text, [&](const Item&) { return collection; });
  const Json key = {{"version", "1.0.0"}, {"collections", {{collection, stac_collection(facts)}}}};
  write_file(items, std::move(columns), computed, true, path, options,
             {{"stac-geoparquet", key.dump(-1, ' ', false, Json::error_handler_t::replace)}});
}

}  // namespace tacore
