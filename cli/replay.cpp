#include <tacore/ops/replay.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

std::string line_of(const ReplayDifference& difference) {
  std::string out = printable(difference.path);
  if (!difference.entry.empty()) {
    const bool is_sample = !difference.sample.empty();
    out += ": " + std::string(is_sample ? "sample " : "") + printable(is_sample ? difference.sample : difference.entry);
  }
  out += " " + printable(difference.what);
  return difference.offset ? out + " (byte " + std::to_string(*difference.offset) + ")\n" : out + "\n";
}

std::string replay_text(const std::string& path, const ReplayResult& done) {
  if (done.num_differences == 0) return path + ": replayed, the same " + count_of(done.num_bytes, "byte") + "\n";
  std::string out;
  for (const auto& difference : done.differences) out += line_of(difference);
  const auto more = static_cast<uint64_t>(done.num_differences) - done.differences.size();
  return more == 0 ? out : out + "and " + count_of(more, "more difference") + "\n";
}

std::string replay_json(const ReplayResult& done) {
  const auto text_or_null = [](const std::string& text) { return text.empty() ? "null" : json_string(text); };
  std::vector<std::string> differences;
  for (const auto& each : done.differences) {
    differences.push_back(json_object({{"path", json_string(each.path)},
                                       {"entry", text_or_null(each.entry)},
                                       {"sample", text_or_null(each.sample)},
                                       {"offset", each.offset ? std::to_string(*each.offset) : "null"},
                                       {"what", json_string(each.what)}}));
  }
  return json_object_lines({{"identical", done.num_differences == 0 ? "true" : "false"},
                            {"tool_version", json_string(done.tool_version)},
                            {"num_bytes", std::to_string(done.num_bytes)},
                            {"num_differences", std::to_string(done.num_differences)},
                            {"differences", json_array(differences)}});
}

}  // namespace

int run_replay(const ReplayCommandOptions& options) {
  ReplayOptions how = options.how;
  if (!how.output.empty()) check_ending(how.output);
  const CreateOptions common = completed({});
  how.max_concurrent_requests = common.max_concurrent_requests;
  how.transformer = common.transformer;
  ReplayResult done;
  bool is_done = false;
  run_copy(how.task, [&] {
    done = replay_export(options.path, how);
    is_done = true;
  });
  if (!is_done) return 0;  // stopped
  print(options.json ? replay_json(done) : replay_text(options.path, done));
  return done.num_differences == 0 ? 0 : 1;
}

}  // namespace tacore::cli
