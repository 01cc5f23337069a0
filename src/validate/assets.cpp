#include "validate/assets.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <span>

#include "base/text.hpp"
#include "io/vsi_path.hpp"

namespace tacore::validator {

namespace {

/// The containers that have samples: of a TACOLLECTION.json, those of its datasets. Each is open only while it is
/// visited, unless `visit` keeps it.
void for_each_container(
    const std::shared_ptr<const Storage>& storage, const Detected& at, const std::string& path,
    const std::string& base_path,
    const std::function<void(const std::string& path, const std::shared_ptr<const Container>& container)>& visit) {
  if (at.format != Format::Tacollection) return visit(path, open_container(storage, at, path, base_path));
  for (const Source& source : read_collection(*storage, at, path).sources) {
    const std::string part = path_of_name(base_path.empty() ? at.folder : base_path, source.file);
    for_each_container(storage, detect(*storage, part), part, base_path, visit);
  }
}

assets::SurveyOptions survey_options(const ValidateOptions& options) {
  return {.sample_size = options.sample_size,
          .seed = options.seed,
          .pixels = options.pixels,
          .jobs = options.task.jobs,
          .transformer = options.transformer,
          .fallback = options.fallback};
}

}  // namespace

std::vector<std::string> read_assets_part(const std::shared_ptr<const Storage>& storage, const Detected& at,
                                          const std::string& path, const ValidateOptions& options, std::size_t part,
                                          std::size_t num_parts) {
  std::vector<std::string> out;
  const auto how = survey_options(options);
  for_each_container(storage, at, path, options.base_path, [&](const std::string&, const auto& container) {
    out.push_back(assets::survey_part(container, how, part, num_parts));
  });
  return out;
}

std::vector<CheckedAssets> check_assets(const std::shared_ptr<const Storage>& storage, const Detected& at,
                                        const std::string& path, const ValidateOptions& options,
                                        std::span<const PartOfFiles> parts, bool& is_cancelled) {
  std::vector<CheckedAssets> out;
  auto how = survey_options(options);
  if (options.task.progress) {
    how.tell = [&](uint64_t num_done, uint64_t num_all) {
      is_cancelled = !options.task.progress(num_done, num_all, options.task.user);
      if (is_cancelled) throw IoError("stopped", {.path = path});
    };
  }
  for_each_container(storage, at, path, options.base_path, [&](const std::string& file, const auto& container) {
    how.parts.clear();
    for (const PartOfFiles& part : parts) {
      if (out.size() >= part.facts.size())
        throw IoError("has more datasets than when its parts were read", {.path = path});
      how.parts.push_back(part.facts[out.size()]);
    }
    out.push_back({file, assets::check_assets(container, how)});
  });
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
