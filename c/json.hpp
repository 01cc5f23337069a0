#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tacore/raster/pixel_statistics.hpp"
#include "tacore/types.hpp"

/// JSON of results.
namespace tacore::c {

using Json = nlohmann::ordered_json;

/// JSON text; bytes that are not UTF-8 become U+FFFD.
inline std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// JSON has no NaN and no infinity: null.
inline Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json numbers(const std::vector<double>& values);
Json columns_json(const std::vector<Column>& columns);
Json summary_json(const std::vector<BandSummary>& bands);

}  // namespace tacore::c
