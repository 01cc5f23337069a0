#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tacore {

// What only Linux has, for the folders above. docs/porting.md names what takes its place elsewhere.

/// Waits until all files below a folder are on the disk: the whole file system is synced, which is faster than one file
/// after another. Throws IoError that names `target`.
void sync_file_system(int folder, const std::string& target);
/// The same, of the folder with this name.
void sync_file_system(const std::string& folder, const std::string& target);

/// Gives the disk space of a range of an open file back, which reads as zeros then. The size of the file stays. A hint:
/// nothing depends on it.
void free_disk_space(int descriptor, uint64_t offset, uint64_t size) noexcept;

/// Asks for large memory pages, where the system offers them: new memory costs a page fault for each page. A hint.
void prefer_large_pages(std::span<std::byte> memory) noexcept;

/// Locks a byte range of an open file against all other open descriptions of it, in this process as well. False when
/// another one has a part of it, nullopt when this file system has no such locks. The range need not exist.
std::optional<bool> try_to_lock_bytes(int descriptor, uint64_t offset, uint64_t size) noexcept;
void unlock_bytes(int descriptor, uint64_t offset, uint64_t size) noexcept;

}  // namespace tacore
