#include "describe/items.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/epoch.hpp"
#include "base/interrupt.hpp"
#include "base/log.hpp"
#include "base/longitude.hpp"
#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/frame_stream.hpp"
#include "format/names.hpp"
#include "io/public_path.hpp"
#include "model/grid_footprint.hpp"
#include "model/known_crs.hpp"
#include "model/value_numbers.hpp"
#include "model/wkb.hpp"
#include "table/arrow_stream.hpp"
#include "table/recomposed_batches.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace descriptions {

/// Rows of a batch as values.
class Values {
 public:
  Values(const arrow::RecordBatch& batch, const std::vector<std::string>& names, int64_t begin, int64_t count) {
    for (const auto& name : names) values_.emplace(name, batch_values(batch, name, begin, count));
  }
  bool has(std::string_view name) const { return values_.contains(name); }
  /// Null for an absent column.
  const Value& at(std::string_view name, std::size_t row) const {
    static const Value null;
    const auto found = values_.find(name);
    return found == values_.end() ? null : found->second[row];
  }
  std::string text(std::string_view name, std::size_t row) const {
    const auto* text = at(name, row).get<std::string>();
    return text ? *text : "";
  }

 private:
  std::map<std::string, std::vector<Value>, std::less<>> values_;
};

namespace {

constexpr std::string_view kDescribed[] = {
    "stac:crs",         "stac:geotransform", "stac:raster_shape", "stac:time_start", "stac:time_end",
    "stac:time_middle", "stac:centroid",     "istac:crs",         "istac:geometry",  "istac:time_start",
    "istac:time_end",   "istac:time_middle", "istac:centroid"};
constexpr std::string_view kTimes[][3] = {{"istac:time_start", "istac:time_middle", "istac:time_end"},
                                          {"stac:time_start", "stac:time_middle", "stac:time_end"}};

/// Empty unless all of it is finite numbers.
std::vector<double> finite_numbers_of(const Value& value) {
  std::vector<double> out;
  const auto* items = value.get<Value::List>();
  for (std::size_t i = 0; items && i < items->size(); ++i) {
    const auto number = number_of((*items)[i]);
    if (!number || !std::isfinite(*number)) return {};
    out.push_back(*number);
  }
  return out;
}

/// A time in seconds, as TACO 0.2.0 stores it; nullopt for NaN, which means null there.
std::optional<Timestamp> time_of_seconds(double seconds) {
  constexpr double kMost = 1e11, kMicroseconds = 1e6;  // the year 5138; what filters take for milliseconds begins there
  if (std::isnan(seconds)) return std::nullopt;
  if (!(std::abs(seconds) < kMost)) {
    throw SchemaError("a time is " + Json(seconds).dump() + ", expected seconds since 1970");
  }
  return Timestamp{static_cast<int64_t>(std::floor(seconds * kMicroseconds))};
}

std::optional<Timestamp> time_of(const std::optional<Epoch>& epoch) {
  return epoch ? std::optional(Timestamp{epoch->microseconds}) : std::nullopt;
}

/// A time in any form; numbers are epochs, as for filters.
std::optional<Timestamp> time_of(const Value& value) {
  if (const auto* time = value.get<Timestamp>()) return *time;
  if (const auto* whole = value.get<int64_t>()) return time_of(epoch_of(*whole));
  if (const auto* real = value.get<double>()) return time_of(epoch_of(*real));
  if (const auto* text = value.get<std::string>()) {
    try {
      return Timestamp::parse(*text);
    } catch (const QueryError&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// True for the years 1 to 9999, which RFC 3339 can express.
bool can_be_written(Timestamp time) {
  return time >= Timestamp{-62135596800'000'000} && time < Timestamp{253402300800'000'000};
}

bool is_nan(const Value& value) { return value.get<double>() && std::isnan(*value.get<double>()); }

/// WKB, WKT or [longitude, latitude], as filters read them.
std::optional<Centroid> point_of(const Value& value) {
  if (const auto* binary = value.get<Binary>()) {
    const auto box = wkb_envelope(std::as_bytes(std::span(binary->bytes)));
    return box && box->minx == box->maxx && box->miny == box->maxy ? std::optional(Centroid{box->minx, box->miny})
                                                                   : std::nullopt;
  }
  if (const auto* text = value.get<std::string>()) {
    const auto box = wkt_point_envelope(*text);
    return box ? std::optional(Centroid{box->minx, box->miny}) : std::nullopt;
  }
  const auto numbers = finite_numbers_of(value);
  return numbers.size() == 2 ? std::optional(Centroid{numbers[0], numbers[1]}) : std::nullopt;
}

bool is_position(const Centroid& at) { return std::isfinite(at.x) && std::abs(at.y) <= 90; }

bool has_grid(const Item& item) { return !item.crs.empty() && item.shape.size() == 2 && item.geotransform.size() == 6; }

/// nullopt without a grid, and for an unknown CRS: then the centroid replaces the footprint.
std::optional<Footprint> footprint_of_grid(const Item& item, const CrsTransformer* transformer) {
  if (!has_grid(item)) return std::nullopt;
  Grid grid{.crs = item.crs, .columns = item.shape[1], .rows = item.shape[0]};
  std::copy(item.geotransform.begin(), item.geotransform.end(), grid.geotransform.begin());
  try {
    return footprint_of(grid_footprint(grid, transformer));
  } catch (const SchemaError&) {
    return std::nullopt;
  }
}

void read_place(const Values& values, std::size_t row, const CrsTransformer* transformer, Item& out) {
  for (const char* name : {"stac:centroid", "istac:centroid"}) {
    if (!out.centroid) out.centroid = point_of(values.at(name, row));
  }
  if (out.centroid && !is_position(*out.centroid)) out.centroid.reset();
  if (out.centroid && std::abs(out.centroid->x) > 180) out.centroid->x = wrap_longitude(out.centroid->x);
  const auto* geometry = values.at("istac:geometry", row).get<Binary>();
  if (geometry && is_wgs84(values.text("istac:crs", row))) out.footprint = footprint_of(geometry->bytes);
  if (!out.footprint) out.footprint = footprint_of_grid(out, transformer);
  out.is_rough = !out.footprint && has_grid(out);
  if (!out.footprint && out.centroid) out.footprint = footprint_of(wkb_point(out.centroid->x, out.centroid->y));
}

void read_grid(const Values& columns, std::size_t row, Item& out) {
  out.crs = columns.text("stac:crs", row);
  out.geotransform = finite_numbers_of(columns.at("stac:geotransform", row));
  auto shape = finite_numbers_of(columns.at("stac:tensor_shape", row));
  if (shape.empty()) shape = finite_numbers_of(columns.at("stac:raster_shape", row));
  for (std::size_t i = shape.size() < 2 ? shape.size() : shape.size() - 2; i < shape.size(); ++i) {
    out.shape.push_back(static_cast<int64_t>(shape[i]));
  }
}

/// The container of an unfiltered dataset, whose rows can be streamed; otherwise nullptr.
const Container* whole_container(const Dataset& dataset) {
  if (impl_of(dataset)->partitions) return nullptr;
  const View& view = impl_of(dataset)->view();
  return view.steps.empty() ? view.container() : nullptr;
}

/// Whether a column is among `columns`.
bool is_wanted(std::string_view name, Columns columns) {
  return columns == Columns::All || is_described(name) || name == "stac:tensor_shape" || name == names::kId ||
         name == names::kType || name == "split" || name == "tortilla:data_split" || name.starts_with(names::kInternal);
}

std::shared_ptr<arrow::RecordBatchReader> read_in_passing(const Dataset& dataset, int level, Columns wanted) {
  const auto container = impl_of(dataset)->leaf(0);
  const auto rows = passing_rows(container->level(level), RowKey{0, level, 0});
  std::vector<StreamColumn> columns;
  for (std::size_t c = 0; c < rows->columns().size(); ++c) {
    const std::string& name = rows->columns()[c].name;
    const bool is_internal = name.starts_with(names::kInternal);
    if (!is_internal && is_wanted(name, wanted)) columns.push_back({name, static_cast<int>(c)});
  }
  const auto text = [rows](int64_t row, std::string_view name) {
    const int column = rows->find(name);
    return column < 0 ? std::string() : rows->text(column, row).value_or("");
  };
  const auto integer = [rows](int64_t row, std::string_view name) {
    const int column = rows->find(name);
    return column < 0 ? std::nullopt : rows->integer(column, row);
  };
  const auto path = [=](int64_t row) {
    if (level == 0) return text(row, names::kId);
    std::string out = text(row, names::kRelativePath);
    if (out.empty()) return container->relative_path(level, rows->key(row)->row);
    if (out.ends_with('/')) out.pop_back();
    return out;
  };
  columns.push_back({std::string(names::kRelativePath), -1, [=](int64_t row) { return std::optional(path(row)); }});
  columns.push_back({std::string(names::kGdalVsi), -1, [=](int64_t row) {
                       RowAddress at;
                       at.id = text(row, names::kId);
                       at.type = text(row, names::kType) == "FOLDER" ? SampleType::Folder : SampleType::File;
                       at.offset = integer(row, names::kOffset);
                       at.size = integer(row, names::kSize);
                       at.source_file = text(row, names::kSourceFile);
                       at.relative_path = path(row);
                       return std::optional(container->vsi_path(at));
                     }});
  return batch_reader(rows, std::move(columns));
}

/// The folder as GDAL names it, with a final slash; "" when the files are in several folders.
std::string folder_of(const Facts& facts) {
  if (facts.folder.empty() && facts.files.size() != 1) return "";
  std::string out = public_path(to_vsi(facts.folder.empty() ? "." : facts.folder));
  if (!out.ends_with('/')) out += '/';
  return out;
}

Dataset rows_of(const Dataset& dataset, int level) {
  dataset.level_columns(level);  // throws for a level that does not exist
  return level == 0 ? dataset : dataset.sql("SELECT * FROM level" + std::to_string(level));
}

}  // namespace

bool is_described(std::string_view column) {
  return std::find(std::begin(kDescribed), std::end(kDescribed), column) != std::end(kDescribed);
}

void Oddities::add(const Oddities& more) {
  const auto sum = [](int64_t& count, std::string& first, int64_t others, const std::string& example) {
    if (count == 0) first = example;
    count += others;
  };
  sum(num_untimed, untimed, more.num_untimed, more.untimed);
  sum(num_reversed, reversed, more.num_reversed, more.reversed);
  sum(num_rough, rough, more.num_rough, more.rough);
  sum(num_numbers, numbers, more.num_numbers, more.numbers);
}

void Oddities::warn(int level) const {
  const auto say = [level](int64_t count, const std::string& what, const std::string& first) {
    if (count == 0) return;
    log::warning("level " + std::to_string(level) + ": " + what + ": " + std::to_string(count) +
                 (count == 1 ? " sample, " : " samples, the first is ") + first);
  };
  say(num_numbers, "times are numbers, read as Unix times, the unit by the magnitude of each", numbers);
  say(num_untimed, "the time is unknown, as no stored value is a time (RFC 3339 or Unix time expected)", untimed);
  say(num_reversed, "the time ends before it starts; the two are exchanged", reversed);
  say(num_rough, "the coordinate system is unknown, or the grid has no area, so the centroid replaces the footprint",
      rough);
}

LevelItems::LevelItems(const Dataset& dataset, const Facts& facts, int level, const DescribeOptions& options,
                       Columns columns)
    : facts_(facts),
      level_(level),
      transformer_(options.transformer),
      columns_(columns),
      folder_(folder_of(facts)),
      rows_(rows_of(dataset, level)) {
  batches_ = whole_container(dataset) ? read_in_passing(dataset, level, columns) : frame_batches(rows_.data_raw());
}

LevelItems::LevelItems(std::shared_ptr<arrow::RecordBatchReader> batches, const Dataset& dataset, const Facts& facts,
                       int level, const DescribeOptions& options, Columns columns)
    : facts_(facts),
      level_(level),
      transformer_(options.transformer),
      columns_(columns),
      folder_(folder_of(facts)),
      batches_(std::move(batches)),
      rows_(dataset) {}

/// Sets the times from the first group of columns (`istac:`, then `stac:`) that has one.
void LevelItems::read_times(const Values& values, std::size_t row, Item& out) {
  std::string odd;
  const auto time_at = [&](std::string_view name) -> std::optional<Timestamp> {
    const Value& value = values.at(name, row);
    out.has_time_columns = out.has_time_columns || values.has(name);
    if (value.is_null() || is_nan(value)) return std::nullopt;
    const auto number = number_of(value);
    if (number && is_v1(facts_.format)) return time_of_seconds(*number);
    const auto time = time_of(value);
    if (number && oddities_.num_numbers++ == 0) {
      oddities_.numbers = std::string(name) + " of " + tacore::in_quotes(out.path);
    }
    if (time && can_be_written(*time)) return time;
    if (odd.empty()) {
      odd = to_json(value).dump(-1, ' ', false, Json::error_handler_t::replace) + " in " + std::string(name);
    }
    return std::nullopt;
  };
  for (const auto& [start, middle, end] : kTimes) {
    out.start = time_at(start);
    out.middle = time_at(middle);
    out.end = time_at(end);
    if (out.start || out.middle || out.end) break;
  }
  const bool is_untimed = out.has_time_columns && !out.start && !out.middle && !out.end;
  if ((is_untimed || !odd.empty()) && oddities_.num_untimed++ == 0) {
    oddities_.untimed = tacore::in_quotes(out.path) + " with " + (odd.empty() ? "null" : odd);
  }
  if (out.start && out.end && *out.end < *out.start) {
    std::swap(out.start, out.end);
    if (oddities_.num_reversed++ == 0) oddities_.reversed = tacore::in_quotes(out.path);
  }
}

std::shared_ptr<arrow::RecordBatch> LevelItems::next_batch() { return read_batch(*batches_); }

int64_t LevelItems::size_of(const arrow::RecordBatch& batch) { return num_rows(batch); }

Location LevelItems::locate(const std::string& vsi_path) const {
  Location out{.name = vsi_path};
  if (vsi_path.starts_with("/vsisubfile/")) {
    const auto part = parse_vsi_subfile(vsi_path);
    out = {.name = part.root, .offset = part.range.offset, .size_bytes = part.range.size};
  }
  out.name = public_path(out.name);
  const bool is_inside = !folder_.empty() && out.name.starts_with(folder_);
  out.name = is_inside ? out.name.substr(folder_.size()) : file_name(out.name);
  return out;
}

std::string LevelItems::vsi(const Location& location) const {
  const std::string file = is_remote(facts_.base_url) ? to_vsi(facts_.href(location.name)) : location.name;
  if (!location.offset) return file;
  return vsi_subfile({*location.offset, location.size_bytes.value_or(0)}, file);
}

void LevelItems::add_files(const DataFrame& children, const std::string& prefix, Item& out) const {
  for (int64_t row = 0; row < children.num_rows(); ++row) {
    const std::string path = prefix + children.text(row, names::kId).value_or("");
    const Node node = children.read(row);
    if (const auto* below = std::get_if<DataFrame>(&node)) {
      add_files(*below, path + "/", out);
    } else {
      out.files.emplace_back(path, locate(children.text(row, names::kGdalVsi).value_or("")));
    }
  }
}

/// An id that is unique, needs no percent-encoding (clients differ in how they decode it) and is short enough for a
/// file name. The first sample of several with the same path keeps it; parts of an index may repeat ids.
std::string LevelItems::unique(const std::string& path, int64_t row) {
  constexpr std::size_t kLongest = 200;
  std::string id = path.substr(0, kLongest);
  for (char& c : id) {
    const bool is_plain = percent_encoded({&c, 1}, false).size() == 1;
    if (!is_plain) c = '_';
  }
  while (!seen_.insert(std::hash<std::string>()(id)).second) id += "_" + std::to_string(row);
  return id;
}

std::vector<Item> LevelItems::read(const arrow::RecordBatch& batch, int64_t begin, int64_t count, bool with_files) {
  auto names = column_names(*batches_);
  std::erase_if(names, [this](const std::string& name) { return !is_wanted(name, columns_); });
  const Values columns(batch, names, begin, count);
  std::vector<Item> out(static_cast<std::size_t>(count));
  for (std::size_t row = 0; row < out.size(); ++row) {
    Item& item = out[row];
    const std::string id = columns.text(names::kId, row), path = columns.text(names::kRelativePath, row);
    item.path = level_ == 0 || path.empty() ? id : path;
    while (item.path.ends_with('/')) item.path.pop_back();
    item.id = unique(item.path, next_);
    item.type = columns.text(names::kType, row) == "FOLDER" ? SampleType::Folder : SampleType::File;
    item.split = columns.text("split", row);
    if (item.split.empty()) item.split = columns.text("tortilla:data_split", row);
    read_grid(columns, row, item);
    try {
      if (columns_ == Columns::All) read_place(columns, row, transformer_, item);
    } catch (const FormatError& error) {
      throw FormatError("sample " + tacore::in_quotes(item.path) +
                        " has no geometry where one is expected: " + error.message());
    }
    try {
      read_times(columns, row, item);
    } catch (const SchemaError& error) {
      throw SchemaError("sample " + tacore::in_quotes(item.path) + ": " + error.message());
    }
    if (item.is_rough && oddities_.num_rough++ == 0) {
      oddities_.rough = tacore::in_quotes(item.path) + " in " + tacore::in_quotes(item.crs);
    }
    item.data = locate(columns.text(names::kGdalVsi, row));
    for (const auto& name : names) {
      const bool is_field = name != names::kId && name != names::kType && !name.starts_with(names::kInternal);
      const Value& value = columns.at(name, row);
      if (is_field && !is_described(name) && !value.is_null()) item.fields.emplace_back(name, value);
    }
    if (with_files && item.type == SampleType::Folder) {
      if (!frame_) frame_ = rows_.data();
      const Node node = frame_->read(next_);
      if (const auto* children = std::get_if<DataFrame>(&node)) add_files(*children, "", item);
    }
    ++next_;
  }
  return out;
}

}  // namespace descriptions

std::vector<std::optional<Binary>> footprints(const DataFrame& rows, const CrsTransformer* transformer) {
  using namespace descriptions;
  std::vector<std::string> wanted;
  for (const Column& column : rows.columns()) {
    const bool is_internal = column.name.starts_with(names::kInternal);
    if (!is_internal && is_wanted(column.name, Columns::OfPlaces)) wanted.push_back(column.name);
  }
  std::vector<std::optional<Binary>> out;
  out.reserve(static_cast<std::size_t>(rows.num_rows()));
  if (wanted.empty()) return std::vector<std::optional<Binary>>(static_cast<std::size_t>(rows.num_rows()));
  Oddities oddities;
  const auto batches = frame_batches(rows.select(wanted));
  while (const auto batch = read_batch(*batches)) {
    throw_if_interrupted();
    const auto count = static_cast<std::size_t>(num_rows(*batch));
    const Values columns(*batch, wanted, 0, static_cast<int64_t>(count));
    for (std::size_t row = 0; row < count; ++row) {
      Item item;
      const std::string id = in_quotes(columns.text(names::kId, row));
      read_grid(columns, row, item);
      try {
        read_place(columns, row, transformer, item);
      } catch (const FormatError& error) {
        throw FormatError("sample " + id + " has no geometry where one is expected: " + error.message());
      }
      if (item.is_rough && oddities.num_rough++ == 0) oddities.rough = id + " in " + in_quotes(item.crs);
      out.push_back(item.footprint ? std::optional(Binary{std::move(item.footprint->wkb)}) : std::nullopt);
    }
  }
  oddities.warn(rows.level());
  return out;
}

}  // namespace tacore
