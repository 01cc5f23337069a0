#!/usr/bin/env python3
"""What do engines cost: statistics by 1, 2 and 4 processes; statistics, a function of pixels, and the making of datasets by Dask,
Ray and Spark beside processes; requests, bytes and memory?

    engines.py FOLDER       makes 2 GB of pixels there, once

Ray and Spark are measured where they are installed (tests/clusters/run_engines does that), and requests to a store of S3 where
moto is. Needs the Python package of the build, rasterio, psutil and NumPy. Times are best and median of three, after one that is
not counted: it starts the workers, which open the dataset. Engines run in pairs with processes, seven times; "more" is the median of
the ratios of the pairs.
"""

import argparse
import contextlib
import os
import shutil
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "build/release/python"), str(ROOT / "build/python"), str(ROOT / "tests/python"),
                str(ROOT / "tests/remote"), str(ROOT / "bench")]  # fmt: skip
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))

import clusters  # noqa: E402
import numpy  # noqa: E402
import psutil  # noqa: E402
import rasterio  # noqa: E402
import tacore  # noqa: E402
from moto_server import Moto, python_with_moto  # noqa: E402
from server import Server  # noqa: E402
from tacore import distributed, raster  # noqa: E402
from tacore.datamodel import Sample, Taco, Tortilla  # noqa: E402

ABOUT = {
    "id": "pixels",
    "dataset_version": "1.0.0",
    "description": "Smooth random pixels",
    "licenses": ["MIT"],
    "providers": [{"name": "tacore"}],
    "tasks": ["other"],
}
NUM_SAMPLES, NUM_DIFFERENT = 2000, 40
PAIRS = 7
BANDS, SIDE = 8, 256  # 1 MiB of uint16


def chip(seed):
    """A ZSTD GeoTIFF of smooth pixels with noise."""
    random = numpy.random.default_rng(seed)
    y, x = numpy.mgrid[:SIDE, :SIDE] / SIDE
    pixels = numpy.stack([
        3000 + 1500 * numpy.sin(random.uniform(2, 9) * x + random.uniform(2, 9) * y) + random.normal(0, 20, (SIDE, SIDE))
        for _ in range(BANDS)
    ]).astype("uint16")  # fmt: skip
    options = {"driver": "GTiff", "width": SIDE, "height": SIDE, "count": BANDS, "dtype": "uint16", "tiled": True,
               "blockxsize": 256, "blockysize": 256, "compress": "zstd", "predictor": 2, "interleave": "band"}  # fmt: skip
    with rasterio.MemoryFile() as file:
        with file.open(**options) as out:
            out.write(pixels)
        return file.read()


def make(path, count):
    if not path.exists():
        files = [chip(n) for n in range(NUM_DIFFERENT)]
        samples = [Sample(id=f"s{n:05}", path=files[n % NUM_DIFFERENT]) for n in range(count)]
        tacore.create(Taco(Tortilla(samples), **ABOUT), path, progress=False)
    return path


def processor_seconds():
    """Of this process and all below it, which engines start."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:2])
    return total


def timed(task, repeat):
    """Best and median time of a call, and the processor seconds of one, which do not depend on what else runs."""
    task()
    times, used = [], processor_seconds()
    for _ in range(repeat):
        began = time.perf_counter()
        task()
        times.append(time.perf_counter() - began)
    return min(times), statistics.median(times), (processor_seconds() - used) / repeat


def mean(pixels):
    return float(pixels.mean())


def memory(pixels):
    """The most kilobytes of this process so far; getrusage() also counts what its parent had."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def table(title, *columns):
    print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")


def row(*cells):
    print(
        "| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |", flush=True
    )


def processes(count):
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


@contextlib.contextmanager
def dask(count):
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextlib.contextmanager
def ray(count):
    import ray

    ray.init(num_cpus=count, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()


@contextlib.contextmanager
def spark(count):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{count}]")
    for name, value in {"ui.enabled": "false", "driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1",
                        "ui.showConsoleProgress": "false"}.items():  # fmt: skip
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def measure_statistics(path):
    table("Statistics of 2 GB of pixels", "by", "best s", "median s", "processor s", "MB/s", "times one thread")
    size = NUM_SAMPLES * BANDS * SIDE * SIDE * 2 / 1e6
    one, middle, used = timed(lambda: raster.compute_statistics(tacore.load(path), jobs=1, progress=False), 3)
    row("one process, 1 thread", one, middle, used, size / one, 1.0)
    best, middle, used = timed(lambda: raster.compute_statistics(tacore.load(path), progress=False), 3)
    row("one process, a thread for each processor", best, middle, used, size / best, one / best)
    for count in (1, 2, 4):
        with processes(count) as pool:
            best, middle, used = timed(lambda pool=pool: distributed.compute_statistics(path, pool, progress=False), 3)
        row(f"{count} processes", best, middle, used, size / best, one / best)


def measure_engines(title, job, count=2, has_budget=True):
    """A job by each engine beside the same by processes, in pairs: `job` takes a client and options."""
    table(
        f"{title}, {count} workers",
        "by", "best s", "median s", "best s by processes", "median s", "more time %", "more processor time %",
    )  # fmt: skip
    engines = {"Dask": dask, "Ray": ray, "Spark": spark, "processes, with a Budget": processes}
    if not has_budget:
        del engines["processes, with a Budget"]
    for name, engine in engines.items():
        options = {"budget": distributed.Budget()} if "Budget" in name else {}
        try:
            with processes(count) as pool, engine(count) as client:
                pairs = [
                    measured_pair(turn, lambda: job(pool), lambda: job(client, **options)) for turn in range(PAIRS + 1)
                ][1:]
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
            continue
        plain, its = ([pair[side][0] for pair in pairs] for side in (0, 1))
        more, more_used = (statistics.median(pair[1][at] / pair[0][at] for pair in pairs) for at in (0, 1))
        row(
            name,
            min(its),
            statistics.median(its),
            min(plain),
            statistics.median(plain),
            100 * (more - 1),
            100 * (more_used - 1),
        )


def measured_pair(turn, *tasks):
    """Seconds and processor seconds of each task, of which another one begins each turn."""
    out = [None] * len(tasks)
    for at in (0, 1) if turn % 2 else (1, 0):
        used, began = processor_seconds(), time.perf_counter()
        tasks[at]()
        out[at] = time.perf_counter() - began, processor_seconds() - used
    return out


def measure_creation(folder):
    """The data of clusters.py."""
    clusters.write_chips(folder / "chips")
    for case, title in {
        "chips": "Creation of 20,000 chips",
        "tiny": "Creation of 1,000,000 samples of 16 bytes",
    }.items():

        def create(client, case=case):
            shutil.rmtree(folder / "made", ignore_errors=True)
            parts = clusters.parts_of(case, folder, 0)
            distributed.create_partitions(parts, folder / "made", client, progress=False)

        measure_engines(title, create, has_budget=False)


def measure_memory(path):
    table("Largest memory of a worker", "samples", "MB")
    for count in (200, 2000):
        with processes(2) as pool:
            made = distributed.map_samples(tacore.load(path).data[:count], memory, pool, num_tasks=8, progress=False)
        row(count, max(made.columns["value"]) / 1e3)


def measure_requests(folder):
    table(
        "Requests and bytes for each of 100 samples, 2 processes, 8 tasks",
        "from",
        "what",
        "requests",
        "KB",
        "KB of a sample",
    )
    path = make(folder / "remote.tacozip", 100)
    size = sum(len(chip(n)) for n in range(NUM_DIFFERENT)) / NUM_DIFFERENT / 1e3

    def run(place, url):
        for what, task in (("map_samples", lambda *a, **k: distributed.map_samples(a[0], mean, *a[1:], **k)),
                           ("compute_statistics", distributed.compute_statistics)):  # fmt: skip
            with processes(2) as pool:
                budget = distributed.Budget()
                task(url, pool, num_tasks=8, progress=False, budget=budget)
            row(place, what, budget.used.requests / 100, budget.used.bytes / 100 / 1e3, size)

    with Server(folder) as server:
        run("HTTP", server.url("remote.tacozip"))
    if python_with_moto() is None:
        print("moto is not installed", file=sys.stderr)
        return
    with Moto() as moto:
        moto.make_bucket("bench")
        moto.ask("PUT", "/bench/remote.tacozip", path.read_bytes())
        tacore.set_storage_options(
            endpoint=moto.url, region="us-east-1", access_key_id="id", secret_access_key="secret"
        )
        run("S3 (moto)", "s3://bench/remote.tacozip")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    tacore.verbose(False)
    path = make(folder / "pixels.tacozip", NUM_SAMPLES)
    measure_statistics(path)
    measure_engines(
        f"A function of pixels of {NUM_SAMPLES:,} samples",
        lambda client, **options: distributed.map_samples(path, mean, client, progress=False, **options),
    )
    measure_engines(
        "Statistics of 2 GB of pixels",
        lambda client, **options: distributed.compute_statistics(path, client, progress=False, **options),
    )
    measure_creation(folder)
    measure_memory(path)
    measure_requests(folder)


if __name__ == "__main__":
    main()
