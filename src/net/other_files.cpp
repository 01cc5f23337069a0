#include "net/other_files.hpp"

#include <cerrno>
#include <functional>
#include <utility>

#include "base/threads.hpp"
#include "io/coalesce.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

/// The results of `make(0)` to `make(count - 1)`, in order; at most `limit` of them run at a time.
template <class T>
std::vector<T> side_by_side(std::size_t count, int limit, std::function<T(std::size_t)> make) {
  OrderedWork<T> work(std::vector<uint64_t>(count, 1), count, limit, std::move(make));
  std::vector<T> out;
  while (auto made = work.next()) out.push_back(std::move(*made));
  return out;
}

/// The result of `body`; its errors name `path` as the user wrote it.
template <class Body>
auto with_path(const std::string& path, const Body& body) {
  try {
    return body();
  } catch (const IoError& error) {
    if (error.context().path == path) throw;
    throw IoError(error.message(), {.path = path, .offset = error.context().offset}, error.error_number());
  }
}

class OtherFile final : public ByteSource {
 public:
  OtherFile(std::string name, std::unique_ptr<RemoteFile> file, int limit)
      : name_(std::move(name)), file_(std::move(file)), limit_(limit) {}

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return file_->size(); }
  bool is_local() const noexcept override { return false; }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    if (!out.empty()) with_path(name_, [&] { file_->read(offset, out); });
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    for (const ByteRange& range : ranges) require_inside(range);
    const auto merged = coalesce(ranges, kRemoteCoalesceGap);
    auto bytes =
        side_by_side<Bytes>(merged.size(), limit_, [&](std::size_t i) { return ByteSource::read(merged[i].range); });
    std::vector<Bytes> out(ranges.size());
    for (std::size_t i = 0; i < merged.size(); ++i) scatter(merged[i], ranges, std::move(bytes[i]), out);
    return out;
  }

 private:
  std::string name_;
  std::unique_ptr<RemoteFile> file_;
  int limit_;
};

}  // namespace

std::shared_ptr<const ByteSource> open_other_file(const RemoteOpener& opener, const std::string& path,
                                                  const RemoteOptions& options) {
  auto file = with_path(path, [&] { return opener.open(to_vsi(path), options); });
  return file ? std::make_shared<OtherFile>(path, std::move(file), options.max_concurrent_requests) : nullptr;
}

std::vector<std::shared_ptr<const ByteSource>> open_other_files(const RemoteOpener& opener,
                                                                std::span<const std::string> paths,
                                                                const RemoteOptions& options) {
  using Source = std::shared_ptr<const ByteSource>;
  return side_by_side<Source>(paths.size(), options.max_concurrent_requests, [&](std::size_t i) -> Source {
    try {
      return open_other_file(opener, paths[i], options);
    } catch (const IoError& error) {
      if (error.error_number() != EACCES) throw;
      return nullptr;
    }
  });
}

}  // namespace tacore::net
