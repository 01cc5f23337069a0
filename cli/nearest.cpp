#include "nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace tacore::cli {
namespace {

constexpr std::size_t kMostEdits = 2;

/// The optimal string alignment distance.
std::size_t distance(const std::string& a, const std::string& b) {
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

}  // namespace

std::string nearest(const std::string& text, std::span<const std::string> candidates) {
  std::string out;
  // Nothing is like a text of one or two characters that shares none with it.
  std::size_t least = std::min(kMostEdits + 1, text.size());
  for (const auto& candidate : candidates) {
    const std::size_t edits = distance(text, candidate);
    if (edits >= least) continue;
    least = edits;
    out = candidate;
  }
  return out;
}

std::string did_you_mean(const std::string& text, std::span<const std::string> candidates) {
  const std::string found = nearest(text, candidates);
  return found.empty() ? "" : "; did you mean '" + found + "'?";
}

}  // namespace tacore::cli
