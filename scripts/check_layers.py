#!/usr/bin/env python3
"""Fails on an #include that breaks the layering. Tables first; the code below only applies them."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Layer -> what it may include besides itself and the public headers. A file may stand for a layer.
LAYERS = {
    "base": [],
    "io": ["base"],
    "format": ["base"],
    "model": ["base", "format/names.hpp"],
    "table": ["base", "io", "format", "model"],
    "net": ["base", "io", "format/names.hpp"],
    "reader": ["base", "io", "net", "format", "model", "table"],
    "v1": ["base", "io", "net", "format", "model", "table", "reader/container.hpp", "writer"],
    "describe": ["base", "io", "format/names.hpp", "model", "table", "reader", "v1/collection.hpp"],
    "writer": ["base", "io", "net", "format", "model", "table"],
    "extensions": ["base", "model"],
    "transform": ["base", "io", "net", "format", "model", "table", "reader", "writer", "v1"],
}
# Single files that may do more.
EXCEPTIONS = {
    "src/reader/open_container.cpp": ["v1"],
    "src/describe/describe_test_data.hpp": ["writer/create_as.hpp"],
    "src/transform/validate_tiff.cpp": ["raster"],
    "src/v1/tortilla_container_test.cpp": ["reader"],
    "src/v1/chain_test.cpp": ["reader"],
    "src/v1/histogram_blob.cpp": ["raster"],
    "src/v1/streaming_test.cpp": ["raster", "reader"],
    "src/v1/threads_test.cpp": ["raster"],
    "src/v1/streaming_faults.cpp": ["raster"],
    "src/v1/streaming_tables.cpp": ["raster"],
    "src/v1/togs.cpp": ["raster"],
}

# Folders beside src/: what they may include from src/. The public headers are open to all.
OUTSIDE = {
    "raster": ["base", "io", "net", "format/names.hpp", "format/chunk_names.hpp", "model", "table", "reader", "v1", "writer/sample_source.hpp"],
    "gdal": [], "cli": [], "python": [], "examples": [], "tests/consumer": [],
}

# Heavy header -> the paths that may include it (regular expressions). The first row that matches decides.
HOMES = [
    (r"(arrow/c/abi\.h|arrow/type_fwd\.h|arrow/util/type_fwd\.h)", r"src/(table|reader|describe|writer|transform|v1)/.*"),
    (r"(arrow|parquet)/.*", r"src/table/.*"),
    (r"duckdb.*", r"src/reader/(duckdb_session|sql_functions|sql_inspect)\.cpp"),
    (r"nlohmann/.*", r"src/(model/(pit|collection_json|geojson|chunk_manifest)\.cpp|describe/.*|v1/collection_.*)"),
    (r"CLI/.*", r"cli/main\.cpp"),
    (r"(gdal|ogr|cpl|vrt|proj).*\.(h|hpp)", r"(gdal|examples)/.*"),
    (r"curl/.*", r"src/net/(curl_library\.hpp|http_client\.cpp)"),
    (r"openssl/.*", r"src/base/sha256\.cpp"),
    (r"libdeflate\.h", r"src/base/crc32\.cpp|raster/(codecs|png)\.cpp"),
    (r"zstd.*\.h", r"raster/codecs\.cpp"),
    (r"nanobind/.*", r"python/src/.*"),
]

# Too dear for a public header, which every user compiles.
NOT_IN_PUBLIC = {"iostream", "filesystem", "chrono", "regex", "functional", "fstream"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    """src/io/x.cpp -> io; cli/x.cpp -> cli; anything else -> None."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    for folder in OUTSIDE:
        if path.startswith(folder + "/"):
            return folder
    return None


def allowed(target, places):
    return any(target == place or target.startswith(place + "/") for place in places)


def complaint(path, quote, target):
    """Why the file `path` may not include `target`, or None."""
    if path.startswith("include/"):
        if target.startswith("tacore/"):
            return None
        if quote == '"' or "/" in target or "." in target:
            return "a public header includes the standard library and tacore/ only"
        return "too dear for a public header" if target in NOT_IN_PUBLIC else None
    if target.startswith("tacore/"):
        return None
    for header, home in HOMES:
        if re.fullmatch(header, target):
            return None if re.fullmatch(home, path) else f"belongs in {home} only"
    layer = layer_of(path)
    if quote == "<" or layer is None:
        return None
    if target.startswith("../"):
        return "write the path from src/"
    if layer in OUTSIDE:
        # Their own files, by plain name or below their own folder.
        mine = "/" not in target or target.startswith(layer.split("/")[-1] + "/")
        return None if mine or allowed(target, OUTSIDE[layer]) else f"{layer} may not include this"
    if layer not in LAYERS:
        return f"src/{layer} is not in the table of layers"
    if "/" not in target:
        return "write the path from src/"
    if allowed(target, [layer] + LAYERS[layer] + EXCEPTIONS.get(path, [])):
        return None
    return f"{layer} may not include this"


def check_lines(path, lines):
    """Complaints about one file, as `path:line: what: why`."""
    found = []
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        why = match and complaint(path, match[1], match[2])
        if why:
            found.append(f"{path}:{number}: {match[2]}: {why}")
    return found


def sources():
    for folder in ["include", "src", *OUTSIDE]:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".h", ".c"):
                yield file


def self_test():
    good = [
        ("src/io/a.cpp", '#include "base/crc32.hpp"'),
        ("src/io/a.cpp", '#include "io/b.hpp"'),
        ("src/io/a.cpp", "#include <tacore/byte_source.hpp>"),
        ("src/model/a.cpp", '#include "format/names.hpp"'),
        ("src/v1/a.hpp", '#include "reader/container.hpp"'),
        ("src/reader/open_container.cpp", '#include "v1/tortilla_container.hpp"'),
        ("src/extensions/a.cpp", '#include "model/wkb.hpp"'),
        ("src/table/a.hpp", "#include <arrow/type_fwd.h>"),
        ("src/table/a.cpp", "#include <parquet/file_reader.h>"),
        ("src/reader/dataframe.cpp", "#include <arrow/c/abi.h>"),
        ("src/reader/duckdb_session.cpp", "#include <duckdb.hpp>"),
        ("src/model/pit.cpp", "#include <nlohmann/json.hpp>"),
        ("src/describe/a.cpp", "#include <nlohmann/json.hpp>"),
        ("src/describe/a.cpp", '#include "reader/dataset_impl.hpp"'),
        ("src/format/a_test.cpp", "#include <doctest/doctest.h>"),
        ("cli/main.cpp", '#include "commands.hpp"'),
        ("raster/a.cpp", '#include "io/http_source.hpp"'),
        ("gdal/a.cpp", "#include <gdal.h>"),
        ("python/src/a.cpp", '#include "text.hpp"'),
        ("python/src/a.cpp", '#include "tacore/dataset.hpp"'),
        ("python/src/a.cpp", "#include <nanobind/nanobind.h>"),
        ("include/tacore/a.hpp", "#include <tacore/b.hpp>"),
        ("include/tacore/a.hpp", "#include <span>"),
        ("include/tacore/a.hpp", "// #include <duckdb.hpp>"),
    ]
    bad = [
        ("src/base/a.cpp", '#include "io/b.hpp"'),
        ("src/io/a.cpp", '#include "format/b.hpp"'),
        ("src/model/a.cpp", '#include "format/zip_records.hpp"'),
        ("src/writer/a.cpp", '#include "reader/b.hpp"'),
        ("src/describe/a.cpp", '#include "writer/b.hpp"'),
        ("src/reader/a.cpp", '#include "writer/b.hpp"'),
        ("src/extensions/a.cpp", '#include "writer/b.hpp"'),
        ("src/reader/dataset.cpp", '#include "v1/tortilla_container.hpp"'),
        ("src/v1/a.cpp", '#include "reader/dataset.hpp"'),
        ("src/unheard/a.cpp", '#include "base/b.hpp"'),
        ("src/io/a.cpp", '#include "../base/b.hpp"'),
        ("src/io/a.cpp", '#include "b.hpp"'),
        ("src/reader/a.cpp", "#include <arrow/table.h>"),
        ("src/reader/a.hpp", "#include <duckdb.hpp>"),
        ("src/reader/a.cpp", "  #  include <duckdb/main/config.hpp>"),
        ("src/model/a.cpp", "#include <nlohmann/json.hpp>"),
        ("src/io/a.cpp", "#include <gdal.h>"),
        ("src/io/a.cpp", "#include <cpl_vsi.h>"),
        ("cli/info.cpp", "#include <CLI/CLI.hpp>"),
        ("src/io/a.cpp", "#include <nanobind/nanobind.h>"),
        ("python/src/a.cpp", '#include "base/text.hpp"'),
        ("python/src/a.cpp", "#include <arrow/c/abi.h>"),
        ("python/src/a.cpp", "#include <duckdb.hpp>"),
        ("cli/info.cpp", '#include "reader/container.hpp"'),
        ("raster/a.cpp", '#include "writer/b.hpp"'),
        ("include/tacore/a.hpp", "#include <functional>"),
        ("include/tacore/a.hpp", "#include <arrow/c/abi.h>"),
        ("include/tacore/a.hpp", '#include "b.hpp"'),
    ]
    wrong = [f"refused: {path}: {line}" for path, line in good if check_lines(path, [line])]
    wrong += [f"accepted: {path}: {line}" for path, line in bad if not check_lines(path, [line])]
    print("\n".join(wrong) or f"{len(good)} good and {len(bad)} bad lines told apart")
    return bool(wrong)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    files = list(sources())
    found = []
    for file in files:
        found += check_lines(file.relative_to(ROOT).as_posix(), file.read_text("utf-8").splitlines())
    print("\n".join(found) or f"{len(files)} files keep to the layers")
    return bool(found)


sys.exit(main())
