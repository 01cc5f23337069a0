#include "tree.hpp"

#include <algorithm>
#include <numeric>

#include "layout.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

constexpr std::size_t kMostChildren = 12;
constexpr std::size_t kMostLines = 40;

uint64_t num_folders(const PitPattern& pattern) {
  return static_cast<uint64_t>(std::count(pattern.type.begin(), pattern.type.end(), SampleType::Folder));
}

class Drawing {
 public:
  explicit Drawing(const PitSchema& pit_schema) : pit_schema_(pit_schema) {
    lines_.push_back(grouped(pit_schema.root_n) + " x " + to_string(pit_schema.root_type));
  }

  std::vector<std::string> finish() && {
    if (pit_schema_.root_type == SampleType::Folder) add_children(1, 0, "");
    return std::move(lines_);
  }

 private:
  /// Children of the FOLDER at `position` among all of the level above. Published files have fewer patterns than
  /// that from level 3 on; then they repeat.
  void add_children(int level, std::size_t position, const std::string& before) {
    const auto found = pit_schema_.hierarchy.find(level);
    if (found == pit_schema_.hierarchy.end() || found->second.empty()) return;
    const auto& patterns = found->second;
    const std::size_t at = position % patterns.size();
    uint64_t folder =
        std::accumulate(patterns.begin(), patterns.begin() + static_cast<std::ptrdiff_t>(at), uint64_t{0},
                        [](uint64_t sum, const PitPattern& pattern) { return sum + num_folders(pattern); });
    const PitPattern& pattern = patterns[at];
    const bool cut = pattern.id.size() > kMostChildren;
    const std::size_t shown = cut ? kMostChildren - 1 : pattern.id.size();
    const std::size_t id_width = widest_id(pattern, shown);
    for (std::size_t i = 0; i < shown; ++i) {
      const bool last = i + 1 == shown && !cut;
      const std::string id = printable(pattern.id[i]);
      if (!add(before + (last ? "└── " : "├── ") + id + std::string(id_width - width(id), ' ') + "  " +
               to_string(pattern.type[i]))) {
        return;
      }
      if (pattern.type[i] == SampleType::Folder) {
        add_children(level + 1, folder++, before + (last ? "    " : "│   "));
      }
    }
    if (cut) add(before + "└── ... " + grouped(pattern.id.size() - shown) + " more");
  }

  static std::size_t widest_id(const PitPattern& pattern, std::size_t count) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < count; ++i) out = std::max(out, width(printable(pattern.id[i])));
    return out;
  }

  /// False when the drawing is full; the last line says so.
  bool add(const std::string& line) {
    if (lines_.size() < kMostLines) {
      lines_.push_back(line);
    } else if (lines_.size() == kMostLines) {
      lines_.push_back("...");
    }
    return lines_.size() <= kMostLines;
  }

  const PitSchema& pit_schema_;
  std::vector<std::string> lines_ = {};
};

}  // namespace

std::vector<std::string> tree(const PitSchema& pit_schema) { return Drawing(pit_schema).finish(); }

}  // namespace tacore::cli
