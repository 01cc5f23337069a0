#!/usr/bin/env python3
"""Reads the first bands of the rasters of a list, as users of rasterio do; the peer of bench_decode.

    rasterio_read.py PATHS BANDS     `mean SECONDS`; 0 bands opens only
"""
import sys
import time
import warnings

import rasterio


def main():
    warnings.simplefilter("ignore")
    paths, bands = open(sys.argv[1]).read().split(), list(range(1, int(sys.argv[2]) + 1))
    for timed in (False, True):  # the first round warms GDAL's drivers
        began = time.perf_counter()
        for path in paths[:None if timed else 5]:
            with rasterio.open(path) as dataset:
                if bands:
                    dataset.read(bands)
        if timed:
            print("mean", (time.perf_counter() - began) / len(paths))


main()
