#!/usr/bin/env python3
"""libtacore_c in one process with another Arrow and another DuckDB, each of which does its work before and after the other.

    beside_others.py FOLDER     FOLDER holds include/ and lib/. 77 when pyarrow or duckdb is not installed

Rows cross from one Arrow to the other by the C interface, and exceptions are thrown within each library.
"""

from __future__ import annotations

import ctypes
import importlib.util
import itertools
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1]).resolve()
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
STEPS = ("tacore", "pyarrow", "duckdb")


def library() -> ctypes.CDLL:
    out = ctypes.CDLL(str(FOLDER / "lib" / "libtacore_c.so.1"))
    out.tacore_error_text.restype = ctypes.c_char_p
    out.tacore_error_text.argtypes = out.tacore_error_free.argtypes = [ctypes.c_void_p]
    out.tacore_frame_num_rows.restype = ctypes.c_int64
    return out


def call(name: str, *args: object) -> int:
    """Calls a function that fails with a text; its status."""
    error = ctypes.c_void_p()
    status = int(getattr(library(), name)(*args, ctypes.byref(error)))
    assert (status != 0) == bool(error), name
    if status:
        assert library().tacore_error_text(error)
        library().tacore_error_free(error)
    return status


def rows_of(query: bytes) -> ctypes.c_void_p:
    paths = (ctypes.c_char_p * 1)(str(GOLDEN / "flat.tacozip").encode())
    dataset, filtered, rows = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    assert call("tacore_open", paths, ctypes.c_size_t(1), None, ctypes.byref(dataset)) == 0
    assert call("tacore_dataset_sql", dataset, query, ctypes.byref(filtered)) == 0
    assert call("tacore_dataset_rows", filtered, 0, ctypes.byref(rows)) == 0
    return rows


def use_tacore() -> None:
    low, high, all_ = (library().tacore_frame_num_rows(rows_of(b"SELECT * FROM data" + where))
                       for where in (b" WHERE cloud_cover < 50", b" WHERE NOT cloud_cover < 50", b""))  # fmt: skip
    assert 0 < low < all_ == low + high
    paths = (ctypes.c_char_p * 1)(b"no_such_file.tacozip")
    dataset = ctypes.c_void_p()
    assert call("tacore_open", paths, ctypes.c_size_t(1), None, ctypes.byref(dataset)) == 4  # TACORE_E_NOT_FOUND


def use_pyarrow() -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    table = pa.table({"a": [3, 1, 2], "text": ["x", None, "z"]})
    assert pc.sum(table["a"]).as_py() == 6 and pc.sort_indices(table["a"]).to_pylist() == [1, 2, 0]
    try:
        pa.array(["x"]).cast(pa.int32())
        raise AssertionError("a text became a number")
    except pa.ArrowInvalid:
        pass
    rows = rows_of(b"SELECT * FROM data")
    stream = (ctypes.c_void_p * 5)()  # struct ArrowArrayStream
    assert call("tacore_frame_stream", rows, 0, stream) == 0
    read = pa.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()
    assert read.num_rows == library().tacore_frame_num_rows(rows) and "id" in read.column_names


def use_duckdb() -> None:
    import duckdb

    assert duckdb.sql("SELECT sum(range) FROM range(1000)").fetchall() == [(499500,)]
    try:
        duckdb.sql("SELECT nothing FROM range(3)")
        raise AssertionError("a column that is not there was found")
    except duckdb.Error:
        pass


def use(order: tuple[str, ...]) -> None:
    for step in [*order, *order]:
        globals()[f"use_{step}"]()
    maps = Path("/proc/self/maps").read_text().splitlines()
    mapped = {line.split()[-1] for line in maps if "r-xp" in line and re.search(r"(arrow|parquet|duckdb)[^/]*$", line)}
    mine = {path for path in mapped if "/tc_" in path}
    assert len(mine) == 3 and len(mapped - mine) >= 3, mapped  # its own three, and those of the packages


def main() -> int:
    for package in ("pyarrow", "duckdb"):
        if importlib.util.find_spec(package) is None:
            print(f"skipped: {package} is not installed")
            return 77
    if len(sys.argv) > 2:
        use(tuple(sys.argv[2:]))
        return 0
    for order in itertools.permutations(STEPS):  # each in a process of its own, for what is loaded first decides
        subprocess.run([sys.executable, "-B", __file__, str(FOLDER), *order], check=True, timeout=300)
        print(", then ".join(order))
    import duckdb
    import pyarrow

    print(f"beside pyarrow {pyarrow.__version__} and duckdb {duckdb.__version__}")
    return 0


sys.exit(main())
