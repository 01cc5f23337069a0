#include "writer/copy_payload.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/crc32.hpp"
#include "base/threads.hpp"
#include "io/output_file.hpp"
#include "writer/payload_reader.hpp"
#include "writer/remote_payloads.hpp"

namespace tacore {
namespace {

struct RemotePiece {
  std::size_t copy = 0;
  uint64_t begin = 0, size = 0;
};

/// The file of a RemoteCopy while its pieces are read, all from the same version of the file.
class OpenCopy {
 public:
  void read(const Payload& payload, uint64_t begin, std::span<std::byte> out) {
    std::call_once(opened_, [&] { source_ = open_remote(payload); });
    source_->read(payload.offset + begin, out);
  }
  void add_piece() { ++num_left_; }
  void end_piece() {
    if (--num_left_ == 0) source_ = nullptr;
  }

 private:
  std::once_flag opened_ = {};
  std::shared_ptr<const ByteSource> source_ = {};
  std::atomic<std::size_t> num_left_ = 0;
};

/// Each piece but the last ends at a disk block.
std::vector<RemotePiece> remote_pieces(std::span<const RemoteCopy> copies) {
  std::vector<RemotePiece> out;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const uint64_t size = copies[i].payload->size;
    for (uint64_t begin = 0; begin < size;) {
      const uint64_t most = kRemotePiece - (copies[i].begin + begin) % kDiskBlock;
      out.push_back({i, begin, std::min(most, size - begin)});
      begin += out.back().size;
    }
  }
  return out;
}

}  // namespace

std::vector<std::size_t> pieces_of(std::size_t count, const std::function<uint64_t(std::size_t)>& size) {
  std::vector<std::size_t> begins;
  uint64_t together = kCopyPiece;
  for (std::size_t i = 0; i < count; ++i) {
    const uint64_t more = size(i);
    if (together >= kCopyPiece || more >= kCopyPiece) {
      begins.push_back(i);
      together = 0;
    }
    together += more;
  }
  begins.push_back(count);
  return begins;
}

uint32_t copy_payload(const Payload& payload, const OutputFile& file, uint64_t begin,
                      const std::function<void(uint64_t num_bytes)>& tell) {
  PayloadReader reader(payload);
  uint32_t crc = 0;
  for (uint64_t done = 0; done < payload.size;) {
    if (const uint64_t hole = reader.skip_hole(payload.size - done); hole > 0) {
      crc = crc32_zeros(hole, crc);
      done += hole;
      tell(hole);
      continue;
    }
    // Up to the end of a disk block: the next piece begins with a block.
    const uint64_t most = kCopyPiece - (begin + done) % kDiskBlock;
    const std::span part = scratch(std::min(most, payload.size - done), begin + done);
    reader.read(part);
    crc = crc32(part, crc);
    file.write(begin + done, part);
    done += part.size();
    tell(part.size());
  }
  reader.finish();
  return crc;
}

std::vector<uint32_t> copy_remote(
    std::span<const RemoteCopy> copies, int limit,
    const std::function<void(std::size_t i, uint64_t offset, std::span<const std::byte> bytes)>& write) {
  const std::vector<RemotePiece> pieces = remote_pieces(copies);
  std::vector<uint32_t> crcs(pieces.size());
  std::vector<OpenCopy> files(copies.size());
  for (const RemotePiece& piece : pieces) files[piece.copy].add_piece();
  run_parallel(pieces.size(), Readers(limit).num_threads, [&](std::size_t i) {
    const auto& [copy, begin, size] = pieces[i];
    const uint64_t target = copies[copy].begin + begin;
    const std::span bytes = scratch(size, target);
    files[copy].read(*copies[copy].payload, begin, bytes);
    files[copy].end_piece();
    crcs[i] = crc32(bytes);
    write(copy, target, bytes);
  });
  std::vector<uint32_t> out(copies.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    uint32_t& crc = out[pieces[i].copy];
    // CRC-32 is linear: a piece counts as if only zeros came before it.
    crc = crc32_zeros(pieces[i].size, crc) ^ crc32_zeros(pieces[i].size, 0) ^ crcs[i];
  }
  return out;
}

}  // namespace tacore
