#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "writer/tree.hpp"

/// FILEs that are read over a network. What is asked for at a time is a few MiB, so that memory stays bounded: by
/// kMaxReaders threads times three buffers of kRemotePiece.
namespace tacore {

/// A request for more takes longer without being any faster.
inline constexpr uint64_t kRemotePiece = 2 << 20;
/// Threads wait for answers: more of them than processors.
inline constexpr int kMaxReaders = 40;

/// Throws ValidationError for less than 1.
void check_max_concurrent_requests(int given);

/// Threads that read, and how many requests each may have at a time, when `limit` (at least 1) is that of all.
struct Readers {
  explicit Readers(int limit);

  int num_threads;
  std::size_t num_ranges;
};

bool has_remote(const Tree& tree);

/// The whole files at `paths`, as FILEs, opened `limit` at a time. What came whole with opening it is held; the others
/// are opened again when they are copied: a million open files would be gigabytes. Throws IoError, also for one that is
/// not there.
std::vector<Payload> remote_payloads(const std::shared_ptr<const Storage>& storage,
                                     const std::vector<std::string>& paths, int limit);
/// All of one file, which stays open and is what its parts (part_of()) are read from.
Payload remote_payload(std::shared_ptr<const ByteSource> source, const std::string& path);

/// The file that a remote FILE is in. Throws IoError, also when it is no longer as long as it was.
std::shared_ptr<const ByteSource> open_remote(const Payload& payload);

/// Some bytes of a remote FILE, from `begin` on, and where they go.
struct RemotePart {
  const Payload* payload = nullptr;
  uint64_t begin = 0;
  std::span<std::byte> out = {};
};

/// Fills all of them. Neighbours in one file, 64 KiB or less apart, come together; of others, and of files to be
/// opened, `num_ranges` at a time. Throws IoError.
void read_remote(std::span<const RemotePart> parts, std::size_t num_ranges);

}  // namespace tacore
