#pragma once

#include <memory>
#include <vector>

#include "table/level_write.hpp"
#include "writer/tree.hpp"

/// The tables of a tree (dossier 3.2): what a ZIP and a FOLDER have in common.
namespace tacore {

/// `id`, `type` and metadata: what `__meta__` has of the rows of `level`, and each level begins with.
std::shared_ptr<arrow::Table> samples_table(const Tree& tree, int level);

/// With internal:current_id, the number of the row, and internal:parent_id, that of its parent (its own at level 0).
std::shared_ptr<arrow::Table> with_numbers(const Tree& tree, int level, const std::shared_ptr<arrow::Table>& table);

/// With internal:relative_path below level 0: `a/b`, of a FOLDER `a/b/`.
std::shared_ptr<arrow::Table> with_paths(const Tree& tree, int level, const std::shared_ptr<arrow::Table>& table);

/// What export_metadata() tells of a level: id, type, path, metadata; below the root the numbers too.
std::shared_ptr<arrow::Table> exported_table(const Tree& tree, int level);

/// Throws SchemaError for two columns of a level whose names differ in case only: SQL takes them for one.
void check_field_names(const Tree& tree);

/// Logs what was written: levels, samples, files and bytes.
void log_written(const Tree& tree, const std::string& target);

/// `taco:field_schema` of a level: without the places in a ZIP, which it never lists.
std::vector<FieldDescription> level_fields(const Tree& tree, int level);

}  // namespace tacore
