"""Runs the tool under the preloaded library of faults.cpp, and cases of a test, two runs at a time."""
import fnmatch
import os
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
from sampled import sampled
from tool_server import ToolServer

os.environ["SOURCE_DATE_EPOCH"] = "1700000000"  # what is made twice is the same
server = None  # see start()


class Run:
    """The tool, disturbed: what it says and does. `calls` are pairs of name and path."""

    def __init__(self, code, output, errors, calls):
        self.code, self.output, self.errors, self.calls = code, output, errors, calls


def start(tool, faults):
    """What all runs are of: the tool, and the library made of faults.cpp."""
    global server
    server = ToolServer(tool, faults, timeout=60)


def run(command, watch, log, do="", at=0, looks=False, stdout=None, folder=None):
    """One run in `folder` whose call number `at` on files below `watch` is disturbed: see faults.cpp. `stdout` is the path of a
    file."""
    log.unlink(missing_ok=True)
    folder = folder or os.getcwd()
    environment = {"FAULT_FOLDER": watch, "FAULT_LOG": log, "FAULT_DO": do, "FAULT_AT": at, "FAULT_LOOKS": "1" if looks else "",
                   "PWD": folder}
    done = server.run(command, stdout or os.devnull, folder, environment)
    lines = [line.split(" ", 2) for line in log.read_text().splitlines()] if log.exists() else []
    calls = [(name, path) for _, name, path in sorted(lines, key=lambda line: int(line[0]))]
    return Run(done.returncode, stdout.read_bytes() if stdout else b"", done.stderr.decode(), calls)


def quiet_run(command):
    done = server.run(command)
    assert done.returncode == 0, f"{command}: {done.stdout.decode()}{done.stderr.decode()}"


def each(count, body):
    """body(1) to body(count), two at a time; all failures are told with their numbers. In `check long` all of them, else a
    third. Returns the number of those that were run."""
    chosen = sampled(range(1, count + 1))

    def attempt(n):
        try:
            return body(n)
        except AssertionError as error:
            return f"call {n}: {error}"
    with ThreadPoolExecutor(2) as pool:
        failures = [said for said in pool.map(attempt, chosen) if said]
    assert not failures, "\n".join(failures)
    return len(chosen)


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
