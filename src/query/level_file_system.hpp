#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <duckdb.hpp>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "query/level_scan.hpp"
#include "query/read_ahead.hpp"
#include "table/level_table.hpp"

/// A DuckDB file system of the level tables of running statements. Included by the sources of DuckDB only.
namespace tacore {

/// The prefix of the names of these files.
inline constexpr const char* kLevelScheme = "tacore://";

/// True for a remote file that was not read completely when it was opened.
bool needs_requests(const ByteSource& source);

/// A level that a running statement may read, under a random name that no query can guess.
struct OpenLevel {
  explicit OpenLevel(std::shared_ptr<const LevelTable> what);

  std::shared_ptr<const LevelTable> level;
  std::shared_ptr<AheadSource> ahead;         ///< nullptr for a level that is near
  std::vector<LevelScan> scans;               ///< of a remote level, set before the statement runs
  std::set<int> groups_read = {};             ///< the row groups of which the first scan has read
  std::vector<uint64_t> hidden_filters = {};  ///< Bloom filters of floats, where the statement tests some
  std::mutex mutex;
  const Interruption caller = current_interruption();  ///< of the thread that runs the statement
  std::atomic<bool> is_stopped = false;
  std::exception_ptr failure;  ///< the error of a read; DuckDB keeps only its text

  /// Reads bytes of the level. Throws duckdb::IOException with the text of `failure`.
  void read(ScanReader& reader, uint64_t offset, std::span<std::byte> out);

 private:
  void note_group(ByteRange range);
};

class LevelFileSystem : public duckdb::FileSystem {
 public:
  /// Makes the level readable under the returned name, until withdraw().
  std::string publish(const std::shared_ptr<OpenLevel>& level);
  void withdraw(const std::string& path);

  std::string GetName() const override { return "tacore"; }
  bool CanHandleFile(const std::string& path) override { return path.rfind(kLevelScheme, 0) == 0; }
  bool CanSeek() override { return true; }
  bool OnDiskFile(duckdb::FileHandle& handle) override;
  bool FileExists(const std::string& path, duckdb::optional_ptr<duckdb::FileOpener>) override;
  duckdb::vector<duckdb::OpenFileInfo> Glob(const std::string& path, duckdb::FileOpener*) override;
  duckdb::unique_ptr<duckdb::FileHandle> OpenFile(const std::string& path, duckdb::FileOpenFlags flags,
                                                  duckdb::optional_ptr<duckdb::FileOpener>) override;
  void Read(duckdb::FileHandle& handle, void* buffer, int64_t count, idx_t location) override;
  int64_t Read(duckdb::FileHandle& handle, void* buffer, int64_t count) override;
  int64_t GetFileSize(duckdb::FileHandle& handle) override;
  duckdb::timestamp_t GetLastModifiedTime(duckdb::FileHandle&) override { return duckdb::timestamp_t(0); }
  duckdb::FileType GetFileType(duckdb::FileHandle&) override { return duckdb::FileType::FILE_TYPE_REGULAR; }
  void Seek(duckdb::FileHandle& handle, idx_t location) override;
  idx_t SeekPosition(duckdb::FileHandle& handle) override;

 private:
  std::shared_ptr<OpenLevel> find(const std::string& path);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<OpenLevel>> levels_;
};

}  // namespace tacore
