"""Runs the tool under the preloaded library of faults.cpp, and cases of a test, two runs at a time."""
import fnmatch
import os
import subprocess
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ["SOURCE_DATE_EPOCH"] = "1700000000"  # what is made twice is the same


class Run:
    """The tool, disturbed: what it says and does. `calls` are pairs of name and path."""

    def __init__(self, code, output, errors, calls):
        self.code, self.output, self.errors, self.calls = code, output, errors, calls


def run(faults, command, watch, log, do="", at=0, looks=False, stdout=None, folder=None):
    """One run in `folder` whose call number `at` on files below `watch` is disturbed: see faults.cpp. `stdout` is the path of a
    file."""
    log.unlink(missing_ok=True)
    environment = {**os.environ, "LD_PRELOAD": str(faults), "FAULT_FOLDER": str(watch), "FAULT_LOG": str(log),
                   "FAULT_DO": do, "FAULT_AT": str(at), "FAULT_LOOKS": "1" if looks else "",
                   "PWD": str(folder or os.getcwd())}
    with open(stdout or os.devnull, "wb") as out:
        done = subprocess.run([str(word) for word in command], env=environment, stdout=out, stderr=subprocess.PIPE, timeout=60,
                              cwd=folder)
    lines = [line.split(" ", 2) for line in log.read_text().splitlines()] if log.exists() else []
    calls = [(name, path) for _, name, path in sorted(lines, key=lambda line: int(line[0]))]
    return Run(done.returncode, stdout.read_bytes() if stdout else b"", done.stderr.decode(), calls)


def quiet_run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def each(count, body):
    """body(1) to body(count), two at a time; all failures are told with their numbers."""
    def attempt(n):
        try:
            return body(n)
        except AssertionError as error:
            return f"call {n}: {error}"
    with ThreadPoolExecutor(2) as pool:
        failures = [said for said in pool.map(attempt, range(1, count + 1)) if said]
    assert not failures, "\n".join(failures)
    return count


def run_cases(cases, patterns, attempt):
    """attempt(NAME, folder) of the cases that are called by a pattern returns a number of faults. The exit code of the test."""
    chosen = [name for name in cases if not patterns or any(fnmatch.fnmatch(name, p) for p in patterns)]
    assert chosen, f"no case is called {patterns}"
    failed, skipped = 0, 0
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="tacore-crash-") as scratch:
            try:
                count = attempt(name, Path(scratch).resolve())
                skipped += count == 0
                print(f"{name}: {count} faults", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
    # ctest calls the whole suite skipped when it reads the last of these: alone, so that no failure hides behind it.
    print(f"{len(chosen) - failed} of {len(chosen)} cases passed" if failed or not skipped else f"{skipped} SKIPPED")
    return 1 if failed else 0
