#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <tacore/error.hpp>
#include <tacore/v1/collection.hpp>

#include "commands.hpp"
#include "io/open_uninterrupted.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

std::vector<Contact> contacts_of(const std::vector<std::string>& names) {
  std::vector<Contact> out;
  for (const auto& name : names) out.push_back({.name = name});
  return out;
}

}  // namespace

std::string read_text(const std::string& path) {
  const struct File {
    int descriptor;
    ~File() {
      if (descriptor >= 0) ::close(descriptor);
    }
  } file{open_uninterrupted(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.descriptor < 0) throw IoError("cannot open", {.path = path}, errno);
  std::string out;
  char piece[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.descriptor, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw IoError("cannot read", {.path = path, .offset = out.size()}, errno);
    if (count == 0) return out;
    out.append(piece, static_cast<std::size_t>(count));
  }
}

bool ends_with(const std::string& path, std::string_view suffix) {
  return path.size() >= suffix.size() &&
         std::equal(suffix.rbegin(), suffix.rend(), path.rbegin(), [](char a, char b) { return a == (b | 0x20); });
}

Collection collection_of(const CollectionOptions& options, const std::string& output) {
  Collection out;
  if (!options.collection.empty()) {
    const auto parse = ends_with(output, ".taco") ? v1::parse_collection : parse_draft_collection;
    out = parse(read_text(options.collection), options.collection);
  }
  if (options.id) out.id = *options.id;
  if (options.dataset_version) out.dataset_version = *options.dataset_version;
  if (options.title) out.title = options.title;
  if (options.description) out.description = *options.description;
  if (!options.licenses.empty()) out.licenses = options.licenses;
  if (!options.providers.empty()) out.providers = contacts_of(options.providers);
  if (!options.tasks.empty()) out.tasks = options.tasks;
  if (!options.keywords.empty()) out.keywords = options.keywords;
  return out;
}

void require_members(const Collection& collection, const CollectionOptions& options, bool has_tasks) {
  const struct Needed {
    bool is_missing;
    std::string option, metavariable, example;
  } all[] = {{collection.id.empty(), "--id", "NAME", "chips"},
             {collection.description.empty(), "--description", "TEXT", "\"Chips of a scene\""},
             {collection.licenses.empty(), "--license", "SPDX", "CC-BY-4.0"},
             {collection.providers.empty(), "--provider", "NAME", "\"Our lab\""},
             {has_tasks && collection.tasks.empty(), "--task", "TASK (classification, segmentation, regression, ...)",
              "classification"}};
  std::string missing, example;
  int count = 0;
  for (const Needed& each : all) {
    if (!each.is_missing) continue;
    missing += (count++ == 0 ? "" : ", ") + each.option + " " + each.metavariable;
    example += " " + each.option + " " + each.example;
  }
  if (count == 0) return;
  throw UsageError((count == 1 ? "1 thing is" : std::to_string(count) + " things are") + " missing: " + missing +
                   (options.collection.empty() ? "" : ", or members of " + in_quotes(options.collection)) +
                   ". Example:" + example +
                   (options.collection.empty() ? "; on a terminal taco init asks for them" : ""));
}

}  // namespace tacore::cli
