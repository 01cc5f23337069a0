#include "validate/fields.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "base/text.hpp"
#include "model/value_numbers.hpp"
#include "model/wkb.hpp"
#include "table/reserved_columns.hpp"
#include "table/values.hpp"
#include "validate/report.hpp"

namespace tacore::validator {
namespace {

/// The form of a CRS: a code, a WKT or PROJ string, or PROJJSON; whether it is known is not checked here.
bool is_plausible_crs(std::string_view text) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (text.starts_with('{') || text.starts_with('+')) return true;
  const auto name = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_word) - text.begin());
  return name > 0 && name + 1 < text.size() && (text[name] == ':' || text[name] == '[');
}

std::string why_bad_shape(const Value& value, bool) {
  const auto shape = numbers_of(value);
  if (!shape) return "is not a list of numbers";
  if (shape->size() < 2) return "has " + counted(shape->size(), "dimension") + ", at least 2 expected";
  return std::ranges::all_of(*shape, [](double size) { return size > 0; }) ? "" : "has a dimension below 1";
}

std::string why_bad_geotransform(const Value& value, bool) {
  const auto found = numbers_of(value);
  if (!found || found->size() != 6) return "is not a list of six numbers";
  const auto& t = *found;
  if (!std::ranges::all_of(t, [](double number) { return std::isfinite(number); })) return "has NaN or infinity";
  return t[1] * t[5] - t[2] * t[4] == 0 ? "maps all pixels to one line or point (its determinant is 0)" : "";
}

std::string why_bad_box(const BBox& box) {
  if (!std::isfinite(box.minx + box.miny + box.maxx + box.maxy)) return "has NaN or infinity";
  const bool is_on_earth = box.minx >= -180 && box.maxx <= 180 && box.miny >= -90 && box.maxy <= 90;
  if (is_on_earth) return "";
  return "is at " + std::to_string(box.minx) + ", " + std::to_string(box.miny) +
         ", longitude -180 to 180 and latitude -90 to 90 expected";
}

std::span<const std::byte> wkb_of(const std::string& bytes) { return std::as_bytes(std::span(bytes)); }

/// The type of a WKB geometry that wkb_envelope() accepted: 1 is a point.
int type_of(const std::string& wkb) {
  const auto byte = [&](std::size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(wkb[i])); };
  const bool is_little = byte(0) == 1;
  uint32_t type = 0;
  for (std::size_t i = 0; i < 4; ++i) type |= byte(is_little ? 1 + i : 4 - i) << 8 * i;
  return static_cast<int>((type & 0xFFFF) % 1000);
}

std::string why_bad_geometry(const Value& value, bool) {
  const auto* wkb = value.get<Binary>();
  if (!wkb) return "is not WKB";
  try {
    wkb_envelope(wkb_of(wkb->bytes));
  } catch (const FormatError& error) {
    return "is not WKB: " + error.message();
  }
  return "";
}

std::string why_bad_point(const Value& value, bool is_v1) {
  if (const auto* wkt = value.get<std::string>(); wkt && is_v1) {
    const auto at = wkt_point_envelope(*wkt);
    return at ? why_bad_box(*at) : "is " + in_quotes(*wkt) + ", POINT (lon lat) expected";
  }
  if (auto why = why_bad_geometry(value, is_v1); !why.empty()) return why;
  const std::string& wkb = value.get<Binary>()->bytes;
  if (type_of(wkb) != 1) return "is not a point";
  const auto box = wkb_envelope(wkb_of(wkb));
  return box ? why_bad_box(*box) : "is empty, or has NaN or infinity";
}

/// Nine values of a band are min, max, mean, std, valid %, p25, p50, p75 and p95; others are shares of classes.
std::string why_bad_band(const std::vector<double>& band) {
  if (band.size() != 9) {
    const bool are_shares = std::ranges::all_of(band, [](double share) { return share >= 0 && share <= 1.0001; });
    return are_shares
               ? ""
               : "has " + counted(band.size(), "value") + ", 9 statistics or shares of classes from 0 to 1 expected";
  }
  if (std::ranges::all_of(band, [](double number) { return std::isnan(number); })) return "";  // no valid pixels
  const double min = band[0], max = band[1];
  // float32: rounding may exceed the limits slightly.
  const double room = 1e-5 * std::max({std::abs(min), std::abs(max), max - min});
  if (!(min <= max)) return "has min above max";
  if (!(band[2] >= min - room && band[2] <= max + room)) return "has a mean that is not between min and max";
  if (!(band[3] >= 0 && band[3] <= (max - min) + room)) return "has a std below 0 or above max - min";
  if (!(band[4] >= 0 && band[4] <= 100.001)) return "has a percentage of valid pixels outside of 0 to 100";
  double before = min;
  for (std::size_t i = 5; i < 9; ++i) {
    if (!(band[i] >= before - room && band[i] <= max + room))
      return "has percentiles that do not ascend from min to max";
    before = band[i];
  }
  return "";
}

std::string why_bad_stats(const Value& value, bool) {
  const auto* bands = value.get<Value::List>();
  if (!bands) return "is not a list of bands";
  for (std::size_t b = 0; b < bands->size(); ++b) {
    if ((*bands)[b].is_null()) continue;
    const auto numbers = numbers_of((*bands)[b]);
    const auto why = numbers ? why_bad_band(*numbers) : "is not a list of numbers";
    if (!why.empty()) return "band " + std::to_string(b + 1) + " " + why;
  }
  return "";
}

std::string why_bad_crs(const Value& value, bool) {
  const auto* text = value.get<std::string>();
  return text && is_plausible_crs(*text) ? "" : "is not a code such as EPSG:4326, WKT, a PROJ string or PROJJSON";
}

struct Check {
  std::string_view rule;
  std::string (*why)(const Value&, bool is_v1);
};

Check check_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::Crs: return {"FLD-2", why_bad_crs};
    case FieldKind::Shape: return {"FLD-3", why_bad_shape};
    case FieldKind::Geotransform: return {"FLD-4", why_bad_geotransform};
    case FieldKind::Point: return {"FLD-5", why_bad_point};
    case FieldKind::Geometry: return {"FLD-5", why_bad_geometry};
    case FieldKind::Stats: return {"FLD-7", why_bad_stats};
    case FieldKind::Time:
    case FieldKind::Number:
    case FieldKind::Text: break;
  }
  return {};
}

class FieldCheck {
 public:
  FieldCheck(const LevelTable& table, bool is_v1, const TellField& tell) : table_(table), is_v1_(is_v1), tell_(tell) {}

  void run() {
    for (const ReservedField& field : kReservedFields) {
      const int column = table_.find(field.name);
      if (column < 0 || (field.only_v1 && !is_v1_)) continue;
      const auto& type = table_.columns()[static_cast<std::size_t>(column)].type;
      if (const auto expected = expected_type(field.kind, type, is_v1_); !expected.empty()) {
        tell_("FLD-1",
              "column " + in_quotes(field.name) + " has the type " + type + ", " + std::string(expected) + " expected");
      } else if (const Check check = check_of(field.kind); check.why) {
        each(column, [&](const Value& value, int64_t row) {
          if (value.is_null()) return;
          if (const auto why = check.why(value, is_v1_); !why.empty()) tell_row(check.rule, row, field.name, why);
        });
      }
    }
    for (const std::string family : {"stac", "istac"}) check_times(family);
  }

 private:
  template <class Visit>
  void each(int column, const Visit& visit) const {
    for (int g = 0; g < table_.num_row_groups(); ++g) {
      std::vector<Value> values;
      try {
        values = read_values(*table_.decode(column, g));
      } catch (const Error&) {
        return;
      }
      for (std::size_t i = 0; i < values.size(); ++i) visit(values[i], table_.group_begin(g) + static_cast<int64_t>(i));
    }
  }

  void tell_row(std::string_view rule, int64_t row, std::string_view column, const std::string& why) const {
    tell_(rule, "row " + std::to_string(row) + ": " + std::string(column) + " " + why);
  }

  /// The times in the unit of their column, one unit in a family; empty for another type, which was reported.
  std::vector<std::optional<double>> times(const std::string& name) const {
    std::vector<std::optional<double>> out;
    const int column = table_.find(name);
    if (column < 0) return out;
    const auto& type = table_.columns()[static_cast<std::size_t>(column)].type;
    if (!expected_type(FieldKind::Time, type, is_v1_).empty()) return out;
    each(column, [&](const Value& value, int64_t) {
      const auto* time = value.get<Timestamp>();
      out.push_back(time ? static_cast<double>(time->microseconds) : number_of(value));
    });
    return out;
  }

  void check_times(const std::string& family) const {
    const std::string start = family + ":time_start", middle = family + ":time_middle", end = family + ":time_end";
    const auto check_order = [&](const std::string& a, const std::string& b) {
      const auto before = times(a), after = times(b);
      for (std::size_t row = 0; row < std::min(before.size(), after.size()); ++row) {
        if (!before[row] || !after[row] || *before[row] <= *after[row]) continue;
        tell_row("FLD-6", static_cast<int64_t>(row), b, "is before " + a);
      }
    };
    if (table_.find(start) < 0) return;
    check_order(start, end);
    if (is_v1_) return;  // its middle may be a timestamp beside times in seconds
    check_order(start, middle);
    check_order(middle, end);
  }

  const LevelTable& table_;
  bool is_v1_;
  const TellField& tell_;
};

}  // namespace

void check_fields(const LevelTable& table, bool is_v1, const TellField& tell) { FieldCheck(table, is_v1, tell).run(); }

}  // namespace tacore::validator
