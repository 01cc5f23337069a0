#!/usr/bin/env python3
"""How long would many machines take to make a dataset of the size of TerraMesh: 889 ZIPs of 10,224 samples of 8 files?

    machines.py FOLDER [--parts N]     measures N of the ZIPs (8) and simulates the others; Markdown on stdout

The first ZIPs are made by `create_partitions` with one worker process, and indexed by their bounds. What a ZIP takes the worker, what
it takes the driver, and what the index takes for each ZIP are measured; files are of 64 bytes, as in terramesh.py. Then a queue of all
ZIPs on many machines of two workers is simulated: the driver handles one ZIP at a time, a worker takes one of the measured times, and
needs START seconds before its first; of 1,000 ZIPs LOST are lost with their worker when they are half made, which is noticed after
NOTICED seconds. The second column of times adds the copying of 10 GB into each ZIP at 100 MB/s by each worker.
"""
import argparse
import functools
import heapq
import itertools
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "build/release/python"), str(ROOT / "build/python")]
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])  # also of the processes that are started

from terramesh import COLLECTION, PARTS  # noqa: E402

START, LOST, NOTICED = 10.0, 5, 60.0
COPY = 100.0


def make(table):
    import pyarrow.parquet

    from tacore.datamodel import Taco, Tortilla

    os.chdir(Path(table).parent)  # where the file is that all paths name
    return Taco(Tortilla.from_table(pyarrow.parquet.read_table(table)), dataset_version="1.0.0", **COLLECTION)


def warm(_):
    import tacore.distributed  # noqa: F401


def measure(folder, count):
    """Seconds of the worker for each ZIP, of the driver for each, and of the index for each."""
    import tacore
    from tacore import distributed

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "file").write_bytes(b"x" * 64)
    parts = {}
    for part in range(count):
        table = folder / f"{part}.parquet"
        if not table.exists():
            subprocess.run([sys.executable, ROOT / "bench/terramesh.py", "--table", str(part), table], check=True, cwd=folder)
        parts[f"part{part:04}"] = functools.partial(make, str(table))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        list(pool.map(warm, range(1)))
        times, used = [time.perf_counter()], time.process_time()
        output = folder / f"made{time.time_ns()}"

        def told(*_):
            times.append(time.perf_counter())
            return True

        made = distributed.create_partitions(parts, output, pool, index="tacollection", progress=told)
        driver = time.process_time() - used
    began, used = time.perf_counter(), time.process_time()
    tacore.create_tacollection(sorted(output.glob("*.tacozip")), folder / "again", bounds=True, overwrite=True)
    index, driver = time.perf_counter() - began, driver - (time.process_time() - used)  # the index was part of it
    assert made.num_samples > 10_000 * count
    shutil.rmtree(output)
    return [b - a for a, b in itertools.pairwise(times)], max(driver, 0) / count, index / count


def simulate(num_workers, seconds_of_parts, driver, seed=1):
    """Seconds until all ZIPs are made."""
    source = random.Random(seed)
    waiting = [(0.0, source.choice(seconds_of_parts)) for _ in range(PARTS)]  # from when on, and how long
    heapq.heapify(waiting)
    workers = [START * source.uniform(0.5, 1.5) for _ in range(num_workers)]
    heapq.heapify(workers)
    is_driver_free, end = 0.0, 0.0
    while waiting:
        since, seconds = heapq.heappop(waiting)
        begin = max(since, heapq.heappop(workers), is_driver_free)
        is_driver_free = begin + driver
        if source.random() < LOST / 1000:
            heapq.heappush(waiting, (begin + seconds / 2 + NOTICED, seconds))
            heapq.heappush(workers, begin + seconds / 2 + NOTICED + START)  # another one in its place
            continue
        heapq.heappush(workers, begin + seconds)
        end = max(end, begin + seconds)
    return end


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", type=int, default=8)
    args = parser.parse_args()
    seconds, driver, index = measure(args.folder.absolute(), args.parts)
    print(f"A ZIP of 10,224 samples of 8 files: worker {statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f}), driver "
          f"{driver * 1e3:.0f} ms, index {index * 1e3:.0f} ms\n")
    print("| machines of 2 workers | files of 64 bytes (s) | of perfect scaling | 10 GB in each ZIP (min) | of perfect scaling |\n|---|---|---|---|---|")
    for machines in (1, 10, 30, 100, 300):
        row = []
        for copying in (0.0, COPY):
            all_seconds = [each + copying for each in seconds]
            took = statistics.median(simulate(2 * machines, all_seconds, driver, seed) for seed in range(5)) + PARTS * index
            row.append((took, PARTS * statistics.mean(all_seconds) / (2 * machines) / took))
        (small, part), (large, part_of_large) = row
        print(f"| {machines} | {small:.0f} | {100 * part:.0f} % | {large / 60:.1f} | {100 * part_of_large:.0f} % |")


if __name__ == "__main__":
    main()
