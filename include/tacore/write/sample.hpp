#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/pit_schema.hpp"
#include "tacore/types.hpp"
#include "tacore/value.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/extension.hpp"
#include "tacore/write/table_options.hpp"

struct ArrowArrayStream;  // Arrow C stream interface

namespace tacore {

class Sample;

/// The samples of a dataset to be written, with their metadata: a tree of FILEs and FOLDERs. A tree may have any depth;
/// create() writes up to 6 levels and v1::create_taco() up to 64. The bytes of samples are read only when they are
/// written. A Tortilla is immutable; copies share their content. All const calls are safe from several threads.
///
///     const Tortilla bands({Sample("red", "b4.tif"), Sample("nir", "b8.tif")});
///     const Tortilla samples({Sample("scene_1", bands, {{"cloud_cover", 12.5}})});
class TACORE_EXPORT Tortilla {
 public:
  /// A tree of these samples, in their order. With `strict_schema`, all samples of a level must have the same fields,
  /// in the same order and of the same types; null fits any type. Otherwise a level has the fields of all its samples,
  /// in the order of first occurrence, null where a sample lacks one; integers become real numbers where types differ.
  /// Throws SchemaError, which names the first such sample and its fields, for no samples, a repeated id, and fields
  /// that differ.
  explicit Tortilla(const std::vector<Sample>& samples, bool strict_schema = true);

  /// FILEs given as columns, for millions of samples: `ids`, the path of each (as Sample takes it), and metadata.
  /// Throws IoError for a file that does not exist; SchemaError for no samples, columns of different lengths, a
  /// repeated id, an id or key that is not allowed, and a type that cannot hold its values.
  Tortilla(std::vector<std::string> ids, const std::vector<std::string>& paths,
           const std::vector<MetadataColumn>& metadata = {});

  /// The tree of a folder on disk: its folders become FOLDERs and its files FILEs, with their names as ids; siblings
  /// are in the code-point order of `<id>/`. Links to files are followed. Throws IoError; SchemaError for an empty
  /// `path`, a link to a folder, and entries that are neither file nor folder.
  static Tortilla from_folder(const std::string& path);

  /// The samples that a table lists (`.parquet`, `.csv`, `.tsv`, `.jsonl`, `.geojson`). Column `id` is the id of a
  /// sample, or a path of ids (`tile/band`); `path` is its file, relative to the folder of the table; all other columns
  /// are metadata. A row without `path` gives a FOLDER its metadata. Times of STAC as text or dates (`2005`, `2005-06`,
  /// `2005-06-30`, RFC 3339) become timestamps.
  ///
  /// Siblings keep the order of their rows. A level has the columns that hold a value in one of its rows, and those
  /// that hold none at any level; a column `type` must agree with the tree. The geometries of GeoJSON become the column
  /// `istac:geometry` (WKB), which filters test. Throws IoError; FormatError when the table cannot be read; SchemaError
  /// for columns that are missing or not allowed, and for rows that do not describe valid samples: it lists the first
  /// 20 faults of rows by their lines, and the number of all.
  ///
  ///     const Tortilla chips = Tortilla::from_table("chips.csv", {.id_column = "name", .time_column = "date"});
  static Tortilla from_table(const std::string& path, const TableOptions& options = {});

  /// The samples that an Arrow C stream lists, with the columns of from_table(), and the bytes of FILEs themselves in
  /// a binary column `data`, instead of `path`. The stream is read to its end and released. Relative paths start from
  /// the working folder. Extension types become their storage type. Throws as from_table(), and ValidationError for a
  /// separator.
  static Tortilla from_arrow(ArrowArrayStream* rows, const TableOptions& options = {});

  /// A copy with padding wherever a FOLDER lacks a child that other FOLDERs at its position have. Padding is a sample
  /// `__TACOPAD__N` (N is its position among its siblings) that readers hide: an empty FILE, or a FOLDER of padding,
  /// with null metadata. Siblings keep their order. Throws SchemaError with all reasons when padding cannot make the
  /// FOLDERs equal: an id that is a FILE in one FOLDER and a FOLDER in another, siblings in different orders, ...
  Tortilla pad() const;
  /// A copy followed by padding until the number of samples of level 0 is a multiple of `n`. Throws ValidationError for
  /// n < 1 and n > 2^24, SchemaError for FOLDERs whose children differ.
  Tortilla pad_to(int64_t n) const;

  /// The number of samples of a level, 0 for a level that does not exist.
  int64_t num_samples(int level = 0) const noexcept;
  /// The deepest level, 0 when no sample has children.
  int depth() const noexcept;
  /// The sum of the bytes of all FILEs.
  uint64_t num_bytes() const noexcept;
  /// The size in bytes of each sample of level 0; for a FOLDER the sum of its children.
  std::vector<uint64_t> sizes() const;
  /// The ids of a level. Throws SchemaError for a level that does not exist, as do all functions below.
  std::vector<std::string> ids(int level = 0) const;
  /// A FILE of a level, with its metadata. Throws SchemaError for a FOLDER and for a row that does not exist.
  Sample sample(int64_t row, int level = 0) const;
  /// The type of each sample of a level.
  std::vector<SampleType> types(int level = 0) const;
  /// The metadata fields of a level, in order, without `id`, `type` and the columns that create() adds.
  std::vector<FieldDescription> fields(int level = 0) const;
  /// The values of a field; text for Arrow types that Value does not have. Throws SchemaError for an unknown field,
  /// with the names of the existing ones, and for a time that does not fit into 64 bits of microseconds.
  std::vector<Value> column(std::string_view key, int level = 0) const;
  /// Exports the rows of level `deep` as an Arrow C stream: id, type, path (null for a FOLDER and for bytes) and
  /// metadata; below level 0 also internal:parent_id, the row of the parent, and internal:current_id. Throws
  /// SchemaError for a level that does not exist.
  void export_metadata(ArrowArrayStream* out, int deep = 0) const;

  /// A copy with the columns of `extension` at level 0; with `schema_only` they are null and nothing is computed.
  /// Throws SchemaError when the number of values is not that of the samples, and for a field that already exists.
  Tortilla extend_with(const TortillaExtension& extension, bool schema_only = false) const;
  /// A copy with these additional columns, one value for each sample of the level. Throws SchemaError as above.
  Tortilla extend_with(const std::vector<MetadataColumn>& columns, int level = 0) const;
  /// A copy without one field. Throws SchemaError for `id`, `type`, `path` and an unknown field.
  Tortilla pop(std::string_view key, int level = 0) const;

  struct TACORE_HIDDEN Impl;
  explicit Tortilla(std::shared_ptr<const Impl> impl) noexcept;

 private:
  std::shared_ptr<const Impl> impl_;
};

/// A sample to be written: a FILE with data, or a FOLDER with children. It is a value; copies share the bytes and may
/// be used by different threads.
///
///     Sample image("image_1", "scenes/image_1.tif", {{"split", "train"}, {"cloud_cover", 12.5}});
///     image.extend_with(extensions::Scaling({.scale_factor = 0.0001}));
class TACORE_EXPORT Sample {
 public:
  /// A FILE at a path, absolute or relative to the working folder, or a byte range of a file as GDAL writes it
  /// (`/vsisubfile/OFFSET_SIZE,PATH`). Its bytes are read when the dataset is written; its size must not change until
  /// then. Throws SchemaError for an id or key that is not allowed and for a type that cannot hold its value, IoError
  /// when the file does not exist.
  Sample(std::string id, const std::string& path, std::vector<MetadataField> metadata = {});
  /// A FILE with these bytes. When the samples of the process hold more than 256 MiB, further bytes are written to an
  /// anonymous (unlinked) temporary file in `temp_dir` (created if it is missing; "": TMPDIR, else /tmp), which is
  /// freed with the last copy of the sample; forked children can read it. Throws as above; IoError when the file cannot
  /// be written.
  Sample(std::string id, Bytes bytes, std::vector<MetadataField> metadata = {}, const std::string& temp_dir = {});
  /// A FOLDER with these children. Throws SchemaError as above.
  Sample(std::string id, Tortilla children, std::vector<MetadataField> metadata = {});

  const std::string& id() const noexcept { return id_; }
  SampleType type() const noexcept;
  /// The path of a FILE; "" for a FOLDER and for bytes.
  const std::string& path() const noexcept;
  /// The path under which GDAL opens exactly the bytes of this sample; "" for a FOLDER and for bytes.
  std::string vsi_path() const;
  /// The size of the data in bytes; of a FOLDER the sum of its children.
  uint64_t size() const noexcept;
  /// The bytes of a FILE. Throws SchemaError for a FOLDER, IoError when they cannot be read.
  Bytes read_bytes() const;

  /// Frees the bytes of a sample that was made from bytes, which becomes an empty FILE. Copies, and Tortillas made of
  /// it, keep the bytes. Has no effect on a FILE with a path and on a FOLDER.
  void cleanup();

  const std::vector<MetadataField>& metadata() const noexcept { return metadata_; }
  /// The value of a field; nullptr when there is no such field.
  const Value* find(std::string_view key) const noexcept;
  /// Adds fields, or replaces value and type of existing ones. Throws SchemaError for a key that is not allowed and for
  /// a type that cannot hold its value; nothing changes then.
  void extend_with(std::vector<MetadataField> metadata);
  /// Adds the fields that `extension` computes; with `schema_only` they are null and nothing is computed. Throws
  /// SchemaError.
  void extend_with(const SampleExtension& extension, bool schema_only = false);
  /// Removes a field and returns it. Throws SchemaError for `id`, `type`, `path` and an unknown field.
  MetadataField pop(std::string_view key);
  /// Exports id, type, path and metadata as an Arrow C stream of one row.
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

/// Makes a copy in which FOLDERs without location and time get those of their children, so that filters and STAC Items
/// of their level work. The location is the footprint of the children where they agree, else the smallest box that
/// contains them (`istac:crs`, `istac:geometry`); the time is from the first start to the last end (`istac:time_start`,
/// `istac:time_end`). FILEs at the same level get their own location and time in these columns, since filters test them
/// first. Levels that have such columns keep them. Throws FormatError for a geometry that is not valid WKB.
TACORE_EXPORT Tortilla with_folder_places(const Tortilla& samples, const CrsTransformer* transformer = nullptr);

}  // namespace tacore::extensions
