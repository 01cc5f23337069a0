#!/usr/bin/env python3
"""Measures how the making of partitions scales with worker processes, and whether the memory of a worker stays flat.

    clusters.py FOLDER [--rounds N] [CASE...]     Markdown on stdout; data lie in FOLDER, about 2 GB

Needs numpy, pyarrow and rasterio, and Dask for its rows. A case is chips, tiny or memory. Each run is a process of its own, and
sides run in turns; which goes first rotates. "one process" makes the same partitions one after another, without records, and
the index. Workers are started, and have imported tacore, before the clock starts; files are in the page cache. Memory is the
most that was resident, of the driver and of the largest worker. CPU is that of all processes, which a busy machine changes
little.
"""

import argparse
import functools
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

NUM_CHIPS, CHIP_PARTS = 20_000, 16
NUM_TINY, TINY_PARTS = 1_000_000, 32
ABOUT = {
    "id": "measured",
    "dataset_version": "1.0.0",
    "description": "Made to be measured",
    "licenses": ["CC0-1.0"],
    "providers": [{"name": "tacore"}],
    "tasks": ["other"],
}
SIDES = ["one process", "1 worker", "2 workers", "4 workers", "Dask, 2 workers"]


# Data, from fixed seeds.


def write_chips(folder):
    """GeoTIFFs of 64 by 64 pixels, 4 bands of 16 bits, uncompressed: 33 kB each."""
    if (folder / "complete").exists():
        return
    import numpy as np
    import rasterio
    from rasterio.transform import from_origin

    random = np.random.default_rng(1)
    shape = {"driver": "GTiff", "width": 64, "height": 64, "count": 4, "dtype": "uint16", "crs": "EPSG:32630"}
    for number in range(NUM_CHIPS):
        path = folder / f"{number // 1000:02}" / f"chip_{number:05}.tif"
        path.parent.mkdir(parents=True, exist_ok=True)
        place = from_origin(200_000 + 640 * (number % 500), 4_000_000 + 640 * (number // 500), 10, 10)
        with rasterio.open(path, "w", transform=place, **shape) as chip:
            chip.write(random.integers(0, 10_000, (4, 64, 64), "uint16"))
    (folder / "complete").touch()


def write_table(folder, num_rows, rows_per_file):
    """Items with a place: files of a table."""
    if (folder / "complete").exists():
        return
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(2)
    (folder / "items").mkdir(parents=True)
    for first in range(0, num_rows, rows_per_file):
        numbers = range(first, first + rows_per_file)
        places = np.zeros(rows_per_file, [("order", "u1"), ("kind", "<u4"), ("x", "<f8"), ("y", "<f8")])
        places["order"], places["kind"] = 1, 1
        places["x"], places["y"] = random.uniform(-180, 180, rows_per_file), random.uniform(-80, 80, rows_per_file)
        wkb = pa.Array.from_buffers(pa.binary(21), rows_per_file, [None, pa.py_buffer(places.tobytes())]).cast(
            pa.binary()
        )
        table = pa.table({"id": [f"s{n:08}" for n in numbers], "n": list(numbers), "stac:centroid": wkb})
        pq.write_table(table, folder / "items" / f"{first:09}.parquet")
    (folder / "complete").touch()


# Parts.


def make_chip(path):
    from tacore.datamodel import STAC, Sample

    sample = Sample(Path(path).stem, path)
    sample.extend_with(STAC.from_file(path, time_start="2024-06-01"))
    return sample


def make_tiny(first, count):
    from tacore.datamodel import Sample, Taco, Tortilla

    samples = [Sample(f"s{n:08}", b"16 bytes of data", number=n, share=n / 7) for n in range(first, first + count)]
    return Taco(Tortilla(samples), **ABOUT)


def make_item(row):
    from tacore.datamodel import Sample

    return Sample(row["id"], b"16 bytes of data", number=row["n"])


def parts_of(case, folder, num_samples):
    from tacore import distributed

    if case == "chips":
        return distributed.parts_of_files(
            folder / "chips", make_chip, pattern="*.tif", num_partitions=CHIP_PARTS, **ABOUT
        )
    if case == "tiny":
        step = NUM_TINY // TINY_PARTS
        return {f"p{n:02}": functools.partial(make_tiny, n * step, step) for n in range(TINY_PARTS)}
    if case == "functions":
        return {f"p{n:04}": functools.partial(make_tiny, n * 10_000, 10_000) for n in range(num_samples // 10_000)}
    order = "hilbert" if case == "sorted" else ""
    table = folder / f"table_{num_samples}" / "items"
    return distributed.parts_of_table(table, make_item, order=order, num_partitions=num_samples // 10_000, **ABOUT)


# One run, in a process of its own.


def warm(_):
    import logging

    import tacore.distributed  # noqa: F401

    logging.getLogger("tacore").setLevel(logging.ERROR)
    time.sleep(0.5)  # so that each worker gets one


def used(_=None):
    """Of this process: its number, MB at most so far, seconds of CPU so far."""
    time.sleep(0.3)  # so that each worker is asked
    return os.getpid(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, time.process_time()


def run_one(case, side, folder, num_samples):
    """Prints seconds, MB of the driver and of the largest worker, and seconds of CPU of all."""
    import logging

    import tacore
    from tacore import distributed

    logging.getLogger("tacore").setLevel(logging.ERROR)
    output = folder / "output"
    shutil.rmtree(output, ignore_errors=True)
    parts = parts_of(case, folder, num_samples)
    count = 0 if side == "one process" else int(side.removeprefix("Dask, ").split()[0])

    def one_after_another():
        output.mkdir()
        for name, make in parts.items():
            tacore.create(make(), output / f"{name}.tacozip", progress=False)
        tacore.create_tacocat([output / f"{name}.tacozip" for name in parts], output, progress=False)

    def timed(work, ask):
        """`ask` returns used() of the workers."""
        before = {each[0]: each[2] for each in [used(), *ask()]}
        began = time.perf_counter()
        work()
        seconds = time.perf_counter() - began
        driver, workers = used(), ask()
        largest = max([each[1] for each in workers], default=0)
        cpu = sum(cpu - before.get(process, 0) for process, _, cpu in {driver, *workers})
        return [seconds, driver[1], largest, cpu]

    if side == "one process":
        out = timed(one_after_another, list)
    elif side.startswith("Dask"):
        import distributed as dask

        processes = {"n_workers": count, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with dask.LocalCluster(**processes) as cluster, dask.Client(cluster) as client:
            client.gather(client.map(warm, range(2 * count), pure=False))
            work = functools.partial(distributed.create_partitions, parts, output, client, progress=False)
            out = timed(work, lambda: list(client.run(used).values()))
    else:
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            list(pool.map(warm, range(2 * count)))
            work = functools.partial(distributed.create_partitions, parts, output, pool, progress=False)
            out = timed(work, lambda: list({each[0]: each for each in pool.map(used, range(4 * count))}.values()))
    shutil.rmtree(output)
    print(json.dumps(out))


def measured(case, side, folder, num_samples=0):
    command = [sys.executable, __file__, str(folder), "--run", case, side, str(num_samples)]
    out = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])
    print(
        f"{case}, {side}, {num_samples or ''}: {out[0]:.1f} s, {out[1]:.0f} and {out[2]:.0f} MB, CPU {out[3]:.1f} s",
        file=sys.stderr,
        flush=True,
    )
    return out


# Tables.


def has_dask():
    try:
        import distributed  # noqa: F401
    except ImportError:
        return False
    return True


def compare(case, title, folder, rounds):
    print(
        f"\n### {title}\n\nload {os.getloadavg()[0]:.1f} when started, {os.cpu_count()} processors, {rounds} rounds\n"
    )
    sides = [side for side in SIDES if has_dask() or not side.startswith("Dask")]
    found = {side: [] for side in sides}
    for number in range(rounds):
        for side in sides[number % len(sides) :] + sides[: number % len(sides)]:
            found[side].append(measured(case, side, folder))
    first = statistics.median(seconds for seconds, *_ in found[sides[0]])
    print(
        "| | median s | best s | of one process | CPU s | MB, driver | MB, largest worker |\n|---|---|---|---|---|---|---|"
    )
    for side, runs in found.items():
        seconds = [each[0] for each in runs]
        median = statistics.median(seconds)
        driver, worker, cpu = (statistics.median(each[k] for each in runs) for k in (1, 2, 3))
        shown = f"{worker:.0f}" if worker else ""
        print(
            f"| {side} | {median:.1f} | {min(seconds):.1f} | {median / first:.2f} | {cpu:.1f} | {driver:.0f} | {shown} |",
            flush=True,
        )


def compare_memory(folder, rounds):
    print(
        f"\n### Memory of 2 workers, 10,000 samples in each partition\n\nload {os.getloadavg()[0]:.1f} when started\n"
    )
    print("| parts are | samples | median s | MB, driver | MB, largest worker |\n|---|---|---|---|---|")
    names = {"functions": "functions", "table": "rows of a table", "sorted": "rows of a table, by place"}
    for case, name in names.items():
        for num_samples in (100_000, 1_000_000):
            write_table(folder / f"table_{num_samples}", num_samples, 25_000)
            runs = [measured(case, "2 workers", folder, num_samples) for _ in range(rounds)]
            seconds, driver, worker = (statistics.median(each[k] for each in runs) for k in range(3))
            print(f"| {name} | {num_samples:,} | {seconds:.1f} | {driver:.0f} | {worker:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*", default=["chips", "tiny", "memory"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--run", nargs=3)
    options = parser.parse_args()
    folder = options.folder.absolute()
    if options.run:
        case, side, num_samples = options.run
        return run_one(case, side, folder, int(num_samples))
    if "chips" in options.cases:
        write_chips(folder / "chips")
        compare("chips", f"{NUM_CHIPS:,} GeoTIFFs of 33 kB, {CHIP_PARTS} partitions", folder, options.rounds)
    if "tiny" in options.cases:
        folder.mkdir(parents=True, exist_ok=True)
        compare("tiny", f"{NUM_TINY:,} samples of 16 bytes, {TINY_PARTS} partitions", folder, options.rounds)
    if "memory" in options.cases:
        compare_memory(folder, 1)


if __name__ == "__main__":
    main()
