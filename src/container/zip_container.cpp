#include "container/zip_container.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "container/container.hpp"
#include "container/read_hints.hpp"
#include "container/zip_directory.hpp"
#include "container/zip_offsets.hpp"
#include "format/names.hpp"
#include "format/taco_header.hpp"
#include "io/document.hpp"
#include "io/prefetched_source.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "net/http_file.hpp"

namespace tacore {
namespace {

class ZipContainer : public Container {
 public:
  ZipContainer(std::shared_ptr<const ByteSource> source, const std::string& path, Collection collection,
               std::vector<std::shared_ptr<const LevelTable>> levels, bool verify)
      : Container(path, std::move(collection), std::move(levels)),
        source_(std::move(source)),
        root_(to_vsi(path)),
        verify_(verify) {}

  Format format() const noexcept override { return Format::Zip; }

  std::optional<uint64_t> file_size() const override { return source_->size(); }

  std::string file_version() const override {
    const std::string size = std::to_string(source_->size());
    const auto* remote = dynamic_cast<const net::HttpSource*>(&without_prefetched(*source_));
    if (remote) return size + ' ' + remote->copy_validator();
    if (!source_->is_local()) return size;
    const zip::Directory directory = directory_of(*source_);  // it has the CRC-32 of each entry
    return size + ' ' + hex(sha256(source_->read({directory.offset, directory.size})));
  }

  RowAddress proved(RowAddress row) const override {
    if (row.is_proved || !row.offset || !row.size) return row;
    const ByteRange place = prove_place(*source_, *proofs_, entry_of(row, path()));
    row.offset = static_cast<int64_t>(place.offset);
    row.size = static_cast<int64_t>(place.size);
    row.is_proved = true;
    return row;
  }

  std::string vsi_path(const RowAddress& row) const override { return vsi_subfile(range_of(row), root_); }

  std::string vsi_sql(int) const override { return subfile_sql(sql_literal("," + root_)); }

  std::shared_ptr<const ByteSource> open_data(const RowAddress& row) const override {
    return verify_ ? open_sample(source_, proofs_, entry_of(row, path())) : slice(source_, range_of(row));
  }

  std::shared_ptr<const LevelTable> open_meta(const RowAddress& row, int level) const override {
    return open_meta_table(open_data(row), where(level + 1));
  }

 private:
  ByteRange range_of(const RowAddress& row) const {
    const ByteRange out = place_of(row, path());
    const uint64_t size = source_->size();
    if (out.offset <= size && out.size <= size - out.offset) return out;
    throw FormatError("sample " + in_quotes(row.id) + ": " + std::to_string(*row.size) + " bytes at " +
                          std::to_string(*row.offset) + " are outside of the file of " + std::to_string(size) +
                          " bytes",
                      {.path = path()});
  }

  std::shared_ptr<const LevelTable> repair(int level, bool& is_proved) const override {
    const auto& table = stored_level(level);
    // Published files have wrong offsets in deeper levels only, so that level 0 is not worth a request.
    std::shared_ptr<const ZipDirectory> directory;
    std::string why = "the central directory is on a server";
    try {
      directory = level == 0 ? proofs_->directory_at_hand(*source_) : proofs_->small_directory(*source_);
    } catch (const FormatError& error) {
      why = error.message();
    }
    is_proved = directory != nullptr;
    if (!is_proved) {
      // In a local ZIP, the local header verifies each path.
      if (!source_->is_local()) warn_unproved(*table, why);
      return nullptr;
    }
    return with_proved_places(
        *table, [&](int64_t row) { return relative_path(level, row); },
        [&](const std::string&) {
          return OpenDirectory{source_, directory};
        },
        is_proved);
  }

  std::shared_ptr<const ByteSource> source_;
  std::shared_ptr<const ZipProofs> proofs_ = std::make_shared<const ZipProofs>(true);
  std::string root_;
  bool verify_;
};

/// The content of TACO_HEADER, derived from the central directory: for archives that a general ZIP tool wrote or
/// rewrote.
taco_header::Header header_from_directory(const ByteSource& source, const std::string& path) {
  const auto all = read_directory(source);
  auto entries = all;
  std::erase_if(entries,
                [](const auto& e) { return e.name != names::kCollection && !e.name.starts_with(names::kMetadata); });
  const auto offsets = payload_offsets(source, entries, all);
  const auto find = [&](const std::string& name) -> std::optional<ByteRange> {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].name != name) continue;
      if (entries[i].method != 0) {
        throw FormatError("entry " + in_quotes(name) + " is compressed (method " + std::to_string(entries[i].method) +
                              "), stored expected",
                          {.path = path, .offset = entries[i].local_offset});
      }
      return ByteRange{offsets[i], entries[i].size};
    }
    return std::nullopt;
  };
  taco_header::Header out;
  const auto collection = find(std::string(names::kCollection));
  if (!collection) throw FormatError("not a TACO dataset: the ZIP has no COLLECTION.json", {.path = path});
  out.collection = *collection;
  for (const auto file : names::kLevelFiles) {
    const auto level = find(std::string(names::kMetadata).append(file));
    if (!level) break;
    out.levels.push_back(*level);
  }
  if (out.levels.empty())
    throw FormatError("not a TACO dataset: the ZIP has no METADATA/level0.parquet", {.path = path});
  return out;
}

/// The last bytes of a remote file that were read when it was opened. Nothing where its first bytes were read instead.
std::optional<ByteRange> end_at_hand(const ByteSource& source) {
  const uint64_t size = std::min(source.size(), kReadZip.suffix);
  const ByteRange end{source.size() - size, size};
  const bool has_head = source.is_local() || source.has({0, std::min(source.size(), taco_header::kSize)});
  return has_head || !source.has(end) ? std::nullopt : std::optional(end);
}

/// The content of TACO_HEADER, derived from the end of the central directory, where the entries of the metadata are.
/// nullopt where they are not found there: then the header is read.
std::optional<taco_header::Header> header_from_end(const ByteSource& source) {
  const auto end = end_at_hand(source);
  if (!end) return std::nullopt;
  const Bytes tail = source.read(*end);
  zip::Directory directory;
  std::vector<zip::CentralEntry> entries;
  try {
    directory = zip::find_directory(tail, end->offset);
    const uint64_t begin = std::max(directory.offset, end->offset), stop = directory.offset + directory.size;
    if (begin >= stop) return std::nullopt;
    const auto bytes = std::span(tail).subspan(begin - end->offset, stop - begin);
    entries = begin == directory.offset ? zip::parse_directory(bytes, directory) : zip::last_entries(bytes, directory);
  } catch (const FormatError&) {
    return std::nullopt;
  }
  const auto find = [&](const std::string& name) -> std::optional<ByteRange> {
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name == name; });
    if (entry == entries.end() || entry->method != 0) return std::nullopt;
    // The payload ends where the next entry begins.
    uint64_t next = directory.offset;
    for (const auto& other : entries) {
      if (other.local_offset > entry->local_offset) next = std::min(next, other.local_offset);
    }
    const uint64_t header = zip::kLocalHeaderSize + name.size(), room = next - entry->local_offset;
    if (room < header + entry->size || room > header + entry->size + zip::kFullZip64ExtraSize) return std::nullopt;
    return ByteRange{next - entry->size, entry->size};
  };
  taco_header::Header out;
  const auto collection = find(std::string(names::kCollection));
  if (!collection) return std::nullopt;
  out.collection = *collection;
  std::size_t num_levels = 0;
  for (const auto& entry : entries) num_levels += entry.name.starts_with(names::kMetadata) ? 1 : 0;
  for (std::size_t k = 0; k < num_levels; ++k) {
    const auto level = k < std::size(names::kLevelFiles)
                           ? find(std::string(names::kMetadata).append(names::kLevelFiles[k]))
                           : std::nullopt;
    if (!level) return std::nullopt;
    out.levels.push_back(*level);
  }
  return out.levels.empty() ? std::nullopt : std::optional(out);
}

/// Whether the local headers in front of the level tables that `header` lists belong to these tables. One read; a
/// remote file is only checked where these bytes are in memory.
bool is_of_its_tables(const ByteSource& source, const taco_header::Header& header) {
  std::vector<std::string> files;
  std::vector<ByteRange> rooms;
  for (std::size_t k = 0; k < std::min(header.levels.size(), std::size(names::kLevelFiles)); ++k) {
    files.push_back(std::string(names::kMetadata).append(names::kLevelFiles[k]));
    const uint64_t begin = header.levels[k].offset;
    const uint64_t size = std::min(begin, zip::kLocalHeaderSize + files.back().size() + zip::kFullZip64ExtraSize);
    if (!source.is_local() && !source.has({begin - size, size})) return true;
    rooms.push_back({begin - size, size});
  }
  const auto found = source.read_ranges(rooms);
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!zip::local_header_before(found[k], files[k])) return false;
  }
  return true;
}

Bytes read_head(const ByteSource& source) { return source.read({0, std::min(source.size(), taco_header::kSize)}); }

struct Opened {
  Collection collection;
  std::vector<std::shared_ptr<const LevelTable>> levels;
};

Opened open_parts(const std::shared_ptr<const ByteSource>& source, const taco_header::Header& header,
                  const std::string& path) {
  if (log_level() == LogLevel::Debug) {
    for (std::size_t k = 0; k < header.levels.size(); ++k) {
      log::debug(path + ": level " + std::to_string(k) + " is " + std::to_string(header.levels[k].size) + " bytes at " +
                 std::to_string(header.levels[k].offset));
    }
  }
  check_document_size(header.collection, path);
  const auto near = with_metadata(source, header.collection, header.levels);
  const Bytes text = near->read(header.collection);
  Opened out;
  out.collection = parse_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path);
  for (std::size_t k = 0; k < header.levels.size(); ++k) {
    out.levels.push_back(
        LevelTable::open(slice(near, header.levels[k]), {.path = path, .offset = {}, .level = static_cast<int>(k)}));
  }
  check_levels(out.collection, out.levels.size(), path);
  return out;
}

/// Calls `open` with the ranges of the metadata: by the end of the file, if that was read on opening and the beginning
/// was not, else by TACO_HEADER, or, where that is absent or stale, by the central directory. A malformed header is an
/// error. When both ways fail, the first error is thrown.
template <class Open>
auto open_by_header(const ByteSource& source, const std::string& path, bool with_tables, const Open& open) {
  if (const auto header = header_from_end(source)) {
    try {
      return open(*header);
    } catch (const FormatError&) {  // opening by the header reports it
    }
  }
  const Bytes head = read_head(source);
  if (!taco_header::is_header(head)) {
    if (head.size() < 4 || head[0] != std::byte{'P'} || head[1] != std::byte{'K'}) {
      throw FormatError("not a ZIP: starts with " + in_quotes({reinterpret_cast<const char*>(head.data()),
                                                               std::min<std::size_t>(head.size(), 4)}),
                        {.path = path, .offset = 0});
    }
    return open(header_from_directory(source, path));
  }
  taco_header::Header header;
  try {
    header = taco_header::parse(head, source.size());
  } catch (const FormatError& error) {
    throw FormatError(error.message(), {.path = path, .offset = error.context().offset});
  }
  if (!header.crc_ok) log::warning(path + ": TACO_HEADER does not match its CRC-32");
  // The ranges of the central directory, where they differ.
  const auto other = [&]() -> std::optional<taco_header::Header> {
    try {
      auto found = header_from_directory(source, path);
      if (found.levels == header.levels && found.collection == header.collection) return std::nullopt;
      log::warning(path + ": TACO_HEADER is stale; the central directory is used");
      return found;
    } catch (const FormatError&) {
      return std::nullopt;
    }
  };
  if (with_tables && !is_of_its_tables(source, header)) {
    if (const auto found = other()) return open(*found);
  }
  try {
    return open(header);
  } catch (const FormatError&) {
    const auto found = other();
    if (!found) throw;
    return open(*found);
  }
}

}  // namespace

bool ends_as_zip(const ByteSource& source) {
  const auto end = end_at_hand(source);
  if (!end) return false;
  try {
    zip::find_directory(source.read(*end), end->offset);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

std::shared_ptr<Container> open_zip(std::shared_ptr<const ByteSource> source, const std::string& path, bool verify) {
  auto opened = open_by_header(*source, path, true,
                               [&](const taco_header::Header& header) { return open_parts(source, header, path); });
  return std::make_shared<ZipContainer>(std::move(source), path, std::move(opened.collection), std::move(opened.levels),
                                        verify);
}

std::vector<ByteRange> ranges_of_rows(const ByteSource& zip, const std::string& path) {
  auto out = open_by_header(zip, path, false, [&](const taco_header::Header& header) {
    std::vector<ByteRange> ranges = header.levels;
    ranges.push_back(header.collection);
    return ranges;
  });
  const bool is_nested = out.size() > 2;
  if (const ByteRange head{0, std::min(zip.size(), kReadZip.prefix)}; zip.has(head)) out.push_back(head);
  const auto end = end_at_hand(zip);
  if (!end) return out;
  out.push_back(*end);
  try {
    const zip::Directory directory = zip::find_directory(zip.read(*end), end->offset);
    if (is_nested && directory.size <= ZipProofs::kSmallDirectory) out.push_back({directory.offset, directory.size});
  } catch (const FormatError&) {  // reading the directory reports it
  }
  return out;
}

Collection read_zip_collection(const std::shared_ptr<const ByteSource>& source, const std::string& path) {
  return open_by_header(*source, path, false, [&](const taco_header::Header& header) {
    const Bytes text = read_document(*source, header.collection);
    return parse_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path);
  });
}

}  // namespace tacore
