#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tacore {

/// The optimal string alignment distance.
inline std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The candidate with the smallest edit distance to `text`, if that is at most 2 (1 for up to four characters), or else
/// the first that begins with it; "" if there is none. An inserted, deleted or replaced character is one edit, two
/// swapped neighbours are one edit.
inline std::string nearest(const std::string& text, std::span<const std::string> candidates) {
  const std::size_t most_edits = text.size() > 4 ? 2 : 1;
  std::string out;
  // Nothing is like a text of one or two characters that shares none with it.
  std::size_t least = std::min(most_edits + 1, text.size());
  for (const auto& candidate : candidates) {
    const std::size_t longer = std::max(text.size(), candidate.size());
    if (longer - std::min(text.size(), candidate.size()) >= least) continue;
    const std::size_t edits = edit_distance(text, candidate);
    if (edits >= least) continue;
    least = edits;
    out = candidate;
  }
  const auto begins = [&](const std::string& candidate) { return text.size() > 2 && candidate.starts_with(text); };
  const auto longer = out.empty() ? std::ranges::find_if(candidates, begins) : candidates.end();
  return longer == candidates.end() ? out : *longer;
}

/// "; did you mean 'info'?" of the nearest candidate, or nothing.
inline std::string did_you_mean(const std::string& text, std::span<const std::string> candidates) {
  const std::string found = nearest(text, candidates);
  return found.empty() ? "" : "; did you mean '" + found + "'?";
}

/// "no column 'labl'; did you mean 'label'? The columns are id, label": for an unknown name, which the caller quotes.
/// Columns that only navigation uses are neither suggested nor listed.
inline std::string no_column(const std::string& quoted, const std::string& name, std::span<const std::string> columns) {
  std::vector<std::string> shown;
  std::string list;
  for (const auto& column : columns) {
    if (column.starts_with("internal:")) continue;
    shown.push_back(column);
    list += (list.empty() ? "" : ", ") + column;
  }
  const std::string guess = did_you_mean(name, shown);
  return "no column " + quoted + guess + (guess.empty() ? ": " : " The columns are ") + list;
}

}  // namespace tacore
