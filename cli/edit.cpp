#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include <tacore/dataset.hpp>
#include <tacore/error.hpp>
#include <tacore/ops/edit.hpp>

#include "arguments.hpp"
#include "base/nearest.hpp"
#include "commands.hpp"
#include "copying.hpp"
#include "json.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

using Member = std::pair<std::string, std::string>;

Member split_setting(const char* option, const std::string& text) {
  const auto at = text.find('=');
  if (at == text.npos || at == 0) {
    throw UsageError(std::string(option) + " " + json_string(text) + ": KEY=VALUE expected, such as title=Chips");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Texts as JSON: those of a list together, contacts by their names.
std::vector<Member> texts_as_json(const std::vector<std::string>& settings) {
  constexpr std::array<std::string_view, 3> kLists = {"licenses", "tasks", "keywords"};
  constexpr std::array<std::string_view, 2> kContacts = {"providers", "curators"};
  std::vector<Member> out;
  std::map<std::string, std::vector<std::string>> lists;
  for (const auto& setting : settings) {
    auto [key, text] = split_setting("--set", setting);
    if (key == "published") text = parse_published(text);
    const bool is_contact = is_one_of(kContacts, key);
    if (!is_contact && !is_one_of(kLists, key)) {
      out.emplace_back(key, json_string(text));
      continue;
    }
    lists[key].push_back(is_contact ? json_object({{"name", json_string(text)}}) : json_string(text));
  }
  for (const auto& [key, items] : lists) out.emplace_back(key, json_array(items));
  return out;
}

/// A member that is neither of the specification, nor of an extension (`rai:social_bias`), nor there already is most
/// likely a typo.
void check_members(const std::vector<Member>& members, const std::string& path) {
  constexpr std::array<std::string_view, 12> kKnown = {"id",           "dataset_version", "description", "licenses",
                                                       "providers",    "tasks",           "title",       "curators",
                                                       "taco_version", "keywords",        "extent",      "published"};
  for (const auto& member : members) {
    const std::string& key = member.first;
    if (is_one_of(kKnown, key) || key.find(':') != key.npos) continue;
    if (read_collection(path).json.find(json_string(key)) != std::string::npos) continue;
    const std::string hint = did_you_mean(key, std::vector<std::string>(kKnown.begin(), kKnown.end()));
    throw ValidationError("unknown member " + in_quotes(key) + (hint.empty() ? ";" : hint) + " --force sets it anyway",
                          {.path = path});
  }
}

}  // namespace

int run_edit(const EditCommandOptions& options) {
  Edit changes{.set = texts_as_json(options.set),
               .unset = options.unset,
               .level = options.level,
               .drop = options.drop,
               .columns = options.columns};
  for (const auto& setting : options.set_json) changes.set.push_back(split_setting("--set-json", setting));
  if (!options.force) check_members(changes.set, options.path);
  if (changes.set.empty() && changes.unset.empty() && changes.drop.empty() && changes.columns.empty()) {
    throw UsageError("nothing is to change: --set, --set-json, --unset, --columns or --drop-column expected");
  }
  EditOptions how = options.how;
  run_writer(how.task, [&] {
    edit(options.path, changes, how);
    return std::vector<std::string>{options.path};
  });
  return 0;
}

}  // namespace tacore::cli
