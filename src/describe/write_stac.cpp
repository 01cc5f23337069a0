#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/interrupt.hpp"
#include "describe/stac.hpp"
#include "io/entry_at.hpp"
#include "io/linux.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"

namespace tacore {
namespace descriptions {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCollectionFile = "collection.json";
constexpr const char* kItemsFolder = "items";

[[noreturn]] void fail(const std::string& what, const std::string& path) { throw IoError(what, {.path = path}, errno); }

/// A new file in a NewFolder, which syncs all of them at the end.
class PlainFile {
 public:
  PlainFile(const std::string& path, std::string target) : target_(std::move(target)) {
    descriptor_ = open_uninterrupted(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("cannot be created", target_);
  }
  ~PlainFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() > kEnough) flush();
  }
  void close() {
    flush();
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot be written", target_);
  }

 private:
  static constexpr std::size_t kEnough = 1 << 16;

  void flush() {
    for (std::string_view rest = buffer_; !rest.empty();) {
      const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("cannot be written", target_);
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    buffer_.clear();
  }

  std::string target_;
  std::string buffer_ = {};
  int descriptor_ = -1;
};

/// A temporary folder beside `target`, which publish() renames to it.
class NewFolder {
 public:
  NewFolder(std::string target, bool overwrite) : target_(std::move(target)) {
    while (target_.size() > 1 && target_.ends_with('/')) target_.pop_back();
    const auto found = entry_at(target_);
    exists_ = found.has_value();
    if (exists_ && !overwrite) throw IoError("exists already", {.path = target_});
    if (exists_ && (!S_ISDIR(found->st_mode) || !entry_at(path_join(target_, kCollectionFile)))) {
      throw IoError("is not a folder with a collection.json; nothing else is replaced", {.path = target_});
    }
    draft_ = make_temporary(target_, {}, true);
  }
  ~NewFolder() {
    std::error_code ignored;  // nothing can be done about what cannot be removed
    fs::remove_all(draft_.path, ignored);
    ::close(draft_.descriptor);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void make_folder(const std::string& name) const { make(path_join(draft_.path, name)); }
  PlainFile file(const std::string& name) const { return {path_join(draft_.path, name), path_join(target_, name)}; }

  void publish() const {
    sync();
    throw_if_interrupted();
    if (exists_) {
      exchange_names(draft_.path, target_);  // the old folder is removed with the draft
    } else {
      rename_to(draft_.path, target_, false);
    }
    sync_folder_of(target_);
  }

 private:
  void make(const std::string& path) const {
    if (::mkdir(path.c_str(), 0777) != 0) fail("cannot be created", target_);
  }
  void sync() const { sync_file_system(draft_.descriptor, target_); }

  std::string target_;
  Temporary draft_ = {};
  bool exists_ = false;
};

/// The text of a document up to the last element of its last member, which is a list, and the text after it.
std::pair<std::string, std::string> open_last_list(const Json& document) {
  std::string text = dump(document);
  const auto end = text.rfind(']');
  const auto last = text.find_last_not_of(" \n", end - 1);
  return {text.substr(0, last + 1), "\n  ]\n}\n"};
}

}  // namespace
}  // namespace descriptions

void write_stac(const Dataset& dataset, const std::string& directory, int level, const DescribeOptions& options) {
  using namespace descriptions;
  require_apart(directory, files_of(dataset));
  Facts facts = gather(dataset, options, level);
  Facts of_items = facts;
  if (facts.base_url.empty()) {
    facts.base_url = way_between(directory, facts.folder);
    of_items.base_url = way_between(path_join(directory, kItemsFolder), facts.folder);
  }
  const NewFolder folder(directory, options.overwrite);
  folder.make_folder(kItemsFolder);
  Json collection = stac_collection(facts);
  collection["links"].push_back(
      {{"rel", "root"}, {"href", std::string("./") + kCollectionFile}, {"type", "application/json"}});
  const auto [head, tail] = open_last_list(collection);
  PlainFile index = folder.file(kCollectionFile);
  index.write(head);
  LevelItems items(dataset, of_items, level, options);
  items.for_each(true, [&](const Item& item) {
    throw_if_interrupted();
    PlainFile file = folder.file(path_join(kItemsFolder, item.id + ".json"));
    file.write(dump(stac_item(item, of_items, items, std::string("../") + kCollectionFile)));
    file.close();
    const Json link = {{"rel", "item"},
                       {"href", std::string("./") + kItemsFolder + "/" + item.id + ".json"},
                       {"type", "application/geo+json"}};
    index.write(",\n    " + link.dump(-1, ' ', false, Json::error_handler_t::replace));
  });
  index.write(tail);
  index.close();
  folder.publish();
}

}  // namespace tacore
