#include "writer/payload_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "io/open_uninterrupted.hpp"
#include "tacore/error.hpp"
#include "writer/remote_payloads.hpp"

namespace tacore {

PayloadReader::PayloadReader(const Payload& payload) : payload_(payload) {
  if (payload_.held) return;
  if (payload_.is_remote()) {
    source_ = open_remote(payload_);
    return;
  }
  descriptor_ = open_uninterrupted(payload_.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw IoError("cannot open", {.path = payload_.path}, errno);
  if (payload_.offset == 0 || ::lseek(descriptor_, static_cast<off_t>(payload_.offset), SEEK_SET) >= 0) return;
  const int error_number = errno;
  ::close(descriptor_);
  throw IoError("cannot read", {.path = payload_.path, .offset = payload_.offset}, error_number);
}

PayloadReader::~PayloadReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PayloadReader::read(std::span<std::byte> out) {
  if (payload_.held) {
    payload_.held->read(position_, out);
    position_ += out.size();
    return;
  }
  if (source_) {
    if (!out.empty()) source_->read(payload_.offset + position_, out);
    position_ += out.size();
    return;
  }
  while (!out.empty()) {
    const ssize_t count = ::read(descriptor_, out.data(), out.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw IoError("cannot read", {.path = payload_.path, .offset = position_}, errno);
    if (count == 0) {
      throw IoError("the file shrank to " + std::to_string(position_) + " bytes while it was read, from " +
                        std::to_string(payload_.size),
                    {.path = payload_.path});
    }
    position_ += static_cast<uint64_t>(count);
    out = out.subspan(static_cast<std::size_t>(count));
  }
}

uint64_t PayloadReader::skip_hole(uint64_t most) {
  if (payload_.held || source_) return 0;
  const auto position = static_cast<off_t>(payload_.offset + position_);
  off_t data = ::lseek(descriptor_, position, SEEK_DATA);
  if (data < 0 && errno == ENXIO) data = ::lseek(descriptor_, 0, SEEK_END);  // no more data
  const uint64_t hole = data > position ? std::min(most, static_cast<uint64_t>(data - position)) : 0;
  position_ += hole;
  if (::lseek(descriptor_, static_cast<off_t>(payload_.offset + position_), SEEK_SET) < 0) {
    throw IoError("cannot read", {.path = payload_.path, .offset = position_}, errno);
  }
  return hole;
}

void PayloadReader::finish() {
  if (payload_.held || source_ || payload_.part) return;
  std::byte more;
  ssize_t count = -1;
  do {
    count = ::read(descriptor_, &more, 1);
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw IoError("cannot read", {.path = payload_.path, .offset = position_}, errno);
  if (count == 0) return;
  throw IoError("the file grew beyond " + std::to_string(payload_.size) + " bytes while it was read",
                {.path = payload_.path});
}

}  // namespace tacore
