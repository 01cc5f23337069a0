#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/bbox.hpp"
#include "tacore/pit_schema.hpp"
#include "tacore/time_range.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// A person or organisation (§5.4). Providers in published files have `roles`, `url` and `links` instead of
/// `organization`, `email` and `role`; both forms are read.
struct Contact {
  std::string name = {};
  std::string organization = {};
  std::string email = {};
  std::string role = {};
  std::vector<std::string> roles = {};
  std::string url = {};
};

/// The place and time that a dataset, or one of its sources, covers. Either part may be absent.
struct Extent {
  std::optional<BBox> spatial = {};
  std::optional<TimeRange> temporal = {};
};

/// One column of `taco:field_schema`.
struct FieldDescription {
  std::string name = {};
  std::string type = {};         ///< Arrow's name for it, lower case
  std::string description = {};  ///< may be empty
};

/// One partition of `taco:sources` (§6.6).
struct Source {
  std::string id = {};
  std::string file = {};  ///< name relative to the folder of the index
  Extent extent = {};
};

/// The content of COLLECTION.json (§5.4, §6.2), as a plain value: changing it changes no dataset.
///
///     const Collection about{.id = "chips", .dataset_version = "1.0.0", .description = "Landsat chips",
///                            .licenses = {"CC-BY-4.0"}, .providers = {{.name = "ACME"}}, .tasks = {"segmentation"}};
struct Collection {
  std::string id = {};
  std::string dataset_version = "unknown";
  std::string description = {};
  std::vector<std::string> licenses = {};
  std::vector<Contact> providers = {};
  std::vector<std::string> tasks = {};
  std::string taco_version = {};
  std::optional<std::string> title = {};
  std::optional<std::vector<Contact>> curators = {};
  std::optional<std::vector<std::string>> keywords = {};
  Extent extent = {};
  PitSchema pit_schema = {};  ///< that of a file before 2.0 is not stored: Dataset::pit_schema()
  std::map<std::string, std::vector<FieldDescription>> field_schema = {};  ///< by "level0", ...
  std::vector<Source> sources = {};                                        ///< TACOCAT and TACOLLECTION.json only
  std::string json = {};  ///< the whole document, unknown keys included
};

/// A collection for create(), parsed from JSON text in the form of COLLECTION.json in which any member may be missing.
/// Unknown members are kept. `path` is used in messages. Throws FormatError.
TACORE_EXPORT Collection parse_draft_collection(std::string_view json, const std::string& path);

}  // namespace tacore
