#include <tacore/ops/publish.hpp>
#include <tacore/verbose.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

/// "12 files (3.2 MB)" of those with this state.
std::string files_text(const Published& done, Publication state) {
  uint64_t count = 0, num_bytes = 0;
  for (const auto& file : done.files) {
    if (file.state != state) continue;
    ++count;
    num_bytes += file.size;
  }
  return count_of(count, "file") + " (" + bytes_text(static_cast<double>(num_bytes)) + ")";
}

}  // namespace

int run_publish(const PublishCommandOptions& options) {
  PublishOptions how = options.how;
  how.transformer = transformer();
  Published done;
  run_copy(how.task, [&] { done = publish_dataset(options.path, options.output, options.platform, how); });
  if (done.files.empty()) return 0;  // interrupted
  if (how.dry_run) {
    for (const auto& file : done.files) {
      const char* state = file.state == Publication::Stored    ? "stored\t"
                          : file.state == Publication::Missing ? "upload\t"
                                                               : "write\t";
      print(state + std::to_string(file.size) + "\t" + printable(file.name) + "\n");
    }
  }
  if (log_level() == LogLevel::Off) return 0;
  if (how.to.empty()) {
    complain(options.output + (how.dry_run ? " would have " : ": ") + files_text(done, Publication::Prepared));
  } else if (how.dry_run) {
    complain(how.to + ": " + files_text(done, Publication::Missing) + " would be uploaded, " +
             files_text(done, Publication::Stored) + " are there already");
  } else {
    complain(how.to + ": " + files_text(done, Publication::Sent) + " uploaded, " +
             files_text(done, Publication::Stored) + " were there already");
  }
  return 0;
}

}  // namespace tacore::cli
