#include "model/collection_members.hpp"
#include "model/identifier.hpp"
#include "tacore/error.hpp"
#include "tacore/write/create.hpp"
#include "writer/pad.hpp"
#include "writer/tortilla_impl.hpp"
#include "writer/tree.hpp"

namespace tacore {
namespace {

bool is_regular(const Tree& tree) {
  try {
    check_tree(tree);
    return true;
  } catch (const SchemaError&) {
    return false;
  }
}

int64_t count_padding(const TreeLevel& level) {
  int64_t out = 0;
  for (const auto& id : level.ids) out += is_padding_id(id) ? 1 : 0;
  return out;
}

/// Pads the tree; siblings are sorted only where their orders contradict each other.
Tree padded(const Tree& tree, std::vector<std::string>& changes) {
  try {
    return pad(tree);
  } catch (const SchemaError&) {
    Tree out = pad(sort_siblings(tree));
    changes.emplace_back("children are sorted by their ids, in code-point order");
    return out;
  }
}

}  // namespace

void Taco::extend_with(const std::string& key, const Value& value) {
  collection.json = with_member(collection.json, key, value);
}

void Taco::extend_with(const TacoExtension& extension) {
  const auto schema = extension.schema();
  const auto values = extension.compute(*this);
  if (values.size() != schema.size()) {
    throw SchemaError("an extension gave " + std::to_string(values.size()) + " values for " +
                      std::to_string(schema.size()) + " keys");
  }
  std::string json = collection.json;
  for (std::size_t i = 0; i < schema.size(); ++i) json = with_member(json, schema[i].name, values[i]);
  collection.json = std::move(json);
}

Compliant make_compliant(const Taco& taco) {
  const Tree& before = impl_of(taco.tortilla)->tree;
  if (is_regular(before)) return {taco};
  std::vector<std::string> changes;
  Tree after = padded(before, changes);
  check_tree(after);
  for (std::size_t level = 0; level < after.levels.size(); ++level) {
    const int64_t added = count_padding(after.levels[level]) - count_padding(before.levels[level]);
    if (added != 0) {
      changes.push_back(std::to_string(added) + (added == 1 ? " sample of padding was" : " samples of padding were") +
                        " added for missing children at level " + std::to_string(level));
    }
  }
  return {{tortilla_of(std::move(after)), taco.collection}, std::move(changes)};
}

}  // namespace tacore
