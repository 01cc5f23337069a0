#include "tacore/ops/sign.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "dataset/open_container.hpp"
#include "edit/plan.hpp"
#include "io/entry_at.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "proof/key_files.hpp"
#include "proof/leaves.hpp"
#include "proof/merkle.hpp"
#include "proof/statement.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/edit.hpp"

namespace tacore {
namespace {

/// The edit that states a root, in hexadecimal digits.
Edit edit_for(const std::string& digits) { return {.set = {{std::string(kRootMember), "\"" + digits + "\""}}}; }

/// A file that is complete but for its name.
std::unique_ptr<OutputFile> written(const std::string& path, std::span<const std::byte> bytes,
                                    const SignOptions& options) {
  auto out = std::make_unique<OutputFile>(path, options.overwrite);
  out->write(0, bytes);
  out->sync();
  return out;
}

}  // namespace

SignResult sign_dataset(const std::string& given, const SignOptions& options) {
  require_local(given, "changed in place");
  minisign::SecretKey key;
  read_secret_key(options.key, options.password, key);
  const auto storage = local_storage();
  const Detected at = detect(*storage, given);
  check_provable(at.format, given);
  const std::string& path = at.path;
  const std::vector<std::string> files{path + std::string(kTreeSuffix), path + std::string(kStatementSuffix),
                                       path + std::string(kSignatureSuffix)};
  // Before hours of reading: whether they can be written.
  for (const auto& file : files) {
    if (!options.overwrite && entry_at(file)) throw ValidationError("exists already", {.path = file});
    OutputFile(file, options.overwrite);
  }
  const Unchanged unchanged(path);
  const auto container = open_container(storage, at, path, "");
  const std::string draft =
      plan_edit(edit_for(std::string(64, '0')), container->collection(), container.get(), given).collection;
  std::vector<RowFault> faults;
  const auto leaves = all_leaves(*container, num_threads(options.task.jobs), faults,
                                 [&](uint64_t done, uint64_t total) { report(options.task, done, total, given); });
  if (!faults.empty()) {
    throw ValidationError(
        "contradicts itself, and is not signed (taco validate --deep explains it): " + list_faults(*container, faults),
        {.path = given});
  }
  SignResult out{.files = files};
  std::vector<LevelRoot> levels;
  for (const auto& level : leaves) {
    levels.push_back({level.size(), root_of(level)});
    out.num_samples += static_cast<int64_t>(level.size());
  }
  const Sha256 root = dataset_root(sha256(bytes_of(draft)), levels);
  out.root = hex(root);
  const std::string statement = statement_of(container->collection(), root);
  const std::string signature = minisign::sign(key, bytes_of(statement), "TACO dataset, merkle root " + out.root);
  std::vector<std::unique_ptr<OutputFile>> outputs;
  outputs.push_back(written(files[0], encode_trees(leaves), options));
  outputs.push_back(written(files[1], bytes_of(statement), options));
  outputs.push_back(written(files[2], bytes_of(signature), options));
  const auto known = find_root(container->collection().json, path);
  if (!known || known->root != root || known->text != draft) {
    unchanged.check();
    const auto num_rows = static_cast<uint64_t>(out.num_samples);
    report(options.task, num_rows, num_rows, given);  // the last chance to stop
    edit(path, edit_for(out.root), {.temp_dir = options.temp_dir});
  }
  for (const auto& output : outputs) output->commit();
  return out;
}

}  // namespace tacore
