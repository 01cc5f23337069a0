#!/usr/bin/env python3
"""The binary interface of libtacore_c: its symbols, the functions of its header, and the values of its constants.

    abi.py COMPILER LIBRARY     fails when the library exports anything but the functions of tacore.h, all of the version node
                                TACORE_1.0; when a constant has another value than recorded; and when abidiff finds functions
                                of another type than those recorded in tacore_c.abi. 77 without abidiff
    abi.py COMPILER --update    records the header, for a release with new functions

abidiff compares a library that is made of the header alone, with debug information: that the functions of the real one have
these types is what the C++ compiler checks, which sees both in every file of c/.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = HERE.parents[1] / "include" / "tacore.h"
RECORDED, CONSTANTS = HERE / "tacore_c.abi", HERE / "constants.txt"
NODE = "TACORE_1.0"


def run(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def header_only(compiler: str) -> str:
    """The header without comments, macros and what it includes."""
    marked = "#include <stddef.h>\n#include <stdint.h>\nint tacore_begin;\n" + re.sub(r"#include <.*>", "", HEADER.read_text())
    done = subprocess.run([compiler, "-std=c99", "-E", "-P", "-xc", "-"], input=marked, check=True, capture_output=True, text=True)
    return done.stdout.split("int tacore_begin;")[1]


def functions(source: str) -> list[str]:
    return re.findall(r"\b(tacore_\w+)\(", re.sub(r"\(\*\w+\)\([^)]*\)", "", source))


def constants(compiler: str, source: str, folder: Path) -> str:
    """A line for each enumerator and number of the header: its name and value, as the compiler sees them."""
    names = [name for body in re.findall(r"enum\s*\{([^}]*)\}", source) for name in re.findall(r"\b(TACORE_\w+)", body)]
    names += re.findall(r"^#define (TACORE_ABI_\w+)", HEADER.read_text(), re.MULTILINE)
    lines = "".join(f'printf("{name} %d\\n", (int){name});' for name in names)
    (folder / "c.c").write_text(f'#include <stdio.h>\n#include "{HEADER}"\nint main(void) {{ {lines} }}\n')
    run(compiler, folder / "c.c", "-o", folder / "c")
    return run(folder / "c")


def stub(compiler: str, source: str, folder: Path) -> Path:
    """A library of the header alone: each function with an empty body."""
    bodies = re.sub(r"\)\s*;", ") { __builtin_trap(); }", re.sub(r"(\(\*\w+\)\([^)]*\));", r"\1@", source)).replace("@", ";")
    (folder / "tacore.c").write_text("#include <stddef.h>\n#include <stdint.h>\n" + bodies)
    library = folder / "libtacore_c.so.1"
    run(compiler, "-std=gnu99", "-g", "-shared", "-fPIC", "-Wno-return-type", "-Wno-unused-parameter",
        "-Wl,-soname,libtacore_c.so.1", folder / "tacore.c", "-o", library)  # fmt: skip
    return library


def exported(library: str) -> tuple[set[str], set[str]]:
    """Functions of our version node, and everything else that the library defines for others."""
    mine, others = set(), set()
    for line in run("nm", "-D", "--defined-only", "--with-symbol-versions", library).splitlines():
        kind, name = line.split()[-2:]
        base, _, node = name.partition("@@")
        if kind == "T" and node == NODE:
            mine.add(base)
        elif kind != "A":  # the node itself
            others.add(name)
    return mine, others


def main() -> int:
    compiler, library = sys.argv[1:]
    source = header_only(compiler)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        values = constants(compiler, source, folder)
        if library == "--update":
            text = run("abidw", "--no-comp-dir-path", "--no-show-locs", "--no-corpus-path", stub(compiler, source, folder))
            RECORDED.write_text(text)
            CONSTANTS.write_text(values)
            return 0
        faults = []
        declared, (mine, others) = set(functions(source)), exported(library)
        faults += [f"{each} is declared in tacore.h, and not exported" for each in sorted(declared - mine)]
        faults += [f"{each} is exported, and not declared in tacore.h" for each in sorted(mine - declared)]
        faults += [f"{each} is exported, which is not of {NODE}" for each in sorted(others)]
        if values != CONSTANTS.read_text():
            faults.append(f"the constants of tacore.h differ from {CONSTANTS.name}:\n{values}")
        print(f"{len(declared)} functions, {len(values.splitlines())} constants")
        if not faults and not shutil.which("abidiff"):
            print("skipped: abidiff is not installed (Debian: abigail-tools)")
            return 77
        if not faults:
            done = subprocess.run(["abidiff", RECORDED, stub(compiler, source, folder)], capture_output=True, text=True)
            if done.returncode:
                faults.append(f"the types differ from those of {RECORDED.name}; record new functions with --update:\n"
                              f"{done.stdout}{done.stderr}")  # fmt: skip
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
