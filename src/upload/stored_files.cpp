#include "tacore/plumbing/stored_files.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory>
#include <span>

#include "base/text.hpp"
#include "io/vsi_path.hpp"
#include "net/storage.hpp"
#include "tacore/error.hpp"
#include "tacore/remote.hpp"
#include "upload/object_store.hpp"

namespace tacore {
namespace {

std::unique_ptr<upload::ObjectStore> store_at(const std::string& root, const upload::StoreOptions& options = {}) {
  // The Hub shows the files of a commit together, so that a single one cannot be found before.
  if (!root.starts_with("s3://"))
    throw IoError("is no place for single files; s3://BUCKET/PREFIX expected", {.path = root});
  return upload::open_store(root, remote_options(), options);
}

upload::Upload upload_of(const StoredFile& file) {
  upload::Upload out{.key = file.name, .size = file.size};
  const char* const digits = file.sha256.data();
  bool is_hash = file.sha256.size() == 2 * out.sha256.size();
  for (std::size_t i = 0; is_hash && i < out.sha256.size(); ++i) {
    unsigned value = 0;
    is_hash = std::from_chars(digits + 2 * i, digits + 2 * i + 2, value, 16).ptr == digits + 2 * i + 2;
    out.sha256[i] = static_cast<std::byte>(value);
  }
  if (!is_hash) {
    throw ValidationError("the SHA-256 is " + in_quotes(file.sha256) + "; 64 hexadecimal digits expected",
                          {.path = file.name});
  }
  return out;
}

}  // namespace

StoredFile store_file(const std::string& root, const std::string& name, const std::string& path) {
  const auto store = store_at(root);
  const upload::Upload file = upload::upload_of(name, path);
  const std::span<const upload::Upload> files(&file, 1);
  if (!store->find(files)[0]) {
    try {
      store->put(files, [](uint64_t, bool) {});
    } catch (const IoError&) {
      // Another process may have completed the same upload, whose parts are then refused.
      bool is_stored = false;
      try {
        is_stored = store->find(files)[0];
      } catch (const IoError&) {  // the first error says more
      }
      if (!is_stored) throw;
    }
    store->finish({});
  }
  return {.name = name, .size = file.size, .sha256 = hex(file.sha256)};
}

std::vector<bool> has_stored_files(const std::string& root, const std::vector<StoredFile>& files) {
  std::vector<upload::Upload> uploads;
  for (const StoredFile& file : files) uploads.push_back(upload_of(file));
  return store_at(root)->find(uploads);
}

std::optional<std::string> read_stored_file(const std::string& root, const std::string& name, uint64_t offset,
                                            uint64_t size) {
  std::shared_ptr<const ByteSource> source;
  try {
    source = any_storage()->open(path_join(root, name));
  } catch (const IoError& error) {
    if (!error.not_found()) throw;
    return std::nullopt;
  }
  const uint64_t begin = std::min(offset, source->size());
  const Bytes bytes = source->read({begin, std::min(size, source->size() - begin)});
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void discard_unfinished_uploads(const std::string& root) { store_at(root, {.discard_unfinished = true})->find({}); }

}  // namespace tacore
