#include "query/sql_functions.hpp"

#include <algorithm>
#include <cmath>
#include <duckdb.hpp>
#include <duckdb/common/exception/conversion_exception.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/epoch.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "io/vsi_path.hpp"
#include "model/grid_footprint.hpp"
#include "model/identifier.hpp"
#include "model/wkb.hpp"
#include "tacore/error.hpp"
#include "tacore/time_range.hpp"

namespace tacore {
namespace {

/// Remarkable values that the functions of one statement met, for warnings to the user. Each statement has its own
/// connection. Safe from several threads.
class Remarks : public duckdb::ClientContextState {
 public:
  static Remarks& of(duckdb::ClientContext& context) {
    return *context.registered_state->GetOrCreate<Remarks>("tacore");
  }
  static Remarks& of(duckdb::ExpressionState& state) { return of(state.GetContext()); }

  void add_no_time(const std::string& column, std::string_view text) {
    const std::lock_guard lock(mutex_);
    auto& texts = no_times_[column];
    if (texts.size() < kMostTexts) texts.emplace(text);
  }
  void add_units(const std::string& column, const std::set<EpochUnit>& units) {
    const std::lock_guard lock(mutex_);
    units_[column].insert(units.begin(), units.end());
  }
  void add_no_footprint(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (num_no_footprints_++ == 0) why_no_footprint_ = why;
  }

  void log() const {
    for (const auto& [column, texts] : no_times_) {
      log::warning("column " + in_quotes(column) + ": " + std::to_string(texts.size()) +
                   (texts.size() < kMostTexts ? "" : " or more") +
                   " different texts are not RFC 3339 times such as 2023-01-31T12:00:00Z, and match no time filter: " +
                   in_quotes(*texts.begin()) + (texts.size() > 1 ? " is the first in order" : ""));
    }
    for (const auto& [column, units] : units_) {
      static constexpr const char* kNames[] = {"seconds", "milliseconds", "microseconds", "nanoseconds"};
      std::vector<std::string> names;
      for (const EpochUnit unit : units) names.emplace_back(kNames[static_cast<int>(unit)]);
      log::warning("column " + in_quotes(column) + " holds numbers; read as Unix times in " + join(names, " and ") +
                   (names.size() > 1 ? ", each by its own magnitude" : ""));
    }
    if (num_no_footprints_ > 0) {
      log::warning(std::to_string(num_no_footprints_) + (num_no_footprints_ == 1 ? " sample has" : " samples have") +
                   " no footprint; centroids were tested instead. Reason for the first: " + why_no_footprint_);
    }
  }

 private:
  static constexpr std::size_t kMostTexts = 1000;

  std::mutex mutex_;
  std::map<std::string, std::set<std::string, std::less<>>> no_times_;
  std::map<std::string, std::set<EpochUnit>> units_;
  int64_t num_no_footprints_ = 0;
  std::string why_no_footprint_;
};

template <class Body>
auto with_damage_marked(const Body& body) {
  try {
    return body();
  } catch (const FormatError& error) {
    throw duckdb::InvalidInputException("%s%s", kDamagedData, error.what());
  }
}

/// Calls `cell(value)` -> bool or optional<bool> for each non-null value of the first argument.
template <class T, class Cell>
void each(duckdb::DataChunk& args, duckdb::Vector& result, const Cell& cell) {
  duckdb::UnifiedVectorFormat in;
  args.data[0].ToUnifiedFormat(args.size(), in);
  const auto* values = duckdb::UnifiedVectorFormat::GetData<T>(in);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<bool>(result);
  with_damage_marked([&] {
    for (idx_t i = 0; i < args.size(); ++i) {
      const idx_t at = in.sel->get_index(i);
      out[i] = in.validity.RowIsValid(at) && cell(values[at]);
    }
  });
}

/// The box is constant in a statement: the same for every row.
BoxTest box_of(duckdb::DataChunk& args, idx_t first) {
  const auto bound = [&](idx_t i) { return args.data[first + i].GetValue(0).GetValue<double>(); };
  return BoxTest({bound(0), bound(1), bound(2), bound(3)});
}

void meets_wkb(duckdb::DataChunk& args, duckdb::ExpressionState&, duckdb::Vector& result) {
  const BoxTest box = box_of(args, 1);
  each<duckdb::string_t>(args, result, [&](const duckdb::string_t& wkb) {
    return box.meets_wkb({reinterpret_cast<const std::byte*>(wkb.GetData()), wkb.GetSize()});
  });
}

void meets_wkt(duckdb::DataChunk& args, duckdb::ExpressionState&, duckdb::Vector& result) {
  const BoxTest box = box_of(args, 1);
  each<duckdb::string_t>(args, result, [&](const duckdb::string_t& text) {
    const std::string_view wkt(text.GetData(), text.GetSize());
    const auto meets = box.meets_wkt(wkt);
    if (!meets) throw FormatError("geometry " + in_quotes(wkt) + " is not a WKT point");
    return *meets;
  });
}

void meets_point(duckdb::DataChunk& args, duckdb::ExpressionState&, duckdb::Vector& result) {
  const BoxTest box = box_of(args, 2);
  duckdb::UnifiedVectorFormat lat;
  args.data[1].ToUnifiedFormat(args.size(), lat);
  const auto* lats = duckdb::UnifiedVectorFormat::GetData<double>(lat);
  duckdb::UnifiedVectorFormat lon;
  args.data[0].ToUnifiedFormat(args.size(), lon);
  const auto* lons = duckdb::UnifiedVectorFormat::GetData<double>(lon);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<bool>(result);
  for (idx_t i = 0; i < args.size(); ++i) {
    const idx_t x = lon.sel->get_index(i), y = lat.sel->get_index(i);
    out[i] = lon.validity.RowIsValid(x) && lat.validity.RowIsValid(y) && box.meets_point(lons[x], lats[y]);
  }
}

/// Calls `convert(value)` -> optional<int64_t> for each value of the first argument.
template <class T, class Convert>
void each_as_number(duckdb::DataChunk& args, duckdb::Vector& result, const Convert& convert) {
  duckdb::UnifiedVectorFormat in;
  args.data[0].ToUnifiedFormat(args.size(), in);
  const auto* values = duckdb::UnifiedVectorFormat::GetData<T>(in);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<int64_t>(result);
  for (idx_t i = 0; i < args.size(); ++i) {
    const idx_t at = in.sel->get_index(i);
    const auto number = in.validity.RowIsValid(at) ? convert(values[at]) : std::nullopt;
    out[i] = number.value_or(0);
    if (!number) duckdb::FlatVector::SetNull(result, i, true);
  }
}

/// The name of the column for messages, the second argument: the same for every row.
std::string column_of(duckdb::DataChunk& args) { return args.data[1].GetValue(0).ToString(); }

/// RFC 3339 text as microseconds; null for other text.
void rfc3339(duckdb::DataChunk& args, duckdb::ExpressionState& state, duckdb::Vector& result) {
  each_as_number<duckdb::string_t>(args, result, [&](const duckdb::string_t& value) -> std::optional<int64_t> {
    const std::string_view text(value.GetData(), value.GetSize());
    try {
      return Timestamp::parse(text).microseconds;
    } catch (const QueryError&) {
      Remarks::of(state).add_no_time(column_of(args), text);
      return std::nullopt;
    }
  });
}

/// A number as microseconds; null for a missing time.
template <class T>
void epoch(duckdb::DataChunk& args, duckdb::ExpressionState& state, duckdb::Vector& result) {
  std::set<EpochUnit> units;
  each_as_number<T>(args, result, [&](T number) -> std::optional<int64_t> {
    const auto time = epoch_of(number);
    if (!time) return std::nullopt;
    units.insert(time->unit);
    return time->microseconds;
  });
  if (!units.empty()) Remarks::of(state).add_units(column_of(args), units);
}

/// A whole number as a double, which must be the same number.
template <class T>
void exact(duckdb::DataChunk& args, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::UnifiedVectorFormat in;
  args.data[0].ToUnifiedFormat(args.size(), in);
  const auto* values = duckdb::UnifiedVectorFormat::GetData<T>(in);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<double>(result);
  for (idx_t i = 0; i < args.size(); ++i) {
    const idx_t at = in.sel->get_index(i);
    out[i] = 0;
    if (!in.validity.RowIsValid(at)) {
      duckdb::FlatVector::SetNull(result, i, true);
      continue;
    }
    const T value = values[at];
    out[i] = static_cast<double>(value);
    // The largest values of T round to the first number that T cannot hold.
    const bool is_in_reach = out[i] < std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (!is_in_reach || static_cast<T>(out[i]) != value) {
      throw duckdb::ConversionException(
          "column %s: %s is an integer that a double cannot represent exactly, but the column is double in another "
          "dataset; cast one of the two columns first",
          in_quotes(column_of(args)), std::to_string(value));
    }
  }
}

/// Lists of numbers, row by row.
template <class T>
class Lists {
 public:
  Lists(duckdb::Vector& vector, idx_t count) {
    vector.ToUnifiedFormat(count, lists_);
    auto& items = duckdb::ListVector::GetEntry(vector);
    items.ToUnifiedFormat(duckdb::ListVector::GetListSize(vector), items_);
  }
  /// The list of a row; empty for null, and for a list that contains null.
  std::vector<T> at(idx_t row) const {
    const idx_t at = lists_.sel->get_index(row);
    if (!lists_.validity.RowIsValid(at)) return {};
    const auto list = duckdb::UnifiedVectorFormat::GetData<duckdb::list_entry_t>(lists_)[at];
    std::vector<T> out;
    for (idx_t i = 0; i < list.length; ++i) {
      const idx_t item = items_.sel->get_index(list.offset + i);
      if (!items_.validity.RowIsValid(item)) return {};
      out.push_back(duckdb::UnifiedVectorFormat::GetData<T>(items_)[item]);
    }
    return out;
  }

 private:
  duckdb::UnifiedVectorFormat lists_, items_;
};

/// (stac:crs, stac:geotransform, stac:tensor_shape, box) -> whether the grid meets the box; null where its footprint is
/// unknown.
void meets_grid(duckdb::DataChunk& args, duckdb::ExpressionState& state, duckdb::Vector& result) {
  const BoxTest box = box_of(args, 3);
  duckdb::UnifiedVectorFormat crs;
  args.data[0].ToUnifiedFormat(args.size(), crs);
  const auto* systems = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(crs);
  const Lists<double> transforms(args.data[1], args.size());
  const Lists<int64_t> shapes(args.data[2], args.size());
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<bool>(result);
  Remarks& remarks = Remarks::of(state);
  for (idx_t i = 0; i < args.size(); ++i) {
    out[i] = false;
    const idx_t at = crs.sel->get_index(i);
    const auto transform = transforms.at(i);
    const auto shape = shapes.at(i);
    try {
      if (!crs.validity.RowIsValid(at) || transform.size() != 6 || shape.size() < 2)
        throw SchemaError("stac:crs, stac:geotransform or stac:tensor_shape is null or too short");
      Grid grid{.crs = systems[at].GetString(), .columns = shape.back(), .rows = shape[shape.size() - 2]};
      std::ranges::copy(transform, grid.geotransform.begin());
      const std::string wkb = grid_footprint(grid, nullptr);
      out[i] = box.meets_wkb(std::as_bytes(std::span(wkb)));
    } catch (const SchemaError& error) {
      remarks.add_no_footprint(error.message());
      duckdb::FlatVector::SetNull(result, i, true);
    }
  }
}

/// (DATA/ of a FOLDER, path of a row below it, FILE or FOLDER) -> the path that GDAL opens.
void folder_path(duckdb::DataChunk& args, duckdb::ExpressionState&, duckdb::Vector& result) {
  const std::string root = args.data[0].GetValue(0).ToString();
  duckdb::UnifiedVectorFormat path, type;
  args.data[1].ToUnifiedFormat(args.size(), path);
  args.data[2].ToUnifiedFormat(args.size(), type);
  const auto* paths = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(path);
  const auto* types = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(type);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<duckdb::string_t>(result);
  with_damage_marked([&] {
    for (idx_t i = 0; i < args.size(); ++i) {
      const idx_t p = path.sel->get_index(i), t = type.sel->get_index(i);
      if (!path.validity.RowIsValid(p) || !type.validity.RowIsValid(t)) {
        duckdb::FlatVector::SetNull(result, i, true);
        continue;
      }
      std::string relative = paths[p].GetString();
      if (relative.ends_with('/')) relative.pop_back();
      for (const auto& part : split(relative, '/')) {
        const auto why = why_unsafe_id(part);
        if (!why.empty()) throw FormatError("sample path " + in_quotes(relative) + " has a part that " + why);
      }
      if (types[t].GetString() == "FOLDER") relative += "/__meta__";
      out[i] = duckdb::StringVector::AddString(result, path_of_name(root, relative));
    }
  });
}

/// (row of a selection, first rows of its parts, what to add in each) -> row of the level. The lists are the same for
/// every row.
void selected_row(duckdb::DataChunk& args, duckdb::ExpressionState&, duckdb::Vector& result) {
  const std::vector<int64_t> begins = Lists<int64_t>(args.data[1], args.size()).at(0);
  const std::vector<int64_t> shifts = Lists<int64_t>(args.data[2], args.size()).at(0);
  duckdb::UnifiedVectorFormat in;
  args.data[0].ToUnifiedFormat(args.size(), in);
  const auto* rows = duckdb::UnifiedVectorFormat::GetData<int64_t>(in);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<int64_t>(result);
  for (idx_t i = 0; i < args.size(); ++i) {
    const int64_t row = rows[in.sel->get_index(i)];
    const auto part = std::ranges::upper_bound(begins, row) - begins.begin() - 1;
    out[i] = row + shifts[static_cast<std::size_t>(part)];
  }
}

}  // namespace

void register_sql_functions(duckdb::Connection& connection) {
  using duckdb::LogicalType;
  const auto d = LogicalType(duckdb::LogicalTypeId::DOUBLE);
  const auto text = LogicalType(duckdb::LogicalTypeId::VARCHAR);
  const auto blob = LogicalType(duckdb::LogicalTypeId::BLOB);
  const auto yes = LogicalType(duckdb::LogicalTypeId::BOOLEAN);
  const auto integer = LogicalType(duckdb::LogicalTypeId::BIGINT);
  connection.BeginTransaction();
  connection.CreateVectorizedFunction("tacore_meets_wkb", {blob, d, d, d, d}, yes, meets_wkb);
  connection.CreateVectorizedFunction("tacore_meets_wkt", {text, d, d, d, d}, yes, meets_wkt);
  connection.CreateVectorizedFunction("tacore_meets_point", {d, d, d, d, d, d}, yes, meets_point);
  connection.CreateVectorizedFunction(
      "tacore_meets_grid", {text, LogicalType::LIST(d), LogicalType::LIST(integer), d, d, d, d}, yes, meets_grid);
  connection.CreateVectorizedFunction("tacore_rfc3339", {text, text}, integer, rfc3339);
  connection.CreateVectorizedFunction("tacore_epoch", {integer, text}, integer, epoch<int64_t>);
  connection.CreateVectorizedFunction("tacore_real_epoch", {d, text}, integer, epoch<double>);
  connection.CreateVectorizedFunction("tacore_exact", {integer, text}, d, exact<int64_t>);
  connection.CreateVectorizedFunction("tacore_exact_unsigned", {LogicalType(duckdb::LogicalTypeId::UBIGINT), text}, d,
                                      exact<uint64_t>);
  const auto integers = LogicalType::LIST(integer);
  connection.CreateVectorizedFunction("tacore_selected_row", {integer, integers, integers}, integer, selected_row);
  connection.CreateVectorizedFunction("tacore_folder_path", {text, text, text}, text, folder_path);
  connection.Commit();
}

void log_remarks(duckdb::Connection& connection) { Remarks::of(*connection.context).log(); }

}  // namespace tacore
