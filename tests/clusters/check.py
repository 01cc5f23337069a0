#!/usr/bin/env python3
"""Kills workers and drivers of a Dask cluster at random times; the same call ends in the bytes of an undisturbed run.

    check.py [--long] [--seed N]     a few kills; with --long 50 of workers and 10 of drivers, in a folder and in S3

A scheduler and two workers are started apart, on free ports of loopback, and ended by their process ids. Exit code 77 when
Dask is not there; S3 is left out, and that is said, when moto is not (tests/remote/run installs it).
"""

import argparse
import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]
PATH = os.pathsep.join(filter(None, [str(HERE), *sys.path]))

import job  # noqa: E402
import tacore  # noqa: E402
from moto_server import Moto, python_with_moto  # noqa: E402


class Cluster:
    """A scheduler and two workers."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.environment = {
            **os.environ,
            "PYTHONPATH": PATH,
            "TMPDIR": str(scratch / "tmp"),
            "JOB_PAUSE": "0.1",
            "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        }
        self.file = scratch / "scheduler.json"
        self.processes = []
        self.scheduler = self.start("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
                                    "--no-dashboard", "--scheduler-file", self.file)  # fmt: skip
        self.address = self.wait_for_address()
        self.workers = [self.start_worker() for _ in range(2)]

    def start(self, *arguments, **environment):
        log = open(self.scratch / "log", "ab")
        process = subprocess.Popen(
            [sys.executable, "-B", *map(str, arguments)],
            env={**self.environment, **environment},
            cwd=self.scratch,
            stdout=subprocess.PIPE if arguments[0] == "-c" else log,
            stderr=log,
            text=True,
        )
        log.close()
        self.processes.append(process)
        return process

    def wait_for_address(self):
        for _ in range(600):
            try:
                return json.loads(self.file.read_text())["address"]
            except (OSError, ValueError):
                assert self.scheduler.poll() is None, (self.scratch / "log").read_text()
                time.sleep(0.05)
        raise AssertionError("the scheduler did not start")

    def start_worker(self):
        return self.start("-m", "distributed.cli.dask_worker", self.address, "--no-nanny", "--no-dashboard",
                          "--nthreads", "1", "--local-directory", self.scratch / "dask")  # fmt: skip

    def start_driver(self, destination, endpoint, table=()):
        return self.start("-c", "import job; job.main()", destination, self.address, *table, JOB_ENDPOINT=endpoint)

    def kill_worker(self, number):
        self.workers[number].kill()
        self.workers[number].wait()
        self.workers[number] = self.start_worker()

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()


class Place:
    """Destinations in a folder, new ones by turns."""

    endpoint = ""

    def __init__(self, scratch):
        self.scratch = scratch
        self.count = 0

    def new(self):
        self.count += 1
        self.path = self.scratch / f"made{self.count}"
        return str(self.path)

    def check(self, expected):
        files = [path for path in self.path.rglob("*") if path.is_file()]
        found = {str(path.relative_to(self.path)): path.read_bytes() for path in files}
        shown = {name: data for name, data in found.items() if not name.startswith(".parts/")}
        assert shown == expected, (shown.keys(), expected.keys())
        names = [name.removesuffix(".tacozip") for name in expected if name.endswith(".tacozip")]
        records = {f".parts/{name}.{kind}" for name in names for kind in ("json", "ids")}
        assert found.keys() - shown.keys() == records | {".parts/.plan.json"}, found.keys()
        shutil.rmtree(self.path)


class Bucket(Place):
    """The same in S3."""

    def __init__(self, server):
        self.server = server
        self.endpoint = server.url
        self.count = 0

    def new(self):
        self.count += 1
        self.server.make_bucket(f"made{self.count}")
        return f"s3://made{self.count}/chips"

    def check(self, expected):
        name = f"made{self.count}"
        keys = [key for key in self.server.keys(name) if not key.startswith("chips/.parts/")]
        found = {key.removeprefix("chips/"): self.server.read(name, key) for key in keys}
        assert found == expected, (found.keys(), expected.keys())
        assert self.server.unfinished(name) == []
        for key in self.server.keys(name):
            self.server.remove(name, key)


def ended(driver, log):
    """Whether a driver that has ended was successful. An error must be one of ours, with a name."""
    said = driver.stdout.read().strip()
    assert driver.returncode in (0, 3), (driver.returncode, said, log.read_text()[-3000:])
    assert driver.returncode == 0 or said.startswith("Taco"), said
    return driver.returncode == 0


def disturb(cluster, place, expected, seed, num_workers, num_drivers, *table):
    """Kills so many workers and drivers. Returns the numbers of finished jobs and of those that ended by an error."""
    source = random.Random(seed)
    victims = ["worker"] * num_workers + ["driver"] * num_drivers
    source.shuffle(victims)
    num_done = num_errors = 0
    for _ in range(2):  # the second time is that of a warm cluster
        driver = cluster.start_driver(place.new(), place.endpoint, table)
        start = time.monotonic()
        driver.wait()
        seconds = time.monotonic() - start
        assert ended(driver, cluster.scratch / "log")
        place.check(expected)
    destination = place.new()
    driver = cluster.start_driver(destination, place.endpoint, table)
    while True:
        # A third of the time passes before the first task begins.
        until = time.monotonic() + source.uniform(seconds / 4, seconds) if victims else float("inf")
        while driver.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        if driver.poll() is not None:
            if ended(driver, cluster.scratch / "log"):
                num_done += 1
                place.check(expected)
                if not victims:
                    return num_done, num_errors
                destination = place.new()
            else:
                num_errors += 1
                assert num_errors <= 3 + num_workers
        elif victims.pop() == "worker":
            cluster.kill_worker(source.randrange(2))
            continue
        else:
            driver.kill()
            driver.wait()
        driver = cluster.start_driver(destination, place.endpoint, table)


def undisturbed(folder):
    """What one machine writes, one partition after another."""
    for name, make in job.parts().items():
        tacore.create(make(), folder / f"{name}.tacozip", progress=False)
    tacore.create_tacocat([folder / f"{name}.tacozip" for name in job.parts()], folder, progress=False)
    return files(folder)


def files(folder):
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".parts/")}


def sorted_undisturbed(folder, table):
    """What one thread writes."""
    with ThreadPoolExecutor(1) as thread:
        tacore.distributed.create_partitions(job.sorted_parts(table), folder, thread, progress=False)
    return files(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    try:
        import distributed  # noqa: F401
    except ImportError:
        print("skipped: Dask is not installed")
        sys.exit(77)
    tacore.verbose(False)
    seed = options.seed if options.seed is not None else random.randrange(10**6) if options.long else 1
    num_workers, num_drivers = (50, 10) if options.long else (3, 2)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        (scratch / "expected").mkdir()
        (scratch / "tmp").mkdir()
        expected = undisturbed(scratch / "expected")
        cluster = Cluster(scratch)
        try:
            print(f"seed {seed}", flush=True)
            done = disturb(cluster, Place(scratch), expected, seed, num_workers, num_drivers)
            print(
                f"folder: {num_workers} workers and {num_drivers} drivers killed; jobs done, errors: {done}", flush=True
            )
            if importlib.util.find_spec("pyarrow") is None:
                print("a sorted table is left out: pyarrow is not installed")
            else:
                table = scratch / "table"
                job.write_table(table)
                in_order = sorted_undisturbed(scratch / "sorted", table)
                done = disturb(cluster, Place(scratch), in_order, seed + 1, num_workers, num_drivers, table)
                print(f"a sorted table: the same; jobs done, errors: {done}", flush=True)
            if python_with_moto() is None:
                print("S3 is left out: moto is not installed")
                return
            with Moto() as server:
                done = disturb(cluster, Bucket(server), expected, seed, num_workers, num_drivers)
                print(f"S3: the same; jobs done, errors: {done}", flush=True)
        finally:
            cluster.close()


if __name__ == "__main__":
    main()
