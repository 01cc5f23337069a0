#pragma once

#include <memory>
#include <vector>

#include "table/level_write.hpp"
#include "writer/tree.hpp"

/// The tables of a tree: the metadata that a ZIP and a FOLDER have in common.
namespace tacore {

/// `id`, `type` and metadata: the columns of `__meta__` for the rows of `level`, and the first ones of each level.
std::shared_ptr<arrow::Table> samples_table(const Tree& tree, int level);

/// Adds internal:current_id, the number of the row, and internal:parent_id, that of its parent (its own at level 0).
std::shared_ptr<arrow::Table> with_numbers(const Tree& tree, int level, const std::shared_ptr<arrow::Table>& table);

/// Adds internal:relative_path below level 0: `a/b`, for a FOLDER `a/b/`.
std::shared_ptr<arrow::Table> with_paths(const Tree& tree, int level, const std::shared_ptr<arrow::Table>& table);

/// The table of a level for export_metadata(): id, type, path, metadata; below the root the row numbers, too.
std::shared_ptr<arrow::Table> exported_table(const Tree& tree, int level);

/// Throws SchemaError for two columns of a level whose names differ only in case, because SQL ignores case.
void check_field_names(const Tree& tree);

/// Logs what was written: levels, samples, files and bytes.
void log_written(const Tree& tree, const std::string& target);

/// `taco:field_schema` of a level, without the offsets and sizes in a ZIP, which it never lists.
std::vector<FieldDescription> level_fields(const Tree& tree, int level);

}  // namespace tacore
