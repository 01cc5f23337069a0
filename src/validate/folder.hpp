#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/byte_source.hpp"
#include "table/level_table.hpp"
#include "validate/names.hpp"
#include "validate/report.hpp"

/// The files of a dataset that is a folder.
namespace tacore::validator {

/// DIR-2 and DIR-4: the files below DATA/, named as in a ZIP. Nothing when a folder cannot be listed: then no missing
/// file can be reported.
std::optional<Entries> list_data(Report& report, const std::string& folder);

/// The existing files of a remote folder, which cannot be listed: those that the rows of `levels` name (nullptr: an
/// unreadable level).
Entries list_remote_data(const Storage& storage, const std::string& folder,
                         std::span<const std::shared_ptr<const LevelTable>> levels);

/// DIR-5: other files in METADATA/ than the first `num_levels` tables; DIR-4 when it cannot be listed.
void check_metadata_folder(Report& report, const std::string& folder, std::size_t num_levels);

}  // namespace tacore::validator
