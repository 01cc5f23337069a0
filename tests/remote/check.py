#!/usr/bin/env python3
"""Proves that datasets are read over HTTP as they are read here, with few requests, and that servers cannot spoil them.

    check.py TOOL LIBRARY [CASE...]     LIBRARY is made of support/tool_server.cpp; CASE is a name or a pattern, `fault/*`

The tool looks at datasets on servers of this process (server.py), nginx and moto, all on loopback. What it prints must be
what it prints of the same files here. Faults end in that, or in an error that names URL, range and status: never in less.
Requests are counted where they arrive. Cases that use tacore in Python need the package on PYTHONPATH, those of moto run in an
environment of their own (run).
"""
import signal
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import counts  # noqa: F401  (cases register themselves)
import faults  # noqa: F401
import moto_store  # noqa: F401
import same  # noqa: F401
import stores  # noqa: F401
import uploads  # noqa: F401
from world import CASES, WAITING, Skipped, World, chosen


def main():
    # A shell that runs this in the background has it ignored, which the tool would inherit and rightly keep to.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tool, library, *patterns = sys.argv[1:]
    names = chosen(patterns)
    assert names, f"no case is called {patterns}"
    failed, skipped = 0, 0
    with tempfile.TemporaryDirectory(prefix="tacore-remote-") as scratch:
        world = World(Path(tool).resolve(), library, Path(scratch).resolve())
        world.make_datasets()
        with ThreadPoolExecutor(len(WAITING)) as pool:
            waiting = {name: pool.submit(CASES[name], world) for name in names if name in WAITING}
            for name in names:
                try:
                    count = waiting[name].result() if name in waiting else CASES[name](world)
                    assert count, "nothing was looked at"
                    print(f"{name}: {count}", flush=True)
                except Skipped as why:
                    skipped += 1
                    print(f"{name}: skipped, {why}", flush=True)
                except Exception:
                    failed += 1
                    print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
    # ctest calls the whole suite skipped when it reads the last of these: alone, so that no failure hides behind it.
    print(f"{len(names) - failed} of {len(names)} cases passed" if failed or not skipped else f"{skipped} SKIPPED")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
