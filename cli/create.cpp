#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include <tacore/create.hpp>
#include <tacore/error.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "extensions.hpp"
#include "progress_bar.hpp"

namespace tacore::cli {
namespace {

volatile sig_atomic_t interrupted = 0;

extern "C" void note_signal(int signal) { interrupted = signal; }

/// While this lives, Ctrl-C and its like only ask the work to stop, so that it can clean up. Ended by the same signal
/// afterwards.
class Interruptible {
 public:
  Interruptible() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action = {};
      ::sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_DFL) continue;  // nohup
      action.sa_handler = note_signal;
      ::sigaction(signal, &action, nullptr);
    }
  }
  ~Interruptible() {
    if (interrupted == 0) return;
    ::signal(interrupted, SIG_DFL);
    ::raise(interrupted);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

bool is_folder(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) throw IoError("cannot open", {.path = path}, errno);
  return S_ISDIR(status.st_mode);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string out{std::istreambuf_iterator<char>(in), {}};
  if (!in && out.empty()) throw IoError("cannot be read", {.path = path}, errno);
  return out;
}

std::vector<Contact> contacts_of(const std::vector<std::string>& names) {
  std::vector<Contact> out;
  for (const auto& name : names) out.push_back({.name = name});
  return out;
}

Collection collection_of(const CreateCommandOptions& options) {
  Collection out;
  if (!options.collection.empty()) out = parse_draft_collection(text_of(options.collection), options.collection);
  if (options.id) out.id = *options.id;
  if (options.dataset_version) out.dataset_version = *options.dataset_version;
  if (out.dataset_version == Collection().dataset_version) out.dataset_version = "1.0.0";
  if (options.title) out.title = options.title;
  if (options.description) out.description = *options.description;
  if (!options.licenses.empty()) out.licenses = options.licenses;
  if (!options.providers.empty()) out.providers = contacts_of(options.providers);
  if (!options.tasks.empty()) out.tasks = options.tasks;
  if (!options.keywords.empty()) out.keywords = options.keywords;
  return out;
}

Tortilla samples_of(const CreateCommandOptions& options) {
  Tortilla out =
      is_folder(options.source) ? Tortilla::from_folder(options.source) : Tortilla::from_table(options.source);
  out = extend(std::move(out), options.extensions);
  if (options.pad) out = out.pad();
  return options.pad_to ? out.pad_to(*options.pad_to) : out;
}

/// What to do about a tree that is refused, when --pad would help.
std::string hint(const CreateCommandOptions& options, const SchemaError& error) {
  if (options.pad || !error.message().starts_with("PIT violation")) return "";
  CreateCommandOptions padded = options;
  padded.pad = true;
  try {
    samples_of(padded);
    return "; --pad fills in what is missing";
  } catch (const Error&) {
    return "";
  }
}

bool show(uint64_t num_done, uint64_t num_bytes, void* bar) {
  static_cast<ProgressBar*>(bar)->show(num_done, num_bytes);
  return interrupted == 0;
}

}  // namespace

int run_create(const CreateCommandOptions& options) {
  struct stat status = {};
  const bool is_one = options.split_size == 0 && options.group_by.empty();
  if (is_one && !options.overwrite && ::lstat(options.output.c_str(), &status) == 0) {
    throw ValidationError("exists already; --overwrite replaces it", {.path = options.output});
  }
  check_extensions(options.extensions);
  const ParquetOptions parquet = parse_parquet(options.parquet);
  try {
    const Taco taco{samples_of(options), collection_of(options)};
    const Interruptible interruptible;  // nothing was written so far
    ProgressBar bar;
    try {
      create(taco, options.output,
             {.overwrite = options.overwrite,
              .split_size = options.split_size,
              .group_by = options.group_by,
              .consolidate = !options.no_tacocat,
              .jobs = options.jobs,
              .parquet = parquet,
              .temp_dir = options.temp_dir,
              .progress = show,
              .user = &bar});
    } catch (const IoError&) {
      if (interrupted == 0) throw;  // else the signal says it
    }
  } catch (const SchemaError& error) {
    throw SchemaError(error.message() + hint(options, error), error.context());
  }
  return 0;
}

}  // namespace tacore::cli
