#!/usr/bin/env python3
"""Calls every function of tacore.h with NULL for each pointer in turn, all other arguments being valid.

    null_pointers.py LIBRARY

A required pointer gives TACORE_E_ARGUMENT with its name and NULL results; one that may be NULL gives a success; getters give 0,
NULL or "", and free functions do nothing. The functions and their parameters are read from the header, so that one that this
script has no arguments for fails it.
"""

from __future__ import annotations

import ctypes
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ctypes.CDLL(sys.argv[1])
OK, ARGUMENT = 0, 10
# Pointers that the header allows to be NULL, by function and parameter ("*" for all functions).
OPTIONAL = {("*", "options"), ("*", "error"), ("*", "column"), ("*", "child"), ("*", "window"), ("*", "bands"),
            ("tacore_concat", "mode"), ("tacore_set_poll", "poll"), ("tacore_set_poll", "user")}  # fmt: skip
GOLDEN = str(ROOT / "examples/data/landsat.tacozip").encode()
COLLECTION = (b'{"id": "chips", "dataset_version": "1.0.0", "description": "Chips", "licenses": ["MIT"],'
              b' "providers": [{"name": "P"}], "tasks": ["classification"]}')  # fmt: skip


def functions() -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """Name -> type of the result, and (type, name) of each parameter."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "include/tacore.h").read_text(), flags=re.DOTALL)
    text = re.sub(r"int32_t \(\*poll\)\([^)]*\)", "int32_t* poll", text)
    out = {}
    for result, name, body in re.findall(r"^([\w][\w *]*?)\s*\b(tacore_\w+)\(([^)]*)\);", text, flags=re.MULTILINE):
        parameters = []
        for each in re.sub(r"\s+", " ", body).split(","):
            if each.strip() != "void":
                kind, parameter, array = re.fullmatch(r"(.*?)(\w+)(\[\d\])?", each.strip()).groups()  # type: ignore[union-attr]
                parameters.append((kind.strip() + ("*" if array else ""), parameter))
        out[name] = (result, parameters)
    return out


class Handles:
    """One of each, which live as long as the process."""

    def __init__(self) -> None:
        self.of: dict[str, Any] = {}
        paths = (ctypes.c_char_p * 1)(GOLDEN)
        self.made("dataset", "tacore_open", paths, ctypes.c_size_t(1), None)
        self.made("frame", "tacore_dataset_rows", self.of["dataset"], 0)
        self.made("raster", "tacore_raster_open", self.of["frame"], ctypes.c_int64(0), None)
        self.made("loader", "tacore_loader_new", self.of["frame"], None)
        self.made("batch", "tacore_loader_next", self.of["loader"])
        self.made("samples", "tacore_samples_from_path", str(ROOT / "examples/data/scene").encode(), None)
        self.made("buffer", "tacore_dataset_about", self.of["dataset"])
        error = ctypes.c_void_p()
        assert LIBRARY.tacore_open(None, ctypes.c_size_t(1), None, None, ctypes.byref(error)) == ARGUMENT
        self.of["error"] = error

    def made(self, kind: str, function: str, *arguments: Any) -> Any:
        out = ctypes.c_void_p()
        assert getattr(LIBRARY, function)(*arguments, ctypes.byref(out), None) == OK and out
        self.of[kind] = out
        return out


TEXTS = {"query": b"SELECT * FROM data", "mode": b"strict", "range": b"2000", "form": b"markdown", "column": None, "child": None,
         "collection": COLLECTION, "operation": b"validate", "request": b'{"path": "%s"}' % GOLDEN,
         "options": b"{}"}  # fmt: skip


def argument(handles: Handles, folder: Path, number: int, function: str, kind: str, name: str) -> Any:
    """A valid value for a parameter."""
    handle = re.fullmatch(r"(?:const )?tacore_(\w+)\*", kind)
    if handle:
        return handles.of[handle[1]]
    if kind == "const char*":
        if name == "output":
            return str(folder / f"{number}.tacozip").encode()
        if name == "path":
            return str(ROOT / "examples/data/scene").encode() if "samples" in function else b"/vsisubfile/0_1," + GOLDEN
        return TEXTS[name]
    fixed = {
        "const char* const*": lambda: (ctypes.c_char_p * 1)(GOLDEN),
        "const tacore_dataset* const*": lambda: (ctypes.c_void_p * 1)(handles.of["dataset"]),
        "const double*": lambda: (ctypes.c_double * 4)(-180, -90, 180, 90),
        "const int64_t*": lambda: (ctypes.c_int64 * 4)(0, 0, 0, 0) if name == "positions" else (ctypes.c_int64 * 4)(0, 0, 64, 64),
        "const int32_t*": lambda: (ctypes.c_int32 * 6)(1, 2, 3, 4, 5, 6),
        "int64_t": lambda: ctypes.c_int64(0),
        "int32_t": lambda: 0,
        "void*": lambda: ctypes.create_string_buffer(6 * 64 * 64),
    }
    if kind == "size_t":
        sizes = {"size": 6 * 64 * 64, "num_bands": 6, "input": 0}
        return ctypes.c_size_t(sizes.get(name, 1))
    if kind in fixed:
        return fixed[kind]()
    if kind == "struct ArrowArrayStream*":
        stream = (ctypes.c_void_p * 5)()
        if function == "tacore_samples_from_rows":
            assert LIBRARY.tacore_samples_stream(handles.of["samples"], 0, 0, stream, None) == OK
        return stream
    return (ctypes.c_int64 * 4)(*[7] * 4)  # where a result is written


def is_pointer(kind: str) -> bool:
    return kind.endswith("*")


def main() -> int:
    handles, faults, num_calls = Handles(), [], 0
    LIBRARY.tacore_error_text.restype = ctypes.c_char_p
    all_functions = functions()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for function, (result, parameters) in all_functions.items():
            pointers = [i for i, (kind, _) in enumerate(parameters) if is_pointer(kind)]
            call = getattr(LIBRARY, function)
            call.restype = {"const char*": ctypes.c_char_p, "const void*": ctypes.c_void_p, "int64_t": ctypes.c_int64,
                            "size_t": ctypes.c_size_t, "void": None}.get(result, ctypes.c_int32)  # fmt: skip
            for i in pointers:
                # Freeing, and setting to NULL, is of NULL alone.
                if function.endswith("_free") or function == "tacore_set_poll":
                    call(*[None] * len(parameters))
                    num_calls += 1
                    continue
                given = [argument(handles, folder, num_calls, function, *each) for each in parameters]
                given[i] = None
                if parameters[i][1] == "bands":
                    given[i + 1] = ctypes.c_size_t(0)  # all of them
                error = ctypes.c_void_p()
                if result == "tacore_status" and parameters[-1][1] == "error" and i != len(parameters) - 1:
                    given[-1] = ctypes.byref(error)
                found = call(*given)
                num_calls += 1
                parameter = parameters[i][1]
                where = f"{function}, {parameter} is NULL"
                may = ("*", parameter) in OPTIONAL or (function, parameter) in OPTIONAL
                if result == "tacore_status" and parameters[-1][1] == "error":
                    text = (LIBRARY.tacore_error_text(error) or b"").decode()
                    for k, (kind, name_) in enumerate(parameters[:-1]):
                        is_result = kind.endswith("**") and kind.startswith("tacore_") and given[k] is not None
                        if found != OK and is_result and name_ != "buffers" and given[k][0] != 0:
                            faults.append(f"{where}: {name_} is not NULL after the failure")
                    # A FILE has no children, a path no raster: what fails for other reasons may not fail for this one.
                    if may and found == ARGUMENT:
                        faults.append(f"{where}: refused, but the header allows it: {text}")
                    elif not may and (found != ARGUMENT or (i != len(parameters) - 1 and parameter not in text)):
                        faults.append(f"{where}: status {found}, expected TACORE_E_ARGUMENT with its name: {text}")
                elif parameters[i][0].startswith("const tacore_") and found not in (0, None, b""):
                    faults.append(f"{where}: {found!r}, expected 0, NULL or an empty text")
    assert len(all_functions) == len(re.findall(r"\btacore_\w+\(", re.sub(r"/\*.*?\*/", "", (ROOT / "include/tacore.h").read_text(),
                                                                        flags=re.DOTALL)))  # fmt: skip
    print(f"{len(all_functions)} functions, {num_calls} calls")
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
