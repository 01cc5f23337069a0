#include <exception>
#include <utility>

#include "base/threads.hpp"
#include "tacore/error.hpp"
#include "tacore/v1/convert.hpp"
#include "tortilla/header.hpp"
#include "validate/sample_faults.hpp"

namespace tacore::v1 {
namespace {

/// Reads the samples of a frame one by one.
class Sanity {
 public:
  Sanity(ReadSample read, void* user) : read_(read), user_(user) {}

  void check(const DataFrame& frame, int64_t position, const std::string& above, std::vector<BadSample>& out,
             int level = 0) const {
    std::string path = above;
    try {
      if (level >= kMaxLevels)
        throw NavigationError("is nested in more than " + std::to_string(kMaxLevels - 1) + " others");
      path += frame.text(position, "id").value_or("");
      const Node node = frame.read(position);
      if (const auto* children = std::get_if<DataFrame>(&node)) {
        for (int64_t child = 0; child < children->num_rows(); ++child)
          check(*children, child, path + "/", out, level + 1);
      } else if (read_) {
        read_(node, user_);
      } else {
        frame.read_bytes(position);
        for (const auto& fault : validator::sample_faults(frame, position)) out.push_back({path, fault.message});
      }
    } catch (const std::exception& error) {
      out.push_back({std::move(path), error.what()});
    }
  }

 private:
  ReadSample read_;
  void* user_;
};

}  // namespace

std::vector<BadSample> sanity_check(const DataFrame& frame, ReadSample read, void* user, int jobs) {
  const Sanity sanity(read, user);
  std::vector<std::vector<BadSample>> found(static_cast<std::size_t>(frame.num_rows()));
  run_parallel(found.size(), num_threads(jobs),
               [&](std::size_t row) { sanity.check(frame, static_cast<int64_t>(row), "", found[row]); });
  std::vector<BadSample> out;
  for (auto& of_row : found) out.insert(out.end(), of_row.begin(), of_row.end());
  return out;
}

}  // namespace tacore::v1
