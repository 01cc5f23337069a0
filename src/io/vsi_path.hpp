#pragma once

#include <string>
#include <string_view>

#include "base/byte_range.hpp"

/// Paths, URLs, and their names in GDAL's virtual file systems.
namespace tacore {

/// True for s3:// gs:// az:// azure:// oss:// swift:// http(s):// hf:// and /vsi paths ("/vsi",
/// then a lower-case letter or a digit).
bool is_remote(std::string_view path) noexcept;

/// Throws IoError for a remote path: it "cannot be `done`" there.
void require_local(const std::string& path, const std::string& done);

/// The name under which GDAL opens `path`: s3://b/k -> /vsis3/b/k, gs:// -> /vsigs/, az:// and
/// azure:// -> /vsiaz/, oss:// -> /vsioss/, swift:// -> /vsiswift/, http(s)://.. -> /vsicurl/ and
/// the whole URL, hf://datasets/o/n/p stays; a /vsi path stays; a local path becomes absolute
/// (symbolic links and .. are kept as they are; "." parts, doubled and trailing slashes go). Throws
/// IoError when there is no working directory.
std::string to_vsi(std::string_view path);

/// The inverse of to_vsi for the remote forms (/vsiaz/ -> az://); other text comes back unchanged.
std::string from_vsi(std::string_view path);

struct VsiSubfile {
  std::string root;  ///< what follows the first comma
  ByteRange range;
};

/// "/vsisubfile/{offset}_{size},{root}"
std::string vsi_subfile(ByteRange range, std::string_view root);
/// The inverse. Throws FormatError: another prefix, no comma, no underscore, not numbers (64 bits,
/// unsigned). Whether the range lies in a file, and offset + size in 64 bits, is not checked.
VsiSubfile parse_vsi_subfile(std::string_view path);

/// The folder part of a path with its slash ("" for a bare name), and the rest. Trailing slashes
/// are ignored; the parent of / is / itself, with an empty name.
std::string parent_folder(std::string_view path);
std::string file_name(std::string_view path);
/// `path` without slashes at its end.
std::string without_slashes(std::string path);
/// The path of what lies beside a dataset, under its name with a suffix. In a URL the suffix precedes the query; "" for
/// a signed URL, since its signature is for one file only.
std::string with_suffix(const std::string& dataset, std::string_view suffix);
/// True for `.tacozip` and `.zip`, in any case.
bool is_zip_name(std::string_view path);
/// a/b with exactly one slash between; `name` alone when `folder` is empty.
std::string path_join(std::string_view folder, std::string_view name);
/// As path_join() for the name of a file, which is not percent-encoded: in a folder of a web server (http(s)://,
/// /vsicurl/) its `%`, `?` and `#` become so, since they would be read as parts of a URL.
std::string path_of_name(std::string_view folder, std::string_view name);

}  // namespace tacore
