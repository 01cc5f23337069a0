#!/usr/bin/env python3
"""How do time, memory, bytes and requests grow with samples, parts, levels, columns and threads?

    growth_axes.py FOLDER [--svg FILE] [--repeat N] [--axes rows parts ...]

Changes one number at a time; the others stay at 10,000 samples in one ZIP of one level, 8 columns of numbers and 2 threads. Samples lie at
random places of the globe, and all have the same picture of 64 x 64 pixels. Of several levels each sample is a chain of FOLDERs with one
child each, the picture is the FILE at its end, and only the sample has the columns. What is measured:

    create    `taco create` of a Parquet table; of several parts one process for each, whose times are added
    index     `taco index` of the ZIPs
    open      `tacore.load`; where parts change, this and all that follows is asked of the index, else of the ZIP
    filter    all columns of the samples in a box that has 0.1 % of the globe
    read      the bytes of a sample: of 100 at random, one after the other, each FOLDER by `read(0)`; the time of one
    loader    an epoch in batches of 32, in random order, of `limit(10000)` where there are more samples; the time of a sample

Each is measured in processes of its own, N for its time. Those of Python have done the same with another, tiny dataset before, so that
libraries are loaded. Time does not include opening, but the first use of what was opened; the page cache is warm. Memory is the most of
a whole process, with Python and libraries. Requests and bytes are those of one process that reads from nginx, with opening. Threads
are those that an option sets: of `create`, `index` and the loader. Exponents (time ~ n^exponent) are those between the last point of a
curve and the one before it, but for levels between 6 and 3, which are not as near. Needs the build of the project, and nginx.
"""
import argparse
import itertools
import json
import math
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

from create import ABOUT
from web_server import WebServer

ROOT = Path(__file__).resolve().parent.parent
TACO = ROOT / "build/release/bin/taco"
AXES = {"rows": [100, 1000, 10_000, 100_000, 1_000_000], "parts": [1, 4, 16, 64, 256], "levels": [1, 2, 3, 4, 5, 6],
        "columns": [4, 16, 64, 256], "threads": [1, 2, 4, 8]}
BASE = {"rows": 10_000, "parts": 1, "levels": 1, "columns": 8, "threads": 2}
OPERATIONS = ("create", "index", "open", "filter", "read", "loader")
REMOTE, THREADED = OPERATIONS[2:], ("create", "index", "loader")
TITLES = {"time": "time (ms)", "memory": "memory (MB)", "requests": "requests", "bytes": "bytes (kB)"}
BOX = (-5, -2, 5, 2)  # west, south, east, north
NUM_READS, MOST_LOADED = 100, 10_000


def picture():
    """A TIFF of one tile, 64 x 64 numbers of 16 bits: steps with some noise, deflated to a kilobyte or two."""
    noise = random.Random(1)
    data = zlib.compress(struct.pack("<4096H", *(1000 + 16 * (place // 512) + noise.randrange(2) for place in range(4096))))
    data += bytes(len(data) % 2)
    entries = {256: 64, 257: 64, 258: 16, 259: 8, 262: 1, 277: 1, 322: 64, 323: 64, 324: 8, 325: len(data), 339: 1}
    directory = b"".join(struct.pack("<HHII", tag, 4 if tag in (324, 325) else 3, 1, value) for tag, value in entries.items())
    return struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + struct.pack("<H", len(entries)) + directory + bytes(4)


# The operations run in processes of their own. The peak memory of a process includes that of the process that starts it: this one has to
# stay small, and imports no libraries.


def write_tables(folder, shape):
    """A Parquet table for each part, with a row for each sample and for all below it."""
    import generate
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.parquet

    draw = np.random.default_rng(1)
    for part in range(shape["parts"]):
        first, last = (shape["rows"] * number // shape["parts"] for number in (part, part + 1))
        count, ids = last - first, generate.numbered("sample_", first, last, 8)
        times = draw.integers(1_450_000_000, 1_700_000_000, count) * 1_000_000
        columns = {"id": ids, "stac:centroid": generate.points(draw, count), "stac:time_start": pa.array(times).cast(pa.timestamp("us")),
                   **{f"value_{number}": draw.uniform(0, 100, count).round(2) for number in range(shape["columns"])}}
        levels = [pa.table(columns)]
        for level in range(1, shape["levels"]):
            ids = pa.compute.binary_join_element_wise(ids, f"level{level}", "/")
            levels.append(pa.table({"id": ids}))
        paths = [pa.repeat("picture.tif" if level is levels[-1] else "", count) for level in levels]
        table = pa.concat_tables([level.append_column("path", path) for level, path in zip(levels, paths)], promote_options="default")
        pa.parquet.write_table(table, folder / f"part{part:03d}.parquet")


def answer(operation, dataset, levels, threads):
    """Carries an operation out. Gives the number of samples by which its time is divided."""
    if operation == "filter":
        dataset.filter_bbox(*BOX).data.to_arrow()
    if operation == "read":
        rows = dataset.data
        count, draw = len(rows), random.Random(1)
        for _ in range(NUM_READS):
            frame, key = rows, draw.randrange(count)
            for _ in range(levels - 1):
                frame, key = frame.read(key), 0
            frame.read_bytes(key)
        return NUM_READS
    if operation == "loader":
        from tacore.loader import Loader

        child = "/".join(f"level{level}" for level in range(1, levels))
        rows = dataset.limit(MOST_LOADED) if len(dataset) > MOST_LOADED else dataset
        return sum(len(batch.positions) for batch in Loader(rows, child, batch_size=32, seed=1, jobs=threads))
    return 1


def ask(tiny, operation, path, levels, threads):
    """Prints the milliseconds of an operation."""
    sys.path[:0] = [str(ROOT / "build/release/python"), str(ROOT / "build/python")]
    import tacore

    if operation == "filter":
        import pyarrow  # noqa: F401  (what is measured is not its import)
    answer(operation, tacore.load(tiny), 1, threads)
    before = time.perf_counter()
    dataset = tacore.load(path)
    opened = time.perf_counter()
    count = answer(operation, dataset, levels, threads)
    print((opened - before if operation == "open" else (time.perf_counter() - opened) / count) * 1e3)


class Bench:
    def __init__(self, root, server, repeat):
        self.root, self.server, self.repeat, self.known = root, server, repeat, {}
        self.environment = os.environ | {"XDG_CACHE_HOME": str(root / "cache")}
        self.make(BASE | {"rows": 100}, root / "tiny")

    def run(self, *command):
        """Milliseconds, megabytes and output of a process."""
        began = time.perf_counter()
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True, env=self.environment)
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{command[:4]} failed")
        return (time.perf_counter() - began) * 1e3, usage.ru_maxrss / 1e3, out

    def make(self, shape, folder):
        """Milliseconds and megabytes of `taco create` of all parts."""
        if not folder.exists():
            folder.mkdir()
            (folder / "picture.tif").write_bytes(picture())
            self.run(sys.executable, __file__, folder, "--table", json.dumps(shape))
        options = [*ABOUT, "--jobs", shape["threads"], "--split-size", "none", "--overwrite", "--quiet"]
        runs = [self.run(TACO, "create", table, table.with_suffix(".tacozip"), *options) for table in sorted(folder.glob("*.parquet"))]
        return sum(spent for spent, _, _ in runs), max(memory for _, memory, _ in runs)

    def once(self, operation, shape, folder, path):
        """Milliseconds and megabytes of an operation; `path` is that of the dataset to ask."""
        if operation == "create":
            return self.make(shape, folder)
        if operation == "index":
            return self.run(TACO, "index", *sorted(folder.glob("*.tacozip")), "--jobs", shape["threads"], "--overwrite", "--quiet")[:2]
        question = {"operation": operation, "path": str(path), "levels": shape["levels"], "threads": shape["threads"]}
        _, memory, out = self.run(sys.executable, __file__, self.root, "--ask", json.dumps(question))
        return float(out), memory

    def measure(self, axis, at, base):
        """For each operation its times, and the most memory, requests and kilobytes. The base is measured once for all axes."""
        shape, operations = base | {axis: at}, THREADED if axis == "threads" else OPERATIONS
        name = ".tacocat" if axis == "parts" else "part000.tacozip"
        found = self.known.setdefault((name, operations, *shape.values()), {})
        if found:
            return found
        folder = self.root / "now"
        for operation in operations:
            runs = [self.once(operation, shape, folder, folder / name) for _ in range(self.repeat)]
            found[operation] = {"time": [spent for spent, _ in runs], "memory": max(memory for _, memory in runs)}
            if operation == "create":  # which writes past the page cache
                subprocess.run(["cat", *folder.glob("*.tacozip")], stdout=subprocess.DEVNULL, check=True)
            if operation in REMOTE:
                self.server.requests()
                self.once(operation, shape, folder, f"http://127.0.0.1:{self.server.port}/now/{name}")
                requests = self.server.requests()
                found[operation] |= {"requests": len(requests), "bytes": sum(request.bytes for request in requests) / 1e3}
            print(f"{axis} {at}: {operation}: {found[operation]}", file=sys.stderr, flush=True)
        shutil.rmtree(folder)
        return found


# Tables and plots of the results.


def points(curve, operation, what):
    """What was measured, the median of times, as {value of the axis: number}."""
    values = {at: found[operation][what] for at, found in curve.items() if what in found.get(operation, {})}
    return {at: statistics.median(value) if what == "time" else value for at, value in values.items()}


def short(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def cell(found, operation, what):
    value = found.get(operation, {}).get(what)
    return "" if value is None else f"{short(statistics.median(value))} ({short(min(value))})" if what == "time" else short(value)


def exponent(values):
    ends = list(values.items())
    earlier = [point for point in ends if point[0] * 2 <= ends[-1][0] and point[1]]
    return f"{math.log(ends[-1][1] / earlier[-1][1]) / math.log(ends[-1][0] / earlier[-1][0]):.2f}" if earlier else ""


def print_tables(curves):
    for operations, kinds in ((OPERATIONS, ("time", "memory")), (REMOTE, ("requests", "bytes"))):
        columns = [(operation, what) for what in kinds for operation in operations]
        print("\n| axis | value | " + " | ".join(f"{operation}, {TITLES[what]}" for operation, what in columns) + " |")
        print("|---" * (len(columns) + 2) + "|")
        for axis, curve in curves.items():
            for at, found in curve.items():
                print(f"| {axis} | {at:,} | " + " | ".join(cell(found, *column) for column in columns) + " |")
    print("\nExponents:\n\n| axis | operation | " + " | ".join(TITLES) + " |\n" + "|---" * (len(TITLES) + 2) + "|")
    for (axis, curve), operation in itertools.product(curves.items(), OPERATIONS):
        print(f"| {axis} | {operation} | " + " | ".join(exponent(points(curve, operation, what)) for what in TITLES) + " |")


def draw(curves, path):
    sys.path.append(str(ROOT / "build/python"))
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": "growth_axes", "svg.fonttype": "none", "font.size": 9}
    from matplotlib import pyplot

    figure, plots = pyplot.subplots(len(TITLES), len(curves), figsize=(2.6 * len(curves), 10), layout="constrained", squeeze=False,
                                    sharex="col", sharey="row")
    for (row, what), (column, (axis, curve)) in itertools.product(enumerate(TITLES), enumerate(curves.items())):
        plot = plots[row][column]
        for color, operation in enumerate(OPERATIONS):
            values = points(curve, operation, what)
            plot.loglog(values.keys(), values.values(), marker="o", markersize=3, color=f"C{color}", label=operation)
        plot.set(title=axis if row == 0 else "", ylabel=TITLES[what] if column == 0 else "")
        plot.set_xticks(list(curve), [f"{at:.0e}" if axis == "rows" else str(at) for at in curve])
        if what == "memory":
            plot.set_yticks([50, 100, 200, 500, 1000], ["50", "100", "200", "500", "1000"])
        plot.minorticks_off()
        plot.grid(alpha=0.3)
    figure.legend(*plots[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=len(OPERATIONS))
    figure.savefig(path, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--axes", nargs="+", choices=AXES, default=list(AXES))
    parser.add_argument("--most", type=int, default=max(AXES["rows"]), help="the most samples of a dataset, to try the program out")
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    parser.add_argument("--table", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.ask:
        return ask(args.folder / "tiny/part000.tacozip", **json.loads(args.ask))
    if args.table:
        sys.path.append(str(ROOT / "build/python"))
        return write_tables(args.folder, json.loads(args.table))
    root = args.folder.resolve() / "growth_axes"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    base = BASE | {"rows": min(BASE["rows"], args.most)}
    with WebServer(root, args.folder / "nginx") as server:
        bench = Bench(root, server, args.repeat)
        print(f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.2f} at the start; N = {args.repeat}, median (best)")
        curves = {axis: {at: bench.measure(axis, at, base) for at in AXES[axis] if axis != "rows" or at <= args.most} for axis in args.axes}
    print_tables(curves)
    if args.svg:
        draw(curves, args.svg)


if __name__ == "__main__":
    main()
