#include "json.hpp"

namespace tacore::c {

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(number(value));
  return out;
}

Json columns_json(const std::vector<Column>& columns) {
  Json out = Json::array();
  for (const auto& column : columns) out.push_back({{"name", column.name}, {"type", column.type}});
  return out;
}

Json summary_json(const std::vector<BandSummary>& bands) {
  Json out = Json::array();
  for (const auto& band : bands) {
    out.push_back({{"band", band.band},
                   {"mean", number(band.mean)},
                   {"std", number(band.std)},
                   {"min", number(band.min)},
                   {"max", number(band.max)},
                   {"quantiles", numbers(band.quantiles)},
                   {"classes", numbers(band.classes)},
                   {"is_approximate", band.is_approximate},
                   {"quantile_error", number(band.quantile_error)}});
  }
  return out;
}

}  // namespace tacore::c
