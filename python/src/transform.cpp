#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "interruptible.hpp"
#include "options.hpp"
#include "others.hpp"
#include "path.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/diff.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/ops/publish.hpp"
#include "tacore/ops/repair.hpp"
#include "tacore/ops/replay.hpp"
#include "tacore/ops/sidecar.hpp"
#include "tacore/ops/sign.hpp"
#include "tacore/ops/sync.hpp"

namespace tacore::python {
namespace {

/// Runs create_tacocat() or create_tacollection(), which have the same arguments.
template <class Options, std::string (*Write)(const std::vector<std::string>&, const Options&)>
nb::str consolidate(const std::vector<Path>& inputs, const Keywords& given, nb::handle callback) {
  const auto paths = values_of(inputs);
  auto options = options_of<Options>(given);
  Progress progress(callback, options.task);
  return text(progress.run([&] { return Write(paths, options); }));
}

nb::typed<nb::list, nb::str> make_sidecar(const Path& path, const Keywords& given, nb::handle callback) {
  auto options = options_of<SidecarOptions>(given);
  Progress progress(callback, options.task);
  return texts(progress.run([&] { return create_sidecar(path.value, options); }));
}

nb::typed<nb::list, nb::str> prove_sidecar(const Path& path, nb::handle callback) {
  Task task;
  Progress progress(callback, task);
  return texts(progress.run([&] { return check_sidecar(path.value, task); }));
}

nb::str make_key(const Path& path, const std::optional<std::string>& password, const Keywords& given) {
  auto options = options_of<KeyOptions>(given);
  options.password = password;
  const std::string made = [&] {
    const nb::gil_scoped_release release;
    return create_key(path.value, options);
  }();
  return text(made);
}

/// (root, files, number of samples)
nb::tuple sign(const Path& path, const Path& key, const std::optional<std::string>& password, const Keywords& given,
               nb::handle callback) {
  auto options = options_of<SignOptions>(given);
  options.key = key.value;
  options.password = password;
  Progress progress(callback, options.task);
  const SignResult done = progress.run([&] { return sign_dataset(path.value, options); });
  return nb::make_tuple(done.root, texts(done.files), done.num_samples);
}

/// (root, key id, number of samples, bytes of proof)
nb::tuple verify(const Path& path, const Keywords& given, nb::handle callback) {
  auto options = options_of<VerifyOptions>(given);
  Progress progress(callback, options.task);
  const VerifyResult done = progress.run([&] { return verify_dataset(path.value, options); });
  return nb::make_tuple(done.root, done.key_id, done.num_samples, done.num_proof_bytes);
}

nb::typed<nb::list, nb::str> export_dataset(const Dataset& dataset, const Path& output, const Keywords& given,
                                            nb::handle callback) {
  auto options = options_of<ExportOptions>(given, {.create = create_options({})});
  Progress progress(callback, options.create.task);
  return texts(progress.run([&] { return tacore::export_dataset(dataset, output.value, options); }));
}

/// (paths, version of tacore, bytes, number of differences, differences as tuples)
nb::tuple replay(const Path& path, const Keywords& given, nb::handle callback) {
  auto options = options_of<ReplayOptions>(given);
  options.transformer = crs_transformer();
  Progress progress(callback, options.task);
  const ReplayResult done = progress.run([&] { return replay_export(path.value, options); });
  nb::list differences;
  for (const ReplayDifference& each : done.differences) {
    differences.append(
        nb::make_tuple(text(each.path), text(each.entry), text(each.sample), nb::cast(each.offset), text(each.what)));
  }
  return nb::make_tuple(texts(done.paths), text(done.tool_version), done.num_bytes, done.num_differences, differences);
}

/// Runs convert(), zip2folder() or folder2zip(), which have the same arguments.
template <auto Convert>
void convert_by(const Path& input, const Path& output, const Keywords& create, nb::handle callback) {
  CreateOptions options = create_options(create);
  Progress progress(callback, options.task);
  progress.run([&] { Convert(input.value, output.value, options); });
}

void edit(const Path& path, std::vector<std::pair<std::string, std::string>> set, std::vector<std::string> unset,
          int level, std::vector<std::string> drop, const std::vector<Path>& columns, const Keywords& given,
          nb::handle callback) {
  const Edit changes{.set = std::move(set),
                     .unset = std::move(unset),
                     .level = level,
                     .drop = std::move(drop),
                     .columns = values_of(columns)};
  auto options = options_of<EditOptions>(given);
  Progress progress(callback, options.task);
  progress.run([&] { tacore::edit(path.value, changes, options); });
}

std::string propose(const Path& path, const Path& base_path, const Keywords& given, nb::handle callback) {
  ProposeOptions options{.base_path = base_path.value, .transformer = crs_transformer()};
  options.task = options_of<Task>(given);
  Progress progress(callback, options.task);
  std::string out;
  progress.run([&] { out = propose_repairs(path.value, options); });
  return out;
}

ApplyOptions accepted(bool accept_all, std::vector<int> accept) {
  return {.accept_all = accept_all, .accept = std::move(accept)};
}

nb::tuple apply(const Path& path, const std::string& plan, bool accept_all, std::vector<int> accept,
                const Keywords& given, nb::handle callback) {
  ApplyOptions options = accepted(accept_all, std::move(accept));
  options.edit = options_of<EditOptions>(given);
  Progress progress(callback, options.edit.task);
  RepairResult out;
  progress.run([&] { out = apply_repairs(path.value, plan, options); });
  return nb::make_tuple(out.num_repairs, out.num_left, out.num_values);
}

void any_convert(const std::string& input, const std::string& output, const CreateOptions& options) {
  tacore::convert(input, output, options);
}

nb::tuple value_change(const ValueChange& from) {
  return nb::make_tuple(text(from.name), text_or_none(from.a), text_or_none(from.b));
}

nb::list value_changes(const std::vector<ValueChange>& all) {
  nb::list out;
  for (const auto& each : all) out.append(value_change(each));
  return out;
}

nb::tuple sample_change(const SampleChange& from) {
  return nb::make_tuple(to_string(from.change), from.level, text(from.path), value_changes(from.fields),
                        text(from.bytes));
}

Keywords diff(const Path& a, const Path& b, const Keywords& given, nb::handle callback) {
  auto options = options_of<DiffOptions>(given);
  Progress progress(callback, options.task);
  const Diff found = progress.run([&] { return tacore::diff(a.value, b.value, options); });
  nb::list columns, samples;
  for (const auto& each : found.columns) columns.append(nb::make_tuple(each.level, value_change(each.type)));
  for (const auto& each : found.samples) samples.append(sample_change(each));
  Keywords out;
  out["collection"] = value_changes(found.collection);
  out["columns"] = columns;
  out["num_added"] = found.num_added;
  out["num_removed"] = found.num_removed;
  out["num_changed"] = found.num_changed;
  out["samples"] = samples;
  return out;
}

template <SyncResult (*Sync)(const std::string&, const std::string&, const SyncOptions&)>
nb::tuple sync_by(const Path& from, const Path& to, const Keywords& given, nb::handle callback) {
  auto options = options_of<SyncOptions>(given);
  Progress progress(callback, options.task);
  const SyncResult result = progress.run([&] { return Sync(from.value, to.value, options); });
  return nb::make_tuple(result.num_chunks_moved, result.num_bytes_moved, result.num_chunks_reused,
                        result.num_bytes_reused, result.replaced);
}

/// The files as tuples (name, size, SHA-256, state), and the number of bytes that were sent.
nb::tuple publish(const Path& dataset, const Path& folder, const std::string& platform, const Keywords& given,
                  nb::handle callback) {
  constexpr std::pair<const char*, Platform> kPlatforms[] = {{"huggingface", Platform::HuggingFace},
                                                             {"zenodo", Platform::Zenodo},
                                                             {"source-cooperative", Platform::SourceCooperative}};
  const auto* chosen = std::find_if(std::begin(kPlatforms), std::end(kPlatforms),
                                    [&](const auto& each) { return platform == each.first; });
  if (chosen == std::end(kPlatforms)) {
    throw QueryError("platform is '" + platform + "'; 'huggingface', 'zenodo' or 'source-cooperative' expected");
  }
  auto options = options_of<PublishOptions>(given, {.transformer = crs_transformer()});
  Progress progress(callback, options.task);
  const Published done =
      progress.run([&] { return publish_dataset(dataset.value, folder.value, chosen->second, options); });
  nb::list files;
  for (const PublishedFile& file : done.files) {
    const char* state = file.state == Publication::Prepared ? "prepared"
                        : file.state == Publication::Stored ? "stored"
                        : file.state == Publication::Sent   ? "sent"
                                                            : "missing";
    files.append(nb::make_tuple(text(file.name), file.size, file.sha256, state));
  }
  return nb::make_tuple(files, done.num_bytes_sent);
}

/// The samples of a dataset as a Tortilla, their extent, and the COLLECTION.json of the subset.
nb::tuple to_taco(const Dataset& dataset, bool strict) {
  Taco taco = [&] {
    const nb::gil_scoped_release release;
    return tacore::to_taco(dataset, strict);
  }();
  nb::dict extent;
  if (const auto& box = taco.collection.extent.spatial)
    extent["spatial"] = nb::make_tuple(box->minx, box->miny, box->maxx, box->maxy);
  if (const auto& times = taco.collection.extent.temporal)
    extent["temporal"] = nb::make_tuple(times->start.to_string(), times->end.to_string());
  return nb::make_tuple(nb::cast(std::move(taco.tortilla)), extent, text(taco.collection.json));
}

}  // namespace

void bind_transform(nb::module_& m) {
  using nb::arg;
  const auto progress = arg("progress").none() = nb::none();
  m.def("create_tacocat", &consolidate<TacocatOptions, tacore::create_tacocat>, arg("inputs"), arg("options"),
        progress);
  m.def("create_tacollection", &consolidate<TacollectionOptions, tacore::create_tacollection>, arg("inputs"),
        arg("options"), progress);
  m.def("create_sidecar", &make_sidecar, arg("path"), arg("options"), progress);
  m.def("check_sidecar", &prove_sidecar, arg("path"), progress);
  m.def("create_key", &make_key, arg("path"), arg("password").none(), arg("options"));
  m.def("sign", &sign, arg("path"), arg("key"), arg("password").none(), arg("options"), progress);
  m.def("verify", &verify, arg("path"), arg("options"), progress);
  m.def("to_dataset", &to_dataset, arg("frame"));
  m.def("export_dataset", &export_dataset, arg("dataset"), arg("output"), arg("options"), progress);
  m.def("replay", &replay, arg("path"), arg("options"), progress);
  m.def("convert", &convert_by<any_convert>, arg("input"), arg("output"), arg("options"), progress);
  m.def("zip2folder", &convert_by<tacore::zip2folder>, arg("zip"), arg("folder"), arg("options"), progress);
  m.def("folder2zip", &convert_by<tacore::folder2zip>, arg("folder"), arg("zip"), arg("options"), progress);
  m.def("edit", &edit, arg("path"), arg("set"), arg("unset"), arg("level"), arg("drop"), arg("columns"), arg("options"),
        progress);
  m.def("propose_repairs", &propose, arg("path"), arg("base_path"), arg("options"), progress);
  m.def("apply_repairs", &apply, arg("path"), arg("plan"), arg("accept_all"), arg("accept"), arg("options"), progress);
  m.def("inverse_repairs", [](const std::string& plan, bool accept_all, std::vector<int> accept) {
    return inverse_repairs(plan, accepted(accept_all, std::move(accept)));
  });
  m.def("diff", &diff, arg("a"), arg("b"), arg("options"), progress);
  m.def("sync_to_store", &sync_by<sync_to_store>, arg("dataset"), arg("store"), arg("options"), progress);
  m.def("sync_from_store", &sync_by<sync_from_store>, arg("store"), arg("dataset"), arg("options"), progress);
  m.def("publish", &publish, arg("dataset"), arg("folder"), arg("platform"), arg("options"), progress);
  m.def("is_store", [](const Path& path) {
    const nb::gil_scoped_release release;
    return is_store(path.value);
  });
  m.def("to_taco", &to_taco, arg("dataset"), arg("strict"));
}

}  // namespace tacore::python
