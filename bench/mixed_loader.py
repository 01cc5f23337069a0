#!/usr/bin/env python3
"""How many samples a second does MixedLoader load, beside Loader over the same dataset?

    mixed_loader.py FOLDER [ROUNDS]     Markdown on stdout; PYTHONPATH has tacore, NumPy and rasterio

Datasets of six bands of uint16 (ZSTD) are made in FOLDER when they are not there: 3,000 chips of 64 x 64 pixels and 400
of 256 x 256. All sides read a shuffled epoch of four bands as float32 in batches of 32, in turns in one process:
Loader; MixedLoader over one source, as it is, cut by a quarter, and resampled to three quarters of the size; and over
two sources of half of the samples each. The page cache is warm. Times do not include opening.
"""

import os
import statistics
import sys
import time
from pathlib import Path

import numpy
import rasterio

import tacore
from tacore.datamodel import Taco, Tortilla
from tacore.loader import Input, Loader, MixedLoader, Source

BANDS = ["coastal", "blue", "green", "red", "nir", "swir16"]
WANTED = ["red", "green", "blue", "nir"]


def make(path, side, count):
    random = numpy.random.default_rng(0)
    base = numpy.add.outer(numpy.arange(side), numpy.arange(side)) * 4
    files = []
    for number in range(count):
        files.append(path.with_name(f"{side}_{number}.tif"))
        profile = {"width": side, "height": side, "count": len(BANDS), "dtype": "uint16", "compress": "zstd"}
        to_crs = rasterio.transform.from_origin(500000, 4400000, 10, 10)
        with rasterio.open(files[-1], "w", driver="GTiff", crs="EPSG:32630", transform=to_crs, **profile) as out:
            out.write((base + random.integers(0, 64, (len(BANDS), side, side))).astype("uint16"))
    taco = Taco(
        Tortilla.from_columns([file.stem for file in files], files), id="chips", dataset_version="1.0.0",
        description="Chips", licenses=["CC0-1.0"], providers=[{"name": "bench"}], tasks=["other"],
    )  # fmt: skip
    tacore.create(taco, path, progress=False)
    for file in files:
        file.unlink()


def sides(path, side):
    rows = tacore.load(path).data
    half = len(rows) // 2
    one = [Source(rows, bands=BANDS)]
    two = [Source(rows.head(half), bands=BANDS), Source(rows.tail(len(rows) - half), bands=BANDS)]
    numbers = [BANDS.index(band) + 1 for band in WANTED]
    options = {"batch_size": 32, "seed": 0}
    less = side * 3 // 4
    return {
        "Loader": lambda: Loader(rows, Input("", bands=numbers, dtype="float32", fill=0), **options),
        "MixedLoader": lambda: MixedLoader(one, WANTED, size=side, **options),
        "two sources": lambda: MixedLoader(two, WANTED, size=side, **options),
        "random crop": lambda: MixedLoader(one, WANTED, size=less, crop="random", **options),
        "nearest": lambda: MixedLoader(one, WANTED, size=less, fit="resample", resampling="nearest", **options),
        "bilinear": lambda: MixedLoader(one, WANTED, size=less, fit="resample", **options),
    }


def main():
    folder, rounds = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.2f} at the start\n")
    print("| pixels | side | samples/s best | median | ratio of medians | CPU us a sample | ratio of medians | N |")
    print("| --- " * 8 + "|")
    for side, count in [(64, 3000), (256, 400)]:
        path = folder / f"mixed_{side}.tacozip"
        if not path.exists():
            make(path, side, count)
        makers = sides(path, side)
        speeds, costs = ({name: [] for name in makers} for _ in range(2))
        for turn in range(rounds + 1):  # the first warms the page cache
            for name in [*makers][turn % len(makers) :] + [*makers][: turn % len(makers)]:
                loader = makers[name]()
                start, cpu = time.perf_counter(), time.process_time()
                read = sum(len(batch.positions) for batch in loader)
                if turn > 0:
                    costs[name].append((time.process_time() - cpu) / read * 1e6)
                    speeds[name].append(read / (time.perf_counter() - start))
        speed, cost = (statistics.median(each["Loader"]) for each in (speeds, costs))
        for name, each in speeds.items():
            here, used = statistics.median(each), statistics.median(costs[name])
            ratios = f"{here / speed:.2f} | {used:,.0f} | {used / cost:.2f}"
            print(f"| {side} | {name} | {max(each):,.0f} | {here:,.0f} | {ratios} | {rounds} |")


main()
