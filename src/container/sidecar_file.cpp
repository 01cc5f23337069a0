#include "container/sidecar_file.hpp"

#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/log.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "container/read_hints.hpp"
#include "format/names.hpp"
#include "io/proved_here.hpp"
#include "io/vsi_path.hpp"
#include "table/sidecar_table.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// The side-car at `path`, if it may be used.
std::shared_ptr<const LevelTable> usable(const Storage& storage, const std::string& path, int number,
                                         const LevelTable& level, bool trust) {
  const auto leave = [&](const std::string& why) {
    log::warning(path + ": not used: " + why);
    return nullptr;
  };
  try {
    auto out = open_sidecar(storage, path, number, level);
    if (!out || trust) return out;
    const auto fact = fact_of_sidecar(level, *out);
    if (fact && is_proved_here(*fact)) return out;
    return leave("nothing proves here that it has the rows of " + level.source()->name() +
                 "; `taco index --sidecar` makes one, `taco index --sidecar --check` proves the one beside a dataset, "
                 "and --trust-sidecar believes it");
  } catch (const FormatError& error) {
    return leave(error.message());
  } catch (const SchemaError& error) {
    return leave(error.message());
  }
}

}  // namespace

std::string sidecar_path(const std::string& dataset, int number) {
  return with_suffix(dataset, std::string(kSidecarSuffix) + "/" + std::string(names::kLevelFiles[number]));
}

std::string cached_sidecar_folder(const std::string& dataset) {
  const std::string cache = user_cache();
  if (cache.empty()) return "";
  std::error_code error;
  const std::string place =
      is_remote(dataset) ? from_vsi(dataset) : std::filesystem::canonical(dataset, error).string();
  if (error) return "";
  return path_join(cache, "sidecars/" + hex(sha256(std::as_bytes(std::span(place)))));
}

std::optional<std::string> fact_of_sidecar(const LevelTable& level, const LevelTable& sidecar) {
  const std::string of = level.version(), copy = sidecar.version();
  if (of.empty() || copy.empty()) return std::nullopt;
  return "side-car\n" + of + "\n" + copy + "\n" + fingerprint_of(level);
}

std::string fact_of_sidecars_beside(const std::string& dataset) { return "side-cars beside\n" + from_vsi(dataset); }

std::shared_ptr<const LevelTable> find_sidecar(const Storage& storage, const std::string& dataset, int number,
                                               const LevelTable& level, bool trust) {
  const std::string cached = cached_sidecar_folder(dataset), beside = sidecar_path(dataset, number);
  std::shared_ptr<const LevelTable> out;
  // `trust` is for claims of publishers. A file in the cache that this user did not make is no such claim.
  if (!cached.empty())
    out = usable(*local_storage(), path_join(cached, names::kLevelFiles[number]), number, level, false);
  const bool is_asked_for = trust || !is_remote(dataset) || is_proved_here(fact_of_sidecars_beside(dataset));
  return out || beside.empty() || !is_asked_for ? out : usable(storage, beside, number, level, trust);
}

std::shared_ptr<const LevelTable> open_sidecar(const Storage& storage, const std::string& path, int number,
                                               const LevelTable& level) {
  std::shared_ptr<const ByteSource> source;
  try {
    source = storage.open(path, kReadLevel);
  } catch (const IoError& error) {
    // A store may respond 403 for an absent file, also to users who can read the dataset.
    if (error.not_found() || error.error_number() == ENOTDIR || (is_remote(path) && error.error_number() == EACCES))
      return nullptr;
    throw;
  }
  auto out = LevelTable::open(std::move(source), {.path = path, .offset = {}, .level = number});
  const auto of = out->key_value(kSidecarKey);
  if (!of || out->find(kRowOfLevel) < 0) throw FormatError("it is no side-car", {.path = path});
  for (const Column& column : level.columns()) {
    if (out->find(column.name) < 0) throw FormatError("it lacks the column " + in_quotes(column.name), {.path = path});
  }
  if (const std::string expected = fingerprint_of(level); *of != expected) {
    throw FormatError("it is a copy of another level, or of an earlier state: of one of " + *of + "; " +
                          level.source()->name() + " has " + expected,
                      {.path = path});
  }
  return out;
}

}  // namespace tacore
