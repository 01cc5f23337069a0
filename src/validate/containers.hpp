#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "table/level_table.hpp"
#include "tacore/collection.hpp"
#include "tacore/ops/validate.hpp"
#include "validate/names.hpp"
#include "validate/report.hpp"

/// The checks of a whole container. Each check of validate() reports the faults it finds, and throws only for errors
/// that are no faults of the data.
namespace tacore::validator {

/// The results for one container, for checks that compare several.
struct Checked {
  std::optional<Collection> collection = {};
  std::vector<std::shared_ptr<const LevelTable>> levels = {};  ///< nullptr where one cannot be read
  std::optional<Entries> entries = {};                         ///< payloads of a ZIP, files below DATA/ of a folder
};

/// COL-*, PIT-6 and CAT-2. `document` is COLLECTION.json, or part of `path`.
std::optional<Collection> check_collection(Report& report, const ByteSource& document, const std::string& path);

Checked check_zip_dataset(Report& report, const std::shared_ptr<const ByteSource>& archive, const std::string& path,
                          const ValidateOptions& options);
Checked check_folder_dataset(Report& report, const Storage& storage, const std::string& path,
                             const ValidateOptions& options);

/// An index over containers in the folder `base`.
struct Index {
  std::string path = {};  ///< as the user wrote it
  std::string base = {};
  std::string folder = {};  ///< `.tacocat/`, or empty for a file
  std::shared_ptr<const ByteSource> file = {};
};
void check_tacocat(Report& report, const Storage& storage, const Index& index, const ValidateOptions& options);
void check_tacollection(Report& report, const Storage& storage, const Index& index, const ValidateOptions& options);

}  // namespace tacore::validator
