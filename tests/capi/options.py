#!/usr/bin/env python3
"""docs/c.md lists the options that each function has, and no others.     options.py LIBRARY

An unknown option is an error whose text lists the known ones; that list is compared with the row of the function.
"""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ctypes.CDLL(sys.argv[1])
LIBRARY.tacore_error_text.restype = ctypes.c_char_p
BAD = b'{"?": 1}'
# Two required arguments, so that the unknown one is found.
REQUESTS = {"convert": ("input", "output"), "edit": ("path",), "diff": ("a", "b"), "index": ("inputs",), "collect": ("inputs",),
            "sync": ("from", "to"), "validate": ("path",), "describe": ("path", "output"), "header": ("path",),
            "tog": ("input", "output")}  # fmt: skip


def call(name: str, *arguments: Any) -> tuple[ctypes.c_void_p, str]:
    """The result, and the text of the error."""
    out, error = ctypes.c_void_p(), ctypes.c_void_p()
    getattr(LIBRARY, name)(*arguments, ctypes.byref(out), ctypes.byref(error))
    return out, (LIBRARY.tacore_error_text(error) or b"").decode()


def known(text: str) -> set[str]:
    assert "known are " in text, text
    return set(text.split("known are ")[1].split(", "))


def of_functions() -> dict[str, set[str]]:
    paths = (ctypes.c_char_p * 1)(str(ROOT / "examples/data/landsat.tacozip").encode())
    one = ctypes.c_size_t(1)
    dataset, _ = call("tacore_open", paths, one, None)
    rows, _ = call("tacore_dataset_rows", dataset, 0)
    raster, _ = call("tacore_raster_open", rows, ctypes.c_int64(0), None)
    scene = str(ROOT / "examples/data/scene").encode()
    samples, _ = call("tacore_samples_from_path", scene, None)
    error = ctypes.c_void_p()
    LIBRARY.tacore_set_options(BAD, ctypes.byref(error))
    out = {"tacore_set_options": known(LIBRARY.tacore_error_text(error).decode())}
    pixels = ctypes.create_string_buffer(10)
    error = ctypes.c_void_p()
    LIBRARY.tacore_raster_read(raster, None, ctypes.c_size_t(0), None, -1, BAD, pixels, one, ctypes.byref(error))
    out["tacore_raster_read"] = known(LIBRARY.tacore_error_text(error).decode())
    for name, arguments in {
        "tacore_open": (paths, one),
        "tacore_dataset_statistics": (dataset,),
        "tacore_dataset_describe": (dataset, b"markdown"),
        "tacore_export": (dataset, b"none.tacozip"),
        "tacore_raster_preview": (raster,),
        "tacore_loader_new": (rows,),
        "tacore_samples_from_path": (scene,),
        "tacore_create": (samples, b"none.tacozip", b"{}"),
    }.items():
        out[name] = known(call(name, *arguments, BAD)[1])
    out["tacore_frame_statistics"] = known(call("tacore_frame_statistics", rows, b'{"compute": true, "?": 1}')[1])
    out["an object in `inputs`"] = known(call("tacore_loader_new", rows, b'{"inputs": [{"?": 1}]}')[1])
    for name, required in REQUESTS.items():
        request = ", ".join([*(f'"{each}": "x"' for each in required), '"?": 1'])
        out[name] = known(call("tacore_run", name.encode(), f"{{{request}}}".encode())[1])
    return out


def names(text: str) -> set[str]:
    return set(re.findall(r"`([a-z_]+)`", text))


def remote_options() -> set[str]:
    section = (ROOT / "docs/remote.md").read_text().split("## Options")[1].split("\n## ")[0]
    columns = [[cell.strip() for cell in row.split("|")[1:3]] for row in section.splitlines() if row.startswith("| `")]
    return set().union(*(names(first if python == "same" else python) for first, python in columns))


def main() -> int:
    text = (ROOT / "docs/c.md").read_text()
    parquet = names(text.split("### Options of Parquet files")[1].split("\n## ")[0])
    rows: dict[str, set[str]] = {}
    for first, options in re.findall(r"^\| (.+?) \| (.+?) \|", text.split("\n## Options\n")[1].split("## Errors")[0], re.MULTILINE):
        found = names(re.sub(r"\([^)]*\)", "", options.replace("`taco describe`", "")))
        found -= {"tacore_create", "tacore_dataset_describe"}
        if "arquet" in options:
            found |= parquet
        if "options of remote" in options:
            found |= remote_options()
        for name in re.findall(r"`tacore_\w+`|an object in `inputs`|`[a-z]+`", first):
            rows[name if " " in name else name.strip("`")] = found
    faults = []
    for name, options in of_functions().items():
        listed = set(rows.get(name, set()))
        if name == "describe":
            listed |= rows["tacore_dataset_describe"]
        for what, left in (("lacks", options - listed), ("lists", listed - options)):
            if left:
                faults.append(f"docs/c.md {what} of {name}: {', '.join(sorted(left))}")
    print(f"{len(rows)} rows")
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
