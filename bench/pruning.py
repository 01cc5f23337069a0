#!/usr/bin/env python3
"""What does a filter by place cost, where tables have bounding boxes along a Hilbert curve, and where they have not?

    shapes.py --rows 10000000 --parts 10 FOLDER; pruning.py FOLDER
    shapes.py --rows 10000000 --order none FOLDER; pruning.py --sidecar FOLDER

Makes two indexes of the parts, without and with `covering`, in FOLDER/plain and FOLDER/covered, unless they are there. Or, with
--sidecar, one without, and its side-cars beside it, which one of the two sides trusts. Then the two are asked in turns: a box of a city
and one of ten degrees, with all columns and with ids alone, an id, and scans of whole columns. Also counts the requests and bytes of the
city from a server, after opening. Needs the Python package of the build and pyarrow.
"""
import argparse
import logging
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "build/release/python"), str(ROOT / "build/python"), str(ROOT / "tests/remote")]

import tacore  # noqa: E402
from server import Server  # noqa: E402

CITY, REGION = (-77.3, -12.3, -76.8, -11.8), (-80, -20, -70, -10)
TASKS = {
    "city, all columns": lambda d: d.filter_bbox(*CITY).data,
    "city, ids": lambda d: d.filter_bbox(*CITY).sql("SELECT id FROM data").data,
    "10 by 10 degrees, all columns": lambda d: d.filter_bbox(*REGION).data,
    "an id, all columns": lambda d: d.sql("SELECT * FROM data WHERE id = 'sample_0001234567'").data,
    "scan: count of geometries": lambda d: d.sql('SELECT count("stac:centroid") FROM data').data,
    "scan: sum and maximum": lambda d: d.sql('SELECT sum(cloud_cover), max("stac:time_start") FROM data').data,
    "scan: groups": lambda d: d.sql("SELECT split, count(*) FROM data GROUP BY 1").data,
    "rare rows by value, all columns": lambda d: d.sql("SELECT * FROM data WHERE cloud_cover > 99.9 AND split = 'test'").data,
}


def make_index(folder, name, *options):
    out = folder / name
    if (out / ".tacocat").exists():
        return out / ".tacocat"
    out.mkdir()
    parts = sorted(folder.glob("part*.tacozip"))
    began = time.perf_counter()
    subprocess.run([ROOT / "build/release/bin/taco", "--quiet", "index", *parts, "-o", out, *options], check=True)
    print(f"made {name} in {time.perf_counter() - began:.1f} s", file=sys.stderr)
    return out / ".tacocat"


def make_sidecar(index):
    if not index.with_name(".tacocat.sidecar").exists():
        began = time.perf_counter()
        subprocess.run([ROOT / "build/release/bin/taco", "--quiet", "index", index, "--sidecar", "--beside"], check=True)
        print(f"made side-cars in {time.perf_counter() - began:.1f} s", file=sys.stderr)


def milliseconds(task):
    began = time.perf_counter()
    rows = len(task())
    return (time.perf_counter() - began) * 1e3, rows


def size_of(request):
    """Bytes that the ranges of a request ask for."""
    ranges = {name.lower(): value for name, value in request.headers.items()}.get("range", "")
    pairs = [part.strip().split("-") for part in ranges.removeprefix("bytes=").split(",") if ranges]
    return sum(int(last) - int(first) + 1 if first and last else int(last or 0) for first, last in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--sidecar", action="store_true")
    args = parser.parse_args()
    plain = make_index(args.folder, "plain")
    indexes, tables = {"plain": plain}, {"plain": plain / "level0.parquet"}
    pruned = "side-car" if args.sidecar else "covered"
    if args.sidecar:
        make_sidecar(plain)
        indexes[pruned], tables[pruned] = plain, plain.with_name(".tacocat.sidecar") / "level0.parquet"
        os.environ["XDG_CACHE_HOME"] = str(args.folder / "nothing")  # for `plain`, nothing proves the side-cars
        logging.getLogger("tacore").setLevel(logging.ERROR)
    else:
        indexes[pruned] = make_index(args.folder, "covered", "--parquet", "covering=on")
        tables[pruned] = indexes[pruned] / "level0.parquet"
    opened, first = {}, {}
    for name, path in indexes.items():
        began = time.perf_counter()
        opened[name] = tacore.load(path, base_path=args.folder, trust_sidecar=name == "side-car")
        first[name] = (time.perf_counter() - began) * 1e3
    sizes = {name: os.path.getsize(path) / len(opened[name]) for name, path in tables.items()}
    print(f"| task | rows | plain, best (ms) | median | {pruned}, best (ms) | median | ratio of medians |")
    print("|---|---|---|---|---|---|---|")
    print(f"| open, once | | | {first['plain']:.1f} | | {first[pruned]:.1f} | |")
    growth = sizes[pruned] / sizes["plain"]
    print(f"| bytes of level 0 by row | | | {sizes['plain']:.2f} | | {sizes[pruned]:.2f} | {growth:.2f} |")
    for what, task in TASKS.items():
        times, rows = {name: [] for name in opened}, 0
        for turn in range(args.repeat + 1):
            for name in sorted(opened, reverse=turn % 2 == 1):
                took, rows = milliseconds(lambda: task(opened[name]))
                if turn:  # the first reads the page indexes
                    times[name].append(took)
        both = [f"{min(times[name]):.2f} | {statistics.median(times[name]):.2f}" for name in ("plain", pruned)]
        ratio = statistics.median(times[pruned]) / statistics.median(times["plain"])
        print(f"| {what} | {rows:,} | {both[0]} | {both[1]} | {ratio:.2f} |")
    for name, path in indexes.items():
        with Server(path.parent) as server:
            dataset = tacore.load(server.url(".tacocat"), base_path=server.url(""), trust_sidecar=name == "side-car")
            before = len(server.requests)
            rows = len(dataset.filter_bbox(*CITY).data)
            asked = server.requests[before:]
            size = sum(map(size_of, asked))
            print(f"\n{name}, from a server: {rows} rows of the city in {len(asked)} requests and {size:,} bytes")


if __name__ == "__main__":
    main()
