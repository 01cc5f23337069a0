#!/usr/bin/env python3
"""Fails on an #include, or a constant of net, that breaks the layering. Tables first; the code below only applies them."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Folder of src/ -> the folders it may include besides itself, from the lowest floor to the highest. A public header counts as the
# folder that implements it. Sources keep to their row; a test may include all floors up to its own, and tests/support.
FOLDERS = {
    "base": [],
    "io": ["base"],
    "format": ["base"],
    "model": ["base", "format"],
    "net": ["base", "format", "io"],
    "upload": ["base", "io", "model", "net"],
    "table": ["base", "format", "io", "model"],
    "container": ["base", "format", "io", "model", "net", "table"],
    "writer": ["base", "format", "io", "model", "net", "table"],
    "query": ["base", "container", "format", "io", "model", "table"],
    "extensions": ["base", "model", "writer"],
    "tortilla": ["base", "container", "extensions", "format", "io", "model", "table", "writer"],
    "tortilla/write": ["base", "container", "format", "io", "model", "net", "table", "tortilla", "writer"],
    "dataset": ["base", "container", "format", "io", "model", "net", "query", "table", "tortilla"],
    "raster": ["base", "container", "dataset", "extensions", "format", "io", "model", "net", "table", "tortilla", "writer"],
    "edit": ["base", "container", "dataset", "format", "io", "model", "table", "writer"],
    "proof": ["base", "container", "dataset", "edit", "format", "io", "model", "net", "table"],
    "sync": ["base", "container", "dataset", "format", "io", "model", "net", "writer"],
    "describe": ["base", "dataset", "format", "io", "model", "net", "raster", "table", "tortilla", "writer"],
    "assets": ["base", "container", "dataset", "edit", "extensions", "format", "io", "model", "net", "raster", "table", "tortilla", "writer"],
    "tortilla/streaming": ["base", "container", "dataset", "format", "io", "model", "raster", "table", "tortilla", "tortilla/write",
                           "writer"],
    "validate": ["assets", "base", "container", "dataset", "format", "io", "model", "net", "proof", "raster", "table", "tortilla",
                 "tortilla/streaming"],
    "export": ["base", "container", "dataset", "edit", "format", "io", "model", "net", "proof", "table", "tortilla",
               "tortilla/streaming", "tortilla/write", "validate", "writer"],
    "publish": ["base", "dataset", "describe", "format", "io", "model", "net", "upload", "validate", "writer"],
    "view": ["base", "container", "dataset", "describe", "format", "io"],
    "report": ["base", "dataset", "describe", "io", "model", "proof", "raster", "validate", "view"],
}

# Folder -> the headers below include/tacore/ that it implements.
PUBLIC = {
    "base": "bbox error interrupt task time_range types value verbose version visibility plumbing/secrets write/byte_size",
    "io": "plumbing/apart plumbing/temporary",
    "model": "collection crs pit_schema",
    "net": "remote plumbing/remote_use",
    "table": "plumbing/places write/output write/parquet_options write/table_options",
    "writer": "ops/inspect write/create write/extension write/sample",
    "extensions": "extensions/constant extensions/conventions extensions/geo_layers extensions/majortom "
                  "extensions/optical_data extensions/sha256 extensions/spatial_grouping extensions/stac",
    "upload": "plumbing/stored_files",
    "tortilla": "v1/collection",
    "dataset": "dataframe dataset plan statistics plumbing/serialize write/tabular",
    "raster": "extensions/geotiff_stats extensions/named extensions/tiff_index raster/histogram raster/loader raster/picture "
              "raster/pixel_statistics raster/raster raster/stac raster/tensor raster/tiff_index raster/tog v1/histograms",
    "edit": "ops/edit",
    "assets": "ops/repair",
    "proof": "ops/sign",
    "sync": "ops/sync",
    "describe": "ops/describe ops/site",
    "tortilla/streaming": "v1/chunks v1/create",
    "validate": "ops/validate",
    "export": "ops/consolidate ops/diff ops/export ops/replay ops/sidecar v1/convert",
    "publish": "ops/publish",
    "view": "ops/view",
    "report": "ops/doctor ops/report",
    "gdal": "raster/gdal",
    "cli": "plumbing/options",  # the tool and the bindings read the list of options, the library does not
}
IMPLEMENTED_BY = {f"tacore/{name}.hpp": folder for folder, names in PUBLIC.items() for name in names.split()}

# Folders beside src/, which include public headers and their own files only.
OUTSIDE = ["gdal", "cli", "c", "python", "examples", "tests/consumer"]

# But for these internal headers. All in them is inline, so that the shared library exports nothing for the folder, and they
# include the standard library only.
INLINE = {"cli": ["base/nearest.hpp", "base/utf8.hpp", "io/open_uninterrupted.hpp"]}

# Heavy header -> the paths that may include it (regular expressions). The first row that matches decides.
HOMES = [
    (r"(arrow/c/abi\.h|arrow/type_fwd\.h|arrow/util/type_fwd\.h)",
     r"(src/(table|container|query|dataset|describe|writer|edit|export|validate|tortilla)|tests/support)/.*"),
    (r"(arrow|parquet)/.*", r"src/table/.*"),
    (r"duckdb.*", r"src/query/((run_statement|sql_functions|sql_inspect)\.cpp|(duckdb_instance|level_file_system|scan_forecast)\.[ch]pp)"),
    (r"nlohmann/.*", r"src/(model/(chunk_manifest\.cpp|geojson\.cpp|json_node\.hpp|pit\.cpp)|describe/.*|assets/repair_plan\.cpp|tortilla/collection_.*|upload/hub_store\.cpp)|c/json\.hpp"),
    (r"CLI/.*", r"cli/main\.cpp"),
    (r"(gdal|ogr|cpl|vrt|proj).*\.(h|hpp)", r"(gdal|examples)/.*"),
    (r"curl/.*", r"src/net/(curl_library\.hpp|http_client\.cpp)"),
    (r"openssl/.*", r"src/base/(ed25519|sha256)\.cpp"),
    (r"libdeflate\.h", r"src/(base/crc32|raster/codecs|raster/png)\.cpp"),
    (r"zstd.*\.h", r"src/(base/zstd|raster/codecs)\.cpp"),
    (r"nanobind/.*", r"python/src/.*"),
]

# Too dear for a public header, which every user compiles.
NOT_IN_PUBLIC = {"iostream", "filesystem", "chrono", "regex", "functional", "fstream"}

# Constants of net are nobody else's: a reader says with a ReadHint what it wants first.
NET_CONSTANT = re.compile(r"\bnet::k[A-Z]\w*")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path):
    """src/io/x.cpp -> io; cli/x.cpp -> cli; a public header -> the folder that implements it; anything else -> None."""
    if path.startswith("include/"):
        return IMPLEMENTED_BY.get(path.removeprefix("include/"))
    for folder in [f"src/{name}" for name in sorted(FOLDERS, key=len, reverse=True)] + OUTSIDE:
        if path.startswith(folder + "/"):
            return folder.removeprefix("src/")
    return None


def target_folder(target):
    """The same of what an include names."""
    return IMPLEMENTED_BY.get(target) if target.startswith("tacore/") else folder_of("src/" + target)


def floors_below(folder):
    names = list(FOLDERS)
    return names[:names.index(folder)]


def complaint(path, quote, target):
    """Why the file `path` may not include `target`, or None."""
    for header, home in HOMES:
        if re.fullmatch(header, target):
            return None if re.fullmatch(home, path) else f"belongs in {home} only"
    is_public = target.startswith("tacore/")
    if path == "include/tacore.h":
        return None if target in ("stddef.h", "stdint.h") else "the C header includes stddef.h and stdint.h only"
    if path.startswith("include/") and not is_public:
        if quote == '"' or "/" in target or "." in target:
            return "a public header includes the standard library and tacore/ only"
        return "too dear for a public header" if target in NOT_IN_PUBLIC else None
    if path.startswith("src/") and path.count("/") > 1 and folder_of(path) is None:
        return "its folder is not in the table"
    folder = folder_of(path)
    if is_public and target not in IMPLEMENTED_BY:
        return "the table does not say which folder implements it"
    if folder is None or (quote == "<" and not is_public):
        return "the table does not say which folder implements it" if path.startswith("include/") else None
    is_test = path.endswith("_test.cpp")
    if is_test and target.startswith("support/"):
        return None
    if path.removeprefix("src/") in sum(INLINE.values(), []):
        return "an inline header that the tool shares includes the standard library only"
    if folder in OUTSIDE:
        if target in INLINE.get(folder, []):
            return None
        mine = is_public or "/" not in target or target.startswith(folder.split("/")[-1] + "/")
        return None if mine else f"{folder} may include public headers only"
    if not is_public and (target.startswith("../") or "/" not in target):
        return "write the path from src/"
    allowed = floors_below(folder) if is_test else FOLDERS[folder]
    there = target_folder(target)
    return None if there == folder or there in allowed else f"{folder} may not include {there or 'this'}"


def check_lines(path, lines):
    """Complaints about one file, as `path:line: what: why`."""
    found = []
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        why = match and complaint(path, match[1], match[2])
        if why:
            found.append(f"{path}:{number}: {match[2]}: {why}")
        constant = NET_CONSTANT.search(line)
        if constant and folder_of(path) != "net":
            found.append(f"{path}:{number}: {constant[0]}: belongs in src/net only")
    return found


NAMESPACE = re.compile(r"namespace\s*([\w:]*)\s*\{")
TYPE = re.compile(r"(?:enum class|enum struct|enum|struct|class)\s+(?:TACORE_EXPORT\s+)?([\w:]+)[^;]*(?:\{.*)?$")


def types_of(lines):
    """The types that a file defines in namespaces that others see, by their full names."""
    inside = []
    for line in lines:
        if begin := NAMESPACE.match(line):
            inside.append(begin[1])
        elif inside and line.startswith("}  // namespace"):
            inside.pop()
        elif inside and "" not in inside and (found := TYPE.match(line)):
            yield "::".join([*inside, found[1]])


def check_types(files):
    """Complaints about types of one name: a linker takes the functions of either for both, and says nothing."""
    places = {}
    for path, lines in files:
        for name in types_of(lines):
            places.setdefault(name, set()).add(path)
    return [f"{name}: defined in {' and in '.join(sorted(paths))}" for name, paths in places.items() if len(paths) > 1]


def sources():
    for folder in ["include", "src", *OUTSIDE]:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".h", ".c"):
                yield file


def self_test():
    good = [
        ("src/io/a.cpp", '#include "base/crc32.hpp"'),
        ("src/io/a.cpp", '#include "io/b.hpp"'),
        ("src/io/a.cpp", "#include <tacore/error.hpp>"),
        ("src/model/a.cpp", '#include "format/names.hpp"'),
        ("src/tortilla/a.hpp", '#include "container/container.hpp"'),
        ("src/tortilla/write/a.hpp", '#include "tortilla/header.hpp"'),
        ("src/dataset/open_container.cpp", '#include "tortilla/container.hpp"'),
        ("src/extensions/a.cpp", '#include "model/wkb.hpp"'),
        ("src/extensions/a.cpp", '#include "tacore/write/sample.hpp"'),
        ("src/table/a.hpp", "#include <arrow/type_fwd.h>"),
        ("src/table/a.cpp", "#include <parquet/file_reader.h>"),
        ("src/dataset/dataframe.cpp", "#include <arrow/c/abi.h>"),
        ("src/query/run_statement.cpp", "#include <duckdb.hpp>"),
        ("src/model/pit.cpp", "#include <nlohmann/json.hpp>"),
        ("src/describe/a.cpp", "#include <nlohmann/json.hpp>"),
        ("src/describe/a.cpp", '#include "dataset/dataset_impl.hpp"'),
        ("src/format/a_test.cpp", "#include <doctest/doctest.h>"),
        ("src/table/a_test.cpp", '#include "net/storage.hpp"'),
        ("src/io/a_test.cpp", '#include "support/temporary_folder.hpp"'),
        ("cli/main.cpp", '#include "commands.hpp"'),
        ("cli/utf8.cpp", '#include "base/utf8.hpp"'),
        ("src/base/utf8.hpp", "#include <string_view>"),
        ("src/raster/a.cpp", '#include "io/byte_source.hpp"'),
        ("gdal/a.cpp", "#include <gdal.h>"),
        ("gdal/a_test.cpp", '#include "support/support.hpp"'),
        ("python/src/a.cpp", '#include "text.hpp"'),
        ("python/src/a.cpp", '#include "tacore/dataset.hpp"'),
        ("python/src/a.cpp", "#include <nanobind/nanobind.h>"),
        ("include/tacore/dataset.hpp", '#include "tacore/collection.hpp"'),
        ("include/tacore/error.hpp", "#include <span>"),
        ("include/tacore/error.hpp", "// #include <duckdb.hpp>"),
        ("src/net/a_test.cpp", "CHECK(size == net::kMaxWhole);"),
        ("src/container/a.cpp", "const auto* file = dynamic_cast<const net::HttpSource*>(&source);"),
    ]
    bad = [
        ("src/proof/minisign.cpp", "#include <openssl/evp.h>"),
        ("src/base/a.cpp", '#include "io/b.hpp"'),
        ("src/io/a.cpp", '#include "format/b.hpp"'),
        ("src/model/a.cpp", '#include "io/b.hpp"'),
        ("src/writer/a.cpp", '#include "dataset/b.hpp"'),
        ("src/describe/a.cpp", '#include "export/b.hpp"'),
        ("src/container/a.cpp", '#include "writer/b.hpp"'),
        ("src/extensions/a.cpp", '#include "table/b.hpp"'),
        ("src/container/a.cpp", '#include "tortilla/container.hpp"'),
        ("src/tortilla/a.cpp", '#include "tortilla/write/tree.hpp"'),
        ("src/tortilla/a.cpp", '#include "dataset/dataset_impl.hpp"'),
        # A public header of a floor above.
        ("src/container/a.cpp", '#include "tacore/dataset.hpp"'),
        ("src/table/a.cpp", '#include "tacore/write/sample.hpp"'),
        ("src/extensions/a.cpp", '#include "tacore/raster/raster.hpp"'),
        ("include/tacore/collection.hpp", '#include "tacore/dataset.hpp"'),
        ("include/tacore/write/create.hpp", "#include <tacore/ops/export.hpp>"),
        ("src/base/a.cpp", '#include "tacore/unheard.hpp"'),
        ("include/tacore/unheard.hpp", '#include "tacore/error.hpp"'),
        # A test does not reach above its own floor either, nor a source into what tests share.
        ("src/table/a_test.cpp", '#include "dataset/b.hpp"'),
        ("src/table/a_test.cpp", '#include "tacore/dataset.hpp"'),
        ("src/table/a.cpp", '#include "support/temporary_folder.hpp"'),
        ("src/unheard/a.cpp", '#include "base/b.hpp"'),
        ("src/io/a.cpp", '#include "../base/b.hpp"'),
        ("src/io/a.cpp", '#include "b.hpp"'),
        ("src/query/a.cpp", "#include <arrow/table.h>"),
        ("src/query/a.hpp", "#include <duckdb.hpp>"),
        ("src/query/a.cpp", "  #  include <duckdb/main/config.hpp>"),
        ("src/model/a.cpp", "#include <nlohmann/json.hpp>"),
        ("c/frame.cpp", "#include <nlohmann/json.hpp>"),
        ("c/frame.cpp", '#include "dataset/dataset_impl.hpp"'),
        ("include/tacore.h", "#include <stdio.h>"),
        ("include/tacore.h", '#include "tacore/error.hpp"'),
        ("src/io/a.cpp", "#include <gdal.h>"),
        ("src/io/a.cpp", "#include <cpl_vsi.h>"),
        ("cli/info.cpp", "#include <CLI/CLI.hpp>"),
        # The tool includes only the inline headers that are listed for it, and these include nothing internal.
        ("cli/utf8.cpp", '#include "base/text.hpp"'),
        ("cli/output.cpp", '#include "io/output_file.hpp"'),
        ("python/src/a.cpp", '#include "base/utf8.hpp"'),
        ("src/base/utf8.hpp", '#include "base/text.hpp"'),
        ("src/io/open_uninterrupted.hpp", '#include "tacore/error.hpp"'),
        ("src/io/a.cpp", "#include <nanobind/nanobind.h>"),
        ("python/src/a.cpp", '#include "base/text.hpp"'),
        ("python/src/a.cpp", "#include <arrow/c/abi.h>"),
        ("python/src/a.cpp", "#include <duckdb.hpp>"),
        ("cli/info.cpp", '#include "container/container.hpp"'),
        ("include/tacore/error.hpp", "#include <functional>"),
        ("include/tacore/error.hpp", "#include <arrow/c/abi.h>"),
        ("include/tacore/error.hpp", '#include "b.hpp"'),
        ("src/container/a.cpp", "constexpr uint64_t kAll = net::kFirstRead;"),
        ("src/writer/a.cpp", "if (size <= tacore::net::kMaxWhole) return;"),
        ("src/dataset/a_test.cpp", "CHECK(size == net::kMaxWhole);"),
        ("cli/a.cpp", "const auto size = net::kMaxWhole;"),
    ]
    wrong = [f"refused: {path}: {line}" for path, line in good if check_lines(path, [line])]
    wrong += [f"accepted: {path}: {line}" for path, line in bad if not check_lines(path, [line])]
    hidden = ["namespace a {", "namespace {", "struct B {", "}  // namespace", "}  // namespace a"]
    seen = ["namespace a {", "class B final {"]
    inner, other = ["namespace a {", "struct B::Inner {", "struct C;"], ["namespace b {", "struct B {"]
    wrong += [] if check_types([("x.hpp", seen), ("y.cpp", seen)]) else ["accepted: two types of one name"]
    wrong += check_types([("x.hpp", seen), ("y.cpp", hidden), ("z.cpp", hidden), ("u.hpp", inner), ("v.hpp", other)])
    print("\n".join(wrong) or f"{len(good)} good and {len(bad)} bad lines told apart")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    files = [(file.relative_to(ROOT).as_posix(), file.read_text("utf-8").splitlines()) for file in sources()]
    found = check_types(files)
    for path, lines in files:
        found += check_lines(path, lines)
    print("\n".join(found) or f"{len(files)} files keep to the layers")
    return bool(found)


sys.exit(main())
