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

/// A person or organisation: a provider or curator of a dataset. Providers in published files have `roles`, `url` and
/// `links` instead of `organization`, `email` and `role`; both forms are read.
struct Contact {
  std::string name = {};
  std::string organization = {};
  std::string email = {};
  std::string role = {};
  std::vector<std::string> roles = {};
  std::string url = {};
};

/// The bounding box and time interval that a dataset, or one of its sources, covers. Either may be absent.
struct Extent {
  std::optional<BBox> spatial = {};
  std::optional<TimeRange> temporal = {};
};

/// The description of one metadata column: an entry of `taco:field_schema`.
struct FieldDescription {
  std::string name = {};
  std::string type = {};         ///< Arrow name of the type in lower case, such as "int64"
  std::string description = {};  ///< may be empty
};

/// One dataset of an index (TACOCAT or TACOLLECTION.json): an entry of `taco:sources`.
struct Source {
  std::string id = {};
  std::string file = {};  ///< path relative to the folder of the index
  Extent extent = {};
};

/// The content of COLLECTION.json, which describes the dataset as a whole. It is a plain value: changing it changes no
/// dataset.
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
  /// The tree of samples. Empty for a Tortilla or TACO before version 2.0, which does not store it: see
  /// Dataset::pit_schema().
  PitSchema pit_schema = {};
  /// The metadata columns of each level, by "level0", "level1", ...
  std::map<std::string, std::vector<FieldDescription>> field_schema = {};
  std::vector<Source> sources = {};  ///< only in TACOCAT and TACOLLECTION.json
  std::string json = {};             ///< the whole document as text, with unknown keys
};

/// Parses JSON text in the form of COLLECTION.json, in which any member may be missing, as a collection for create().
/// Unknown members are kept. `path` is the name of the text in messages. Throws FormatError.
TACORE_EXPORT Collection parse_draft_collection(std::string_view json, const std::string& path);

}  // namespace tacore
