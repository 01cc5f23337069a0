#!/usr/bin/env python3
"""Converts files of write_v1.py to 2.0 and back with the tool, and compares every cell and byte by an independent reader.

    check_convert.py TOOL [KIND...]     exits with 77 without pyarrow
"""
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import write_v1

TOOL = None
# Trees that 2.0 refuses, with what it says, and those that it pads.
REFUSED = {"mixed": "roots of one type expected"}
# Say where samples lie, or are made when reading; a row that lacks a value and one that has null are the same.
PLACES = ("tortilla:offset", "tortilla:length", "__index_level_0__", "internal:x")
NAMES = {"stac:raster_shape": "stac:tensor_shape", "rai:ele": "rai:elevation"}


def taco(*arguments, fails=False):
    run = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, check=False, text=True)
    assert (run.returncode != 0) == fails, f"taco {' '.join(map(str, arguments))}: {run.stderr}"
    return run.stderr


def plain(value):
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def stated(value):
    """Without members that are null, which count as absent."""
    if isinstance(value, dict):
        return {key: stated(item) for key, item in value.items() if item is not None}
    return [stated(item) for item in value] if isinstance(value, list) else value


def samples(path):
    """By path: the columns that have a value, by one of their names, and the bytes."""
    out = {}
    for name, columns, data in write_v1.read(path):
        out[name] = ({NAMES.get(c, c): plain(v) for c, v in columns.items() if v is not None and c not in PLACES}, data)
    return out


def parts_of(folder):
    out = {}
    for path in sorted(folder.iterdir()):
        out |= samples(path)
    return out


def check(kind, folder):
    suffix = ".taco" if "taco" in kind and kind != "taco_inside" else ".tortilla"
    source = folder / f"{kind}{suffix}"
    if kind in write_v1.PARTS:
        source.mkdir()
        for name, data in write_v1.PARTS[kind]().items():
            (source / name).write_bytes(data)
        expected, source = parts_of(source), next(source.iterdir())
    else:
        source.write_bytes((write_v1.KINDS | write_v1.ODD)[kind]())
        expected = samples(source)
    first = kind.startswith("first")
    if first:
        expected = {name: (columns | {"tortilla:file_format": "GTiff"}, data) for name, (columns, data) in expected.items()}
    for form, over in [("zip.tacozip", "zip"), ("folder", "folder")]:
        there = folder / f"{kind}-{form}"
        told = taco("convert", source, there, "--quiet", fails=kind in REFUSED)
        if kind in REFUSED:
            assert REFUSED[kind] in told, told
            continue
        taco("validate", there, "--deep")
        back = folder / f"{kind}.{over}{suffix}"
        taco("convert", there, back, "--quiet")
        taco("validate", back)
        found = samples(back)
        assert list(found) == list(expected), f"found {list(found)}, expected {list(expected)}"
        for name, (columns, data) in expected.items():
            assert found[name][1] == data, f"{name}: other bytes"
            assert found[name][0] == columns, f"{name}: found {found[name][0]}, expected {columns}"
    if suffix == ".taco" and not first and kind not in write_v1.PARTS:
        known, again = stated(write_v1.collection(source)), stated(write_v1.collection(folder / f"{kind}.zip{suffix}"))
        for key in known:
            if key not in ("taco_version", "extent", "task"):
                assert again.get(key) == known[key], f"{key}: found {again.get(key)}, expected {known[key]}"
    joined = folder / f"{kind}.joined{suffix}"
    taco("convert", source, joined, "--quiet")
    assert {name: found for name, found in samples(joined).items()} == expected, "rewritten samples differ"


def main():
    global TOOL
    TOOL = sys.argv[1]
    failed = 0
    for kind in sys.argv[2:] or [*write_v1.KINDS, *write_v1.ODD, *write_v1.PARTS]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(kind, Path(folder))
            except AssertionError as error:
                failed += 1
                print(f"{kind}: {error}")
    print(f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
