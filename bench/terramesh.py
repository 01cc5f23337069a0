#!/usr/bin/env python3
"""What does it cost to make and to use a dataset of the size of TerraMesh: 9,089,536 samples of 8 files in 889 ZIPs?

    terramesh.py FOLDER                   all of it, in FOLDER: about 15 GB
    terramesh.py --parts 20 FOLDER        the first 20 ZIPs

Each ZIP is created from a Parquet table of its samples and files, by `taco create`, one after the other. The files are all the same 64
bytes: what is measured is metadata, and a file opened for each. Then the ZIPs are indexed, queried, split and exported, each in a process
of its own. Prints a row for each step: seconds, the most memory of a process, and what was found. Needs the build of the project and
pyarrow.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROWS, PARTS, FILES = 9_089_536, 889, 8  # as shapes.SHAPES has them, which would load NumPy here
COLLECTION = {"id": "terramesh", "description": "The shape of TerraMesh", "licenses": ["CC0-1.0"], "providers": [{"name": "tacore"}],
              "tasks": ["other"]}


def write_table(part, path):
    """Samples along a Hilbert curve, and below each its files. In a process of its own: the most memory of a process is also that of
    the one that started it."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.parquet

    import generate
    import shapes

    first, last = ROWS * part // PARTS, ROWS * (part + 1) // PARTS
    count, random = last - first, np.random.default_rng(part)
    low, high = part * 4**shapes.BITS // PARTS, (part + 1) * 4**shapes.BITS // PARTS
    samples = generate.numbered("sample_", first, last, 10)
    top = pa.table({"id": samples, "path": pa.repeat("", count), **generate.attributes(random, count)})
    top = top.set_column(top.schema.get_field_index("stac:centroid"), "stac:centroid",
                         shapes.points(*shapes.places(np.sort(random.integers(low, high, count)))))
    names = pa.array(generate.CHILD_NAMES[:FILES])
    parents, children = samples.take(pa.array(np.repeat(np.arange(count), FILES))), names.take(pa.array(np.tile(np.arange(FILES), count)))
    files = pa.table({"id": pa.compute.binary_join_element_wise(parents, children, "/"), "path": pa.repeat("file", count * FILES),
                      "cloud_cover": pa.array(random.uniform(0, 100, count * FILES).round(2))})
    pa.parquet.write_table(pa.concat_tables([top, files], promote_options="default"), path)


class Steps:
    def __init__(self, tool):
        self.tool = tool
        print("| what | seconds | memory (MB) | found |\n|---|---|---|---|", flush=True)

    def run(self, arguments):
        """Seconds, megabytes and output of a process."""
        began = time.perf_counter()
        process = subprocess.Popen([self.tool, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{arguments}: {status}")
        return time.perf_counter() - began, usage.ru_maxrss / 1e3, out.strip()

    def row(self, what, seconds, memory, found=""):
        print(f"| {what} | {seconds:,.2f} | {memory:,.0f} | {found} |", flush=True)

    def step(self, what, *arguments, found=lambda out: out.splitlines()[-1] if out else ""):
        seconds, memory, out = self.run(arguments)
        self.row(what, seconds, memory, found(out))


def size(path):
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return f"{sum(file.stat().st_size for file in files) / 1e6:,.1f} MB"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", type=int, default=PARTS)
    parser.add_argument("--tool", default=ROOT / "build/release/bin/taco")
    parser.add_argument("--table", type=int, help="only write the table of this ZIP, as the file FOLDER")
    args = parser.parse_args()
    if args.table is not None:
        return write_table(args.table, args.folder)
    folder, zips, steps = args.folder, args.folder / "zips", Steps(args.tool)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    zips.mkdir(parents=True, exist_ok=True)
    (folder / "file").write_bytes(b"x" * 64)
    (folder / "about.json").write_text(json.dumps(COLLECTION))
    seconds, memory, made = 0.0, 0.0, 0
    for part in range(args.parts):
        out = zips / f"part{part:04d}.tacozip"
        if out.exists():
            continue
        subprocess.run([sys.executable, __file__, "--table", str(part), folder / "table.parquet"], check=True)
        spent, most, _ = steps.run(["create", folder / "table.parquet", out, "--collection", folder / "about.json", "--quiet"])
        seconds, memory, made = seconds + spent, max(memory, most), made + 1
    steps.row(f"create {made} ZIPs of {ROWS // PARTS:,} samples and {FILES * (ROWS // PARTS):,} files", seconds, memory, size(zips))
    paths = sorted(zips.glob("*.tacozip"))
    index, bounded = zips / ".tacocat", folder / "TACOLLECTION.json"
    steps.step("index", "index", *paths, "--overwrite", "--quiet", found=lambda _: size(index))
    steps.step("bounds", "collect", *paths, "--bounds", "-o", folder, "--overwrite", "--quiet", found=lambda _: size(bounded))
    box = "--bbox=-77.3,-12.3,-76.8,-11.8"
    for what, path in (("index", index), ("bounds", bounded)):
        steps.step(f"{what}: open, number of samples", "count", path)
        steps.step(f"{what}: samples of a city", "count", path, box)
        steps.step(f"{what}: a sample of an id", "read", path, f"sample_{ROWS // 2 * args.parts // PARTS:010d}/dem", found=lambda out: f"{len(out)} bytes")
    steps.step("index: mean cloud cover of each split", "query", index, "SELECT split, avg(cloud_cover) AS mean FROM data GROUP BY split",
               "-f", "csv", found=lambda out: out.replace("\n", " "))
    steps.step("index: mean cloud cover of all files", "query", index, "SELECT avg(cloud_cover) AS mean FROM level1", "-f", "csv")
    for name, options in (("subset.tacozip", ["--split-size", "none"]), ("split.tacozip", ["--split-size", "20MB"])):
        shutil.rmtree(folder / "out", ignore_errors=True)
        (folder / "out").mkdir()
        steps.step(f"export of 1 %, {' '.join(options)}", "export", index, folder / "out" / name,
                   "SELECT * FROM data WHERE right(id, 2) = '00'", *options, "--quiet", found=lambda _: size(folder / "out"))


if __name__ == "__main__":
    main()
