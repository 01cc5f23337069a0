#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "tacore/collection.hpp"
#include "tacore/time_range.hpp"

/// Names of TACO 0.2.0 and their counterparts in TACO 2 (docs/format.md, "v1 and v2"), shared by the files about
/// COLLECTION.
namespace tacore::v1 {

/// A member of an object of 0.2.0 that is a member of the whole document in TACO 2.
struct LiftedName {
  const char* object;
  const char* member;
  const char* v2;
};
inline constexpr LiftedName kLifted[] = {{"optical_data", "sensor", "optical:sensor"},
                                         {"optical_data", "bands", "optical:bands"},
                                         {"labels", "label_classes", "labels:classes"},
                                         {"labels", "label_description", "labels:description"},
                                         {"scientific", "publications", "publications"}};

struct RenamedMember {
  const char* v1;
  const char* v2;
};
inline constexpr RenamedMember kRai[] = {{"rai:dataCollection", "rai:data_collection"},
                                         {"rai:dataCollectionType", "rai:data_collection_type"},
                                         {"rai:dataLimitations", "rai:data_limitations"},
                                         {"rai:dataBiases", "rai:data_biases"},
                                         {"rai:useCases", "rai:use_cases"},
                                         {"rai:personalSensitiveInformation", "rai:personal_sensitive_information"},
                                         {"rai:dataPreprocessingProtocol", "rai:data_preprocessing_protocol"},
                                         {"rai:dataAnnotationProtocol", "rai:data_annotation_protocol"},
                                         {"rai:annotationPlatform", "rai:annotation_platform"},
                                         {"rai:dataReleaseMaintenancePlan", "rai:data_release_maintenance_plan"},
                                         {"rai:dataCollectionTimeframe", "rai:data_collection_timeframe"}};

/// The tasks by which each version denotes all others.
inline constexpr std::string_view kGeneralTask = "general", kOtherTask = "other";

/// The URL of the first of the `links` of a person, "" when there is none.
std::string first_link(const nlohmann::json& person);

/// Parses `[start, end]`, each milliseconds, RFC 3339 or null for an open end. Throws QueryError for anything else, and
/// for a start after the end.
TimeRange parse_interval(const nlohmann::json& interval);

/// True when the bands of a sensor, or of the name before its `[`, are in the table.
bool is_known_sensor(std::string_view sensor);

/// As encode_collection(), with the bands that are given: any sensor is accepted.
std::string encode_without_bands(const Collection& collection);

/// A JSON object, checked and limited as tacore::parse_collection() does. Throws FormatError.
nlohmann::json parse_document(std::string_view text, const std::string& path);

}  // namespace tacore::v1
