#include "tacore/ops/validate.hpp"

#include <algorithm>
#include <exception>
#include <span>

#include "base/threads.hpp"
#include "dataset/open_container.hpp"
#include "net/storage.hpp"
#include "tortilla/header.hpp"
#include "tortilla/profiles.hpp"
#include "validate/assets.hpp"
#include "validate/containers.hpp"
#include "validate/parts.hpp"
#include "validate/proof.hpp"
#include "validate/tiff.hpp"
#include "validate/tortilla.hpp"

namespace tacore::validator {
namespace {

void check(Report& report, const std::shared_ptr<const Storage>& storage, const Detected& at, const std::string& path,
           const ValidateOptions& options) {
  Index index{.path = path, .base = options.base_path.empty() ? at.folder : options.base_path};
  switch (at.format) {
    case Format::Zip: check_zip_dataset(report, at.source, path, options); return;
    case Format::Folder: check_folder_dataset(report, *storage, at.path, options); return;
    case Format::Tacocat:
      if (at.is_folder) {
        index.folder = at.path;
      } else {
        index.file = at.source;
      }
      check_tacocat(report, *storage, index, options);
      return;
    case Format::Tacollection:
      index.file = at.source;
      check_tacollection(report, *storage, index, options);
      return;
    case Format::Tortilla:
    case Format::Taco: check_tortilla(report, *storage, at.path, options.profiles, options.deep); return;
  }
}

/// True for a file with the magic of v1 that is not detected because its header is damaged.
bool has_v1_magic(const Storage& storage, const std::string& path) {
  if (storage.exists(path, true)) return false;
  const auto source = storage.open(path);
  return v1::is_header(source->read({0, std::min<uint64_t>(source->size(), 2)}));
}

void check_profiles(const std::vector<std::string>& profiles, const Detected& at, const std::string& path) {
  for (const auto& profile : profiles) v1::missing_fields(profile, {});
  if (!profiles.empty() && !is_v1(at.format))
    throw QueryError("profiles exist for Tortilla and TACO before 2.0 only", {.path = path});
}

/// FMT-1 for a dataset that readers refuse, even if it breaks no other rule; then TIF-1, TIF-2 and TIF-6.
void check_opens(Report& report, const std::shared_ptr<const Storage>& storage, const Detected& at,
                 const std::string& path, const ValidateOptions& options) {
  if (report.has_errors() || at.format == Format::Tacollection) return;
  std::shared_ptr<const Container> container;
  try {
    container = open_container(storage, at, path, options.base_path);
  } catch (const Error& error) {
    return report.add("FMT-1", error, {.path = path});
  }
  if (at.format != Format::Zip && at.format != Format::Tacocat) return;  // only these formats use TIFF indexes
  const std::string base = options.base_path.empty() ? at.folder : options.base_path;
  check_header_file(report, *storage, *container, at.path, base, options.deep);
}

/// TIF-3 to TIF-5.
void check_samples(Report& report, const std::string& path, const ValidateOptions& options,
                   std::span<const PartOfFiles> parts) {
  if (parts.empty()) return tell_faults(report, path, faults_of_samples(path, options.base_path, 0));
  for (const PartOfFiles& part : parts) tell_faults(report, path, part.faults);
}

}  // namespace
}  // namespace tacore::validator

namespace tacore {

std::vector<Issue> validate(std::string_view given, const ValidateOptions& options) {
  using namespace validator;
  const std::string path(given);
  const auto storage = any_storage();
  Report report;
  Detected at;
  try {
    at = detect(*storage, path);
  } catch (const FormatError& error) {
    report.add(has_v1_magic(*storage, path) ? "V1-1" : "FMT-1", error, {.path = path});
    return report.finish();
  } catch (const IoError& error) {
    report.add("FMT-2", error, {.path = path});
    return report.finish();
  }
  check_profiles(options.profiles, at, path);
  const auto reporting = [&](const auto& work) {
    try {
      work();
    } catch (const IoError& error) {
      report.add("FMT-2", error, {.path = path});
    } catch (const Error& error) {
      report.add("FMT-1", error, {.path = path});
    }
  };
  const bool compares = options.assets || options.pixels;
  std::vector<PartOfFiles> parts;
  for (const std::string& part : options.parts) parts.push_back(decode_part(part));
  // The structure is checked on one thread, and both take about as long.
  std::vector<CheckedAssets> assets;
  std::exception_ptr failure;
  bool is_cancelled = false;
  run_parallel(compares ? 2 : 1, 2, [&](std::size_t number) {
    if (number == 0) {
      reporting([&] {
        check(report, storage, at, path, options);
        check_opens(report, storage, at, path, options);
        if (options.deep && !report.has_errors()) check_samples(report, path, options, parts);
        if ((options.deep || options.pixels || !options.key.empty()) && !report.has_errors())
          check_proof(report, storage, at, path, options);
      });
      return;
    }
    try {
      assets = check_assets(storage, at, path, options, parts, is_cancelled);
    } catch (const Error&) {  // the structure may say more clearly what is wrong
      failure = std::current_exception();
    }
  });
  if (is_cancelled) std::rethrow_exception(failure);
  if (!compares || report.has_errors()) return report.finish();
  reporting([&] {
    if (failure) std::rethrow_exception(failure);
    tell_assets(report, assets);
  });
  return report.finish();
}

std::string validate_part(std::string_view given, int64_t part, int64_t num_parts, const ValidateOptions& options) {
  using namespace validator;
  if (part < 0 || part >= num_parts) {
    throw QueryError("part " + std::to_string(part) + " of " + std::to_string(num_parts) +
                     "; a number from 0, less than that of the parts, is expected");
  }
  const std::string path(given);
  const auto storage = any_storage();
  const Detected at = detect(*storage, path);
  check_profiles(options.profiles, at, path);
  const auto number = static_cast<std::size_t>(part), count = static_cast<std::size_t>(num_parts);
  PartOfFiles out;
  if (options.assets || options.pixels) out.facts = read_assets_part(storage, at, path, options, number, count);
  if (options.deep) out.faults = faults_of_samples(path, options.base_path, options.task.jobs, number, count);
  return encode_part(out);
}

}  // namespace tacore
