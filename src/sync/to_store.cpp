#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/crc32.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/read_hints.hpp"
#include "container/zip_directory.hpp"
#include "dataset/dataset_impl.hpp"
#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "io/output_file.hpp"
#include "io/public_path.hpp"
#include "model/identifier.hpp"
#include "net/storage.hpp"
#include "sync/progress.hpp"
#include "sync/splitter.hpp"
#include "sync/store.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/sync.hpp"
#include "tacore/plumbing/apart.hpp"

namespace tacore {
namespace {

/// A file is split in segments of this size, each from its own start, so that all threads have work. About two chunks
/// in a thousand differ because of it.
constexpr uint64_t kMaxSegment = 64 << 20;
/// The size of a read.
constexpr std::size_t kWindow = 4 << 20;
/// The number of remote files that are opened in parallel.
constexpr std::size_t kFilesAtOnce = 100;
/// The number of samples by which a dataset is recognised.
constexpr std::size_t kSamplesNamed = 100;
/// Threads wait for responses: there are more of them than processors.
constexpr int kRemoteJobs = 16;

/// A part of a file that is split by itself.
struct Segment {
  std::size_t file = 0;
  std::size_t mean = 0;  ///< mean size of a chunk
  ByteRange range = {};
};

std::size_t mean_chunk(std::string_view name) {
  return name.ends_with(".parquet") || file_name(name) == names::kMeta ? kMeanTableChunk : kMeanChunk;
}

/// Verifies the entries of a ZIP against their CRC-32s while its bytes are read. add() is safe from several threads.
class ZipCheck {
 public:
  /// Throws FormatError where the ZIP has no central directory, or an entry is not where the directory states.
  explicit ZipCheck(const ByteSource& zip) : name_(zip.name()) {
    const zip::Directory where = directory_of(zip);
    entries_ = read_directory(zip, where);
    std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.local_offset, a.size) < std::tie(b.local_offset, b.size);
    });
    std::vector<zip::CentralEntry> fallback;  // with a longer local header, or data behind the payload
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const uint64_t begin = entries_[i].local_offset + zip::kLocalHeaderSize + entries_[i].name.size();
      const uint64_t end = i + 1 < entries_.size() ? entries_[i + 1].local_offset : where.offset;
      payloads_.push_back({begin, entries_[i].compressed_size});
      if ((begin <= end && end - begin == entries_[i].compressed_size) || !entries_[i].is_stored()) continue;
      fallback.push_back(entries_[i]);
      numbers.push_back(i);
    }
    const auto offsets = payload_offsets(zip, fallback, entries_);
    for (std::size_t i = 0; i < numbers.size(); ++i) payloads_[numbers[i]].offset = offsets[i];
    found_ = std::vector<std::atomic<uint32_t>>(entries_.size());
  }

  const std::vector<zip::CentralEntry>& entries() const { return entries_; }
  /// The locations of the bytes of entries.
  const std::vector<ByteRange>& payloads() const { return payloads_; }

  /// Adds bytes of the ZIP from `offset` on; each byte must be added once.
  void add(uint64_t offset, std::span<const std::byte> bytes) {
    const uint64_t end = offset + bytes.size();
    const auto after = std::partition_point(payloads_.begin(), payloads_.end(), [&](const ByteRange& payload) {
      return payload.offset + payload.size <= offset;
    });
    for (auto i = static_cast<std::size_t>(after - payloads_.begin()); i < payloads_.size(); ++i) {
      const ByteRange& own = payloads_[i];
      const uint64_t first = std::max(own.offset, offset), last = std::min(own.offset + own.size, end);
      if (own.offset >= end) break;
      if (first >= last) continue;
      // CRC-32 is linear: a piece counts as if only zeros followed it.
      const uint64_t rest = own.offset + own.size - last;
      found_[i] ^= crc32_zeros(rest, crc32(bytes.subspan(first - offset, last - first))) ^ crc32_zeros(rest, 0);
    }
  }

  /// Call it when all bytes were added. Throws FormatError for a damaged entry.
  void finish() const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const zip::CentralEntry& entry = entries_[i];
      // Writers patch TACO_HEADER, and readers accept its outdated CRC-32.
      if (entry.name == names::kHeader || !entry.is_stored() || found_[i] == entry.crc32) continue;
      throw FormatError("entry " + tacore::in_quotes(entry.name) + " is damaged: " + std::to_string(entry.size) +
                            " bytes have CRC-32 " + std::to_string(found_[i]) + ", the ZIP states " +
                            std::to_string(entry.crc32),
                        {.path = name_, .offset = payloads_[i].offset});
    }
  }

 private:
  std::string name_;
  std::vector<zip::CentralEntry> entries_;    ///< sorted by local_offset
  std::vector<ByteRange> payloads_;           ///< ascending, too
  std::vector<std::atomic<uint32_t>> found_;  ///< CRC-32s of the added bytes
};

struct Input {
  ChunkManifest manifest = {};  ///< without chunks
  std::shared_ptr<const LevelTable> samples = {};
  std::string folder = {};  ///< of its files; "" of a ZIP
  std::shared_ptr<const Storage> storage = {};
  std::shared_ptr<const ByteSource> zip = {};
  std::shared_ptr<ZipCheck> check = {};  ///< of a ZIP
  std::vector<Segment> segments = {};
};

void add_segments(std::vector<Segment>& out, std::size_t file, std::size_t mean, uint64_t begin, uint64_t end) {
  for (; begin < end; begin += kMaxSegment) {
    out.push_back({file, mean, {begin, std::min(kMaxSegment, end - begin)}});
  }
}

Input zip_input(const std::string& path) {
  Input out{.zip = any_storage()->open(path, kReadZip)};
  out.manifest = {.is_zip = true, .files = {{.name = file_name(without_query(path)), .size = out.zip->size()}}};
  out.check = std::make_shared<ZipCheck>(*out.zip);
  uint64_t at = 0;
  for (std::size_t i = 0; i < out.check->entries().size(); ++i) {
    const ByteRange& payload = out.check->payloads()[i];
    // A smaller payload is joined with the headers around it: each chunk is a file. Two entries may share a payload.
    if (payload.size <= kMeanChunk / 4 || payload.offset < at) continue;
    add_segments(out.segments, 0, kMeanChunk, at, payload.offset);
    at = payload.offset + payload.size;
    add_segments(out.segments, 0, mean_chunk(out.check->entries()[i].name), payload.offset, at);
  }
  add_segments(out.segments, 0, kMeanChunk, at, out.zip->size());
  return out;
}

using Files = decltype(ChunkManifest::files);

Files list_folder(const std::string& path) {
  namespace fs = std::filesystem;
  Files files;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      const std::string name = entry.path().lexically_relative(path).generic_string();
      if (entry.is_symlink() || !(entry.is_directory() || entry.is_regular_file())) {
        throw ValidationError("is a link or device; files and folders expected", {.path = entry.path().string()});
      }
      if (!is_utf8(name))
        throw ValidationError("file " + tacore::in_quotes(name) + " has a name that is not UTF-8", {.path = path});
      if (entry.is_regular_file()) files.push_back({.name = name, .size = entry.file_size()});
    }
  } catch (const fs::filesystem_error& error) {
    throw IoError("cannot be listed", {.path = error.path1().string()}, error.code().value());
  }
  return files;
}

/// The files of a remote FOLDER, which cannot be listed.
Files list_remote_folder(const Storage& storage, const Dataset& dataset) {
  const Container& container = *impl_of(dataset)->view().container();
  std::vector<std::string> names{std::string(names::kCollection)};
  for (int level = 0; level < container.num_levels(); ++level) {
    names.push_back(path_join(names::kMetadata, names::kLevelFiles[level]));
    const LevelTable& table = *container.stored_level(level);
    for (int64_t row = 0; row < table.num_rows(); ++row) {
      const RowAddress at = container.address(level, row);
      names.push_back(path_join(names::kData, at.relative_path));
      if (at.type == SampleType::Folder) names.back() = path_join(names.back(), names::kMeta);
    }
  }
  Files files;
  for (std::size_t begin = 0; begin < names.size(); begin += kFilesAtOnce) {
    std::vector<std::string> paths;
    for (std::size_t i = begin; i < std::min(begin + kFilesAtOnce, names.size()); ++i)
      paths.push_back(path_of_name(dataset.path(), names[i]));
    const auto found = storage.open_all(paths);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) throw IoError("cannot open", {.path = paths[i]}, ENOENT);
      files.push_back({.name = names[begin + i], .size = found[i]->size()});
    }
  }
  return files;
}

Input folder_input(const Dataset& dataset) {
  const std::string path(dataset.path());
  Input out{.folder = path, .storage = any_storage()};
  auto& files = out.manifest.files;
  files = is_remote(path) ? list_remote_folder(*out.storage, dataset) : list_folder(path);
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (std::size_t i = 0; i < files.size(); ++i)
    add_segments(out.segments, i, mean_chunk(files[i].name), 0, files[i].size);
  return out;
}

/// The ids of all samples, or of the first ones; ids that are not UTF-8 are left out.
std::vector<std::string> sample_ids(const LevelTable& samples, std::optional<std::size_t> most) {
  std::vector<std::string> out;
  const int id = samples.find(names::kId);
  for (int64_t row = 0; row < samples.num_rows() && (!most || out.size() < *most); ++row) {
    auto text = samples.text(id, row);
    if (text && is_utf8(*text)) out.push_back(std::move(*text));
  }
  return out;
}

Input open_input(const std::string& path) {
  const Dataset dataset = load(path);
  if (dataset.format() == Format::Zip || dataset.format() == Format::Folder) {
    Input out = dataset.format() == Format::Zip ? zip_input(path) : folder_input(dataset);
    out.samples = impl_of(dataset)->view().container()->stored_level(0);
    out.manifest.id = dataset.collection().id;
    out.manifest.samples = sample_ids(*out.samples, kSamplesNamed);
    return out;
  }
  if (is_v1(dataset.format()))
    throw ValidationError("is a dataset before 2.0; a ZIP or FOLDER expected, taco convert makes one", {.path = path});
  throw ValidationError("is an index of datasets; a ZIP or FOLDER expected", {.path = path});
}

/// The dataset in the store under the name of the input, if it is an older version of it: the same id, and at least one
/// common sample. Throws ValidationError for another dataset.
std::optional<ChunkManifest> find_older(const std::string& store, const Input& input, bool overwrite) {
  const std::string path = manifest_path(store, input.manifest.name);
  const auto storage = local_storage();
  if (!storage->exists(path)) return std::nullopt;
  const auto fail = [&](const std::string& what) {
    throw ValidationError("has another dataset called " + tacore::in_quotes(input.manifest.name) + ", " + what +
                              "; STORE/NAME stores this one under another name, overwrite replaces the old one",
                          {.path = store});
  };
  std::optional<ChunkManifest> older;
  try {
    const Bytes text = storage->open(path)->read_all();
    older = parse_manifest({reinterpret_cast<const char*>(text.data()), text.size()}, kMaxChunk, path);
  } catch (const FormatError&) {
    if (!overwrite) throw;
    return ChunkManifest{};
  }
  if (overwrite) return older;
  if (older->name.empty()) fail("whose manifest has no name and id to compare");
  if (older->id != input.manifest.id)
    fail("with the id " + tacore::in_quotes(older->id) + " instead of " + tacore::in_quotes(input.manifest.id));
  const std::set<std::string> known(older->samples.begin(), older->samples.end());
  const auto ids = sample_ids(*input.samples, std::nullopt);
  if (std::ranges::none_of(ids, [&](const auto& id) { return known.contains(id); }))
    fail("with the same id, but without any sample in common among its first " + std::to_string(known.size()));
  return older;
}

/// Splits the parts of an input and stores the chunks that the store lacks.
class Putter {
 public:
  Putter(const Input& input, StoreWriter& store, const std::string& path, const SyncOptions& options)
      : input_(input), store_(store), progress_(options, input.manifest.size(), path) {}

  std::vector<Chunk> split(const Segment& segment) {
    const auto source = open(segment.file);
    std::vector<Chunk> out;
    const std::span window = scratch(std::min<uint64_t>(kWindow, segment.range.size));
    std::size_t num_held = 0;
    for (uint64_t at = segment.range.offset, end = at + segment.range.size; at < end || num_held > 0;) {
      const std::size_t more = std::min<uint64_t>(window.size() - num_held, end - at);
      source->read(at, window.subspan(num_held, more));
      if (input_.check) input_.check->add(at, window.subspan(num_held, more));
      at += more;
      num_held += more;
      std::span<const std::byte> bytes = window.first(num_held);
      while (bytes.size() >= kMaxChunk || (at == end && !bytes.empty())) {
        const std::size_t size = first_chunk(bytes, segment.mean);
        out.push_back(put(bytes.first(size)));
        bytes = bytes.subspan(size);
      }
      std::memmove(window.data(), bytes.data(), bytes.size());
      num_held = bytes.size();
    }
    return out;
  }

  SyncResult result() const {
    return {.num_chunks_moved = chunks_moved_,
            .num_bytes_moved = bytes_moved_,
            .num_chunks_reused = chunks_there_,
            .num_bytes_reused = bytes_there_};
  }

 private:
  std::shared_ptr<const ByteSource> open(std::size_t number) const {
    const auto& file = input_.manifest.files[number];
    if (input_.zip) return input_.zip;
    auto out = input_.storage->open(path_of_name(input_.folder, file.name), hint_of(file.name));
    if (out->size() == file.size) return out;
    throw IoError(
        "has " + std::to_string(out->size()) + " bytes, but had " + std::to_string(file.size) + " when the sync began",
        {.path = out->name()});
  }

  Chunk put(std::span<const std::byte> bytes) {
    const Chunk out{.hash = sha256(bytes), .size = static_cast<uint32_t>(bytes.size())};
    const bool is_new = store_.put(out.hash, bytes);
    ++(is_new ? chunks_moved_ : chunks_there_);
    (is_new ? bytes_moved_ : bytes_there_) += bytes.size();
    progress_.add(bytes.size());
    return out;
  }

  const Input& input_;
  StoreWriter& store_;
  SyncProgress progress_;
  std::atomic<uint64_t> chunks_moved_ = 0, bytes_moved_ = 0, chunks_there_ = 0, bytes_there_ = 0;
};

}  // namespace

SyncResult sync_to_store(const std::string& dataset, const std::string& store, const SyncOptions& options) {
  const std::string from = without_slashes(dataset);
  if (find_store(from)) throw ValidationError("is in a chunk store; a dataset expected", {.path = from});
  Input input = open_input(from);
  StorePath to = find_store(store).value_or(StorePath{});
  require_apart(to.store.empty() ? store : to.store, {from});
  const std::string name = to.name.empty() ? file_name(without_query(from)) : to.name;
  if (const auto why = why_unsafe_id(name); !why.empty()) {
    throw ValidationError(
        "the dataset's name would be " + tacore::in_quotes(name) + ", which " + why + "; STORE/NAME expected",
        {.path = store});
  }
  if (to.store.empty()) {
    to.store = without_slashes(store);
    if (is_zip_name(to.store)) {
      throw ValidationError(
          "is the name of a dataset, but one of the two paths must be a chunk store; `taco convert` makes a ZIP of a "
          "FOLDER",
          {.path = store});
    }
    make_store(to.store);
  }
  input.manifest.name = name;
  SyncProgress waiting(options, input.manifest.size(), to.store);
  StoreWriter writer(to.store, [&] { waiting.add(0); });
  const auto older = find_older(to.store, input, options.overwrite);
  Putter putter(input, writer, to.store, options);
  std::vector<std::vector<Chunk>> chunks(input.segments.size());
  try {
    run_parallel(chunks.size(), is_remote(from) ? kRemoteJobs : num_threads(options.task.jobs),
                 [&](std::size_t i) { chunks[i] = putter.split(input.segments[i]); });
    if (input.check) input.check->finish();
  } catch (...) {
    try {
      writer.commit();          // the next run continues from here
    } catch (const IoError&) {  // the first error is reported
    }
    throw;
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    auto& all = input.manifest.files[input.segments[i].file].chunks;
    all.insert(all.end(), chunks[i].begin(), chunks[i].end());
  }
  writer.publish(name, input.manifest);
  SyncResult out = putter.result();
  if (older && older->identity() != input.manifest.identity()) out.replaced = name;
  return out;
}

}  // namespace tacore
