#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "writer/tree.hpp"

/// FILEs that are read over a network. Each request is for a few MiB, so that memory stays bounded by kMaxReaders
/// threads with three buffers of kRemotePiece.
namespace tacore {

/// The size of a request: larger ones take longer and transfer no faster.
inline constexpr uint64_t kRemotePiece = 2 << 20;
/// Threads wait for responses: there are more of them than processors.
inline constexpr int kMaxReaders = 40;

/// Throws ValidationError for a limit below 1.
void check_max_concurrent_requests(int given);

/// The number of threads, and of requests for each, when `limit` (at least 1) is the total number of requests.
struct Readers {
  explicit Readers(int limit);

  int num_threads;
  std::size_t num_ranges;
};

bool has_remote(const Tree& tree);

/// The whole files at `paths` as FILEs, opened `limit` at a time. The bytes of files that were read completely when
/// they were opened are kept; the others are opened again when they are copied, since a million open files would take
/// gigabytes. Throws IoError, also for a missing file.
std::vector<Payload> remote_payloads(const std::shared_ptr<const Storage>& storage,
                                     const std::vector<std::string>& paths, int limit);
/// The whole of one file, which stays open and from which its parts (part_of()) are read.
Payload remote_payload(std::shared_ptr<const ByteSource> source, const std::string& path);

/// Opens the file that a remote FILE is in. Throws IoError, also when its size has changed.
std::shared_ptr<const ByteSource> open_remote(const Payload& payload);

/// Some bytes of a remote FILE, from `begin` on, and their destination.
struct RemotePart {
  const Payload* payload = nullptr;
  uint64_t begin = 0;
  std::span<std::byte> out = {};
};

/// Reads all parts. Those of one file that are 64 KiB or less apart are read in one request; of other parts and of
/// files to be opened, `num_ranges` at a time. Throws IoError.
void read_remote(std::span<const RemotePart> parts, std::size_t num_ranges);

}  // namespace tacore
