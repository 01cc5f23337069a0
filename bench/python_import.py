#!/usr/bin/env python3
"""How long `import PACKAGE` takes, each time in a process of its own, in turns.

    bench/python_import.py [--times N] PYTHON:STATEMENT...

    bench/python_import.py build/release/wheel/venv/bin/python:'import tacore' \\
        build/release/wheel/venv/bin/python:'import tacore; tacore.load' build/release/interop/bin/python:'import tacoreader'

Prints the best and the median, in milliseconds, and the modules that took most of it themselves (-X importtime).
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess

TIMED = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
# Byte code is kept, as after an installation.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}


def run(python: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([python, *args], capture_output=True, text=True, check=True, env=ENVIRONMENT)


def dearest(python: str, statement: str, count: int = 5) -> str:
    rows = re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)", run(python, "-X", "importtime", "-c", statement).stderr)
    best = sorted(((int(time), name) for time, name in rows), reverse=True)[:count]
    return ", ".join(f"{name} {time / 1000:.1f}" for time, name in best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("cases", nargs="+", metavar="PYTHON:STATEMENT")
    args = parser.parse_args()
    cases = [tuple(case.split(":", 1)) for case in args.cases]
    taken: dict[tuple[str, ...], list[float]] = {case: [] for case in cases}
    for _ in range(args.times + 1):
        for python, statement in cases:
            taken[python, statement].append(1000 * float(run(python, "-c", TIMED.format(statement)).stdout))
    for (python, statement), times in taken.items():
        times.pop(0)  # writes the byte code
        print(f"{statement}: {min(times):.1f} ms, median {statistics.median(times):.1f} ms")
        print(f"    {dearest(python, statement)}")


main()
