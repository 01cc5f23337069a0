#!/usr/bin/env python3
"""How many samples a second does the loader give, beside PyTorch's DataLoader over rasterio?

    loader.py BUILD DATASET [ROUNDS]     Markdown on stdout; DATASET is of generate.py --kind imagery

Needs torch, numpy and rasterio. All sides read the same samples of one ZIP in shuffled batches of 32, a process each,
in turns; which goes first rotates. The page cache is warm. Times do not include imports; those of workers do, as they
start with the epoch. Resident memory is that after ten batches, and the most from then on.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BATCH = 32


def peer(paths_file, workers, dtype):
    import numpy
    import rasterio
    import torch
    paths = json.loads(Path(paths_file).read_text())

    class Samples(torch.utils.data.Dataset):
        def __len__(self):
            return len(paths)

        def __getitem__(self, i):
            with rasterio.open(paths[i]) as raster:
                pixels = raster.read()
            if dtype == "float32":
                pixels = pixels.astype(numpy.float32) * numpy.float32(1e-4)
            return torch.from_numpy(pixels)

    torch.set_num_threads(1)
    began, count = time.perf_counter(), 0
    generator = torch.Generator().manual_seed(1)
    for batch in torch.utils.data.DataLoader(Samples(), batch_size=BATCH, shuffle=True, num_workers=workers,
                                             generator=generator):
        count += len(batch)
    print("samples_per_second", round(count / (time.perf_counter() - began), 1))


def prepare(build, dataset, paths):
    """Writes the path that GDAL opens for each sample, and has the dataset in the page cache."""
    sql = 'SELECT "internal:gdal_vsi" AS path FROM data'
    rows = subprocess.run([build / "bin" / "taco", "query", dataset, sql, "--format", "json"],
                          check=True, capture_output=True, text=True).stdout
    paths.write_text(json.dumps([row["path"] for row in json.loads(rows)]))
    with open(dataset, "rb") as file:
        while file.read(1 << 24):
            pass


def measured(command):
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
    return {name: float(value) for name, value in (line.split() for line in lines if line)}


def compare(build, dataset, paths, rounds):
    prepare(build, dataset, paths)
    ours = [build / "bin" / "bench_loader", dataset]
    theirs = [sys.executable, __file__, "--peer", paths]
    sides = {}
    for dtype in ("uint16", "float32"):
        last = ["float32"] if dtype == "float32" else []
        sides[f"loader, 1 thread, {dtype}"] = [*ours, "1", *last]
        sides[f"loader, 2 threads, {dtype}"] = [*ours, "2", *last]
        sides[f"DataLoader + rasterio, 2 workers, {dtype}"] = [*theirs, "2", dtype]
    results = {name: [] for name in sides}
    for turn in range(rounds):
        order = list(sides)
        for name in order[turn % len(order):] + order[:turn % len(order)]:
            results[name].append(measured(sides[name]))
    print(f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.2f} at the end\n")
    print("| what | samples/s best | median | of a core | MB after 10 batches | the most | N |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, runs in results.items():
        speeds = [run["samples_per_second"] for run in runs]
        others = [f"{max(run[key] for run in runs):.0f}" if key in runs[0] else ""
                  for key in ("samples_per_cpu_second", "early_mb", "most_mb")]
        print(f"| {name} | {max(speeds):.0f} | {statistics.median(speeds):.0f} | {' | '.join(others)} | {rounds} |")


def main():
    if sys.argv[1] == "--peer":
        return peer(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    build, dataset = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as folder:
        compare(build, dataset, Path(folder) / "paths.json", rounds)


main()
