#include "validate/assets.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "base/text.hpp"
#include "io/vsi_path.hpp"

namespace tacore::validator {

std::vector<CheckedAssets> check_assets(const std::shared_ptr<const Storage>& storage, const Detected& at,
                                        const std::string& path, const ValidateOptions& options, bool& is_cancelled) {
  std::vector<CheckedAssets> out;
  if (at.format == Format::Tacollection) {
    for (const Source& source : read_collection(*storage, at, path).sources) {
      const std::string part = path_of_name(options.base_path.empty() ? at.folder : options.base_path, source.file);
      for (auto& one : check_assets(storage, detect(*storage, part), part, options, is_cancelled))
        out.push_back(std::move(one));
    }
    return out;
  }
  assets::SurveyOptions how{.sample_size = options.sample_size,
                            .seed = options.seed,
                            .pixels = options.pixels,
                            .jobs = options.task.jobs,
                            .transformer = options.transformer,
                            .fallback = options.fallback};
  if (options.task.progress) {
    how.tell = [&](uint64_t num_done, uint64_t num_all) {
      is_cancelled = !options.task.progress(num_done, num_all, options.task.user);
      if (is_cancelled) throw IoError("stopped", {.path = path});
    };
  }
  out.push_back({path, assets::check_assets(open_container(storage, at, path, options.base_path), how)});
  return out;
}

namespace {

/// The samples that these rows of a layer belong to, each once.
std::vector<FaultySample> samples_of(const assets::Layer& layer, std::span<const std::size_t> rows) {
  std::vector<FaultySample> out;
  for (const std::size_t row : rows) {
    const auto& place = row < layer.places.size() ? layer.places[row] : std::nullopt;
    out.push_back({layer.roots[row], place ? std::optional(place->centre) : std::nullopt});
  }
  std::ranges::stable_sort(out, {}, &FaultySample::row);
  const auto [first, last] = std::ranges::unique(out, {}, &FaultySample::row);
  out.erase(first, last);
  return out;
}

}  // namespace

void tell_assets(Report& report, const std::vector<CheckedAssets>& checked) {
  for (const auto& [path, found] : checked) {
    for (const assets::Finding& finding : found.findings) {
      const assets::Layer& layer = found.survey.layers[finding.layer];
      const ErrorContext where{.path = path, .offset = {}, .level = layer.level};
      if (!finding.message.empty()) {
        std::string about = layer.name.empty() ? std::string() : "rows " + in_quotes(layer.name) + ": ";
        if (finding.columns.size() == 1) about += finding.columns[0] + ": ";
        report.add(finding.rule, about + finding.message, where, samples_of(layer, finding.rows));
        continue;
      }
      std::set<std::size_t> told;
      for (const auto& [index, message] : finding.faults) {
        const std::string sample = found.survey.container->relative_path(layer.level, layer.rows[index]);
        report.add(finding.rule, "sample " + in_quotes(sample) + ": " + message, where,
                   samples_of(layer, std::span(&index, 1)));
        told.insert(index);
      }
      std::vector<std::size_t> others;
      std::ranges::copy_if(finding.rows, std::back_inserter(others),
                           [&](std::size_t row) { return !told.contains(row); });
      report.add_more(finding.rule, others.size(), where, samples_of(layer, others));
    }
  }
}

}  // namespace tacore::validator
