#!/usr/bin/env python3
"""How do time and memory grow with the number of samples and of parts?

    shapes.py --rows 1000000000 --parts 1000 --compact FOLDER; growth.py FOLDER [--svg docs/scale.svg]

Takes the first 1, 10, 100, ... parts of a million samples, as hard links in a folder below FOLDER, in three ways: one table of all rows
(`taco index`), the same with bounding boxes and an id index, and `taco collect --bounds`, which has no rows. Prints what each costs to
make, and what `parts.py` asks, in processes of their own; draws the curves where matplotlib is.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TACO = ROOT / "build/release/bin/taco"
WAYS = {
    "one table": (["index"], 10),
    "one table, with boxes and ids": (["index", "--parquet", "covering=on", "--parquet", "id_index=on"], 10),
    "bounds of parts": (["collect", "--bounds"], 1000),
}
ASKED = {"open": "open (ms)", "city, all columns": "box of a city (ms)", "a query for an id": "query for an id (ms)",
         "read(i) of rows read before (us)": "read(i) (µs)", "memory at most (MB)": "memory of the reader (MB)",
         "made": "to make it (s)", "maker": "memory to make it (MB)", "size": "size of the index (MB)"}


def size_of(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size


def run(command, environment):
    """Seconds and megabytes that a process takes."""
    began = time.perf_counter()
    process = subprocess.Popen(command, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[:4]} failed")
    return time.perf_counter() - began, usage.ru_maxrss / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    parts = sorted(args.folder.glob("part*.tacozip"))
    curves = {way: {} for way in WAYS}
    for count in [n for n in (1, 10, 100, 1000) if n <= len(parts)]:
        for way, (command, most) in WAYS.items():
            if count > most:
                continue
            here = args.folder / "growth" / f"{way.replace(' ', '_').replace(',', '')}_{count}"
            here.mkdir(parents=True, exist_ok=True)
            for part in parts[:count]:
                if not (here / part.name).exists():
                    os.link(part, here / part.name)
            index = here / ("TACOLLECTION.json" if command[0] == "collect" else ".tacocat")
            environment = os.environ | {"XDG_CACHE_HOME": str(here / "cache")}
            made = run([TACO, "--quiet", *command, *sorted(here.glob("part*.tacozip")), "-o", here, "--overwrite"], environment)
            asked = subprocess.run([sys.executable, ROOT / "bench/parts.py", index, "--ask", "--bounded", "--repeat", str(args.repeat)],
                                   check=True, env=environment, capture_output=True, text=True)
            found = {what: statistics.median(values) for what, values in json.loads(asked.stdout).items()}
            found |= {"made": made[0], "maker": made[1], "size": size_of(index) / 1e6}
            curves[way][count * 1_000_000] = found
            print(f"{way}, {count}: {found}", file=sys.stderr)
    print("| samples | index | " + " | ".join(ASKED.values()) + " |")
    print("|---" * (len(ASKED) + 2) + "|")
    for rows in sorted({rows for curve in curves.values() for rows in curve}):
        for way, curve in curves.items():
            if rows in curve:
                print(f"| {rows:.0e} | {way} | " + " | ".join(f"{curve[rows][what]:.3g}" for what in ASKED) + " |")
    if args.svg:
        draw(curves, args.svg)


def draw(curves, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 9}
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 4, figsize=(13, 6), layout="constrained")
    for axis, (what, title) in zip(axes.flat, ASKED.items()):
        for way, curve in curves.items():
            axis.loglog(curve.keys(), [found[what] for found in curve.values()], marker="o", label=way)
        axis.set(title=title, xlabel="samples")
        axis.set_ylim(bottom=min(axis.get_ylim()[0], axis.get_ylim()[1] / 1e3))
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes.flat[0].legend()
    figure.savefig(path, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})


if __name__ == "__main__":
    main()
