#include "tacore/extensions/sha256.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/checked_math.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "model/identifier.hpp"
#include "tacore/interrupt.hpp"
#include "writer/sample_source.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore::extensions {
namespace {

constexpr uint64_t kHashedPiece = 1 << 20;

/// As the bytes of a column; "" for a FOLDER.
std::string hash_of(const Tortilla& samples, int level, std::size_t row) {
  const auto source = source_of(samples, level, row);
  if (!source) return "";
  std::vector<std::byte> piece;
  uint64_t offset = 0;
  const auto hash = sha256([&]() -> std::span<const std::byte> {
    throw_if_interrupted();
    piece.resize(std::min(kHashedPiece, source->size() - offset));
    source->read(offset, piece);
    offset += piece.size();
    return piece;
  });
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::vector<std::string> hashes_of_files(const Tortilla& samples, int level, int jobs) {
  const auto ids = samples.ids(level);
  OrderedWork<std::string> work(std::vector<uint64_t>(ids.size(), 1), 4096, num_threads(jobs), [&](std::size_t row) {
    return is_padding_id(ids[row]) ? std::string() : hash_of(samples, level, row);
  });
  std::vector<std::string> out;
  while (auto hash = work.next()) out.push_back(std::move(*hash));
  return out;
}

}  // namespace

Tortilla with_sha256(const Tortilla& samples, int jobs) {
  const Tree& tree = impl_of(samples)->tree;
  Tortilla out = samples;
  std::vector<std::string> below;
  for (int level = samples.depth(); level >= 0; --level) {
    auto hashes = hashes_of_files(samples, level, jobs);
    const auto ids = samples.ids(level);
    const auto types = samples.types(level);
    std::vector<std::string> of_children(hashes.size());
    for (std::size_t child = 0; child < below.size(); ++child)
      of_children[as_size(tree.levels[as_size(level + 1)].parents[child])] += below[child];
    MetadataColumn column{"taco:sha256", {}, "binary", "SHA-256 of the data; of a FOLDER, of those of its children"};
    for (std::size_t row = 0; row < hashes.size(); ++row) {
      if (types[row] == SampleType::Folder && !is_padding_id(ids[row])) {
        const auto hash = sha256(bytes_of(of_children[row]));
        hashes[row].assign(reinterpret_cast<const char*>(hash.data()), hash.size());
      }
      Value& value = column.values.emplace_back();
      if (!hashes[row].empty()) value = Binary{hashes[row]};
    }
    out = out.extend_with({std::move(column)}, level);
    below = std::move(hashes);
  }
  return out;
}

}  // namespace tacore::extensions
