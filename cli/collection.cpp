#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>

#include <tacore/error.hpp>
#include <tacore/v1.hpp>

#include "commands.hpp"

namespace tacore::cli {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string out{std::istreambuf_iterator<char>(in), {}};
  if (!in && out.empty()) throw IoError("cannot be read", {.path = path}, errno);
  return out;
}

std::vector<Contact> contacts_of(const std::vector<std::string>& names) {
  std::vector<Contact> out;
  for (const auto& name : names) out.push_back({.name = name});
  return out;
}

}  // namespace

bool ends_with(const std::string& path, std::string_view suffix) {
  return path.size() >= suffix.size() &&
         std::equal(suffix.rbegin(), suffix.rend(), path.rbegin(), [](char a, char b) { return a == (b | 0x20); });
}

Collection collection_of(const CollectionOptions& options, const std::string& output) {
  Collection out;
  if (!options.collection.empty()) {
    const auto parse = ends_with(output, ".taco") ? v1::parse_draft_collection : parse_draft_collection;
    out = parse(text_of(options.collection), options.collection);
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

}  // namespace tacore::cli
