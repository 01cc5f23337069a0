#pragma once

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/create_files.hpp"
#include "support/places.hpp"

/// Samples at places().
namespace tacore {

/// The user's cache, for the time of a test.
class UserCache {
 public:
  explicit UserCache(const std::string& folder)
      : before_(std::getenv("XDG_CACHE_HOME") ? std::getenv("XDG_CACHE_HOME") : "") {
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  ~UserCache() { before_.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", before_.c_str(), 1); }
  UserCache(const UserCache&) = delete;
  UserCache& operator=(const UserCache&) = delete;

 private:
  std::string before_;
};

inline std::string placed_name(std::size_t number) { return "s" + std::to_string(10000 + number); }

/// Samples [begin, end) of `all`: FOLDERs with a FILE each, which is at the same place and at a time of its own.
inline Taco placed_taco(const std::vector<Place>& all, std::size_t begin, std::size_t end) {
  std::vector<Sample> samples;
  for (std::size_t i = begin; i < end; ++i) {
    std::vector<Sample> below;
    const std::string month = std::to_string(10 + i / 100 % 3);
    below.emplace_back(
        "red", to_bytes("red of " + placed_name(i)),
        std::vector<MetadataField>{{"istac:centroid", Binary{wkb_point(std::remainder(all[i].lon, 360), all[i].lat)}},
                                   {"istac:time_start", Timestamp::parse("2021-" + month + "-01")}});
    std::vector<MetadataField> metadata{
        {"istac:geometry", Binary{wkb_of(all[i])}},
        {"istac:time_start", Timestamp::parse("20" + std::to_string(10 + i / 100 % 80) + "-01-01")},
        {"number", static_cast<int64_t>(i)}};
    if (i % 97 == 0) metadata[0].value = Value();
    samples.emplace_back(placed_name(i), Tortilla(std::move(below)), metadata);
  }
  return {Tortilla(std::move(samples)), collection()};
}

inline Strings placed_in(const std::vector<Place>& all, const BBox& box) {
  Strings out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % 97 != 0 && meets(all[i], box)) out.push_back(placed_name(i));
  }
  return out;
}

}  // namespace tacore
