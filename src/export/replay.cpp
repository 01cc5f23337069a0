#include "tacore/ops/replay.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/log.hpp"
#include "base/report.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "export/provenance.hpp"
#include "export/same_bytes.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "model/json_node.hpp"
#include "model/json_text.hpp"
#include "net/storage.hpp"
#include "proof/leaves.hpp"
#include "tacore/interrupt.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tacore/version.hpp"
#include "writer/staging.hpp"

namespace tacore {
namespace {

/// An export, and what it says of itself.
struct Export {
  std::string path = {};
  std::string folder = {};  ///< of its ZIPs, or of the folder that it is
  Format format = Format::Zip;
  Provenance provenance = {};
  SubsetFacts facts = {};
};

/// The JSON text of a member that occurs once. Throws ValidationError where it is missing.
std::string member_text(const Collection& collection, std::string_view key, const std::string& path) {
  for (const auto& member : repeated_members(collection.json)) {
    if (member == key) throw FormatError("COLLECTION.json has the member " + in_quotes(key) + " twice", {.path = path});
  }
  for (const auto& member : json_members(collection.json)) {
    if (parse_json(member.key, path).get<std::string>() != key) continue;
    const std::string_view text = member.text;
    return std::string(trimmed(text.substr(text.find(':', member.key.size()) + 1)));
  }
  throw ValidationError(
      "COLLECTION.json has no " + std::string(key) + "; an export that recorded its provenance expected",
      {.path = path});
}

Export read_export(const std::string& path) {
  const Dataset dataset = load(path);
  Export out{.path = path, .folder = parent_folder(path), .format = dataset.format()};
  if (out.format == Format::Tacollection || is_v1(out.format)) {
    throw ValidationError(std::string("is ") + (is_v1(out.format) ? "a dataset of before 2.0" : "a TACOLLECTION.json") +
                              ", which no export with a provenance is; a ZIP, a FOLDER or an index expected",
                          {.path = path});
  }
  if (out.format == Format::Tacocat) out.folder = detect(*any_storage(), path).folder;
  const std::string date = member_text(dataset.collection(), kSubsetDateMember, path);
  out.facts.provenance = member_text(dataset.collection(), kProvenanceMember, path);
  const auto parsed_date = parse_json(date, path);
  const JsonNode node(parsed_date, path, std::string(kSubsetDateMember));
  try {
    out.facts.date = Timestamp::parse(node.text());
  } catch (const QueryError& error) {
    node.fail("is no time: " + error.message());
  }
  out.provenance = parse_provenance(out.facts.provenance, path);
  return out;
}

// --- Sources

/// A path that may be a source, opened.
struct Candidate {
  std::string path = {};
  Dataset dataset;
  ProvenanceSource facts = {};
  bool is_used = false;
};

std::string in_words(const ProvenanceSource& source) {
  return "the source with id " + in_quotes(source.id) + ", version " + in_quotes(source.dataset_version);
}

Candidate open_candidate(const std::string& path, const std::string& base_path) {
  // One partition of a dataset of before 2.0 is a source by itself.
  Dataset dataset = load(std::span(&path, 1), {.base_path = base_path, .allow_partial = true});
  ProvenanceSource facts = describe_source(dataset);
  return {.path = path, .dataset = std::move(dataset), .facts = std::move(facts)};
}

/// Throws ValidationError that says what changed.
void check_unchanged(const Candidate& found, const ProvenanceSource& expected) {
  const auto compare = [&](const std::string& what, const std::string& now, const std::string& then) {
    if (now == then) return;
    throw ValidationError(in_words(expected) + " has changed since the export: " + what + " is " + in_quotes(now) +
                              ", expected " + in_quotes(then),
                          {.path = found.path});
  };
  const ProvenanceSource& facts = found.facts;
  if (facts.id != expected.id) {
    throw ValidationError("is another dataset than " + in_words(expected) + ": its id is " + in_quotes(facts.id),
                          {.path = found.path});
  }
  compare("dataset_version", facts.dataset_version, expected.dataset_version);
  compare("taco:merkle_root", facts.merkle_root.value_or("none"), expected.merkle_root.value_or("none"));
  compare("the SHA-256 of its metadata", facts.metadata_sha256, expected.metadata_sha256);
}

/// How many facts of a source a dataset has, the most telling first; 0 for another dataset.
int likeness(const ProvenanceSource& found, const ProvenanceSource& expected) {
  if (found.id != expected.id) return 0;
  if (found.metadata_sha256 == expected.metadata_sha256) return 3;
  return found.dataset_version == expected.dataset_version ? 2 : 1;
}

Candidate beside_export(const Export& of, const ProvenanceSource& expected, const std::string& base_path) {
  const std::string path = path_of_name(of.folder, expected.file);
  try {
    return open_candidate(path, base_path);
  } catch (const IoError& error) {
    if (!error.not_found()) throw;
    throw ValidationError(in_words(expected) +
                              " is missing: there is nothing at this path beside the export; say "
                              "where it is (the option source, or sources)",
                          {.path = path});
  }
}

std::vector<Dataset> find_sources(const Export& of, const ReplayOptions& options) {
  std::vector<Candidate> candidates;
  for (const auto& path : options.sources) candidates.push_back(open_candidate(path, options.base_path));
  std::vector<Dataset> out;
  for (const auto& expected : of.provenance.sources) {
    Candidate* best = nullptr;
    int most = 0;
    for (auto& candidate : candidates) {
      // One that is exactly another source does not stand for this one, however much they have in common.
      const auto& known = of.provenance.sources;
      const bool is_another =
          candidate.facts.metadata_sha256 != expected.metadata_sha256 &&
          std::ranges::any_of(known, [&](const auto& other) { return likeness(candidate.facts, other) == 3; });
      if (const int like = is_another ? 0 : likeness(candidate.facts, expected); like > most) {
        best = &candidate;
        most = like;
      }
    }
    const bool is_only = of.provenance.sources.size() == 1 && candidates.size() == 1;
    if (!best && is_only) best = &candidates[0];  // check_unchanged() says what it is
    std::optional<Candidate> beside;
    if (!best) best = &beside.emplace(beside_export(of, expected, options.base_path));
    best->is_used = true;
    check_unchanged(*best, expected);
    out.push_back(best->dataset);
  }
  for (const auto& candidate : candidates) {
    if (candidate.is_used) continue;
    throw ValidationError("is no source of the export " + in_quotes(of.path) + ": its id is " +
                              in_quotes(candidate.facts.id) + ", version " + in_quotes(candidate.facts.dataset_version),
                          {.path = candidate.path});
  }
  return out;
}

// --- Output

/// Throws ValidationError for an output whose bytes would be others, or which is the export.
void check_replay_output(const Export& of, const std::string& output) {
  const std::string& name = of.provenance.output;
  if (is_zip_name(output) != is_zip_name(name)) {
    throw ValidationError(std::string("the export was ") + (is_zip_name(name) ? "a ZIP" : "a FOLDER") + ", " +
                              in_quotes(name) + "; an output of the same container expected",
                          {.path = output});
  }
  const CreateOptions& create = of.provenance.options.create;
  const bool may_split = create.split_size.value_or(0) > 0 || !create.group_by.empty();
  if (may_split && file_name(output) != name) {
    throw ValidationError("the ZIPs of the export are named after " + in_quotes(name) +
                              ", as an output of several ZIPs must be; another folder with this name expected",
                          {.path = output});
  }
  if (is_remote(of.path)) return;
  require_apart(output, {of.path});
  std::error_code none;
  if (may_split && std::filesystem::equivalent(path_join(parent_folder(output), "."), path_join(of.folder, "."), none))
    throw ValidationError("would replace the export; another folder expected", {.path = output});
}

/// Passes on the progress of writing, and repeats its last numbers while files are compared.
class ReplayProgress {
 public:
  explicit ReplayProgress(const Task& task) : task_(task) {}

  Task task() { return {.jobs = task_.jobs, .progress = task_.progress ? &note : nullptr, .user = this}; }
  void repeat(const std::string& path) const { report(task_, num_done_, num_total_, path); }

 private:
  static bool note(uint64_t num_done, uint64_t num_total, void* user) {
    auto& self = *static_cast<ReplayProgress*>(user);
    self.num_done_ = num_done;
    self.num_total_ = num_total;
    return self.task_.progress(num_done, num_total, self.task_.user);
  }

  const Task& task_;
  uint64_t num_done_ = 0, num_total_ = 0;
};

/// Makes a temporary place that is removed with the result.
std::unique_ptr<const StagingDir> temporary_place(const std::string& temp_dir) {
  const char* system = std::getenv("TMPDIR");
  const std::string folder = !temp_dir.empty() ? temp_dir : system && *system != '\0' ? system : "/tmp";
  return std::make_unique<const StagingDir>(path_join(folder, "replay"), "");
}

/// Throws ValidationError for an export that was converted since.
void check_container(const Export& of) {
  const bool is_zip = is_zip_name(of.provenance.output);
  if (of.format == Format::Tacocat || (of.format == Format::Zip) == is_zip) return;
  throw ValidationError(std::string("is ") + (is_zip ? "a FOLDER, but a ZIP" : "a ZIP, but a FOLDER") +
                            " was exported: it was converted since",
                        {.path = of.path});
}

/// Whether a sample has the data that its column `taco:sha256` states; nullopt without such a hash.
std::optional<bool> has_stated_data(const Dataset& dataset, const std::string& sample) {
  const auto ids = split(sample, '/');
  DataFrame rows = dataset.data();
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) rows = std::get<DataFrame>(rows.read(ids[i]));
  const auto column = std::ranges::find(rows.columns(), kHashColumn, &Column::name);
  if (column == rows.columns().end() || column->type != "binary") return std::nullopt;
  rows = rows.filter("id = " + sql_literal(ids.back()));
  const auto stated = rows.text(0, kHashColumn);
  if (!stated) return std::nullopt;
  const Sha256 found = sha256(rows.read_bytes(0));
  return base64(found) == *stated;
}

/// Adds to the differences from `first` on whether a hash of the source tells which of both has changed.
void add_reasons(const std::string& made, std::size_t first, ReplayResult& out) {
  const Dataset dataset = load(made);
  for (std::size_t i = first; i < out.differences.size(); ++i) {
    ReplayDifference& each = out.differences[i];
    if (each.sample.empty() || !each.what.starts_with("has ")) continue;
    const auto is_right = has_stated_data(dataset, each.sample);
    if (!is_right) continue;
    each.what += *is_right ? "; the data of taco:sha256, which the export has not"
                           : "; not the data of taco:sha256: the source has changed";
  }
}

void compare_with(const Export& of, const std::vector<std::string>& made, const SameBytes& same, ReplayResult& out) {
  const bool is_alone = made.size() == 1 && of.format != Format::Tacocat;
  for (const auto& path : made) {
    const std::string expected = is_alone ? of.path : path_of_name(of.folder, file_name(path));
    const std::size_t first = out.differences.size();
    if (is_zip_name(of.provenance.output)) same.compare_zip(path, expected, out);
    else same.compare_folder(path, expected, out);
    if (out.differences.size() > first) add_reasons(path, first, out);
  }
  if (made.size() > 1 && of.provenance.options.create.consolidate) {
    same.compare_folder(path_join(parent_folder(made[0]), names::kTacocatFolder),
                        path_join(of.folder, names::kTacocatFolder), out);
  }
}

}  // namespace

ReplayResult replay_export(const std::string& path, const ReplayOptions& options) {
  const Export of = read_export(path);
  const Provenance& provenance = of.provenance;
  check_container(of);
  const std::string output = without_slashes(options.output);
  if (!output.empty()) check_replay_output(of, output);
  if (provenance.tool_version != version()) {
    log::warning(path + ": was exported by tacore " + provenance.tool_version +
                 ", which may have written other bytes than " + version());
  }
  const Dataset dataset = select(provenance.selection, find_sources(of, options));
  ExportOptions how = provenance.options;
  ReplayProgress progress(options.task);
  how.create.task = progress.task();
  how.create.output.overwrite = options.overwrite;
  how.create.output.temp_dir = output.empty() ? "" : options.temp_dir;
  how.create.max_concurrent_requests = options.max_concurrent_requests;
  how.create.transformer = options.transformer;
  std::unique_ptr<const StagingDir> place;
  if (output.empty()) place = temporary_place(options.temp_dir);
  const auto made = export_with(dataset, place ? place->path(provenance.output) : output, how, of.facts);
  ReplayResult out{.tool_version = provenance.tool_version};
  if (!place) out.paths = made;
  const auto storage = any_storage();
  const auto go_on = [&] {
    throw_if_interrupted();
    progress.repeat(path);
  };
  compare_with(of, made, SameBytes(*storage, go_on), out);
  return out;
}

}  // namespace tacore
