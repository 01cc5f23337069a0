#include "query/level_file_system.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "table/parquet_footer.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// DuckDB reads as many bytes as it guesses the footer has. Bytes before the footer are not used and returned as zeros,
/// which costs neither a read nor the check of a page whose start is missing.
void read_footer(const LevelTable& level, std::span<std::byte> out) {
  const Bytes& tail = level.tail();
  const auto footer = std::span(tail).last(std::min<std::size_t>(footer_size(tail), out.size()));
  std::ranges::fill(out, std::byte{0});
  std::ranges::copy(footer, out.last(footer.size()).begin());
}

struct LevelHandle : duckdb::FileHandle {
  LevelHandle(duckdb::FileSystem& fs, const std::string& name, duckdb::FileOpenFlags how,
              std::shared_ptr<OpenLevel> opened)
      : FileHandle(fs, name, how),
        level(std::move(opened)),
        reader(level->ahead ? level->ahead : level->level->source()) {}
  void Close() override {}

  std::shared_ptr<OpenLevel> level;
  ScanReader reader;
  idx_t position = 0;
};

LevelHandle& at(duckdb::FileHandle& handle) { return static_cast<LevelHandle&>(handle); }

}  // namespace

bool needs_requests(const ByteSource& source) { return !source.has({0, source.size()}); }

OpenLevel::OpenLevel(std::shared_ptr<const LevelTable> what) : level(std::move(what)) {
  const auto& source = level->source();
  if (source->bytes_of_round_trip() > 0 && needs_requests(*source)) ahead = std::make_shared<AheadSource>(source);
}

void OpenLevel::read(ScanReader& reader, uint64_t offset, std::span<std::byte> out) {
  const WorkerInterruption interruption(caller, is_stopped);
  try {
    if (is_stopped) throw QueryError("the call was stopped");
    note_group({offset, out.size()});
    const uint64_t size = level->source()->size();
    if (offset <= size && out.size() == size - offset) return read_footer(*level, out);
    const Bytes& tail = level->tail();
    const uint64_t tail_offset = size - tail.size();
    if (offset >= tail_offset && offset + out.size() <= size) {
      std::memcpy(out.data(), tail.data() + (offset - tail_offset), out.size());
    } else {
      reader.read(scans, offset, out);
    }
    level->check_pages(offset, out);
    hide_filters(hidden_filters, offset, out);
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex);
    failure = std::current_exception();
    throw duckdb::IOException("%s", error.what());
  }
}

void OpenLevel::note_group(ByteRange range) {
  const auto step = scans.empty() ? std::nullopt : scans[0].step_of(range);
  if (!step) return;
  const std::lock_guard lock(mutex);
  groups_read.insert(step->group);
}

std::string LevelFileSystem::publish(const std::shared_ptr<OpenLevel>& level) {
  std::uint64_t random[2];
  if (::getentropy(random, sizeof random) != 0) throw IoError("no random numbers", {}, errno);
  char token[33];
  std::snprintf(token, sizeof token, "%016" PRIx64 "%016" PRIx64, random[0], random[1]);
  std::string path = std::string(kLevelScheme) + token;
  const std::lock_guard lock(mutex_);
  levels_.emplace(path, level);
  return path;
}

void LevelFileSystem::withdraw(const std::string& path) {
  const std::lock_guard lock(mutex_);
  levels_.erase(path);
}

bool LevelFileSystem::OnDiskFile(duckdb::FileHandle& handle) { return at(handle).level->level->source()->is_local(); }

bool LevelFileSystem::FileExists(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) {
  return find(path) != nullptr;
}

duckdb::vector<duckdb::OpenFileInfo> LevelFileSystem::Glob(const std::string& path, duckdb::FileOpener*) {
  if (!find(path)) return {};
  return {duckdb::OpenFileInfo(path)};
}

duckdb::unique_ptr<duckdb::FileHandle> LevelFileSystem::OpenFile(const std::string& path, duckdb::FileOpenFlags flags,
                                                                 duckdb::optional_ptr<duckdb::FileOpener>) {
  auto level = find(path);
  if (!level) throw duckdb::IOException("no level of this statement has that name");
  if (flags.OpenForWriting()) throw duckdb::PermissionException("levels are read-only");
  return duckdb::make_uniq<LevelHandle>(*this, path, flags, std::move(level));
}

void LevelFileSystem::Read(duckdb::FileHandle& handle, void* buffer, int64_t count, idx_t location) {
  LevelHandle& file = at(handle);
  file.level->read(file.reader, location, {static_cast<std::byte*>(buffer), static_cast<std::size_t>(count)});
}

int64_t LevelFileSystem::Read(duckdb::FileHandle& handle, void* buffer, int64_t count) {
  LevelHandle& file = at(handle);
  const int64_t n = std::min<int64_t>(count, GetFileSize(handle) - static_cast<int64_t>(file.position));
  if (n <= 0) return 0;
  Read(handle, buffer, n, file.position);
  file.position += static_cast<idx_t>(n);
  return n;
}

int64_t LevelFileSystem::GetFileSize(duckdb::FileHandle& handle) {
  return static_cast<int64_t>(at(handle).level->level->source()->size());
}

void LevelFileSystem::Seek(duckdb::FileHandle& handle, idx_t location) { at(handle).position = location; }
idx_t LevelFileSystem::SeekPosition(duckdb::FileHandle& handle) { return at(handle).position; }

std::shared_ptr<OpenLevel> LevelFileSystem::find(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = levels_.find(path);
  return found == levels_.end() ? nullptr : found->second;
}

}  // namespace tacore
