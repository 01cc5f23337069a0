#include "writer/whole_payloads.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <tuple>
#include <vector>

#include "base/checked_math.hpp"
#include "base/text.hpp"
#include "io/coalesce.hpp"
#include "io/open_uninterrupted.hpp"
#include "tacore/error.hpp"
#include "writer/payload_reader.hpp"
#include "writer/remote_payloads.hpp"

namespace tacore {
namespace {

/// A local file while parts of it are read.
class LocalFile {
 public:
  explicit LocalFile(const std::string& path)
      : path_(path), descriptor_(open_uninterrupted(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw IoError("cannot open", {.path = path_}, errno);
  }
  ~LocalFile() { ::close(descriptor_); }
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;

  const std::string& path() const noexcept { return path_; }

  /// Fills all of `pieces` with the bytes from `offset` on.
  void read(uint64_t offset, std::span<struct iovec> pieces) const {
    while (!pieces.empty()) {
      const ssize_t count =
          ::preadv(descriptor_, pieces.data(), static_cast<int>(pieces.size()), narrow<off_t>(offset, "offset"));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw IoError("cannot read", {.path = path_, .offset = offset}, errno);
      if (count == 0) {
        throw IoError("the file shrank to " + std::to_string(offset) + " bytes while it was read", {.path = path_});
      }
      offset += static_cast<uint64_t>(count);
      pieces = behind(pieces, static_cast<std::size_t>(count));
    }
  }

 private:
  /// The rest of `pieces` after their first `count` bytes.
  static std::span<struct iovec> behind(std::span<struct iovec> pieces, std::size_t count) {
    while (!pieces.empty() && count >= pieces[0].iov_len) {
      count -= pieces[0].iov_len;
      pieces = pieces.subspan(1);
    }
    if (count > 0) {
      pieces[0].iov_base = static_cast<std::byte*>(pieces[0].iov_base) + count;
      pieces[0].iov_len -= count;
    }
    return pieces;
  }

  const std::string& path_;
  int descriptor_;
};

/// Reads parts of `file`, sorted by offset: the first and its neighbours. Returns the remaining ones.
std::span<const WholePayload> read_neighbours(const LocalFile& file, std::span<const WholePayload> parts) {
  thread_local std::array<std::byte, kLocalCoalesceGap> gap;  // the unwanted bytes between two parts
  std::vector<struct iovec> pieces;
  const uint64_t begin = parts[0].payload->offset;
  uint64_t end = begin;
  std::size_t count = 0;
  for (; count < parts.size() && pieces.size() + 2 <= IOV_MAX; ++count) {
    const auto& [payload, out] = parts[count];
    if (payload->path != file.path() || payload->offset < end || payload->offset - end > kLocalCoalesceGap) break;
    if (payload->offset > end) pieces.push_back({gap.data(), payload->offset - end});
    pieces.push_back({out.data(), out.size()});
    end = payload->offset + out.size();
  }
  file.read(begin, pieces);
  return parts.subspan(count);
}

void read_local(std::vector<WholePayload> parts) {
  const auto place = [](const WholePayload& part) { return std::tie(part.payload->path, part.payload->offset); };
  const auto is_before = [&](const auto& a, const auto& b) { return place(a) < place(b); };
  if (!std::is_sorted(parts.begin(), parts.end(), is_before)) std::sort(parts.begin(), parts.end(), is_before);
  for (std::span<const WholePayload> left = parts; !left.empty();) {
    const LocalFile file(left[0].payload->path);
    while (!left.empty() && left[0].payload->path == file.path()) left = read_neighbours(file, left);
  }
}

}  // namespace

void read_whole(std::span<const WholePayload> files, std::size_t num_ranges) {
  std::vector<RemotePart> remote;
  std::vector<WholePayload> local;
  for (const WholePayload& file : files) {
    const Payload& payload = *file.payload;
    if (payload.is_remote()) {
      remote.push_back({&payload, 0, file.out});
    } else if (payload.part && !payload.held) {
      if (!file.out.empty()) local.push_back(file);
    } else {
      PayloadReader reader(payload);
      reader.read(file.out);
      reader.finish();
    }
  }
  read_remote(remote, num_ranges);
  read_local(std::move(local));
}

void check_crc32(const Tree& tree, int level, int64_t row, uint32_t crc32) {
  const Payload& payload = tree.levels[as_size(level)].payloads[as_size(row)];
  if (!payload.crc32 || *payload.crc32 == crc32) return;
  throw FormatError("sample " + in_quotes(tree.path(level, row)) + " is damaged: " + std::to_string(payload.size) +
                        " bytes have CRC-32 " + std::to_string(crc32) + ", its ZIP says " +
                        std::to_string(*payload.crc32),
                    {.path = payload.path, .offset = payload.offset});
}

}  // namespace tacore
