#include <tacore/ops/sync.hpp>
#include <tacore/verbose.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "output.hpp"
#include "progress_bar.hpp"

namespace tacore::cli {
namespace {

std::string chunks_text(uint64_t num_chunks, uint64_t num_bytes) {
  return std::to_string(num_chunks) + (num_chunks == 1 ? " chunk (" : " chunks (") +
         bytes_text(static_cast<double>(num_bytes)) + ")";
}

}  // namespace

int run_sync(const SyncCommandOptions& options) {
  const bool is_from_store = is_store(options.from);
  if (is_from_store) check_output(options.to, options.how.overwrite);
  SyncResult result;
  SyncOptions how = options.how;
  run_copy(how.task,
           [&] { result = (is_from_store ? sync_from_store : sync_to_store)(options.from, options.to, how); });
  if (log_level() == LogLevel::Off) return 0;
  complain(chunks_text(result.num_chunks_moved, result.num_bytes_moved) +
           (is_from_store
                ? " copied and checked"
                : " stored, " + chunks_text(result.num_chunks_reused, result.num_bytes_reused) + " known from before"));
  if (!result.replaced.empty()) complain("replaces the '" + result.replaced + "' that the store had");
  return 0;
}

}  // namespace tacore::cli
