#!/usr/bin/env python3
"""What does a dataset of many parts cost, with the bounds of each part and without?

    shapes.py --rows 1000000000 --parts 1000 --compact FOLDER; parts.py FOLDER

Makes FOLDER/TACOLLECTION.json by `taco collect --bounds`, and asks it in processes of their own, in turns: with bounds, which were
proved when they were made, and without, where the cache that remembers the proof is another one and all parts are opened. A process
opens the dataset, and asks each question several times. Needs the Python package of the build and pyarrow.
"""
import argparse
import json
import logging
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CITY, REGION = (-77.3, -12.3, -76.8, -11.8), (-80, -20, -70, -10)


def memory():
    """Megabytes of this process now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1e3


def milliseconds(task, repeat=1):
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        found = task()
        times.append((time.perf_counter() - began) * 1e3)
    return found, times


def ask(path, repeat, is_bounded):
    """Opens the dataset and asks it, in this process. Without bounds, all rows at once would not fit in memory."""
    sys.path[:0] = [str(ROOT / "build/release/python"), str(ROOT / "build/python")]
    import tacore

    class Stop(logging.Handler):
        def emit(self, record):
            if is_bounded and "bounds are not used" in record.getMessage():
                print(record.getMessage(), file=sys.stderr)
                os._exit(1)  # all rows at once would take the memory of the machine

    logging.getLogger("tacore").addHandler(Stop())
    tacore.load  # loads the library
    before, out = memory(), {}
    dataset, out["open"] = milliseconds(lambda: tacore.load(path))
    if is_bounded:
        # The first question parses the bounds, and looks at the stamp of each part.
        rows, out["number of rows, first"] = milliseconds(lambda: len(dataset))
        out["memory after that (MB)"] = [memory() - before]
    rows = dataset.pit_schema.root["n"]

    def timed(what, task, count=repeat):
        found, times = milliseconds(task, count + 1)
        out[what + ", first"], out[what] = times[:1], times[1:]
        return found

    for what, box in (("city, all columns", CITY), ("10 by 10 degrees, all columns", REGION)):
        found = timed(what, lambda box=box: len(dataset.filter_bbox(*box).data))
        out[f"{what}: rows"] = [found]
    middle = f"sample_{rows // 2_000_000 * 1_000_000 + 5:010d}"
    timed("a query for an id", lambda: len(dataset.sql(f"SELECT * FROM data WHERE id = '{middle}'").data))
    timed("ten first rows", lambda: len(dataset.limit(10).data))
    if is_bounded:
        data = dataset.data
        timed("read(id)", lambda: data.read(middle))
        # Samples that have an entry of their own: the first thousand of each part of a million.
        near = [part * 1_000_000 + i for part in (0, rows // 2_000_000) for i in range(1000)]
        _, times = milliseconds(lambda: [data.read(i) for i in near], 3)
        out["read(i) of rows read before (us)"] = [t / len(near) * 1e3 for t in times[1:]]
        draw = random.Random(1)
        far = [draw.randrange(rows // 1_000_000) * 1_000_000 + draw.randrange(1000) for _ in range(2000)]
        _, times = milliseconds(lambda: [data.read(i) for i in far])
        out["read(i) of rows of any part, 64 of which stay open (us)"] = [t / len(far) * 1e3 for t in times]
    out["memory at the end (MB)"] = [memory() - before]
    out["memory at most (MB)"] = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3]
    print(json.dumps(out))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--ask", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--bounded", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.ask:
        return ask(args.folder, args.repeat, args.bounded)
    path = args.folder / "TACOLLECTION.json"
    parts = sorted(args.folder.glob("part*.tacozip"))
    caches = {"with": args.folder / "cache", "without": args.folder / "no-cache"}
    environments = {side: os.environ | {"XDG_CACHE_HOME": str(cache)} for side, cache in caches.items()}
    if not path.exists():
        began = time.perf_counter()
        subprocess.run([ROOT / "build/release/bin/taco", "--quiet", "collect", *parts, "-o", args.folder, "--bounds"], check=True,
                       env=environments["with"])
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"collect --bounds of {len(parts)} parts: {time.perf_counter() - began:.0f} s, at most {usage.ru_maxrss / 1e3:.0f} MB, "
              f"{path.stat().st_size / 1e3:.0f} kB\n")
    found = {side: {} for side in environments}
    for turn in range(args.turns):
        for side in environments if turn % 2 == 0 else reversed(environments):
            command = [sys.executable, __file__, path, "--ask", "--repeat", str(args.repeat)]
            done = subprocess.run(command + ["--bounded"] * (side == "with"), check=True, env=environments[side],
                                  capture_output=True, text=True)
            for what, values in json.loads(done.stdout).items():
                found[side].setdefault(what, []).extend(values)
    print("| what (ms, where nothing else is said) | with bounds, best | median | without, best | median | ratio of medians |")
    print("|---|---|---|---|---|---|")
    for what, values in found["with"].items():
        other = found["without"].get(what)
        cells = [f"{min(values):.3g}", f"{statistics.median(values):.3g}"]
        ratio = statistics.median(values) / statistics.median(other) if other and any(other) else None
        cells += [f"{min(other):.3g}", f"{statistics.median(other):.3g}"] if other else ["", ""]
        cells.append(f"{ratio:.2g}" if ratio is not None else "")
        print(f"| {what} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
