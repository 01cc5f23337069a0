"""The jobs that check.py disturbs: the driver is `python -c "import job; job.main()" DESTINATION SCHEDULER [TABLE]`, which
makes partitions of functions, or of the rows of a table in the order of places."""

import functools
import os
import random
import struct
import sys
import time

import tacore
from tacore.datamodel import Sample, Taco, Tortilla

ABOUT = {
    "id": "made",
    "dataset_version": "1.0.0",
    "description": "Made by a test",
    "licenses": ["MIT"],
    "providers": [{"name": "tacore"}],
    "tasks": ["other"],
}
NUM_PARTS = 8


def make(number):
    """A partition of a few hundred kilobytes; the first has 20 MB, which are uploaded in parts."""
    source = random.Random(number)
    size = 5_000_000 if number == 0 else 50_000
    time.sleep(float(os.environ.get("JOB_PAUSE", 0)))
    samples = [Sample(id=f"p{number}-{n}", path=source.randbytes(size), number=n) for n in range(4)]
    return Taco(Tortilla(samples), **ABOUT)


def parts():
    return {f"p{number}": functools.partial(make, number) for number in range(NUM_PARTS)}


def write_table(folder):
    """Files of rows in no order of place."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    source = random.Random(9)
    for number in range(NUM_PARTS):
        places = [struct.pack("<BIdd", 1, 1, source.uniform(-180, 180), source.uniform(-90, 90)) for _ in range(100)]
        rows = {"id": [f"r{number}-{n}" for n in range(100)], "stac:centroid": places}
        pq.write_table(pa.table(rows), folder / f"{number}.parquet")


def make_row(row):
    if row["id"].endswith("-50"):  # so that there is time to be killed
        time.sleep(float(os.environ.get("JOB_PAUSE", 0)))
    return Sample(id=row["id"], path=row["id"].encode() * 500, size=len(row["id"]))


def sorted_parts(table):
    return tacore.distributed.parts_of_table(
        table, make_row, order="hilbert", num_partitions=NUM_PARTS, prefix="p", **ABOUT
    )


def main():
    import dask.distributed

    destination, scheduler, *table = sys.argv[1:]
    if endpoint := os.environ.get("JOB_ENDPOINT"):
        tacore.set_storage_options(
            endpoint=endpoint, region="us-east-1", access_key_id="id", secret_access_key="secret", max_tries=2
        )
    with dask.distributed.Client(scheduler) as client:
        try:
            all_parts = sorted_parts(*table) if table else parts()
            made = tacore.distributed.create_partitions(all_parts, destination, client, progress=False)
        except tacore.TacoError as error:
            print(f"{type(error).__name__}: {error}", flush=True)
            sys.exit(3)
    print(made.num_samples, made.num_kept, flush=True)
