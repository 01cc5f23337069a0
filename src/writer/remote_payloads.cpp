#include "writer/remote_payloads.hpp"

#include <algorithm>
#include <cerrno>
#include <map>

#include "io/coalesce.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

using Parts = std::vector<const RemotePart*>;

/// Parts of one file that are read in one request.
struct Run {
  ByteRange range = {};
  Parts parts = {};
};

ByteRange range_of(const RemotePart& part) { return {part.payload->offset + part.begin, part.out.size()}; }

std::vector<Run> runs_of(Parts parts) {
  std::sort(parts.begin(), parts.end(),
            [](const auto* a, const auto* b) { return range_of(*a).offset < range_of(*b).offset; });
  std::vector<Run> out;
  for (const RemotePart* part : parts) {
    const ByteRange range = range_of(*part);
    if (!out.empty()) {
      ByteRange& last = out.back().range;
      const uint64_t end = std::max(last.offset + last.size, range.offset + range.size);
      if (range.offset <= last.offset + last.size + kRemoteCoalesceGap && end - last.offset <= kRemotePiece) {
        last.size = end - last.offset;
        out.back().parts.push_back(part);
        continue;
      }
    }
    out.push_back({range, {part}});
  }
  return out;
}

void read_runs(const ByteSource& file, std::span<const Run> runs) {
  if (runs.size() == 1 && runs[0].parts.size() == 1) {
    file.read(runs[0].range.offset, runs[0].parts[0]->out);
    return;
  }
  std::vector<ByteRange> ranges;
  for (const Run& run : runs) ranges.push_back(run.range);
  const std::vector<Bytes> found = file.read_ranges(ranges);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const RemotePart* part : runs[i].parts) {
      const auto bytes = std::span(found[i]).subspan(range_of(*part).offset - runs[i].range.offset, part->out.size());
      std::copy(bytes.begin(), bytes.end(), part->out.begin());
    }
  }
}

void read_from(const ByteSource& file, Parts parts, std::size_t num_ranges) {
  const std::vector<Run> runs = runs_of(std::move(parts));
  for (std::size_t begin = 0; begin < runs.size();) {
    std::size_t end = begin + 1;
    uint64_t size = runs[begin].range.size;
    while (end < runs.size() && end - begin < num_ranges && size + runs[end].range.size <= kRemotePiece) {
      size += runs[end++].range.size;
    }
    read_runs(file, std::span(runs).subspan(begin, end - begin));
    begin = end;
  }
}

void check_size(const ByteSource& file, const Payload& payload) {
  if (payload.part || file.size() == payload.size) return;
  throw IoError("has " + std::to_string(file.size()) + " bytes now; " + std::to_string(payload.size) +
                    " when it was first opened",
                {.path = payload.path});
}

/// Opens all files; IoError for a missing one.
std::vector<std::shared_ptr<const ByteSource>> open_each(const Storage& storage, std::span<const std::string> paths) {
  auto out = storage.open_all(paths);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i]) throw IoError("cannot open", {.path = paths[i]}, ENOENT);
  }
  return out;
}

void read_closed(const Storage& storage, std::map<std::string, Parts>& wanted, std::size_t num_ranges) {
  std::vector<std::string> paths;
  for (const auto& [path, parts] : wanted) paths.push_back(path);
  for (std::size_t begin = 0; begin < paths.size(); begin += num_ranges) {
    const auto some = std::span(paths).subspan(begin, std::min(num_ranges, paths.size() - begin));
    const auto files = open_each(storage, some);
    for (std::size_t i = 0; i < some.size(); ++i) {
      Parts& parts = wanted.at(some[i]);
      for (const RemotePart* part : parts) check_size(*files[i], *part->payload);
      read_from(*files[i], std::move(parts), num_ranges);
    }
  }
}

}  // namespace

void check_max_concurrent_requests(int given) {
  if (given < 1) throw ValidationError("max_concurrent_requests is " + std::to_string(given) + "; at least 1 expected");
}

Readers::Readers(int limit)
    : num_threads(std::min(limit, kMaxReaders)), num_ranges(static_cast<std::size_t>(limit / num_threads)) {}

bool has_remote(const Tree& tree) {
  return std::any_of(tree.levels.begin(), tree.levels.end(), [](const TreeLevel& level) {
    return std::any_of(level.payloads.begin(), level.payloads.end(), [](const Payload& p) { return p.is_remote(); });
  });
}

std::vector<Payload> remote_payloads(const std::shared_ptr<const Storage>& storage,
                                     const std::vector<std::string>& paths, int limit) {
  const auto remote = std::make_shared<const RemoteFiles>(RemoteFiles{.storage = storage});
  const auto at_once = static_cast<std::size_t>(limit);
  std::vector<Payload> out;
  out.reserve(paths.size());
  for (std::size_t begin = 0; begin < paths.size(); begin += at_once) {
    const auto some = std::span(paths).subspan(begin, std::min(at_once, paths.size() - begin));
    for (const auto& source : open_each(*storage, some)) {
      Payload& payload = out.emplace_back(Payload{.path = paths[out.size()], .remote = remote, .size = source->size()});
      if (payload.size <= ReadHint().prefix) payload.held = std::make_shared<const SpillBuffer>(source->read_all(), "");
    }
  }
  return out;
}

Payload remote_payload(std::shared_ptr<const ByteSource> source, const std::string& path) {
  const uint64_t size = source->size();
  return {.path = path,
          .remote = std::make_shared<const RemoteFiles>(RemoteFiles{.source = std::move(source)}),
          .size = size};
}

std::shared_ptr<const ByteSource> open_remote(const Payload& payload) {
  if (payload.remote->source) return payload.remote->source;
  auto out = payload.remote->storage->open(payload.path);
  check_size(*out, payload);
  return out;
}

void read_remote(std::span<const RemotePart> parts, std::size_t num_ranges) {
  std::map<const ByteSource*, Parts> open;
  std::map<const Storage*, std::map<std::string, Parts>> closed;
  for (const RemotePart& part : parts) {
    if (part.out.empty()) continue;
    const RemoteFiles& remote = *part.payload->remote;
    (remote.source ? open[remote.source.get()] : closed[remote.storage.get()][part.payload->path]).push_back(&part);
  }
  for (auto& [file, wanted] : open) read_from(*file, std::move(wanted), num_ranges);
  for (auto& [storage, files] : closed) read_closed(*storage, files, num_ranges);
}

}  // namespace tacore
