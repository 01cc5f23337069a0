#include "assets/claims.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>

#include "base/epoch.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "container/container.hpp"
#include "model/known_crs.hpp"
#include "model/wkb.hpp"
#include "model/wkb_centroid.hpp"
#include "model/wkt.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/majortom.hpp"
#include "tacore/extensions/stac.hpp"

namespace tacore::assets {
namespace {

/// The part of a pixel by which a grid may differ: writers round origins and pixel sizes to a few digits.
constexpr double kPixels = 0.01;
/// Degrees by which a place may differ: about ten metres, since some round to four digits.
constexpr double kDegrees = 1e-4;

std::string list_text(std::span<const double> numbers) {
  std::string out = "[";
  for (const double number : numbers) out += (out.size() > 1 ? ", " : "") + number_text(number);
  return out + "]";
}

std::string place_text(const LonLat& place) {
  return "longitude " + fixed_number_text(place.lon, 5) + ", latitude " + fixed_number_text(place.lat, 5);
}

/// "EPSG:32631" of a code in any case, and of a number; other texts unchanged.
std::string spelled_crs(const Value& value) {
  if (const auto number = number_of(value)) return "EPSG:" + plain_number_text(*number);
  const auto* text = value.get<std::string>();
  if (!text) return {};
  const std::string prefix = lower(text->substr(0, 5));
  return prefix == "epsg:" ? "EPSG:" + text->substr(5) : *text;
}

/// The greatest distance between the corners of two grids of this size, in pixels of the second one.
double pixels_apart(const std::array<double, 6>& a, const std::array<double, 6>& b, const AssetKind& kind) {
  const double pixel = std::max(std::hypot(b[1], b[4]), std::hypot(b[2], b[5]));
  double out = 0;
  for (const double x : {0.0, static_cast<double>(kind.width)}) {
    for (const double y : {0.0, static_cast<double>(kind.height)}) {
      const double dx = (a[0] - b[0]) + x * (a[1] - b[1]) + y * (a[2] - b[2]);
      const double dy = (a[3] - b[3]) + x * (a[4] - b[4]) + y * (a[5] - b[5]);
      out = std::max(out, std::hypot(dx, dy) / pixel);
    }
  }
  return out;
}

/// Makes the claims of one layer.
class Claims {
 public:
  Claims(const Survey& survey, const Layer& layer, const CrsTransformer* transformer)
      : survey_(survey), layer_(layer), transformer_(transformer) {}

  std::vector<Claim> all() {
    const auto& columns = survey_.container->stored_level(layer_.level)->columns();
    for (number_ = 0; number_ < static_cast<int>(columns.size()); ++number_) {
      name_ = columns[static_cast<std::size_t>(number_)].name;
      if (names::is_internal(name_)) continue;
      add();
    }
    return std::move(out_);
  }

 private:
  void add() {
    add_path();
    if (layer_.type == SampleType::File) {
      if (name_ == "stac:crs" || name_ == "proj:code" || name_ == "proj:epsg") add_crs();
      if (name_ == "stac:geotransform") add_geotransform({0, 1, 2, 3, 4, 5});
      if (name_ == "proj:transform") add_geotransform({2, 0, 1, 5, 3, 4});
      if (name_ == "stac:tensor_shape" || name_ == "stac:raster_shape" || name_ == "proj:shape") add_shape();
      if (name_ == "file:size") {
        add_number("AST-8", "the size", [](const AssetFacts& facts) { return static_cast<double>(facts.size); });
      }
      add_guesses();
      if (std::ranges::any_of(layer_.facts, [](const AssetFacts& facts) { return facts.time.has_value(); })) add_time();
    }
    if (name_ == "stac:centroid" || name_ == "istac:centroid") add_point();
    if (name_ == "istac:geometry") add_geometry();
    if (name_ == "majortom:code") add_cell();
  }

  Claim claim(std::string rule, std::string means, bool is_guess = false) const {
    return {.rule = std::move(rule),
            .column = name_,
            .number = number_,
            .means = std::move(means),
            .is_guess = is_guess,
            .right = [](const Value&, std::size_t) { return Value(); }};
  }

  const AssetFacts& facts(std::size_t index) const { return layer_.facts[index]; }

  /// Whether both are the same place for this raster, to a part of a pixel; nullopt where one is not known.
  std::optional<bool> is_same_crs(const std::string& stated, const AssetFacts& facts) const {
    if (stated == facts.kind->crs || (is_wgs84(stated) && is_wgs84(facts.kind->crs))) return true;
    if (!facts.geotransform) return std::nullopt;
    AssetKind other = *facts.kind;
    other.crs = stated;
    AssetFacts moved = facts;
    moved.kind = std::make_shared<const AssetKind>(std::move(other));
    const auto here = place_of(facts, transformer_), there = place_of(moved, transformer_);
    const bool is_code = stated.starts_with("EPSG:");
    if (!here) return is_code ? std::optional(false) : std::nullopt;
    // Two codes of one authority are two systems, unless they put the raster in one place. A system that nobody here
    // knows may be the same.
    if (!there) return is_known(stated) ? std::optional(false) : std::nullopt;
    const double pixel =
        here->radius / std::hypot(static_cast<double>(facts.kind->width), static_cast<double>(facts.kind->height));
    return distance(here->centre, there->centre) <= kPixels * pixel &&
           std::abs(here->radius - there->radius) <= kPixels * here->radius;
  }

  /// Whether the code is one that can be transformed; the point may then be outside of it.
  bool is_known(const std::string& crs) const {
    try {
      is_geographic(crs, transformer_);
      return true;
    } catch (const SchemaError&) {
      return false;
    }
  }

  void add_crs() {
    Claim out = claim("AST-2", "the CRS");
    out.agrees = [this](const Value& value, std::size_t i) -> std::optional<bool> {
      const std::string stated = spelled_crs(value);
      if (stated.empty() || !facts(i).kind || facts(i).kind->crs.empty()) return std::nullopt;
      return is_same_crs(stated, facts(i));
    };
    out.found = [this](std::size_t i) { return facts(i).kind->crs; };
    const bool is_number = name_ == "proj:epsg";
    out.right = [this, is_number](const Value&, std::size_t i) {
      const std::string& crs = facts(i).kind->crs;
      return is_number ? Value(int64_t{std::stoll(crs.substr(5))}) : Value(crs);
    };
    out_.push_back(std::move(out));
  }

  /// `order`: at which place of the list each of GDAL's six numbers is.
  void add_geotransform(const std::array<std::size_t, 6>& order) {
    Claim out = claim("AST-3", "the geotransform");
    out.agrees = [this, order](const Value& value, std::size_t i) -> std::optional<bool> {
      const auto stated = numbers_of(value);
      if (!stated || stated->size() < 6 || !facts(i).kind || !facts(i).geotransform) return std::nullopt;
      std::array<double, 6> grid = {};
      for (std::size_t k = 0; k < 6; ++k) grid[k] = (*stated)[order[k]];
      return pixels_apart(grid, *facts(i).geotransform, *facts(i).kind) <= kPixels;
    };
    const auto listed = [this, order](std::size_t i) {
      std::vector<double> numbers(6);
      for (std::size_t k = 0; k < 6; ++k) numbers[order[k]] = (*facts(i).geotransform)[k];
      return numbers;
    };
    out.found = [listed](std::size_t i) { return list_text(listed(i)); };
    out.right = [listed](const Value& value, std::size_t i) {
      auto numbers = listed(i);
      const auto* old = value.get<Value::List>();
      if (old && old->size() == 9) numbers.insert(numbers.end(), {0, 0, 1});  // the third row of the matrix
      return Value(Value::List(numbers.begin(), numbers.end()));
    };
    out_.push_back(std::move(out));
  }

  void add_shape() {
    Claim out = claim("AST-4", "the shape");
    out.agrees = [this](const Value& value, std::size_t i) -> std::optional<bool> {
      const auto stated = numbers_of(value);
      if (!stated || stated->size() < 2 || !facts(i).kind || facts(i).kind->width == 0) return std::nullopt;
      const AssetKind& kind = *facts(i).kind;
      const auto& s = *stated;
      if (s[s.size() - 2] != static_cast<double>(kind.height) || s.back() != static_cast<double>(kind.width))
        return false;
      double bands = 1;
      for (std::size_t k = 0; k + 2 < s.size(); ++k) bands *= s[k];
      return s.size() == 2 || kind.bands == 0 || bands == kind.bands;
    };
    out.found = [this](std::size_t i) {
      const AssetKind& kind = *facts(i).kind;
      return "[" + std::to_string(kind.bands) + ", " + std::to_string(kind.height) + ", " + std::to_string(kind.width) +
             "]";
    };
    out.right = [this](const Value& value, std::size_t i) -> Value {
      const AssetKind& kind = *facts(i).kind;
      const auto stated = numbers_of(value);
      if (stated->size() == 2) return Value::List{kind.height, kind.width};
      if (stated->size() == 3 && kind.bands > 0) return Value::List{int64_t{kind.bands}, kind.height, kind.width};
      return {};
    };
    out_.push_back(std::move(out));
  }

  template <class Get>
  void add_number(std::string rule, std::string means, const Get& get, bool is_guess = false) {
    Claim out = claim(std::move(rule), std::move(means), is_guess);
    out.agrees = [this, get](const Value& value, std::size_t i) -> std::optional<bool> {
      const auto stated = number_of(value);
      if (!stated || !facts(i).kind) return std::nullopt;
      const std::optional<double> found = get(facts(i));
      if (!found) return std::nullopt;
      return *stated == *found || (std::isnan(*stated) && std::isnan(*found));
    };
    out.found = [this, get](std::size_t i) { return number_text(*std::optional<double>(get(facts(i)))); };
    out.right = [this, get](const Value& value, std::size_t i) -> Value {
      const double found = *std::optional<double>(get(facts(i)));
      if (value.get<double>()) return found;
      // A column of integers has no room for half a metre, nor for NaN.
      const bool is_whole = std::trunc(found) == found && std::abs(found) < 9e15;
      return is_whole ? Value(static_cast<int64_t>(found)) : Value();
    };
    out_.push_back(std::move(out));
  }

  template <class Get>
  void add_text(std::string rule, std::string means, const Get& get) {
    Claim out = claim(std::move(rule), std::move(means), true);
    out.agrees = [this, get](const Value& value, std::size_t i) -> std::optional<bool> {
      const auto* stated = value.get<std::string>();
      if (!stated || !facts(i).kind || get(*facts(i).kind).empty()) return std::nullopt;
      return lower(*stated) == lower(get(*facts(i).kind));
    };
    out.found = [this, get](std::size_t i) { return get(*facts(i).kind); };
    out.right = [this, get](const Value&, std::size_t i) { return Value(get(*facts(i).kind)); };
    out_.push_back(std::move(out));
  }

  /// Columns whose names suggest what they mean.
  void add_guesses() {
    const std::string name = lower(name_.substr(name_.rfind(':') + 1));
    const auto is = [&](std::initializer_list<std::string_view> all) {
      return std::ranges::find(all, name) != all.end();
    };
    const auto positive = [](int64_t number) {
      return number > 0 ? std::optional(static_cast<double>(number)) : std::nullopt;
    };
    if (is({"width", "cols", "columns", "num_columns"}))
      add_number(
          "AST-7", "the width", [positive](const AssetFacts& f) { return positive(f.kind->width); }, true);
    if (is({"height", "rows", "num_rows"}))
      add_number(
          "AST-7", "the height", [positive](const AssetFacts& f) { return positive(f.kind->height); }, true);
    if (is({"num_bands", "n_bands", "band_count", "bands", "channels"}))
      add_number(
          "AST-7", "the number of bands", [positive](const AssetFacts& f) { return positive(f.kind->bands); }, true);
    if (is({"nodata", "no_data", "nodata_value"})) {
      add_number(
          "AST-7", "the no-data value", [](const AssetFacts& f) { return parse_number(f.kind->nodata); }, true);
    }
    if (is({"blocksize", "block_size", "tile_size"}))
      add_number(
          "AST-7", "the width of the tiles", [positive](const AssetFacts& f) { return positive(f.kind->block_width); },
          true);
    if (is({"resolution", "gsd", "pixel_size"})) {
      add_number(
          "AST-7", "the pixel size",
          [](const AssetFacts& f) {
            return f.geotransform ? std::optional(std::abs((*f.geotransform)[1])) : std::nullopt;
          },
          true);
    }
    if (is({"dtype", "data_type", "datatype"}))
      add_text("AST-7", "the type of the pixels", [](const AssetKind& k) { return k.type; });
    if (is({"compression", "codec"}))
      add_text("AST-7", "the compression", [](const AssetKind& k) { return k.compression; });
    if (is({"driver", "format", "file_format"}))
      add_text("AST-7", "the file format", [](const AssetKind& k) { return k.format; });
    if (is({"filesize", "file_size", "bytes", "num_bytes"}))
      add_number(
          "AST-7", "the size", [](const AssetFacts& f) { return std::optional(static_cast<double>(f.size)); }, true);
    if (is({"epsg", "crs", "srid"}) && name_ != "stac:crs" && name_ != "istac:crs" && name_ != "proj:epsg") {
      add_crs();
      out_.back().is_guess = true;
      out_.back().rule = "AST-7";
      const auto& type =
          survey_.container->stored_level(layer_.level)->columns()[static_cast<std::size_t>(number_)].type;
      if (!type.starts_with("string")) {
        out_.back().right = [this](const Value&, std::size_t i) {
          return Value(int64_t{std::stoll(facts(i).kind->crs.substr(5))});
        };
      }
    }
  }

  /// The path of the row's own file, from DATA/ or after other text.
  void add_path() {
    const auto& type = survey_.container->stored_level(layer_.level)->columns()[static_cast<std::size_t>(number_)].type;
    if (layer_.name.empty() || name_ == names::kId || name_ == names::kType || type.find("string") == type.npos) return;
    Claim out = claim("", "the path", true);
    out.agrees = [this](const Value& value, std::size_t i) -> std::optional<bool> {
      const auto* path = value.get<std::string>();
      if (!path) return std::nullopt;
      const auto& roots = survey_.container->stored_level(0);
      return path->ends_with(roots->text(roots->find(names::kId), layer_.roots[i]).value_or("") + "/" + layer_.name);
    };
    out.found = [](std::size_t) { return std::string(); };
    out_.push_back(std::move(out));
  }

  /// A time, and a text with a day in it, such as the name of a product.
  void add_time() {
    const auto& type = survey_.container->stored_level(layer_.level)->columns()[static_cast<std::size_t>(number_)].type;
    const bool is_text = type.find("string") != type.npos;
    Claim out = claim("AST-12", is_text ? "the day in the text" : "the time", true);
    if (is_text) {
      out.agrees = [this](const Value& value, std::size_t i) -> std::optional<bool> {
        const auto* text = value.get<std::string>();
        if (!text || !facts(i).time) return std::nullopt;
        const auto days = days_in(*text);
        if (days.empty()) return std::nullopt;
        return std::ranges::find(days, day_of(*facts(i).time)) != days.end();
      };
    } else {
      out.agrees = [this](const Value& value, std::size_t i) -> std::optional<bool> {
        const auto stated = time_of(value);
        if (!stated || !facts(i).time) return std::nullopt;
        const auto is_it = [&](double microseconds) {
          return std::abs(microseconds - static_cast<double>(*facts(i).time)) < kSecond;
        };
        if (is_it(static_cast<double>(*stated))) return true;
        // Times of another unit are those of AST-21.
        for (const double factor : {1e-6, 1e-3, 1e3, 1e6}) {
          if (is_it(static_cast<double>(*stated) * factor)) return std::nullopt;
        }
        return false;
      };
    }
    out.found = [this](std::size_t i) { return Timestamp{*facts(i).time}.to_string() + " in its TIFF tag 306"; };
    out_.push_back(std::move(out));
  }

  static std::string day_of(int64_t microseconds) {
    std::string out = Timestamp{microseconds}.to_string().substr(0, 10);
    std::erase(out, '-');
    return out;
  }

  /// The numbers of eight digits that are days from 1970 to 2099.
  static std::vector<std::string> days_in(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
      if (!is_digit(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_digit(text[end])) ++end;
      const std::string number = text.substr(at, end - at);
      const bool is_day = number.size() == 8 && (number.starts_with("19") || number.starts_with("20")) &&
                          number.substr(4, 2) >= "01" && number.substr(4, 2) <= "12" && number.substr(6) >= "01" &&
                          number.substr(6) <= "31";
      if (is_day) out.push_back(number);
      at = end;
    }
    return out;
  }

  /// A point that has to lie in the raster, and where the specification says so in its middle.
  void add_point() {
    Claim out = claim("AST-5", "the centroid");
    out.agrees = [this](const Value& value, std::size_t i) -> std::optional<bool> {
      const auto* wkb = value.get<Binary>();
      if (!wkb || !layer_.places[i]) return std::nullopt;
      try {
        const auto point = point_of_wkb(bytes_of(wkb->bytes));
        if (!point) return std::nullopt;
        return distance({point->x, point->y}, layer_.places[i]->centre) <= layer_.places[i]->reach + kDegrees;
      } catch (const FormatError&) {
        return std::nullopt;  // FLD-5
      }
    };
    out.found = [this](std::size_t i) { return "a centre at " + place_text(layer_.places[i]->centre); };
    if (layer_.type == SampleType::File) {
      out.right = [this](const Value&, std::size_t i) -> Value {
        const AssetKind& kind = *facts(i).kind;
        return extensions::STAC({.crs = kind.crs,
                                 .tensor_shape = {kind.bands, kind.height, kind.width},
                                 .geotransform = *facts(i).geotransform,
                                 .transformer = transformer_})
            .values()[4];
      };
    }
    out_.push_back(std::move(out));
  }

  void add_geometry() {
    const int crs = survey_.container->stored_level(layer_.level)->find("istac:crs");
    if (crs >= 0) {
      const auto all = values_of(survey_, layer_, crs);
      const bool is_degrees =
          std::ranges::all_of(all, [](const Value& value) { return value.is_null() || is_wgs84(spelled_crs(value)); });
      if (!is_degrees) return;
    }
    Claim out = claim("AST-6", "the footprint");
    out.agrees = [this](const Value& value, std::size_t i) -> std::optional<bool> {
      const auto* wkb = value.get<Binary>();
      if (!wkb || !layer_.places[i]) return std::nullopt;
      try {
        const Place& place = *layer_.places[i];
        const double lat = place.centre.lat, room = place.reach + kDegrees;
        const auto parts = wkb_part_envelopes(bytes_of(wkb->bytes));
        if (parts.empty()) return std::nullopt;
        return std::ranges::any_of(parts, [&](const BBox& box) {
          // The point of the box that is nearest to the centre.
          const double middle = (box.minx + box.maxx) / 2;
          const double lon = middle + std::remainder(place.centre.lon - middle, 360);
          return distance({std::clamp(lon, box.minx, box.maxx), std::clamp(lat, box.miny, box.maxy)}, {lon, lat}) <=
                 room;
        });
      } catch (const FormatError&) {
        return std::nullopt;
      }
    };
    out.found = [this](std::size_t i) { return "a centre at " + place_text(layer_.places[i]->centre); };
    out_.push_back(std::move(out));
  }

  void add_cell() {
    Claim out = claim("AST-6", "the grid cell");
    out.agrees = [this](const Value& value, std::size_t i) -> std::optional<bool> {
      const auto* code = value.get<std::string>();
      if (!code || !layer_.places[i]) return std::nullopt;
      const auto cell = cell_of(*code);
      if (!cell) return std::nullopt;
      return distance(cell->anchor, layer_.places[i]->centre) <= cell->size + layer_.places[i]->reach;
    };
    out.found = [this](std::size_t i) { return "a centre at " + place_text(layer_.places[i]->centre); };
    out_.push_back(std::move(out));
  }

 public:
  struct Cell {
    LonLat anchor = {};
    double size = 0;  ///< degrees of latitude within which all of the cell, and its neighbours, lie
  };

  /// "0010km_0439U_0004L"
  static std::optional<Cell> cell_of(const std::string& code) {
    static thread_local std::map<double, extensions::MajorTomGrid> grids;
    const auto parts = split(code, '_');
    if (parts.size() != 3 || !parts[0].ends_with("km")) return std::nullopt;
    const auto km = parse_number(std::string_view(parts[0]).substr(0, parts[0].size() - 2));
    if (!km || !(*km >= 1) || *km > 20'000) return std::nullopt;
    auto grid = grids.find(*km);
    if (grid == grids.end()) grid = grids.emplace(*km, extensions::MajorTomGrid({.dist_km = *km})).first;
    try {
      // Rows and columns are at most this far apart, and a tile around a corner of its cell belongs to it, too.
      return Cell{grid->second.rowcol2latlon(parts[1], parts[2]), 2 * std::numbers::sqrt2 * *km / 111.2};
    } catch (const SchemaError&) {
      return std::nullopt;
    }
  }

 private:
  const Survey& survey_;
  const Layer& layer_;
  const CrsTransformer* transformer_;
  int number_ = 0;
  std::string name_;
  std::vector<Claim> out_;
};

}  // namespace

std::optional<int64_t> time_of(const Value& value) {
  if (const auto* time = value.get<Timestamp>()) return time->microseconds;
  if (const auto* number = value.get<int64_t>()) {
    const auto epoch = epoch_of(*number);
    return epoch ? std::optional(epoch->microseconds) : std::nullopt;
  }
  if (const auto* number = value.get<double>()) {
    const auto epoch = epoch_of(*number);
    return epoch ? std::optional(epoch->microseconds) : std::nullopt;
  }
  return std::nullopt;
}

std::string text_of(const Value& value) {
  if (value.is_null()) return "null";
  if (const auto* truth = value.get<bool>()) return *truth ? "true" : "false";
  if (const auto* number = value.get<int64_t>()) return std::to_string(*number);
  if (const auto* number = value.get<double>()) return number_text(*number);
  if (const auto* text = value.get<std::string>()) return in_quotes(*text);
  if (const auto* time = value.get<Timestamp>()) return time->to_string();
  if (const auto* bytes = value.get<Binary>()) {
    const auto wkt = wkt_of(bytes_of(bytes->bytes));
    return wkt ? (wkt->size() > 100 ? wkt->substr(0, 97) + "..." : *wkt)
               : std::to_string(bytes->bytes.size()) + " bytes";
  }
  std::string out = "[";
  if (const auto* list = value.get<Value::List>()) {
    for (const Value& item : *list) out += (out.size() > 1 ? ", " : "") + text_of(item);
    return out + "]";
  }
  out = "{";
  for (const auto& [name, item] : *value.get<Struct>())
    out += (out.size() > 1 ? ", " : "") + name + ": " + text_of(item);
  return out + "}";
}

void each_value(const Survey& survey, const Layer& layer, int column,
                const std::function<void(std::size_t index, Value& value)>& body) {
  const auto& table = survey.container->stored_level(layer.level);
  std::vector<std::size_t> order(layer.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!std::ranges::is_sorted(layer.rows)) std::ranges::sort(order, {}, [&](std::size_t i) { return layer.rows[i]; });
  for (std::size_t at = 0; at < order.size();) {
    const int group = table->group_of(layer.rows[order[at]]);
    const int64_t begin = table->group_begin(group), end = table->group_begin(group + 1);
    const auto values = table->decode(column, group);
    // A level has the rows of many layers: only those of this one are converted.
    for (; at < order.size() && layer.rows[order[at]] < end; ++at) {
      Value value = read_value(*values, layer.rows[order[at]] - begin);
      body(order[at], value);
    }
  }
}

std::vector<Value> values_of(const Survey& survey, const Layer& layer, int column) {
  std::vector<Value> out(layer.size());
  each_value(survey, layer, column, [&](std::size_t index, Value& value) { out[index] = std::move(value); });
  return out;
}

std::vector<Value> values_of_sample(const Survey& survey, const Layer& layer,
                                    std::initializer_list<std::string_view> columns) {
  for (const Layer* const from : {&layer, &survey.layers[0]}) {
    const auto& table = survey.container->stored_level(from->level);
    const auto found = std::ranges::find_if(columns, [&](std::string_view name) { return table->find(name) >= 0; });
    if (found == columns.end()) continue;
    auto values = values_of(survey, *from, table->find(*found));
    if (from == &layer) return values;
    std::vector<Value> out;
    std::size_t at = 0;
    for (const int64_t root : layer.roots) {
      while (at < from->size() && from->rows[at] < root) ++at;
      out.push_back(at < from->size() && from->rows[at] == root ? values[at] : Value());
    }
    return out;
  }
  return {};
}

std::vector<std::optional<int64_t>> acquired_times(const Survey& survey, const Layer& layer) {
  std::vector<std::optional<int64_t>> out(layer.size());
  const auto values = values_of_sample(survey, layer, {"stac:time_start", "istac:time_start", "datetime"});
  // Beyond the years 1200 before and 5100 after our era no file was acquired, and differences of times have no room.
  constexpr int64_t kFar = 100'000'000'000'000'000;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto time = time_of(values[i]);
    if (time && *time > -kFar && *time < kFar) out[i] = time;
  }
  if (!values.empty() || layer.facts.empty()) return out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = layer.facts[i].time;
  return out;
}

std::vector<Claim> claims_of(const Survey& survey, const Layer& layer, const CrsTransformer* transformer) {
  // The claims refer to their maker.
  const auto maker = std::make_shared<Claims>(survey, layer, transformer);
  auto out = maker->all();
  for (Claim& claim : out) claim.found = [maker, found = std::move(claim.found)](std::size_t i) { return found(i); };
  return out;
}

std::optional<StatedPlaces> stated_places(const Survey& survey, const Layer& layer) {
  const auto& table = survey.container->stored_level(layer.level);
  for (const std::string name : {"stac:centroid", "istac:centroid", "istac:geometry", "majortom:code"}) {
    const int column = table->find(name);
    if (column < 0) continue;
    StatedPlaces out{.column = column, .name = name};
    out.places.resize(layer.size());
    bool has_any = false;
    const auto values = values_of(survey, layer, column);
    for (std::size_t i = 0; i < values.size(); ++i) {
      try {
        if (const auto* code = values[i].get<std::string>(); code && name == "majortom:code") {
          if (const auto cell = Claims::cell_of(*code)) {
            out.places[i] = cell->anchor;
            out.tolerance = cell->size;
          }
        } else if (const auto* wkb = values[i].get<Binary>()) {
          const auto middle = wkb_centroid(bytes_of(wkb->bytes), Longitudes::ShorterWay);
          if (middle && std::abs(middle->x) <= 360 && std::abs(middle->y) <= 90)
            out.places[i] = LonLat{middle->x, middle->y};
        }
      } catch (const Error&) {  // FLD-5
      }
      has_any = has_any || out.places[i];
    }
    if (has_any) return out;
  }
  return std::nullopt;
}

}  // namespace tacore::assets
