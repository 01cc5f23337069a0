#!/usr/bin/env python3
"""Runs the test suites of the published packages against `import tacore`, and compares with those that passed before.

    check.py PACKAGE SHARED [--update]     PACKAGE is the folder in which tacore lies, SHARED that of the suites (../shared)

passing.txt names the tests that pass. One of them may fail only when docs/deviations.md names it, with the reason; --update
adds those that pass now. The suites are not ours and not in this repository: without them, or without Debian's osgeo, which
they import, the exit code is 77. Started by tests/interop/run, in a virtual environment of requirements.txt.
"""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
PASSING = HERE / "passing.txt"
DEVIATIONS = HERE.parents[1] / "docs/deviations.md"
OSGEO = Path("/usr/lib/python3/dist-packages/osgeo")
SUITES = ("tacoreader", "taco-toolbox", "tacobridge")


def run(package, shared, folder):
    """{test: None when it passes, else the first line of why not}."""
    beside = folder / "beside"  # Debian's osgeo alone, not what lies around it
    beside.mkdir()
    (beside / "osgeo").symlink_to(OSGEO)
    environment = {**os.environ, "EXTRA_PYTHONPATH": f"{package}:{beside}:{HERE}", "PYTEST_PLUGINS": "published_names"}
    subprocess.run([shared / "refsuite/run", sys.executable, folder / "out"], env=environment, check=True)
    found = {}
    for suite in SUITES:
        for case in ElementTree.parse(folder / f"out/{suite}.xml").iter("testcase"):
            name = f"{suite} {case.get('classname')}::{case.get('name')}"
            if case.find("skipped") is not None:
                continue
            failure = case.find("failure") if case.find("failure") is not None else case.find("error")
            found[name] = None if failure is None else (failure.get("message") or "?").strip().splitlines()[0]
    return found


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    package, shared = Path(sys.argv[1]), Path(sys.argv[2])
    for needed in (shared / "refsuite/run", OSGEO):
        if not needed.exists():
            print(f"skipped: {needed} is not there")
            sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:  # copies of what cannot be written
        found = run(package, shared, Path(scratch))
    passes = {name for name, why in found.items() if why is None}
    known = set(PASSING.read_text().splitlines()) if PASSING.exists() else set()
    if "--update" in sys.argv:
        PASSING.write_text("".join(f"{name}\n" for name in sorted(known | passes)))
        return
    reasons, failed = DEVIATIONS.read_text(), 0
    for name in sorted(known - passes):
        is_named = name.partition(" ")[2] in reasons
        failed += not is_named
        print(f"{'no longer passes, as docs/deviations.md says' if is_named else 'FAILED'}: {name}\n"
              f"  {found.get(name, 'is not run any more')}")
    print(f"{len(passes)} tests of {len(found)} pass, {len(known)} did when passing.txt was written, "
          f"{len(passes - known)} of them new; {failed} fail without a reason in docs/deviations.md")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
