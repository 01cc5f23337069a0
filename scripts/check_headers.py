#!/usr/bin/env python3
"""Compiles each public header alone and keeps it cheap.   check_headers.py COMPILER"""
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INCLUDE = Path(__file__).resolve().parent.parent / "include"
MAX_LINES = 50_000  # preprocessed, without blank lines; <memory> alone is 35,000
# A user of tacore may have none of these.
FORBIDDEN = re.compile(r"/(arrow|parquet|duckdb|gdal|nlohmann|CLI|curl)[./]|/(gdal|cpl_|ogr_)\w*\.h")


def run(*command, source):
    return subprocess.run([sys.argv[1], "-std=c++20", "-I", INCLUDE, *command], input=source,
                          capture_output=True, text=True)


def check(name):
    """(lines after preprocessing, complaints) for one header."""
    # Twice: the second inclusion tests the include guard.
    source = f"#include <{name}>\n" * 2
    with tempfile.NamedTemporaryFile() as dependencies:
        expanded = run("-E", "-MD", "-MF", dependencies.name, "-x", "c++", "-", source=source)
        files = Path(dependencies.name).read_text().split()
    # The preprocessed text is compiled, so that the header is not preprocessed a second time.
    compiled = run("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
                   "-fsyntax-only", "-x", "c++-cpp-output", "-", source=expanded.stdout)
    found = [f"{name}: includes {file}" for file in files
             if FORBIDDEN.search(file) and not file.startswith(str(INCLUDE))]
    lines = sum(1 for line in expanded.stdout.splitlines() if line.strip() and not line.startswith("#"))
    if expanded.returncode or compiled.returncode:
        found.append(f"{name}: does not compile alone\n{expanded.stderr}{compiled.stderr}")
    if lines > MAX_LINES:
        found.append(f"{name}: {lines} preprocessed lines, at most {MAX_LINES} allowed")
    return lines, found


def main():
    names = sorted(file.relative_to(INCLUDE).as_posix() for file in INCLUDE.rglob("*.hpp"))
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(check, names))
    for name, (lines, _) in zip(names, results):
        print(f"{lines:6} {name}")
    found = [text for _, texts in results for text in texts]
    print("\n".join(found), end="\n" if found else "")
    return bool(found) or not names


sys.exit(main())
