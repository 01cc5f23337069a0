#include "reader/sql_functions.hpp"

#include <duckdb.hpp>

#include "base/text.hpp"
#include "model/identifier.hpp"
#include "model/wkb.hpp"
#include "tacore/error.hpp"
#include "tacore/time_range.hpp"

namespace tacore {
namespace {

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

/// The box is bound to the statement: the same for every row.
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
    if (!meets) throw FormatError("geometry " + quoted(wkt) + " is not a WKT point");
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

/// RFC 3339 text as microseconds; null where it is not.
void rfc3339(duckdb::DataChunk& args, duckdb::ExpressionState&, duckdb::Vector& result) {
  duckdb::UnifiedVectorFormat in;
  args.data[0].ToUnifiedFormat(args.size(), in);
  const auto* values = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(in);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* out = duckdb::FlatVector::GetData<int64_t>(result);
  for (idx_t i = 0; i < args.size(); ++i) {
    const idx_t at = in.sel->get_index(i);
    out[i] = 0;
    try {
      if (!in.validity.RowIsValid(at)) throw QueryError("null");
      out[i] = Timestamp::parse({values[at].GetData(), values[at].GetSize()}).microseconds;
    } catch (const QueryError&) {
      duckdb::FlatVector::SetNull(result, i, true);
    }
  }
}

/// (DATA/ of a FOLDER, path of a row below it, FILE or FOLDER) -> the file that GDAL opens.
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
        if (!why.empty()) throw FormatError("sample path " + quoted(relative) + " has a part that " + why);
      }
      if (types[t].GetString() == "FOLDER") relative += "/__meta__";
      out[i] = duckdb::StringVector::AddString(result, root + relative);
    }
  });
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
  connection.CreateVectorizedFunction("tacore_rfc3339", {text}, integer, rfc3339);
  connection.CreateVectorizedFunction("tacore_folder_path", {text, text, text}, text, folder_path);
  connection.Commit();
}

}  // namespace tacore
