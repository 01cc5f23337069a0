#include <cerrno>

#include "base/text.hpp"
#include "format/names.hpp"
#include "io/document.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "model/identifier.hpp"
#include "reader/container.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

class FolderContainer : public Container {
 public:
  FolderContainer(std::shared_ptr<const Storage> storage, const std::string& path, Collection collection,
                  std::vector<std::shared_ptr<const LevelTable>> levels)
      : Container(path, std::move(collection), std::move(levels)),
        storage_(std::move(storage)),
        data_(path_join(to_vsi(path), names::kData)) {}

  Format format() const noexcept override { return Format::Folder; }

  std::string vsi_path(const RowAddress& row) const override {
    return data_ + checked(row) + (row.type == SampleType::Folder ? "/" + std::string(names::kMeta) : "");
  }

  std::string vsi_sql(int level) const override {
    // The function builds what vsi_path() builds, checks included.
    const auto path =
        level > 0 && stored_level(level)->find(names::kRelativePath) >= 0 ? names::kRelativePath : names::kId;
    return "tacore_folder_path(" + sql_literal(data_) + ", " + sql_identifier(path) + ", " +
           sql_identifier(names::kType) + ")";
  }

  std::shared_ptr<const ByteSource> open_data(const RowAddress& row) const override {
    return storage_->open(file(row));
  }

  std::shared_ptr<const LevelTable> open_meta(const RowAddress& row, int level) const override {
    const std::string name = path_join(file(row), names::kMeta);
    return open_meta_table(storage_->open(name), {.path = name, .offset = {}, .level = level + 1});
  }

 private:
  /// A path that cannot leave DATA/.
  std::string checked(const RowAddress& row) const {
    for (const auto& part : split(row.relative_path, '/')) {
      if (const auto why = why_unsafe_id(part); !why.empty()) {
        throw FormatError("sample path " + quoted(row.relative_path) + " has a part that " + why, {.path = path()});
      }
    }
    return row.relative_path;
  }
  std::string file(const RowAddress& row) const { return path_join(path_join(path(), names::kData), checked(row)); }

  std::shared_ptr<const Storage> storage_;
  std::string data_;
};

}  // namespace

std::shared_ptr<Container> open_folder(std::shared_ptr<const Storage> storage, FolderFiles opened,
                                       const std::string& path) {
  auto& document = opened.collection;
  if (!document) document = storage->open(path_join(path, names::kCollection));
  const Bytes text = read_document(*document);
  Collection collection = parse_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path);
  const std::string metadata = path_join(path, names::kMetadata);
  std::vector<std::string> files;
  for (int k = 0; k <= collection.pit_schema.max_depth(); ++k)
    files.push_back(path_join(metadata, names::kLevelFiles[k]));
  const auto sources = open_levels(*storage, files, std::move(opened.level0));
  std::vector<std::shared_ptr<const LevelTable>> levels;
  for (int k = 0; k < static_cast<int>(files.size()); ++k) {
    const auto& file = files[static_cast<std::size_t>(k)];
    const auto& source = sources[static_cast<std::size_t>(k)];
    if (!source && k > 0) throw IoError("cannot open", {.path = file}, ENOENT);
    if (!source) {
      throw FormatError(is_remote(path) || storage->exists(metadata, true)
                            ? "No metadata files found in METADATA/: level0.parquet expected"
                            : "METADATA directory not found",
                        {.path = path});
    }
    levels.push_back(LevelTable::open(source, {.path = file, .offset = {}, .level = k}));
  }
  return std::make_shared<FolderContainer>(std::move(storage), path, std::move(collection), std::move(levels));
}

}  // namespace tacore
