#include <algorithm>

#include "base/text.hpp"
#include "io/document.hpp"
#include "model/collection_json.hpp"
#include "model/collection_rules.hpp"
#include "model/json_text.hpp"
#include "model/spdx.hpp"
#include "validate/containers.hpp"

namespace tacore::validator {
namespace {

/// The rule that a refused document breaks, by the member in the error.
std::string_view rule_of(const Error& error) {
  const std::string message = message_of(error);
  const auto about = [&](std::string_view start) { return message.starts_with(start); };
  if (about("taco:pit_schema")) return "PIT-6";
  if (about("taco:sources")) return "CAT-2";
  if (about("id ")) return "COL-2";
  if (about("extent")) return "COL-13";
  if (about("not JSON") || about("JSON ") || about("the document")) return "COL-1";
  return "COL-3";
}

bool is_collection_id(std::string_view id) {
  return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

void check_texts(Report& report, const Collection& found, const ErrorContext& where) {
  if (!is_collection_id(found.id)) {
    report.add("COL-2", "id is " + in_quotes(found.id) + "; lowercase letters, digits, _ and - expected", where);
  }
  if (!found.taco_version.starts_with("2.")) {
    report.add("COL-4",
               found.taco_version.empty() ? "taco_version is missing"
                                          : "taco_version is " + in_quotes(found.taco_version) + ", 2.x expected",
               where);
  }
  // The model has "unknown" where the document lacks the member.
  if (found.dataset_version.empty() || found.dataset_version == Collection{}.dataset_version) {
    report.add("COL-5", "dataset_version is missing", where);
  }
  if (found.description.empty()) report.add("COL-6", "description is missing", where);
  if (const auto why = why_bad_title(found.title.value_or("")); !why.empty()) {
    report.add("COL-12", "title " + why, where);
  }
}

void check_lists(Report& report, const Collection& found, const ErrorContext& where) {
  if (found.licenses.empty()) report.add("COL-7", "licenses is empty", where);
  for (const auto& licence : found.licenses) {
    if (!is_spdx_licence(licence)) report.add("COL-8", in_quotes(licence) + " is not an SPDX identifier", where);
  }
  if (found.providers.empty()) report.add("COL-9", "providers is empty", where);
  for (const auto* contacts : {&found.providers, found.curators ? &*found.curators : nullptr}) {
    if (!contacts) continue;
    for (const auto& contact : *contacts) {
      if (!is_named(contact)) report.add("COL-9", "a provider or curator has neither name nor organization", where);
    }
  }
  if (found.tasks.empty()) report.add("COL-10", "tasks is empty", where);
  for (const auto& task : found.tasks) {
    if (!is_task(task)) report.add("COL-11", "task " + in_quotes(task) + " is not one of the published tasks", where);
  }
}

/// Accepts longitudes up to 360, for data that count from 0; west > east crosses the antimeridian.
void check_box(Report& report, const Extent& extent, const std::string& whose, const ErrorContext& where) {
  if (!extent.spatial) return;
  const BBox& box = *extent.spatial;
  const bool legal =
      box.minx >= -180 && box.minx <= 360 && box.maxx >= -180 && box.maxx <= 360 && box.miny >= -90 && box.maxy <= 90;
  if (legal) return;
  report.add("COL-13",
             whose + " is [" + std::to_string(box.minx) + ", " + std::to_string(box.miny) + ", " +
                 std::to_string(box.maxx) + ", " + std::to_string(box.maxy) + "]; degrees of WGS 84 expected",
             where);
}

}  // namespace

std::optional<Collection> check_collection(Report& report, const ByteSource& document, const std::string& path) {
  const ErrorContext where{.path = path};
  std::optional<Collection> out;
  Bytes bytes;
  std::string_view text;
  try {
    bytes = read_document(document);
    text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    out = parse_collection(text, "");
  } catch (const IoError&) {
    throw;  // reported as FMT-2
  } catch (const Error& error) {
    // Its offset counts from the start of the document, not of the file.
    std::string message = "COLLECTION.json: " + message_of(error);
    if (error.context().offset) message += " (byte " + std::to_string(*error.context().offset) + " of the document)";
    report.add(rule_of(error), message, where);
    return std::nullopt;
  }
  for (const auto& name : repeated_members(text))
    report.add("COL-14", "COLLECTION.json has " + in_quotes(name) + " twice in one object", where);
  for (const auto& fault : form_faults(text)) report.add("COL-15", fault, where);
  check_texts(report, *out, where);
  check_lists(report, *out, where);
  check_box(report, out->extent, "extent.spatial", where);
  for (const auto& source : out->sources)
    check_box(report, source.extent, "the extent of source " + in_quotes(source.file), where);
  return out;
}

}  // namespace tacore::validator
