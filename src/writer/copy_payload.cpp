#include "writer/copy_payload.hpp"

#include <algorithm>

#include "base/crc32.hpp"
#include "writer/payload_reader.hpp"
#include "writer/work.hpp"

namespace tacore {

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
    // Up to where a block of the disk ends: the next piece begins with one.
    const uint64_t most = kCopyPiece - (begin + done) % kDiskBlock;
    const std::span part = scratch(std::min(most, payload.size - done), begin + done);
    reader.read(part);
    crc = crc32(part, crc);
    file.write(begin + done, part);
    done += part.size();
    tell(part.size());
  }
  reader.finish(crc);
  return crc;
}

}  // namespace tacore
