#!/usr/bin/env python3
"""How many samples a second does a training loop in Python get, beside the published reader with rasterio and PyTorch?

    loader_python.py BUILD PEER FOLDER [ROUNDS [ROWS]]     Markdown on stdout

PEER is a Python with torch, rasterio and tacoreader 2.4 (with DuckDB below 2); the dataset is made in FOLDER when it is
not there: ROWS FOLDERs (400) of five GeoTIFFs of 512 x 512 pixels, `s2` of 13 bands, `s1`, `dem`, `cloud` and `label`.
Both sides read a shuffled epoch of float32 tensors: bands 3, 4 and 10 of `s2` and `label`, or these and all others, in
batches of 4, 32 and 64; theirs is the loop that users write, in a DataLoader of two workers. Each run is a process, in
turns; which goes first rotates. The page cache is warm. Times do not include imports and opening; those of workers do,
as they start with the epoch. Resident memory is that of the process and its workers after the first epoch of five, and
after the last.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

SIDE = 512
CHILDREN = {
    "s2": (13, "uint16"),
    "s1": (2, "float32"),
    "dem": (1, "int16"),
    "cloud": (1, "uint8"),
    "label": (1, "uint8"),
}
READ = {"2 of 5": ["s2", "label"], "5 of 5": list(CHILDREN)}
BANDS = {"s2": [3, 4, 10]}
EPOCHS = 5


# The dataset.


def write_raster(path, bands, dtype, random):
    import numpy
    import rasterio

    y, x = numpy.mgrid[0:SIDE, 0:SIDE] / SIDE
    scale = 100 if dtype == "uint8" else 1000
    profile = {"driver": "GTiff", "width": SIDE, "height": SIDE, "count": bands, "dtype": dtype, "compress": "zstd"}
    predictor = 3 if dtype == "float32" else 2
    tiles = {"tiled": True, "blockxsize": 256, "blockysize": 256, "interleave": "band", "predictor": predictor}
    transform = rasterio.transform.from_origin(500000, 4000000, 10, 10)
    with rasterio.open(path, "w", crs="EPSG:32630", transform=transform, **profile, **tiles) as out:
        for band in range(1, bands + 1):
            fx, fy = random.uniform(0.5, 4, 2)
            pixels = scale * (1 + numpy.sin(6 * fx * x) * numpy.cos(6 * fy * y))
            if dtype != "uint8":
                pixels += random.normal(0, 15, pixels.shape)
            out.write(numpy.clip(pixels, 0, 10 * scale).astype(dtype), band)


def make(dataset, rows):
    """In the peer's process, which has rasterio."""
    import numpy

    random = numpy.random.default_rng(0)
    for row in range(rows):
        folder = dataset / f"sample_{row:05d}"
        folder.mkdir(parents=True)
        for name, (bands, dtype) in CHILDREN.items():
            write_raster(folder / f"{name}.tif", bands, dtype, random)


# The sides. Each gives batches for ever, epoch by epoch.


def theirs(dataset, names, batch):
    import rasterio
    import tacoreader
    import torch
    from rasterio.windows import Window

    order = [f"{name}.tif" for name in names]

    class Samples(torch.utils.data.Dataset):
        def __init__(self):
            self.rows = tacoreader.load(str(dataset)).data

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, i):
            children = self.rows.read(i)
            out = []
            for name in order:
                with rasterio.open(children.read(name)) as raster:
                    bands = BANDS.get(name[:-4])
                    pixels = raster.read(bands, window=Window(0, 0, SIDE, SIDE), out_dtype="float32")
                    out.append(torch.from_numpy(pixels))
            return tuple(out)

    return torch.utils.data.DataLoader(Samples(), batch_size=batch, shuffle=True, num_workers=2)


def inputs_of(names):
    from tacore.loader import Input

    window = (0, 0, SIDE, SIDE)
    return [Input(f"{name}.tif", BANDS.get(name), window, "float32") for name in names]


def stream(dataset, names, batch):
    import tacore
    import torch
    from tacore.loader import TorchIterableDataset

    data = TorchIterableDataset(tacore.load(dataset), inputs_of(names), batch_size=batch, seed=0)
    return torch.utils.data.DataLoader(data, batch_size=None)


def drop_in(dataset, names, batch):
    import tacore
    import torch
    from tacore.loader import TorchDataset

    data = TorchDataset(tacore.load(dataset), inputs_of(names))
    return torch.utils.data.DataLoader(data, batch_size=batch, shuffle=True, num_workers=2)


SIDES = {
    "tacoreader + rasterio, DataLoader with 2 workers": theirs,
    "TorchDataset, DataLoader with 2 workers": drop_in,
    "TorchIterableDataset, no workers": stream,
}


def resident_mb():
    """Of this process and its children, shared pages counted once."""
    total = 0
    for pid in [os.getpid(), *children_of(os.getpid())]:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def epoch(batches):
    """Samples, and the most memory of half way through."""
    count = most = 0
    half = len(batches) // 2
    for number, batch in enumerate(batches):
        count += len(batch[0])
        if number == half:
            most = resident_mb()
    return count, most


def run(side, dataset, names, batch):
    import torch

    torch.set_num_threads(1)
    batches = SIDES[side](dataset, names, batch)
    began = time.perf_counter()
    count, first = epoch(batches)
    print("samples_per_second", round(count / (time.perf_counter() - began), 1))
    print("first_mb", round(first))
    if os.environ.get("EPOCHS"):
        for _ in range(EPOCHS - 1):
            _, last = epoch(batches)
        print("last_mb", round(last))


def measured(peer, build, side, dataset, names, batch, with_epochs):
    command = [peer, __file__, "--side", side, dataset, ",".join(names), str(batch)]
    environment = {**os.environ, "PYTHONPATH": str(build / "python"), "EPOCHS": "1" if with_epochs else ""}
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    return {name: float(value) for name, value in (line.split() for line in out.splitlines())}


def warm(dataset):
    with open(dataset, "rb") as file:
        while file.read(1 << 24):
            pass


def compare(build, peer, dataset, rounds):
    print("| children | batch | what | samples/s best | median | ratio | MB, epoch 1 | epoch 5 | N |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for title, names in READ.items():
        for batch in (4, 32, 64):
            results = {side: [] for side in SIDES}
            for turn in range(rounds):
                order = [*list(SIDES)[turn % len(SIDES) :], *list(SIDES)[: turn % len(SIDES)]]
                for side in order:
                    results[side].append(measured(peer, build, side, dataset, names, batch, turn == 0))
            peers = statistics.median(each["samples_per_second"] for each in next(iter(results.values())))
            for side, runs in results.items():
                speeds = [each["samples_per_second"] for each in runs]
                median = statistics.median(speeds)
                memory = f"{runs[0]['first_mb']:.0f} | {runs[0]['last_mb']:.0f}"
                row = f"{title} | {batch} | {side} | {max(speeds):.0f} | {median:.0f} | {median / peers:.1f}"
                print(f"| {row} | {memory} | {rounds} |", flush=True)


def main():
    if sys.argv[1] == "--make":
        return make(Path(sys.argv[2]), int(sys.argv[3]))
    if sys.argv[1] == "--side":
        return run(sys.argv[2], Path(sys.argv[3]), sys.argv[4].split(","), int(sys.argv[5]))
    build, peer, folder = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve()
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    rows = int(sys.argv[5]) if len(sys.argv) > 5 else 400
    dataset = folder / f"five_{rows}.tacozip"
    if not dataset.exists():
        samples = folder / f"five_{rows}"
        subprocess.run([peer, __file__, "--make", samples, str(rows)], check=True)
        about = [
            "--id",
            "five",
            "--description",
            "Five rasters a sample",
            "--license",
            "CC0-1.0",
            "--provider",
            "bench",
        ]
        subprocess.run([build / "bin" / "taco", "create", samples, dataset, *about, "--task", "other"], check=True)
    warm(dataset)
    print(f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.2f} at the start\n")
    compare(build, peer, dataset, rounds)


main()
