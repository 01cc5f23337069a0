#!/usr/bin/env python3
"""Prints what a release contains of others, in the form CycloneDX 1.6.   make_sbom.py FOLDER

FOLDER holds the files of the release. Versions are those that the build pins or that this system has installed; the time
is SOURCE_DATE_EPOCH, so that the same release has the same list.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What is compiled in, or lies beside: Debian's package, licence.
DEBIAN = {"libdeflate-dev": "MIT", "libzstd-dev": "BSD-3-Clause", "nlohmann-json3-dev": "MIT", "libcli11-dev": "BSD-3-Clause"}


def pinned(file: str, pattern: str) -> str:
    match = re.search(pattern, (ROOT / file).read_text())
    if match is None:
        sys.exit(f"make_sbom: {file} names no version of the form {pattern}")
    return match[1]


def component(name: str, version: str, licence: str, purl: str) -> dict[str, object]:
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            "licenses": [{"license": {"id": licence}}]}  # fmt: skip


def components() -> list[dict[str, object]]:
    arrow = pinned("cmake/pyarrow-requirements.txt", r"pyarrow==(\S+)")
    duckdb = pinned("scripts/fetch_dependency", r"duckdb@(\d+\.\d+\.\d+)")
    backend = pinned("tests/python/requirements.txt", r"nanobind==(\S+)")
    out = [
        component("Apache Arrow and Parquet (C++)", arrow, "Apache-2.0", f"pkg:pypi/pyarrow@{arrow}"),
        component("DuckDB", duckdb, "MIT", f"pkg:npm/duckdb@{duckdb}"),
        component("nanobind", backend, "BSD-3-Clause", f"pkg:pypi/nanobind@{backend}"),
    ]
    for package, licence in DEBIAN.items():
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=True).stdout
        out.append(component(package, version, licence, f"pkg:deb/debian/{package}@{version}"))
    return out


def main() -> None:
    version = (ROOT / "VERSION").read_text().strip()
    made = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    files = [{"type": "file", "bom-ref": file.name, "name": file.name,
              "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}]}
             for file in sorted(Path(sys.argv[1]).iterdir())]  # fmt: skip
    tacore = {"type": "application", "bom-ref": f"pkg:generic/tacore@{version}", "name": "tacore", "version": version,
              "purl": f"pkg:generic/tacore@{version}", "licenses": [{"license": {"id": "MIT"}}]}  # fmt: skip
    parts = components()
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"timestamp": made.isoformat().replace("+00:00", "Z"), "component": tacore},
        "components": [*parts, *files],
        "dependencies": [{"ref": tacore["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}],
    }, indent=2))  # fmt: skip


if __name__ == "__main__":
    main()
