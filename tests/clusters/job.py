"""The job that check.py disturbs: the driver is `python -c "import job; job.main()" DESTINATION SCHEDULER`."""

import functools
import os
import random
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


def main():
    import dask.distributed

    destination, scheduler = sys.argv[1:]
    if endpoint := os.environ.get("JOB_ENDPOINT"):
        tacore.set_storage_options(
            endpoint=endpoint, region="us-east-1", access_key_id="id", secret_access_key="secret", max_tries=2
        )
    with dask.distributed.Client(scheduler) as client:
        try:
            made = tacore.distributed.create_partitions(parts(), destination, client, progress=False)
        except tacore.TacoError as error:
            print(f"{type(error).__name__}: {error}", flush=True)
            sys.exit(3)
    print(made.num_samples, made.num_kept, flush=True)
