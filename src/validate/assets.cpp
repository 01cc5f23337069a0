#include "validate/assets.hpp"

#include "assets/check.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "io/vsi_path.hpp"

namespace tacore::validator {
namespace {

void tell(Report& report, const assets::AssetReport& found, const std::string& path) {
  for (const assets::Finding& finding : found.findings) {
    const assets::Layer& layer = found.survey.layers[finding.layer];
    const ErrorContext where{.path = path, .offset = {}, .level = layer.level};
    if (!finding.message.empty()) {
      std::string about = layer.name.empty() ? std::string() : "rows " + in_quotes(layer.name) + ": ";
      if (finding.columns.size() == 1) about += finding.columns[0] + ": ";
      report.add(finding.rule, about + finding.message, where);
      continue;
    }
    for (const auto& [index, message] : finding.faults) {
      const std::string sample = found.survey.container->relative_path(layer.level, layer.rows[index]);
      report.add(finding.rule, "sample " + in_quotes(sample) + ": " + message, where);
    }
    report.add_more(finding.rule, finding.rows.size() - finding.faults.size(), where);
  }
}

}  // namespace

void check_assets(Report& report, const std::shared_ptr<const Storage>& storage, const Detected& at,
                  const std::string& path, const ValidateOptions& options) {
  if (at.format == Format::Tacollection) {
    for (const Source& source : read_collection(*storage, at, path).sources) {
      const std::string part = path_of_name(options.base_path.empty() ? at.folder : options.base_path, source.file);
      check_assets(report, storage, detect(*storage, part), part, options);
    }
    return;
  }
  assets::SurveyOptions how{.sample_size = options.sample_size,
                            .seed = options.seed,
                            .jobs = options.task.jobs,
                            .transformer = options.transformer};
  if (options.task.progress) {
    how.tell = [&](uint64_t num_done, uint64_t num_all) { tacore::report(options.task, num_done, num_all, path); };
  }
  tell(report, assets::check_assets(open_container(storage, at, path, options.base_path), how), path);
}

}  // namespace tacore::validator
