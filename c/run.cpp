#include <functional>
#include <map>
#include <string>
#include <vector>

#include "call.hpp"
#include "handles.hpp"
#include "json.hpp"
#include "options.hpp"
#include "tacore/dataset.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/describe.hpp"
#include "tacore/ops/diff.hpp"
#include "tacore/ops/doctor.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/ops/repair.hpp"
#include "tacore/ops/report.hpp"
#include "tacore/ops/sidecar.hpp"
#include "tacore/ops/sign.hpp"
#include "tacore/ops/sync.hpp"
#include "tacore/ops/validate.hpp"
#include "tacore/raster/tiff_index.hpp"
#include "tacore/raster/tog.hpp"

/// tacore_run(): operations on files, with arguments and results in JSON.
namespace tacore::c {
namespace {

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

/// JSON of an object that a request has, as text; {} when it has none.
Collection collection_of(Options& given) {
  const Json* json = given.find("collection");
  return json != nullptr ? parse_draft_collection(to_text(*json), "collection") : Collection();
}

Json convert(Options& given, Call& call) {
  const auto input = given.require<std::string>("input"), output = given.require<std::string>("output");
  CreateOptions how;
  given.fill(how);
  const Collection collection = collection_of(given);
  given.finish();
  call.watch(how.task);
  return {{"paths", tacore::convert(input, output, how, collection)}};
}

Json edit(Options& given, Call& call) {
  const auto path = given.require<std::string>("path");
  Edit changes;
  if (const Json* set = given.find("set")) {
    if (!set->is_object()) throw ArgumentError("request: \"set\": an object of members and their new values expected");
    for (const auto& [name, value] : set->items()) changes.set.emplace_back(name, to_text(value));
  }
  given.take("unset", changes.unset);
  given.take("level", changes.level);
  given.take("drop", changes.drop);
  given.take("columns", changes.columns);
  EditOptions how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  tacore::edit(path, changes, how);
  return Json::object();
}

Json change_json(const ValueChange& change) {
  return {{"name", change.name}, {"a", or_null(change.a)}, {"b", or_null(change.b)}};
}

Json diff(Options& given, Call& call) {
  const auto a = given.require<std::string>("a"), b = given.require<std::string>("b");
  DiffOptions how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  const Diff found = tacore::diff(a, b, how);
  Json collection = Json::array(), columns = Json::array(), samples = Json::array();
  for (const auto& each : found.collection) collection.push_back(change_json(each));
  for (const auto& each : found.columns) {
    columns.push_back(change_json(each.type));
    columns.back()["level"] = each.level;
  }
  for (const auto& each : found.samples) {
    Json fields = Json::array();
    for (const auto& field : each.fields) fields.push_back(change_json(field));
    samples.push_back({{"change", to_string(each.change)},
                       {"level", each.level},
                       {"path", each.path},
                       {"fields", fields},
                       {"bytes", each.bytes}});
  }
  return {{"equal", found.equal()},
          {"collection", collection},
          {"columns", columns},
          {"num_added", found.num_added},
          {"num_removed", found.num_removed},
          {"num_changed", found.num_changed},
          {"samples", samples}};
}

/// create_tacocat() and create_tacollection() have the same arguments.
template <class How, std::string (*Write)(const std::vector<std::string>&, const How&)>
Json consolidate(Options& given, Call& call) {
  const auto inputs = given.require<std::vector<std::string>>("inputs");
  How how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  return {{"path", Write(inputs, how)}};
}

Json sidecar(Options& given, Call& call) {
  const auto path = given.require<std::string>("path");
  bool check = false;
  given.take("check", check);
  SidecarOptions how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  if (check && how.beside) throw ArgumentError("request: \"check\" and \"beside\": one of them expected");
  return {{"paths", check ? check_sidecar(path, how.task) : create_sidecar(path, how)}};
}

/// To a chunk store, or from one, as the paths say.
Json sync(Options& given, Call& call) {
  const auto from = given.require<std::string>("from"), to = given.require<std::string>("to");
  SyncOptions how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  const SyncResult done = is_store(from) ? sync_from_store(from, to, how) : sync_to_store(from, to, how);
  return {{"num_chunks_moved", done.num_chunks_moved},
          {"num_bytes_moved", done.num_bytes_moved},
          {"num_chunks_reused", done.num_chunks_reused},
          {"num_bytes_reused", done.num_bytes_reused},
          {"replaced", done.replaced}};
}

/// The rows in level 0 of the samples that an issue is about.
Json rows_of(const Issue& issue) {
  Json out = Json::array();
  for (const FaultySample& sample : issue.samples) out.push_back(sample.row);
  return out;
}

Json validate(Options& given, Call&) {
  const auto path = given.require<std::string>("path");
  ValidateOptions how;
  given.fill(how);
  given.take("profiles", how.profiles);
  given.finish();
  Json issues = Json::array();
  bool is_valid = true;
  for (const auto& issue : tacore::validate(path, how)) {
    const bool is_error = issue.severity == Severity::Error;
    is_valid = is_valid && !is_error;
    issues.push_back({{"rule", issue.rule},
                      {"severity", is_error ? "error" : "warning"},
                      {"message", issue.message},
                      {"path", issue.where.path},
                      {"offset", issue.where.offset ? Json(*issue.where.offset) : Json()},
                      {"level", issue.where.level ? Json(*issue.where.level) : Json()},
                      {"num_issues", issue.num_issues},
                      {"rows", rows_of(issue)}});
  }
  return {{"is_valid", is_valid}, {"issues", issues}};
}

Json doctor(Options& given, Call& call) {
  const auto path = given.require<std::string>("path");
  DoctorOptions how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  return Json::parse(card2json(examine(path, how)));
}

/// A plan, or what its repairs have changed.
Json repair(Options& given, Call& call) {
  const auto path = given.require<std::string>("path");
  const Json* plan = given.find("plan");
  if (plan == nullptr) {
    ProposeOptions how;
    given.take("base_path", how.base_path);
    given.take("jobs", how.task.jobs);
    given.finish();
    call.watch(how.task);
    return Json::parse(propose_repairs(path, how));
  }
  ApplyOptions how;
  bool undo = false;
  given.take("undo", undo);
  given.take("accept", how.accept);
  given.take("accept_all", how.accept_all);
  given.fill(how.edit);
  given.finish();
  call.watch(how.edit.task);
  const std::string text = to_text(*plan);
  const RepairResult done =
      undo ? apply_repairs(path, inverse_repairs(text, how), {.edit = how.edit}) : apply_repairs(path, text, how);
  return {{"num_repairs", done.num_repairs}, {"num_left", done.num_left}, {"num_values", done.num_values}};
}

Json create_key(Options& given, Call&) {
  const auto path = given.require<std::string>("path");
  KeyOptions how;
  given.fill(how);
  given.take("password", how.password);
  given.finish();
  return {{"public_key", tacore::create_key(path, how)}};
}

Json sign(Options& given, Call& call) {
  const auto path = given.require<std::string>("path");
  SignOptions how;
  how.key = given.require<std::string>("key");
  given.take("password", how.password);
  given.fill(how);
  given.finish();
  call.watch(how.task);
  const SignResult done = sign_dataset(path, how);
  return {{"root", done.root}, {"files", done.files}, {"num_samples", done.num_samples}};
}

Json verify(Options& given, Call& call) {
  const auto path = given.require<std::string>("path");
  VerifyOptions how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  const VerifyResult done = verify_dataset(path, how);
  return {{"root", done.root},
          {"key_id", done.key_id},
          {"num_samples", done.num_samples},
          {"num_proof_bytes", done.num_proof_bytes}};
}

/// Writes descriptions to files; tacore_dataset_describe() returns them as text.
Json describe(Options& given, Call&) {
  const auto path = given.require<std::string>("path"), output = given.require<std::string>("output");
  std::string form = "all";
  int level = 0;
  given.take("form", form);
  given.take("level", level);
  LoadOptions load_options;
  given.take("base_path", load_options.base_path);
  DescribeOptions how;
  given.fill(how);
  given.finish();
  const Dataset dataset = load(path, load_options);
  if (form == "all") write_descriptions(dataset, output, how);
  else if (form == "stac") write_stac(dataset, output, level, how);
  else if (form == "geoparquet") footer2geoparquet(dataset, level, output, how);
  else if (form == "stac-geoparquet") footer2geoparquetstac(dataset, level, output, how);
  else throw ArgumentError("request: \"form\" is \"" + form + "\"; all, stac, geoparquet or stac-geoparquet expected");
  return {{"path", output}};
}

Json index_tiffs(Options& given, Call& call) {
  const auto path = given.require<std::string>("path");
  TiffIndexFileOptions how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  const TiffIndexFileResult done = write_tiff_index(path, how);
  return {{"path", done.path},
          {"num_headers", done.num_headers},
          {"num_others", done.num_others},
          {"num_broken", done.num_broken}};
}

Json tog(Options& given, Call& call) {
  const auto input = given.require<std::string>("input"), output = given.require<std::string>("output");
  TogOptions how;
  given.fill(how);
  given.finish();
  call.watch(how.task);
  make_tog(input, output, how);
  return {{"path", output}};
}

using Operation = Json (*)(Options& given, Call& call);

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> all = {
      {"convert", convert},
      {"edit", edit},
      {"diff", diff},
      {"index", consolidate<TacocatOptions, create_tacocat>},
      {"collect", consolidate<TacollectionOptions, create_tacollection>},
      {"sidecar", sidecar},
      {"sync", sync},
      {"validate", validate},
      {"doctor", doctor},
      {"repair", repair},
      {"create_key", create_key},
      {"sign", sign},
      {"verify", verify},
      {"describe", describe},
      {"header", index_tiffs},
      {"tog", tog}};
  return all;
}

}  // namespace
}  // namespace tacore::c

using namespace tacore::c;

tacore_status tacore_run(const char* operation, const char* request, tacore_buffer** result, tacore_error** error) {
  clear(result);
  return run_polled(error, [&](Call& call) {
    require(operation, "operation");
    require(result, "result");
    const auto found = operations().find(operation);
    if (found == operations().end()) {
      std::string known;
      for (const auto& [name, work] : operations()) known += (known.empty() ? "" : ", ") + name;
      throw ArgumentError("operation is \"" + std::string(operation) + "\"; " + known + " expected");
    }
    Options given(request, "request");
    *result = buffer_of(to_text(found->second(given, call)));
  });
}
