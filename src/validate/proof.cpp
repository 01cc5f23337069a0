#include "validate/proof.hpp"

#include "io/vsi_path.hpp"
#include "proof/leaves.hpp"
#include "proof/statement.hpp"
#include "tacore/ops/sign.hpp"

namespace tacore::validator {
namespace {

bool states_hashes(const Container& container, const std::string& path) {
  if (find_root(container.collection().json, path)) return true;
  for (int level = 0; level < container.num_levels(); ++level) {
    if (container.stored_level(level)->find(kHashColumn) >= 0) return true;
  }
  return false;
}

}  // namespace

void check_proof(Report& report, const std::shared_ptr<const Storage>& storage, const Detected& at,
                 const std::string& path, const ValidateOptions& options) {
  if (at.format == Format::Tacollection || at.format == Format::Tacocat) {
    for (const Source& source : read_collection(*storage, at, path).sources) {
      const std::string part = path_of_name(options.base_path.empty() ? at.folder : options.base_path, source.file);
      check_proof(report, storage, detect(*storage, part), part, options);
    }
    return;
  }
  if (at.format != Format::Zip && at.format != Format::Folder) return;
  try {
    if (options.key.empty() && !states_hashes(*open_container(storage, at, at.path, ""), path)) return;
    verify_dataset(path, {.task = {.jobs = options.task.jobs}, .key = options.key});
  } catch (const ValidationError& error) {
    report.add("PRF-1", error, {.path = path});
  } catch (const FormatError& error) {
    report.add("PRF-1", error, {.path = path});
  }
}

}  // namespace tacore::validator
