#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/byte_source.hpp"
#include "table/level_table.hpp"

/// The files of side-cars (table/sidecar_table.hpp): `level0.parquet` and so on in a folder, which is either in the
/// cache of the user or beside the dataset.
namespace tacore {

/// The suffix that is added to the path of a dataset, for the folder beside it.
inline constexpr std::string_view kSidecarSuffix = ".sidecar";

/// The file beside a dataset; "" for a signed URL.
std::string sidecar_path(const std::string& dataset, int number);
/// The folder in the cache of the user; "" where there is no cache.
std::string cached_sidecar_folder(const std::string& dataset);

/// The fact that `sidecar` is the side-car of `level`, as they are now; nullopt where that cannot be told later, since
/// files are on a server that does not tell versions apart (proved_here.hpp).
std::optional<std::string> fact_of_sidecar(const LevelTable& level, const LevelTable& sidecar);

/// The fact that side-cars beside a dataset were proved here once: then one is looked for, which takes a request of a
/// server.
std::string fact_of_sidecars_beside(const std::string& dataset);

/// The side-car of level `number` of a dataset: the one in the user's cache, else the one beside the dataset. Both are
/// used only if a proof is remembered for the files as they are now; the one beside the dataset is also used with
/// `trust`. Returns nullptr when there is none, and when one cannot be used: a warning says why. Throws IoError.
std::shared_ptr<const LevelTable> find_sidecar(const Storage& storage, const std::string& dataset, int number,
                                               const LevelTable& level, bool trust);

/// Opens the side-car of level `number` at `path`; returns nullptr when there is no file. Throws FormatError or
/// SchemaError for a file that is not a side-car of `level`, and IoError.
std::shared_ptr<const LevelTable> open_sidecar(const Storage& storage, const std::string& path, int number,
                                               const LevelTable& level);

}  // namespace tacore
