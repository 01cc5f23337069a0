#include "writer/parts.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <utility>

#include "base/log.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "table/encode.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "writer/staging.hpp"
#include "writer/tables.hpp"

namespace tacore {
namespace {

/// Replaces each run of blanks and of characters that some systems forbid in names by `_`; none at the ends.
std::string sanitized(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool replaced =
        static_cast<unsigned char>(c) <= ' ' || std::string_view("/\\:*?\"<>|'_\x7f").find(c) != std::string_view::npos;
    if (!replaced) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  if (out.ends_with('_')) out.pop_back();
  return out;
}

std::vector<Part> group(const Tree& tree, const std::string& stem, const std::string& suffix,
                        const std::vector<std::string>& columns) {
  const auto table = samples_table(tree, 0);
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const auto& column : columns) arrays.push_back(find_column(*table, column));
  std::vector<Part> out;
  std::map<std::vector<std::optional<std::string>>, std::size_t> known;
  std::size_t last = 0;
  const auto& ids = tree.levels[0].ids;
  for (int64_t row = 0; row < static_cast<int64_t>(ids.size()); ++row) {
    if (out.empty() || !is_padding_id(ids[as_size(row)])) {
      std::vector<std::optional<std::string>> key;
      for (const auto& array : arrays) key.push_back(cell_as_text(*array, row));
      const auto [found, is_new] = known.emplace(std::move(key), out.size());
      if (is_new) {
        std::vector<std::string> words;
        for (const auto& text : found->first) words.push_back(text.value_or("None"));
        out.push_back({.name = stem + "_" + sanitized(join(words, "_")) + suffix});
      }
      last = found->second;
    }
    out[last].roots.push_back(row);
  }
  return out;
}

std::vector<Part> split(const Part& whole, const std::string& stem, const std::string& suffix,
                        const std::vector<uint64_t>& sizes, uint64_t split_size) {
  std::vector<uint64_t> here;
  for (const int64_t root : whole.roots) here.push_back(sizes[as_size(root)]);
  const auto ends = part_ends(here, split_size);
  if (ends.size() == 1) return {whole};
  std::vector<Part> out;
  auto begin = whole.roots.begin();
  for (const std::size_t end : ends) {
    char number[32];
    std::snprintf(number, sizeof number, "_part%04zu", out.size() + 1);
    const auto next = whole.roots.begin() + static_cast<std::ptrdiff_t>(end);
    out.push_back({.name = stem + number + suffix, .roots = {begin, next}});
    begin = next;
  }
  return out;
}

/// `x.tacozip` as stem and extension, the point in the extension.
std::pair<std::string, std::string> stem_and_suffix(const std::string& name) {
  const auto point = std::min(name.rfind('.'), name.size());
  return {name.substr(0, point), name.substr(point)};
}

}  // namespace

std::vector<Part> plan_parts(const Tree& tree, const std::string& name, uint64_t split_size,
                             const std::vector<std::string>& group_by) {
  Part whole{.name = name, .roots = std::vector<int64_t>(tree.levels.at(0).ids.size())};
  std::iota(whole.roots.begin(), whole.roots.end(), int64_t{0});
  const auto [stem, suffix] = stem_and_suffix(name);
  std::vector<Part> parts = group_by.empty() ? std::vector{std::move(whole)} : group(tree, stem, suffix, group_by);
  if (split_size > 0) {
    const auto sizes = tree.root_sizes();
    std::vector<Part> all;
    for (const auto& part : parts) {
      for (auto& piece : split(part, stem_and_suffix(part.name).first, suffix, sizes, split_size))
        all.push_back(std::move(piece));
    }
    parts = std::move(all);
  }
  std::map<std::string_view, int64_t> known;  // name, and its first sample
  for (const auto& part : parts) {
    const auto [found, is_new] = known.emplace(part.name, part.roots.at(0));
    if (is_new) continue;
    throw ValidationError("samples " + in_quotes(tree.path(0, found->second)) + " and " +
                          in_quotes(tree.path(0, part.roots[0])) + " differ in " + join(group_by, ", ") +
                          ", but the name of both parts is " + in_quotes(part.name));
  }
  return parts;
}

Tree take_roots(const Tree& tree, const std::vector<int64_t>& roots) {
  Tree out;
  std::vector<int64_t> rows = roots, parents;
  for (std::size_t level = 0; level < tree.levels.size(); ++level) {
    const auto& here = tree.levels[level];
    TreeLevel taken{.parents = std::move(parents), .descriptions = here.descriptions};
    for (const int64_t row : rows) {
      taken.ids.push_back(here.ids[as_size(row)]);
      taken.types.push_back(here.types[as_size(row)]);
      taken.payloads.push_back(here.payloads[as_size(row)]);
    }
    if (here.columns) taken.columns = take_rows(*here.columns, rows);
    out.levels.push_back(std::move(taken));
    if (level + 1 == tree.levels.size()) break;
    const auto first = tree.first_children(static_cast<int>(level));
    std::vector<int64_t> below;
    parents.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (int64_t child = first[as_size(rows[i])]; child < first[as_size(rows[i]) + 1]; ++child) {
        below.push_back(child);
        parents.push_back(static_cast<int64_t>(i));
      }
    }
    rows = std::move(below);
  }
  return out;
}

std::vector<std::size_t> part_ends(const std::vector<uint64_t>& sizes, uint64_t split_size) {
  std::vector<std::size_t> out;
  uint64_t size = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (split_size > 0 && i > 0 && (size > split_size || sizes[i] > split_size - size)) {
      out.push_back(i);
      size = 0;
    }
    size += sizes[i];
  }
  out.push_back(sizes.size());
  return out;
}

std::vector<std::string> publish_parts(const Output& output, const Task& task, WriteOptions options) {
  std::vector<std::string> out, names = output.names, staged;
  for (const auto& name : names) out.push_back(path_join(output.folder, name));
  uint64_t done = 0;  // bytes of the parts that are complete
  const auto tell = [&](uint64_t more) {
    report(task, std::min(done + more, output.num_bytes), output.num_bytes, output.path);
  };
  if (task.progress) options.progress = tell;
  tell(0);
  if (out.size() == 1) {
    output.write(0, out[0], options);
    return out;
  }
  const StagingDir staging(output.path, std::exchange(options.temp_dir, {}));
  const bool overwrite = std::exchange(options.overwrite, false);
  for (std::size_t i = 0; i < out.size(); ++i) {
    staged.push_back(path_join(staging.path(), names[i]));
    done += output.write(i, staged[i], options);
  }
  if (output.write_index) names.push_back(output.write_index(staged, options));
  tell(0);  // the last chance to cancel
  publish(staging.path(), output.folder, names, overwrite);
  return out;
}

void warn_of_parts(const Output& output, const char* what, uint64_t split_size, const std::string& opened) {
  if (output.names.size() == 1) return;
  log::warning(output.path + ": written as " + std::to_string(output.names.size()) + " " + what + " of about " +
               std::to_string(split_size) + " bytes of samples, " + output.names.front() + " to " +
               output.names.back() + "; " + opened + " is opened as one dataset. With split_size none it is one file");
}

}  // namespace tacore
