#!/usr/bin/env python3
"""Reads files of write_v1.py with the tool, and compares every row, cell and byte with what an independent reader finds.

    check_read.py TOOL [KIND...]     exits with 77 without pyarrow
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import write_v1

TOOL = None


def taco(*arguments):
    run = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, check=False)
    assert run.returncode == 0, f"taco {' '.join(map(str, arguments))}: {run.stderr.decode()}"
    return run.stdout


def query(path, sql="SELECT * FROM data"):
    return json.loads(taco("query", path, sql, "--format", "json"))


def same(found, expected):
    if isinstance(expected, float) and not math.isfinite(expected):
        return found is None
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return float(found) == float(expected)
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return found == expected


def check_cells(row, columns, offset=0):
    """`offset` is the first byte of the container."""
    for name, value in columns.items():
        if name == "__index_level_0__":
            assert name not in row, f"{name} shows"
            continue
        shown = row[name + "_1"] if name in ("id", "type") else row.get(name)
        if name.startswith("internal:"):
            continue
        if name == "tortilla:offset":
            value += offset
        assert same(shown, value), f"{name}: found {shown!r}, expected {value!r}"
    assert row["id"] == columns["tortilla:id"]


def check_file(path, data=None):
    data = data or Path(path).read_bytes()
    expected = write_v1.read(data)
    roots = [(name, columns) for name, columns, _ in expected if "/" not in name]
    rows = query(path)
    assert len(rows) == len(roots), f"found {len(rows)} rows, expected {len(roots)}"
    for row, (name, columns) in zip(rows, roots):
        check_cells(row, columns)
        assert row["internal:subfile"] == row["internal:gdal_vsi"] if "internal:subfile" in row else True
    for name, columns, content in expected:
        if content is None:
            children = [other for other, _, _ in expected if other.rpartition("/")[0] == name]
            listed = [row["id"] for row in json.loads(taco("ls", path, name, "--json"))]
            assert listed == [child.rpartition("/")[2] for child in children], f"{name}: {listed}"
        else:
            assert taco("read", path, name) == content, f"{name}: other bytes"
    check_levels(path, expected)


def check_levels(path, expected):
    """Levels in SQL have the rows of all nested tortillas, in order."""
    deepest = max(name.count("/") for name, _, _ in expected)
    for level in range(1, min(deepest, 5) + 1):
        ids = [name.rpartition("/")[2] for name, _, _ in expected if name.count("/") == level]
        found = [row["id"] for row in query(path, f"SELECT id FROM level{level}")]
        assert found == ids, f"level {level}: found {found}, expected {ids}"


def check_parts(folder):
    names = sorted(folder.iterdir())
    expected = [entry for name in names for entry in write_v1.read(name)]
    for path in (names[0], names[2]):
        rows = query(path)
        assert [row["id"] for row in rows] == [name for name, _, _ in expected]
        for name, _, content in expected:
            assert taco("read", path, name) == content
    names[1].unlink()
    run = subprocess.run([TOOL, "info", names[0]], capture_output=True, text=True, check=False)
    assert run.returncode != 0 and f"of which {names[1].name} is missing" in run.stderr, run.stderr


def main():
    global TOOL
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    TOOL = sys.argv[1]
    failed = 0
    kinds = sys.argv[2:] or [*write_v1.KINDS, *write_v1.PARTS]
    with tempfile.TemporaryDirectory() as scratch:
        for kind in kinds:
            try:
                if kind in write_v1.PARTS:
                    folder = Path(scratch) / kind
                    folder.mkdir()
                    for name, data in write_v1.PARTS[kind]().items():
                        (folder / name).write_bytes(data)
                    check_parts(folder)
                else:
                    path = Path(scratch) / f"{kind}.{'taco' if 'taco' in kind else 'tortilla'}"
                    path.write_bytes(write_v1.KINDS[kind]())
                    check_file(path)
                print(f"{kind}: as expected")
            except (AssertionError, KeyError) as error:
                failed += 1
                print(f"{kind}: {error!r}")
    print(f"{len(kinds) - failed} of {len(kinds)} kinds are read as expected")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
