#include "writer/tacocat_writer.hpp"

#include "base/log.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "format/taco_header.hpp"
#include "format/tacocat_header.hpp"
#include "io/byte_source.hpp"
#include "io/document.hpp"
#include "io/output_file.hpp"
#include "io/spill_buffer.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "model/collection_members.hpp"
#include "table/extent_sum.hpp"
#include "table/level_batches.hpp"
#include "table/level_bounds.hpp"
#include "table/level_checksums.hpp"
#include "table/row_order.hpp"
#include "table/sorted_rows.hpp"
#include "writer/staging.hpp"

namespace tacore {
namespace {

/// Parts that are open, or read and not yet merged, for each thread.
constexpr uint64_t kPartsAhead = 8;

/// Writes the levels of an index one after another, and reports progress.
class LevelWriter {
 public:
  LevelWriter(const Index& index, const IndexParts& parts, const WriteOptions& options)
      : index_(index), parts_(parts), options_(options) {}

  /// Appends `level` to `file`, which has `offset` bytes; returns its location.
  ByteRange write(int level, const OutputFile& file, uint64_t offset) {
    ByteRange out{.offset = offset, .size = 0};
    const ByteConsumer append = [&](std::span<const std::byte> bytes) {
      file.write(out.offset + out.size, bytes);
      out.size += bytes.size();
    };
    const uint64_t num_bytes = index_.levels[static_cast<std::size_t>(level)].num_bytes();
    if (level == 0 && !options_.order.empty()) {
      write_ordered(append, num_bytes);
    } else {
      merge(level, append, options_of_level(options_.parquet, level), num_bytes);
    }
    num_done_ += num_bytes;
    return out;
  }

 private:
  /// Writes the rows of a level part by part. The progress of this is that of `num_bytes`.
  void merge(int level, const ByteConsumer& out, const ParquetOptions& parquet, uint64_t num_bytes) const {
    const MergedLevel& merged = index_.levels[static_cast<std::size_t>(level)];
    MergeOptions how{.jobs = options_.jobs, .parquet = parquet};
    how.progress = [&](uint64_t num_read) { tell(num_bytes, num_read, merged.num_bytes()); };
    merge_levels(
        merged, parts_.files, [&](std::size_t part) { return parts_.open_level(part, level); }, out, how);
  }

  /// Level 0 in options_.order: first part by part, since an order needs all rows, then in the order.
  void write_ordered(const ByteConsumer& out, uint64_t num_bytes) const {
    const auto source = spilled("level 0 of the index", [&](const ByteConsumer& plain) {
      merge(0, plain, {.compression = "lz4"}, num_bytes / 2);
    });
    const auto level = LevelTable::open(source, {.path = source->name()});
    auto order = rows_in_order(options_.order, LevelBatches(*level, columns_of_extent(*level)), nullptr, options_.jobs);
    SortedRows rows(*level, std::move(order));
    write_sorted(rows, out, options_of_level(options_.parquet, 0), [&](int64_t num_rows) {
      tell(num_bytes, static_cast<uint64_t>(level->num_rows() + num_rows),
           2 * static_cast<uint64_t>(level->num_rows()));
    });
  }

  /// Reports that `done` of `all` is done of the work that counts as `num_bytes`.
  void tell(uint64_t num_bytes, uint64_t done, uint64_t all) const {
    if (!options_.progress) return;
    const double part = done >= all ? 1 : static_cast<double>(done) / static_cast<double>(all);
    options_.progress(num_done_ + static_cast<uint64_t>(part * static_cast<double>(num_bytes)));
  }

  const Index& index_;
  const IndexParts& parts_;
  const WriteOptions& options_;
  uint64_t num_done_ = 0;
};

IndexPart open_zip(const std::string& path) {
  const auto source = local_storage()->open(path);
  const auto header = taco_header::parse(source->read({0, taco_header::kSize}), source->size());
  const Bytes text = read_document(*source, header.collection);
  IndexPart out{.collection = parse_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path)};
  for (const auto& level : header.levels) {
    const ErrorContext where{.path = path, .offset = {}, .level = static_cast<int>(out.levels.size())};
    out.levels.push_back(LevelTable::open(slice(source, level), where));
  }
  out.level_crc32s = level_checksums(*source);
  return out;
}

/// Sets the types of fields to those of the merged columns, which may be wider than in the first part.
void set_field_types(Collection& collection, const std::vector<MergedLevel>& levels) {
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto fields = collection.field_schema.find("level" + std::to_string(k));
    if (fields == collection.field_schema.end()) continue;
    for (auto& field : fields->second) {
      if (auto type = levels[k].type_of(field.name); !type.empty()) field.type = std::move(type);
    }
  }
}

/// Adds the bounding boxes that the index has and its parts may lack, behind the other metadata.
void add_covering_fields(Collection& collection, const std::vector<MergedLevel>& levels) {
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto found = collection.field_schema.find("level" + std::to_string(k));
    if (found == collection.field_schema.end()) continue;
    auto& fields = found->second;
    for (const Covering& covering : levels[k].coverings()) {
      if (std::ranges::find(fields, covering.boxes, &FieldDescription::name) != fields.end()) continue;
      const auto internal =
          std::ranges::find_if(fields, [](const auto& field) { return field.name.starts_with(names::kInternal); });
      fields.insert(internal,
                    {.name = covering.boxes, .type = covering_type(), .description = covering_description(covering)});
    }
  }
}

/// The extent of a part. The extent in its collection is used only where the rows state none: writers state boxes of
/// centroids, and an edit does not update it.
Extent extent_of_rows(const IndexPart& part, const std::string& path) {
  ExtentSum sum;
  for (const auto& level : part.levels) sum.add(*level);
  const Extent& stated = part.collection.extent;
  Extent out = sum.extent();
  if (!out.spatial) out.spatial = stated.spatial;
  if (!out.temporal) out.temporal = stated.temporal;
  std::vector<std::string> gaps = sum.gaps();
  if (sum.fault()) gaps.emplace_back(sum.fault()->what());
  for (const auto& gap : gaps) log::warning(path + ": its extent: " + gap);
  // Files state the globe where nothing is known.
  if (!gaps.empty() && stated.spatial && *stated.spatial != BBox{}) {
    out.spatial = merge_boxes({*out.spatial, *stated.spatial});
  }
  return out;
}

}  // namespace

uint64_t Index::num_bytes() const {
  uint64_t out = 0;
  for (const auto& level : levels) out += level.num_bytes();
  return out;
}

Index merge_parts(const IndexParts& parts, const MergeRules& rules, int jobs,
                  const std::function<void(uint64_t num_bytes)>& progress, bool with_bounds) {
  OrderedWork<IndexPart> opened(std::vector<uint64_t>(parts.files.size(), 1),
                                kPartsAhead * static_cast<uint64_t>(std::max(jobs, 1)), jobs, [&](std::size_t number) {
                                  IndexPart part = parts.open(number);
                                  part.collection.extent = extent_of_rows(part, parts.paths[number]);
                                  for (const auto& level : part.levels) {
                                    if (with_bounds) part.bounds.push_back(bounds_of(*level));
                                  }
                                  return part;
                                });
  CollectionMerge collections(rules.same_columns);
  Index out;
  for (std::size_t number = 0; auto part = opened.next(); ++number) {
    const std::size_t depth = part->levels.size();
    collections.add(
        {.file = parts.files[number], .collection = std::move(part->collection), .path = parts.paths[number]});
    out.level_crc32s.push_back(std::move(part->level_crc32s));
    if (with_bounds) out.bounds.push_back(std::move(part->bounds));
    while (out.levels.size() < depth) out.levels.emplace_back(rules);
    for (std::size_t k = 0; k < depth; ++k) out.levels[k].add(*part->levels[k]);
    if (progress) progress(out.num_bytes());
  }
  out.collection = collections.result();
  if (!rules.same_columns) set_field_types(out.collection, out.levels);
  add_covering_fields(out.collection, out.levels);
  return out;
}

void write_tacocat_folder(const Index& index, const IndexParts& parts, const std::string& folder,
                          const WriteOptions& options) {
  const std::string collection = with_level_crc32s(encode_collection(index.collection), index.level_crc32s);
  make_folder(folder);
  LevelWriter levels(index, parts, options);
  for (std::size_t k = 0; k < index.levels.size(); ++k) {
    OutputFile file(path_join(folder, names::kLevelFiles[k]), false);
    levels.write(static_cast<int>(k), file, 0);
    file.commit();
  }
  OutputFile file(path_join(folder, names::kCollection), false);
  file.write(0, std::as_bytes(std::span(collection)));
  file.commit();
}

void write_tacocat_file(const Index& index, const IndexParts& parts, const std::string& target,
                        const WriteOptions& options) {
  const std::string collection = with_level_crc32s(encode_collection(index.collection), index.level_crc32s);
  OutputFile file(target, options.overwrite);
  LevelWriter levels(index, parts, options);
  tacocat_header::Header header;
  uint64_t end = tacocat_header::kSize;
  for (std::size_t k = 0; k < index.levels.size(); ++k) {
    header.levels.push_back(levels.write(static_cast<int>(k), file, end));
    end += header.levels.back().size;
  }
  header.collection = {.offset = end, .size = collection.size()};
  file.write(end, std::as_bytes(std::span(collection)));
  file.write(0, tacocat_header::encode(header));
  file.sync();
  if (options.progress) options.progress(index.num_bytes());  // the last chance to cancel
  file.commit();
}

void write_tacocat(const std::vector<std::string>& zips, const WriteOptions& options) {
  IndexParts parts{
      .paths = zips,
      .open = [&](std::size_t part) { return open_zip(zips[part]); },
      .open_level = [&](std::size_t part,
                        int level) { return open_zip(zips[part]).levels.at(static_cast<std::size_t>(level)); }};
  for (const auto& zip : zips) parts.files.push_back(file_name(zip));
  write_tacocat_folder(merge_parts(parts, {.has_covering = options.parquet.covering}, options.jobs), parts,
                       path_join(parent_folder(zips.at(0)), names::kTacocatFolder),
                       {.jobs = options.jobs, .parquet = options.parquet});
}

}  // namespace tacore
