#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/write/extension.hpp"
#include "tacore/write/sample.hpp"
#include "writer/tree.hpp"

/// Samples in memory, and trees of them.
namespace tacore {

/// A FILE of `size` zero bytes.
inline Sample file(const std::string& id, std::vector<MetadataField> metadata = {}, std::size_t size = 1) {
  return {id, Bytes(size), std::move(metadata)};
}

/// "name type" of each field.
inline Strings names_and_types(const std::vector<FieldDescription>& schema) {
  Strings out;
  for (const auto& field : schema) out.push_back(field.name + " " + field.type);
  return out;
}

/// A FOLDER of FILEs.
inline Sample folder(const std::string& id, const Strings& children) {
  std::vector<Sample> below;
  for (const auto& child : children) below.push_back(file(child));
  return {id, Tortilla(std::move(below))};
}

/// One sample a line, parents before children: `a/b` a FILE, `a/` a FOLDER. Lines of one level are its rows.
inline Tree tree_of(const std::vector<std::string>& lines) {
  Tree out;
  std::vector<std::vector<std::string>> paths;
  for (std::string path : lines) {
    const bool folder = path.ends_with('/');
    if (folder) path.pop_back();
    const auto level = static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
    out.levels.resize(std::max(out.levels.size(), level + 1));
    paths.resize(out.levels.size());
    auto& here = out.levels[level];
    const auto slash = path.rfind('/');
    here.ids.push_back(path.substr(slash == path.npos ? 0 : slash + 1));
    here.types.push_back(folder ? SampleType::Folder : SampleType::File);
    here.payloads.emplace_back();
    if (level > 0) {
      const auto& above = paths[level - 1];
      here.parents.push_back(std::find(above.begin(), above.end(), path.substr(0, slash)) - above.begin());
    }
    paths[level].push_back(path);
  }
  return out;
}

/// The inverse.
inline std::vector<std::string> lines_of(const Tree& tree) {
  std::vector<std::string> out;
  for (std::size_t level = 0; level < tree.levels.size(); ++level) {
    const auto& here = tree.levels[level];
    for (std::size_t row = 0; row < here.ids.size(); ++row) {
      out.push_back(tree.path(static_cast<int>(level), static_cast<int64_t>(row)));
      if (here.types[row] == SampleType::Folder) out.back() += '/';
    }
  }
  return out;
}

}  // namespace tacore
