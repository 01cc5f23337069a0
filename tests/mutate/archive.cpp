#include "archive.hpp"

#include <algorithm>
#include <set>

#include "base/crc32.hpp"
#include "bytes.hpp"
#include "format/names.hpp"
#include "format/tacocat_header.hpp"
#include "io/memory_source.hpp"
#include "container/zip_directory.hpp"
#include "table/level_table.hpp"
#include "thrift.hpp"
#include "tortilla/footer_columns.hpp"
#include "tortilla/header.hpp"

namespace tacore::mutate {
namespace {

constexpr uint64_t kPairs = 45;            // of TACO_HEADER
constexpr uint64_t kTacocatPairs = 16;     // of a __TACOCAT__ header
constexpr uint64_t kTacocatCollection = 112;

Archive open_zip(const File& file) {
  Archive out{.form = Archive::Form::Zip};
  const auto source = memory_source(file.path, file.bytes);
  const auto entries = read_directory(*source);
  const auto offsets = payload_offsets(*source, entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const uint64_t at = entries[i].record_offset;
    const uint64_t variable = get(file.bytes, at + 28, 2) + get(file.bytes, at + 30, 2) + get(file.bytes, at + 32, 2);
    out.parts.push_back({entries[i].name, offsets[i], entries[i].size, entries[i].local_offset, at, 46 + variable});
  }
  const std::string text = to_text(file.bytes);
  out.end = text.rfind("PK\5\6");
  out.directory = entries.front().record_offset;
  out.directory_end = out.parts.back().central + out.parts.back().central_size;
  std::stable_sort(out.parts.begin(), out.parts.end(), [](const Part& a, const Part& b) { return a.local < b.local; });
  return out;
}

Archive open_tacocat(const File& file) {
  Archive out{.form = Archive::Form::Tacocat};
  const auto header = tacocat_header::parse(file.bytes, file.bytes.size());
  for (std::size_t k = 0; k < header.levels.size(); ++k) {
    out.parts.push_back({std::string(names::kLevelFiles[k]), header.levels[k].offset, header.levels[k].size});
  }
  out.parts.push_back({std::string(names::kCollection), header.collection.offset, header.collection.size});
  return out;
}

/// A container of a Tortilla file, and those in it; `above` is the path of its sample, with a slash.
void add_tortilla(const File& file, const std::string& above, const ByteRange& range, Archive& out) {
  const auto source = slice(memory_source(file.path, file.bytes), range);
  const Bytes head = source->read({0, v1::kHeaderSize});
  const v1::Header header = v1::parse_header(head, range.size, range.offset);
  out.parts.push_back({above + "header", range.offset, v1::kHeaderSize});
  const auto table = LevelTable::open(slice(source, header.footer), {}, [&](const std::vector<Column>& stored) {
    return v1::footer_columns(stored, static_cast<int64_t>(range.offset), header.file_format, {});
  });
  for (int64_t row = 0; row < table->num_rows(); ++row) {
    const std::string path = above + *table->text(table->find(names::kId), row);
    const ByteRange sample{static_cast<uint64_t>(*table->integer(table->find(names::kOffset), row)),
                           static_cast<uint64_t>(*table->integer(table->find(names::kSize), row))};
    const bool folder = table->text(table->find(names::kType), row) == "FOLDER";
    if (folder) add_tortilla(file, path + "/", sample, out);
    else out.parts.push_back({path, sample.offset, sample.size});
  }
  out.parts.push_back({above + std::string(names::kLevelFiles[0]), range.offset + header.footer.offset, header.footer.size});
  if (header.collection) {
    out.parts.push_back({above + std::string(names::kCollection), range.offset + header.collection->offset,
                         header.collection->size});
  }
}

Archive open_tortilla(const File& file) {
  Archive out{.form = Archive::Form::Tortilla};
  add_tortilla(file, "", {0, file.bytes.size()}, out);
  return out;
}

/// The table or document at the end of a file: lengths and offsets of its header follow.
Bytes resize_tortilla(const File& file, const Part& part, const Bytes& payload) {
  constexpr uint64_t kFooterSize = 10, kCollection = 26, kCollectionSize = 34;
  Bytes out = spliced(file.bytes, part.begin, part.size, payload);
  const bool is_table = get(file.bytes, kFooterSize - 8, 8) == part.begin;
  put(out, is_table ? kFooterSize : kCollectionSize, 8, payload.size());
  const uint64_t collection = get(file.bytes, kCollection, 8);
  if (is_table && collection > 0) put(out, kCollection, 8, collection + payload.size() - part.size);
  return out;
}

void patch_crc(Bytes& bytes, uint64_t local, uint64_t central, uint64_t payload, uint64_t size) {
  const uint32_t crc = crc32(std::span(bytes).subspan(payload, size));
  put(bytes, local + 14, 4, crc);
  put(bytes, central + 16, 4, crc);
}

/// Offsets of TACO_HEADER that point behind `from` move by `by`; the range that starts at `from` gets `size`.
void move_header(Bytes& bytes, const Archive& archive, uint64_t from, int64_t by, uint64_t size) {
  const auto header =
      std::find_if(archive.parts.begin(), archive.parts.end(), [](const Part& p) { return p.name == names::kHeader; });
  if (header == archive.parts.end()) return;
  for (uint64_t i = 0; i < get(bytes, kPairs - 4, 1); ++i) {
    const uint64_t at = kPairs + 16 * i, offset = get(bytes, at, 8);
    if (offset == from) put(bytes, at + 8, 8, size);
    if (offset > from) put(bytes, at, 8, offset + static_cast<uint64_t>(by));
  }
  const uint64_t central = header->central + static_cast<uint64_t>(by);
  patch_crc(bytes, header->local, central, header->begin, header->size);
}

Bytes resize_zip(const File& file, const Archive& archive, const Part& part, const Bytes& payload) {
  const int64_t by = static_cast<int64_t>(payload.size()) - static_cast<int64_t>(part.size);
  const auto moved = [&](uint64_t at) { return at + static_cast<uint64_t>(by); };
  Bytes out = spliced(file.bytes, part.begin, part.size, payload);
  for (const uint64_t at : {part.local + 18, part.local + 22, moved(part.central) + 20, moved(part.central) + 24}) {
    put(out, at, 4, payload.size());
  }
  for (const Part& other : archive.parts) {
    if (other.local > part.local) put(out, moved(other.central) + 42, 4, moved(other.local));
  }
  put(out, moved(archive.end) + 16, 4, moved(archive.directory));
  move_header(out, archive, part.begin, by, payload.size());
  patch_crc(out, part.local, moved(part.central), part.begin, payload.size());
  return out;
}

Bytes resize_tacocat(const File& file, const Archive& archive, const Part& part, const Bytes& payload) {
  const uint64_t by = payload.size() - part.size;
  Bytes out = spliced(file.bytes, part.begin, part.size, payload);
  for (std::size_t i = 0; i < archive.parts.size(); ++i) {
    const bool last = i + 1 == archive.parts.size();
    const uint64_t at = last ? kTacocatCollection : kTacocatPairs + 16 * i;
    if (archive.parts[i].begin == part.begin) put(out, at + 8, 8, payload.size());
    if (archive.parts[i].begin > part.begin) put(out, at, 8, archive.parts[i].begin + by);
  }
  return out;
}

/// Where column chunks lie: fields 9 and 11 (first data and dictionary page) and 7 (bytes) of ColumnMetaData, which is
/// three structures below the footer.
struct Chunk {
  uint64_t begin = 0;
  uint64_t size = 0;
};
std::vector<Chunk> chunks_of(const ThriftStruct& footer) {
  constexpr int kDepth = 3;
  std::vector<Chunk> out;
  Chunk now;
  for (const auto& n : footer.numbers) {
    if (n.depth != kDepth || n.sort != ThriftNumber::Sort::Integer) continue;
    const auto value = static_cast<uint64_t>(n.value);
    if (n.field == 7) now.size = value;
    if (n.field == 9) out.push_back({value, now.size});
    if (n.field == 11 && value > 0 && !out.empty()) out.back().begin = std::min(out.back().begin, value);
  }
  return out;
}

}  // namespace

Archive open_archive(const File& file) {
  if (tacocat_header::is_header(file.bytes)) return open_tacocat(file);
  if (to_text(file.bytes).starts_with("PK")) return open_zip(file);
  if (v1::is_header(file.bytes)) return open_tortilla(file);
  return {.parts = {{file.path, 0, file.bytes.size()}}};
}

bool can_resize(const Archive& archive, const Part& part) {
  if (archive.form == Archive::Form::Tortilla) return part.name.find('/') == part.name.npos;
  if (archive.form != Archive::Form::Zip) return true;
  // ZIP64 records would have to move and be renamed too.
  if (archive.directory_end != archive.end) return false;
  return std::all_of(archive.parts.begin(), archive.parts.end(), [&](const Part& other) {
    return other.local < part.local || !other.name.starts_with(names::kData);
  });
}

Bytes replace_part(const File& file, const Archive& archive, const Part& part, const Bytes& payload) {
  if (archive.form == Archive::Form::Plain) return payload;
  if (archive.form == Archive::Form::Tacocat) return resize_tacocat(file, archive, part, payload);
  if (archive.form == Archive::Form::Tortilla) return resize_tortilla(file, part, payload);
  if (payload.size() != part.size) return resize_zip(file, archive, part, payload);
  Bytes out = spliced(file.bytes, part.begin, part.size, payload);
  patch_crc(out, part.local, part.central, part.begin, part.size);
  return out;
}

bool is_table(const std::string& name) { return name.ends_with(".parquet") || name.ends_with(names::kMeta); }

Table open_table(const Bytes& bytes) {
  Table out;
  out.footer_size = get(bytes, bytes.size() - 8, 4);
  out.footer = bytes.size() - 8 - out.footer_size;
  for (const Chunk& chunk : chunks_of(walk_thrift(bytes, out.footer))) {
    for (uint64_t at = chunk.begin; at < chunk.begin + chunk.size;) {
      const ThriftStruct header = walk_thrift(bytes, at);
      Page page{at, header.size, 0};
      for (const auto& n : header.numbers) {
        if (n.depth == 0 && n.field == 3) page.body_size = static_cast<uint64_t>(n.value);  // compressed_page_size
      }
      out.pages.push_back(page);
      at += page.header_size + page.body_size;
    }
  }
  return out;
}

}  // namespace tacore::mutate
