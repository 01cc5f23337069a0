#include "assets/survey.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <random>
#include <unordered_map>

#include "assets/facts_bytes.hpp"
#include "base/threads.hpp"
#include "container/read_hints.hpp"
#include "container/zip_samples.hpp"
#include "io/memory_source.hpp"
#include "model/identifier.hpp"
#include "model/known_crs.hpp"
#include "tacore/error.hpp"

namespace tacore::assets {
namespace {

/// More positions than any dataset of equal samples has: beyond them, the rows of a level are taken for one layer.
constexpr std::size_t kMostLayers = 4096;
constexpr std::size_t kFilesAtOnce = 256;
/// Threads that wait for a server.
constexpr int kRemoteJobs = 32;

std::vector<bool> chosen_roots(int64_t num_rows, const SurveyOptions& options) {
  std::vector<bool> out(static_cast<std::size_t>(num_rows),
                        options.sample_size <= 0 || options.sample_size >= num_rows);
  if (num_rows == 0 || out[0]) return out;
  std::mt19937_64 random(options.seed);
  // Floyd's choice of distinct numbers.
  for (int64_t last = num_rows - options.sample_size; last < num_rows; ++last) {
    const auto one = static_cast<std::size_t>(random() % static_cast<uint64_t>(last + 1));
    out[out[one] ? static_cast<std::size_t>(last) : one] = true;
  }
  return out;
}

/// The layers of a container, without facts.
std::vector<Layer> layers_of(const Container& container, const std::vector<bool>& chosen, int64_t& num_samples) {
  std::vector<Layer> out;
  std::unordered_map<std::string, int64_t> roots;  // by id, and source file in an index
  for (int level = 0; level < container.num_levels(); ++level) {
    const auto table = container.level(level);
    const int id = table->find(names::kId), source_file = table->find(names::kSourceFile);
    std::map<std::string, std::size_t, std::less<>> by_name;
    const std::size_t first = out.size();
    for (int64_t row = 0; row < table->num_rows(); ++row) {
      if (is_padding_id(table->text(id, row).value_or(""))) continue;
      const std::string path = container.relative_path(level, row);
      const std::string file = source_file < 0 ? std::string() : table->text(source_file, row).value_or("");
      const std::size_t end = std::min(path.find('/'), path.size());
      std::string root = file + "/" + path.substr(0, end);
      if (level == 0) {
        ++num_samples;
        if (!chosen[static_cast<std::size_t>(row)]) continue;
        roots.emplace(root, row);
      }
      const auto found = roots.find(root);
      if (found == roots.end()) continue;
      std::string name = level == 0 ? std::string() : path.substr(std::min(end + 1, path.size()));
      if (by_name.size() >= kMostLayers && !by_name.contains(name)) name.clear();
      auto [place, is_new] = by_name.emplace(std::move(name), out.size());
      if (is_new) out.push_back({.level = level, .name = place->first, .type = sample_type(*table, row)});
      out[place->second].rows.push_back(row);
      out[place->second].roots.push_back(found->second);
    }
    for (std::size_t i = first; i < out.size(); ++i) {
      Layer& layer = out[i];
      if (std::ranges::is_sorted(layer.roots)) continue;
      std::vector<std::pair<int64_t, int64_t>> pairs;
      for (std::size_t k = 0; k < layer.size(); ++k) pairs.emplace_back(layer.roots[k], layer.rows[k]);
      std::ranges::sort(pairs);
      for (std::size_t k = 0; k < pairs.size(); ++k) std::tie(layer.roots[k], layer.rows[k]) = pairs[k];
    }
  }
  return out;
}

/// A file, by its layer and its index there.
struct FileOf {
  Layer* layer = nullptr;
  std::size_t index = 0;

  AssetFacts& facts() const { return layer->facts[index]; }
};

/// A file that is missing, or damaged where it says what it is, is a fault of this file.
AssetFacts read_header(const Container& container, const FileOf& file, AssetKinds& kinds) {
  try {
    return facts_of(container.open_data(container.address(file.layer->level, file.layer->rows[file.index])), kinds);
  } catch (const FormatError& error) {
    return {.fault = error.message()};
  } catch (const IoError& error) {
    if (!error.not_found()) throw;
    return {.fault = error.message()};
  }
}

/// Reads files of a server that are small enough together, since neighbours then take one request.
void read_headers(const Container& container, std::span<const FileOf> files, AssetKinds& kinds) {
  std::vector<FileOf> small, others;
  std::vector<std::shared_ptr<const ByteSource>> sources;
  if (!container.is_local()) {
    for (const FileOf& file : files) {
      try {
        auto source = container.open_data(container.address(file.layer->level, file.layer->rows[file.index]));
        const bool is_small = source->size() <= kHeadSize;
        (is_small ? small : others).push_back(file);
        if (is_small) sources.push_back(std::move(source));
      } catch (const Error&) {  // thrown again where it is read alone
        others.push_back(file);
      }
    }
    try {
      auto bytes = read_samples(sources);
      for (std::size_t i = 0; i < small.size(); ++i)
        small[i].facts() = facts_of(memory_source(sources[i]->name(), std::move(bytes[i])), kinds);
    } catch (const FormatError&) {  // one of them is not what its row says: each is read alone
      others.insert(others.end(), small.begin(), small.end());
    }
    files = others;
  }
  for (const FileOf& file : files) file.facts() = read_header(container, file, kinds);
}

/// Makes room for the facts of all FILEs. Returns these, neighbours together: mostly the files of a sample.
std::vector<FileOf> files_of(Survey& survey) {
  std::vector<FileOf> out;
  for (Layer& layer : survey.layers) {
    if (layer.type != SampleType::File) continue;
    layer.facts.resize(layer.size());
    for (std::size_t i = 0; i < layer.size(); ++i) out.push_back({&layer, i});
  }
  std::ranges::stable_sort(out, {}, [](const FileOf& file) { return file.layer->roots[file.index]; });
  survey.num_files = static_cast<int64_t>(out.size());
  return out;
}

void read_facts(const Container& container, std::span<const FileOf> files, const SurveyOptions& options) {
  AssetKinds kinds;
  const int jobs = container.is_local() ? num_threads(options.jobs) : std::max(kRemoteJobs, options.jobs);
  std::mutex mutex;
  uint64_t num_done = 0;
  run_parallel((files.size() + kFilesAtOnce - 1) / kFilesAtOnce, jobs, [&](std::size_t i) {
    const std::size_t begin = i * kFilesAtOnce, end = std::min(files.size(), begin + kFilesAtOnce);
    read_headers(container, files.subspan(begin, end - begin), kinds);
    const std::lock_guard lock(mutex);
    num_done += end - begin;
    if (options.tell) options.tell(num_done, files.size());
  });
}

/// Takes the facts that other processes have read.
void take_facts(const std::string& path, std::span<const FileOf> files, const SurveyOptions& options) {
  AssetKinds kinds;
  std::size_t at = 0;
  for (const std::string_view part : options.parts) {
    auto facts = decode_facts(part, kinds);
    if (facts.size() > files.size() - at) at = files.size() + 1;
    if (at > files.size()) break;
    for (AssetFacts& each : facts) files[at++].facts() = std::move(each);
  }
  if (at != files.size()) throw IoError("has other files than when the parts of its headers were read", {.path = path});
}

/// The files of a part, in whole pieces, so that each request is the same whatever the number of parts.
std::span<const FileOf> files_of_part(std::span<const FileOf> files, std::size_t part, std::size_t num_parts) {
  const std::size_t num_pieces = (files.size() + kFilesAtOnce - 1) / kFilesAtOnce;
  const auto first = [&](std::size_t of) { return std::min(num_pieces * of / num_parts * kFilesAtOnce, files.size()); };
  return files.subspan(first(part), first(part + 1) - first(part));
}

Survey without_facts(const std::shared_ptr<const Container>& container, const SurveyOptions& options) {
  Survey out{.container = container};
  const auto chosen = chosen_roots(container->stored_level(0)->num_rows(), options);
  out.layers = layers_of(*container, chosen, out.num_samples);
  if (!out.layers.empty()) out.num_checked = static_cast<int64_t>(out.layers[0].size());
  return out;
}

bool is_below(const std::string& name, const std::string& folder) {
  return folder.empty() ? !name.empty() : name.starts_with(folder + "/");
}

/// Places of FOLDERs: those of the files below them.
void take_places(Survey& survey) {
  for (Layer& layer : survey.layers) {
    if (layer.type != SampleType::Folder) continue;
    layer.places.resize(layer.size());
    for (const Layer& below : survey.layers) {
      if (below.type != SampleType::File || !is_below(below.name, layer.name)) continue;
      std::size_t at = 0;
      for (std::size_t k = 0; k < below.size(); ++k) {
        while (at < layer.size() && layer.roots[at] < below.roots[k]) ++at;
        if (at == layer.size() || layer.roots[at] != below.roots[k] || !below.places[k]) continue;
        auto& place = layer.places[at];
        if (!place) place = below.places[k];
        place->reach =
            std::max(place->reach, distance(place->centre, below.places[k]->centre) + below.places[k]->reach);
      }
    }
  }
}

}  // namespace

double distance(const LonLat& a, const LonLat& b) {
  constexpr double kRadian = std::numbers::pi / 180;
  const double across = std::remainder(a.lon - b.lon, 360) * std::cos((a.lat + b.lat) / 2 * kRadian);
  return std::hypot(across, a.lat - b.lat);
}

std::optional<Place> place_of(const AssetFacts& facts, const CrsTransformer* transformer) {
  if (!facts.kind || facts.kind->crs.empty() || !facts.geotransform) return std::nullopt;
  const auto& t = *facts.geotransform;
  const auto at = [&](double x, double y) {
    return to_wgs84(facts.kind->crs, t[0] + x * t[1] + y * t[2], t[3] + x * t[4] + y * t[5], transformer);
  };
  const auto width = static_cast<double>(facts.kind->width), height = static_cast<double>(facts.kind->height);
  try {
    Place out{.centre = at(width / 2, height / 2)};
    if (!(std::abs(out.centre.lon) <= 360 && std::abs(out.centre.lat) <= 90)) return std::nullopt;
    for (const double x : {0.0, width}) {
      for (const double y : {0.0, height}) out.radius = std::max(out.radius, distance(out.centre, at(x, y)));
    }
    out.reach = out.radius;
    return out;
  } catch (const SchemaError&) {
    return std::nullopt;
  }
}

Survey survey(const std::shared_ptr<const Container>& container, const SurveyOptions& options) {
  Survey out = without_facts(container, options);
  const auto files = files_of(out);
  if (options.parts.empty()) {
    read_facts(*container, files, options);
  } else {
    take_facts(container->path(), files, options);
  }
  for (Layer& layer : out.layers) {
    if (layer.type != SampleType::File) continue;
    layer.places.resize(layer.size());
    run_parallel((layer.size() + kFilesAtOnce - 1) / kFilesAtOnce, num_threads(options.jobs), [&](std::size_t i) {
      for (std::size_t k = i * kFilesAtOnce; k < std::min(layer.size(), (i + 1) * kFilesAtOnce); ++k)
        layer.places[k] = place_of(layer.facts[k], options.transformer);
    });
  }
  take_places(out);
  return out;
}

std::string survey_part(const std::shared_ptr<const Container>& container, const SurveyOptions& options,
                        std::size_t part, std::size_t num_parts) {
  Survey survey = without_facts(container, options);
  const auto all = files_of(survey);
  const auto files = files_of_part(all, part, num_parts);
  read_facts(*container, files, options);
  std::vector<AssetFacts> facts;
  for (const FileOf& file : files) facts.push_back(std::move(file.facts()));
  return encode_facts(facts);
}

}  // namespace tacore::assets
