#include "proof/statement.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/collection_members.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"

namespace tacore {

std::optional<RootedCollection> find_root(std::string_view json, const std::string& path) {
  constexpr std::size_t kDigits = 64;
  const std::string key = json_string(kRootMember);
  const auto at = json.find(key);
  if (at == json.npos) return std::nullopt;
  auto begin = json.find_first_not_of(" \t\r\n:", at + key.size());
  const bool is_text = begin != json.npos && json[begin] == '"' && json.find(key, begin) == json.npos;
  const auto digits = is_text ? json.substr(begin + 1, kDigits) : std::string_view();
  const auto root = parse_sha256(digits);
  // The member of the object itself, and not of one within it.
  const bool is_member = std::ranges::any_of(json_members(json), [&](const JsonMember& member) {
    return member.key == key && member.text.data() == json.data() + at;
  });
  if (!root || !is_member || !json.substr(begin + 1 + kDigits).starts_with('"')) {
    throw FormatError(
        "'" + std::string(kRootMember) + "' is not stated once, as a text of 64 lower-case hexadecimal digits",
        {.path = path});
  }
  std::string text(json);
  text.replace(begin + 1, kDigits, kDigits, '0');
  return RootedCollection{*root, std::move(text)};
}

std::string statement_of(const Collection& collection, const Sha256& root) {
  return "{\"taco_proof\": 1, \"dataset\": " + json_string(collection.id) +
         ", \"version\": " + json_string(collection.dataset_version) + ", \"merkle_root\": \"" + hex(root) + "\"}\n";
}

void check_provable(Format format, const std::string& path) {
  if (format == Format::Zip || format == Format::Folder) return;
  throw ValidationError(
      is_v1(format) ? "is a dataset before 2.0, which has no Merkle root; taco convert makes one that can have it"
                    : "is an index of datasets, which has no Merkle root: each of its datasets has its own",
      {.path = path});
}

}  // namespace tacore
