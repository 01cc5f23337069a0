#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assets/survey.hpp"
#include "model/value_numbers.hpp"
#include "tacore/crs.hpp"
#include "tacore/value.hpp"

namespace tacore::assets {

inline constexpr int64_t kSecond = 1'000'000;  ///< microseconds

/// What a column says of a file, so that it can be compared with the file.
struct Claim {
  std::string rule = {};  ///< of docs/rules.md; "": others tell of it
  std::string column = {};
  int number = -1;         ///< of the column in its level table
  std::string means = {};  ///< noun, for messages: "the geotransform"
  /// False where the specification, or the STAC extension that defines the name, says what the column means. Else it
  /// may mean something else, and is a claim only where nearly all rows agree with their files.
  bool is_guess = false;
  /// Whether a value agrees with the file of the row at an index of the layer; nullopt where they cannot be compared.
  std::function<std::optional<bool>(const Value& stated, std::size_t index)> agrees = {};
  /// What the file says, as text for messages.
  std::function<std::string(std::size_t index)> found = {};
  /// What the column should say; null where that is not known.
  std::function<Value(const Value& stated, std::size_t index)> right = {};
};

/// The claims of the columns of a layer. They refer to `survey` and `layer`.
std::vector<Claim> claims_of(const Survey& survey, const Layer& layer, const CrsTransformer* transformer);

/// The values of a column in the rows of a layer.
std::vector<Value> values_of(const Survey& survey, const Layer& layer, int column);
/// Calls `body` with each of them and its index, group of rows by group: only one group is in memory. The value may be
/// moved from.
void each_value(const Survey& survey, const Layer& layer, int column,
                const std::function<void(std::size_t index, Value& value)>& body);
/// The values of the first of `columns` that exists in the table of the layer, else at level 0, then those of the
/// sample that each row belongs to. Empty where there is none.
std::vector<Value> values_of_sample(const Survey& survey, const Layer& layer,
                                    std::initializer_list<std::string_view> columns);
/// When each row was acquired, in microseconds: by `stac:time_start`, `istac:time_start` or `datetime` of the row or
/// its sample, else by the header of the file.
std::vector<std::optional<int64_t>> acquired_times(const Survey& survey, const Layer& layer);

/// The time of a timestamp, of a number since 1970 in any unit, or of RFC 3339 text: microseconds.
std::optional<int64_t> time_of(const Value& value);
/// A value in JSON, for messages and plans: times as RFC 3339 text, bytes as {"base64": ...}.
std::string text_of(const Value& value);

/// Where a column says that the rows of a layer lie, and how far from the centre of the raster that may be: of
/// `stac:centroid`, `istac:centroid`, `istac:geometry`, `majortom:code`, the first one that exists.
struct StatedPlaces {
  int column = -1;
  std::string name = {};
  std::vector<std::optional<LonLat>> places = {};
  double tolerance = 0;  ///< degrees of latitude, beside the radius of the raster
};
std::optional<StatedPlaces> stated_places(const Survey& survey, const Layer& layer);

}  // namespace tacore::assets
