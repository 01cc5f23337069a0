#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/collection.hpp"
#include "validate/level_reader.hpp"
#include "validate/names.hpp"
#include "validate/report.hpp"

/// The rows of a container, the files they refer to, and the places and times they state.
namespace tacore::validator {

/// The rows of one container, and the files that they refer to.
struct Section {
  std::string path = {};
  std::vector<LevelRange> levels = {};
  Entries* entries = nullptr;  ///< nullptr when unknown
  bool is_zip = true;          ///< entries have locations that rows must state
  bool deep = false;           ///< TIFF indexes are verified against the TIFFs
  int jobs = 1;                ///< threads that read `__meta__`
  /// Opens the `__meta__` or FILE of an entry, for several threads; empty where these are not read.
  std::function<std::shared_ptr<const ByteSource>(std::size_t entry)> open_entry = {};
};

class PitShape;

/// All rows of a section: SCH-3, SCH-4, ID-*, LVL-2 to LVL-7, OFF-1 to OFF-3, MET-*, DIR-1. `shape` collects the tree
/// (PIT-1). False when the files of some rows are unknown.
bool check_rows(Report& report, const Section& section, PitShape& shape);
/// OFF-4 or DIR-3: entries below DATA/ that no row in check_rows() referred to.
void check_unreferenced(Report& report, const Section& section);

/// CAT-6: the footprints and times of rows [begin, end) against the extent of their source; for a dataset, whose source
/// is "", COL-16.
void check_extent(Report& report, const Extent& extent, const LevelRange& rows, const std::string& source,
                  const ErrorContext& where);

}  // namespace tacore::validator
