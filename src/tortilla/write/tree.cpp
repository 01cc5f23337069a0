#include "tortilla/write/tree.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/threads.hpp"
#include "container/container.hpp"
#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "table/stack_tables.hpp"
#include "table/tortilla_columns.hpp"
#include "tacore/error.hpp"
#include "tortilla/container.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tree_sources.hpp"

namespace tacore::v1 {
namespace {

/// A file of the dataset.
struct File {
  std::string path;
  std::shared_ptr<const ByteSource> source;
  Payload whole;
};

/// A container: a file, or a sample of one.
struct Place {
  std::size_t file = 0;
  ByteRange range = {};
  int64_t parent = 0;  ///< row in the level above
};

/// The samples of a footer.
struct Samples {
  std::vector<std::string> ids = {};
  std::vector<SampleType> types = {};
  std::vector<ByteRange> ranges = {};  ///< in the file
  std::shared_ptr<arrow::Table> columns = {};
};

/// Checks ranges against the data of the container, bytes [begin, end) of the file.
ByteRange range_of_row(const LevelTable& table, int64_t row, uint64_t begin, uint64_t end) {
  const auto offset = table.integer(table.find(names::kOffset), row);
  const auto size = table.integer(table.find(names::kSize), row);
  if (offset && size && *offset >= 0 && *size >= 0) {
    const ByteRange out{static_cast<uint64_t>(*offset), static_cast<uint64_t>(*size)};
    if (out.offset >= begin && out.offset <= end && out.size <= end - out.offset) return out;
  }
  const auto shown = [](const auto& number) { return number ? std::to_string(*number) : "null"; };
  throw FormatError("row " + std::to_string(row) + ": " + shown(size) + " bytes at " + shown(offset) +
                        " are outside of the data, bytes " + std::to_string(begin) + " to " + std::to_string(end),
                    table.where());
}

Samples read_samples(const File& file, const ByteRange& place, int level) {
  const ErrorContext where{.path = file.path, .offset = {}, .level = level};
  const Header header = read_header(*file.source, place, where);
  const auto table = open_footer(file.source, place, header, where);
  Samples out;
  const int id = table->find(tacore::names::kId);
  for (int64_t row = 0; row < table->num_rows(); ++row) {
    out.ids.push_back(table->text(id, row).value_or(""));
    out.types.push_back(sample_type(*table, row));
    out.ranges.push_back(range_of_row(*table, row, place.offset + kHeaderSize, place.offset + header.footer.offset));
  }
  if (table->num_rows() > 0) out.columns = footer_table(*table);
  return out;
}

/// Containers must not share bytes: one that a million rows name would be read a million times.
void check_disjoint(std::vector<Place> places, const std::vector<File>& files, int level) {
  const auto key = [](const Place& place) { return std::pair(place.file, place.range.offset); };
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < places.size(); ++i) {
    const Place &a = places[i - 1], &b = places[i];
    if (a.file != b.file || b.range.offset - a.range.offset >= a.range.size) continue;
    throw FormatError("the nested containers at bytes " + std::to_string(a.range.offset) + " and " +
                          std::to_string(b.range.offset) + " share bytes",
                      {.path = files[a.file].path, .offset = b.range.offset, .level = level});
  }
}

class TreeReader {
 public:
  explicit TreeReader(int jobs) : jobs_(jobs) {}

  std::vector<TreeLevel> read(const std::shared_ptr<const Storage>& storage, const std::vector<std::string>& paths) {
    std::vector<Place> here;
    for (const auto& path : paths) {
      const std::size_t file = number_of(storage, path);
      here.push_back({.file = file, .range = {0, files_[file].source->size()}});
    }
    return read(std::move(here), 0);
  }

  std::vector<TreeLevel> read(const std::vector<Nested>& folders, int level) {
    std::vector<Place> here;
    for (const auto& folder : folders)
      here.push_back({number_of(folder.storage, folder.path), folder.range, static_cast<int64_t>(here.size())});
    return read(std::move(here), level);
  }

 private:
  std::size_t number_of(const std::shared_ptr<const Storage>& storage, const std::string& path) {
    const auto [at, is_new] = numbers_.emplace(std::pair(storage.get(), path), files_.size());
    if (!is_new) return at->second;
    auto source = storage->open(path);
    if (!source->is_local()) jobs_ = kMaxReaders;
    Payload whole = source->is_local() ? payload_of(path) : remote_payload(source, path);
    files_.push_back({path, std::move(source), std::move(whole)});
    return at->second;
  }

  /// The samples of the containers `here`, which are at `level`, and of all containers in them.
  std::vector<TreeLevel> read(std::vector<Place> here, int level) {
    std::vector<TreeLevel> out;
    for (; !here.empty(); ++level) {
      if (level >= kMaxLevels) {
        throw FormatError("containers are nested in more than " + std::to_string(kMaxLevels - 1) + " others",
                          {.path = files_[here[0].file].path, .offset = here[0].range.offset, .level = level});
      }
      if (level > 0) check_disjoint(here, files_, level);
      here = add_level(out, here, level);
    }
    return out;
  }

  /// The samples of `places`, and the locations of the containers among them.
  std::vector<Place> add_level(std::vector<TreeLevel>& out, const std::vector<Place>& places, int level) {
    TreeLevel& to = out.emplace_back();
    std::vector<TablePart> parts;
    std::vector<Place> nested;
    for (std::size_t begin = 0; begin < places.size(); begin += kFootersAtOnce) {
      const auto some = std::span(places).subspan(begin, std::min(places.size() - begin, kFootersAtOnce));
      parts.push_back(add_samples(to, some, level, nested));
    }
    to.columns = from_footer_columns(stack_tables(parts));
    return nested;
  }

  /// Adds the samples of `places`, and returns their columns.
  TablePart add_samples(TreeLevel& to, std::span<const Place> places, int level, std::vector<Place>& nested) {
    std::vector<Samples> found(places.size());
    run_parallel(places.size(), jobs_,
                 [&](std::size_t i) { found[i] = read_samples(files_[places[i].file], places[i].range, level); });
    std::vector<TablePart> parts;
    const std::size_t before = to.ids.size();
    for (std::size_t i = 0; i < places.size(); ++i) {
      Samples& samples = found[i];
      const auto count = static_cast<int64_t>(samples.ids.size());
      for (std::size_t k = 0; k < samples.ids.size(); ++k) {
        const bool folder = samples.types[k] == SampleType::Folder;
        if (folder) nested.push_back({places[i].file, samples.ranges[k], static_cast<int64_t>(to.types.size())});
        to.ids.push_back(std::move(samples.ids[k]));
        to.types.push_back(samples.types[k]);
        to.payloads.push_back(folder ? Payload() : part_of(files_[places[i].file].whole, samples.ranges[k]));
      }
      if (level > 0) to.parents.insert(to.parents.end(), samples.ids.size(), places[i].parent);
      parts.push_back({std::move(samples.columns), count});
    }
    return {stack_tables(parts), static_cast<int64_t>(to.ids.size() - before)};
  }

  std::vector<File> files_ = {};
  std::map<std::pair<const Storage*, std::string>, std::size_t> numbers_ = {};  ///< of files
  int jobs_;
};

}  // namespace

Tree tree_of_tortillas(const std::shared_ptr<const Storage>& storage, const std::vector<std::string>& paths, int jobs) {
  return {TreeReader(jobs).read(storage, paths)};
}

std::vector<TreeLevel> levels_below(const std::vector<Nested>& folders, int level, int jobs) {
  return TreeReader(jobs).read(folders, level + 1);
}

}  // namespace tacore::v1
