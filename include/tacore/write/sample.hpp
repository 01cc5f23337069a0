#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/extension.hpp"
#include "tacore/pit_schema.hpp"
#include "tacore/value.hpp"

struct ArrowArrayStream;  // Arrow C stream interface

namespace tacore {

class Sample;

/// Samples to be written, with their metadata: a tree of any depth (§5.2, §5.3), of which create() writes six levels
/// and v1::create() 64. The bytes of its samples stay where they are until then. An immutable value; copies share.
class TACORE_EXPORT Tortilla {
 public:
  /// `samples` in their order. With `strict_schema` all must have the same fields, in the same order and of the same
  /// types, at each level; a null fits any type. Else a level gets the fields of all, null where a sample has none, in
  /// the order first seen; integers give way to floating point. Throws SchemaError, which names the first sample and
  /// the fields that differ: none at all, two of one id, fields as above.
  explicit Tortilla(const std::vector<Sample>& samples, bool strict_schema = true);

  /// Samples in columns, for millions of them: a FILE each (§5.1), `paths` as Sample has them, as many as `ids`.
  /// Throws IoError when there is no such file; SchemaError: another number of paths or values than ids, no samples,
  /// two of one id, an id or key that may not be (§5.6), a type that does not hold its values.
  Tortilla(std::vector<std::string> ids, const std::vector<std::string>& paths,
           const std::vector<MetadataColumn>& metadata = {});

  /// The tree below the folder `path`: its folders are FOLDERs, its files FILEs, named as they are. Siblings in the
  /// code-point order of `<id>/`. Links to files are followed. Throws IoError; SchemaError for what is neither file nor
  /// folder, a link to a folder, and an empty `path`.
  static Tortilla from_folder(const std::string& path);

  /// The samples that a table lists (`.parquet`, `.csv`, `.jsonl`, `.geojson`): `id` (a `/` nests, `tile/band`), `path`
  /// (of a FILE; relative to the folder of the table), every other column metadata. Siblings in the order of their
  /// rows. A FOLDER may have a row without path, for its metadata. A level has the columns that are not null in all its
  /// rows, and those that are so at all levels; `type` may be there and must be right. Of GeoJSON the geometries are
  /// the column `istac:geometry`, as WKB, where filters find them. Throws IoError, FormatError when the table cannot be
  /// read, SchemaError for what it lists.
  static Tortilla from_table(const std::string& path);

  /// The same from rows in memory, which are read to their end and released. Relative paths start from the working
  /// folder. Extension types become what they store.
  static Tortilla from_arrow(ArrowArrayStream* rows);

  /// The same samples with padding wherever a FOLDER lacks a child that others at its position have (§5.5, §5.6): a
  /// sample `__TACOPAD__N`, N its position among its siblings, which readers hide; a FILE without bytes, or a FOLDER of
  /// padding. Its metadata is null. Siblings keep their order. Throws SchemaError with a list of what cannot be
  /// completed: an id that is a FILE here and a FOLDER there, siblings in another order, ...
  Tortilla pad() const;
  /// The same samples with padding after those of level 0 until their number is a multiple of `n`. Throws
  /// ValidationError for n < 1 and n > 2^24, SchemaError for FOLDERs whose children differ.
  Tortilla pad_to(int64_t n) const;

  /// Samples of a level, 0 for one that does not exist.
  int64_t num_samples(int level = 0) const noexcept;
  /// The deepest level, 0 when no sample has children.
  int depth() const noexcept;
  /// The bytes of all FILEs.
  uint64_t num_bytes() const noexcept;
  /// The bytes of each sample of level 0, those of its children for a FOLDER.
  std::vector<uint64_t> sizes() const;
  /// Throws SchemaError for a level that is not there, as all below do.
  std::vector<std::string> ids(int level = 0) const;
  /// A FILE of a level, with its metadata. Throws SchemaError for a FOLDER and a row that is not there.
  Sample sample(int64_t row, int level = 0) const;
  std::vector<SampleType> types(int level = 0) const;
  /// The metadata of a level, in order: `id`, `type` and what create() adds are not among them.
  std::vector<FieldDescription> fields(int level = 0) const;
  /// The values of a field; text for types that Value has none for. Throws SchemaError: no such field (those there are
  /// are named), a time beyond 64 bits of microseconds.
  std::vector<Value> column(std::string_view key, int level = 0) const;
  /// The rows of level `deep` (§7.1): id, type, path (null for a FOLDER and for bytes), metadata; below the root also
  /// internal:parent_id, the row of the parent, and internal:current_id. Throws SchemaError for a level that is not
  /// there.
  void export_metadata(ArrowArrayStream* out, int deep = 0) const;

  /// A copy with the columns of `extension` at level 0; with `schema_only` they are null and nothing is computed.
  /// Throws SchemaError: another number of values than samples, or a field that is there.
  Tortilla extend_with(const TortillaExtension& extension, bool schema_only = false) const;
  /// A copy with these columns too, a value for each sample of the level. Throws SchemaError as above.
  Tortilla extend_with(const std::vector<MetadataColumn>& columns, int level = 0) const;
  /// A copy without a field. Throws SchemaError: `id`, `type`, `path`, and what is not there.
  Tortilla pop(std::string_view key, int level = 0) const;

  struct TACORE_HIDDEN Impl;
  const std::shared_ptr<const Impl>& impl() const noexcept { return impl_; }
  explicit Tortilla(std::shared_ptr<const Impl> impl) noexcept;

 private:
  std::shared_ptr<const Impl> impl_;
};

/// A sample to be written (§5.1). A value; copies share the bytes, and different copies may be used by different
/// threads.
class TACORE_EXPORT Sample {
 public:
  /// A FILE, which `path` names: absolute or from the working folder, or a part of a file as GDAL has it
  /// (`/vsisubfile/OFFSET_SIZE,PATH`). It is read when it is written, and may not change its size until then. Throws
  /// SchemaError for an id or key that may not be (§5.6) and a type that does not hold its value, IoError when there is
  /// no such file.
  Sample(std::string id, const std::string& path, std::vector<MetadataField> metadata = {});
  /// A FILE of these bytes. Beyond 256 MiB in the process, they go to a file without name in `temp_dir` (made if it is
  /// missing; "": TMPDIR, else /tmp), and with the last copy; a forked child may go on reading them. Throws as above,
  /// IoError when that cannot be written.
  Sample(std::string id, Bytes bytes, std::vector<MetadataField> metadata = {}, const std::string& temp_dir = {});
  /// A FOLDER. Throws SchemaError as above.
  Sample(std::string id, Tortilla children, std::vector<MetadataField> metadata = {});

  const std::string& id() const noexcept { return id_; }
  SampleType type() const noexcept;
  /// "" for a FOLDER and for bytes.
  const std::string& path() const noexcept;
  /// The path under which GDAL opens its bytes and no others; "" for a FOLDER and for bytes.
  std::string vsi_path() const;
  /// Bytes of data, those of its children for a FOLDER.
  uint64_t size() const noexcept;
  /// The bytes of a FILE. Throws SchemaError for a FOLDER, IoError when they cannot be read.
  Bytes read_bytes() const;

  /// Lets go of its bytes: it is an empty FILE then. Copies, and Tortillas made of it, keep them. Does nothing to a
  /// file or FOLDER.
  void cleanup();

  const std::vector<MetadataField>& metadata() const noexcept { return metadata_; }
  /// The value of a field, nullptr when there is no such field.
  const Value* find(std::string_view key) const noexcept;
  /// Adds fields; one that is there gets the new value and type. Throws SchemaError for a key that may not be and a
  /// type that does not hold its value; then nothing changes.
  void extend_with(std::vector<MetadataField> metadata);
  /// Adds what `extension` computes; with `schema_only` its fields are null and nothing is computed. Throws
  /// SchemaError.
  void extend_with(const SampleExtension& extension, bool schema_only = false);
  /// Removes a field and returns it. Throws SchemaError: `id`, `type`, `path`, and what is not there.
  MetadataField pop(std::string_view key);
  /// id, type, path and metadata as one row.
  void export_metadata(ArrowArrayStream* out) const;

  struct TACORE_HIDDEN Content;
  const std::shared_ptr<const Content>& content() const noexcept { return content_; }

 private:
  friend class Tortilla;
  Sample(std::string id, std::shared_ptr<const Content> content, std::vector<MetadataField> metadata);

  std::string id_;
  std::shared_ptr<const Content> content_;
  std::vector<MetadataField> metadata_;
};

}  // namespace tacore

namespace tacore::extensions {

/// Places and times of FOLDERs that say none, by their children, so that filters and Items of their level work: where
/// children agree their footprint, else the smallest box that holds them (`istac:crs`, `istac:geometry`), and the time
/// from the first start to the last end (`istac:time_start`, `istac:time_end`). FILEs beside them get their own, since
/// filters take these columns first. Levels that have such columns keep them. Throws FormatError for a geometry that is
/// no WKB.
TACORE_EXPORT Tortilla with_folder_places(const Tortilla& samples, const CrsTransformer* transformer = nullptr);

}  // namespace tacore::extensions
