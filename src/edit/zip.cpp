#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <set>
#include <unordered_map>

#include "base/text.hpp"
#include "container/zip_directory.hpp"
#include "container/zip_offsets.hpp"
#include "edit/plan.hpp"
#include "format/names.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/output_file.hpp"
#include "table/edit_columns.hpp"
#include "table/parquet_write.hpp"
#include "tacore/error.hpp"
#include "writer/zip_output.hpp"

namespace tacore {
namespace {

constexpr std::size_t kMetasAtOnce = 512;

std::string level_name(int level) { return std::string(names::kMetadata).append(names::kLevelFiles[level]); }

/// The layout of an archive, and which entries keep their location.
struct ZipLayout {
  std::vector<zip::CentralEntry> entries = {};  ///< in the order of the central directory
  std::vector<uint64_t> payloads = {};          ///< offset of the bytes of each entry
  std::vector<uint64_t> ends = {};              ///< offset of the next entry, or of the directory
  std::set<std::string> written = {};           ///< names of the entries that are written again
  uint64_t shared = 0;                          ///< bytes from the start that stay, except for TACO_HEADER
  int last_level = -1;                          ///< the deepest level that is written again

  bool stays(std::size_t i) const {
    return entries[i].local_offset < shared && !(entries[i].local_offset == 0 && entries[i].name == names::kHeader);
  }
  /// The number of bytes that are moved.
  bool moves(std::size_t i) const {
    return entries[i].local_offset >= shared && entries[i].name != names::kHeader && !written.contains(entries[i].name);
  }
};

class ZipEditor {
 public:
  ZipEditor(const EditPlan& plan, const Container& container, const std::string& path, const Unchanged& unchanged,
            const WriteOptions& options)
      : plan_(plan),
        path_(path),
        unchanged_(unchanged),
        source_(local_storage()->open(path)),
        container_(container),
        samples_(container),
        options_(options) {
    descriptor_ = open_uninterrupted(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw IoError("cannot open", {.path = path}, errno);
  }
  ~ZipEditor() { ::close(descriptor_); }
  ZipEditor(const ZipEditor&) = delete;
  ZipEditor& operator=(const ZipEditor&) = delete;

  void run() {
    plan_layout();
    OutputFile file(path_, true, options_.temp_dir);
    ZipOutput out{file};
    file.take_permissions(open_file());
    keep(file, out);
    write_levels(out);
    const std::span collection = std::as_bytes(std::span(plan_.collection));
    taco_header::Header header;
    for (int level = 0; level < container_.num_levels(); ++level) {
      header.levels.push_back(place_of(level_name(level)));
    }
    header.collection = out.add(std::string(names::kCollection), collection, time_);
    out.finish(header, time_);
    tell(0);
    file.sync();
    tell(0);
    unchanged_.check();
    file.commit();
  }

 private:
  OpenFile open_file() const { return {.descriptor = descriptor_, .name = path_}; }

  void plan_layout() {
    auto& entries = layout_.entries = read_directory(*source_);
    layout_.payloads = payload_offsets(*source_, entries);
    layout_.ends.resize(entries.size());
    std::vector<std::size_t> order(entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return entries[a].local_offset < entries[b].local_offset; });
    uint64_t end = source_->size();
    for (const auto& entry : entries) end = std::min(end, entry.record_offset);
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      layout_.ends[*i] = end;
      end = entries[*i].local_offset;
    }
    for (const auto& entry : entries) {
      if (entry.name == names::kCollection) time_ = {entry.time, entry.date};
    }
    write_anew(plan_.last_level());
    // In archives of other writers, samples may follow the edited entries, or TACO_HEADER may be missing. Then samples
    // move, and all tables that state their offsets change.
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!layout_.moves(i) || !entries[i].name.starts_with(names::kData)) continue;
      write_anew(container_.num_levels() - 1);
      break;
    }
  }

  /// Rewrites the tables of levels 0 to `last_level`, and every `__meta__` with rows of them.
  void write_anew(int last_level) {
    layout_.last_level = last_level;
    layout_.written.insert(std::string(names::kCollection));
    for (int level = 0; level <= last_level; ++level) {
      layout_.written.insert(level_name(level));
      const auto& paths = samples_.of(level);
      for (int64_t row = 0; row < static_cast<int64_t>(paths.size()); ++row) {
        if (!samples_.is_folder(level, row)) continue;
        if (level + 1 == container_.num_levels()) {
          throw FormatError("sample " + in_quotes(paths[static_cast<std::size_t>(row)]) +
                                " has more levels than the dataset has tables; its children cannot be edited",
                            {.path = path_, .offset = {}, .level = level});
        }
        if (level < last_level)
          layout_.written.insert(entry_name(paths[static_cast<std::size_t>(row)], SampleType::Folder));
      }
    }
    const auto& entries = layout_.entries;
    layout_.shared = has_header() ? source_->size() : 0;
    for (const auto& entry : entries) {
      const bool stays =
          entry.local_offset == 0 || (entry.name != names::kHeader && !layout_.written.contains(entry.name));
      if (!stays) layout_.shared = std::min(layout_.shared, entry.local_offset);
    }
    if (!entries.empty() && layout_.shared == source_->size())
      throw FormatError("the ZIP has no COLLECTION.json", {.path = path_});
  }

  /// True when there is a TACO_HEADER at the start, as long as the new one.
  bool has_header() const {
    const auto& entries = layout_.entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].local_offset != 0) continue;
      return entries[i].name == names::kHeader && layout_.payloads[i] == taco_header::kPayloadOffset &&
             entries[i].size == taco_header::kPayloadSize && layout_.ends[i] == taco_header::kSize;
    }
    return false;
  }

  /// Copies the entries that are not written again.
  void keep(OutputFile& file, ZipOutput& out) {
    const auto told = [&](uint64_t num_bytes) { tell(num_bytes); };
    const auto& entries = layout_.entries;
    file.copy(open_file(), 0, 0, layout_.shared, told);
    out.end = std::max(layout_.shared, taco_header::kSize);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (layout_.stays(i)) note(i, entries[i].local_offset, out);
    }
    std::vector<std::size_t> moving;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (layout_.moves(i) && !is_level(entries[i].name)) moving.push_back(i);
    }
    std::sort(moving.begin(), moving.end(),
              [&](std::size_t a, std::size_t b) { return entries[a].local_offset < entries[b].local_offset; });
    for (const std::size_t i : moving) move(i, file, out);
  }

  static bool is_level(std::string_view name) { return name.starts_with(names::kMetadata); }

  void move(std::size_t i, OutputFile& file, ZipOutput& out) {
    const uint64_t from = layout_.entries[i].local_offset, size = layout_.ends[i] - from;
    file.copy(open_file(), from, out.end, size, [&](uint64_t num_bytes) { tell(num_bytes); });
    note(i, out.end, out);
    out.end += size;
  }

  /// Lists an entry that is kept unchanged, at its old or a new location.
  void note(std::size_t i, uint64_t local_offset, ZipOutput& out) {
    zip::CentralEntry entry = layout_.entries[i];
    const uint64_t header = layout_.payloads[i] - entry.local_offset;
    entry.local_offset = local_offset;
    // An offset beyond 4 GiB requires ZIP64 in the directory, but not in the entry itself.
    const uint16_t there = zip::stored_entry("", 0, local_offset).version_needed;
    const bool came_near = zip::stored_entry("", 0, layout_.entries[i].local_offset).version_needed > there;
    entry.version_needed =
        came_near ? zip::stored_entry("", entry.size, 0).version_needed : std::max(entry.version_needed, there);
    if (layout_.last_level >= 0 || is_level(entry.name)) places_[entry.name] = {local_offset + header, entry.size};
    out.entries.push_back(std::move(entry));
  }

  void write_levels(ZipOutput& out) {
    for (int level = layout_.last_level - 1; level >= 0; --level) write_metas(level, out);
    for (int level = 0; level < container_.num_levels(); ++level) {
      if (level <= layout_.last_level) {
        add(level_name(level), encode_parquet(*table(level), options_of_level(options_.parquet, level)), out);
        continue;
      }
      const auto& entries = layout_.entries;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if (entries[i].name == level_name(level) && layout_.moves(i)) move(i, out.file, out);
      }
    }
  }

  /// The level as it is written: the locations of its samples are known by now.
  std::shared_ptr<arrow::Table> table(int level) {
    const auto& stored = *container_.stored_level(level);
    auto offsets = integers_of(stored, names::kOffset), sizes = integers_of(stored, names::kSize);
    const auto& paths = samples_.of(level);
    for (std::size_t row = 0; row < paths.size(); ++row) {
      const auto type = samples_.is_folder(level, static_cast<int64_t>(row)) ? SampleType::Folder : SampleType::File;
      const auto place = places_.find(entry_name(paths[row], type));
      if (place == places_.end()) {
        if (!offsets[row]) continue;  // padding whose file its writer left out
        throw FormatError(
            "row " + std::to_string(row) + ": the ZIP has no entry " + in_quotes(entry_name(paths[row], type)),
            {.path = path_, .offset = {}, .level = level});
      }
      offsets[row] = static_cast<int64_t>(place->second.offset);
      sizes[row] = static_cast<int64_t>(place->second.size);
    }
    const auto changed = plan_.tables.find(level);
    const auto out = changed == plan_.tables.end() ? whole_table(stored) : changed->second;
    return set_integers(set_integers(out, names::kOffset, offsets), names::kSize, sizes);
  }

  /// Writes the `__meta__` of each FOLDER of `level`, ordered by path.
  void write_metas(int level, ZipOutput& out) {
    const auto& paths = samples_.of(level);
    std::vector<int64_t> folders;
    for (int64_t row = 0; row < static_cast<int64_t>(paths.size()); ++row) {
      if (samples_.is_folder(level, row)) folders.push_back(row);
    }
    std::sort(folders.begin(), folders.end(), [&](int64_t a, int64_t b) {
      return paths[static_cast<std::size_t>(a)] + "/" < paths[static_cast<std::size_t>(b)] + "/";
    });
    const auto below = meta_columns(table(level + 1), true);
    const std::span all(folders);
    for (std::size_t begin = 0; begin < all.size(); begin += kMetasAtOnce) {
      const auto some = all.subspan(begin, std::min(kMetasAtOnce, all.size() - begin));
      const auto metas = encode_metas(below, samples_.children(level), some, options_);
      for (std::size_t i = 0; i < some.size(); ++i)
        add(entry_name(paths[static_cast<std::size_t>(some[i])], SampleType::Folder), metas[i], out);
    }
  }

  void add(const std::string& name, const Bytes& bytes, ZipOutput& out) {
    places_[name] = out.add(name, bytes, time_);
    tell(0);
  }

  ByteRange place_of(const std::string& name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) throw FormatError("the ZIP has no entry " + in_quotes(name), {.path = path_});
    return found->second;
  }

  void tell(uint64_t num_bytes) {
    num_done_ += num_bytes;
    if (options_.progress) options_.progress(num_done_);
  }

  const EditPlan& plan_;
  const std::string& path_;
  const Unchanged& unchanged_;
  std::shared_ptr<const ByteSource> source_;
  const Container& container_;
  SamplePaths samples_;
  const WriteOptions& options_;
  int descriptor_ = -1;
  zip::DosTime time_;  ///< of rewritten entries: that of the collection
  ZipLayout layout_;
  std::unordered_map<std::string, ByteRange> places_;  ///< of written and kept entries
  uint64_t num_done_ = 0;
};

}  // namespace

void edit_zip(const EditPlan& plan, const Container& container, const std::string& path, const Unchanged& unchanged,
              const WriteOptions& options) {
  ZipEditor(plan, container, path, unchanged, options).run();
}

}  // namespace tacore
