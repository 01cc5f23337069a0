#!/usr/bin/env python3
"""The published reader (tacoreader) on the same files, for the benchmarks: `name seconds` lines on stdout.

    reference.py open DATASET                    load(), its resident memory, and what of it is the try to fetch an extension
    reference.py sample DATASET READS            read(position) and read(id) at random, on the data and on a computed frame
"""
import os
import random
import resource
import sys
import time

import tacoreader


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def timed(body):
    began = time.perf_counter()
    result = body()
    return time.perf_counter() - began, result


def install_spatial():
    """load() does this too and goes on without: offline it only costs time."""
    import duckdb
    try:
        duckdb.connect().execute("INSTALL spatial; LOAD spatial")
    except duckdb.Error:
        pass


def measure_open(path):
    spatial, _ = timed(install_spatial)
    before = resident_bytes()
    seconds, dataset = timed(lambda: tacoreader.load(path))
    print("load", seconds)
    print("spatial", spatial)
    print("resident", resident_bytes() - before)
    return dataset


def measure_sample(path, reads):
    dataset = tacoreader.load(path)
    seconds, frame = timed(lambda: dataset.data)
    print("data", seconds)
    rows = len(frame)
    chosen = random.Random(1).choices(range(rows), k=reads)
    print("first", timed(lambda: frame.read(chosen[0]))[0])
    for name, key in (("position", lambda i: i), ("id", lambda i: f"sample_{i:08d}")):
        print(name, timed(lambda: [frame.read(key(i)) for i in chosen])[0] / reads)


if __name__ == "__main__":
    if sys.argv[1] == "open":
        measure_open(sys.argv[2])
    else:
        measure_sample(sys.argv[2], int(sys.argv[3]))
