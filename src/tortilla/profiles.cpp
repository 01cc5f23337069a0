#include "tortilla/profiles.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tacore/error.hpp"
#include "tacore/v1/collection.hpp"

namespace tacore::v1 {
namespace {

struct Field {
  std::string_view name;
  std::string_view other_name = {};
};

constexpr Field kStac[] = {{"stac:crs"},
                           {"stac:geotransform"},
                           {"stac:raster_shape", "stac:tensor_shape"},
                           {"stac:time_start"},
                           {"stac:time_end"}};
constexpr Field kRai[] = {{"rai:elevation", "rai:ele"},
                          {"rai:cisi"},
                          {"rai:gdp"},
                          {"rai:hdi"},
                          {"rai:gmi"},
                          {"rai:pop"},
                          {"rai:admin0"},
                          {"rai:admin1"},
                          {"rai:admin2"}};

struct Profile {
  std::string_view name;
  std::span<const Field> fields;
};

constexpr Profile kProfiles[] = {{"stac-tortilla", kStac}, {"rai-tortilla", kRai}};

std::vector<std::string> missing_of(const Profile& profile, std::span<const std::string> columns) {
  const auto has = [&](std::string_view name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  };
  std::vector<std::string> out;
  for (const auto& field : profile.fields) {
    if (!has(field.name) && (field.other_name.empty() || !has(field.other_name))) out.emplace_back(field.name);
  }
  return out;
}

}  // namespace

std::vector<std::string> profiles(std::span<const Column> columns) {
  std::vector<std::string> names, out;
  for (const auto& column : columns) names.push_back(column.name);
  for (const auto& profile : kProfiles) {
    if (missing_of(profile, names).empty()) out.emplace_back(profile.name);
  }
  return out;
}

std::vector<std::string> missing_fields(std::string_view profile, std::span<const std::string> columns) {
  for (const auto& known : kProfiles) {
    if (known.name == profile) return missing_of(known, columns);
  }
  throw QueryError("unknown profile " + quoted(profile) + "; stac-tortilla or rai-tortilla expected");
}

}  // namespace tacore::v1
